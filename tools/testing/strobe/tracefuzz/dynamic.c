// SPDX-License-Identifier: GPL-2.0
/* The grammar of dynamic events: definitions and removals of probes */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../selftests/tracepoints/file_offset.h"
#include "generate.h"

#define GROUP		"fz"
#define NR_EVENTS	6

/* What a probe is put on; it decides which expressions are good. */
enum place { ON_KERNEL, ON_RETURN, ON_FUNCTION, ON_TRACEPOINT, ON_EVENT, ON_USER };

static bool have_dynamic, have_functions;
static char this_file[PATH_MAX];
static unsigned long probed_offset;

static __attribute__((noinline)) long probed(long number, const char *text)
{
	asm volatile("" : : "r" (text) : "memory");
	return number;
}

void dynamic_fire(void)
{
	probed(1, "a text");
}

unsigned long dynamic_place(const char **file)
{
	*file = this_file;
	return probed_offset;
}

void dynamic_init(void)
{
	ssize_t len = readlink("/proc/self/exe", this_file, sizeof(this_file) - 1);
	char *readme;

	have_dynamic = len > 0 && !access("dynamic_events", F_OK);
	this_file[len > 0 ? len : 0] = '\0';
	probed_offset = file_offset(probed);
	readme = file_text("README");
	have_functions = readme && strstr(readme, "f[:[");
	free(readme);
}

const char *a_dynamic_event(struct rng *rng)
{
	static char event[16];

	if (!have_dynamic)
		return NULL;
	snprintf(event, sizeof(event), GROUP ":e%d", below(rng, NR_EVENTS));
	return event;
}

/* Functions that actions call, or interrupts, or nothing; and what cannot be probed */
static void add_function(struct rng *rng, struct text *t)
{
	static const char * const some[] = {
		"do_sys_openat2", "vfs_read", "vfs_write", "__set_task_comm", "ksys_read",
		"kernel_clone", "do_exit", "mutex_lock", "hrtimer_interrupt", "schedule",
		"__x64_sys_kill", "do_send_sig_info", "kfree", "wake_up_process",
	};
	static const char * const bad[] = {
		"memcpy", "exc_int3", "nosuch:nosuch", "tp_events:nosuch", "nosuch", "__schedule",
	};

	if (one_in(rng, 12))
		add(t, "%s", PICK(rng, bad));
	else
		add(t, "%s", one_in(rng, 4) ? a_function(rng) : PICK(rng, some));
	if (one_in(rng, 20))
		add(t, "+%s", a_number(rng));
}

static void add_type(struct rng *rng, struct text *t)
{
	static const char * const types[] = {
		"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "x8", "x16", "x32", "x64",
		"char", "symbol", "string", "ustring", "symstr", "b4@2/8", "b60@3/64",
	};
	static const char * const odd[] = {
		"b0@0/8", "b9@0/8", "%pd", "%pD", "nosuch", "", "u128", "stringy",
	};

	add(t, ":%s", one_in(rng, 12) ? PICK(rng, odd) : PICK(rng, types));
	if (one_in(rng, 6))
		add(t, "[%s]", one_in(rng, 8) ? a_number(rng) : "3");
}

/* A value that is not made of others */
static void add_leaf(struct rng *rng, struct text *t, enum place on, const char *source)
{
	static const char * const registers[] = { "%di", "%si", "%dx", "%ax", "%sp", "%r10" };
	static const char * const variables[] = { "$stack", "$stack0", "$stack7", "$comm" };
	static const char * const odd[] = {
		"%nosuch", "$stack99999", "$retval", "$arg0", "$arg77", "$nosuch", "$", "$arg*",
		"filename", "flags->x", "a.b", "$COMM", "\\\"text\"", "\\x",
	};

	switch (below(rng, 16)) {
	case 0:
		add(t, "@%s", one_in(rng, 2) ? "jiffies" : "init_task+8");
		break;
	case 1:
		add(t, "@%s%s", on == ON_USER ? "+" : "", a_number(rng));
		break;
	case 2:
		add(t, "\\%d", below(rng, 1000));
		break;
	case 3:
		add(t, "%s", PICK(rng, odd));
		break;
	case 4:
	case 5:
		add(t, "%s", PICK(rng, variables));
		break;
	default:
		if (on == ON_EVENT) {
			add(t, "$");
			add_field(rng, t, source);
		} else if (on == ON_FUNCTION || on == ON_TRACEPOINT) {
			add(t, "$arg%d", 1 + below(rng, 4));
		} else {
			add(t, "%s", on == ON_RETURN && one_in(rng, 2) ? "$retval" :
							PICK(rng, registers));
		}
	}
}

static void add_expression(struct rng *rng, struct text *t, enum place on, const char *source,
			   int depth)
{
	if (!depth || one_in(rng, 3)) {
		add_leaf(rng, t, on, source);
		return;
	}
	add(t, "%c%s%s(", one_in(rng, 4) ? '-' : '+', on == ON_USER || one_in(rng, 4) ? "u" : "",
	    one_in(rng, 6) ? a_number(rng) : "8");
	add_expression(rng, t, on, source, depth - 1);
	add(t, "%s", one_in(rng, 30) ? "" : ")");
}

static void add_arguments(struct rng *rng, struct text *t, enum place on, const char *source)
{
	int i, nr = one_in(rng, 60) ? 130 : below(rng, 4);

	for (i = 0; i < nr; i++) {
		add(t, " ");
		if (!one_in(rng, 4))
			add(t, one_in(rng, 30) ? "1x%d=" : one_in(rng, 30) ? "same=" : "x%d=", i);
		add_expression(rng, t, on, source, below(rng, nr > 4 ? 1 : 4));
		if (one_in(rng, 2))
			add_type(rng, t);
	}
}

static void add_name(struct rng *rng, struct text *t)
{
	static const char * const bad[] = {
		":", ":/", ":" GROUP "/", ":e1", ":1x/e1", ":" GROUP "/a-b",
		":signal/signal_generate",
	};

	if (one_in(rng, 16))
		add(t, "%s", one_in(rng, 3) ? "" : PICK(rng, bad));
	else
		add(t, ":" GROUP "/e%d", below(rng, NR_EVENTS));
}

static void add_user_place(struct rng *rng, struct text *t)
{
	/* Nowhere else in this file: a breakpoint in the middle of an instruction breaks it. */
	if (one_in(rng, 5))
		add(t, "%s:%s", one_in(rng, 2) ? "/nosuch" : "/", a_number(rng));
	else
		add(t, "%s:0x%lx%s", this_file, one_in(rng, 9) ? 0x7fffff000UL : probed_offset,
		    one_in(rng, 9) ? "(0x10)" : one_in(rng, 9) ? "%return" : "");
}

static void add_head(struct rng *rng, struct text *t, char kind)
{
	add(t, "%c", kind);
	if (one_in(rng, kind == 'r' ? 3 : 20))
		add(t, "%s", a_number(rng));
	add_name(rng, t);
	add(t, " ");
}

/* What it is put on */
static enum place add_place(struct rng *rng, struct text *t, const char *source)
{
	int system = strcspn(source, ":");
	const char *name = source + system + !!source[system];
	int kind = below(rng, 10);

	if (kind < 2 && (have_functions || one_in(rng, 5))) {
		add_head(rng, t, kind ? 'f' : 't');
		if (!kind) {
			add(t, "%s", name);
			return ON_TRACEPOINT;
		}
		add_function(rng, t);
		if (one_in(rng, 3))
			add(t, "%%return");
		return ON_FUNCTION;
	}
	if (kind < 4) {
		add_head(rng, t, 'e');
		add(t, "%.*s%c%s", system, source, one_in(rng, 2) ? '.' : '/', name);
		return ON_EVENT;
	}
	if (kind < 6) {
		add_head(rng, t, one_in(rng, 3) ? 'r' : 'p');
		add_user_place(rng, t);
		return ON_USER;
	}
	add_head(rng, t, kind < 8 ? 'r' : 'p');
	add_function(rng, t);
	return kind < 8 ? ON_RETURN : ON_KERNEL;
}

void add_probe(struct rng *rng, struct text *line)
{
	static const char * const kinds[] = {
		"kprobe", "kretprobe", "uprobe", "uretprobe", "ukprobe", "uuprobe",
	};
	const char *kind = PICK(rng, kinds);

	add(line, "probe %d %s ", a_slot(rng), kind);
	if (strstr(kind, "kprobe") || strstr(kind, "kretprobe")) {
		add(line, "%s ", one_in(rng, 9) ? a_number(rng) : "0");
		add_function(rng, line);
	} else if (one_in(rng, 5)) {
		add(line, "%s %s", a_number(rng), one_in(rng, 2) ? "/nosuch" : "/");
	} else {
		add(line, "%s self", one_in(rng, 9) ? "0x7fffff000" : "0");
	}
}

/* By its name, or by the beginning of a definition, which names it */
static void add_removal(struct rng *rng, struct text *t)
{
	static const char * const kinds[] = { "p", "r", "r5", "e", "f", "t", "u", "", "x" };

	if (one_in(rng, 5))
		add(t, "!%s", PICK(rng, kinds));
	else
		add(t, "-");
	if (one_in(rng, 6)) {
		add(t, ":%s", one_in(rng, 3) ? "" : "user_events/");
		gen_user_event(rng, t);
		return;
	}
	add_name(rng, t);
	if (one_in(rng, 4)) {
		add(t, " ");
		add_function(rng, t);
	}
}

void gen_dynamic(struct rng *rng, struct text *t)
{
	const char *source = an_event(rng);
	enum place on;

	if (one_in(rng, 12)) {
		add(t, "u:%s", one_in(rng, 8) ? " " : "");
		gen_user_event(rng, t);
		return;
	}
	if (one_in(rng, 3)) {
		add_removal(rng, t);
		return;
	}
	on = add_place(rng, t, source);
	add_arguments(rng, t, on, source);
	if (on == ON_EVENT && one_in(rng, 3)) {
		add(t, " if ");
		gen_filter(rng, t, source);
	}
}
