// SPDX-License-Identifier: GPL-2.0
/* How often each check has compared something */
#include <stdio.h>
#include <unistd.h>

#include "tracefuzz.h"

static const char * const names[NR_CHECKS] = {
	[CHECK_REFUSED] = "refused actions", [CHECK_FILTER] = "filters after a refused one",
	[CHECK_SHOWN] = "shown settings", [CHECK_TRIGGER] = "shown triggers",
	[CHECK_DEFINITION] = "shown definitions", [CHECK_SIZE] = "sizes that were set",
	[CHECK_CONSUMED] = "consumed records", [CHECK_FIRED] = "fired events",
	[CHECK_BITS] = "bits of user events", [CHECK_WRITTEN] = "written user events",
	[CHECK_MEMORY] = "memory in use",
};

static long times[NR_CHECKS];

void compared(enum check check)
{
	times[check]++;
}

/* Does the kernel lack what the check is about? */
static bool cannot_be(enum check check)
{
	switch (check) {
	case CHECK_BITS:
	case CHECK_WRITTEN:
		return access("user_events_data", F_OK);
	case CHECK_DEFINITION:
		return access("dynamic_events", F_OK);
	case CHECK_MEMORY:
		return memory_is_unknown();
	default:
		return false;
	}
}

const char *compared_never(enum check check)
{
	return times[check] || cannot_be(check) ? NULL : names[check];
}

void compared_show(void)
{
	int i;

	printf("# compared:");
	for (i = 0; i < NR_CHECKS; i++)
		printf("%s %s: %ld", i ? "," : "", names[i], times[i]);
	printf("\n");
}
