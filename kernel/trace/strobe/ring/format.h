/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The format of a sub-buffer. It is ABI: user space reads, splices and maps
 * sub-buffers of trace_pipe_raw; events/header_page and events/header_event
 * describe them; trace-cmd, perf and libtraceevent's kbuffer parse them. The
 * user-space build in tools/testing/strobe includes this header, too.
 *
 * A sub-buffer is one block of 2^order pages:
 *
 *	| u64 time_stamp | local_t commit | record | record | ... |
 *
 * Its records fill data[0 .. commit). A record is a header of four bytes and,
 * depending on type_len, more units of four bytes:
 *
 *	1..28	data of type_len * 4 bytes
 *	0	array[0] = 4 + bytes of data, then the data (rounded up to 4)
 *	29	padding: array[0] = bytes after the header, array[0] included;
 *		time_delta 0 means that nothing follows in this sub-buffer, and
 *		is never written by this ring
 *	30	time extend: the delta is (array[0] << 27) + time_delta
 *	31	absolute time stamp of 59 bits: (array[0] << 27) + time_delta
 *
 * time_delta is relative to the record before, of any type, or to time_stamp
 * for the first record.
 */
#ifndef _STROBE_RING_FORMAT_H
#define _STROBE_RING_FORMAT_H

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <asm/byteorder.h>
#include <asm/local.h>

#define STROBE_RECORD_UNIT		4U	/* every length is a multiple */
#define STROBE_RECORD_DELTA_BITS	27
#define STROBE_RECORD_DELTA_MAX		((1ULL << STROBE_RECORD_DELTA_BITS) - 1)
#define STROBE_RECORD_STAMP_BITS	59
#define STROBE_RECORD_STAMP_MASK	((1ULL << STROBE_RECORD_STAMP_BITS) - 1)

enum strobe_record_type {
	STROBE_RECORD_LARGE		= 0,
	STROBE_RECORD_DATA_MAX		= 28,
	STROBE_RECORD_PADDING		= 29,
	STROBE_RECORD_TIME_EXTEND	= 30,
	STROBE_RECORD_TIME_STAMP	= 31,
};

/* The longest payload whose length fits into type_len. */
#define STROBE_RECORD_SMALL_MAX	(STROBE_RECORD_DATA_MAX * STROBE_RECORD_UNIT)
/* Size of a time extend and of a time stamp. */
#define STROBE_RECORD_STAMP_SIZE	8U

struct strobe_record {
	u32	type_len:5,
		time_delta:27;
	u32	array[];
};

struct strobe_subbuf {
	u64		time_stamp;
	local_t		commit;
	unsigned char	data[] __aligned(STROBE_RECORD_UNIT);
};

#define STROBE_SUBBUF_HEADER	offsetof(struct strobe_subbuf, data)

/*
 * Flags in commit of a sub-buffer that user space gets. MISSED: records were lost just
 * before its first one. MISSED_STORED: their number is stored after its last one.
 */
#define STROBE_SUBBUF_MISSED		(1UL << 31)
#define STROBE_SUBBUF_MISSED_STORED	(1UL << 30)
#define STROBE_SUBBUF_MISSED_MASK	(3UL << 30)

static_assert(sizeof(struct strobe_record) == 4);
static_assert(offsetof(struct strobe_subbuf, time_stamp) == 0);
static_assert(offsetof(struct strobe_subbuf, commit) == 8);
static_assert(sizeof(local_t) == sizeof(long));
static_assert(STROBE_SUBBUF_HEADER == 8 + sizeof(long));

/* The header of a record, to be written with one store. */
static __always_inline u32 strobe_record_word(u32 type_len, u32 delta)
{
#ifdef __LITTLE_ENDIAN
	return type_len | delta << 5;
#else
	return type_len << 27 | delta;
#endif
}

/* The type_len of a header from strobe_record_word(). */
static __always_inline u32 strobe_record_type_len(u32 word)
{
#ifdef __LITTLE_ENDIAN
	return word & 31;
#else
	return word >> 27;
#endif
}

static __always_inline u32 strobe_record_delta(u32 word)
{
#ifdef __LITTLE_ENDIAN
	return word >> 5;
#else
	return word & ((1U << 27) - 1);
#endif
}

/* Size in bytes of a record with @len bytes of payload, header included. */
static __always_inline u32 strobe_record_size(u32 len)
{
	u32 size = (len + STROBE_RECORD_UNIT - 1) & ~(STROBE_RECORD_UNIT - 1);

	if (!size)
		size = STROBE_RECORD_UNIT;
	if (size > STROBE_RECORD_SMALL_MAX)
		size += STROBE_RECORD_UNIT;
	return size + sizeof(struct strobe_record);
}

#endif /* _STROBE_RING_FORMAT_H */
