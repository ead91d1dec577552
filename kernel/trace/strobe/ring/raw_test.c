// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of reading whole sub-buffers, of changing their size, and of mapping
 * them to user space: one CPU, a clock that the test sets. Also built in user space
 * by tools/testing/strobe.
 */
#include <linux/trace_mmap.h>

#include "ring/ring_test.h"

/* Records with this payload fill a sub-buffer of one page to the last byte. */
#define TEST_EVEN	8
#define TEST_EVEN_NR	(1020 / 3)
/* With this payload, 20 bytes are left. */
#define TEST_ODD	24
#define TEST_ODD_NR	(1020 / 7)

static int raw_test_init(struct kunit *test)
{
	struct ring_test *t;

	ring_test_init(test);
	t = test->priv;
	KUNIT_ASSERT_EQ(test, strobe_ring_page_alloc(t->ring, t->cpu, &t->page), 0);
	KUNIT_ASSERT_EQ(test, strobe_ring_page_bytes(&t->page), PAGE_SIZE);
	return 0;
}

static void raw_test_exit(struct kunit *test)
{
	struct ring_test *t = test->priv;

	/* A page may be freed after the ring, and twice. */
	ring_test_exit(test);
	if (!t)
		return;
	strobe_ring_page_free(&t->page);
	strobe_ring_page_free(&t->page);
}

/* Write a record five ns after the last: first word @value, all other bytes its low byte. */
static bool put_later(struct ring_test *t, u32 len, u32 value)
{
	struct strobe_ring_resv resv;
	u32 *data;

	test_now += 5;
	preempt_disable();
	data = begin(t, len, value, &resv);
	if (data) {
		memset(data + 1, value, len - sizeof(*data));
		strobe_ring_commit(&resv);
	}
	preempt_enable();
	return data;
}

static void put_many(struct ring_test *t, u32 len, u32 first, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		put_later(t, len, first + i);
}

static int read_page(struct ring_test *t, size_t room, bool whole)
{
	return strobe_ring_read_page(t->ring, t->cpu, &t->page, room, whole);
}

/* Number of lost records that the page reports; U32_MAX if it has no number. */
static unsigned long page_lost(const struct ring_test *t)
{
	const struct strobe_subbuf *subbuf = t->page.data;
	unsigned long commit = local_read(&subbuf->commit), lost;

	if (!(commit & STROBE_SUBBUF_MISSED))
		return 0;
	if (!(commit & STROBE_SUBBUF_MISSED_STORED))
		return U32_MAX;
	memcpy(&lost, subbuf->data + (commit & ~STROBE_SUBBUF_MISSED_MASK), sizeof(lost));
	return lost;
}

/*
 * Check that the page has @nr records, numbered from @first, five ns apart and the last
 * one at @ts, and reports @lost records before them. The bytes after them must be 0.
 */
static void expect_page(struct kunit *test, u32 first, u32 nr, u64 ts,
			unsigned long lost)
{
	struct ring_test *t = test->priv;
	const struct strobe_subbuf *subbuf = t->page.data;
	unsigned long commit = local_read(&subbuf->commit) & ~STROBE_SUBBUF_MISSED_MASK;
	struct strobe_ring_walk walk = {
		.subbuf = subbuf,
		.end = commit / STROBE_RECORD_UNIT,
		.ts = subbuf->time_stamp,
	};
	u32 capacity = strobe_ring_page_bytes(&t->page) - STROBE_SUBBUF_HEADER, i;
	struct strobe_ring_record record;

	KUNIT_EXPECT_EQ(test, page_lost(t), lost);
	KUNIT_ASSERT_LE(test, commit, capacity);
	for (i = 0; strobe_walk_next(&walk, &record) == STROBE_WALK_DATA; i++) {
		KUNIT_ASSERT_EQ(test, *(u32 *)record.data, first + i);
		KUNIT_ASSERT_EQ(test, record.ts + 5ULL * (nr - 1 - i), ts);
	}
	KUNIT_EXPECT_EQ(test, i, nr);
	KUNIT_EXPECT_EQ(test, walk.pos, walk.end);
	if (lost && lost != U32_MAX)
		commit += sizeof(lost);
	for (; commit < capacity && !subbuf->data[commit]; commit++)
		;
	KUNIT_EXPECT_EQ(test, commit, capacity);
}

/* A full sub-buffer is exchanged for the reader's page, not copied; each one can be. */
static void raw_test_full(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_cpu *rc = strobe_ring_of(t->ring, t->cpu);
	struct strobe_ring_lap *lap;
	void *full, *mine;
	u32 i;

	put_later(t, TEST_EVEN, 0);
	for (i = 0; i < 3 * TEST_SLOTS; i++) {
		lap = &rc->store->laps[i % TEST_SLOTS];
		put_many(t, TEST_EVEN, i * TEST_EVEN_NR + 1, TEST_EVEN_NR - 1);
		/* It is full, but still the current one: no writer has crossed. */
		KUNIT_EXPECT_EQ(test, read_page(t, PAGE_SIZE, true), -EAGAIN);
		put_later(t, TEST_EVEN, (i + 1) * TEST_EVEN_NR);

		full = rc->store->subbufs[strobe_slot_id(atomic64_read(&lap->word))];
		mine = t->page.data;
		KUNIT_ASSERT_EQ(test, read_page(t, PAGE_SIZE, true), 0);
		KUNIT_EXPECT_TRUE(test, t->page.data == full);
		KUNIT_EXPECT_TRUE(test, rc->store->subbufs[rc->reader.hand_id] == mine);
		expect_page(test, i * TEST_EVEN_NR, TEST_EVEN_NR, test_now - 5, 0);
		expect_sound(test);
	}
	KUNIT_EXPECT_EQ(test, get_stats(t).read, i * TEST_EVEN_NR);
	KUNIT_EXPECT_EQ(test, get_stats(t).entries, 1);
}

/* From the sub-buffer that is being written, each read returns only new records. */
static void raw_test_partial(struct kunit *test)
{
	struct ring_test *t = test->priv;
	u32 value = 0, i;

	for (i = 1; i < 200; i++) {
		put_many(t, TEST_ODD, value, i % 40 + 1);
		KUNIT_ASSERT_EQ(test, read_page(t, SIZE_MAX, false), 0);
		if (strobe_ring_empty(t->ring, t->cpu)) {
			expect_page(test, value, i % 40 + 1, test_now, 0);
			value += i % 40 + 1;
		} else {
			/* The records are in two sub-buffers. */
			u32 n = i % 40 + 1 - get_stats(t).entries;

			expect_page(test, value, n, test_now - 5 * get_stats(t).entries, 0);
			value += n;
			n = get_stats(t).entries;
			KUNIT_ASSERT_EQ(test, read_page(t, PAGE_SIZE, false), 0);
			expect_page(test, value, n, test_now, 0);
			value += n;
		}
		KUNIT_EXPECT_EQ(test, read_page(t, PAGE_SIZE, false), -EAGAIN);
		KUNIT_EXPECT_EQ(test, get_stats(t).read, value);
	}
	expect_sound(test);
}

/* A page reports lost records, and their number if it fits. */
static void raw_test_lost(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_record record;

	/* Records for six sub-buffers in a ring of four. */
	put_many(t, TEST_ODD, 0, 6 * TEST_ODD_NR);
	KUNIT_ASSERT_EQ(test, read_page(t, PAGE_SIZE, true), 0);
	expect_page(test, 2 * TEST_ODD_NR, TEST_ODD_NR,
		    test_now - 5 * 3 * TEST_ODD_NR, 2 * TEST_ODD_NR);
	KUNIT_ASSERT_EQ(test, read_page(t, PAGE_SIZE, true), 0);
	expect_page(test, 3 * TEST_ODD_NR, TEST_ODD_NR,
		    test_now - 5 * 2 * TEST_ODD_NR, 0);
	expect_sound(test);

	strobe_ring_reset(t->ring, t->cpu);
	put_many(t, TEST_EVEN, 0, 6 * TEST_EVEN_NR);
	KUNIT_ASSERT_EQ(test, read_page(t, PAGE_SIZE, true), 0);
	expect_page(test, 2 * TEST_EVEN_NR, TEST_EVEN_NR,
		    test_now - 5 * 3 * TEST_EVEN_NR, U32_MAX);

	/* A peek reports the loss as well, and then the page does not. */
	strobe_ring_reset(t->ring, t->cpu);
	put_many(t, TEST_ODD, 0, 6 * TEST_ODD_NR);
	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(t->ring, t->cpu, &record));
	KUNIT_EXPECT_EQ(test, record.lost, 2 * TEST_ODD_NR);
	strobe_ring_consume(t->ring, t->cpu);
	KUNIT_ASSERT_EQ(test, read_page(t, PAGE_SIZE, true), 0);
	expect_page(test, 2 * TEST_ODD_NR + 1, TEST_ODD_NR - 1,
		    test_now - 5 * 3 * TEST_ODD_NR, 0);
	expect_sound(test);
}

/* With a smaller limit a page gets as many whole records as fit; if none, -EINVAL. */
static void raw_test_room(struct kunit *test)
{
	struct ring_test *t = test->priv;
	const u32 size = strobe_record_size(TEST_ODD);
	u64 ts = test_now;
	u32 done, n;

	/* A bit more than five sub-buffers in a ring of four: the first two are lost. */
	put_many(t, TEST_ODD, 0, 5 * TEST_ODD_NR + 10);
	done = 2 * TEST_ODD_NR;
	ts += 5ULL * done;
	for (n = 0; n < STROBE_SUBBUF_HEADER + size; n++)
		KUNIT_ASSERT_EQ(test, read_page(t, n, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, get_stats(t).read, 0);
	KUNIT_ASSERT_EQ(test, read_page(t, STROBE_SUBBUF_HEADER + size, false), 0);
	expect_page(test, done, 1, ts + 5, done);
	done++;
	ts += 5;
	for (n = 2; done < 5 * TEST_ODD_NR; n++) {
		u32 left = TEST_ODD_NR - done % TEST_ODD_NR, nr = min(n % 50 + 1, left);

		KUNIT_ASSERT_EQ(test, read_page(t, STROBE_SUBBUF_HEADER +
						(n % 50 + 1) * size + size - 1, true), 0);
		ts += 5 * nr;
		expect_page(test, done, nr, ts, 0);
		done += nr;
		expect_sound(test);
	}
	KUNIT_EXPECT_EQ(test, get_stats(t).read, 3 * TEST_ODD_NR);
	KUNIT_EXPECT_EQ(test, get_stats(t).entries, 10);
}

/* With time records and padding times are right, and a small record fits by itself. */
static void raw_test_gaps(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_resv outer, inner;
	u32 i;

	for (i = 0; i < 20; i++) {
		test_now += 1ULL << (27 + i);
		put_later(t, 8, 2 * i);
		/* Padding of 204 bytes. */
		preempt_disable();
		test_now += 100;
		strobe_ring_reserve(t->ring, 200, &outer);
		memset(strobe_ring_reserve(t->ring, 8, &inner), 0xff, 8);
		strobe_ring_commit(&inner);
		strobe_ring_discard(&outer);
		preempt_enable();
		if (i % 2) {
			KUNIT_ASSERT_EQ(test, read_page(t, PAGE_SIZE, false), 0);
			continue;
		}
		KUNIT_ASSERT_EQ(test, read_page(t, STROBE_SUBBUF_HEADER + 12, false), 0);
		expect_page(test, 2 * i, 1, test_now - 100, 0);
		KUNIT_ASSERT_EQ(test, read_page(t, STROBE_SUBBUF_HEADER + 12, false), 0);
		expect_page(test, ~0U, 1, test_now, 0);
		KUNIT_EXPECT_EQ(test, read_page(t, PAGE_SIZE, false), -EAGAIN);
	}
	KUNIT_EXPECT_EQ(test, get_stats(t).read, 40);
	KUNIT_EXPECT_EQ(test, get_stats(t).discarded, 20);
	expect_sound(test);
}

/* The dump shows nothing of a sub-buffer that was exchanged for another page. */
static void raw_test_dump(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_record record;

	put_many(t, TEST_EVEN, 0, 2 * TEST_EVEN_NR);
	/* The peek makes the first sub-buffer the reader page. */
	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(t->ring, t->cpu, &record));
	preempt_disable();
	KUNIT_EXPECT_TRUE(test, strobe_ring_dump_peek(t->ring, t->cpu, &record));
	KUNIT_EXPECT_EQ(test, *(u32 *)record.data, 0);
	preempt_enable();
	KUNIT_ASSERT_EQ(test, read_page(t, PAGE_SIZE, true), 0);
	preempt_disable();
	KUNIT_EXPECT_TRUE(test, strobe_ring_dump_peek(t->ring, t->cpu, &record));
	KUNIT_EXPECT_EQ(test, *(u32 *)record.data, TEST_EVEN_NR);
	preempt_enable();
}

/* For each order check sizes and the longest record; old records count as overwritten. */
static void raw_test_order(struct kunit *test)
{
	struct ring_test *t = test->priv;
	size_t bytes = strobe_ring_bytes(t->ring, t->cpu);
	struct strobe_ring_record record;
	unsigned int order;
	u32 max;

	for (order = 1; PAGE_SIZE << order <= STROBE_SUBBUF_BYTES_MAX; order++) {
		put_many(t, 8, 0, 10);
		KUNIT_ASSERT_TRUE(test, strobe_ring_peek(t->ring, t->cpu, &record));
		strobe_ring_consume(t->ring, t->cpu);
		KUNIT_ASSERT_EQ(test, strobe_ring_set_order(t->ring, order), 0);
		KUNIT_EXPECT_TRUE(test, strobe_ring_empty(t->ring, t->cpu));
		KUNIT_EXPECT_EQ(test, get_stats(t).overrun, 9);
		KUNIT_EXPECT_EQ(test, strobe_ring_subbuf_bytes(t->ring), PAGE_SIZE << order);
		KUNIT_EXPECT_LE(test, bytes, strobe_ring_bytes(t->ring, t->cpu));
		expect_sound(test);

		max = strobe_ring_max_payload(t->ring);
		KUNIT_EXPECT_EQ(test, max, (PAGE_SIZE << order) - STROBE_SUBBUF_HEADER - 8);
		KUNIT_EXPECT_FALSE(test, put_later(t, max + 1, 0));
		KUNIT_EXPECT_TRUE(test, put_later(t, max, 1));
		KUNIT_EXPECT_TRUE(test, put_later(t, max, 2));
		/* The record does not fit into a page of the old size. */
		KUNIT_EXPECT_EQ(test, read_page(t, SIZE_MAX, true), -EINVAL);
		strobe_ring_page_free(&t->page);
		KUNIT_ASSERT_EQ(test, strobe_ring_page_alloc(t->ring, t->cpu, &t->page), 0);
		KUNIT_EXPECT_EQ(test, read_page(t, SIZE_MAX, true), 0);
		expect_page(test, 1, 1, test_now - 5, U32_MAX);
		KUNIT_ASSERT_TRUE(test, strobe_ring_peek(t->ring, t->cpu, &record));
		KUNIT_EXPECT_EQ(test, record.len, max);
		KUNIT_EXPECT_EQ(test, record.lost, 0);
		strobe_ring_consume(t->ring, t->cpu);
		expect_sound(test);
		strobe_ring_reset(t->ring, t->cpu);
	}
	KUNIT_EXPECT_EQ(test, strobe_ring_set_order(t->ring, order), -EINVAL);
	KUNIT_EXPECT_EQ(test, strobe_ring_set_order(t->ring, UINT_MAX), -EINVAL);
	put_later(t, 8, 7);
	KUNIT_EXPECT_EQ(test, strobe_ring_set_order(t->ring, order - 1), 0);
	KUNIT_EXPECT_EQ(test, get_stats(t).entries, 1);
	KUNIT_EXPECT_EQ(test, strobe_ring_set_order(t->ring, 0), 0);
	/* Records are copied to a page of another size. */
	put_many(t, TEST_EVEN, 0, TEST_EVEN_NR + 1);
	KUNIT_EXPECT_EQ(test, read_page(t, SIZE_MAX, true), 0);
	expect_page(test, 0, TEST_EVEN_NR, test_now - 5, 1);
	expect_sound(test);
}

/* An iterator continues when the size of sub-buffers changes, up or down. */
static void raw_test_order_iterate(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_iter *iter;
	struct strobe_ring_record record;
	unsigned int order;
	u32 shown, large;

	iter = strobe_ring_iter_open(t->ring, t->cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(iter));
	for (order = 0; order < 8; order++) {
		put_many(t, TEST_EVEN, 0, 3 * TEST_EVEN_NR);
		strobe_ring_iter_reset(iter);
		for (shown = 0; shown < TEST_EVEN_NR + 10; shown++) {
			KUNIT_ASSERT_TRUE(test, strobe_ring_iter_peek(iter, &record));
			KUNIT_ASSERT_EQ(test, *(u32 *)record.data, shown);
			strobe_ring_iter_advance(iter);
		}
		KUNIT_ASSERT_TRUE(test, strobe_ring_iter_peek(iter, &record));
		KUNIT_ASSERT_EQ(test, strobe_ring_set_order(t->ring, 3 - order % 4), 0);
		put_later(t, strobe_ring_max_payload(t->ring), ~0U);
		/* Records that the change removed are lost to it, even if it has a copy. */
		for (large = 0; strobe_ring_iter_peek(iter, &record); large++) {
			KUNIT_EXPECT_EQ(test, record.len, strobe_ring_max_payload(t->ring));
			KUNIT_EXPECT_EQ(test, record.lost, 3 * TEST_EVEN_NR - shown);
			strobe_ring_iter_advance(iter);
		}
		KUNIT_EXPECT_EQ(test, large, 1);
		expect_sound(test);
		strobe_ring_reset(t->ring, t->cpu);
	}
	strobe_ring_iter_close(iter);
}

/* The reader page as user space finds it in a mapping. */
static const struct strobe_subbuf *mapped_reader(struct ring_test *t)
{
	const struct trace_buffer_meta *meta = strobe_ring_map_page(t->ring, t->cpu, 0);
	unsigned long pages = meta->subbuf_size / PAGE_SIZE;

	return strobe_ring_map_page(t->ring, t->cpu, (meta->reader.id + 1) * pages);
}

/* Get new records into the mapped reader page, and check it as expect_page() does. */
static void expect_mapped(struct kunit *test, u32 first, u32 nr, u64 ts,
			  unsigned long lost)
{
	struct ring_test *t = test->priv;
	const struct trace_buffer_meta *meta = strobe_ring_map_page(t->ring, t->cpu, 0);
	u64 read = get_stats(t).read;
	u32 id = meta->reader.id;
	void *mine = t->page.data;

	KUNIT_ASSERT_EQ(test, strobe_ring_map_get_reader(t->ring, t->cpu), 0);
	KUNIT_EXPECT_TRUE(test, meta->reader.id != id);
	KUNIT_EXPECT_EQ(test, meta->read, read + nr);
	KUNIT_EXPECT_EQ(test, meta->reader.lost_events, lost);
	KUNIT_EXPECT_EQ(test, meta->entries,
			get_stats(t).reserved - get_stats(t).discarded);
	KUNIT_EXPECT_EQ(test, meta->overrun, get_stats(t).overrun);
	t->page.data = (void *)mapped_reader(t);
	expect_page(test, first, nr, ts, lost);
	t->page.data = mine;
	expect_sound(test);
}

/* While mapped, no sub-buffer moves in the mapping; the id of the reader page changes. */
static void raw_test_map(struct kunit *test)
{
	struct ring_test *t = test->priv;
	const struct trace_buffer_meta *meta;
	size_t bytes = strobe_ring_bytes(t->ring, t->cpu);
	u32 i, value = 0, id;

	KUNIT_EXPECT_EQ(test, strobe_ring_map_get_reader(t->ring, t->cpu), -ENODEV);
	KUNIT_ASSERT_EQ(test, strobe_ring_map(t->ring, t->cpu), 0);
	meta = strobe_ring_map_page(t->ring, t->cpu, 0);
	KUNIT_EXPECT_EQ(test, meta->nr_subbufs, TEST_SLOTS + 2);
	KUNIT_EXPECT_EQ(test, meta->subbuf_size, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, meta->reader.id, 0);
	KUNIT_EXPECT_EQ(test, strobe_ring_map_pages(t->ring, t->cpu), TEST_SLOTS + 3);
	KUNIT_EXPECT_EQ(test, strobe_ring_map_get_reader(t->ring, t->cpu), 0);
	KUNIT_EXPECT_EQ(test, meta->reader.id, 0);

	for (i = 0; i < 30; i++) {
		put_many(t, TEST_ODD, value, 4);
		value += 4;
		expect_mapped(test, value - 4, 4, test_now, 0);
		id = meta->reader.id;
		KUNIT_EXPECT_EQ(test, strobe_ring_map_get_reader(t->ring, t->cpu), 0);
		KUNIT_EXPECT_EQ(test, meta->reader.id, id);
	}
	/* Write many more than fit: the ring holds the last ones. */
	put_many(t, TEST_ODD, value, 6 * TEST_ODD_NR);
	expect_mapped(test, 3 * TEST_ODD_NR, TEST_ODD_NR, test_now -
		      5 * (value + 2 * TEST_ODD_NR), 3 * TEST_ODD_NR - value);
	expect_mapped(test, 4 * TEST_ODD_NR, TEST_ODD_NR, test_now -
		      5 * (value + TEST_ODD_NR), 0);

	/* Reading by other means still works, by copying. */
	KUNIT_ASSERT_EQ(test, read_page(t, PAGE_SIZE, true), 0);
	expect_page(test, 5 * TEST_ODD_NR, TEST_ODD_NR, test_now - 5 * value, 0);
	expect_mapped(test, 6 * TEST_ODD_NR, value, test_now, 0);

	KUNIT_EXPECT_EQ(test, strobe_ring_resize(t->ring, 2 * bytes, STROBE_RING_ALL_CPUS),
			-EBUSY);
	KUNIT_EXPECT_EQ(test, strobe_ring_set_order(t->ring, 1), -EBUSY);
	strobe_ring_reset(t->ring, t->cpu);
	KUNIT_EXPECT_EQ(test, meta->entries, 0);
	KUNIT_EXPECT_EQ(test, meta->read, 0);
	put_later(t, TEST_ODD, 77);
	expect_mapped(test, 77, 1, test_now, 0);

	/* The last of two mappings ends; the ring then works as before. */
	KUNIT_ASSERT_EQ(test, strobe_ring_map(t->ring, t->cpu), 0);
	strobe_ring_unmap(t->ring, t->cpu);
	KUNIT_EXPECT_EQ(test, strobe_ring_set_order(t->ring, 1), -EBUSY);
	strobe_ring_unmap(t->ring, t->cpu);
	KUNIT_EXPECT_EQ(test, strobe_ring_map_get_reader(t->ring, t->cpu), -ENODEV);
	put_many(t, TEST_EVEN, 0, 9 * TEST_EVEN_NR);
	expect_sound(test);
	strobe_ring_reset(t->ring, t->cpu);
	expect_sound(test);
	put_many(t, TEST_EVEN, 0, 3 * TEST_EVEN_NR);
	KUNIT_EXPECT_EQ(test, strobe_ring_resize(t->ring, bytes / 2, t->cpu), 0);
	expect_sound(test);
	KUNIT_EXPECT_EQ(test, strobe_ring_resize(t->ring, bytes * 2, t->cpu), 0);
	expect_sound(test);
}

/* meta->reader.id changes, however often the reader page was filled since the last call. */
static void raw_test_map_again(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_record record;
	struct strobe_ring_resv resv;
	u32 fills, i;

	KUNIT_ASSERT_EQ(test, strobe_ring_map(t->ring, t->cpu), 0);
	put_many(t, TEST_ODD, 0, 3);
	expect_mapped(test, 0, 3, test_now, 0);
	for (fills = 1; fills < 5; fills++) {
		for (i = 0; i < fills; i++) {
			/* The only new content is a time record. */
			preempt_disable();
			test_now += 1ULL << 33;
			begin(t, TEST_ODD, 0, &resv);
			strobe_ring_discard(&resv);
			preempt_enable();
			KUNIT_EXPECT_FALSE(test, strobe_ring_peek(t->ring, t->cpu, &record));
		}
		put_many(t, TEST_ODD, 10 * fills, 2);
		KUNIT_EXPECT_TRUE(test, strobe_ring_peek(t->ring, t->cpu, &record));
		expect_mapped(test, 10 * fills, 2, test_now, 0);
	}
	/* Consume by other means until the same sub-buffer is the reader page again. */
	for (i = 0; i < 3 * TEST_SLOTS; i++) {
		put_many(t, TEST_ODD, 100, TEST_ODD_NR);
		while (strobe_ring_peek(t->ring, t->cpu, &record))
			strobe_ring_consume(t->ring, t->cpu);
		put_later(t, TEST_ODD, 200 + i);
		KUNIT_EXPECT_TRUE(test, strobe_ring_peek(t->ring, t->cpu, &record));
		if (i % 3 == 2)
			expect_mapped(test, 200 + i, 1, test_now, 0);
		else
			strobe_ring_consume(t->ring, t->cpu);
	}
	strobe_ring_unmap(t->ring, t->cpu);
}

/*
 * A reader looks at a record. Then the ring is mapped; or it was @mapped before, and is reset.
 * After that it is unmapped and made larger, and writers fill it: the bytes of the record stay.
 */
static void look_beside_mapping(struct kunit *test, bool mapped)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_record record;
	u8 bytes[TEST_ODD];

	if (mapped)
		KUNIT_ASSERT_EQ(test, strobe_ring_map(t->ring, t->cpu), 0);
	put_many(t, TEST_ODD, 0, 3);
	KUNIT_ASSERT_TRUE(test, strobe_ring_peek(t->ring, t->cpu, &record));
	memcpy(bytes, record.data, sizeof(bytes));
	if (mapped)
		strobe_ring_reset(t->ring, t->cpu);
	else
		KUNIT_ASSERT_EQ(test, strobe_ring_map(t->ring, t->cpu), 0);
	strobe_ring_unmap(t->ring, t->cpu);
	KUNIT_ASSERT_EQ(test, strobe_ring_resize(t->ring, 16 * PAGE_SIZE, t->cpu), 0);
	put_many(t, TEST_ODD, 100, 16 * PAGE_SIZE / TEST_ODD);
	KUNIT_EXPECT_EQ(test, memcmp(record.data, bytes, sizeof(bytes)), 0);
}

static void raw_test_map_beside_reader(struct kunit *test)
{
	look_beside_mapping(test, false);
}

static void raw_test_reset_beside_reader(struct kunit *test)
{
	look_beside_mapping(test, true);
}

/* With larger sub-buffers the meta page area has as many pages as a sub-buffer. */
static void raw_test_map_order(struct kunit *test)
{
	struct ring_test *t = test->priv;
	const struct trace_buffer_meta *meta;
	u32 max, i;

	KUNIT_ASSERT_EQ(test, strobe_ring_set_order(t->ring, 2), 0);
	max = strobe_ring_max_payload(t->ring);
	KUNIT_ASSERT_EQ(test, strobe_ring_map(t->ring, t->cpu), 0);
	meta = strobe_ring_map_page(t->ring, t->cpu, 0);
	KUNIT_EXPECT_EQ(test, meta->meta_page_size, 4 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, meta->subbuf_size, 4 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, strobe_ring_map_pages(t->ring, t->cpu),
			4 * (meta->nr_subbufs + 1));
	for (i = 1; i < 4; i++)
		KUNIT_EXPECT_TRUE(test, !strobe_ring_map_page(t->ring, t->cpu, i));
	for (i = 4; i < strobe_ring_map_pages(t->ring, t->cpu); i++)
		KUNIT_EXPECT_TRUE(test, strobe_ring_map_page(t->ring, t->cpu, i));
	for (i = 0; i < 10; i++) {
		put_later(t, max, i);
		KUNIT_ASSERT_EQ(test, strobe_ring_map_get_reader(t->ring, t->cpu), 0);
		KUNIT_EXPECT_EQ(test, *(u32 *)(mapped_reader(t)->data + 8), i);
	}
	strobe_ring_unmap(t->ring, t->cpu);
	KUNIT_EXPECT_EQ(test, strobe_ring_set_order(t->ring, 0), 0);
	expect_sound(test);
}

static struct kunit_case raw_test_cases[] = {
	KUNIT_CASE(raw_test_full),
	KUNIT_CASE(raw_test_partial),
	KUNIT_CASE(raw_test_lost),
	KUNIT_CASE(raw_test_room),
	KUNIT_CASE(raw_test_gaps),
	KUNIT_CASE(raw_test_dump),
	KUNIT_CASE(raw_test_order),
	KUNIT_CASE(raw_test_order_iterate),
	KUNIT_CASE(raw_test_map),
	KUNIT_CASE(raw_test_map_again),
	KUNIT_CASE(raw_test_map_beside_reader),
	KUNIT_CASE(raw_test_reset_beside_reader),
	KUNIT_CASE(raw_test_map_order),
	{}
};

static struct kunit_suite raw_test_suite = {
	.name = "strobe_ring_raw",
	.init = raw_test_init,
	.exit = raw_test_exit,
	.test_cases = raw_test_cases,
};

kunit_test_suite(raw_test_suite);
