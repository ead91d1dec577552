/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers shared by the tests of events of user space. */
#ifndef USER_REG_TEST_H
#define USER_REG_TEST_H

#include <linux/user_events.h>
#include <stdbool.h>
#include <stddef.h>

/* user_events_data: an fd, or -errno */
int user_open(void);
/* Register @text with bit @bit of the @size bytes at @word: the event's number, or -errno. */
int user_reg(int fd, const char *text, void *word, int size, int bit, int flags);
/* 0 or -errno */
int user_unreg(int fd, void *word, int bit);
/* Delete all events of the name: 0 or -errno */
int user_delete(int fd, const char *name);
/* Write @len bytes of fields of event @index: the number of bytes with the index, or -errno. */
int user_write(int fd, int index, const void *fields, size_t len);
/* Is there an event @name in @system? */
bool user_exists(const char *system, const char *name);
/* Wait until there is none: an event without users is removed a little later. */
bool user_gone(const char *system, const char *name);
/* Wait until there is no event of user space, as a process that ended may have left some. */
bool user_all_gone(void);
/* events/user_events/@name/enable: 0 or -errno */
int user_enable(const char *name, bool on);
/* Wait until *@word is @value: a page that is not present is written a little later. */
bool user_becomes(const unsigned int *word, unsigned int value);

#endif
