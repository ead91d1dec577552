// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the ring's encodings: sequences, state words with their count, and slot
 * words (ring/word.h), and headers of records (ring/walk.h). Also built in user space by
 * tools/testing/strobe.
 */
#include "ring/ring_test.h"

/* next, back, distance and linear are consistent, for all shapes, across the wrap. */
static void word_test_sequences(struct kunit *test)
{
	static const u32 sizes[] = { 2, 3, 4, 5, 354, 1000, 65536, 65537,
				     STROBE_RING_SLOTS_MAX - 1, STROBE_RING_SLOTS_MAX };
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct strobe_seq_shape shape = strobe_seq_shape(sizes[i]);
		u32 range = strobe_seq_range(&shape), seq, next;

		seq = strobe_seq_back(&shape, 0, min(sizes[i], 700U));
		for (n = 0; n < 1400; n++) {
			next = strobe_seq_next(&shape, seq);
			KUNIT_ASSERT_LT(test, strobe_seq_index(&shape, next), sizes[i]);
			KUNIT_ASSERT_LE(test, next, STROBE_WORD_SEQ_MASK);
			KUNIT_ASSERT_EQ(test, strobe_seq_back(&shape, next, 1), seq);
			KUNIT_ASSERT_EQ(test, strobe_seq_distance(&shape, seq, next), 1);
			KUNIT_ASSERT_EQ(test, strobe_seq_distance(&shape, next, seq), range - 1);
			KUNIT_ASSERT_EQ(test, strobe_seq_distance(&shape, seq, seq), 0);
			KUNIT_ASSERT_EQ(test, strobe_seq_linear(&shape, next),
					(strobe_seq_linear(&shape, seq) + 1) % range);
			seq = next;
		}
	}
}

/* State words and slot words return the parts that they were made of. */
static void word_test_words(struct kunit *test)
{
	u64 word = strobe_word_make(0x5aaaaaa, 0x2ffd, 0x3ff8), next, slot;

	KUNIT_EXPECT_EQ(test, strobe_word_seq(word), 0x5aaaaaa);
	KUNIT_EXPECT_EQ(test, strobe_word_count(word), 0x2ffd);
	KUNIT_EXPECT_EQ(test, strobe_word_off(word), 0x3ff8);
	/* A record changes neither the sequence nor, in the count's place, the offset. */
	next = strobe_word_add(word, 7);
	KUNIT_EXPECT_EQ(test, strobe_word_seq(next), 0x5aaaaaa);
	KUNIT_EXPECT_EQ(test, strobe_word_count(next), 0x2ffe);
	KUNIT_EXPECT_EQ(test, strobe_word_off(next), 0x3fff);
	KUNIT_EXPECT_EQ(test, strobe_word_place(word), strobe_word_make(0x5aaaaaa, 0, 0x3ff8));
	KUNIT_EXPECT_EQ(test, strobe_word_unpack(strobe_word_pack(word)),
			strobe_word_place(word));
	KUNIT_EXPECT_EQ(test, strobe_word_pack(word) >> STROBE_WORD_PLACE_BITS, 0);
	word = strobe_word_make(STROBE_WORD_SEQ_MASK, STROBE_WORD_COUNT_MASK,
				STROBE_WORD_OFF_MASK);
	KUNIT_EXPECT_LT(test, word, STROBE_WORD_NONE);

	slot = strobe_slot_make(true, 0x2ffe, 0x3ffffe, 0x5aaaaaa);
	KUNIT_EXPECT_TRUE(test, strobe_slot_holds(slot, 0x5aaaaaa));
	KUNIT_EXPECT_FALSE(test, strobe_slot_holds(slot, 0x5aaaaab));
	KUNIT_EXPECT_FALSE(test, strobe_slot_holds(strobe_slot_make(false, 0, 1, 5), 5));
	KUNIT_EXPECT_EQ(test, strobe_slot_id(slot), 0x3ffffe);
	KUNIT_EXPECT_EQ(test, strobe_slot_mark(slot), 0x2ffe);
	KUNIT_EXPECT_EQ(test, strobe_slot_unread(slot, 0x3000), 2);
}

/* A walk stays within the sub-buffer, whatever the record header says. */
static void word_test_walk(struct kunit *test)
{
	static union {
		struct strobe_subbuf subbuf;
		u32 words[4 + 8];
	} page;
	struct strobe_ring_record record;
	struct strobe_ring_walk walk;
	u32 *data = page.words + 4;
	u32 type, words;

	for (type = 0; type < 32; type++) {
		for (words = 0; words < 8; words++) {
			memset(data, 0xff, 32);
			data[0] = strobe_record_word(type, 1);
			walk = (struct strobe_ring_walk) {
				.subbuf = &page.subbuf, .end = words,
			};
			while (strobe_walk_next(&walk, &record) == STROBE_WALK_DATA)
				KUNIT_EXPECT_TRUE(test, record.data + record.len <=
						  (void *)(data + words));
			KUNIT_EXPECT_LE(test, walk.pos, words);
		}
	}
}

/*
 * The count of the state word is that of the records in the sub-buffer that are not
 * discarded, whether it is still being written or was left.
 */
static void word_test_count(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_cpu *rc = strobe_ring_of(t->ring, t->cpu);
	struct strobe_ring_resv outer, inner;
	u32 seq, n;

	put(t, 8, 1);
	/* A time extend, and padding, are not counted. */
	preempt_disable();
	test_now += 1ULL << 30;
	begin(t, 8, 2, &outer);
	KUNIT_EXPECT_EQ(test, strobe_word_count(rc->word), 2);
	begin(t, 8, 3, &inner);
	KUNIT_EXPECT_EQ(test, strobe_word_count(rc->word), 3);
	strobe_ring_commit(&inner);
	KUNIT_EXPECT_EQ(test, strobe_word_count(rc->committed), 1);
	strobe_ring_discard(&outer);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, strobe_word_count(rc->committed), 2);
	/* The newest record is the same one, so the next one has a delta, and no time stamp. */
	KUNIT_EXPECT_EQ(test, rc->last_word, rc->word);

	/* A record of a sub-buffer that was left. */
	seq = strobe_word_seq(rc->word);
	preempt_disable();
	begin(t, 8, 4, &outer);
	for (n = 3; ; n++) {
		begin(t, 96, n, &inner);
		strobe_ring_commit(&inner);
		if (strobe_word_seq(rc->word) != seq)
			break;
	}
	KUNIT_EXPECT_EQ(test, strobe_ring_lap(rc, seq)->count, n);
	strobe_ring_discard(&outer);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, strobe_ring_lap(rc, seq)->count, n - 1);
	KUNIT_EXPECT_EQ(test, strobe_word_count(rc->committed), 1);
	KUNIT_EXPECT_EQ(test, get_stats(t).entries, n);
	expect_sound(test);
}

/* The largest sub-buffer, full of the shortest records: no larger count is possible. */
static void word_test_count_max(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_cpu *rc = strobe_ring_of(t->ring, t->cpu);
	struct strobe_ring_record record;
	unsigned int order = 0;
	u32 seq, max, i;

	while (strobe_ring_order_valid(order + 1))
		order++;
	KUNIT_ASSERT_EQ(test, strobe_ring_set_order(t->ring, order), 0);
	max = rc->store->limit / STROBE_RECORD_UNITS_MIN;
	KUNIT_EXPECT_LE(test, max, STROBE_SUBBUF_RECORDS_MAX);
	for (i = 0; i < max; i++)
		KUNIT_ASSERT_TRUE(test, put(t, 4, i));
	KUNIT_EXPECT_EQ(test, strobe_word_count(rc->committed), max);
	seq = strobe_word_seq(rc->committed);
	put(t, 4, max);
	KUNIT_EXPECT_EQ(test, strobe_ring_lap(rc, seq)->count, max);
	KUNIT_EXPECT_EQ(test, strobe_word_count(rc->committed), 1);
	expect_sound(test);
	for (i = 0; i <= max; i++) {
		KUNIT_ASSERT_TRUE(test, strobe_ring_peek(t->ring, t->cpu, &record));
		KUNIT_ASSERT_EQ(test, *(u32 *)record.data, i);
		strobe_ring_consume(t->ring, t->cpu);
	}
	KUNIT_EXPECT_FALSE(test, strobe_ring_peek(t->ring, t->cpu, &record));
	expect_sound(test);
}

static struct kunit_case word_test_cases[] = {
	KUNIT_CASE(word_test_sequences),
	KUNIT_CASE(word_test_words),
	KUNIT_CASE(word_test_walk),
	KUNIT_CASE(word_test_count),
	KUNIT_CASE(word_test_count_max),
	{}
};

static struct kunit_suite word_test_suite = {
	.name = "strobe_ring_word",
	.init = ring_test_init,
	.exit = ring_test_exit,
	.test_cases = word_test_cases,
};

kunit_test_suite(word_test_suite);
