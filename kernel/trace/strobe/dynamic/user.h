/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of user space: processes register them and write their records. A bit in the memory
 * of each process shows whether an event is being recorded. This is what their files call.
 */
#ifndef _STROBE_DYNAMIC_USER_H
#define _STROBE_DYNAMIC_USER_H

#include <linux/types.h>

struct iov_iter;
struct seq_file;
struct user_file;

/* user.c */
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
