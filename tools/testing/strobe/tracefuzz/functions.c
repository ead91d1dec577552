// SPDX-License-Identifier: GPL-2.0
/* The grammar of lists of functions: set_ftrace_filter and others */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

static char **functions;
static int nr_functions;

void functions_init(void)
{
	int i;

	nr_functions = lines_of("available_filter_functions", &functions);
	/* "NAME [MODULE]" */
	for (i = 0; i < nr_functions; i++)
		functions[i][strcspn(functions[i], " ")] = '\0';
}

const char *a_function(struct rng *rng)
{
	static const char * const some[] = {
		"vfs_read", "vfs_write", "schedule", "do_exit", "kfree", "nosuch",
	};

	if (!nr_functions || one_in(rng, 8))
		return PICK(rng, some);
	return functions[below(rng, nr_functions)];
}

/* Patterns that few functions fit: the kernel has tens of thousands of these. */
static void add_pattern(struct rng *rng, struct text *t)
{
	const char *name = a_function(rng);
	int len = strlen(name), part = len < 6 ? len : 6;

	switch (below(rng, 12)) {
	case 0:
		add(t, "%.*s*", part, name);
		break;
	case 1:
		add(t, "*%s", name + len - part);
		break;
	case 2:
		add(t, "*%.*s*", part, name + (len - part) / 2);
		break;
	case 3:
		add(t, "%.*s?%s", len / 2, name, name + len / 2 + !!len);
		break;
	case 4:
		add(t, "%.*s[a-m]*%s", part, name, name + len - 1);
		break;
	case 5:
		add(t, "%s", a_number(rng));
		break;
	case 6:
		add(t, "%s", one_in(rng, 4) ? "*" : "*nosuch*");
		break;
	default:
		add(t, "%s", name);
	}
}

static void add_command(struct rng *rng, struct text *t)
{
	static const char * const commands[] = {
		"traceon", "traceoff", "stacktrace", "snapshot", "dump", "cpudump", "nosuch", "",
	};

	switch (below(rng, 3)) {
	case 0:
		add(t, ":mod:%s", one_in(rng, 3) ? "!trace_events_sample" :
				  one_in(rng, 2) ? "trace_events_sample" : "nosuch");
		break;
	case 1:
		add(t, ":%s", PICK(rng, commands));
		break;
	default:
		add(t, ":%s_event:%s", one_in(rng, 2) ? "enable" : "disable", an_event(rng));
	}
	if (one_in(rng, 3))
		add(t, ":%s", a_number(rng));
}

void gen_functions(struct rng *rng, struct text *t)
{
	int nr = 1 + below(rng, 3);

	while (nr--) {
		if (one_in(rng, 4))
			add(t, "!");
		add_pattern(rng, t);
		if (one_in(rng, 5))
			add_command(rng, t);
		add(t, "%s", one_in(rng, 3) ? "" : one_in(rng, 2) ? " " : "\n");
	}
}
