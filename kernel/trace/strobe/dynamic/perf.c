// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobes and uprobes of perf and BPF: perf's PMUs "kprobe" and "uprobe", and what the kernel
 * asks of kprobe and uprobe events.
 *
 * A perf event of a PMU has an event of its own, which is local: it is neither in the registry
 * nor in any list, its id is 0, and it lives as long as the perf event. It has one probe without
 * arguments.
 *
 * Contexts: task, may sleep. Locks: strobe_event_mutex; strobe_dyn_probes_mutex without it for what
 * perf asks while it holds the mutex of a context.
 */
#include <linux/bpf.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/error-injection.h>
#include <linux/kallsyms.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/strobe/probes.h>
#include <linux/string.h>

#include "attach/attach.h"
#include "dynamic/dynamic.h"
#include "dynamic/kprobe.h"
#include "dynamic/uprobe.h"

/* Copy the name of a place. Return: the name; NULL: there is none, or it is empty; an errno */
static char *copy_name(u64 from, long max)
{
	char *name;

	if (!from)
		return NULL;
	name = strndup_user(u64_to_user_ptr(from), max);
	if (IS_ERR(name))
		return PTR_ERR(name) == -EINVAL ? ERR_PTR(-E2BIG) : name;
	if (*name)
		return name;
	kfree(name);
	return NULL;
}

/* Local events */

static struct dyn_args *no_args(const struct dyn_kind *kind, u32 flags)
{
	const struct dyn_source source = {
		.flags	= flags,
		.head	= dyn_head_bytes(kind, flags),
	};

	return strobe_dyn_args_none(&source);
}

/* The event has no sink any more. */
static void local_free(struct dyn_event *local)
{
	struct dyn_probe *probe = local->probes;
	const struct dyn_kind *kind = local->kind;

	lockdep_assert_held(&strobe_event_mutex);
	if (probe->bound)
		kind->unbind(&probe, 1);
	strobe_dyn_probe_part(probe);
	strobe_dyn_event_free(local);
	strobe_dyn_probe_free(kind, probe);
}

/*
 * Open a perf event on a local event with the probe, which has a place, and which @bind
 * registers. @flags: DYN_* of its source. After an error the probe is freed.
 */
static int local_open(struct perf_event *event, const struct dyn_kind *kind,
		      struct dyn_probe *probe, const char *name, u32 flags,
		      int (*bind)(struct dyn_probe *probe))
{
	struct dyn_event *local = NULL;
	int ret;

	lockdep_assert_held(&strobe_event_mutex);
	probe->args = no_args(kind, flags);
	if (probe->args)
		local = strobe_dyn_event_alloc(kind, kind->group, name, probe->args);
	if (!local) {
		strobe_dyn_probe_free(kind, probe);
		return -ENOMEM;
	}
	strobe_dyn_probe_join(probe, local);
	ret = bind(probe);
	probe->bound = !ret;
	if (!ret)
		ret = strobe_attached_open(event, &local->dynamic.call);
	if (ret)
		local_free(local);
	return ret;
}

static void local_close(struct perf_event *event)
{
	struct dyn_event *local = dyn_event_of(event->tp_event);

	guard(mutex)(&strobe_event_mutex);
	strobe_attached_close(event);
	local_free(local);
}

#ifdef CONFIG_KPROBE_EVENTS

/**
 * perf_kprobe_init - open a perf event of the PMU kprobe
 * @event:	  the perf event; attr.kprobe_func or kprobe_addr, and probe_offset, are the place
 * @is_retprobe: whether the function's return is probed
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: 0; -E2BIG if the symbol is too long; -EFAULT; -ENOENT if there is no such symbol;
 *	   -EADDRNOTAVAIL if there are several; -EACCES or -EPERM; or the errno of registering.
 *	   After an error nothing has changed.
 */
int perf_kprobe_init(struct perf_event *event, bool is_retprobe)
{
	char *symbol = copy_name(event->attr.kprobe_func, KSYM_NAME_LEN);
	void *addr = (void *)(unsigned long)event->attr.kprobe_addr;
	struct dyn_probe *probe = NULL;
	int ret;

	if (IS_ERR(symbol))
		return PTR_ERR(symbol);
	guard(mutex)(&strobe_event_mutex);
	ret = symbol ? strobe_symbol_check(symbol) : 0;
	if (!ret)
		probe = strobe_kprobe_alloc(symbol, event->attr.probe_offset, addr, is_retprobe);
	if (!probe) {
		kfree(symbol);
		return ret ?: -ENOMEM;
	}
	return local_open(event, &strobe_dyn_kprobe, probe, symbol ?: "DUMMY_EVENT",
			  DYN_KERNEL | (is_retprobe ? DYN_RETURN : 0), strobe_kprobe_register);
}

/**
 * perf_kprobe_destroy - undo perf_kprobe_init()
 * @event: the perf event, which is not counting any more
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 */
void perf_kprobe_destroy(struct perf_event *event)
{
	local_close(event);
}

#ifdef CONFIG_BPF_EVENTS

static struct dyn_kprobe *first_kprobe(const struct trace_event_call *call)
{
	return dyn_kprobe_of(dyn_event_of(call)->probes);
}

/**
 * bpf_get_kprobe_info - tell what a perf event probes
 * @event:	  a perf event on a kprobe event
 * @fd_type:	  set to BPF_FD_TYPE_*
 * @symbol:	  set to the symbol, or NULL
 * @probe_offset: set to the offset from it
 * @probe_addr:	  set to the address, or 0 if the task may not know it
 * @missed:	  if not NULL, set to the number of missed hits, as kprobe_profile has it
 * @perf_type_tracepoint: not used: event->tp_event is known either way
 *
 * An event of several probes is described by the first one.
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: 0 or -ENOMEM
 */
int bpf_get_kprobe_info(const struct perf_event *event, u32 *fd_type, const char **symbol,
			u64 *probe_offset, u64 *probe_addr, unsigned long *missed,
			bool perf_type_tracepoint)
{
	const struct dyn_kprobe *kprobe;

	guard(mutex)(&strobe_event_mutex);
	kprobe = first_kprobe(event->tp_event);
	*symbol = dyn_kprobe_symbol(kprobe);
	if (*symbol) {
		*symbol = strobe_dyn_place_keep(kprobe->probe.event, *symbol);
		if (!*symbol)
			return -ENOMEM;
	}
	*fd_type = kprobe->probe.is_return ? BPF_FD_TYPE_KRETPROBE : BPF_FD_TYPE_KPROBE;
	*probe_offset = kprobe->rp.kp.offset;
	*probe_addr = kallsyms_show_value(current_cred()) ? (unsigned long)kprobe->rp.kp.addr : 0;
	if (missed)
		*missed = strobe_dyn_probe_counts(&kprobe->probe).missed;
	return 0;
}

/* A program that overrides a function runs for all probes of an event. */
static struct dyn_kprobe *only_kprobe(const struct trace_event_call *call)
{
	lockdep_assert_held(&strobe_dyn_probes_mutex);
	return dyn_event_of(call)->nr_probes == 1 ? first_kprobe(call) : NULL;
}

static kprobe_opcode_t *address_now(const struct dyn_kprobe *kprobe)
{
	/* strobe_dyn_probes_mutex does not exclude a module that changes it, coming or going. */
	return data_race(READ_ONCE(kprobe->rp.kp.addr));
}

/**
 * strobe_kprobe_on_func_entry - whether a kprobe event is at the entry of a function
 * @call: the event
 *
 * Context: task, may sleep; takes strobe_dyn_probes_mutex.
 * Return: false also if it has several probes
 */
bool strobe_kprobe_on_func_entry(struct trace_event_call *call)
{
	const struct dyn_kprobe *kprobe;
	kprobe_opcode_t *addr;

	guard(mutex)(&strobe_dyn_probes_mutex);
	kprobe = only_kprobe(call);
	if (!kprobe)
		return false;
	addr = address_now(kprobe);
	return !kprobe_on_func_entry(addr, addr ? NULL : kprobe->rp.kp.symbol_name,
				     addr ? 0 : kprobe->rp.kp.offset);
}

/**
 * strobe_kprobe_error_injectable - whether programs may override the function of a kprobe event
 * @call: the event
 *
 * A program is about to be attached. If it may override, no other probe can be added until
 * the event is not in use any more.
 *
 * Context: task, may sleep; takes strobe_dyn_probes_mutex.
 * Return: false also if it has several probes
 */
bool strobe_kprobe_error_injectable(struct trace_event_call *call)
{
	const struct dyn_kprobe *kprobe;

	guard(mutex)(&strobe_dyn_probes_mutex);
	kprobe = only_kprobe(call);
	if (!kprobe || !within_error_injection_list((unsigned long)address_now(kprobe)))
		return false;
	dyn_event_of(call)->overridden = true;
	return true;
}

#endif /* CONFIG_BPF_EVENTS */

#endif /* CONFIG_KPROBE_EVENTS */

#ifdef CONFIG_UPROBE_EVENTS

/*
 * A probe of a file, without its event. @name is from the heap, and used up. The caller holds
 * no lock that others need: to find the file may take as long as a server of files takes, and
 * may load modules.
 */
static struct dyn_probe *uprobe_alloc(char *name, const struct perf_event_attr *attr,
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
	up->filename = name;
	up->offset = attr->probe_offset;
	up->ref_offset = ref_offset;
	up->probe.is_return = is_return;
	ret = kern_path(name, LOOKUP_FOLLOW, &up->path);
	if (!ret && !d_is_reg(up->path.dentry))
		ret = -EINVAL;
	if (ret) {
		strobe_dyn_probe_free(&strobe_dyn_uprobe, probe);
		return ERR_PTR(ret);
	}
	strobe_uprobe_setup(up);
	return probe;
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
	char *name = copy_name(event->attr.uprobe_path, PATH_MAX);
	struct dyn_probe *probe;

	if (IS_ERR_OR_NULL(name))
		return name ? PTR_ERR(name) : -EINVAL;
	probe = uprobe_alloc(name, &event->attr, ref_ctr_offset, is_retprobe);
	if (IS_ERR(probe))
		return PTR_ERR(probe);
	guard(mutex)(&strobe_event_mutex);
	return local_open(event, &strobe_dyn_uprobe, probe, "DUMMY_EVENT",
			  DYN_USER | (is_retprobe ? DYN_RETURN : 0), strobe_dyn_uprobe.bind);
}

/**
 * perf_uprobe_destroy - undo perf_uprobe_init()
 * @event: the perf event, which is not counting any more
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 */
void perf_uprobe_destroy(struct perf_event *event)
{
	local_close(event);
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

#endif /* CONFIG_UPROBE_EVENTS */
