/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Iterate over the fields of events, and find them in records.
 *
 * Their descriptions hold no offsets: they follow from sizes and alignments, as in a C
 * structure that begins with struct trace_entry.
 */
#ifndef _STROBE_EVENT_FIELDS_H
#define _STROBE_EVENT_FIELDS_H

#include <linux/align.h>
#include <linux/strobe/event.h>

/* The fields of struct trace_entry, which every event begins with. */
#define STROBE_NR_COMMON_FIELDS	4
extern const struct strobe_field strobe_common_fields[STROBE_NR_COMMON_FIELDS];

/**
 * struct strobe_field_iter - iterator over one event's own fields
 * @field:	the current field; NULL at the end
 * @call:	the event
 * @nr:		number of @field, from 0
 * @offset:	offset of @field in the payload, in bytes; at the end, of what follows the fields
 * @buf:	the current field, if the class has no table
 */
struct strobe_field_iter {
	const struct strobe_field	*field;
	const struct trace_event_call	*call;
	unsigned int			nr;
	unsigned int			offset;
	struct strobe_field		buf;
};

void strobe_fields_first(struct strobe_field_iter *it, const struct trace_event_call *call);
void strobe_fields_next(struct strobe_field_iter *it);

/* In the body, it.field and it.offset are those of the current field. */
#define strobe_for_each_field(it, call)					\
	for (strobe_fields_first((it), (call)); (it)->field; strobe_fields_next(it))

unsigned int strobe_fields_end(const struct trace_event_call *call);

/*
 * What a field's bytes hold: its value, or the value's location relative to the
 * start of the payload (DATA_LOC) or to the end of the field (REL_LOC).
 */
enum strobe_field_loc { FIELD_VALUE, FIELD_DATA_LOC, FIELD_REL_LOC };

enum strobe_field_loc strobe_field_loc(const struct strobe_field *field);
const void *strobe_field_bytes(const struct strobe_field *field, u32 offset,
			       const void *record, u32 len, u32 *size);
unsigned int strobe_field_filter_type(const struct strobe_field *field);

#endif /* _STROBE_EVENT_FIELDS_H */
