// SPDX-License-Identifier: GPL-2.0
/*
 * Uprobes of perf and BPF: perf's PMU "uprobe", and what the kernel asks of uprobe events.
 * As in kprobe_perf.c, a perf event of the PMU has a local event.
 *
 * Contexts: task, may sleep. Locks: strobe_event_mutex.
 */
#include <linux/bpf.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/namei.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/strobe/probes.h>
#include <linux/string.h>

#include "dynamic/uprobe.h"

/* Let uprobes.c compare the reference counter with that of other probes. */
static int local_bind(struct dyn_probe *probe)
{
	strobe_dyn_images_get();
	return 0;
}

static int set_file(struct uprobe_probe *up, char *name)
{
	int ret;

	up->filename = name;
	ret = kern_path(name, LOOKUP_FOLLOW, &up->path);
	if (ret)
		return ret;
	return d_is_reg(up->path.dentry) ? 0 : -EINVAL;
}

/*
 * A probe of a file, without its event. @name is from the heap, and used up. The caller holds
 * no lock that others need: to find the file may take as long as a server of files takes, and
 * may load modules.
 */
static struct dyn_probe *local_probe(char *name, const struct perf_event_attr *attr,
				     unsigned long ref_offset, bool is_return)
{
	struct dyn_probe *probe = strobe_dyn_probe_alloc(sizeof(struct uprobe_probe));
	struct uprobe_probe *up;
	int ret;

	lockdep_assert_not_held(&strobe_event_mutex);
	if (!probe) {
		kfree(name);
		return ERR_PTR(-ENOMEM);
	}
	up = uprobe_of(probe);
	ret = set_file(up, name);
	if (ret) {
		strobe_dyn_probe_free(&strobe_dyn_uprobe, probe);
		return ERR_PTR(ret);
	}
	up->offset = attr->probe_offset;
	up->ref_offset = ref_offset;
	up->probe.is_return = is_return;
	strobe_uprobe_setup(up);
	return probe;
}

static char *copy_name(u64 from)
{
	char *name;

	if (!from)
		return ERR_PTR(-EINVAL);
	name = strndup_user(u64_to_user_ptr(from), PATH_MAX);
	if (IS_ERR(name))
		return PTR_ERR(name) == -EINVAL ? ERR_PTR(-E2BIG) : name;
	if (*name)
		return name;
	kfree(name);
	return ERR_PTR(-EINVAL);
}

/**
 * perf_uprobe_init - open a perf event of the PMU uprobe
 * @event:	    the perf event; attr.uprobe_path and probe_offset are the place
 * @ref_ctr_offset: offset of its reference counter in the file; 0: there is none
 * @is_retprobe:    whether the function's return is probed
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: 0; -EINVAL if there is no name, or it is no regular file's; -E2BIG if it is too
 *	   long; -EFAULT; -ENOENT; -ENOMEM; -EACCES or -EPERM; or the errno of
 *	   uprobe_register(). After an error nothing has changed.
 */
int perf_uprobe_init(struct perf_event *event, unsigned long ref_ctr_offset, bool is_retprobe)
{
	char *name = copy_name(event->attr.uprobe_path);
	struct dyn_probe *probe;
	struct dyn_event *local;

	if (IS_ERR(name))
		return PTR_ERR(name);
	probe = local_probe(name, &event->attr, ref_ctr_offset, is_retprobe);
	if (IS_ERR(probe))
		return PTR_ERR(probe);
	guard(mutex)(&strobe_event_mutex);
	local = strobe_dyn_local_make(&strobe_dyn_uprobe, probe, "DUMMY_EVENT",
				      DYN_USER | (is_retprobe ? DYN_RETURN : 0), local_bind);
	return strobe_dyn_local_open(event, local);
}

/**
 * perf_uprobe_destroy - undo perf_uprobe_init()
 * @event: the perf event, which is not counting any more
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 */
void perf_uprobe_destroy(struct perf_event *event)
{
	strobe_dyn_local_close(event);
}

#ifdef CONFIG_BPF_EVENTS

/**
 * bpf_get_uprobe_info - tell what a perf event probes
 * @event:	  a perf event on an uprobe event
 * @fd_type:	  set to BPF_FD_TYPE_*
 * @filename:	  set to the file's name
 * @probe_offset: set to the offset in the file
 * @probe_addr:	  set to 0
 * @perf_type_tracepoint: not used: event->tp_event is known either way
 *
 * An event of several probes is described by the first one.
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: 0 or -ENOMEM
 */
int bpf_get_uprobe_info(const struct perf_event *event, u32 *fd_type, const char **filename,
			u64 *probe_offset, u64 *probe_addr, bool perf_type_tracepoint)
{
	const struct uprobe_probe *up;

	guard(mutex)(&strobe_event_mutex);
	up = uprobe_of(dyn_event_of(event->tp_event)->probes);
	*filename = strobe_dyn_place_keep(up->probe.event, up->filename);
	if (!*filename)
		return -ENOMEM;
	*fd_type = up->probe.is_return ? BPF_FD_TYPE_URETPROBE : BPF_FD_TYPE_UPROBE;
	*probe_offset = up->offset;
	*probe_addr = 0;
	return 0;
}

#endif /* CONFIG_BPF_EVENTS */
