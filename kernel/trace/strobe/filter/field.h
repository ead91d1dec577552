/* SPDX-License-Identifier: GPL-2.0 */
/* Fields of events by their names, as users write them. */
#ifndef _STROBE_FILTER_FIELD_H
#define _STROBE_FILTER_FIELD_H

#include <linux/types.h>

struct trace_event_call;

/**
 * struct filter_field - what there is to be known of a field
 * @type:	FILTER_* of <linux/strobe/event.h>
 * @size:	bytes in the record; 0 of what is not in there
 * @offset:	where it is in the record, in bytes
 * @is_signed:	if it is a number
 * @is_relative: a __rel_loc
 * @is_located:	one or a __data_loc: the field only says where the data is
 * @is_user:	if it is a pointer, it is what user space gave the kernel as one
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

bool filter_field_find(const struct trace_event_call *call, const char *name, u32 len,
		       struct filter_field *field);

#endif /* _STROBE_FILTER_FIELD_H */
