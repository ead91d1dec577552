// SPDX-License-Identifier: GPL-2.0
/*
 * Torture of the ring: its readers. One consumes, by records, by whole pages and
 * through a mapping in turn; one iterates; one waits for records. Each record that they
 * see must be one that a writer wrote, complete, in order and once, with as many records
 * missing before it as the ring says.
 */
#include "torture.h"

struct sight consumed[SHIM_MAX_CPUS];
u64 iterated, paged, mapped;
pthread_mutex_t access_lock = PTHREAD_MUTEX_INITIALIZER;

void sight_init(struct sight *sight)
{
	*sight = (struct sight) {};
	memset(sight->serial, 0xff, sizeof(sight->serial));
}

/* Is the record complete? */
static bool check_payload(const struct strobe_ring_record *record)
{
	const struct payload *p = record->data;
	u32 i;

	if (record->len < sizeof(*p) || record->len != (p->len + 3U) / 4 * 4) {
		FAIL("length %u, payload %u", record->len, p->len);
		return false;
	}
	if (p->cpu != record->cpu || p->level >= LEVELS) {
		FAIL("cpu %d: of cpu %u, level %u", record->cpu, p->cpu, p->level);
		return false;
	}
	for (i = 0; i < fill_words(p->len); i++) {
		if (p->fill[i] != fill_word(p, i)) {
			FAIL("cpu %d: torn at %u of %u", p->cpu, i, fill_words(p->len));
			return false;
		}
	}
	if (record->ts < p->before || record->ts > p->after)
		FAIL("cpu %d: time %lu not in %lu..%lu", p->cpu, record->ts,
		     p->before, p->after);
	return true;
}

/*
 * The index increases by one plus the number of lost records. An iterator does not count
 * records as lost that the consumer took before it came there.
 */
static void check_index(struct sight *sight, const struct strobe_ring_record *record)
{
	u64 gap = record->index - sight->next;

	if (!sight->known)
		return;
	if (record->index < sight->next)
		FAIL("cpu %d: index %lu after %lu", record->cpu, record->index,
		     sight->next - 1);
	else if (sight->iterates ? gap < record->lost : gap != record->lost)
		FAIL("cpu %d: %lu lost by index, said %lu", record->cpu, gap,
		     record->lost);
}

/* Is it a record that a writer wrote, and does it follow the one seen before? */
static void check_record(struct sight *sight, const struct strobe_ring_record *record)
{
	const struct payload *p = record->data;
	s64 *serial;
	u64 gap;

	sight->lost += record->lost;
	check_index(sight, record);
	sight->next = record->index + 1;
	sight->known = true;
	if (!check_payload(record))
		return;
	if (record->ts < sight->ts)
		FAIL("cpu %d: time goes back", p->cpu);
	sight->ts = record->ts;

	serial = &sight->serial[p->level];
	if ((s64)p->serial <= *serial)
		FAIL("cpu %d level %u: serial %lu after %ld", p->cpu, p->level,
		     (u64)p->serial, (long)*serial);
	gap = p->serial - *serial - 1;
	*serial = p->serial;
	sight->missing += gap;
	sight->read++;
	/* With one level, the serials show the place of the loss, too. */
	if (!opt.inject && !opt.signal_us && !sight->resets &&
	    (sight->iterates ? gap < record->lost : gap != record->lost))
		FAIL("cpu %d: %lu lost here, said %lu", p->cpu, gap, record->lost);
}

/* The records that a reset has removed are not reported as lost. */
static struct sight *look(int cpu)
{
	struct sight *sight = &consumed[cpu];

	if (sight->resets != resets[cpu])
		sight->known = false;
	sight->resets = resets[cpu];
	return sight;
}

/* Handler of a reader: delay it where a writer may overtake it. */
static void dawdle(void)
{
	usleep(shim_random() % 300);
}

static void be_reader(u64 seed)
{
	shim_self.random = seed;
	shim_self.handler = dawdle;
	shim_self.inject = 200;
}

/* Consume up to @max records. Return: whether there were fewer. */
bool consume(int cpu, u32 max)
{
	struct strobe_ring_record record;
	struct sight *sight = look(cpu);

	while (max--) {
		if (!strobe_ring_peek(ring, cpu, &record))
			return true;
		check_record(sight, &record);
		strobe_ring_consume(ring, cpu);
	}
	return false;
}

/* Check the records of @subbuf that begin at byte @start or later. Return: their number. */
static u64 check_subbuf(struct sight *sight, const struct strobe_subbuf *subbuf,
			u32 start, struct strobe_ring_record *record)
{
	struct strobe_ring_walk walk = {
		.subbuf = subbuf,
		.end = (local_read(&subbuf->commit) & ~STROBE_SUBBUF_MISSED_MASK) /
		       STROBE_RECORD_UNIT,
		.ts = subbuf->time_stamp,
	};
	enum strobe_walk_step step;
	u64 n = 0;

	while ((step = strobe_walk_next(&walk, record)) == STROBE_WALK_DATA) {
		if (record->data < (void *)subbuf->data + start)
			continue;
		check_record(sight, record);
		record->lost = 0;
		record->index++;
		n++;
	}
	if (step != STROBE_WALK_END || walk.pos != walk.end)
		FAIL("cpu %d: page ends at %u of %u", record->cpu, walk.pos, walk.end);
	return n;
}

/*
 * Does @subbuf say that @lost records are missing before it? It does not always have
 * space for the number.
 */
static void check_lost(int cpu, const struct strobe_subbuf *subbuf, unsigned long lost)
{
	unsigned long commit = local_read(&subbuf->commit), said = 0;

	if (!!(commit & STROBE_SUBBUF_MISSED) != !!lost)
		FAIL("cpu %d: %lu lost, a page says otherwise", cpu, lost);
	if (!(commit & STROBE_SUBBUF_MISSED_STORED))
		return;
	memcpy(&said, subbuf->data + (commit & ~STROBE_SUBBUF_MISSED_MASK), sizeof(said));
	EXPECT_EQ(cpu, said, lost);
}

/* As consume(), but up to @max whole pages of records. */
static void consume_pages(int cpu, struct strobe_ring_page *page, u32 max)
{
	struct strobe_ring_reader *reader = &per_cpu_ptr(ring->percpu, cpu)->reader;
	struct strobe_ring_record record;
	struct sight *sight = look(cpu);
	bool peeks = shim_random() % 2;
	size_t room;
	u64 read;

	if (strobe_ring_page_bytes(page) != strobe_ring_subbuf_bytes(ring)) {
		strobe_ring_page_free(page);
		if (strobe_ring_page_alloc(ring, cpu, page))
			return;
	}
	while (max--) {
		/* Sometimes peek at a record first. */
		if (peeks && !strobe_ring_peek(ring, cpu, &record))
			return;
		read = reader->read;
		room = shim_random() % 2 ? SIZE_MAX : shim_random() % PAGE_SIZE;
		if (strobe_ring_read_page(ring, cpu, page, room, shim_random() % 2))
			continue;
		read = reader->read - read;
		record.cpu = cpu;
		record.index = reader->next - reader->hand_left - read;
		/* Without a peek, the index shows the loss, except after a reset. */
		if (!peeks)
			record.lost = sight->known ? record.index - sight->next : 0;
		if (peeks || sight->known)
			check_lost(cpu, page->data, record.lost);
		EXPECT_EQ(cpu, check_subbuf(sight, page->data, 0, &record), read);
		paged += read;
	}
}

/* As consume(), but in the way of user space that has mapped the ring. */
static void consume_mapped(int cpu, u32 max)
{
	const struct trace_buffer_meta *meta;
	struct strobe_ring_record record;
	struct sight *sight = look(cpu);
	unsigned long page;
	u32 id, start;
	u64 read, n;

	if (strobe_ring_map(ring, cpu)) {
		FAIL("cpu %d: cannot map", cpu);
		return;
	}
	meta = strobe_ring_map_page(ring, cpu, 0);
	while (max-- && strobe_ring_peek(ring, cpu, &record)) {
		id = meta->reader.id;
		start = meta->reader.read;
		read = meta->read;
		if (strobe_ring_map_get_reader(ring, cpu))
			FAIL("cpu %d: not mapped", cpu);
		if (meta->reader.id != id)
			start = 0;
		page = (meta->reader.id + 1UL) * (meta->subbuf_size / PAGE_SIZE);
		n = check_subbuf(sight, strobe_ring_map_page(ring, cpu, page), start,
				 &record);
		EXPECT_EQ(cpu, meta->read, read + n);
		mapped += n;
	}
	strobe_ring_unmap(ring, cpu);
}

void *consumer(void *arg)
{
	struct strobe_ring_page page = {};
	int cpu;

	(void)arg;
	be_reader(777);
	while (!READ_ONCE(stop_readers)) {
		for (cpu = 0; cpu < opt.cpus; cpu++) {
			pthread_mutex_lock(&access_lock);
			consume(cpu, shim_random() % 500);
			consume_pages(cpu, &page, shim_random() % 5);
			if (!opt.persist && !(shim_random() % 4))
				consume_mapped(cpu, shim_random() % 9);
			pthread_mutex_unlock(&access_lock);
		}
		if (!(shim_random() % 4))
			usleep(shim_random() % 2000);
	}
	strobe_ring_page_free(&page);
	return NULL;
}

void *iterator(void *arg)
{
	struct strobe_ring_iter *iters[SHIM_MAX_CPUS];
	struct strobe_ring_record record;
	struct sight sight;
	int cpu;

	(void)arg;
	be_reader(888);
	for (cpu = 0; cpu < opt.cpus; cpu++)
		iters[cpu] = strobe_ring_iter_open(ring, cpu);
	while (!READ_ONCE(stop_readers)) {
		for (cpu = 0; cpu < opt.cpus; cpu++) {
			sight_init(&sight);
			sight.iterates = true;
			strobe_ring_iter_reset(iters[cpu]);
			while (strobe_ring_iter_peek(iters[cpu], &record)) {
				check_record(&sight, &record);
				strobe_ring_iter_advance(iters[cpu]);
				iterated++;
			}
		}
		usleep(shim_random() % 1000);
	}
	for (cpu = 0; cpu < opt.cpus; cpu++)
		strobe_ring_iter_close(iters[cpu]);
	return NULL;
}

static bool stopped(void *data)
{
	(void)data;
	return READ_ONCE(stop_readers);
}

/* Waits for records, but does not consume them. */
void *sleeper(void *arg)
{
	(void)arg;
	shim_self.random = 555;
	while (!READ_ONCE(stop_readers)) {
		int cpu = (int)(shim_random() % (opt.cpus + 1)) - 1;

		strobe_ring_wait(ring, cpu, shim_random() % 4 * 30, stopped, NULL);
		strobe_ring_empty(ring, cpu);
		usleep(shim_random() % 2000);
	}
	return NULL;
}
