/* SPDX-License-Identifier: GPL-2.0 */
/* Events of user space: what user_events.c and user_memory.c share */
#ifndef TRACEFUZZ_USER_EVENTS_H
#define TRACEFUZZ_USER_EVENTS_H

#include "tracefuzz.h"

/* Bytes of the name of an event; of a longer one, nothing is checked. */
#define USER_NAME 32

/*
 * The address of a word: the number of one of those that there are, or "odd" (none of a word),
 * "const" (it cannot be written), "kernel" or "null"
 */
unsigned long user_address(const char *where);
/* Memory that cannot be written, but with @writable, until the next call */
char *user_constant(bool writable);
/*
 * A bit of a word has been registered for an event, "" if its name is not known, or with NULL
 * unregistered; @ret is the result.
 */
void user_bit_changes(unsigned long addr, unsigned int bit, long ret, const char *event);
/* An event was registered, with USER_EVENT_REG_* */
void user_made(const char *description, unsigned int flags);

#endif
