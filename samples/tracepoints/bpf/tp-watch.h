/* SPDX-License-Identifier: GPL-2.0 */
/* Events sent by the BPF programs to tp-watch. */
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
 * struct watch_event - an event
 * @what:   enum watched
 * @pid:    process that caused it
 * @number: WAIT: pid of the child, 0 for any; EXIT: wait status; KILL: signal
 * @text:   EXEC: the file; else the task's name
 */
struct watch_event {
	unsigned int	what;
	int		pid;
	int		number;
	char		text[WATCH_TEXT];
};

#endif /* _TP_WATCH_H */
