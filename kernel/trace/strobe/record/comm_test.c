// SPDX-License-Identifier: GPL-2.0
/* Tests of the cache of task names. Included by comm.c, as they test its internals. */
#include <kunit/test.h>

/* Pids that are not in use: higher than any that is allocated during the tests. */
#define TEST_PID	30000

static int comm_test_init(struct kunit *test)
{
	return strobe_comm_cache_resize(4);
}

static void comm_test_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, strobe_comm_cache_resize(COMM_SLOTS_DEFAULT));
}

/* Save @name as the name of a task, which is padded. */
static bool save(int pid, const char *name)
{
	char comm[TASK_COMM_LEN];

	strscpy_pad(comm, name);
	guard(preempt)();
	return comm_save(pid, comm);
}

static void expect_comm(struct kunit *test, int pid, const char *name)
{
	char comm[TASK_COMM_LEN];

	memset(comm, 'x', sizeof(comm));
	strobe_comm_lookup(pid, comm);
	KUNIT_EXPECT_STREQ(test, comm, name);
}

/* Every used slot is in the chain of its pid, and in no other, once. */
static void check_table(struct kunit *test)
{
	struct comm_table *table = rcu_dereference_protected(comm_table, true);
	unsigned int used = 0, chained = 0, i;
	u32 slot;

	for (i = 0; i < table->slots; i++)
		used += !!table->slot[i].pid;
	for (i = 0; i < BIT(table->hash_bits); i++) {
		for (slot = table->heads[i]; slot != SLOT_NONE;
		     slot = table->slot[slot].next) {
			chained++;
			KUNIT_ASSERT_LE(test, chained, table->slots);
			KUNIT_EXPECT_PTR_EQ(test, &table->heads[i],
					    table_head(table, table->slot[slot].pid));
		}
	}
	KUNIT_EXPECT_EQ(test, used, chained);
}

static void comm_test_lookup(struct kunit *test)
{
	expect_comm(test, 0, "<idle>");
	expect_comm(test, TEST_PID, "<...>");
	KUNIT_EXPECT_TRUE(test, save(TEST_PID, "kunit"));
	expect_comm(test, TEST_PID, "kunit");
	KUNIT_EXPECT_TRUE(test, save(TEST_PID, "renamed"));
	expect_comm(test, TEST_PID, "renamed");
	KUNIT_EXPECT_TRUE(test, save(TEST_PID, "fifteen letters"));
	expect_comm(test, TEST_PID, "fifteen letters");
	/* Names that differ in their first or their last eight bytes only. */
	KUNIT_EXPECT_TRUE(test, save(TEST_PID, "Fifteen letters"));
	expect_comm(test, TEST_PID, "Fifteen letters");
	KUNIT_EXPECT_TRUE(test, save(TEST_PID, "Fifteen letterS"));
	expect_comm(test, TEST_PID, "Fifteen letterS");
	check_table(test);
}

/* set_task_comm() stores the end of a name that is cut off after the rest of it. */
static void comm_test_no_end(struct kunit *test)
{
	char comm[TASK_COMM_LEN], saved[TASK_COMM_LEN];
	unsigned int pos = 0;
	int pid;

	memset(comm, 'x', sizeof(comm));
	scoped_guard(preempt)
		KUNIT_EXPECT_TRUE(test, comm_save(TEST_PID, comm));
	KUNIT_ASSERT_TRUE(test, strobe_comm_iter_next(&pos, &pid, saved));
	KUNIT_EXPECT_EQ(test, strnlen(saved, sizeof(saved)), TASK_COMM_LEN - 1);
	expect_comm(test, TEST_PID, "xxxxxxxxxxxxxxx");
	KUNIT_EXPECT_TRUE(test, save(TEST_PID, "xxxxxxxxxxxxxxx"));
}

static void comm_test_idle_takes_no_slot(struct kunit *test)
{
	unsigned int pos = 0;
	char comm[TASK_COMM_LEN];
	int pid;

	KUNIT_EXPECT_TRUE(test, save(0, "swapper/0"));
	KUNIT_EXPECT_FALSE(test, strobe_comm_iter_next(&pos, &pid, comm));
}

static void comm_test_oldest_gives_way(struct kunit *test)
{
	char name[TASK_COMM_LEN];
	int i;

	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "task%d", i);
		KUNIT_EXPECT_TRUE(test, save(TEST_PID + i, name));
		check_table(test);
	}
	expect_comm(test, TEST_PID + 95, "<...>");
	for (i = 96; i < 100; i++) {
		snprintf(name, sizeof(name), "task%d", i);
		expect_comm(test, TEST_PID + i, name);
	}
}

static void comm_test_iterate(struct kunit *test)
{
	char comm[TASK_COMM_LEN];
	unsigned int pos = 0;
	int pid;

	save(TEST_PID, "one");
	save(TEST_PID + 1, "two");
	KUNIT_ASSERT_TRUE(test, strobe_comm_iter_next(&pos, &pid, comm));
	KUNIT_EXPECT_EQ(test, pid, TEST_PID);
	KUNIT_EXPECT_STREQ(test, comm, "one");
	KUNIT_ASSERT_TRUE(test, strobe_comm_iter_next(&pos, &pid, comm));
	KUNIT_EXPECT_EQ(test, pid, TEST_PID + 1);
	KUNIT_EXPECT_STREQ(test, comm, "two");
	KUNIT_EXPECT_FALSE(test, strobe_comm_iter_next(&pos, &pid, comm));
}

static void comm_test_resize(struct kunit *test)
{
	save(TEST_PID, "kunit");
	KUNIT_EXPECT_EQ(test, -EINVAL, strobe_comm_cache_resize(0));
	KUNIT_EXPECT_EQ(test, -EINVAL, strobe_comm_cache_resize(PID_MAX_DEFAULT + 1));
	KUNIT_EXPECT_EQ(test, 4, strobe_comm_cache_size());
	expect_comm(test, TEST_PID, "kunit");

	KUNIT_EXPECT_EQ(test, 0, strobe_comm_cache_resize(1));
	KUNIT_EXPECT_EQ(test, 1, strobe_comm_cache_size());
	expect_comm(test, TEST_PID, "<...>");
	save(TEST_PID, "a");
	save(TEST_PID + 1, "b");
	expect_comm(test, TEST_PID, "<...>");
	expect_comm(test, TEST_PID + 1, "b");
	check_table(test);
}

/* Saving fails if the table is locked, and a lookup gives up if it keeps changing. */
static void comm_test_busy(struct kunit *test)
{
	unsigned long flags;
	char comm[TASK_COMM_LEN];

	if (!IS_ENABLED(CONFIG_SMP))
		kunit_skip(test, "with one CPU no other context can hold the lock");
	save(TEST_PID, "kunit");
	raw_spin_lock_irqsave(&table_lock, flags);
	/* A name that the table has needs no lock, unless the table is being changed. */
	KUNIT_EXPECT_TRUE(test, save(TEST_PID, "kunit"));
	KUNIT_EXPECT_FALSE(test, save(TEST_PID, "other"));
	KUNIT_EXPECT_FALSE(test, save(TEST_PID + 1, "other"));
	table_write_begin();
	KUNIT_EXPECT_FALSE(test, save(TEST_PID, "kunit"));
	strobe_comm_lookup(TEST_PID, comm);
	table_write_end();
	raw_spin_unlock_irqrestore(&table_lock, flags);
	KUNIT_EXPECT_STREQ(test, comm, "<...>");
	expect_comm(test, TEST_PID, "kunit");
	expect_comm(test, TEST_PID + 1, "<...>");
}

static struct kunit_case comm_test_cases[] = {
	KUNIT_CASE(comm_test_lookup),
	KUNIT_CASE(comm_test_no_end),
	KUNIT_CASE(comm_test_idle_takes_no_slot),
	KUNIT_CASE(comm_test_oldest_gives_way),
	KUNIT_CASE(comm_test_iterate),
	KUNIT_CASE(comm_test_resize),
	KUNIT_CASE(comm_test_busy),
	{}
};

static struct kunit_suite comm_test_suite = {
	.name		= "strobe_comm",
	.init		= comm_test_init,
	.exit		= comm_test_exit,
	.test_cases	= comm_test_cases,
};

kunit_test_suite(comm_test_suite);
