/* SPDX-License-Identifier: GPL-2.0 */
/* Events that other parts of the kernel define at run time, by building a definition. */
#ifndef _LINUX_STROBE_DYNEVENT_H
#define _LINUX_STROBE_DYNEVENT_H

#include <linux/seq_buf.h>
#include <linux/types.h>

/* Size of a buffer in which every definition has room */
#define MAX_DYNEVENT_CMD_LEN	2048

enum dynevent_type { DYNEVENT_TYPE_SYNTH = 1, DYNEVENT_TYPE_KPROBE, DYNEVENT_TYPE_NONE };

/**
 * struct dynevent_cmd - a definition that is being built
 * @seq:	  its text
 * @event_name:	  name of a synthetic event
 * @n_fields:	  number of its fields
 * @type:	  kind of the event
 * @run_command:  executes the definition
 * @private_data: for @run_command
 */
struct dynevent_cmd {
	struct seq_buf		seq;
	const char		*event_name;
	unsigned int		n_fields;
	enum dynevent_type	type;
	int			(*run_command)(struct dynevent_cmd *cmd);
	void			*private_data;
};

int dynevent_create(struct dynevent_cmd *cmd);

void kprobe_event_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen);
int __kprobe_event_gen_cmd_start(struct dynevent_cmd *cmd, bool kretprobe, const char *name,
				 const char *loc, ...);
int __kprobe_event_add_fields(struct dynevent_cmd *cmd, ...);
int kprobe_event_delete(const char *name);

/* The functions need the end of the list marked. */
#define kprobe_event_gen_cmd_start(cmd, name, loc, ...)				\
	__kprobe_event_gen_cmd_start(cmd, false, name, loc, ## __VA_ARGS__, NULL)
#define kretprobe_event_gen_cmd_start(cmd, name, loc, ...)			\
	__kprobe_event_gen_cmd_start(cmd, true, name, loc, ## __VA_ARGS__, NULL)
#define kprobe_event_add_field(cmd, field)					\
	__kprobe_event_add_fields(cmd, field, NULL)
#define kprobe_event_add_fields(cmd, ...)					\
	__kprobe_event_add_fields(cmd, ## __VA_ARGS__, NULL)
#define kprobe_event_gen_cmd_end(cmd)		dynevent_create(cmd)
#define kretprobe_event_gen_cmd_end(cmd)	dynevent_create(cmd)

#endif /* _LINUX_STROBE_DYNEVENT_H */
