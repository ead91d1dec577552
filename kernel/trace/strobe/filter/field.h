/* SPDX-License-Identifier: GPL-2.0 */
/* Find fields of events by the names that users write. */
#ifndef _STROBE_FILTER_FIELD_H
#define _STROBE_FILTER_FIELD_H

#include <linux/strobe/field.h>
#include <linux/types.h>

struct trace_event_call;

/**
 * struct filter_field - description of a field
 * @type:	FILTER_* of <linux/strobe/field.h>
 * @size:	bytes in the record; 0 if it is not part of the record
 * @offset:	offset in the record, in bytes
 * @is_signed:	whether a number is signed
 * @is_relative: it is a __rel_loc
 * @is_located:	it is a __rel_loc or __data_loc: it holds the location of the data
 * @is_user:	if it is a pointer, user space passed it to the kernel
 */
struct filter_field {
	u8	type;
	u16	size;
	u32	offset;
	bool	is_signed;
	bool	is_relative;
	bool	is_located;
	bool	is_user;
};

/* Is it text of the record, or does it point to text? */
static inline bool filter_field_is_string(const struct filter_field *field)
{
	switch (field->type) {
	case FILTER_STATIC_STRING:
	case FILTER_DYN_STRING:
	case FILTER_RDYN_STRING:
	case FILTER_PTR_STRING:
		return true;
	}
	return false;
}

bool strobe_filter_field_find(const struct trace_event_call *call, const char *name, u32 len,
			      struct filter_field *field);

#endif /* _STROBE_FILTER_FIELD_H */
