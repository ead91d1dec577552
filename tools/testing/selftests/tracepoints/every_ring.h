/* SPDX-License-Identifier: GPL-2.0 */
/* The instance of every_event, and what its rings have recorded. */
#ifndef EVERY_RING_TEST_H
#define EVERY_RING_TEST_H

#include <stdbool.h>

/* The events of an instance are used: removing it removes all triggers at once. */
#define IN		"instances/every/"
#define EVENTS_MAX	4096

/* The number of records that were written on all CPUs */
long ring_records(void);
/* The number of different events that the rings have records of */
int ring_events(void);
/* Has the ring of a CPU a line with @text? Printing all stacks of a ring takes long. */
bool ring_has(const char *text);
/* Has a CPU's ring the event, fired by a task that the load has started? */
bool ring_has_of_load(const char *event);

#endif
