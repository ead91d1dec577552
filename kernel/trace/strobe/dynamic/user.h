/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of user space: processes register them and write their records. A bit in the memory
 * of each process shows whether an event is being recorded.
 */
#ifndef _STROBE_DYNAMIC_USER_H
#define _STROBE_DYNAMIC_USER_H

#include <linux/list.h>
#include <linux/types.h>

struct file;
struct iov_iter;
struct seq_file;
struct user_event;
struct user_file;

/**
 * struct user_watch - the part of an event that the enablers of processes depend on
 * @enablers: the event's enablers, of all processes (enablers_lock)
 * @round:    counts the changes of @on (enablers_lock)
 * @on:	      the event is being recorded (strobe_event_mutex and enablers_lock)
 */
struct user_watch {
	struct list_head	enablers;
	unsigned int		round;
	bool			on;
};

/* user_mm.c */
int strobe_user_enabler_find(unsigned long addr, u8 bit);
int strobe_user_enabler_add(struct user_event *event, unsigned long addr, u8 bit, u8 size);
int strobe_user_enabler_remove(unsigned long addr, u8 bit);
void strobe_user_enablers_set(struct user_watch *watch, bool on);
int strobe_user_mm_init(void);

/* user.c */
struct user_watch *strobe_user_event_watch(struct user_event *event);
struct user_event *strobe_user_event_get(struct user_event *event);
void strobe_user_event_put(struct user_event *event);
void strobe_user_status_show(struct seq_file *m);

/* user_file.c */
struct user_file *strobe_user_file_open(void);
void strobe_user_file_close(struct user_file *file);
long strobe_user_file_register(struct user_file *file, unsigned long arg);
long strobe_user_file_delete(unsigned long arg);
long strobe_user_file_unregister(unsigned long arg);
ssize_t strobe_user_file_write_iter(struct user_file *file, struct iov_iter *from);
ssize_t strobe_user_file_write(struct user_file *file, const char __user *from, size_t all);

#endif /* _STROBE_DYNAMIC_USER_H */
