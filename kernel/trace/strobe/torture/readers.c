// SPDX-License-Identifier: GPL-2.0
/*
 * The readers: consumers, which take records one by one or a sub-buffer at a time and
 * sometimes sleep until a record comes; and iterators. For each record they check that
 * it is intact and newer than the records before it.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "ring/ring.h"
#include "ring/walk.h"
#include "torture/torture.h"

/* What all consumers have read of a CPU. */
struct consumed {
	struct mutex		lock;	/* one consumer at a time */
	struct torture_sight	sight;
};

static DEFINE_PER_CPU(struct consumed, consumed);

static void sight_init(struct torture_sight *sight)
{
	memset(sight, 0, sizeof(*sight));
	memset(sight->serial, 0xff, sizeof(sight->serial));
}

void torture_readers_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		mutex_init(&per_cpu(consumed, cpu).lock);
		sight_init(&per_cpu(consumed, cpu).sight);
	}
}

const struct torture_sight *torture_consumed(int cpu)
{
	return &per_cpu(consumed, cpu).sight;
}

/* Check that the payload is as its writer wrote it. */
static bool check_payload(const struct strobe_ring_record *record)
{
	const struct torture_payload *p = record->data;
	u32 i;

	if (record->len < sizeof(*p) || record->len != round_up(p->len, 4)) {
		torture_fail("cpu %d: length %u, payload %u", record->cpu,
			     record->len, record->len < sizeof(*p) ? 0 : p->len);
		return false;
	}
	if (p->cpu != record->cpu || p->level >= TORTURE_LEVELS) {
		torture_fail("cpu %d: of cpu %u, level %u", record->cpu, p->cpu,
			     p->level);
		return false;
	}
	for (i = 0; i < torture_fill_words(p->len); i++) {
		if (p->fill[i] == torture_fill(p, i))
			continue;
		torture_fail("cpu %d level %u: record %u torn at %u of %u", p->cpu,
			     p->level, p->serial, i, torture_fill_words(p->len));
		return false;
	}
	return true;
}

/* Check the payload, and that time and serial number are later than those in @sight. */
static void check_record(struct torture_sight *sight,
			 const struct strobe_ring_record *record)
{
	const struct torture_payload *p = record->data;
	s64 *serial;

	sight->read++;
	sight->lost += record->lost;
	if (!check_payload(record))
		return;
	if (!torture.resets) {
		if (record->ts < p->before || record->ts > p->after)
			torture_fail("cpu %d: time %llu not in %llu..%llu", p->cpu,
				     record->ts, p->before, p->after);
		if (record->ts < sight->ts)
			torture_fail("cpu %d: time goes back from %llu to %llu",
				     p->cpu, sight->ts, record->ts);
		sight->ts = record->ts;
	}
	serial = &sight->serial[p->level];
	if ((s64)p->serial <= *serial)
		torture_fail("cpu %d level %u: serial %u after %lld", p->cpu,
			     p->level, p->serial, *serial);
	sight->missing += p->serial - *serial - 1;
	*serial = p->serial;
}

/* Consume up to @max records. Return: whether the CPU had fewer. */
bool torture_consume(int cpu, u32 max)
{
	struct strobe_ring_record record;

	while (max--) {
		if (!strobe_ring_peek(torture.ring, cpu, &record))
			return true;
		check_record(&per_cpu(consumed, cpu).sight, &record);
		strobe_ring_consume(torture.ring, cpu);
		cond_resched();
	}
	return false;
}

/* Check all records of a page. @lost: number of lost records reported before it. */
static void check_page(int cpu, const struct strobe_ring_page *page,
		       unsigned long lost)
{
	const struct strobe_subbuf *subbuf = page->data;
	struct strobe_ring_record record = { .cpu = cpu, .lost = lost };
	struct strobe_ring_walk walk = {
		.subbuf = subbuf,
		.end = (local_read(&subbuf->commit) & ~STROBE_SUBBUF_MISSED_MASK) /
		       STROBE_RECORD_UNIT,
		.ts = subbuf->time_stamp,
	};

	while (strobe_walk_next(&walk, &record) == STROBE_WALK_DATA) {
		check_record(&per_cpu(consumed, cpu).sight, &record);
		record.lost = 0;
	}
	atomic64_inc(&torture.pages);
}

/* As torture_consume(), up to @max pages of records. */
static void consume_pages(int cpu, struct strobe_ring_page *page, u32 max,
			  struct rnd_state *random)
{
	struct strobe_ring_record record;
	u32 r;

	if (strobe_ring_page_bytes(page) != strobe_ring_subbuf_bytes(torture.ring)) {
		strobe_ring_page_free(page);
		if (strobe_ring_page_alloc(torture.ring, cpu, page))
			return;
	}
	while (max--) {
		/* Peek for the number lost, which does not always fit into the page. */
		if (!strobe_ring_peek(torture.ring, cpu, &record))
			return;
		r = prandom_u32_state(random);
		if (strobe_ring_read_page(torture.ring, cpu, page,
					  r & 1 ? SIZE_MAX : (r >> 2) % PAGE_SIZE, r & 2))
			continue;
		check_page(cpu, page, record.lost);
		cond_resched();
	}
}

/* Condition to end a wait: the task shall stop, or at random. */
static bool enough(void *data)
{
	struct rnd_state *random = data;

	return kthread_should_stop() || prandom_u32_state(random) & 1;
}

/* @arg: number of the consumer. Number 0 never waits for records, so that some are consumed. */
int torture_consumer(void *arg)
{
	struct strobe_ring_page page = {};
	unsigned long number = (unsigned long)arg;
	struct rnd_state random;
	struct consumed *mine;
	int cpu;
	u32 r;

	prandom_seed_state(&random, number);
	do {
		r = prandom_u32_state(&random);
		cpu = cpumask_nth(r % num_possible_cpus(), cpu_possible_mask);
		mine = &per_cpu(consumed, cpu);
		r = prandom_u32_state(&random);
		if (number && !(r % 8))
			strobe_ring_wait(torture.ring,
					 r & 8 ? cpu : STROBE_RING_ALL_CPUS,
					 (r >> 4) % 2 * 50, enough, &random);
		down_read(&torture.access);
		mutex_lock(&mine->lock);
		if (r & 16)
			torture_consume(cpu, (r >> 8) % 500);
		else
			consume_pages(cpu, &page, (r >> 8) % 8, &random);
		mutex_unlock(&mine->lock);
		up_read(&torture.access);
		if (!((r >> 20) % 4))
			usleep_range(50, 2000);
		cond_resched();
	} while (!kthread_should_stop());
	/* A dump may still read the page. */
	synchronize_rcu();
	strobe_ring_page_free(&page);
	return 0;
}

static void iterate(struct strobe_ring_iter *iter)
{
	struct strobe_ring_record record;
	struct torture_sight sight;

	sight_init(&sight);
	strobe_ring_iter_reset(iter);
	while (torture.ops->iter_peek(iter, &record)) {
		check_record(&sight, &record);
		strobe_ring_iter_advance(iter);
		cond_resched();
	}
	atomic64_add(sight.read, &torture.iterated);
}

int torture_iterator(void *arg)
{
	struct strobe_ring_iter *iter;
	int cpu = -1;

	do {
		cpu = cpumask_next(cpu, cpu_possible_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_possible_mask);
		iter = strobe_ring_iter_open(torture.ring, cpu);
		if (!IS_ERR(iter)) {
			iterate(iter);
			iterate(iter);
			strobe_ring_iter_close(iter);
		}
		usleep_range(50, 1000);
	} while (!kthread_should_stop());
	return 0;
}
