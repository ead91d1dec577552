// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of trigger files, parsed by trigger/parse.c and by regular expressions for the grammar
 * in its top comment.
 */
#include "text/text.h"
#include "trigger/trigger.h"

/* Is @got the text of the group? NULL: it did not match, or with @or_null, it is empty. */
static bool is_group(const char *got, const char *text, const regmatch_t *group, bool or_null)
{
	const char *from;
	size_t len;

	if (!text_group(group, text, &from, &len) || (or_null && !len))
		return !got;
	return got && strlen(got) == len && !memcmp(got, from, len);
}

static int check_count(const char *text, const char *param)
{
	long count, want = TRIGGER_UNLIMITED;
	int ret, want_ret = 0;
	u64 number;
	char *copy;

	if (param) {
		want_ret = text_number(param, strcspn(param, ":"), &number);
		want = number;
	}
	copy = param ? strdup(param) : NULL;
	ret = strobe_trigger_parse_count(copy, &count);
	free(copy);
	if (ret != want_ret || (!ret && count != want))
		return text_differs(text, "count %ld (%d), not %ld (%d)", count, ret,
				    want, want_ret);
	return 0;
}

static int check_target(const char *text, const char *param)
{
	regmatch_t groups[TEXT_GROUPS];
	const char *system, *event;
	char *copy = strdup(param), *rest = copy;
	int bad, ret;

	ret = strobe_trigger_parse_target(&rest, &system, &event);
	if (!text_match("^([^:]*):([^:]*)(:(.*))?$", param, groups))
		bad = ret != -EINVAL;
	else
		bad = ret || !is_group(system, param, &groups[1], false) ||
		      !is_group(event, param, &groups[2], false) ||
		      !is_group(rest, param, &groups[4], false);
	if (bad)
		text_differs(text, "target");
	else
		bad = check_count(text, param) || (!ret && check_count(text, rest));
	free(copy);
	return bad;
}

static int check_filter(const char *text, const char *filter)
{
	regmatch_t groups[TEXT_GROUPS];
	char *copy = strdup(filter), *rest = copy;
	int ret = strobe_trigger_parse_if(&rest);
	bool bad;

	if (!text_match("^if[ \t](.*)$", filter, groups))
		bad = ret != -EINVAL;
	else
		bad = ret || !is_group(rest, filter, &groups[1], false);
	free(copy);
	return bad ? text_differs(text, "if") : 0;
}

static int check_param(const char *text, const struct trigger_text *line, bool required)
{
	char *copy = line->param ? strdup(line->param) : NULL;
	struct trigger_text cut = { .param = copy };
	bool has_param = line->param && (required || isdigit((unsigned char)*line->param));
	regmatch_t groups[TEXT_GROUPS] = { [0 ... TEXT_GROUPS - 1] = { -1, -1 } };
	int ret = strobe_trigger_parse_filter(&cut, required), bad;

	if (has_param)
		text_match("^([^ \t]*)([ \t][[:space:]]*(.*))?$", line->param, groups);
	else if (line->param)
		text_match("^()((.*))$", line->param, groups);
	if (!line->param)
		bad = cut.filter || ret != (required ? -EINVAL : 0);
	else
		bad = ret || !is_group(cut.filter, line->param, &groups[3], true) ||
		      (has_param ? !is_group(cut.param, line->param, &groups[1], false) :
				   !!cut.param);
	if (bad)
		text_differs(text, "param or filter");
	if (!bad)
		bad = cut.param ? check_target(text, cut.param) : check_count(text, NULL);
	if (!bad && cut.filter)
		bad = check_filter(text, cut.filter);
	free(copy);
	return bad;
}

int text_trigger(const char *text)
{
	regmatch_t groups[TEXT_GROUPS];
	char *copy = strdup(text);
	struct trigger_text cut;
	int bad;

	strobe_trigger_parse(copy, &cut);
	bad = !text_match("^[[:space:]]*(!?)([^: \t]*)([: \t][[:space:]]*(.*))?$", text, groups) ||
	      cut.remove != (groups[1].rm_eo > groups[1].rm_so) ||
	      !is_group(cut.name, text, &groups[2], false) ||
	      !is_group(cut.param, text, &groups[4], true);
	if (bad)
		text_differs(text, "command");
	else
		bad = check_param(text, &cut, false) || check_param(text, &cut, true);
	free(copy);
	return bad;
}
