// SPDX-License-Identifier: GPL-2.0
/*
 * Texts for inject: the record that record/inject.c makes from a text is compared, byte by
 * byte, with one that is made by a regular expression and a C struct.
 */
#include "event/event.h"
#include "harness.h"
#include "instance/instance.h"
#include "record/gate.h"
#include "record/record.h"
#include "text/text.h"
#include "trigger/trigger.h"

struct record {
	struct trace_entry	ent;
	signed char		sb;
	u16			uh;
	int			si;
	u64			ul;
	char			name[8];
	u32			text;
	u32			rel;
	const char		*ptr;
	unsigned long		func;
	u32			mask;
	int			array[3];
	u32			words;
};

/* Kinds of fields, by the values that they accept */
enum kind { NUMBER, STATIC, LOCATED, RELATIVE, POINTER, NOTHING };

/**
 * struct known - the expected properties of a field
 * @field: entry for the event's table; only @name, @size and @is_signed matter here
 * @offset: offset in the record
 * @kind: the values that may be written to it
 */
struct known {
	struct strobe_field	field;
	size_t			offset;
	enum kind		kind;
};

#define FIELD(member, type_, is_signed_, filter_, kind_) {			\
	{ .type = type_, .name = #member,					\
	  .size = sizeof_field(struct record, member),				\
	  .align = __alignof__(((struct record *)NULL)->member),		\
	  .is_signed = is_signed_, .filter_type = filter_ },			\
	offsetof(struct record, member), kind_ }

static const struct known own[] = {
	FIELD(sb, "signed char", 1, FILTER_OTHER, NUMBER),
	FIELD(uh, "u16", 0, FILTER_OTHER, NUMBER),
	FIELD(si, "int", 1, FILTER_OTHER, NUMBER),
	FIELD(ul, "u64", 0, FILTER_OTHER, NUMBER),
	FIELD(name, "char[8]", 1, FILTER_STATIC_STRING, STATIC),
	FIELD(text, "__data_loc char[]", 0, FILTER_DYN_STRING, LOCATED),
	FIELD(rel, "__rel_loc char[]", 0, FILTER_RDYN_STRING, RELATIVE),
	FIELD(ptr, "const char *", 0, FILTER_PTR_STRING, POINTER),
	FIELD(func, "unsigned long", 0, FILTER_TRACE_FN, NOTHING),
	FIELD(mask, "__data_loc cpumask_t", 0, FILTER_CPUMASK, NOTHING),
	FIELD(array, "int[3]", 1, FILTER_OTHER, NOTHING),
	FIELD(words, "__data_loc u32[]", 0, FILTER_OTHER, NOTHING),
};

#define COMMON(member, is_signed_) {						\
	{ .name = "common_" #member, .size = sizeof_field(struct trace_entry, member), \
	  .is_signed = is_signed_ },						\
	offsetof(struct trace_entry, member), NUMBER }

/* Fields of every event; those of kind NOTHING are in no record. */
static const struct known common[] = {
	COMMON(type, 0), COMMON(flags, 0), COMMON(preempt_count, 0), COMMON(pid, 1),
	{ { .name = "CPU", .is_signed = 1 }, 0, NOTHING },
	{ { .name = "cpu", .is_signed = 1 }, 0, NOTHING },
	{ { .name = "common_cpu", .is_signed = 1 }, 0, NOTHING },
	{ { .name = "COMM" }, 0, NOTHING }, { { .name = "comm" }, 0, NOTHING },
	{ { .name = "stacktrace" }, 0, NOTHING }, { { .name = "STACKTRACE" }, 0, NOTHING },
};

static struct strobe_field fields[ARRAY_SIZE(own)];
static const struct trace_event_class class = {
	.system = "test", .fields = fields, .nr_fields = ARRAY_SIZE(fields),
};

static struct trace_event_call call = { .class = &class, .name = "injected", .type = 0x123 };
static struct trace_array instance;
static struct trace_event_file file = { .tr = &instance, .call = &call };

struct mutex strobe_event_mutex = { PTHREAD_MUTEX_INITIALIZER };

void *strobe_record_reserve(struct strobe_ring *ring, u16 type, u32 len, u32 ctx,
			    struct strobe_ring_resv *resv)
{
	return strobe_ring_reserve(ring, len, resv);
}

/* No bit of the gate is set, so none of these functions is called. */

enum pid_verdict strobe_event_pid_verdict(const struct trace_event_file *event)
{
	abort();
}

bool strobe_event_pid_record_ignored(const struct trace_event_file *event, const void *entry)
{
	abort();
}

void strobe_console_print_record(struct trace_event_call *event, void *entry, u32 len)
{
	abort();
}

void strobe_export_record(const void *entry, u32 len, int kind)
{
	abort();
}

void strobe_record_stacks(struct trace_array *tr, u32 ctx, unsigned long from)
{
	abort();
}

unsigned int strobe_triggers_call(struct trace_event_file *event, const void *record, u32 ctx,
				  unsigned long from)
{
	abort();
}

void strobe_triggers_call_after(struct trace_event_file *event, unsigned int kinds, u32 ctx,
				unsigned long from)
{
	abort();
}

/* What the taps got last */
static char tapped[8192];
static u32 tapped_len;

void strobe_taps_inject(const struct trace_event_call *call, void *record, u32 len)
{
	if (len > sizeof(tapped) || len % sizeof(u32))
		abort();
	memcpy(tapped, record, len);
	tapped_len = len;
}

/**
 * struct plain - the expected record
 * @rec: the fields
 * @data: strings whose offset and length are in a field
 * @len: used bytes of @data
 */
struct plain {
	struct record	rec;
	char		data[4096];
	size_t		len;
};

/* Offset of the data: one NUL follows the last field, which no padding follows. */
#define DATA	(offsetof(struct record, words) + sizeof(u32) + 1)

static int plain_string(struct plain *plain, const struct known *known, const char *value,
			size_t len)
{
	char *at = (char *)&plain->rec + known->offset;
	u32 where = DATA + plain->len;

	if (len + 1 > MAX_FILTER_STR_VAL)
		return -EINVAL;
	switch (known->kind) {
	case STATIC:
		len = min(len, sizeof(plain->rec.name) - 1);
		memcpy(at, value, len);
		at[len] = '\0';
		return 0;
	case POINTER:
		plain->rec.ptr = "STATIC STRING CAN NOT BE INJECTED";
		return 0;
	case RELATIVE:
		where -= known->offset + sizeof(u32);
		fallthrough;
	case LOCATED:
		where |= (len + 1) << 16;
		memcpy(at, &where, sizeof(where));
		memcpy(plain->data + plain->len, value, len);
		plain->data[plain->len + len] = '\0';
		plain->len += len + 1;
		return 0;
	default:
		return -EINVAL;
	}
}

static int plain_number(struct plain *plain, const struct known *known, const char *value,
			size_t len)
{
	bool is_signed = known->field.is_signed, negative = *value == '-';
	u64 number, limit = S64_MAX;
	int ret;

	if ((known->kind != NUMBER && known->kind != NOTHING) || (negative && !is_signed))
		return -EINVAL;
	ret = text_number(value + negative, len - negative, &number);
	if (ret)
		return ret;
	if (is_signed && number > limit + negative)
		return -ERANGE;
	if (known->kind == NOTHING)
		return -EINVAL;
	if (negative)
		number = -number;
	/* Little endian */
	memcpy((char *)&plain->rec + known->offset, &number, known->field.size);
	return 0;
}

static const struct known *known_find(const char *name, size_t len)
{
	const struct known *known;
	int i;

	for (i = 0; i < ARRAY_SIZE(own) + ARRAY_SIZE(common); i++) {
		known = i < ARRAY_SIZE(own) ? &own[i] : &common[i - ARRAY_SIZE(own)];
		if (strlen(known->field.name) == len && !memcmp(known->field.name, name, len))
			return known;
	}
	return NULL;
}

/* NAME = VALUE; the value is group 4 or 6 if it is in quotes, else 8; none: it is malformed */
#define WORD	"^[[:space:]]*([A-Za-z0-9_]+)[[:space:]]*"			\
		"(=[[:space:]]*(\"(([^\"\\]|\\\\.)*)\"|'(([^'\\]|\\\\.)*)'|"	\
		"([A-Za-z0-9-]*)([[:space:]]|$)))?"

/* Make the record that @text asks for. Returns 0 or -errno. */
static int plain_make(struct plain *plain, const char *text)
{
	const struct known *known;
	regmatch_t groups[TEXT_GROUPS];
	const char *name, *value;
	size_t name_len, len;
	int ret;

	while (*text) {
		if (!text_match(WORD, text, groups))
			return -EINVAL;
		text_group(&groups[1], text, &name, &name_len);
		known = known_find(name, name_len);
		if (!known)
			return -ENOENT;
		if (text_group(&groups[4], text, &value, &len) ||
		    text_group(&groups[6], text, &value, &len))
			ret = plain_string(plain, known, value, len);
		else if (text_group(&groups[8], text, &value, &len))
			ret = plain_number(plain, known, value, len);
		else
			ret = -EINVAL;
		if (ret)
			return ret;
		text += groups[0].rm_eo;
	}
	return plain->rec.ent.type == call.type ? 0 : -EINVAL;
}

static void plain_begin(struct plain *plain, u32 ctx)
{
	memset(plain, 0, sizeof(*plain));
	record_set_header(&plain->rec, call.type, ctx);
	plain->rec.text = DATA - 1;
	plain->rec.rel = DATA - 1 - offsetof(struct record, rel) - 4;
	plain->rec.mask = DATA - 1;
	plain->rec.words = DATA - 1;
	plain->rec.ptr = "";
}

/* Is it the next record of the ring? Consumes that. */
static bool is_recorded(const struct plain *plain)
{
	struct strobe_ring_record record;
	struct record got;
	const char *data;
	bool same;

	if (!strobe_ring_peek(instance.ring, 0, &record))
		return false;
	data = record.data;
	memcpy(&got, data, DATA - 1);
	same = record.len == ALIGN(DATA + plain->len, sizeof(u32)) && !data[DATA - 1] &&
	       !memcmp(data + DATA, plain->data, plain->len) && !strcmp(got.ptr, plain->rec.ptr);
	got.ptr = plain->rec.ptr;
	same &= tapped_len == record.len && !memcmp(tapped, data, tapped_len);
	same &= !memcmp(&got, &plain->rec, DATA - 1);
	strobe_ring_consume(instance.ring, 0);
	return same;
}

int text_inject(const char *text, long fail)
{
	const struct strobe_ring_params params = { .bytes = 1 };
	struct strobe_ring_record record;
	struct plain plain;
	char *copy;
	int want, ret, bad = 0, i;

	if (!instance.ring) {
		instance.ring = strobe_ring_create(&params);
		for (i = 0; i < ARRAY_SIZE(own); i++)
			fields[i] = own[i].field;
	}
	if (strlen(text) >= sizeof(plain.data))
		return 0;
	plain_begin(&plain, record_context());
	want = plain_make(&plain, text);
	copy = strdup(text);
	shim_fail_at = fail;
	ret = strobe_event_file_inject(&file, copy);
	if (fail && !shim_fail_at)
		want = -ENOMEM;
	shim_fail_at = 0;
	free(copy);
	if (ret != want)
		bad = text_differs(text, "inject: %d, not %d", ret, want);
	else if (!ret && !is_recorded(&plain))
		bad = text_differs(text, "inject: the record is another one");
	else if (!strobe_ring_empty(instance.ring, 0))
		bad = text_differs(text, "inject: there are more records");
	while (bad && strobe_ring_peek(instance.ring, 0, &record))
		strobe_ring_consume(instance.ring, 0);
	return bad;
}
