/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Deferred records: whether they are recorded is decided at commit. record.c has the path of
 * those for which a filter decides, deferred.c that of all others.
 */
#ifndef _STROBE_RECORD_DEFERRED_H
#define _STROBE_RECORD_DEFERRED_H

#include <linux/compiler.h>
#include <linux/percpu.h>

#include "record/record.h"

struct strobe_filter;

/**
 * struct deferred_record - a deferred record between reserve and commit
 * @sink:	the sink that it was reserved for
 * @filter:	the filter that it has to pass; NULL: none
 * @words:	its length in units, without STROBE_WORDS_SLOW
 * @gate:	the gate when it was reserved, with RECORD_DEFERRED
 * @entry:	the payload, in the scratch or in a ring, with RECORD_DEFERRED
 * @resv:	the reservation, if the record is in a ring
 * @scratch:	the payload, if the record is not in a ring
 */
struct deferred_record {
	struct strobe_sink		*sink;
	struct strobe_filter		*filter;
	unsigned long			words;
	unsigned long			gate;
	void				*entry;
	struct strobe_ring_resv		resv;
	u32				scratch[STROBE_WORDS_STRAIGHT] __aligned(8);
} __aligned(256);

/*
 * Size of a CPU's stack of deferred records, in records and in bytes. The first entry is
 * not used: see strobe_deferred_top.
 */
#define DEFERRED_MAX	16
#define DEFERRED_BYTES	(DEFERRED_MAX * sizeof(struct deferred_record))

static_assert(DEFERRED_BYTES == 4096);
static_assert(PAGE_SIZE % DEFERRED_BYTES == 0);
static_assert(__alignof__(struct deferred_record) > RECORD_TAGS);

/*
 * The deferred records of a CPU are a stack. strobe_deferred_top is the address of its innermost
 * record, or of the unused first entry if it has none. An interrupt restores strobe_deferred_top
 * before it returns, and does not touch the records below. Before strobe_deferred_setup(),
 * strobe_deferred_top has a value for which deferred_push() finds the stack full.
 */
DECLARE_PER_CPU(unsigned long, strobe_deferred_top);

/* Return: a record on top of the stack; NULL: the stack is full. */
static __always_inline struct deferred_record *deferred_push(void)
{
	unsigned long top = this_cpu_read(strobe_deferred_top) + sizeof(struct deferred_record);

	if (unlikely(top % DEFERRED_BYTES == 0))
		return NULL;
	this_cpu_write(strobe_deferred_top, top);
	barrier();	/* Claim the entry before writing to it. */
	return (struct deferred_record *)top;
}

/* The innermost deferred record, which is the one of the running code. */
static __always_inline struct deferred_record *deferred_last(void)
{
	return (struct deferred_record *)this_cpu_read(strobe_deferred_top);
}

/* Pop the innermost record. Not atomic: an interrupt restores strobe_deferred_top. */
static __always_inline void deferred_pop(void)
{
	barrier();	/* Read the entry before freeing it. */
	raw_cpu_sub(strobe_deferred_top, sizeof(struct deferred_record));
}

/* The ring of this CPU */
static __always_inline struct strobe_ring_cpu *sink_ring(const struct strobe_sink *sink)
{
	return this_cpu_ptr(READ_ONCE(sink->ring->percpu));
}

struct strobe_reserved strobe_deferred_refuse(struct strobe_sink *sink);
struct strobe_reserved strobe_deferred_reserve(struct strobe_sink *sink, unsigned long words);
void __init strobe_deferred_setup(void);
void strobe_deferred_commit(struct deferred_record *record, unsigned long from);
struct strobe_reserved strobe_tap_reserve(struct strobe_sink *sink, unsigned long words);
void strobe_tap_commit(struct deferred_record *record);

/* reserve.c */
struct strobe_reserved strobe_event_reserve_slow(struct strobe_sink *sink, unsigned long words,
						 struct strobe_ring_cpu *rc);

#endif /* _STROBE_RECORD_DEFERRED_H */
