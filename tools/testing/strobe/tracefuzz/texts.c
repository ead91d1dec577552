// SPDX-License-Identifier: GPL-2.0
/* The grammar of texts that the fields of an event are in: filters, triggers, inject */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

void add_field(struct rng *rng, struct text *t, const char *event)
{
	static const char * const odd[] = {
		"nosuch", "COMM", "CPU", "cpu", "stacktrace", "common_pid",
	};
	char path[256], *text, *at, *end, *found[64];
	int system = strcspn(event, ":"), nr = 0;

	snprintf(path, sizeof(path), "events/%.*s/%s/format", system, event, event + system + 1);
	text = one_in(rng, 12) ? NULL : file_text(path);
	for (at = text; at && (at = strstr(at, "\tfield:")) && nr < 64; at = end) {
		end = strchr(at, ';');
		*end++ = '\0';
		found[nr] = strrchr(at, ' ') + 1;
		found[nr][strcspn(found[nr], "[")] = '\0';
		nr++;
	}
	add(t, "%s", nr ? found[below(rng, nr)] : PICK(rng, odd));
	free(text);
}

static void add_value(struct rng *rng, struct text *t)
{
	static const char * const strings[] = {
		"\"a\"", "'sh'", "\"*\"", "\"*sh\"", "\"r*\"", "\"*e*\"", "\"?\"",
		"\"[a-z]*\"", "\"\"", "unquoted", "\"open", "\"a*b*c\"", "'\"'",
		"\"a name that is longer than sixteen bytes\"",
		"CPUS{0-1}", "CPUS{1}", "CPUS{}", "CPUS{x}", "schedule", "0x0",
	};

	if (one_in(rng, 12))
		add(t, "%c", OWN_PID);
	else
		add(t, "%s", one_in(rng, 2) ? a_number(rng) : PICK(rng, strings));
}

static void add_filter(struct rng *rng, struct text *t, const char *event, int depth)
{
	static const char * const ops[] = {
		"==", "!=", "<", "<=", ">", ">=", "&", "~", "==", "!=", "=", "!~", "^", "&&",
	};
	static const char * const joins[] = { " && ", " || ", "&&", "||", " & ", " and ", " " };

	if (depth && one_in(rng, 2)) {
		add_filter(rng, t, event, depth - 1);
		add(t, "%s", joins[below(rng, one_in(rng, 12) ? (int)ARRAY_SIZE(joins) : 4)]);
		add_filter(rng, t, event, depth - 1);
	} else if (depth && one_in(rng, 3)) {
		add(t, "%s", one_in(rng, 20) ? "((" : one_in(rng, 3) ? "!(" : "(");
		add_filter(rng, t, event, depth - 1);
		add(t, "%s", one_in(rng, 20) ? "" : ")");
	} else {
		add_field(rng, t, event);
		add(t, "%s%s%s", one_in(rng, 4) ? "" : " ",
		    ops[below(rng, one_in(rng, 10) ? (int)ARRAY_SIZE(ops) : 10)],
		    one_in(rng, 4) ? "" : " ");
		add_value(rng, t);
	}
}

void gen_filter(struct rng *rng, struct text *t, const char *event)
{
	if (one_in(rng, 6))
		add(t, "%s", one_in(rng, 2) ? "0" : "none");
	else
		add_filter(rng, t, event, below(rng, 5));
}

void gen_trigger(struct rng *rng, struct text *t, const char *event)
{
	static const char * const words[] = {
		"traceon", "traceoff", "stacktrace", "snapshot", "enable_event", "disable_event",
		"nosuch", "", "traceoff:x", "enable_event:",
	};
	const char *word = PICK(rng, words);

	add(t, "%s%s", one_in(rng, 3) ? "!" : "", word);
	if (!strcmp(word, "enable_event") || !strcmp(word, "disable_event"))
		add(t, ":%s", one_in(rng, 8) ? "nosuch:x" : an_event(rng));
	if (one_in(rng, 3))
		add(t, ":%s", a_number(rng));
	if (one_in(rng, 3)) {
		add(t, " if ");
		add_filter(rng, t, event, below(rng, 3));
	}
}

void gen_inject(struct rng *rng, struct text *t, const char *event)
{
	int nr = below(rng, 5);

	while (nr--) {
		add_field(rng, t, event);
		add(t, "=");
		if (one_in(rng, 4))
			add_value(rng, t);
		else
			add(t, one_in(rng, 3) ? "'s%s' " : "%s ", a_number(rng));
	}
}
