/* SPDX-License-Identifier: GPL-2.0 */
/* What the program in the kernel tells the one outside. */
#ifndef _TP_WATCH_H
#define _TP_WATCH_H

#define WATCH_TEXT	64

enum watched {
	WATCHED_EXEC,
	WATCHED_WAIT,
	WATCHED_EXIT,
	WATCHED_KILL,
};

/**
 * struct watch_event - something that happened
 * @what:   enum watched
 * @pid:    who did it
 * @number: WAIT: for whom, 0 anybody; EXIT: wait status; KILL: signal
 * @text:   EXEC: the file; else the task's name
 */
struct watch_event {
	unsigned int	what;
	int		pid;
	int		number;
	char		text[WATCH_TEXT];
};

#endif /* _TP_WATCH_H */
