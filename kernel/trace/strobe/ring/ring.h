/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strobe's ring buffer: one ring of sub-buffers for each possible CPU, written from any
 * context of that CPU and read from any CPU. It does not interpret the payload of a record.
 * The algorithm is explained at the top of write.c. Code that reserves, commits or discards
 * records includes ring/write.h.
 */
#ifndef _STROBE_RING_H
#define _STROBE_RING_H

#include <linux/types.h>
#include <linux/poll.h>

struct file;
struct strobe_ring;
struct strobe_ring_cpu;
struct strobe_ring_iter;

/* Instead of a CPU number: the rings of all possible CPUs. */
#define STROBE_RING_ALL_CPUS	(-1)

/**
 * struct strobe_ring_region - memory that outlives the kernel, for a persistent ring
 * @start: its address, at the start of a page; NULL: the ring is not persistent
 * @phys: its physical address, by which the boot code knows memory that is in use
 * @bytes: its size
 * @name: name of the ring in messages; NULL: no messages
 * @maker: build id; records of another build are dropped
 * @text: start of this kernel's code
 * @data: start of this kernel's data
 */
struct strobe_ring_region {
	void		*start;
	u64		phys;
	size_t		bytes;
	const char	*name;
	u64		maker;
	unsigned long	text;
	unsigned long	data;
};

/**
 * struct strobe_ring_past - records of the previous boot in a persistent ring
 * @found: the ring has such records; a reset clears it. The other members are constant.
 * @text_delta: address of this kernel's code less that of the previous boot's
 * @data_delta: the same for the data
 */
struct strobe_ring_past {
	bool	found;
	long	text_delta;
	long	data_delta;
};

/**
 * struct strobe_ring_params - parameters of a new ring
 * @bytes: size of each CPU's ring in bytes; rounded up to whole sub-buffers, at
 *	least two
 * @subbuf_order: a sub-buffer has 2^@subbuf_order pages, 64 KiB at most
 * @overwrite: if the ring is full, overwrite the oldest records (true), or drop
 *	new ones (false)
 * @clock: clock for the time of records, in a unit of its own; callable from any
 *	context including NMI. NULL: the kernel's local clock, in ns
 * @region: memory for a persistent ring, which determines the size instead of @bytes
 */
struct strobe_ring_params {
	size_t		bytes;
	unsigned int	subbuf_order;
	bool		overwrite;
	u64		(*clock)(void);
	struct strobe_ring_region region;
};

/**
 * struct strobe_ring_stats - what became of the events of one CPU
 * @entries: records in the ring that are not consumed
 * @overrun: records overwritten before they were consumed, or found damaged
 * @commit_overrun: events without a record: the ring was full of uncommitted records
 *	of interrupted writers
 * @dropped: events without a record: the ring was full and may not overwrite, the
 *	record was larger than a sub-buffer, or the ring was being changed (resized,
 *	reset, swapped on one CPU)
 * @read: records consumed
 * @discarded: records given up by their writer (strobe_ring_discard())
 * @reserved: reservations, @discarded included
 * @bytes: size of the records in the ring, headers included
 * @oldest_ts: time stamp of the oldest sub-buffer that holds records; 0: none
 *
 * While no writer is inside the ring: @reserved == @read + @entries + @overrun +
 * @discarded, and every event that fired while recording was on is counted in @reserved,
 * @dropped or @commit_overrun.
 */
struct strobe_ring_stats {
	unsigned long	entries;
	unsigned long	overrun;
	unsigned long	commit_overrun;
	unsigned long	dropped;
	unsigned long	read;
	unsigned long	discarded;
	unsigned long	reserved;
	unsigned long	bytes;
	u64		oldest_ts;
};

/**
 * struct strobe_ring_record - one record, as a reader sees it
 * @data: the payload, aligned to four bytes
 * @len: length of the payload in bytes, rounded up to four
 * @cpu: the CPU that wrote the record
 * @ts: time of the record, in the unit of the ring's clock
 * @lost: number of records that were overwritten between the reader's previous record
 *	and this one
 * @index: number of the record on this CPU; a reset does not restart the count
 * @more: number of records that follow it on this CPU and are older than any event that
 *	is recorded after it was found; there may be more that are not counted
 * @past: of a record from the previous boot, how far the kernel has moved since; else
 *	NULL
 */
struct strobe_ring_record {
	const void	*data;
	u32		len;
	int		cpu;
	u64		ts;
	unsigned long	lost;
	u64		index;
	u32		more;
	const struct strobe_ring_past *past;
};

/**
 * struct strobe_ring_page - a sub-buffer of a reader of whole sub-buffers
 * @data: 2^@order pages in the format of ring/format.h; NULL: none
 * @order: log2 of the number of pages
 */
struct strobe_ring_page {
	void		*data;
	unsigned int	order;
};

/* alloc.c */
struct strobe_ring *strobe_ring_create(const struct strobe_ring_params *params);
void strobe_ring_destroy(struct strobe_ring *ring);

/* region.c: persistent rings */
bool strobe_ring_past(const struct strobe_ring *ring, struct strobe_ring_past *past);

/* control.c */
void strobe_ring_set_on(struct strobe_ring *ring, bool on);
bool strobe_ring_is_on(const struct strobe_ring *ring);
void strobe_ring_record_disable(struct strobe_ring *ring, int cpu);
void strobe_ring_record_enable(struct strobe_ring *ring, int cpu);
bool strobe_ring_is_disabled(const struct strobe_ring *ring);
void strobe_ring_hold(struct strobe_ring *ring);
void strobe_ring_release(struct strobe_ring *ring);
void strobe_ring_set_clock(struct strobe_ring *ring, u64 (*clock)(void));
void strobe_ring_set_overwrite(struct strobe_ring *ring, bool overwrite);
u64 strobe_ring_now(const struct strobe_ring *ring);

/* reshape.c */
void strobe_ring_reset(struct strobe_ring *ring, int cpu);
int strobe_ring_resize(struct strobe_ring *ring, size_t bytes, int cpu);
int strobe_ring_resize_two(struct strobe_ring *ring, struct strobe_ring *other,
			   size_t bytes, int cpu);
int strobe_ring_set_order(struct strobe_ring *ring, unsigned int order);
int strobe_ring_set_order_two(struct strobe_ring *ring, struct strobe_ring *other,
			      unsigned int order);
int strobe_ring_match(struct strobe_ring *ring, struct strobe_ring *like);

/* swap.c */
int strobe_ring_swap(struct strobe_ring *a, struct strobe_ring *b);
void strobe_ring_swap_wake(struct strobe_ring *a, struct strobe_ring *b);
int strobe_ring_swap_cpu(struct strobe_ring *a, struct strobe_ring *b, int cpu);

/* stats.c */
size_t strobe_ring_bytes(const struct strobe_ring *ring, int cpu);
size_t strobe_ring_bytes_for(const struct strobe_ring *ring, size_t bytes);
unsigned int strobe_ring_subbuf_bytes(const struct strobe_ring *ring);
u32 strobe_ring_max_payload(const struct strobe_ring *ring);
unsigned long strobe_ring_overruns(struct strobe_ring *ring, int cpu);
void strobe_ring_stats(struct strobe_ring *ring, int cpu,
		       struct strobe_ring_stats *stats);
bool strobe_ring_empty(struct strobe_ring *ring, int cpu);

/* read.c: the consuming reader */
bool strobe_ring_peek(struct strobe_ring *ring, int cpu,
		      struct strobe_ring_record *record);
void strobe_ring_consume(struct strobe_ring *ring, int cpu);

/* raw.c: whole sub-buffers */
int strobe_ring_page_alloc(struct strobe_ring *ring, int cpu,
			   struct strobe_ring_page *page);
void strobe_ring_page_free(struct strobe_ring_page *page);
unsigned int strobe_ring_page_bytes(const struct strobe_ring_page *page);
int strobe_ring_read_page(struct strobe_ring *ring, int cpu,
			  struct strobe_ring_page *page, size_t room, bool whole);

/* map.c: mapped to user space */
int strobe_ring_map(struct strobe_ring *ring, int cpu);
void strobe_ring_unmap(struct strobe_ring *ring, int cpu);
unsigned long strobe_ring_map_pages(struct strobe_ring *ring, int cpu);
void *strobe_ring_map_page(struct strobe_ring *ring, int cpu, unsigned long nr);
int strobe_ring_map_get_reader(struct strobe_ring *ring, int cpu);

/* iter.c: a reader that does not consume */
struct strobe_ring_iter *strobe_ring_iter_open(struct strobe_ring *ring, int cpu);
void strobe_ring_iter_close(struct strobe_ring_iter *iter);
bool strobe_ring_iter_peek(struct strobe_ring_iter *iter,
			   struct strobe_ring_record *record);
void strobe_ring_iter_advance(struct strobe_ring_iter *iter);
void strobe_ring_iter_reset(struct strobe_ring_iter *iter);
void strobe_ring_iter_extend(struct strobe_ring_iter *iter);
bool strobe_ring_iter_removed(const struct strobe_ring_iter *iter,
			      const struct strobe_ring_record *record);

/* dump.c: the reader for ftrace_dump(): no locks, no allocations, any context */
bool strobe_ring_dump_peek(struct strobe_ring *ring, int cpu,
			   struct strobe_ring_record *record);
void strobe_ring_dump_consume(struct strobe_ring *ring, int cpu);

/* wait.c */
int strobe_ring_wait(struct strobe_ring *ring, int cpu, int percent_full,
		     bool (*cond)(void *data), void *data);
__poll_t strobe_ring_poll(struct strobe_ring *ring, int cpu, struct file *file,
			  poll_table *table, int percent_full);
void strobe_ring_wake(struct strobe_ring *ring, int cpu);

/* check.c */
int strobe_ring_check(struct strobe_ring *ring, int cpu);

#endif /* _STROBE_RING_H */
