/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walking the field tables of events.
 *
 * A table holds no offsets: like those of a C structure they follow from sizes
 * and alignments, from the end of struct trace_entry on.
 */
#ifndef _STROBE_EVENT_FIELDS_H
#define _STROBE_EVENT_FIELDS_H

#include <linux/align.h>
#include <linux/strobe/event.h>

/* The fields of struct trace_entry, which every event begins with. */
#define STROBE_NR_COMMON_FIELDS	4
extern const struct strobe_field strobe_common_fields[STROBE_NR_COMMON_FIELDS];

/**
 * struct strobe_field_iter - a walk over one event's own fields
 * @field:	the current one
 * @left:	fields from @field to the end
 * @offset:	where @field lies in the record, in bytes
 * @buf:	for classes whose table is made up when asked for
 */
struct strobe_field_iter {
	const struct strobe_field	*field;
	unsigned int			left;
	unsigned int			offset;
	struct strobe_field		buf[STROBE_FIELDS_MAX];
};

void strobe_fields_first(struct strobe_field_iter *it, const struct trace_event_call *call);
void strobe_fields_next(struct strobe_field_iter *it);

/* it.field and it.offset are the current field's. */
#define strobe_for_each_field(it, call)					\
	for (strobe_fields_first((it), (call)); (it)->left; strobe_fields_next(it))

/*
 * What a field's bytes are: its value; or where that lies, counted from the record's
 * beginning or from the field's own end.
 */
enum strobe_field_loc { FIELD_VALUE, FIELD_DATA_LOC, FIELD_REL_LOC };

enum strobe_field_loc strobe_field_loc(const struct strobe_field *field);
unsigned int strobe_field_filter_type(const struct strobe_field *field);

#endif /* _STROBE_EVENT_FIELDS_H */
