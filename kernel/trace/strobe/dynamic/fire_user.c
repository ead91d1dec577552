// SPDX-License-Identifier: GPL-2.0
/*
 * From a hit in user space to the sinks of its event: as in fire.c, but the program may sleep
 * while it reads the task's memory, and so may BPF programs.
 *
 * A record of registers alone is written in place, as in fire.c. Others are made in an image,
 * once, and only if a sink wants it. Each CPU keeps one image for its next hit; a task that has
 * been moved meanwhile allocates another one, or frees one.
 *
 * A hit that no sink wants in this process makes no record. The caller then lets the breakpoint
 * be removed.
 *
 * State: images, of CPUs that have had hits, while probes are bound. Contexts: task, may
 * sleep. Locks: none; strobe_event_mutex for the number of users.
 */
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "attach/attach.h"
#include "dynamic/dynamic.h"

#define IMAGE_BYTES	PERF_MAX_TRACE_SIZE

static DEFINE_PER_CPU(void *, user_image);
static unsigned int image_users;

static void *image_take(void)
{
	void *image = this_cpu_xchg(user_image, NULL);

	return image ?: kmalloc(IMAGE_BYTES, GFP_KERNEL | __GFP_NOWARN);
}

static void image_give(void *image)
{
	void *other = this_cpu_xchg(user_image, image);

	if (unlikely(other))
		kfree(other);
}

/**
 * strobe_dyn_images_get - count one more probe in user space
 *
 * Context: task, strobe_event_mutex held.
 */
void strobe_dyn_images_get(void)
{
	lockdep_assert_held(&strobe_event_mutex);
	image_users++;
}

/**
 * strobe_dyn_images_put - undo strobe_dyn_images_get(), and free the images after the last one
 *
 * Context: task, strobe_event_mutex held; no callback of that probe runs any more.
 */
void strobe_dyn_images_put(void)
{
	int cpu;

	lockdep_assert_held(&strobe_event_mutex);
	if (--image_users)
		return;
	for_each_possible_cpu(cpu) {
		kfree(per_cpu(user_image, cpu));
		per_cpu(user_image, cpu) = NULL;
	}
}

/* Which sinks want hits of a process? */
struct wanted {
	bool	rings;
	bool	perf;
};

static struct wanted sinks_wanting(const struct dyn_event *event, const struct mm_struct *mm)
{
	struct wanted wanted = { };
	struct dyn_link *link;

	/* With PREEMPT_RT, the lock of targets sleeps, so preemption stays on here. */
	guard(rcu)();
	hlist_for_each_entry_rcu(link, &event->links, node) {
		if (!dyn_sink_is_attached(link->sink))
			wanted.rings = true;
		else
			wanted.perf |= strobe_attached_wants_mm(link->sink, mm);
	}
	return wanted;
}

/**
 * strobe_dyn_user_wanted - whether a sink of an event wants hits of a process
 * @event: the event
 * @mm:	   memory of the process
 *
 * Context: any, may hold mmap_lock.
 */
bool strobe_dyn_user_wanted(const struct dyn_event *event, const struct mm_struct *mm)
{
	struct wanted wanted = sinks_wanting(event, mm);

	return wanted.rings || wanted.perf;
}

/*
 * Make the image. If @len is not 0, it is made, or the record is written in place.
 * Return: the record's length; 0: no memory
 */
static u32 make_image(struct dyn_hit *hit, void **image, u32 len)
{
	if (len)
		return len;
	*image = image_take();
	if (*image)
		return strobe_dyn_record_make(hit, *image, IMAGE_BYTES - sizeof(u64));
	this_cpu_inc(hit->probe->counts->missed);
	return 0;
}

/**
 * strobe_dyn_fire_user - record a hit in user space in all sinks that want it
 * @hit: the hit
 *
 * Context: task, may sleep, with rcu_read_lock_trace().
 * Return: false if no sink wants hits of this process
 */
bool strobe_dyn_fire_user(struct dyn_hit *hit)
{
	struct trace_event_call *call = &hit->probe->event->dynamic.call;
	struct wanted wanted = sinks_wanting(hit->probe->event, current->mm);
	u32 len = hit->probe->args->reads ? 0 : hit->probe->event->len;
	void *image = NULL;

	if (wanted.rings) {
		len = make_image(hit, &image, len);
		if (len)
			strobe_dyn_deliver_part(hit, image, len, false);
	}
	/* Mostly there is a program, and it wants no sample. */
	if (wanted.perf && strobe_attached_run_user_programs(call, hit->regs) &&
	    strobe_dyn_perf_counts(hit->probe->event)) {
		len = make_image(hit, &image, len);
		if (len)
			strobe_dyn_deliver_part(hit, image, len, true);
	}
	if (image)
		image_give(image);
	return wanted.rings || wanted.perf;
}
