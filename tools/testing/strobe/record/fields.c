// SPDX-License-Identifier: GPL-2.0
/* Torture of record/: the fields that filters find. Built with the shim of filters. */
#include "filter/internal.h"

#include "payload.h"

/* Is @want, of @len characters, @name? If so, describe the member of @size bytes at @offset. */
static bool is_field(struct filter_field *field, const char *want, u32 len, const char *name,
		     u16 size, u32 offset)
{
	if (strlen(name) != len || memcmp(name, want, len))
		return false;
	*field = (struct filter_field) {
		.type = strcmp(name, "tag") ? FILTER_OTHER : FILTER_STATIC_STRING,
		.size = size,
		.offset = offset,
	};
	return true;
}

bool strobe_filter_field_find(const struct trace_event_call *call, const char *name, u32 len,
			      struct filter_field *field)
{
	const struct payload *p;

	return is_field(field, name, len, "serial", sizeof(p->serial),
			offsetof(struct payload, serial)) ||
	       is_field(field, name, len, "tag", sizeof(p->tag), offsetof(struct payload, tag)) ||
	       is_field(field, name, len, "common_pid", sizeof(p->ent.pid),
			offsetof(struct payload, ent.pid));
}

u32 strobe_filter_record_size(const struct trace_event_call *call)
{
	return sizeof(struct payload);
}
