// SPDX-License-Identifier: GPL-2.0
/*
 * Parse definitions by the kernel's sources, and compare the result with the predicted one:
 * arguments as they are stored, shown and described, and the errors. What is shown must be
 * accepted again, with the same result. An allocation that fails must give -ENOMEM. Nothing may
 * stay allocated.
 */
#include "dynamic/definition.h"
#include "filter/program.h"

const struct source sources[] = {
	{ 'k', DYN_KERNEL | DYN_ENTRY, "a_function" },
	{ 'a', DYN_KERNEL },
	{ 'r', DYN_KERNEL | DYN_RETURN, "a_function" },
	{ 'b', DYN_KERNEL | DYN_RETURN },
	{ 'f', DYN_KERNEL | DYN_ENTRY | DYN_FPROBE, "a_function" },
	{ 'x', DYN_KERNEL | DYN_RETURN | DYN_FPROBE, "a_function" },
	{ 't', DYN_KERNEL | DYN_ENTRY | DYN_FPROBE | DYN_TPOINT, "a_tracepoint" },
	{ 'u', DYN_USER },
	{ 'v', DYN_USER | DYN_RETURN },
	{ 'e', DYN_KERNEL | DYN_EVENT },
};

const u32 nr_sources = ARRAY_SIZE(sources);

#define FIELD(type_, name_, ...) {						\
	.type = type_, .name = #name_, .size = sizeof_field(struct source_record, name_), \
	.align = __alignof__(((struct source_record *)0)->name_), ##__VA_ARGS__,	\
}

static const struct strobe_field event_fields[] = {
	FIELD("int", nr, .is_signed = 1),
	FIELD("signed char", small, .is_signed = 1),
	FIELD("unsigned char", byte),
	FIELD("short", half, .is_signed = 1),
	FIELD("char[7]", name, .len = 7),
	FIELD("char", pad, .is_signed = 1),
	FIELD("__data_loc char[]", path),
	FIELD("__rel_loc char[]", more),
	FIELD("__data_loc cpumask_t", mask),
	FIELD("u64", large),
	FIELD("const char *", text),
	FIELD("u16[3]", pair, .len = 3),
};

static struct trace_event_class event_class = {
	.fields = event_fields, .nr_fields = ARRAY_SIZE(event_fields),
};

const struct trace_event_call source_event = { .class = &event_class };

struct checked checked;

bool allocation_failed(long fail)
{
	return fail && !shim_fail_at;
}

int check_leaks(const char *text)
{
	long held = shim_held;

	shim_fail_at = 0;
	shim_held = 0;
	return held && differs(text, "%ld allocations are left", held);
}

int check_split(struct dyn_words *words, const char *line)
{
	char *copy = strdup(line);
	int ret = strobe_dyn_words_split(words, copy);

	free(copy);
	return ret;
}

int check_words(const char *line, const struct dyn_words *words, const struct words *want)
{
	u32 i;

	if (words->nr != want->nr || !is(words->text, want->text))
		return differs(line, "words: %u, \"%s\", not %u, \"%s\"", words->nr, words->text,
			       want->nr, want->text);
	for (i = 0; i <= want->nr; i++) {
		if (words->at[i] != want->at[i])
			return differs(line, "words: %u is at %u, not at %u", i, words->at[i],
				       want->at[i]);
	}
	return 0;
}

static struct dyn_args *parse(const struct source *source, const char *text, struct dyn_line *line)
{
	int ret;

	*line = (struct dyn_line) {
		.text = text,
		.source = {
			.flags = source->flags, .head = HEAD, .symbol = source->symbol,
			.event = &source_event,
		},
	};
	ret = check_split(&line->words, text);
	return ret ? ERR_PTR(ret) : strobe_dyn_args_parse(line, 2);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? is(a, b) : a == b;
}

static int check_error(const char *line, const struct want *want, int ret,
		       const struct dyn_error *error)
{
	bool same = same_text(error->text, want->error) && same_text(error->next, want->next) &&
		    error->at == want->at;

	if (ret == want->ret && (!ret || same))
		return 0;
	return differs(line, "%d, \"%s\", \"%s\" at %u, not %d, \"%s\", \"%s\" at %u", ret,
		       error->text ?: "", error->next ?: "", error->at, want->ret,
		       want->error ?: "", want->next ?: "", want->at);
}

static int check_field(const char *line, const struct want_arg *want, const struct dyn_args *args,
		       u32 i)
{
	struct strobe_field field;
	char type[32];

	if (want->count)
		snprintf(type, sizeof(type), "%s[%u]", want->type->field, want->count);
	else
		snprintf(type, sizeof(type), "%s", want->type->field);
	if (!strobe_dyn_args_field(args, i, &field))
		return differs(line, "field %u is missing", i);
	if (!is(field.name, want->name) || !is(field.type, type) || field.align != 1 ||
	    field.size != want->type->size * (want->count ?: 1) ||
	    field.is_signed != want->type->is_signed || field.filter_type != FILTER_OTHER)
		return differs(line, "field %u: %s %s, %u bytes", i, field.type, field.name,
			       field.size);
	if (dyn_arg(args, i)->offset != want->offset)
		return differs(line, "field %u is at %u, not at %u", i, dyn_arg(args, i)->offset,
			       want->offset);
	return 0;
}

static int check_summary(const char *line, const struct want *want, const struct dyn_args *args)
{
	struct strobe_field field;
	int bad = 0;
	u32 i;

	if (args->nr != want->nr || args->fixed != want->fixed || args->head != HEAD ||
	    args->flags != want->source->flags || args->strings != want->strings ||
	    args->reads != want->reads || args->kept != sizeof(u64) * want->nr_params)
		return differs(line, "%u arguments, %u bytes, %u kept, %d, %d, not %u, %u, %zu, %d, %d",
			       args->nr, args->fixed, args->kept, args->strings, args->reads,
			       want->nr, want->fixed, sizeof(u64) * want->nr_params,
			       want->strings, want->reads);
	for (i = 0; i < want->nr; i++)
		bad |= check_field(line, &want->args[i], args, i);
	return bad || (strobe_dyn_args_field(args, i, &field) &&
		       differs(line, "field %u is one too many", i));
}

#define SHOWN_MAX	0x100000

/* What the format file has after "print fmt:", in two parts. */
static void want_fmt(const struct want *want, struct seq_file *fmt, struct seq_file *values)
{
	const struct want_arg *arg;
	u32 i;

	for (arg = want->args; arg < want->args + want->nr; arg++) {
		seq_printf(fmt, " %s=%s", arg->name, arg->count ? "{" : "");
		for (i = 0; i < (arg->count ?: 1); i++) {
			seq_printf(fmt, "%s%s", i ? "," : "", arg->type->fmt);
			seq_printf(values, ", %s%s", arg->type->kind >= WANT_STRING ?
				   "__get_str(" : "REC->", arg->name);
			if (arg->count)
				seq_printf(values, "[%u]", i);
			if (arg->type->kind >= WANT_STRING)
				seq_putc(values, ')');
		}
		if (arg->count)
			seq_putc(fmt, '}');
	}
	fmt->buf[fmt->count] = '\0';
	values->buf[values->count] = '\0';
}

static int check_shown(const char *line, const char *what, const struct dyn_args *args,
		       void (*show)(struct seq_file *m, const struct dyn_args *args),
		       const char *want)
{
	static char buf[SHOWN_MAX];
	struct seq_file m = { .buf = buf, .size = sizeof(buf) };

	show(&m, args);
	buf[m.count] = '\0';
	return is(buf, want) ? 0 : differs(line, "%s: \"%s\", not \"%s\"", what, buf, want);
}

static int check_format(const char *line, const struct want *want, const struct dyn_args *args)
{
	static char fmt_buf[SHOWN_MAX], values_buf[SHOWN_MAX];
	struct seq_file fmt = { .buf = fmt_buf, .size = sizeof(fmt_buf) };
	struct seq_file values = { .buf = values_buf, .size = sizeof(values_buf) };

	want_fmt(want, &fmt, &values);
	return check_shown(line, "print fmt", args, strobe_dyn_args_print_fmt, fmt.buf) |
	       check_shown(line, "values", args, strobe_dyn_args_print_fmt_args, values.buf);
}

/* What is shown is accepted again, as the same, and named by the words of a removal. */
static int check_again(const char *line, const struct want *want, const struct dyn_args *args)
{
	static char shown[SHOWN_MAX];
	struct dyn_line parsed;
	struct dyn_args *again;
	int len = sprintf(shown, "p:x y"), bad;
	u32 i;

	for (i = 0; i < want->nr; i++)
		len += sprintf(shown + len, " %s=%s", want->args[i].name, want->args[i].expr);
	bad = check_shown(line, "shown", args, strobe_dyn_args_show, shown + 5);
	again = parse(want->source, shown, &parsed);
	if (IS_ERR(again))
		bad = differs(line, "what is shown is refused, %ld", PTR_ERR(again));
	else if (strobe_dyn_args_differ(args, again) || !strobe_dyn_args_same(args, again) ||
		 !strobe_dyn_args_match(args, &parsed.words, 2))
		bad = differs(line, "what is shown is something else");
	if (!IS_ERR(again) && !bad)
		bad = check_shown(line, "shown again", again, strobe_dyn_args_show, shown + 5);
	if (!IS_ERR(again))
		strobe_dyn_args_put(again);
	strobe_dyn_words_free(&parsed.words);
	return bad;
}

/* Another definition, most of whose arguments are the same, or the first ones */
static void other_text(const struct want *want, char text[TEXT_MAX])
{
	static const struct want_arg more = { .name = "more", .expr = "\\2" };
	u32 nr = random_below(3) ? want->nr : random_below(want->nr + 2), i;
	int len = sprintf(text, "p:x y");

	for (i = 0; i < nr && len < TEXT_MAX - 128; i++) {
		const struct want_arg *arg = i < want->nr ? &want->args[i] : &more;

		text[len++] = ' ';
		if (random_below(20))
			len += sprintf(text + len, "%s%s=", random_below(12) ? "" : "o", arg->name);
		len += sprintf(text + len, "%s", random_below(12) ? arg->expr : "\\1:u8");
	}
	text[len] = '\0';
}

/* Whether the words of a removal name the arguments, or the first ones */
static bool want_named(const struct want *want, const struct words *words)
{
	char name[2 * EXPR_MAX + 4], *word;
	bool same = words->nr <= want->nr + 2;
	u32 i;

	for (i = 2; i < words->nr && same; i++) {
		snprintf(name, sizeof(name), "%s=%s", want->args[i - 2].name,
			 want->args[i - 2].expr);
		word = words_get(words, i);
		same = is(word, name);
		free(word);
	}
	return same;
}

/* The number of the first argument that looks different in a record, or is missing; or 0 */
static u32 want_differ(const struct want *a, const struct want *b)
{
	u32 nr = min(a->nr, b->nr), i;

	if (a->nr != b->nr)
		return nr + 1;
	for (i = 0; i < nr; i++) {
		if (a->args[i].type != b->args[i].type || a->args[i].count != b->args[i].count ||
		    !is(a->args[i].name, b->args[i].name))
			return i + 1;
	}
	return 0;
}

/* Of two definitions that do not differ in that: whether they have the same expressions */
static bool want_same(const struct want *a, const struct want *b)
{
	u32 i;

	for (i = 0; i < a->nr && is(a->args[i].expr, b->args[i].expr); i++)
		;
	return i == a->nr;
}

static int check_other(const char *line, const struct want *want, const struct dyn_args *args)
{
	char text[TEXT_MAX];
	static struct want other;
	struct dyn_line parsed;
	struct dyn_args *others;
	u32 differ;
	int bad = 0;

	other_text(want, text);
	predict(&other, want->source, text);
	others = parse(want->source, text, &parsed);
	differ = want_differ(want, &other);
	if (!IS_ERR(others)) {
		bad = strobe_dyn_args_differ(args, others) != differ ||
		      (!differ && strobe_dyn_args_same(args, others) != want_same(want, &other));
		strobe_dyn_args_put(others);
	}
	bad |= PTR_ERR_OR_ZERO(others) != other.ret ||
	       strobe_dyn_args_match(args, &parsed.words, 2) != want_named(want, &other.words);
	strobe_dyn_words_free(&parsed.words);
	return bad ? differs(line, "compared with %s", text) : 0;
}

/*
 * Compile and run the arguments. A program that calls something is compiled twice, and the second
 * time succeeds if an allocation of the first one has failed.
 */
static int check_programs(const char *line, const struct want *want, struct dyn_args *args,
			  long fail)
{
	struct strobe_program *fetch, *entry;
	int ret = strobe_dyn_args_bind(args), bad = 0;

	if (ret != want->bind)
		return differs(line, "symbols: %d, not %d", ret, want->bind);
	if (ret)
		return 0;
	ret = strobe_dyn_args_compile(args, &fetch, &entry);
	if (ret)
		return (ret != -ENOMEM || !allocation_failed(fail) || fetch || entry) &&
		       differs(line, "programs: %d", ret);
	if (!fetch != !want->nr || !entry != !want->nr_params)
		bad = differs(line, "a program is missing, or one too many");
	else if (!fail || allocation_failed(fail))
		bad = values_check(line, want, args, fetch, entry);
	if (fetch)
		strobe_program_put(fetch);
	if (entry)
		strobe_program_put(entry);
	return bad;
}

/* @fail: the allocation that fails; 0: none. *@failed is set if there are so many. */
static int try_args(const struct want *want, const char *line, long fail, bool *failed)
{
	struct dyn_line parsed;
	struct dyn_args *args;
	int ret, bad;

	shim_fail_at = fail;
	args = parse(want->source, line, &parsed);
	ret = PTR_ERR_OR_ZERO(args);
	if (allocation_failed(fail))
		bad = ret != -ENOMEM && differs(line, "no memory: %d", ret);
	else
		bad = check_error(line, want, ret, &parsed.error);
	if (!ret && !bad && !fail)
		bad = check_words(line, &parsed.words, &want->words) ||
		      check_summary(line, want, args) || check_format(line, want, args) ||
		      check_again(line, want, args) || check_other(line, want, args);
	if (!ret && !bad)
		bad = check_programs(line, want, args, fail);
	*failed = allocation_failed(fail);
	if (!ret)
		strobe_dyn_args_put(args);
	strobe_dyn_words_free(&parsed.words);
	return check_leaks(line) || bad;
}

int check_args(const struct source *source, const char *line)
{
	static struct want want;
	bool failed = true;
	int bad;
	long n;

	predict(&want, source, line);
	checked.accepted += !want.ret;
	checked.refused += want.ret != 0;
	bad = try_args(&want, line, 0, &failed);
	for (n = 1, failed = true; failed && !bad; n++)
		bad = try_args(&want, line, n, &failed);
	return bad;
}
