// SPDX-License-Identifier: GPL-2.0
/*
 * Let each allocation of creating, resizing and reading a ring fail in turn: the errno
 * must be the documented one, and nothing may change or leak (leaks are found in the
 * sanitizer's build).
 */
#include "harness.h"
#include "ring/write.h"
#include "ring/internal.h"

static int failures;

#define EXPECT(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "# %s:%d: not so: %s\n", __FILE__, __LINE__, #cond);\
		failures++;						\
	}								\
} while (0)

u64 sched_clock_noinstr(void)
{
	static u64 now;

	return ++now;
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

static void put(struct strobe_ring *ring, u32 value)
{
	struct strobe_ring_resv resv;
	u32 *data = strobe_ring_reserve(ring, 60, &resv);

	*data = value;
	strobe_ring_commit(&resv);
}

static int fail_create(void)
{
	struct strobe_ring_params params = { .bytes = 5 * 4080, .overwrite = true };
	struct strobe_ring *ring;
	int n = 0;

	do {
		shim_fail_at = ++n;
		ring = strobe_ring_create(&params);
		if (IS_ERR(ring))
			EXPECT(PTR_ERR(ring) == -ENOMEM);
	} while (IS_ERR(ring));
	EXPECT(shim_fail_at > 0);
	shim_fail_at = 0;
	EXPECT(!strobe_ring_check(ring, STROBE_RING_ALL_CPUS));
	strobe_ring_destroy(ring);

	params.subbuf_order = STROBE_SUBBUF_ORDER_MAX + 1;
	EXPECT(PTR_ERR(strobe_ring_create(&params)) == -EINVAL);
	params.subbuf_order = 0;
	params.bytes = SIZE_MAX;
	EXPECT(PTR_ERR(strobe_ring_create(&params)) == -ENOMEM);
	return n;
}

/* In a region: the records of the previous boot must survive. */
static int fail_create_kept(void)
{
	struct strobe_ring_params params = {
		.overwrite = true, .region.bytes = 30 * PAGE_SIZE,
	};
	struct strobe_ring_stats stats;
	struct strobe_ring *ring;
	int n = 0, i;

	params.region.start = shim_alloc(params.region.bytes);
	ring = strobe_ring_create(&params);
	for (i = 0; i < 100; i++)
		put(ring, i);
	strobe_ring_destroy(ring);
	do {
		shim_fail_at = ++n;
		ring = strobe_ring_create(&params);
		if (IS_ERR(ring))
			EXPECT(PTR_ERR(ring) == -ENOMEM);
	} while (IS_ERR(ring));
	EXPECT(shim_fail_at > 0 && n > 4);
	shim_fail_at = 0;
	EXPECT(!strobe_ring_check(ring, STROBE_RING_ALL_CPUS));
	strobe_ring_stats(ring, 0, &stats);
	EXPECT(stats.entries == 100);
	strobe_ring_destroy(ring);
	free(params.region.start);
	return n;
}

static int fail_resize(size_t bytes)
{
	struct strobe_ring_params params = { .bytes = 5 * 4080, .overwrite = true };
	struct strobe_ring *ring = strobe_ring_create(&params);
	struct strobe_ring_record record;
	struct strobe_ring_stats stats;
	int n = 0, err, i;

	for (i = 0; i < 100; i++)
		put(ring, i);
	do {
		shim_fail_at = ++n;
		err = strobe_ring_resize(ring, bytes, STROBE_RING_ALL_CPUS);
		if (err) {
			EXPECT(err == -ENOMEM);
			EXPECT(strobe_ring_bytes(ring, 0) == 5 * 4080);
			strobe_ring_stats(ring, 0, &stats);
			EXPECT(stats.entries == 100);
		}
		shim_fail_at = 0;
		EXPECT(!strobe_ring_check(ring, STROBE_RING_ALL_CPUS));
		put(ring, 0);
		strobe_ring_peek(ring, 0, &record);
		strobe_ring_consume(ring, 0);
	} while (err);
	strobe_ring_destroy(ring);
	return n;
}

static int fail_iterate(void)
{
	struct strobe_ring_params params = { .bytes = 5 * 4080, .overwrite = true };
	struct strobe_ring *ring = strobe_ring_create(&params);
	struct strobe_ring_iter *iter;
	int n = 0;

	do {
		shim_fail_at = ++n;
		iter = strobe_ring_iter_open(ring, 0);
		if (IS_ERR(iter))
			EXPECT(PTR_ERR(iter) == -ENOMEM);
	} while (IS_ERR(iter));
	shim_fail_at = 0;
	strobe_ring_iter_close(iter);
	strobe_ring_destroy(ring);
	return n;
}

/* An iterator that is open during the change continues once there is memory for it. */
static int fail_order(void)
{
	struct strobe_ring_params params = { .bytes = 5 * 4080, .overwrite = true };
	struct strobe_ring *ring = strobe_ring_create(&params);
	struct strobe_ring_iter *iter;
	struct strobe_ring_record record;
	struct strobe_ring_stats stats;
	int n = 0, err, i;

	for (i = 0; i < 100; i++)
		put(ring, i);
	iter = strobe_ring_iter_open(ring, 0);
	do {
		shim_fail_at = ++n;
		err = strobe_ring_set_order(ring, 3);
		if (err) {
			EXPECT(err == -ENOMEM);
			EXPECT(strobe_ring_bytes(ring, 0) == 5 * 4080);
			EXPECT(strobe_ring_subbuf_bytes(ring) == PAGE_SIZE);
			strobe_ring_stats(ring, 0, &stats);
			EXPECT(stats.entries == 100);
			EXPECT(strobe_ring_iter_peek(iter, &record));
		}
		shim_fail_at = 0;
		EXPECT(!strobe_ring_check(ring, STROBE_RING_ALL_CPUS));
	} while (err);
	EXPECT(strobe_ring_subbuf_bytes(ring) == PAGE_SIZE << 3);
	put(ring, 7);
	shim_fail_at = 1;
	strobe_ring_iter_reset(iter);
	EXPECT(!shim_fail_at);
	shim_fail_at = 1;
	EXPECT(!strobe_ring_iter_peek(iter, &record));
	EXPECT(!shim_fail_at);
	EXPECT(strobe_ring_iter_peek(iter, &record));
	EXPECT(*(u32 *)record.data == 7 && record.lost == 100);
	strobe_ring_iter_close(iter);
	strobe_ring_destroy(ring);
	return n;
}

/* Change two rings together: both or neither must change. */
static int change_two(struct strobe_ring *a, struct strobe_ring *b, int what)
{
	switch (what) {
	case 0:
		return strobe_ring_resize_two(a, b, 9 * 4080, STROBE_RING_ALL_CPUS);
	case 1:
		return strobe_ring_resize_two(a, b, 2 * 4080, 1);
	case 2:
		return strobe_ring_set_order_two(a, b, 2);
	}
	return strobe_ring_match(b, a);
}

static int fail_two(int what)
{
	struct strobe_ring_params params = { .bytes = 5 * 4080, .overwrite = true };
	struct strobe_ring *a = strobe_ring_create(&params);
	struct strobe_ring *b = strobe_ring_create(&params);
	struct strobe_ring_stats stats;
	int n = 0, err;

	put(a, 1);
	put(b, 2);
	do {
		shim_fail_at = ++n;
		err = change_two(a, b, what);
		if (err) {
			EXPECT(err == -ENOMEM);
			EXPECT(strobe_ring_bytes(a, 1) == 5 * 4080);
			EXPECT(strobe_ring_bytes(b, 1) == 5 * 4080);
			strobe_ring_stats(b, 0, &stats);
			EXPECT(stats.entries == 1);
		}
		shim_fail_at = 0;
		EXPECT(!strobe_ring_check(a, STROBE_RING_ALL_CPUS));
		EXPECT(!strobe_ring_check(b, STROBE_RING_ALL_CPUS));
	} while (err);
	EXPECT(strobe_ring_bytes(a, 1) == strobe_ring_bytes(b, 1));
	EXPECT(!strobe_ring_swap(a, b));
	EXPECT(!strobe_ring_swap_cpu(a, b, 1));
	strobe_ring_destroy(a);
	strobe_ring_destroy(b);
	return n;
}

static int fail_page(void)
{
	struct strobe_ring_params params = { .bytes = 5 * 4080, .overwrite = true };
	struct strobe_ring *ring = strobe_ring_create(&params);
	struct strobe_ring_page page;

	shim_fail_at = 1;
	EXPECT(strobe_ring_page_alloc(ring, 0, &page) == -ENOMEM);
	EXPECT(!strobe_ring_page_bytes(&page));
	put(ring, 7);
	EXPECT(strobe_ring_read_page(ring, 0, &page, PAGE_SIZE, false) == -EINVAL);
	strobe_ring_page_free(&page);
	strobe_ring_destroy(ring);
	return 1;
}

static int fail_map(void)
{
	struct strobe_ring_params params = { .bytes = 5 * 4080, .overwrite = true };
	struct strobe_ring *ring = strobe_ring_create(&params);
	int n = 0, err;

	do {
		shim_fail_at = ++n;
		err = strobe_ring_map(ring, 0);
		EXPECT(!err || err == -ENOMEM);
		shim_fail_at = 0;
		EXPECT(!strobe_ring_check(ring, STROBE_RING_ALL_CPUS));
		put(ring, 0);
		EXPECT(strobe_ring_map_get_reader(ring, 0) == (err ? -ENODEV : 0));
	} while (err);
	strobe_ring_unmap(ring, 0);
	strobe_ring_destroy(ring);
	return n;
}

int main(void)
{
	int n, what;

	shim_nr_cpus = 3;
	n = fail_create();
	n += fail_create_kept();
	n += fail_resize(9 * 4080);
	n += fail_resize(2 * 4080);
	n += fail_iterate();
	n += fail_order();
	n += fail_map();
	n += fail_page();
	for (what = 0; what < 4; what++)
		n += fail_two(what);
	printf("# %d allocations failed\n", n - 11);
	EXPECT(n > 30);
	return !!failures;
}
