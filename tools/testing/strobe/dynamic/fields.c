// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptions of user events' fields, parsed by dynamic/user_fields.c and by regular expressions.
 * What is shown must be accepted again. Records are checked with random locations, and
 * descriptions are compared with variants of them.
 */
#include "dynamic/definition.h"
#include "dynamic/user_fields.h"

#define FIELDS_MAX	(TEXT_MAX / 2)
#define BYTES_MAX	65535	/* of a record */
#define RECORD_HEAD	8	/* bytes of a record before its first field */

enum want_location { NO_LOCATION, FROM_START, FROM_FIELD_END };

/**
 * struct want_field - a field of a description that is accepted
 * @type:     its type
 * @name:     its name
 * @size:     bytes in a record
 * @location: how its data are found, if it has only their location
 */
struct want_field {
	char			*type;
	char			*name;
	u32			size;
	enum want_location	location;
};

/**
 * struct want_fields - what a description has to become
 * @ret:   0 or -EINVAL
 * @nr:    number of @field
 * @bytes: of each record, with its header
 * @text:  as it is shown
 * @field: the fields
 */
struct want_fields {
	int			ret;
	u32			nr;
	u32			bytes;
	char			text[3 * TEXT_MAX];
	struct want_field	field[FIELDS_MAX];
};

/* Returns 0 if the text is no type of a fixed size. */
static u32 plain_size(const char *type)
{
	regmatch_t groups[GROUPS];

	if (match("^[su](8|16|32|64)$", type, groups))
		return atoi(type + 1) / 8;
	if (match("^(unsigned )?int$", type, groups))
		return 4;
	if (match("^(unsigned )?short$", type, groups))
		return 2;
	return match("^(unsigned )?char$", type, groups);
}

static bool is_location(const char *type)
{
	return has_prefix(type, "__data_loc ") || has_prefix(type, "__rel_loc ");
}

/* Returns the size of a field that has none in the text; 0: refused. */
static u32 size_of(const char *type)
{
	regmatch_t groups[GROUPS];
	u64 size = 0;
	char *number;

	if (plain_size(type))
		return plain_size(type);
	if (!match("^(unsigned )?char[[](.*)$", type, groups))
		return is_location(type) ? 4 : 0;
	if (strlen(type + groups[2].rm_so) > 7 ||
	    !match("^(unsigned )?char[[]([^]]*)]", type, groups))
		return 0;
	number = group_get(type, &groups[2]);
	if (predict_number(number, 0, false, &size) || size > 1024)
		size = 0;
	free(number);
	return size;
}

/* Text that is shown must not look like something else. */
static bool is_plain(const struct want_field *field)
{
	regmatch_t groups[GROUPS];

	return match("^[ -~]*$", field->type, groups) && match("^[!-~]*$", field->name, groups) &&
	       !strpbrk(field->type, "\"\\%") && !strpbrk(field->name, "\"\\%");
}

static bool predict_location(struct want_field *field)
{
	if (strstr(field->type, "__data_loc"))
		field->location = FROM_START;
	else if (strstr(field->type, "__rel_loc"))
		field->location = FROM_FIELD_END;
	return !field->location || (is_location(field->type) && field->size == 4);
}

/*
 * @text: one field, without blanks before it. The type ends with the first blank that is not part
 * of one of the beginnings.
 */
static bool predict_field(struct want_fields *want, const char *text)
{
	struct want_field *field = &want->field[want->nr];
	bool is_struct = has_prefix(text, "struct ");
	regmatch_t groups[GROUPS];
	const char *rest = text;
	u64 size = 0;
	char *number;

	if (match("^((__data_loc |__rel_loc )(unsigned )?|unsigned |struct )", text, groups))
		rest += groups[0].rm_eo;
	if (!match("^[^ ]* ([^ ]+)( ([^ ]*))?$", rest, groups))
		return false;
	field->type = strndup(text, rest + groups[1].rm_so - 1 - text);
	field->name = group_get(rest, &groups[1]);
	field->location = NO_LOCATION;
	want->nr++;
	number = group_get(rest, &groups[3]);
	if (!number)
		size = size_of(field->type);
	else if (is_struct && predict_number(number, 10, true, &size))
		size = 0;
	free(number);
	field->size = size;
	if (!size || size > BYTES_MAX - want->bytes || !is_plain(field) ||
	    !predict_location(field))
		return false;
	want->bytes += size;
	sprintf(want->text + strlen(want->text), "%s%s %s", want->nr > 1 ? "; " : "", field->type,
		field->name);
	if (is_struct)
		sprintf(want->text + strlen(want->text), " %u", field->size);
	return true;
}

static void predict_fields(struct want_fields *want, const char *text)
{
	char *part;
	size_t len;

	want->ret = 0;
	want->nr = 0;
	want->bytes = RECORD_HEAD;
	*want->text = '\0';
	for (;; text += len + 1) {
		len = strcspn(text, ";");
		part = strndup(text, len);
		/* Nothing but blanks is no field. */
		if (part[strspn(part, " \t\n\v\f\r")] &&
		    !predict_field(want, part + strspn(part, " \t\n\v\f\r")))
			want->ret = -EINVAL;
		free(part);
		if (want->ret || !text[len])
			break;
	}
}

static void want_fields_free(struct want_fields *want)
{
	while (want->nr) {
		free(want->field[--want->nr].type);
		free(want->field[want->nr].name);
	}
}

static int check_table(const char *text, const struct user_fields *fields,
		       const struct want_fields *want)
{
	u32 i, located = 0;

	if (fields->nr != want->nr || fields->min_len != want->bytes ||
	    !is(fields->text, want->text))
		return differs(text, "%u fields, %u bytes: \"%s\", not %u, %u: \"%s\"", fields->nr,
			       fields->min_len, fields->text, want->nr, want->bytes, want->text);
	for (i = 0; i < want->nr; i++) {
		const struct strobe_field *field = &fields->table[i];
		const struct want_field *w = &want->field[i];
		u32 elements = strchr(w->type, '[') && !w->location &&
			       !has_prefix(w->type, "struct ") ? w->size : 0;

		located += w->location != NO_LOCATION;
		if (!is(field->type, w->type) || !is(field->name, w->name) ||
		    field->size != w->size || field->len != elements || field->align != 1 ||
		    field->is_signed != (*w->type != 'u') || field->filter_type != FILTER_OTHER)
			return differs(text, "field %u: %s %s, %u bytes", i, field->type,
				       field->name, field->size);
	}
	if (fields->nr_located != located)
		return differs(text, "%u fields with a location, not %u", fields->nr_located,
			       located);
	return 0;
}

static const char *want_format(const char *type)
{
	regmatch_t groups[GROUPS];

	if (match("^(s64|u64)$", type, groups))
		return *type == 's' ? "%lld" : "%llu";
	if (plain_size(type))
		return *type == 'u' ? "%u" : "%d";
	return strstr(type, "char[") ? "%s" : "%llu";
}

static int check_print_fmt(const char *text, const struct user_fields *fields,
			   const struct want_fields *want)
{
	static char got[0x40000], expect[0x40000];
	struct seq_file m = { .buf = got, .size = sizeof(got) };
	struct seq_file e = { .buf = expect, .size = sizeof(expect) };
	u32 i;

	for (i = 0; i < want->nr; i++)
		seq_printf(&e, "%s%s=%s", i ? " " : "\"", want->field[i].name,
			   want_format(want->field[i].type));
	seq_printf(&e, "%s\"", want->nr ? "" : "\"");
	for (i = 0; i < want->nr; i++) {
		const struct want_field *w = &want->field[i];

		if (!w->location || !strstr(w->type, "char"))
			seq_printf(&e, ", REC->%s", w->name);
		else
			seq_printf(&e, ", __get_%sstr(%s)",
				   w->location == FROM_FIELD_END ? "rel_" : "", w->name);
	}
	strobe_user_fields_print_fmt(&m, fields);
	got[m.count] = '\0';
	expect[e.count] = '\0';
	return is(got, expect) ? 0 : differs(text, "print fmt: %s, not %s", got, expect);
}

/* Is what the locations lead to in the record? Text has to end with a NUL, after the header. */
static int want_check(const struct want_fields *want, const u8 *record, u32 len)
{
	u32 i, offset = RECORD_HEAD, start, size;

	for (i = 0; i < want->nr; i++) {
		const struct want_field *w = &want->field[i];

		start = record[offset] | record[offset + 1] << 8;
		size = record[offset + 2] | record[offset + 3] << 8;
		offset += w->size;
		if (!w->location)
			continue;
		if (w->location == FROM_FIELD_END)
			start += offset;
		if (start + size > len)
			return -EFAULT;
		if (strstr(w->type, "char") &&
		    (!size || start < RECORD_HEAD || record[start + size - 1]))
			return -EFAULT;
	}
	return 0;
}

/* A record of just its size, whose locations mostly lead into it */
static int check_record(const char *text, const struct user_fields *fields,
			const struct want_fields *want)
{
	u32 len = want->bytes + random_below(24), i, offset = RECORD_HEAD, loc;
	u8 *record = malloc(len + 4);
	int ret, expect;

	for (i = 0; i < len; i++)
		record[i] = random_below(3) ? random_below(256) : 0;
	for (i = 0; i < want->nr; i++) {
		loc = random_below(len + 2) | random_below(random_below(8) ? 9 : len) << 16;
		if (want->field[i].location == FROM_FIELD_END && random_below(4))
			loc -= min(loc & 0xffff, offset + 4);
		if (want->field[i].location)
			memcpy(record + offset, &loc, sizeof(loc));
		offset += want->field[i].size;
	}
	/* want_check() also reads four bytes from a last field that is shorter. */
	expect = want_check(want, record, len);
	record = realloc(record, len);
	ret = strobe_user_fields_check(fields, record, len);
	free(record);
	return ret == expect ? 0 : differs(text, "a record of %u bytes: %d, not %d", len, ret,
					   expect);
}

/* Whether another description is the same: words with one blank between, maybe a last ';' */
static bool want_match(const struct want_fields *want, const char *other)
{
	char *joined = calloc(2, strlen(other) + 1);
	const char *at = other;
	size_t len = 0, size;
	bool same;

	for (at += strspn(at, " \t\n\v\f\r"); *at; at += strspn(at, " \t\n\v\f\r")) {
		size = strcspn(at, "; \t\n\v\f\r");
		size += at[size] == ';';
		len += sprintf(joined + len, "%s%.*s", len ? " " : "", (int)size, at);
		at += size;
	}
	same = is(joined, want->text);
	if (!same && len && joined[len - 1] == ';' && want->nr) {
		joined[len - 1] = '\0';
		same = is(joined, want->text);
	}
	free(joined);
	return same;
}

/* The text as it is shown, with some characters changed, added or missing */
static int check_match(const char *text, const struct user_fields *fields,
		       const struct want_fields *want)
{
	char *other = malloc(2 * strlen(want->text) + 4), *to = other;
	const char *from;
	bool got;

	for (from = want->text; ; from++) {
		if (!random_below(16) && random_below(2))
			*to++ = random_below(2) ? ' ' : ';';
		if (!*from)
			break;
		if (*from == ' ' && random_below(2))
			*to++ = " \t\n"[random_below(3)];
		if (random_below(60))
			*to++ = *from;
	}
	*to = '\0';
	other = realloc(other, strlen(other) + 1);
	got = strobe_user_fields_match(fields, other);
	if (got != want_match(want, other)) {
		differs(text, "match with \"%s\": %d", other, got);
		free(other);
		return 1;
	}
	free(other);
	/* The type "__data_loc " ends with a blank, and nothing is the same as that. */
	if (strobe_user_fields_match(fields, text) != want_match(want, text) ||
	    strobe_user_fields_match(fields, want->text) != !strstr(want->text, "  "))
		return differs(text, "match with itself");
	return 0;
}

static int check_again(const char *text, const struct want_fields *want)
{
	struct user_fields again;
	int ret = strobe_user_fields_parse(&again, want->text), bad;

	if (ret)
		return differs(text, "what is shown is refused, %d", ret);
	bad = check_table(text, &again, want);
	strobe_user_fields_free(&again);
	return bad;
}

static int try_fields(const struct want_fields *want, const char *text, long fail, bool *failed)
{
	struct user_fields fields;
	char *copy = strdup(text);
	int ret, bad = 0;

	shim_fail_at = fail;
	ret = strobe_user_fields_parse(&fields, copy);
	free(copy);
	*failed = allocation_failed(fail);
	if (*failed)
		bad = ret != -ENOMEM && differs(text, "no memory: %d", ret);
	else if (ret != want->ret)
		bad = differs(text, "%d, not %d", ret, want->ret);
	if (ret && (fields.table || fields.words || fields.text))
		bad = differs(text, "something is left after an error");
	if (!ret && !bad && !fail)
		bad = check_table(text, &fields, want) || check_print_fmt(text, &fields, want) ||
		      check_record(text, &fields, want) || check_record(text, &fields, want) ||
		      check_match(text, &fields, want) || check_again(text, want);
	strobe_user_fields_free(&fields);
	return check_leaks(text) || bad;
}

int check_fields(const char *text)
{
	static struct want_fields want;
	bool failed = true;
	int bad;
	long n;

	predict_fields(&want, text);
	checked.accepted += !want.ret;
	checked.refused += want.ret != 0;
	bad = try_fields(&want, text, 0, &failed);
	for (n = 1, failed = true; failed && !bad; n++)
		bad = try_fields(&want, text, n, &failed);
	want_fields_free(&want);
	return bad;
}
