// SPDX-License-Identifier: GPL-2.0
/*
 * The cache of task names and thread groups that readers print.
 *
 * Names. The table is an array of slots, each with a pid and its comm, filled
 * round-robin, and a hash over the pids. It is allocated when recording first
 * starts or when its size is set, so a kernel that never traces pays nothing.
 *
 * When a task is saved. Each instance with enabled events has a recorder, whose
 * probe is on sched_switch. It saves the task that is switched out if the CPU's
 * ring has moved since the last save: only then can a new record need the name.
 * Recording an event costs nothing for this. The name of a task that is not saved
 * is kept until the CPU's next switch, and is saved then if the ring has moved:
 * the task may have recorded something between the probe and the switch. In the
 * meantime it may have run elsewhere with another name, so the kept name replaces
 * none. Thread groups are saved at each switch: that takes a store.
 *
 * A task that still runs is saved when the recorder stops or the names are listed,
 * and a lookup finds it without the cache. If the cache has a name for its pid, of
 * a task that had it before, that name is shown until the task is switched out.
 *
 * States of a slot (changed under table_lock; readers use the sequence count):
 *	empty	pid 0, in no chain
 *	used	pid > 0, in the chain of its hash
 * A used slot is renamed in place for the same pid, or reused for another pid
 * when its turn comes. It never becomes empty again; a resize starts a new
 * table.
 *
 * Contexts. The probe runs with preemption off under the run queue lock and never
 * spins: if the table is being changed, the name is kept for the CPU's next switch.
 * It takes the lock only if the table lacks the name.
 * Lookup runs in any context, including NMI and panic: it is lock-free, tries a
 * bounded number of times, and does not find a name if the table keeps changing.
 *
 * Lock order: comm_mutex, then the tracepoint core's locks (in
 * register_trace_*), or a run queue lock (in cpu_curr_snapshot()). table_lock is a
 * leaf; recording takes it by trylock.
 *
 * Barriers, all of table_seq (seqlock.h) but those of CHANGE and TGID:
 *	COMM:A	If a lookup reads anything that a change stores, its last read of
 *		table_seq is odd or later than the change. Pairs with COMM:D.
 *	COMM:B	If a lookup reads the even table_seq after a change, it reads all
 *		that the change stored. Pairs with COMM:C.
 *	COMM:C	A lookup, or a save that finds the name there, reads table_seq, then slots.
 *	COMM:D	It reads slots, then table_seq again. If that was odd, the try has failed: a
 *		lookup in an NMI must not wait for the change that it has interrupted.
 *	CHANGE:A A task whose record is in the changed ring recorded after the change had begun.
 *		So the probe at its switch reads that it has begun, or has ended. Pairs with the
 *		full barrier in __schedule().
 *	CHANGE:B If a probe reads that a change has ended, it reads a word of the changed ring.
 *		Pairs with the acquire in probe_switch(). If it reads an older value, the mark
 *		that it sets is invalid.
 *	TGID:A	If tgid_slot() reads tgid_map, it also reads the map's size. Pairs
 *		with the acquire in tgid_slot().
 */
#include <linux/bits.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/tracepoint.h>
#include <linux/unaligned.h>
#include <trace/events/sched.h>

#include "record/comm.h"
#include "ring/write.h"

/*
 * Large enough that on a busy system a name is still cached when the record is
 * read. 28 bytes a slot, with its hash head.
 */
#define COMM_SLOTS_DEFAULT	4096

/* How many times a lookup tries if the table changes during each try. */
#define COMM_LOOKUP_TRIES	16

#define SLOT_NONE		U32_MAX

/* comm_recorder.changes: how many changes of the ring are under way, and how many have ended */
#define CHANGES_UNDER_WAY	U32_MAX
#define CHANGE_ENDED		BIT_ULL(32)

struct comm_slot {
	int	pid;
	u32	next;			/* in the chain, or SLOT_NONE */
	char	comm[TASK_COMM_LEN];
};

struct comm_table {
	unsigned int		slots;
	unsigned int		hash_bits;
	u32			turn;	/* next slot to reuse */
	u32			*heads;
	struct comm_slot	slot[] __counted_by(slots);
};

/**
 * struct comm_cpu - what a recorder knows of a CPU
 * @mark: strobe_ring_state_word() when the task that was switched out was last saved
 * @changes: comm_recorder.changes that @mark belongs to; with another value it is invalid
 * @pid:  the task that was switched out last, if it was not saved, else 0
 * @comm: its name
 *
 * Only the CPU uses it, but for recorder_connect().
 */
struct comm_cpu {
	u64	mark;
	s64	changes;
	int	pid;
	char	comm[TASK_COMM_LEN];
};

/* Serialises changes of the table, its slots and comm_slots. */
static DEFINE_RAW_SPINLOCK(table_lock);
static seqcount_t table_seq = SEQCNT_ZERO(table_seq);
static struct comm_table __rcu *comm_table;
static unsigned int comm_slots = COMM_SLOTS_DEFAULT;

/* Serialises the recorders' use counts and allocation of the table and the map. */
static DEFINE_MUTEX(comm_mutex);

/* Number of recorders that save names, and thread groups (comm_mutex). */
static unsigned int recorders[COMM_NR];

/* tgid by pid, 0 if not known. Allocated once and never freed: readers hold no lock. */
static int *tgid_map;
static unsigned int tgid_map_size;

static struct comm_table *table_alloc(unsigned int slots)
{
	unsigned int bits = max(1, ilog2(roundup_pow_of_two(slots)));
	struct comm_table *table;
	unsigned int i;

	table = kvzalloc(struct_size(table, slot, slots), GFP_KERNEL);
	if (!table)
		return NULL;
	table->heads = kvmalloc_array(BIT(bits), sizeof(*table->heads), GFP_KERNEL);
	if (!table->heads) {
		kvfree(table);
		return NULL;
	}
	table->slots = slots;
	table->hash_bits = bits;
	for (i = 0; i < BIT(bits); i++)
		table->heads[i] = SLOT_NONE;
	return table;
}

static void table_free(struct comm_table *table)
{
	if (!table)
		return;
	kvfree(table->heads);
	kvfree(table);
}

static u32 *table_head(struct comm_table *table, int pid)
{
	return &table->heads[hash_32(pid, table->hash_bits)];
}

/*
 * Readers walk chains while they change: check each index, and take no more
 * steps than the table has slots.
 */
static u32 table_find(struct comm_table *table, int pid)
{
	u32 i = READ_ONCE(*table_head(table, pid));
	unsigned int steps;

	for (steps = 0; i < table->slots && steps < table->slots; steps++) {
		if (READ_ONCE(table->slot[i].pid) == pid)
			return i;
		i = READ_ONCE(table->slot[i].next);
	}
	return SLOT_NONE;
}

static void table_unlink(struct comm_table *table, u32 slot)
{
	u32 *link = table_head(table, table->slot[slot].pid);

	while (*link != slot)
		link = &table->slot[*link].next;
	WRITE_ONCE(*link, table->slot[slot].next);
}

static u32 table_take_slot(struct comm_table *table, int pid)
{
	u32 slot = table->turn;
	u32 *head;

	table->turn = slot + 1 < table->slots ? slot + 1 : 0;
	if (table->slot[slot].pid)
		table_unlink(table, slot);
	WRITE_ONCE(table->slot[slot].pid, pid);
	head = table_head(table, pid);
	WRITE_ONCE(table->slot[slot].next, *head);
	WRITE_ONCE(*head, slot);
	return slot;
}

/* Compare names as two words each: that is shorter than a call of strcmp(). */
static bool comm_equal(const char a[TASK_COMM_LEN], const char b[TASK_COMM_LEN])
{
	static_assert(TASK_COMM_LEN == 2 * sizeof(u64));
	return get_unaligned((const u64 *)a) == get_unaligned((const u64 *)b) &&
	       get_unaligned((const u64 *)a + 1) == get_unaligned((const u64 *)b + 1);
}

/*
 * Is @comm the name that the table has for @pid? As for nearly every task that is saved: so
 * no CPU writes what other CPUs read. False is also possible if the table is being changed.
 */
static bool comm_is_saved(int pid, const char comm[TASK_COMM_LEN])
{
	unsigned int seq = raw_read_seqcount(&table_seq);	/* COMM:C */
	struct comm_table *table;
	u32 slot;

	table = rcu_dereference_sched(comm_table);
	slot = table ? table_find(table, pid) : SLOT_NONE;
	/* The task may be changing its comm. */
	if (slot == SLOT_NONE || !data_race(comm_equal(table->slot[slot].comm, comm)))
		return false;
	/* COMM:D */
	return !(seq & 1) && !read_seqcount_retry(&table_seq, seq);
}

/* Store a task's name. Context: any, with interrupts off and table_lock held. */
static void comm_store(int pid, const char comm[TASK_COMM_LEN])
{
	struct comm_table *table;
	u32 slot;

	table = rcu_dereference_protected(comm_table, lockdep_is_held(&table_lock));
	if (!table)
		return;
	slot = table_find(table, pid);
	raw_write_seqcount_begin(&table_seq);	/* COMM:A */
	if (slot == SLOT_NONE)
		slot = table_take_slot(table, pid);
	/* The task may be changing its comm. The next save replaces a torn name. */
	data_race(memcpy(table->slot[slot].comm, comm, TASK_COMM_LEN));
	/* While the kernel copies a longer name, it has no end. */
	table->slot[slot].comm[TASK_COMM_LEN - 1] = '\0';
	raw_write_seqcount_end(&table_seq);	/* COMM:B */
}

/*
 * Save a task's name, which is padded with zeros. Return: false: the table is busy, and the
 * caller tries again later. Context: any, with interrupts off.
 */
static bool comm_save(int pid, const char comm[TASK_COMM_LEN])
{
	if (!pid)	/* the idle tasks need no slot, see strobe_comm_lookup() */
		return true;
	if (likely(comm_is_saved(pid, comm)))
		return true;
	if (!raw_spin_trylock(&table_lock))
		return false;
	comm_store(pid, comm);
	raw_spin_unlock(&table_lock);
	return true;
}

static bool comm_find(struct comm_table *table, int pid, char comm[TASK_COMM_LEN])
{
	u32 slot = table_find(table, pid);

	if (slot == SLOT_NONE)
		return false;
	/* comm_lookup() rejects a name that changed during the copy. */
	data_race(memcpy(comm, table->slot[slot].comm, TASK_COMM_LEN));
	comm[TASK_COMM_LEN - 1] = '\0';
	return true;
}

/* As comm_save(), but wait for the table. Context: any that may wait for a lock. */
static void comm_save_surely(int pid, const char comm[TASK_COMM_LEN])
{
	unsigned long flags;

	if (!pid)
		return;
	raw_spin_lock_irqsave(&table_lock, flags);
	comm_store(pid, comm);
	raw_spin_unlock_irqrestore(&table_lock, flags);
}

/* Look for a name in the table. Caller: rcu_read_lock(). */
static bool comm_lookup(int pid, char comm[TASK_COMM_LEN])
{
	struct comm_table *table;
	unsigned int try, seq;
	bool found;

	for (try = 0; try < COMM_LOOKUP_TRIES; try++) {
		seq = raw_read_seqcount(&table_seq);	/* COMM:C */
		table = rcu_dereference(comm_table);
		if (!table)
			return false;
		found = comm_find(table, pid, comm);
		/* COMM:D */
		if (!(seq & 1) && !read_seqcount_retry(&table_seq, seq))
			return found;
		cpu_relax();
	}
	return false;
}

/* Find a task that runs on a CPU now, while @what is recorded. Caller: rcu_read_lock(). */
static struct task_struct *running_task(int pid, enum comm_what what)
{
	struct task_struct *task;

	if (!READ_ONCE(recorders[what]))
		return NULL;
	task = find_task_by_pid_ns(pid, &init_pid_ns);
	return task && task_curr(task) ? task : NULL;
}

static bool running_lookup(int pid, char comm[TASK_COMM_LEN])
{
	struct task_struct *task = running_task(pid, COMM_NAMES);

	if (!task)
		return false;
	/* It may be changing its comm. */
	data_race(memcpy(comm, task->comm, TASK_COMM_LEN));
	comm[TASK_COMM_LEN - 1] = '\0';
	return true;
}

/**
 * strobe_comm_lookup - name of a task that was recorded
 * @pid:  its pid
 * @comm: set to the name, "<idle>" for pid 0, "<...>" if it is not known,
 *	  "<XXX>" if @pid is negative
 *
 * Context: any, lock-free.
 */
void strobe_comm_lookup(int pid, char comm[TASK_COMM_LEN])
{
	if (!pid) {
		strscpy(comm, "<idle>", TASK_COMM_LEN);
		return;
	}
	/* Injected and damaged records can have any pid. */
	if (pid < 0) {
		strscpy(comm, "<XXX>", TASK_COMM_LEN);
		return;
	}
	guard(rcu)();
	/* A task may be saved and switched out after the first look at the table. */
	if (!comm_lookup(pid, comm) && !running_lookup(pid, comm) && !comm_lookup(pid, comm))
		strscpy(comm, "<...>", TASK_COMM_LEN);
}

/**
 * strobe_comm_iter_next - return the next name in the cache
 * @pos:  slot to start at, 0 at first; set to the slot after the one returned
 * @pid:  set to the task's pid
 * @comm: set to its name
 *
 * A task may be missed or shown twice if the cache changes meanwhile.
 *
 * Context: task.
 * Return: false at the end.
 */
bool strobe_comm_iter_next(unsigned int *pos, int *pid, char comm[TASK_COMM_LEN])
{
	const struct comm_slot *slot;
	struct comm_table *table;
	unsigned long flags;
	bool found = false;

	raw_spin_lock_irqsave(&table_lock, flags);
	table = rcu_dereference_protected(comm_table, lockdep_is_held(&table_lock));
	while (table && !found && *pos < table->slots) {
		slot = &table->slot[(*pos)++];
		if (!slot->pid)
			continue;
		*pid = slot->pid;
		memcpy(comm, slot->comm, TASK_COMM_LEN);
		found = true;
	}
	raw_spin_unlock_irqrestore(&table_lock, flags);
	return found;
}

/**
 * strobe_comm_cache_size - number of names that the cache can hold
 *
 * Context: any.
 */
unsigned int strobe_comm_cache_size(void)
{
	return READ_ONCE(comm_slots);
}

static void table_replace(struct comm_table *table)
{
	struct comm_table *old;

	scoped_guard(raw_spinlock_irqsave, &table_lock) {
		old = rcu_dereference_protected(comm_table,
						lockdep_is_held(&table_lock));
		raw_write_seqcount_begin(&table_seq);
		rcu_assign_pointer(comm_table, table);
		raw_write_seqcount_end(&table_seq);
		WRITE_ONCE(comm_slots, table->slots);
	}
	if (!old)
		return;
	synchronize_rcu();
	table_free(old);
}

/**
 * strobe_comm_cache_resize - replace the cache with an empty one of another size
 * @slots: number of names that the new cache can hold
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL if @slots is 0 or above PID_MAX_DEFAULT; -ENOMEM. The
 *	   cache is unchanged after an error.
 */
int strobe_comm_cache_resize(unsigned int slots)
{
	struct comm_table *table;

	if (!slots || slots > PID_MAX_DEFAULT)
		return -EINVAL;
	guard(mutex)(&comm_mutex);
	table = table_alloc(slots);
	if (!table)
		return -ENOMEM;
	table_replace(table);
	return 0;
}

/* comm_mutex held */
static int comm_table_ensure(void)
{
	struct comm_table *table;

	if (rcu_access_pointer(comm_table))
		return 0;
	table = table_alloc(comm_slots);
	if (!table)
		return -ENOMEM;
	table_replace(table);
	return 0;
}

/* The thread group map. */

static int *tgid_slot(unsigned int pid)
{
	int *map = smp_load_acquire(&tgid_map);	/* pairs with TGID:A */

	return map && pid < tgid_map_size ? &map[pid] : NULL;
}

/* comm_mutex held */
static int tgid_map_ensure(void)
{
	int *map;

	if (tgid_map)
		return 0;
	tgid_map_size = pid_max + 1;
	map = kvcalloc(tgid_map_size, sizeof(*map), GFP_KERNEL);
	if (!map)
		return -ENOMEM;
	smp_store_release(&tgid_map, map);	/* TGID:A */
	return 0;
}

static void tgid_save(struct task_struct *task)
{
	int *slot = task->pid ? tgid_slot(task->pid) : NULL;

	if (slot)
		WRITE_ONCE(*slot, task->tgid);
}

/**
 * strobe_tgid_lookup - thread group of a task that was recorded
 * @pid: its pid
 *
 * Context: any, lock-free.
 * Return: the tgid, or 0 if it is not known.
 */
int strobe_tgid_lookup(int pid)
{
	int *slot = pid >= 0 ? tgid_slot(pid) : NULL;
	int tgid = slot ? READ_ONCE(*slot) : 0;
	struct task_struct *task;

	if (tgid || pid <= 0)
		return tgid;
	guard(rcu)();
	task = running_task(pid, COMM_TGIDS);
	if (task)
		return task->tgid;
	/* It may have been saved, and switched out, since the first look. */
	return slot ? READ_ONCE(*slot) : 0;
}

/**
 * strobe_tgid_iter_next - return the next known thread group
 * @pos:  pid to start at, 0 at first; set to the pid after the one returned
 * @pid:  set to the task's pid
 * @tgid: set to its thread group
 *
 * Context: task.
 * Return: false at the end.
 */
bool strobe_tgid_iter_next(unsigned int *pos, int *pid, int *tgid)
{
	int *slot;

	while ((slot = tgid_slot(*pos))) {
		*pid = (*pos)++;
		*tgid = READ_ONCE(*slot);
		if (*tgid)
			return true;
	}
	return false;
}

/* Recording. */

/* Keep the name of a task that is not saved. */
static void cpu_keep(struct comm_cpu *cpu, const struct task_struct *task)
{
	cpu->pid = task->pid;
	/* Another task may be changing it. */
	data_race(memcpy(cpu->comm, task->comm, TASK_COMM_LEN));
}

/* Save a name that was kept, unless the table has one for its pid. Return: as comm_save() */
static bool cpu_save_kept(const struct comm_cpu *cpu)
{
	char newer[TASK_COMM_LEN];

	guard(rcu)();
	return comm_lookup(cpu->pid, newer) || comm_save(cpu->pid, cpu->comm);
}

static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	struct comm_recorder *rec = data;
	struct comm_cpu *cpu = this_cpu_ptr(rec->cpus);
	/* Before the word: CHANGE:B */
	s64 changes = atomic64_read_acquire(&rec->changes);
	u64 now = strobe_ring_state_word(rec->ring);

	if (READ_ONCE(rec->users[COMM_TGIDS]))
		tgid_save(prev);
	if (!READ_ONCE(rec->users[COMM_NAMES]))
		return;
	if (cpu->mark == now && cpu->changes == changes) {
		cpu_keep(cpu, prev);
		return;
	}
	if (cpu->pid && cpu_save_kept(cpu))
		cpu->pid = 0;
	/* There is room for one name. */
	if (!comm_save(prev->pid, prev->comm)) {
		cpu_keep(cpu, prev);
	} else if (!cpu->pid && !(changes & CHANGES_UNDER_WAY)) {
		cpu->mark = now;
		cpu->changes = changes;
	}
}

/**
 * strobe_comm_save_running - save what is recorded of the tasks that run now
 * @what: names or thread groups
 *
 * They may have recorded events, and have not been switched out since.
 *
 * Context: task; takes the locks of the run queues.
 */
void strobe_comm_save_running(enum comm_what what)
{
	struct task_struct *task;
	int cpu;

	if (!READ_ONCE(recorders[what]))
		return;
	for_each_online_cpu(cpu) {
		/* The task is not freed meanwhile. */
		guard(rcu)();
		/* With the run queue locked, a task runs, or probe_switch() has seen it leave. */
		task = cpu_curr_snapshot(cpu);
		if (what == COMM_TGIDS)
			tgid_save(task);
		else
			comm_save_surely(task->pid, task->comm);
	}
}

/**
 * strobe_comm_change_begin - call before the ring is reset, swapped, or gets another shape
 * @rec: the recorder
 *
 * The state word of a CPU may then be the same as before, though records were added since.
 * Until strobe_comm_change_end(), each task that is switched out is saved, and no mark is set.
 *
 * Context: any.
 */
void strobe_comm_change_begin(struct comm_recorder *rec)
{
	atomic64_inc(&rec->changes);
	smp_mb__after_atomic(); /* CHANGE:A */
}

/**
 * strobe_comm_change_end - call after a change of the ring, or if it failed
 * @rec: the recorder
 *
 * Makes all marks invalid.
 *
 * Context: any.
 */
void strobe_comm_change_end(struct comm_recorder *rec)
{
	atomic64_fetch_add_release(CHANGE_ENDED - 1, &rec->changes); /* CHANGE:B */
}

static int recorder_connect(struct comm_recorder *rec)
{
	int cpu;

	/* What was kept when the recorder stopped may be of a task that is long gone. */
	for_each_possible_cpu(cpu)
		per_cpu_ptr(rec->cpus, cpu)->pid = 0;
	/*
	 * After the probes of events. A record of sched_switch itself has then moved the ring, so
	 * the task is saved at once, and not at the next switch, which may be long after.
	 */
	return register_trace_prio_sched_switch(probe_switch, rec, INT_MIN);
}

static bool recorder_used(const struct comm_recorder *rec)
{
	return rec->users[COMM_NAMES] || rec->users[COMM_TGIDS];
}

/**
 * strobe_comm_recorder_init - make an instance's recorder
 * @rec:  the recorder
 * @ring: the instance's ring, which must outlive it
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int strobe_comm_recorder_init(struct comm_recorder *rec, struct strobe_ring *ring)
{
	*rec = (struct comm_recorder) { .ring = ring };
	rec->cpus = alloc_percpu(struct comm_cpu);
	return rec->cpus ? 0 : -ENOMEM;
}

/**
 * strobe_comm_recorder_destroy - undo strobe_comm_recorder_init()
 * @rec: the recorder; it has no users any more
 *
 * Context: task; the caller has waited for probes since the last
 *	    strobe_comm_record_stop() (tracepoint_synchronize_unregister()).
 */
void strobe_comm_recorder_destroy(struct comm_recorder *rec)
{
	WARN_ON_ONCE(recorder_used(rec));
	free_percpu(rec->cpus);
	rec->cpus = NULL;
}

/**
 * strobe_comm_record_start - record names or thread groups for one more user
 * @rec:  the instance's recorder
 * @what: names or thread groups
 *
 * Context: task, may sleep.
 * Return: 0; -ENOMEM or the error of registering the probes, and the user is
 *	   not counted.
 */
int strobe_comm_record_start(struct comm_recorder *rec, enum comm_what what)
{
	int ret;

	guard(mutex)(&comm_mutex);
	ret = what == COMM_NAMES ? comm_table_ensure() : tgid_map_ensure();
	if (!ret && !recorder_used(rec))
		ret = recorder_connect(rec);
	if (ret)
		return ret;
	if (!rec->users[what])
		WRITE_ONCE(recorders[what], recorders[what] + 1);
	WRITE_ONCE(rec->users[what], rec->users[what] + 1);
	return 0;
}

/**
 * strobe_comm_record_add - change the number of users of a recorder that is in use
 * @rec:  the instance's recorder
 * @what: names or thread groups; it has users
 * @more: number of users to add, or if negative, to remove
 *
 * If no user is left, this stops recording. Probes may still run on return.
 *
 * Context: task, may sleep.
 */
void strobe_comm_record_add(struct comm_recorder *rec, enum comm_what what, int more)
{
	unsigned int users;

	if (!more)
		return;
	guard(mutex)(&comm_mutex);
	users = rec->users[what] + more;
	if (WARN_ON_ONCE(!rec->users[what] || (int)users < 0))
		return;
	if (!users) {
		strobe_comm_save_running(what);
		WRITE_ONCE(recorders[what], recorders[what] - 1);
	}
	WRITE_ONCE(rec->users[what], users);
	if (!recorder_used(rec))
		unregister_trace_sched_switch(probe_switch, rec);
}

/**
 * strobe_comm_record_stop - undo one strobe_comm_record_start()
 * @rec:  the instance's recorder
 * @what: as passed to strobe_comm_record_start()
 *
 * Probes may still run on return.
 *
 * Context: task, may sleep.
 */
void strobe_comm_record_stop(struct comm_recorder *rec, enum comm_what what)
{
	strobe_comm_record_add(rec, what, -1);
}

#ifdef CONFIG_STROBE_KUNIT_TEST
#include "record/comm_test.c"
#endif
