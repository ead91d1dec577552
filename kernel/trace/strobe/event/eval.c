// SPDX-License-Identifier: GPL-2.0
/*
 * Enum names and sizeof()s in print formats.
 *
 * User space has to evaluate a print format, and knows neither enums nor the
 * sizes of types. Those that TRACE_DEFINE_ENUM() and TRACE_DEFINE_SIZEOF() name
 * are replaced by numbers when a format file is read. The values lie where they
 * were compiled, in rodata, and go with their module. No state here.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "event/eval.h"
#include "event/event.h"

/* Values that may apply to one event: those of @system between two others. */
struct evals {
	const struct trace_eval_map	*start, *end;
	const char			*system;
};

/*
 * A value belongs to the events of the same header, which is to say of the same
 * string as the system's name, not just of an equal one.
 */
static struct evals evals_of(const struct trace_event_call *call)
{
	struct evals evals = {
		.start = __start_ftrace_eval_maps,
		.end = __stop_ftrace_eval_maps,
		.system = call->class->system,
	};
#ifdef CONFIG_MODULES
	struct module *mod = event_module(call);

	if (mod) {
		evals.start = mod->trace_evals;
		evals.end = mod->trace_evals + mod->num_trace_evals;
	}
#endif
	while (evals.start < evals.end && evals.start->system != evals.system)
		evals.start++;
	while (evals.start < evals.end && evals.end[-1].system != evals.system)
		evals.end--;
	return evals;
}

static bool is_word(char c)
{
	return isalnum(c) || c == '_';
}

/*
 * The value of the name at @text, if it has one. A number that is longer than
 * its name is not put in its place: tools have never seen that happen.
 */
static const struct trace_eval_map *eval_find(const struct evals *evals, const char *text)
{
	const struct trace_eval_map *map;
	size_t len;

	for (map = evals->start; map < evals->end; map++) {
		if (map->system != evals->system || map->eval_string[0] != *text)
			continue;
		len = strlen(map->eval_string);
		if (!strncmp(map->eval_string, text, len) && !is_word(text[len]) &&
		    snprintf(NULL, 0, "%ld", map->eval_value) <= len)
			return map;
	}
	return NULL;
}

/* Behind a name, and what it selects: of "a->b.c" no part is an enum's name. */
static const char *skip_names(const char *p)
{
	for (;;) {
		do {
			p++;
		} while (is_word(*p));

		if (*p == '.')
			p++;
		else if (p[0] == '-' && p[1] == '>')
			p += 2;
		else
			return p;
		if (!*p)
			return p;
	}
}

static const char *skip_number(const char *p)
{
	while (isalnum(*p))
		p++;
	return p;
}

/**
 * eval_show - write a print format with names replaced by numbers
 * @m: where to
 * @call: the event
 * @text: its print format
 *
 * What stands between double quotes is left alone, and so are names behind a
 * selector. The character that ends a name or a number is not looked at.
 *
 * Context: task context; the event stays meanwhile.
 */
void eval_show(struct seq_file *m, const struct trace_event_call *call, const char *text)
{
	const struct evals evals = evals_of(call);
	const struct trace_eval_map *map;
	const char *shown = text;
	const char *p = text;
	bool quoted = false;

	while (*p) {
		if (*p == '\\') {
			p++;
		} else if (*p == '"') {
			quoted = !quoted;
		} else if (!quoted && isdigit(*p)) {
			p = skip_number(p);
		} else if (!quoted && is_word(*p)) {
			map = eval_find(&evals, p);
			if (map) {
				seq_write(m, shown, p - shown);
				seq_printf(m, "%ld", map->eval_value);
				p += strlen(map->eval_string);
				shown = p;
			} else {
				p = skip_names(p);
			}
		}
		if (*p)
			p++;
	}
	seq_write(m, shown, p - shown);
}
