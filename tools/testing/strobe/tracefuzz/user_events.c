// SPDX-License-Identifier: GPL-2.0
/* The verbs for events of user space: user_events_data */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/user_events.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "act.h"
#include "user_events.h"

/* More than the kernel takes */
#define LONGEST_RECORD	(72 * 1024)
#define LONGEST_STRUCT	8192
#define MAX_PIECES	64

/* The events that have the numbers of the file in a slot; "": another one, or none */
#define NR_NUMBERS 8
static char names[SLOTS][NR_NUMBERS][USER_NAME];

void user_forget(int at)
{
	memset(names[at], 0, sizeof(names[at]));
}

/* The event of a description that was taken; "" if the kernel has given it another name */
static void take_name(char *name, const char *description, unsigned int flags)
{
	snprintf(name, USER_NAME, "%.*s", (int)strcspn(description, " "), description);
	if (flags & USER_EVENT_REG_MULTI_FORMAT)
		*name = '\0';
}

/*
 * Make a copy of a structure of @len bytes, which begins with its size. @size: the size that it
 * has to state, after an "r" if the kernel must not write to it; what follows the structure is 0
 * if the size is even. With a negative size, the address of no memory is returned.
 */
static void *structure(const char *size, const void *from, size_t len)
{
	static char buffer[LONGEST_STRUCT];
	bool constant = *size == 'r';
	uint32_t bytes = strtoul(size + constant, NULL, 10);
	char *at = constant ? user_constant(true) : buffer;

	if (*size == '-')
		return (void *)-4096L;
	memcpy(at, from, len);
	memcpy(at, &bytes, sizeof(bytes));
	at[len] = bytes % 2;
	if (constant)
		user_constant(false);
	return at;
}

/*
 * register SLOT SIZE WHERE BIT FLAGS TEXT: register an event. SIZE: see structure(); WHERE: bytes
 * of the word that gets the bit, and where it is, see user_address()
 */
long act_register(struct args *args)
{
	const char *where = args->word[3] + strcspn(args->word[3], ":");
	struct user_reg *copy, reg = {
		.enable_size = number(args, 3),
		.enable_bit = number(args, 4),
		.flags = number(args, 5),
		.enable_addr = user_address(where + !!*where),
		.name_args = (uintptr_t)args->text,
	};
	char name[USER_NAME];
	long ret;

	copy = structure(args->word[2], &reg, sizeof(reg));
	ret = or_errno(ioctl(slots[slot(args)], DIAG_IOCSREG, copy));
	take_name(name, args->text, reg.flags);
	user_bit_changes(reg.enable_addr, reg.enable_bit, ret, name);
	if (ret)
		return ret;
	user_made(args->text, reg.flags);
	if (copy->write_index < NR_NUMBERS)
		memcpy(names[slot(args)][copy->write_index], name, sizeof(name));
	return 0;
}

/* unregister SLOT SIZE WHERE BIT: BIT has bits that are not used, from the ninth on */
long act_unregister(struct args *args)
{
	const char *where = args->word[3] + strcspn(args->word[3], ":");
	struct user_unreg reg = {
		.disable_bit = number(args, 4),
		.__reserved = number(args, 4) >> 8,
		.disable_addr = user_address(where + !!*where),
	};
	long ret;

	ret = or_errno(ioctl(slots[slot(args)], DIAG_IOCSUNREG,
			     structure(args->word[2], &reg, sizeof(reg))));
	user_bit_changes(reg.disable_addr, reg.disable_bit, ret, NULL);
	return ret;
}

/* delete SLOT TEXT: delete the events of this name */
long act_delete(struct args *args)
{
	return or_errno(ioctl(slots[slot(args)], DIAG_IOCSDEL, args->text));
}

/* Write a record from buffers of @each bytes. */
static long write_pieces(int fd, char *record, size_t len, size_t each)
{
	struct iovec pieces[MAX_PIECES];
	size_t at = 0;
	int nr = 0;

	while (at < len && nr < MAX_PIECES) {
		pieces[nr].iov_base = record + at;
		pieces[nr].iov_len = len - at < each || nr + 1 == MAX_PIECES ? len - at : each;
		at += pieces[nr++].iov_len;
	}
	return or_errno(writev(fd, pieces, nr));
}

/*
 * record SLOT NUMBER MODE TEXT: write a record of the event of this number. MODE is w (at once),
 * vN (from buffers of N bytes), lN (the text over and over, N bytes), bN (only the first N bytes
 * can be read), pN (at position N)
 */
long act_record(struct args *args)
{
	static char record[sizeof(int) + LONGEST_RECORD];
	size_t i, len = args->len, nr = strtoul(args->word[3] + !!*args->word[3], NULL, 10);
	int fd = slots[slot(args)], event = number(args, 2);
	char *bad;

	memcpy(record, &event, sizeof(event));
	if (*args->word[3] == 'l')
		len = nr < LONGEST_RECORD ? nr : LONGEST_RECORD;
	for (i = 0; i < len; i++)
		record[sizeof(event) + i] = args->len ? args->text[i % args->len] : 'x';
	len += sizeof(event);
	switch (*args->word[3]) {
	case 'v':
		return write_pieces(fd, record, len, nr ?: 1);
	case 'p':
		return or_errno(pwrite(fd, record, len, nr));
	case 'b':
		nr = nr < len ? nr : len;
		bad = edge(nr);
		memcpy(bad, record, nr);
		return or_errno(write(fd, bad, len + (nr == len)));
	default:
		return or_errno(write(fd, record, len));
	}
}

const char *user_record_event(const char *line)
{
	static char event[USER_NAME + 16];
	int at, nr;

	if (sscanf(line, "record %d %d", &at, &nr) != 2 || nr < 0 || nr >= NR_NUMBERS)
		return NULL;
	at = (unsigned int)at % SLOTS;
	/* From a file that was opened for reading nothing is written. */
	if (!*names[at][nr] || (fcntl(slots[at], F_GETFL) & O_ACCMODE) == O_RDONLY)
		return NULL;
	snprintf(event, sizeof(event), "user_events:%s", names[at][nr]);
	return event;
}
