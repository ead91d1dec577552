/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walk over the records of a sub-buffer. Whatever the bytes are, the walk stays within its
 * bounds and ends.
 */
#ifndef _STROBE_RING_WALK_H
#define _STROBE_RING_WALK_H

#include "ring/internal.h"
#include "ring/ring.h"
#include "ring/ring_types.h"

enum strobe_walk_step {
	STROBE_WALK_DATA,	/* found a record */
	STROBE_WALK_END,	/* no record is left */
	STROBE_WALK_BAD,	/* the sub-buffer is damaged here */
};

/* Complete an absolute stamp, which has 59 bits, to the time that is closest to @near. */
static inline u64 strobe_stamp_complete(u64 stamp, u64 near)
{
	const u64 span = 1ULL << STROBE_RECORD_STAMP_BITS;
	u64 ts = stamp | (near & ~STROBE_RECORD_STAMP_MASK);

	if (ts > near && ts - near > span / 2 && ts >= span)
		return ts - span;
	if (ts < near && near - ts > span / 2 && ts + span > ts)
		return ts + span;
	return ts;
}

/**
 * strobe_walk_next - find the next record, and advance past it
 * @walk: the position; afterwards after the record
 * @record: data, len and ts are set; the other members are not touched
 *
 * Skips padding, and adds up the time.
 *
 * Return: STROBE_WALK_DATA: @record is set; STROBE_WALK_END: no record is left;
 * STROBE_WALK_BAD: the sub-buffer is damaged, and @walk stays there.
 */
static inline enum strobe_walk_step
strobe_walk_next(struct strobe_ring_walk *walk, struct strobe_ring_record *record)
{
	while (walk->pos < walk->end) {
		const struct strobe_record *rec = (const void *)
			walk->subbuf->data + walk->pos * STROBE_RECORD_UNIT;
		/* Load once: a dump may walk a sub-buffer that user space writes to. */
		u32 header = READ_ONCE(*(const u32 *)rec);
		u32 left = walk->end - walk->pos, type_len = strobe_record_type_len(header);
		u64 delta = strobe_record_delta(header);
		u32 words = type_len;
		bool array = !words || words > STROBE_RECORD_DATA_MAX;

		/* Most records are short. */
		if (likely(!array && words < left)) {
			walk->pos += words + 1;
			walk->ts += delta;
			record->data = rec->array;
			record->len = words * STROBE_RECORD_UNIT;
			record->ts = walk->ts;
			return STROBE_WALK_DATA;
		}
		if (array && left < 2)
			return STROBE_WALK_BAD;
		switch (type_len) {
		case STROBE_RECORD_TIME_EXTEND:
			walk->ts += delta | (u64)rec->array[0] << STROBE_RECORD_DELTA_BITS;
			walk->pos += 2;
			continue;
		case STROBE_RECORD_TIME_STAMP:
			delta |= (u64)rec->array[0] << STROBE_RECORD_DELTA_BITS;
			walk->ts = strobe_stamp_complete(delta & STROBE_RECORD_STAMP_MASK,
							 walk->ts);
			walk->pos += 2;
			continue;
		case STROBE_RECORD_PADDING:
			if (!delta) {
				walk->pos = walk->end;
				return STROBE_WALK_END;
			}
			fallthrough;
		case STROBE_RECORD_LARGE:
			words = READ_ONCE(rec->array[0]) / STROBE_RECORD_UNIT;
			/* A small record has its length in the header. */
			if (words <= (type_len ? 0 : STROBE_RECORD_DATA_MAX + 1))
				return STROBE_WALK_BAD;
		}
		if (words >= left)
			return STROBE_WALK_BAD;
		walk->pos += words + 1;
		walk->ts += delta;
		if (type_len == STROBE_RECORD_PADDING)
			continue;
		record->data = array ? rec->array + 1 : rec->array;
		record->len = (words - array) * STROBE_RECORD_UNIT;
		record->ts = walk->ts;
		return STROBE_WALK_DATA;
	}
	return STROBE_WALK_END;
}

/* Count the records of @walk, and advance it past them. */
static inline u32 strobe_walk_count(struct strobe_ring_walk *walk)
{
	struct strobe_ring_record record;
	u32 n = 0;

	while (strobe_walk_next(walk, &record) == STROBE_WALK_DATA)
		n++;
	return n;
}

#endif /* _STROBE_RING_WALK_H */
