// SPDX-License-Identifier: GPL-2.0
/* Tests of the cache of task names. Included by comm.c, as they test its internals. */
#include <kunit/test.h>

#include <linux/delay.h>
#include <linux/trace_clock.h>

#include "ring/ring.h"

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
	guard(irqsave)();
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
	scoped_guard(irqsave)
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
	raw_write_seqcount_begin(&table_seq);
	KUNIT_EXPECT_FALSE(test, save(TEST_PID, "kunit"));
	strobe_comm_lookup(TEST_PID, comm);
	raw_write_seqcount_end(&table_seq);
	raw_spin_unlock_irqrestore(&table_lock, flags);
	KUNIT_EXPECT_STREQ(test, comm, "<...>");
	expect_comm(test, TEST_PID, "kunit");
	expect_comm(test, TEST_PID + 1, "<...>");
}

/*
 * While names are recorded, a task that runs is found without the table. No KUNIT_ASSERT here:
 * a failed one ends the thread, which would not unlock comm_mutex.
 */
static void expect_running(struct kunit *test)
{
	guard(mutex)(&comm_mutex);
	recorders[COMM_NAMES]++;
	expect_comm(test, current->pid, current->comm);
	KUNIT_EXPECT_TRUE(test, save(current->pid, "of another"));
	expect_comm(test, current->pid, "of another");
	/* A task that sleeps is not found: it was saved, or has recorded nothing. */
	while (task_curr(kthreadd_task))
		msleep(20);
	expect_comm(test, kthreadd_task->pid, "<...>");
	strobe_comm_save_running(COMM_NAMES);
	expect_comm(test, current->pid, current->comm);
	recorders[COMM_NAMES]--;
}

static void comm_test_running(struct kunit *test)
{
	unsigned int pos = 0, found = 0;
	char comm[TASK_COMM_LEN];
	int pid;

	/* With a slot for each task that runs */
	KUNIT_ASSERT_EQ(test, 0, strobe_comm_cache_resize(num_possible_cpus() + 1));
	expect_running(test);
	while (strobe_comm_iter_next(&pos, &pid, comm))
		found += pid == current->pid;
	KUNIT_EXPECT_EQ(test, found, 1);
	check_table(test);
}

static void comm_test_not_recorded(struct kunit *test)
{
	unsigned int users, pos = 0;
	char comm[TASK_COMM_LEN];
	int pid;

	scoped_guard(mutex, &comm_mutex) {
		users = recorders[COMM_NAMES];
		if (!users) {
			expect_comm(test, current->pid, "<...>");
			strobe_comm_save_running(COMM_NAMES);
		}
	}
	if (users)
		kunit_skip(test, "%u recorders save names", users);
	KUNIT_EXPECT_FALSE(test, strobe_comm_iter_next(&pos, &pid, comm));
}

/* The probe is called as if tasks were switched, without a switch of this one. */
static void switch_out(struct comm_recorder *rec, int pid, const char *name)
{
	static struct task_struct task;

	task.pid = pid;
	strscpy_pad(task.comm, name);
	guard(irqsave)();
	probe_switch(rec, false, &task, current, 0);
}

/* Make this CPU's ring move. */
static void record(struct strobe_ring *ring)
{
	struct strobe_ring_resv resv;

	guard(preempt)();
	if (strobe_ring_reserve(ring, 8, &resv))
		strobe_ring_commit(&resv);
}

/* A task is saved if it may have recorded something, at its own switch or at the next one. */
static void comm_test_switches(struct kunit *test)
{
	const struct strobe_ring_params params = {
		.bytes = 4 * PAGE_SIZE, .overwrite = true, .clock = trace_clock_local,
	};
	struct strobe_ring *ring = strobe_ring_create(&params);
	struct comm_recorder rec;
	char name[TASK_COMM_LEN];
	unsigned long flags;
	int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(ring));
	KUNIT_ASSERT_EQ(test, 0, strobe_comm_recorder_init(&rec, ring));
	rec.users[COMM_NAMES] = 1;
	migrate_disable();
	switch_out(&rec, TEST_PID, "first");
	expect_comm(test, TEST_PID, "first");
	switch_out(&rec, TEST_PID + 1, "idle");
	expect_comm(test, TEST_PID + 1, "<...>");
	/* The one before may have recorded this after the probe, or the one that is running. */
	record(ring);
	switch_out(&rec, TEST_PID + 2, "next");
	expect_comm(test, TEST_PID + 1, "idle");
	expect_comm(test, TEST_PID + 2, "next");
	/* It has run elsewhere since, with another name. */
	switch_out(&rec, TEST_PID + 1, "idle");
	save(TEST_PID + 1, "renamed");
	record(ring);
	switch_out(&rec, TEST_PID + 2, "next");
	expect_comm(test, TEST_PID + 1, "renamed");
	/* After a reset, the same records give the same state words. */
	for (i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "reset %d", i);
		strobe_comm_change_begin(&rec);
		switch_out(&rec, TEST_PID + 1, "idle");
		strobe_ring_reset(ring, STROBE_RING_ALL_CPUS);
		strobe_comm_change_end(&rec);
		record(ring);
		switch_out(&rec, TEST_PID + 4 + i, name);
		expect_comm(test, TEST_PID + 4 + i, name);
	}
	/* While it is changed, too: the word is that of the mark. */
	strobe_comm_change_begin(&rec);
	strobe_ring_reset(ring, STROBE_RING_ALL_CPUS);
	record(ring);
	switch_out(&rec, TEST_PID + 6, "meanwhile");
	switch_out(&rec, TEST_PID + 1, "idle");
	strobe_comm_change_end(&rec);
	expect_comm(test, TEST_PID + 6, "meanwhile");
	if (IS_ENABLED(CONFIG_SMP)) {
		record(ring);
		raw_spin_lock_irqsave(&table_lock, flags);
		switch_out(&rec, TEST_PID + 3, "late");
		raw_spin_unlock_irqrestore(&table_lock, flags);
		expect_comm(test, TEST_PID + 3, "<...>");
		switch_out(&rec, TEST_PID, "first");
		expect_comm(test, TEST_PID + 3, "late");
	}
	migrate_enable();
	rec.users[COMM_NAMES] = 0;
	strobe_comm_recorder_destroy(&rec);
	strobe_ring_destroy(ring);
}

static struct kunit_case comm_test_cases[] = {
	KUNIT_CASE(comm_test_lookup),
	KUNIT_CASE(comm_test_no_end),
	KUNIT_CASE(comm_test_idle_takes_no_slot),
	KUNIT_CASE(comm_test_oldest_gives_way),
	KUNIT_CASE(comm_test_iterate),
	KUNIT_CASE(comm_test_resize),
	KUNIT_CASE(comm_test_busy),
	KUNIT_CASE(comm_test_running),
	KUNIT_CASE(comm_test_not_recorded),
	KUNIT_CASE(comm_test_switches),
	{}
};

static struct kunit_suite comm_test_suite = {
	.name		= "strobe_comm",
	.init		= comm_test_init,
	.exit		= comm_test_exit,
	.test_cases	= comm_test_cases,
};

kunit_test_suite(comm_test_suite);
