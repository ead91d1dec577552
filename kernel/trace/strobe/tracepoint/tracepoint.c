// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints: connecting probes to call sites
 * ============================================
 *
 * A call site is a no-op. When the tracepoint's static key is on it is a jump
 * to a call of __traceiter_NAME(), which calls the probes. There is one such
 * function per tracepoint (DEFINE_TRACE() in <linux/strobe/tracepoint.h>); it
 * is the reader of the data that this file writes.
 *
 * Structures
 * ----------
 * tp->probes   One word: the address of a struct tracepoint_probes, with bit 0
 *              (TRACEPOINT_DIRECT) as a tag; 0 while there are no probes. A
 *              word is called "direct" if it has the tag, "looped" if not.
 * the array    Immutable after publication, replaced as a whole. Sorted by
 *              descending priority, and by order of registration among equals.
 *              Exception: if there is no memory to replace an array, the removed
 *              entry gets func = NULL, a hole. Readers skip holes; the next
 *              array does not have them.
 * target       The function that the tracepoint's static call calls: tp's
 *              static_call_key->func. Before its first use it is NULL, or the
 *              probe that DEFINE_TRACE_PROBE() has named. Only readers of a
 *              direct word execute the call.
 *
 * What a reader does, with preemption disabled (and so in an RCU reader):
 *
 *	word = tp->probes			(barrier PROBES:C)
 *	direct:	call target with word's probe[0].data  (no func is loaded)
 *	looped:	for each entry with a func: call func with that entry's data
 *
 * Invariants
 * ----------
 * I1  A direct word that any reader may still hold has probe[0].func == target.
 *     So the function in the code and the data in the array always belong
 *     together, although they do not change at the same time.
 * I2  A direct word has an array of exactly one entry, which is no hole.
 * I3  A published array has at least one entry that is no hole, is sorted, has
 *     no two equal (func, data), and belongs to this tracepoint.
 * I4  An array is in direct_list only while it is published, looped, and has
 *     one entry.
 * I5  Outside a batch: the static key is on if and only if tp->probes != 0.
 * strobe_tracepoint_check() verifies I1 (for the current word) to I5.
 *
 * States
 * ------
 * P is the array published, F its only func, T the target.
 *
 *	state	tp->probes	T	meaning
 *	------	--------------	-------	-----------------------------------
 *	NONE	0		any	no probes; T is the last one
 *	DIRECT	P | 1		F	one probe, called directly
 *	WAIT	P, one entry	not F	one probe, called by the loop until
 *					readers of older direct words are gone
 *	LOOP	P, more entries	any	several probes, or a hole
 *
 * Whether one probe becomes DIRECT or WAIT:
 *
 *	T == F				DIRECT at once: a reader that still holds
 *					an older direct word calls F too, with the
 *					data of the older word. That is a late
 *					call of the old probe, not a mixture.
 *	T == NULL			patch T, DIRECT: no reader has a direct
 *					word; there has been none, or T was
 *					reset with its module.
 *	T != F, grace period passed	patch T, DIRECT: no reader is left that
 *	since a direct word was last	holds an older direct word.
 *	withdrawn
 *	T != F, not passed		WAIT; direct_work takes it to DIRECT
 *
 * Transitions (under tracepoints_mutex), none of which waits for readers:
 *
 *	0->1	NONE -> DIRECT or WAIT, then key on
 *	1->2	DIRECT or WAIT -> LOOP: replace the word. T stays, for the
 *		readers of the direct word. No code is patched.
 *	N->N+1	LOOP -> LOOP: replace the word
 *	N->N-1	LOOP -> LOOP: replace the word; or make a hole
 *	2->1	LOOP -> DIRECT or WAIT: replace the word; or LOOP -> LOOP with
 *		a hole
 *	1->0	any -> NONE: word = 0, then key off. T stays, so switching one
 *		probe off and on again patches nothing but the key.
 *	0 -> 1 with another (func, data) just after 1 -> 0 ends in WAIT, so
 *		that the old data never meets the new func.
 *
 * When a module is unloaded, targets in it become NULL, so that no code refers to
 * memory that may be reused (strobe_tracepoint_target_forget()).
 *
 * Architectures without HAVE_STATIC_CALL load the func of a direct word from
 * the array, too, so one probe always becomes DIRECT at once. Where static calls
 * exist, a tracepoint without one (made at run time) has only NONE and LOOP.
 *
 * Freeing
 * -------
 * A replaced array waits for an RCU grace period. Callers in idle code make
 * RCU watch first (trace_NAME_rcuidle()), so that no other kind of grace
 * period is needed. The probe and its data belong to the caller of
 * unregister, which waits with tracepoint_synchronize_unregister().
 *
 * Contexts: readers run anywhere, NMI included. All functions here are for
 * task context and may sleep.
 *
 * Lock order
 * ----------
 *	tracepoint_modules_mutex (module.c)
 *	  tracepoints_mutex
 *	    cpu_hotplug_lock (read)
 *	      static_call_mutex or jump_label_mutex
 *	        text_mutex
 * regfunc and unregfunc are called with tracepoints_mutex held.
 *
 * Barriers
 * --------
 *	PROBES:A  __static_call_update() in direct_prepare() returns when all
 *		  CPUs execute the new code. Ordered before PROBES:B by program
 *		  order and by the serialisation of all CPUs that it implies.
 *	PROBES:B  smp_store_release() of tp->probes in probes_publish() and
 *		  direct_work_fn(). If a reader reads this word, it also sees the
 *		  array that was filled before; if the word is direct, it also
 *		  executes the static call as PROBES:A left it. Pairs with PROBES:C.
 *	PROBES:C  READ_ONCE() in tracepoint_probes_load(), and the address
 *		  dependency from it. Pairs with PROBES:B.
 *	PROBES:D  get_state_synchronize_rcu() in probes_publish(), after PROBES:B:
 *		  full barrier. If a reader still reads the old word, it began
 *		  before the grace period of this state. Pairs with PROBES:E.
 *	PROBES:E  poll_state_synchronize_rcu() returning true, before PROBES:A:
 *		  full barrier. All readers of the old word (PROBES:D) have finished,
 *		  and have executed the static call before the code changes. Pairs
 *		  with PROBES:D.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/static_key.h>
#include <linux/workqueue.h>

#include "tracepoint/tracepoint.h"

/* Protects the probes of all tracepoints, and the variables below. */
static DEFINE_MUTEX(tracepoints_mutex);

/* RCU state taken after the last direct word of any tracepoint was withdrawn. */
static unsigned long direct_withdrawn_gp;
static bool direct_withdrawn;		/* direct_withdrawn_gp is valid */

VISIBLE_IF_KUNIT struct tracepoint_probes *strobe_tracepoint_probes_alloc(unsigned int nr)
{
	struct tracepoint_probes *probes;

	KUNIT_STATIC_STUB_REDIRECT(strobe_tracepoint_probes_alloc, nr);

	probes = kzalloc(struct_size(probes, probe, nr), GFP_KERNEL);
	if (probes)
		probes->nr = nr;
	return probes;
}
EXPORT_SYMBOL_IF_KUNIT(strobe_tracepoint_probes_alloc);

/* True if all readers that were active when @gp was taken have finished. */
VISIBLE_IF_KUNIT bool strobe_tracepoint_gp_passed(unsigned long gp)
{
	KUNIT_STATIC_STUB_REDIRECT(strobe_tracepoint_gp_passed, gp);

	/* PROBES:E: the caller changes the call after this. Pairs with PROBES:D. */
	return poll_state_synchronize_rcu(gp);
}
EXPORT_SYMBOL_IF_KUNIT(strobe_tracepoint_gp_passed);

static struct tracepoint_probes *tracepoint_probes_get(struct tracepoint *tp)
{
	lockdep_assert_held(&tracepoints_mutex);

	return (struct tracepoint_probes *)tracepoint_probes_array(tp->probes);
}

#ifdef CONFIG_HAVE_STATIC_CALL

static void direct_work_fn(struct work_struct *work);

static bool direct_work_queued;
static struct rcu_work direct_work = {
	.work = __WORK_INITIALIZER(direct_work.work, direct_work_fn),
};

/* Arrays in state WAIT, oldest first. */
static LIST_HEAD(direct_list);

static bool direct_possible(const struct tracepoint *tp, const struct tracepoint_probes *probes)
{
	return probes && probes->nr == 1 && tp->static_call_key;
}

/*
 * Make the static call of @tp call the only probe of @probes. Returns false if that is not
 * safe yet; see the top of the file for the conditions.
 */
static bool direct_prepare(struct tracepoint *tp, const struct tracepoint_probes *probes,
			   unsigned long gp)
{
	void *target = READ_ONCE(tp->static_call_key->func);
	void *func = probes->probe[0].func;

	if (target == func)
		return true;
	if (target && ((tp->probes & TRACEPOINT_DIRECT) ||
		       (direct_withdrawn && !strobe_tracepoint_gp_passed(gp))))
		return false;
	__static_call_update(tp->static_call_key, tp->static_call_tramp, func);	/* PROBES:A */
	return true;
}

static void direct_work_queue(void)
{
	if (direct_work_queued || list_empty(&direct_list))
		return;
	direct_work_queued = true;
	queue_rcu_work(system_wq, &direct_work);
}

/* Queue @probes, just published as a looped word, to become direct later. */
static void direct_wait_begin(struct tracepoint_probes *probes)
{
	probes->direct_gp = direct_withdrawn_gp;
	probes->direct_waiting = true;
	list_add_tail(&probes->direct_link, &direct_list);
	direct_work_queue();
}

static void direct_wait_end(struct tracepoint_probes *probes)
{
	if (!probes->direct_waiting)
		return;
	list_del(&probes->direct_link);
	probes->direct_waiting = false;
}

/*
 * Runs a grace period after the first array was queued. Arrays that were queued later
 * may need another grace period, for which the work queues itself again. Each array
 * waits only for the RCU state it was queued with, so none waits forever.
 */
static void direct_work_fn(struct work_struct *work)
{
	struct tracepoint_probes *probes, *next;

	mutex_lock(&tracepoints_mutex);
	direct_work_queued = false;
	list_for_each_entry_safe(probes, next, &direct_list, direct_link) {
		if (!direct_prepare(probes->tp, probes, probes->direct_gp))
			continue;
		direct_wait_end(probes);
		/* PROBES:B: as in probes_publish() */
		smp_store_release(&probes->tp->probes, (unsigned long)probes | TRACEPOINT_DIRECT);
	}
	direct_work_queue();
	mutex_unlock(&tracepoints_mutex);
}

#else /* !CONFIG_HAVE_STATIC_CALL: no call to patch */

static bool direct_possible(const struct tracepoint *tp, const struct tracepoint_probes *probes)
{
	return probes && probes->nr == 1;
}

static bool direct_prepare(struct tracepoint *tp, const struct tracepoint_probes *probes,
			   unsigned long gp)
{
	return true;
}

static void direct_wait_begin(struct tracepoint_probes *probes) { }
static void direct_wait_end(struct tracepoint_probes *probes) { }

#endif /* CONFIG_HAVE_STATIC_CALL */

/*
 * Replace the array of @tp with @new, or NULL for no probes. The old array is freed
 * after a grace period.
 */
static void probes_publish(struct tracepoint *tp, struct tracepoint_probes *new)
{
	struct tracepoint_probes *old = tracepoint_probes_get(tp);
	bool old_direct = tp->probes & TRACEPOINT_DIRECT;
	unsigned long word = (unsigned long)new;
	bool lone = direct_possible(tp, new);

	if (lone && direct_prepare(tp, new, direct_withdrawn_gp))
		word |= TRACEPOINT_DIRECT;
	/*
	 * PROBES:B: orders the contents of the array, and the static call (PROBES:A), before
	 * the word. Pairs with PROBES:C in tracepoint_probes_load().
	 */
	smp_store_release(&tp->probes, word);
	if (old_direct) {
		/* PROBES:D: after PROBES:B. Pairs with PROBES:E. */
		direct_withdrawn_gp = get_state_synchronize_rcu();
		direct_withdrawn = true;
	}

	if (lone && !(word & TRACEPOINT_DIRECT))
		direct_wait_begin(new);
	if (old) {
		direct_wait_end(old);
		kfree_rcu(old, rcu);
	}
}

static bool func_matches(const struct tracepoint_func *entry, void *probe, void *data)
{
	return entry->func && (!probe || (entry->func == probe && entry->data == data));
}

/* Count the entries of @probes that match; with @probe == NULL, all but holes. */
static unsigned int probes_count(const struct tracepoint_probes *probes, void *probe, void *data)
{
	unsigned int count = 0;
	unsigned int i;

	for (i = 0; probes && i < probes->nr; i++)
		count += func_matches(&probes->probe[i], probe, data);
	return count;
}

/*
 * Copy @old (may be NULL) without holes, and insert @add after all entries of the same
 * or a higher priority.
 */
static struct tracepoint_probes *
probes_with(struct tracepoint *tp, const struct tracepoint_probes *old,
	    const struct tracepoint_func *add)
{
	struct tracepoint_probes *new;
	bool added = false;
	unsigned int n = 0;
	unsigned int i;

	if (probes_count(old, add->func, add->data))
		return ERR_PTR(-EEXIST);
	new = strobe_tracepoint_probes_alloc(probes_count(old, NULL, NULL) + 1);
	if (!new)
		return ERR_PTR(-ENOMEM);
	new->tp = tp;
	for (i = 0; old && i < old->nr; i++) {
		if (!old->probe[i].func)
			continue;
		if (!added && old->probe[i].prio < add->prio) {
			new->probe[n++] = *add;
			added = true;
		}
		new->probe[n++] = old->probe[i];
	}
	if (!added)
		new->probe[n] = *add;
	return new;
}

/* Copy @old without holes and without the entries that match; NULL without memory. */
static struct tracepoint_probes *
probes_without(struct tracepoint *tp, const struct tracepoint_probes *old,
	       void *probe, void *data, unsigned int left)
{
	struct tracepoint_probes *new = strobe_tracepoint_probes_alloc(left);
	unsigned int n = 0;
	unsigned int i;

	if (!new)
		return NULL;
	new->tp = tp;
	for (i = 0; i < old->nr; i++) {
		if (old->probe[i].func && !func_matches(&old->probe[i], probe, data))
			new->probe[n++] = old->probe[i];
	}
	return new;
}

/* Register a probe, except for the static key. */
static int probe_add(struct tracepoint *tp, void *probe, void *data, int prio, bool may_exist)
{
	const struct tracepoint_func add = { .func = probe, .data = data, .prio = prio };
	struct tracepoint_probes *old, *new;
	int ret;

	if (WARN_ON(!probe))
		return -EINVAL;
	old = tracepoint_probes_get(tp);
	new = probes_with(tp, old, &add);
	if (IS_ERR(new)) {
		WARN_ON_ONCE(!may_exist && PTR_ERR(new) == -EEXIST);
		return PTR_ERR(new);
	}
	/* The last step that can fail, so that it never has to be undone. */
	if (!old && tp->ext && tp->ext->regfunc) {
		ret = tp->ext->regfunc();
		if (ret < 0) {
			kfree(new);
			return ret;
		}
	}
	probes_publish(tp, new);
	return 0;
}

/*
 * Unregister a probe, except for the static key and unregfunc. A NULL @probe stands for
 * all probes.
 */
static int probe_remove(struct tracepoint *tp, void *probe, void *data)
{
	struct tracepoint_probes *old = tracepoint_probes_get(tp);
	unsigned int left, i;
	struct tracepoint_probes *new = NULL;

	if (WARN_ON_ONCE(!old))
		return -ENOENT;
	left = probes_count(old, NULL, NULL);
	i = probes_count(old, probe, data);
	if (!i)
		return -ENOENT;
	left -= i;
	if (left) {
		new = probes_without(tp, old, probe, data, left);
		if (!new) {
			/* Make a hole, which readers skip. The data does not change. */
			for (i = 0; i < old->nr; i++) {
				if (func_matches(&old->probe[i], probe, data))
					WRITE_ONCE(old->probe[i].func, NULL);
			}
			return 0;
		}
	}
	probes_publish(tp, new);
	return 0;
}

static void probes_gone(struct tracepoint *tp)
{
	if (!tp->probes && tp->ext && tp->ext->unregfunc)
		tp->ext->unregfunc();
}

static bool tracepoint_key_is_stale(struct tracepoint *tp)
{
	return static_key_enabled(&tp->key) != !!tp->probes;
}

/* cpu_hotplug_lock held for reading */
static void tracepoint_key_update(struct tracepoint *tp)
{
	if (tp->probes)
		static_key_enable_cpuslocked(&tp->key);
	else
		static_key_disable_cpuslocked(&tp->key);
}

static int probe_register(struct tracepoint *tp, void *probe, void *data, int prio, bool may_exist)
{
	int ret;

	mutex_lock(&tracepoints_mutex);
	ret = probe_add(tp, probe, data, prio, may_exist);
	if (!ret && tracepoint_key_is_stale(tp))
		static_key_enable(&tp->key);
	mutex_unlock(&tracepoints_mutex);
	return ret;
}

/**
 * tracepoint_probe_register_prio_may_exist - connect a probe unless it is connected
 * @tp: tracepoint
 * @probe: function with the prototype of the tracepoint's probes
 * @data: first argument of @probe
 * @prio: probes of higher priority are called first, those of equal priority
 *	  in order of registration; the default is TRACEPOINT_DEFAULT_PRIO
 *
 * Like tracepoint_probe_register_prio(), but does not warn if the probe is connected
 * already.
 *
 * Context: task; may sleep. Takes tracepoints_mutex.
 * Return: see tracepoint_probe_register_prio().
 */
int tracepoint_probe_register_prio_may_exist(struct tracepoint *tp, void *probe,
					     void *data, int prio)
{
	return probe_register(tp, probe, data, prio, true);
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register_prio_may_exist);

/**
 * tracepoint_probe_register_prio - connect a probe to a tracepoint with a priority
 * @tp: tracepoint
 * @probe: function with the prototype of the tracepoint's probes; it is called
 *	   in the context of the call site, with preemption disabled
 * @data: first argument of @probe
 * @prio: probes of higher priority are called first, those of equal priority
 *	  in order of registration; the default is TRACEPOINT_DEFAULT_PRIO
 *
 * Does not wait for a grace period. Calls regfunc of the tracepoint if this is
 * its first probe. If @tp is in a module, the probe has to be unregistered
 * before the module is unloaded, in a register_tracepoint_module_notifier()
 * callback or because the caller's own module depends on it.
 *
 * Context: task; may sleep. Takes tracepoints_mutex.
 * Return: 0; or, with nothing changed,
 * %-EEXIST if (@probe, @data) is connected to @tp already (and warns),
 * %-EINVAL if @probe is NULL (and warns),
 * %-ENOMEM, or the error of regfunc.
 */
int tracepoint_probe_register_prio(struct tracepoint *tp, void *probe, void *data, int prio)
{
	return probe_register(tp, probe, data, prio, false);
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register_prio);

/**
 * tracepoint_probe_register - connect a probe to a tracepoint
 * @tp: tracepoint
 * @probe: function with the prototype of the tracepoint's probes
 * @data: first argument of @probe
 *
 * tracepoint_probe_register_prio() with TRACEPOINT_DEFAULT_PRIO. The
 * register_trace_NAME() functions check the type of @probe and call it.
 *
 * Context: task; may sleep. Takes tracepoints_mutex.
 * Return: see tracepoint_probe_register_prio().
 */
int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data)
{
	return probe_register(tp, probe, data, TRACEPOINT_DEFAULT_PRIO, false);
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register);

/**
 * tracepoint_probe_unregister - disconnect a probe from a tracepoint
 * @tp: tracepoint
 * @probe: function given to registration; NULL for all probes of @tp
 * @data: data given to registration
 *
 * Does not fail without memory, and does not wait for a grace period: CPUs may
 * still execute the probe on return. Data that it uses may be freed after
 * tracepoint_synchronize_unregister(). Calls unregfunc of the tracepoint if
 * this was its last probe.
 *
 * Context: task; may sleep. Takes tracepoints_mutex.
 * Return: 0, or %-ENOENT if (@probe, @data) is not connected to @tp (warns if
 * no probe is).
 */
int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
	int ret;

	mutex_lock(&tracepoints_mutex);
	ret = probe_remove(tp, probe, data);
	if (!ret && !tp->probes) {
		static_key_disable(&tp->key);
		probes_gone(tp);
	}
	mutex_unlock(&tracepoints_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(tracepoint_probe_unregister);

static void batch_flush(struct tracepoint_batch *batch)
{
	unsigned int i;

	if (!batch->nr)
		return;
	cpus_read_lock();
	for (i = 0; i < batch->nr; i++)
		tracepoint_key_update(batch->tps[i]);
	cpus_read_unlock();
	batch->nr = 0;
}

static void batch_note(struct tracepoint_batch *batch, struct tracepoint *tp)
{
	if (!tracepoint_key_is_stale(tp))
		return;
	if (batch->nr == TRACEPOINT_BATCH_MAX)
		batch_flush(batch);
	batch->tps[batch->nr++] = tp;
}

/**
 * strobe_tracepoint_batch_begin - begin a batch of connecting and disconnecting probes
 * @batch: uninitialised memory of the caller
 *
 * Until strobe_tracepoint_batch_end(), the calling task uses the functions below
 * instead of those of the public API, which would deadlock.
 *
 * Context: task; may sleep. Returns with tracepoints_mutex held.
 */
void strobe_tracepoint_batch_begin(struct tracepoint_batch *batch)
{
	mutex_lock(&tracepoints_mutex);
	batch->nr = 0;
}
EXPORT_SYMBOL_IF_KUNIT(strobe_tracepoint_batch_begin);

/**
 * strobe_tracepoint_batch_register - tracepoint_probe_register_prio() in a batch
 * @batch: begun by strobe_tracepoint_batch_begin()
 * @tp: tracepoint
 * @probe: function with the prototype of the tracepoint's probes
 * @data: first argument of @probe
 * @prio: see tracepoint_probe_register_prio()
 *
 * Context: task; may sleep. tracepoints_mutex held.
 * Return: see tracepoint_probe_register_prio().
 */
int strobe_tracepoint_batch_register(struct tracepoint_batch *batch, struct tracepoint *tp,
				     void *probe, void *data, int prio)
{
	int ret;

	lockdep_assert_held(&tracepoints_mutex);

	ret = probe_add(tp, probe, data, prio, false);
	if (!ret)
		batch_note(batch, tp);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(strobe_tracepoint_batch_register);

/**
 * strobe_tracepoint_batch_unregister - tracepoint_probe_unregister() in a batch
 * @batch: begun by strobe_tracepoint_batch_begin()
 * @tp: tracepoint
 * @probe: function given to registration; NULL for all probes of @tp
 * @data: data given to registration
 *
 * Context: task; may sleep. tracepoints_mutex held.
 * Return: see tracepoint_probe_unregister().
 */
int strobe_tracepoint_batch_unregister(struct tracepoint_batch *batch, struct tracepoint *tp,
				       void *probe, void *data)
{
	int ret;

	lockdep_assert_held(&tracepoints_mutex);

	ret = probe_remove(tp, probe, data);
	if (!ret && !tp->probes) {
		batch_note(batch, tp);
		probes_gone(tp);
	}
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(strobe_tracepoint_batch_unregister);

/**
 * strobe_tracepoint_batch_end - set the static keys of a batch and end it
 * @batch: begun by strobe_tracepoint_batch_begin()
 *
 * Context: task; may sleep. Releases tracepoints_mutex.
 */
void strobe_tracepoint_batch_end(struct tracepoint_batch *batch)
{
	batch_flush(batch);
	mutex_unlock(&tracepoints_mutex);
}
EXPORT_SYMBOL_IF_KUNIT(strobe_tracepoint_batch_end);

#ifdef CONFIG_MODULES
/*
 * Reset the target of @tp if it is in module @priv, which is being unloaded. A module
 * that unregisters probes in its exit function must wait for readers there; the wait
 * here only makes sure, as the code will be patched. The target can be tested without
 * tracepoints_mutex, as no probe of that module is being connected any more.
 */
void strobe_tracepoint_target_forget(struct tracepoint *tp, void *priv)
{
#ifdef CONFIG_HAVE_STATIC_CALL
	struct module *mod = priv;

	if (!within_module((unsigned long)READ_ONCE(tp->static_call_key->func), mod))
		return;
	mutex_lock(&tracepoints_mutex);
	if (!(tp->probes & TRACEPOINT_DIRECT)) {
		if (direct_withdrawn && !strobe_tracepoint_gp_passed(direct_withdrawn_gp))
			synchronize_rcu();
		/* A, after E */
		__static_call_update(tp->static_call_key, tp->static_call_tramp, NULL);
	}
	mutex_unlock(&tracepoints_mutex);
#endif
}

/*
 * @mod is being unloaded. No array in direct_list may refer to its tracepoints any more. They
 * are not read: those of a module that was refused may have another layout.
 */
void strobe_tracepoints_forget(const struct module *mod)
{
#ifdef CONFIG_HAVE_STATIC_CALL
	struct tracepoint_probes *probes, *next;

	mutex_lock(&tracepoints_mutex);
	list_for_each_entry_safe(probes, next, &direct_list, direct_link) {
		if (within_module((unsigned long)probes->tp, mod))
			direct_wait_end(probes);
	}
	mutex_unlock(&tracepoints_mutex);
#endif
}
#endif

/**
 * for_each_kernel_tracepoint - visit the built-in tracepoints
 * @fct: called for each tracepoint; may call the functions of this API
 * @priv: second argument of @fct
 *
 * Context: any that suits @fct. No lock is held.
 */
void
for_each_kernel_tracepoint(void (*fct)(struct tracepoint *tp, void *priv), void *priv)
{
	tracepoint_ptr_t *p;

	for (p = __start___tracepoints_ptrs; p < __stop___tracepoints_ptrs; p++)
		fct(tracepoint_ptr_deref(p), priv);
}
EXPORT_SYMBOL_GPL(for_each_kernel_tracepoint);

#if IS_ENABLED(CONFIG_STROBE_KUNIT_TEST)

static const char *probes_check(const struct tracepoint *tp, const struct tracepoint_probes *probes)
{
	const struct tracepoint_func *entry, *other;
	unsigned int live = 0;

	if (probes->tp != tp)
		return "I3: array of another tracepoint";
	for (entry = probes->probe; entry < probes->probe + probes->nr; entry++) {
		if (entry > probes->probe && entry[-1].prio < entry->prio)
			return "I3: not sorted";
		if (!entry->func)
			continue;
		live++;
		for (other = probes->probe; other < entry; other++) {
			if (func_matches(other, entry->func, entry->data))
				return "I3: same probe twice";
		}
	}
	return live ? NULL : "I3: no probe";
}

static const char *direct_check(const struct tracepoint *tp, const struct tracepoint_probes *probes)
{
	bool direct = tp->probes & TRACEPOINT_DIRECT;

	if (direct && probes->nr != 1)
		return "I2: direct, but not one probe";
#ifdef CONFIG_HAVE_STATIC_CALL
	if (direct && tp->static_call_key->func != probes->probe[0].func)
		return "I1: the static call leads elsewhere";
#endif
	if (probes->direct_waiting && (direct || probes->nr != 1))
		return "I4: waits for nothing";
	return NULL;
}

/*
 * Return the invariant that @tp violates, or NULL. Call it in a batch that has not
 * changed any probes yet.
 */
const char *strobe_tracepoint_check(struct tracepoint *tp)
{
	const struct tracepoint_probes *probes = tracepoint_probes_get(tp);
	const char *fault;

	if (tracepoint_key_is_stale(tp))
		return "I5: key does not match";
	if (!probes)
		return tp->probes ? "I2: direct, but no array" : NULL;
	fault = probes_check(tp, probes);
	return fault ?: direct_check(tp, probes);
}
EXPORT_SYMBOL_IF_KUNIT(strobe_tracepoint_check);

/* Wait until direct_list is empty. */
void strobe_tracepoint_direct_flush(void)
{
#ifdef CONFIG_HAVE_STATIC_CALL
	bool waiting;

	do {
		flush_rcu_work(&direct_work);
		mutex_lock(&tracepoints_mutex);
		waiting = !list_empty(&direct_list);
		mutex_unlock(&tracepoints_mutex);
	} while (waiting);
#endif
}
EXPORT_SYMBOL_IF_KUNIT(strobe_tracepoint_direct_flush);

#endif /* CONFIG_STROBE_KUNIT_TEST */
