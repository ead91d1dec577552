// SPDX-License-Identifier: GPL-2.0
/*
 * Predict what the arguments of a definition become: names, types, sizes and offsets, or why the
 * definition is refused, and the place of the error. All texts are taken apart by regular
 * expressions. predict_chain.c does that with expressions.
 */
#include "dynamic/definition.h"

#define NAME_MAX_LEN	32	/* bytes of a name that is given */
#define RECORD_MAX	3072	/* bytes of all arguments */
#define CHAINS_MAX	256	/* bytes of all that read names of dentries */
#define COUNT_MAX	64	/* elements of an array */

static const struct want_type types[] = {
	{ "u8", "u8", "%u", "%llu", 1 },
	{ "u16", "u16", "%u", "%llu", 2 },
	{ "u32", "u32", "%u", "%llu", 4 },
	{ "u64", "u64", "%Lu", "%llu", 8 },
	{ "s8", "s8", "%d", "%lld", 1, true },
	{ "s16", "s16", "%d", "%lld", 2, true },
	{ "s32", "s32", "%d", "%lld", 4, true },
	{ "s64", "s64", "%Ld", "%lld", 8, true },
	{ "x8", "u8", "0x%x", "0x%llx", 1 },
	{ "x16", "u16", "0x%x", "0x%llx", 2 },
	{ "x32", "u32", "0x%x", "0x%llx", 4 },
	{ "x64", "u64", "0x%Lx", "0x%llx", 8 },
	{ "char", "u8", "'%c'", "'%c'", 1, false, WANT_CHAR },
	{ "symbol", "u64", "%pS", "", 8, false, WANT_NAME },
	{ "string", "__data_loc char[]", "\\\"%s\\\"", "", 4, true, WANT_STRING },
	{ "ustring", "__data_loc char[]", "\\\"%s\\\"", "", 4, true, WANT_USTRING },
	{ "symstr", "__data_loc char[]", "\\\"%s\\\"", "", 4, true, WANT_SYMSTR },
};

void words_split(struct words *words, const char *line)
{
	u32 len = 0, size;

	words->nr = 0;
	for (;;) {
		line += strspn(line, " \t\n\v\f\r");
		size = strcspn(line, " \t\n\v\f\r");
		words->at[words->nr] = len;
		if (!size)
			break;
		memcpy(words->text + len, line, size);
		len += size;
		words->text[len++] = ' ';
		words->nr++;
		line += size;
	}
	words->text[len ? len - 1 : 0] = '\0';
}

char *words_get(const struct words *words, u32 word)
{
	u32 at = words->at[word];

	return strndup(words->text + at, words->at[word + 1] - at - 1);
}

static const struct want_type *find_type(const char *name, const struct source *source)
{
	const char *slash;
	u64 bits;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (*name != 'b') {
			if (is(name, types[i].name))
				break;
			continue;
		}
		/* A bitfield in the unsigned type of so many bits */
		slash = strchr(name, '/');
		if (slash && !predict_number(slash + 1, 0, false, &bits) &&
		    bits == 8 * types[i].size && *types[i].name == 'u' &&
		    types[i].kind == WANT_NUMBER)
			break;
	}
	if (i == ARRAY_SIZE(types) || (source->flags & DYN_USER &&
				       (is(name, "symbol") || is(name, "symstr"))))
		return NULL;
	return &types[i];
}

/* What is in the brackets, and after them; @at is the place of that. */
static int predict_count(struct want *want, struct want_arg *arg, const char *text, u32 word,
			 u32 at)
{
	regmatch_t groups[GROUPS];
	char *number;
	u64 count;
	int ret;

	if (!match("^([^]]*)](.*)$", text, groups))
		return predict_error(want, word, at + strlen(text), ERROR_ARRAY_NO_CLOSE,
				     -EINVAL);
	if (text[groups[2].rm_so])
		return predict_error(want, word, at + groups[2].rm_so, ERROR_BAD_ARRAY_SUFFIX,
				     -EINVAL);
	number = group_get(text, &groups[1]);
	ret = predict_number(number, 0, false, &count);
	free(number);
	if (ret || !count || count > U32_MAX)
		return predict_error(want, word, at, ERROR_BAD_ARRAY_NUM, -EINVAL);
	if (count > COUNT_MAX)
		return predict_error(want, word, at, ERROR_ARRAY_TOO_BIG, -EINVAL);
	arg->count = count;
	return 0;
}

/* @type: what follows the first ':' without brackets, or NULL; @at is the place of that. */
static int predict_type(struct want *want, struct want_arg *arg, const char *chain,
			const char *type, u32 word, u32 at)
{
	if (!(want->source->flags & DYN_EVENT) &&
	    (is(chain, "$comm") || is(chain, "$COMM") || has_prefix(chain, "\\\""))) {
		if (arg->count || (type && !is(type, "string")))
			return predict_error(want, word, at, ERROR_NEED_STRING_TYPE, -EINVAL);
		type = "string";
	}
	arg->type = find_type(type ?: "x64", want->source);
	return arg->type ? 0 : predict_error(want, word, at, ERROR_BAD_TYPE, -EINVAL);
}

static bool is_string(const struct want_arg *arg)
{
	return arg->type->kind >= WANT_STRING;
}

/* Does the value fit the kind of string? */
static bool string_fits(const struct want *want, const struct want_arg *arg)
{
	bool is_symstr = arg->type->kind == WANT_SYMSTR;

	if (arg->nr_reads)
		return !is_symstr || !arg->reads[arg->nr_reads - 1].user;
	switch (arg->first) {
	case FROM_FIELD:
		return true;
	case FROM_NUMBER:
	case FROM_COMM:
	case FROM_TEXT:
		return !is_symstr;
	case FROM_STACK_POINTER:
	case FROM_FILE:
		return false;
	case FROM_PARAM:
		return is_symstr && !(want->source->flags & DYN_RETURN);
	default:
		return is_symstr;
	}
}

/* "bWIDTH@FIRST/SIZE" */
static bool predict_bits(struct want_arg *arg, const char *type)
{
	u64 width, first, size = 8 * arg->type->size;
	regmatch_t groups[GROUPS];
	char *parts[2];
	bool good;

	if (!match("^b([^@/]*)@([^/]*)/", type, groups))
		return false;
	parts[0] = group_get(type, &groups[1]);
	parts[1] = group_get(type, &groups[2]);
	good = *parts[0] != '+' && *parts[1] != '+' &&
	       !predict_number(parts[0], 0, false, &width) &&
	       !predict_number(parts[1], 0, false, &first) &&
	       width && width <= size && first <= size - width;
	if (good) {
		arg->width = width;
		arg->shift = first;
	}
	free(parts[0]);
	free(parts[1]);
	return good;
}

/* How the value is stored; @at is the place of the type, @place that of other errors. */
static int predict_store(struct want *want, struct want_arg *arg, const char *type, u32 word,
			 u32 at, u32 place)
{
	bool is_kept = arg->type->kind == WANT_SYMSTR || !arg->nr_reads;
	int ret = is_string(arg) ? -EINVAL : -E2BIG;

	if (is_string(arg) && !string_fits(want, arg))
		return predict_error(want, word, at, arg->type->kind == WANT_SYMSTR ?
				     ERROR_BAD_SYMSTRING : ERROR_BAD_STRING, -EINVAL);
	if ((is_kept || (is_string(arg) && arg->count)) && !predict_step(arg))
		return predict_error(want, word, place, ERROR_TOO_MANY_OPS, ret);
	if (type && *type == 'b' && (!predict_bits(arg, type) || !predict_step(arg)))
		return predict_error(want, word, at, ERROR_BAD_BITFIELD, -EINVAL);
	if (!arg->count)
		return 0;
	/* An array has to be in memory, and one of numbers not in the user's. */
	if (is_string(arg) ? arg->type->kind == WANT_SYMSTR :
	    !arg->nr_reads || arg->reads[arg->nr_reads - 1].user)
		return predict_error(want, word, at, ERROR_BAD_STRING, -EINVAL);
	return predict_step(arg) ? 0 :
	       predict_error(want, word, place, ERROR_TOO_MANY_OPS, -E2BIG);
}

static int predict_expr(struct want *want, struct want_arg *arg, u32 word, u32 at)
{
	regmatch_t groups[GROUPS];
	char *chain, *type, *array;
	u32 type_at = at, place = at;
	int ret = 0;

	match("^([^:]*)(:([^[]*)([[](.*))?)?$", arg->expr, groups);
	chain = group_get(arg->expr, &groups[1]);
	type = group_get(arg->expr, &groups[3]);
	array = group_get(arg->expr, &groups[5]);
	if (type)
		type_at += groups[3].rm_so;
	if (array)
		ret = predict_count(want, arg, array, word, at + groups[5].rm_so);
	if (!ret)
		ret = predict_type(want, arg, chain, type, word, type_at);
	if (!ret)
		ret = predict_chain(want, arg, chain, word, &place);
	if (!ret) {
		arg->offset = want->fixed;
		want->fixed += arg->type->size * (arg->count ?: 1);
		if (want->fixed > RECORD_MAX)
			ret = predict_error(want, word, place, ERROR_EVENT_TOO_BIG, -E2BIG);
	}
	/* The place of the type counts from the same parenthesis. */
	if (!ret)
		ret = predict_store(want, arg, type, word, place + type_at - at, place);
	free(chain);
	free(type);
	free(array);
	return ret;
}

static bool name_is_used(const struct want *want, const char *name)
{
	regmatch_t groups[GROUPS];
	u32 i;

	for (i = 0; i < want->nr; i++) {
		if (is(want->args[i].name, name))
			return true;
	}
	return match("^(common_(type|flags|preempt_count|pid|tgid)|__probe_(ip|ret_ip|func))$",
		     name, groups);
}

static int predict_arg(struct want *want, const char *text, u32 word)
{
	struct want_arg *arg = &want->args[want->nr];
	const char *equal = strchr(text, '=');
	regmatch_t groups[GROUPS];
	u32 at = equal ? equal + 1 - text : 0;

	*arg = (struct want_arg) { };
	if (equal - text > NAME_MAX_LEN && equal)
		return predict_error(want, word, 0, ERROR_ARG_NAME_TOO_LONG, -EINVAL);
	if (equal == text)
		return predict_error(want, word, 0, ERROR_NO_ARG_NAME, -EINVAL);
	if (equal && !match("^[a-zA-Z_][a-zA-Z0-9_]*=", text, groups))
		return predict_error(want, word, 0, ERROR_BAD_ARG_NAME, -EINVAL);
	if (equal)
		sprintf(arg->name, "%.*s", (int)(equal - text), text);
	else
		sprintf(arg->name, "arg%u", want->nr + 1);
	if (name_is_used(want, arg->name))
		return predict_error(want, word, 0, ERROR_USED_ARG_NAME, -EINVAL);
	if (strlen(text + at) > EXPR_MAX)
		return predict_error(want, word, at, ERROR_ARG_TOO_LONG, -E2BIG);
	if (!text[at])
		return predict_error(want, word, at, ERROR_NO_ARG_BODY, -EINVAL);
	sprintf(arg->expr, "%s", text + at);
	return predict_expr(want, arg, word, at);
}

/* What stands for a word: "[NAME=]EXPR:%pd" reads the name of a dentry, and %pD that of a file. */
static char *expand(const char *word, bool is_kernel)
{
	regmatch_t groups[GROUPS];
	char *text;
	int ret;

	/* The name ends with the first '=' that is before that type. */
	if (!is_kernel ||
	    !(match("^([^=]*=)(.*):%p([dD])$", word, groups) ||
	      match("^()(.*):%p([dD])$", word, groups)))
		return strdup(word);
	if (word[groups[3].rm_so] == 'd')
		ret = asprintf(&text, "%.*s+0x0(+0x28(%.*s)):string", (int)groups[1].rm_eo, word,
			       (int)(groups[2].rm_eo - groups[2].rm_so), word + groups[2].rm_so);
	else
		ret = asprintf(&text, "%.*s+0x0(+0x28(+0xa0(%.*s))):string", (int)groups[1].rm_eo,
			       word, (int)(groups[2].rm_eo - groups[2].rm_so),
			       word + groups[2].rm_so);
	return ret < 0 ? NULL : text;
}

/* Words that begin with "$arg" stand for parameters, which only functions have. */
static int predict_params(struct want *want)
{
	const struct source *source = want->source;
	bool has_params = source->flags & DYN_ENTRY ||
			  (source->flags & DYN_RETURN && source->symbol);
	u32 i, last = 0, nr_all = 0;
	int ret = 0;

	for (i = 2; i < want->words.nr && !ret; i++) {
		const char *rest = want->words.text + want->words.at[i];

		if (!has_prefix(rest, "$arg"))
			continue;
		last = i;
		if (!has_params)
			ret = predict_error(want, i, 0, ERROR_NOFENTRY_ARGS, -EINVAL);
		else if (rest[4] == '*' && nr_all++)
			ret = predict_error(want, i, 0, ERROR_DOUBLE_ARGS, -EINVAL);
		else if (rest[4] != '*' && !isdigit((unsigned char)rest[4]))
			ret = predict_error(want, i, 0, ERROR_BAD_VAR, -EINVAL);
	}
	/* No function is known. */
	if (!ret && nr_all)
		ret = predict_error(want, last, 0, ERROR_NOSUP_BTFARG, -EOPNOTSUPP);
	return ret;
}

/* Symbols are looked up when all arguments are accepted. */
static void summarize(struct want *want)
{
	struct want_arg *arg;
	u64 addr;

	for (arg = want->args; arg < want->args + want->nr; arg++) {
		want->strings |= is_string(arg);
		want->reads |= is_string(arg) || arg->nr_reads ||
			       (arg->first == FROM_STACK && want->source->flags & DYN_USER);
		if (arg->first == FROM_SYMBOL && !want->bind)
			want->bind = source_symbol(arg->text, &addr);
	}
}

static int predict_all(struct want *want)
{
	bool is_kernel = !(want->source->flags & (DYN_USER | DYN_EVENT));
	char *words[WORDS_MAX];
	u32 i, nr = 0, chains = 0;
	int ret = is_kernel ? predict_params(want) : 0;

	if (!ret && want->words.nr > DYN_ARGS_MAX + 2)
		ret = -E2BIG;
	for (i = 2; i < want->words.nr && !ret; i++) {
		char *word = words_get(&want->words, i);

		words[nr] = expand(word, is_kernel);
		if (!is(words[nr], word))
			chains += strlen(words[nr]) + 1;
		nr++;
		free(word);
	}
	if (chains > CHAINS_MAX)
		ret = -ENOMEM;
	for (i = 0; i < nr && !ret; i++) {
		ret = predict_arg(want, words[i], i + 2);
		want->nr++;
	}
	while (nr)
		free(words[--nr]);
	return ret;
}

void predict(struct want *want, const struct source *source, const char *line)
{
	/* The arguments are set one by one. */
	memset(want, 0, offsetof(struct want, args));
	memset(&want->nr, 0, sizeof(*want) - offsetof(struct want, nr));
	want->source = source;
	words_split(&want->words, line);
	want->ret = predict_all(want);
	if (!want->ret)
		summarize(want);
}
