// SPDX-License-Identifier: GPL-2.0
/*
 * Enum names and sizeof()s in print formats.
 *
 * User space evaluates print formats, but knows neither enums nor the sizes of
 * types. Those that TRACE_DEFINE_ENUM() and TRACE_DEFINE_SIZEOF() name are
 * replaced by numbers when a format file is read. The values are in rodata of
 * the kernel or of their module. This file has no state.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "event/eval.h"
#include "event/event.h"

/* A word of a print format for which eval_scan() has run, and its result (or NULL). */
struct word {
	const char			*text;
	size_t				len;
	const struct trace_eval_map	*map;
};

/* The flags of memory allocations alone are some twenty words, each used many times. */
#define WORDS_SEEN	32

/*
 * Values that may apply to one event: @start to @end, narrowed to those of @system at
 * both ends. A header lists names in the same order for the values and for the print
 * format, though the compiler may reverse it: a name is often next to the @last found.
 */
struct evals {
	const struct trace_eval_map	*start, *end, *last;
	const char			*system;
	struct word			seen[WORDS_SEEN];
};

/*
 * A value belongs to the events of the same header: its system must be the same
 * pointer as the event's, not just an equal string.
 */
static void evals_find(struct evals *evals, const struct trace_event_call *call)
{
	*evals = (struct evals){
		.start = __start_ftrace_eval_maps,
		.end = __stop_ftrace_eval_maps,
		.system = call->class->system,
	};
#ifdef CONFIG_MODULES
	struct module *mod = strobe_event_module(call);

	if (mod) {
		evals->start = mod->trace_evals;
		evals->end = mod->trace_evals + mod->num_trace_evals;
	}
#endif
	while (evals->start < evals->end && evals->start->system != evals->system)
		evals->start++;
	while (evals->start < evals->end && evals->end[-1].system != evals->system)
		evals->end--;
	evals->last = evals->start;
}

static bool is_word(char c)
{
	return isalnum(c) || c == '_';
}

/*
 * Whether @text begins with @map's name. False if the number is longer than the name, as
 * classic does not replace such a name.
 */
static bool is_name(const struct evals *evals, const struct trace_eval_map *map,
		    const char *text)
{
	const char *name = map->eval_string;
	const char *p = text;

	if (map->system != evals->system)
		return false;
	while (*name && *name == *p) {
		name++;
		p++;
	}
	return !*name && !is_word(*p) &&
	       snprintf(NULL, 0, "%ld", map->eval_value) <= p - text;
}

static const struct trace_eval_map *eval_scan(struct evals *evals, const char *text)
{
	const struct trace_eval_map *map;

	for (map = evals->last - 1; map <= evals->last + 1; map++) {
		if (map >= evals->start && map < evals->end &&
		    is_name(evals, map, text))
			return map;
	}
	for (map = evals->start; map < evals->end; map++) {
		if (is_name(evals, map, text))
			return map;
	}
	return NULL;
}

/* Find the value of the name at @text, or NULL. Set @behind to the end of the name. */
static const struct trace_eval_map *eval_find(struct evals *evals, const char *text,
					      const char **behind)
{
	const struct trace_eval_map *map;
	unsigned int hash = 0;
	struct word *word;
	const char *p;

	for (p = text; is_word(*p); p++)
		hash = hash * 31 + *p;
	word = &evals->seen[hash % WORDS_SEEN];
	/* A '(' may belong to "sizeof(TYPE)", so the word alone does not identify the name. */
	if (*p != '(' && word->len == p - text && !memcmp(word->text, text, word->len)) {
		*behind = p;
		return word->map;
	}
	map = eval_scan(evals, text);
	if (map) {
		evals->last = map;
		*behind = text + strlen(map->eval_string);
	}
	if (*p != '(')
		*word = (struct word){ text, p - text, map };
	return map;
}

/* Skip a name and its selectors: no part of "a->b.c" is an enum's name. */
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
 * strobe_eval_show - write a print format with names replaced by numbers
 * @m: the seq_file to write to
 * @call: the event
 * @text: its print format
 *
 * Text in double quotes is not changed, nor are names after a selector. The
 * character after a name or a number is skipped without being examined.
 *
 * Context: task context; the caller keeps the event registered.
 */
void strobe_eval_show(struct seq_file *m, const struct trace_event_call *call, const char *text)
{
	struct evals evals;
	const struct trace_eval_map *map;
	const char *behind;
	const char *shown = text;
	const char *p = text;
	bool quoted = false;

	evals_find(&evals, call);
	while (*p) {
		if (*p == '\\') {
			p++;
		} else if (*p == '"') {
			quoted = !quoted;
		} else if (!quoted && isdigit(*p)) {
			p = skip_number(p);
		} else if (!quoted && is_word(*p)) {
			map = eval_find(&evals, p, &behind);
			if (map) {
				seq_write(m, shown, p - shown);
				seq_printf(m, "%ld", map->eval_value);
				p = behind;
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
