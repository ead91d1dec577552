// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of strobe_ring_check(): it finds what is wrong, and only that. */
#include "ring/ring_test.h"

/* strobe_ring_check() detects violated invariants. */
static void check_test_faults(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_cpu *rc = strobe_ring_of(t->ring, t->cpu);
	struct strobe_subbuf **slot;
	struct strobe_ring_lap *lap;
	struct strobe_record *record;
	typeof(rc->clock) clock = rc->clock;
	u64 word;
	u32 old;

	fill(t, 2 * PER_SUBBUF + 2);
	expect_sound(test);
	slot = &rc->store->slots[1];
	lap = strobe_ring_lap(rc, 1);

	lap->first++;
	KUNIT_EXPECT_EQ(test, strobe_ring_check(t->ring, t->cpu), -EUCLEAN);
	lap->first--;
	lap->count++;
	KUNIT_EXPECT_EQ(test, strobe_ring_check(t->ring, t->cpu), -EUCLEAN);
	lap->count--;
	rc->depth++;
	KUNIT_EXPECT_EQ(test, strobe_ring_check(t->ring, t->cpu), -EUCLEAN);
	rc->depth--;
	rc->committed--;
	KUNIT_EXPECT_EQ(test, strobe_ring_check(t->ring, t->cpu), -EUCLEAN);
	rc->committed++;
	/* The count of the state word. */
	rc->word += STROBE_WORD_RECORD;
	rc->committed += STROBE_WORD_RECORD;
	KUNIT_EXPECT_EQ(test, strobe_ring_check(t->ring, t->cpu), -EUCLEAN);
	rc->word -= STROBE_WORD_RECORD;
	rc->committed -= STROBE_WORD_RECORD;

	word = atomic64_read(&lap->word);
	atomic64_set(&lap->word, strobe_slot_make(true, 0, strobe_slot_id(word) ^ 1,
						  strobe_slot_seq(word)));
	KUNIT_EXPECT_EQ(test, strobe_ring_check(t->ring, t->cpu), -EUCLEAN);
	atomic64_set(&lap->word, word);

	record = (void *)(*slot)->data;
	old = *(u32 *)record;
	*(u32 *)record = strobe_record_word(23, 1);
	KUNIT_EXPECT_EQ(test, strobe_ring_check(t->ring, t->cpu), -EUCLEAN);
	*(u32 *)record = old;

	/* Only the local clock does not go back. Here it does by one unit. */
	rc->clock = NULL;
	expect_sound(test);
	(*slot)->time_stamp -= 2;
	KUNIT_EXPECT_EQ(test, strobe_ring_check(t->ring, t->cpu), -EUCLEAN);
	(*slot)->time_stamp += 2;
	rc->clock = clock;
	expect_sound(test);
}

/*
 * While the clock stands still, discarded records put the rest of their sub-buffer ahead, one
 * unit each. So time goes back at the next sub-buffer; the checker allows no more than that.
 */
static void check_test_late(struct kunit *test)
{
	struct ring_test *t = test->priv;
	struct strobe_ring_cpu *rc = strobe_ring_of(t->ring, t->cpu);
	typeof(rc->clock) clock = rc->clock;
	struct strobe_ring_resv outer, inner;
	u32 i;

	put(t, 8, 0);
	for (i = 0; i < 3; i++) {
		preempt_disable();
		begin(t, 8, 1, &outer);
		begin(t, 8, 2, &inner);
		strobe_ring_commit(&inner);
		strobe_ring_discard(&outer);
		preempt_enable();
	}
	for (i = 0; i < PER_SUBBUF; i++)
		put(t, 96, 3);
	rc->clock = NULL;
	expect_sound(test);
	rc->store->slots[1]->time_stamp--;
	KUNIT_EXPECT_EQ(test, strobe_ring_check(t->ring, t->cpu), -EUCLEAN);
	rc->store->slots[1]->time_stamp++;
	rc->clock = clock;
	expect_sound(test);
}

static struct kunit_case check_test_cases[] = {
	KUNIT_CASE(check_test_faults),
	KUNIT_CASE(check_test_late),
	{}
};

static struct kunit_suite check_test_suite = {
	.name = "strobe_ring_check",
	.init = ring_test_init,
	.exit = ring_test_exit,
	.test_cases = check_test_cases,
};

kunit_test_suite(check_test_suite);
