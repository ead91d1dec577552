// SPDX-License-Identifier: GPL-2.0
/*
 * What events on functions of the kernel have in common: the words of a record before its
 * arguments, and parts of a definition.
 *
 * No state. Contexts: task.
 */
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/string.h>

#include "dynamic/errors.h"
#include "dynamic/function.h"
#include "output/output.h"

/* Calls under way of a function whose return is probed that a definition may ask for: ABI. */
#define MAXACTIVE_MAX	4096U

#define HEAD_FIELD(name_)							\
	{ .type = "unsigned long", .name = #name_, .size = sizeof(long), .align = 1 }

const struct strobe_field strobe_function_entry[] = { HEAD_FIELD(__probe_ip) };
const struct strobe_field strobe_function_return[] = {
	HEAD_FIELD(__probe_func), HEAD_FIELD(__probe_ret_ip),
};

/**
 * strobe_function_print - write the addresses of a record, as dyn_kind::print_head
 * @pr:	   the record
 * @event: its event
 *
 * Context: task
 */
void strobe_function_print(struct strobe_print *pr, const struct dyn_event *event)
{
	const u32 with_offset = pr->flags | STROBE_PRINT_SYM_OFFSET;
	unsigned long ip[2];

	memcpy(ip, pr->entry + sizeof(struct trace_entry), event->nr_head * sizeof(long));
	if (event->nr_head == 1) {
		strobe_print_ip(pr->seq, ip[0] + pr->text_delta, with_offset);
		return;
	}
	strobe_print_ip(pr->seq, ip[1] + pr->text_delta, with_offset);
	trace_seq_puts(pr->seq, " <- ");
	strobe_print_ip(pr->seq, ip[0] + pr->text_delta, pr->flags & ~STROBE_PRINT_SYM_OFFSET);
}

/**
 * strobe_function_maxactive - parse the number in "LETTER[NUMBER][:...]"
 * @line:	the line
 * @may_return: the probe may be one of a return, which alone has such a number
 * @maxactive:	the number, not changed if there is none
 *
 * Context: task
 * Return: 0; or -EINVAL with line->error set
 */
int strobe_function_maxactive(struct dyn_line *line, bool may_return, unsigned int *maxactive)
{
	const char *text = dyn_word(&line->words, 0) + 1;
	char number[DYN_NAME_MAX];
	size_t len;

	if (*text < '0' || *text > '9')
		return 0;
	if (!may_return)
		return strobe_dyn_line_error(line, -EINVAL, DYN_ERR_BAD_MAXACT_TYPE, 0, 1);
	len = strchrnul(text, ':') - text;
	if (len >= sizeof(number))
		return strobe_dyn_line_error(line, -EINVAL, DYN_ERR_BAD_MAXACT, 0, 1);
	memcpy(number, text, len);
	number[len] = '\0';
	if (kstrtouint(number, 0, maxactive) || !*maxactive)
		return strobe_dyn_line_error(line, -EINVAL, DYN_ERR_BAD_MAXACT, 0, 1);
	if (*maxactive > MAXACTIVE_MAX)
		return strobe_dyn_line_error(line, -EINVAL, "Maxactive is too big", 0, 1);
	return 0;
}

/**
 * strobe_function_failed - say why a probe could not be registered, as dyn_kind::failed
 * @line: the definition
 * @err:  the errno
 *
 * Context: task
 */
void strobe_function_failed(struct dyn_line *line, int err)
{
	if (err == -EILSEQ)
		strobe_dyn_line_error(line, err, "Probe point is not an instruction boundary",
				      1, 0);
	else if (err == -ENOENT)
		strobe_dyn_line_error(line, err, DYN_ERR_BAD_PROBE_ADDR, 1, 0);
	else if (err != -ENOMEM && err != -EEXIST)
		strobe_dyn_line_error(line, err, "Failed to register probe event", 1, 0);
}
