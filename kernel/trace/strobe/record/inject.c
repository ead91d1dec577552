// SPDX-License-Identifier: GPL-2.0
/*
 * Event injection: user space fires an event and gives the values of its fields, to test
 * triggers and filters. Fields that it does not name are 0, or empty.
 *
 * The record is made in separate memory and then treated like any other: triggers and event
 * probes see it, the lists of tasks, soft mode and the filter decide, and it is recorded in the
 * ring. The event need not be enabled. Types and sizes of values are checked; whether the print
 * format can handle the values is up to the user.
 *
 * No state. Contexts: task. Locks: strobe_event_mutex.
 */
#include <linux/align.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/tracepoint.h>

#include "event/event.h"
#include "event/fields.h"
#include "filter/field.h"
#include "filter/filter.h"
#include "record/gate.h"
#include "record/pid.h"
#include "record/record.h"
#include "record/tap.h"
#include "record/trace_array.h"
#include "record/triggers.h"

/* Shown for a field that points to a string, instead of the string: ABI. */
static const char no_pointer[] = "STATIC STRING CAN NOT BE INJECTED";

/**
 * struct injection - a record being made
 * @call: its event
 * @rec:  the record, in a buffer large enough for all strings of the text
 * @len:  its current length in bytes
 */
struct injection {
	const struct trace_event_call	*call;
	void				*rec;
	u32				len;
};

/* Name and value of one "NAME = VALUE". */
struct inject_words {
	char	*name;
	u32	name_len;
	char	*value;
	bool	is_string;
};

/* Set the location of a field's data: @at, an offset in the record, and @len. */
static void set_location(struct injection *inj, u32 offset, bool relative, u32 at, u32 len)
{
	u32 *loc = inj->rec + offset;

	if (relative)
		at -= offset + sizeof(*loc);
	*loc = len << 16 | (at & 0xffff);
}

/* Make a record whose numbers are 0 and whose strings are empty: a NUL follows the fields. */
static int injection_init(struct injection *inj, const struct trace_event_call *call,
			  size_t text_len)
{
	u32 end = strobe_fields_end(call);
	struct strobe_field_iter it;
	enum strobe_field_loc loc;

	inj->call = call;
	inj->len = end + 1;
	/* A string with its NUL is not longer than it is in the text with its quotes. */
	inj->rec = kzalloc(ALIGN(inj->len + text_len, sizeof(u32)), GFP_KERNEL);
	if (!inj->rec)
		return -ENOMEM;
	strobe_for_each_field(&it, call) {
		loc = strobe_field_loc(it.field);
		if (loc != FIELD_VALUE)
			set_location(inj, it.offset, loc == FIELD_REL_LOC, end, 0);
		else if (strobe_field_filter_type(it.field) == FILTER_PTR_STRING)
			*(const char **)(inj->rec + it.offset) = "";
	}
	return 0;
}

/* Terminate a value in place. Returns the text after it, or NULL if the value has no end. */
static char *cut_value(struct inject_words *words)
{
	char *at = words->value, quote = *at;

	words->is_string = quote == '"' || quote == '\'';
	if (words->is_string) {
		words->value++;
		while (*++at && *at != quote) {
			if (*at == '\\' && at[1])
				at++;
		}
		if (!*at)
			return NULL;
		*at = '\0';
		return at + 1;
	}
	while (*at == '-' || isalnum(*at))
		at++;
	if (!*at)
		return at;
	if (!isspace(*at))
		return NULL;
	*at = '\0';
	return at + 1;
}

/*
 * Parse the next "NAME = VALUE" of *@text. *@text becomes NULL if there is no valid value.
 * Return: 1; 0 at the end of the text; -EINVAL if there is no name.
 */
static int cut_words(char **text, struct inject_words *words)
{
	char *at = *text;

	if (!*at)
		return 0;
	words->name = skip_spaces(at);
	for (at = words->name; isalnum(*at) || *at == '_'; at++)
		;
	words->name_len = at - words->name;
	at = skip_spaces(at);
	/* A missing '=' is no error yet: the caller first looks for the field. */
	words->value = *at == '=' ? skip_spaces(at + 1) : NULL;
	if (!words->name_len)
		return -EINVAL;
	*text = words->value ? cut_value(words) : NULL;
	return 1;
}

static int put_string(struct injection *inj, const struct filter_field *field, const char *value)
{
	void *at = inj->rec + field->offset;
	size_t len = strlen(value) + 1;

	if (!filter_field_is_string(field) || len > MAX_FILTER_STR_VAL)
		return -EINVAL;
	switch (field->type) {
	case FILTER_STATIC_STRING:
		strscpy(at, value, field->size);
		return 0;
	case FILTER_PTR_STRING:
		*(const char **)at = no_pointer;
		return 0;
	}
	set_location(inj, field->offset, field->is_relative, inj->len, len);
	memcpy(inj->rec + inj->len, value, len);
	inj->len += len;
	return 0;
}

static int put_number(struct injection *inj, const struct filter_field *field, const char *value)
{
	void *at = inj->rec + field->offset;
	u64 val;
	int ret;

	if (filter_field_is_string(field) || (*value != '-' && !isdigit(*value)))
		return -EINVAL;
	ret = field->is_signed ? kstrtos64(value, 0, (s64 *)&val) : kstrtou64(value, 0, &val);
	if (ret)
		return ret;
	/* Not a location of data, nor a field that is printed as a function. */
	if (field->type == FILTER_TRACE_FN || field->is_located)
		return -EINVAL;
	switch (field->size) {
	case sizeof(u8):
		*(u8 *)at = val;
		return 0;
	case sizeof(u16):
		*(u16 *)at = val;
		return 0;
	case sizeof(u32):
		*(u32 *)at = val;
		return 0;
	case sizeof(u64):
		memcpy(at, &val, sizeof(val));
		return 0;
	}
	return -EINVAL;
}

/* Put the fields of the text into the record. */
static int injection_parse(struct injection *inj, char *text)
{
	const struct trace_entry *ent = inj->rec;
	struct inject_words words;
	struct filter_field field;
	int ret;

	while ((ret = cut_words(&text, &words)) > 0) {
		if (!strobe_filter_field_find(inj->call, words.name, words.name_len, &field))
			return -ENOENT;
		if (!text)
			return -EINVAL;
		ret = words.is_string ? put_string(inj, &field, words.value) :
					put_number(inj, &field, words.value);
		if (ret)
			return ret;
	}
	/* The text may have set common_type, but the record must stay one of this event. */
	return ret ?: ent->type == inj->call->type ? 0 : -EINVAL;
}

/* Do the lists of tasks reject the record? Preemption is off. */
static bool task_is_ignored(const struct trace_event_file *file, const void *rec)
{
	switch (strobe_event_pid_verdict(file)) {
	case PID_IGNORED:
		return true;
	case PID_BY_RECORD:
		return strobe_event_pid_record_ignored(file, rec);
	case PID_KEPT:
		break;
	}
	return false;
}

/* Do soft mode and the filter let the record pass? Preemption is off. */
static bool is_wanted(const struct trace_event_file *file, const void *rec)
{
	/* Pairs with GATE:A, in gate.c. */
	unsigned long gate = smp_load_acquire(&file->sink.gate);

	if (gate & STROBE_GATE_SOFT_DISABLED)
		return false;
	return !(gate & STROBE_GATE_FILTER) ||
	       strobe_filter_match(rcu_dereference_raw(file->filter), rec);
}

static void injection_record(struct trace_event_file *file, const struct injection *inj, u32 ctx)
{
	unsigned long gate = READ_ONCE(file->sink.gate);
	struct strobe_ring_resv resv;
	void *entry;

	entry = strobe_record_reserve(file->tr->ring, file->call->type, inj->len, ctx, &resv);
	if (!entry)
		return;
	memcpy(entry, inj->rec, ALIGN(inj->len, sizeof(u32)));
	/* From now on the ring may hold records of the event. */
	file->flags |= EVENT_FILE_FL_WAS_ENABLED;
	if (gate & STROBE_GATE_PRINTK)
		strobe_console_print_record(file->call, entry, inj->len);
	if (gate & STROBE_GATE_EXPORT)
		strobe_export_record(entry, inj->len, TRACE_EXPORT_EVENT);
	strobe_ring_commit(&resv);
	if (gate & STROBE_GATE_STACKTRACE)
		strobe_record_stacks(file->tr, ctx, _RET_IP_);
}

/* As record/deferred.c: triggers that need the record are called for listed tasks only. */
static void injection_fire(struct trace_event_file *file, const struct injection *inj, u32 ctx)
{
	unsigned int after = 0;
	unsigned long gate;
	bool ignored;

	guard(preempt_notrace)();
	/* Pairs with GATE:A, in gate.c. */
	gate = smp_load_acquire(&file->sink.gate);
	ignored = gate & STROBE_GATE_PID && task_is_ignored(file, inj->rec);
	if (gate & STROBE_GATE_TRIGGER_RECORD ? !ignored : gate & STROBE_GATE_TRIGGER)
		after = strobe_triggers_call(file, inj->rec, ctx, _RET_IP_);
	strobe_taps_inject(file->call, inj->rec, ALIGN(inj->len, sizeof(u32)));
	if (!ignored && is_wanted(file, inj->rec))
		injection_record(file, inj, ctx);
	if (after)
		strobe_triggers_call_after(file, after, ctx, _RET_IP_);
}

/* If the event is off, clear a SOFT_DISABLED that soft mode has left in the gate. */
static void forget_soft_mode(struct trace_event_file *file)
{
	if (file->flags & EVENT_FILE_FL_ENABLED ||
	    !(READ_ONCE(file->sink.gate) & STROBE_GATE_SOFT_DISABLED))
		return;
	tracepoint_synchronize_unregister();
	strobe_event_file_change_gate(file, 0, STROBE_GATE_SOFT_DISABLED);
}

/**
 * strobe_event_file_inject - fire an event once, with fields from a text
 * @file: the event file, not FREED
 * @text: fields, as NAME=NUMBER or NAME="STRING", without white space at its end; is
 *	  split in place
 *
 * Context: task, may sleep, and waits for probes; strobe_event_mutex held.
 * Return: 0, whether the event is recorded or not; -ENOENT: no such field; -EINVAL:
 *	   syntax error, or the field cannot have such a value; -ERANGE: the number is out
 *	   of range; -ENOMEM
 */
int strobe_event_file_inject(struct trace_event_file *file, char *text)
{
	u32 ctx = record_context();
	struct injection inj;
	int ret;

	lockdep_assert_held(&strobe_event_mutex);
	ret = injection_init(&inj, file->call, strlen(text));
	if (ret)
		return ret;
	record_set_header(inj.rec, file->call->type, ctx);
	ret = injection_parse(&inj, text);
	if (!ret) {
		forget_soft_mode(file);
		injection_fire(file, &inj, ctx);
	}
	kfree(inj.rec);
	return ret;
}
