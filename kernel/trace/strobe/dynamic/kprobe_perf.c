// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobes of perf and BPF: perf's PMU "kprobe", and what the kernel asks of kprobe events.
 *
 * A perf event of the PMU has a kprobe event of its own, which is local: it is not in the
 * registry nor in any list, has no id, and lives as long as the perf event.
 *
 * Contexts: task, may sleep. Locks: strobe_event_mutex.
 */
#include <linux/bpf.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/error-injection.h>
#include <linux/kallsyms.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/strobe/probes.h>
#include <linux/string.h>

#include "dynamic/kprobe.h"

static struct dyn_kprobe *first_kprobe(const struct trace_event_call *call)
{
	return dyn_kprobe_of(dyn_event_of(call)->probes);
}

static int local_bind(struct dyn_probe *probe)
{
	return strobe_kprobe_register(dyn_kprobe_of(probe));
}

/* strobe_event_mutex held; @symbol is NULL or from the heap, and used up */
static struct dyn_event *local_create(char *symbol, const struct perf_event_attr *attr,
				      bool is_return)
{
	struct dyn_probe *probe;
	int ret = 0;

	if (symbol)
		ret = strobe_symbol_check(symbol);
	probe = ret ? NULL : strobe_kprobe_alloc(symbol, attr->probe_offset,
						 (void *)(unsigned long)attr->kprobe_addr,
						 is_return);
	if (!probe) {
		kfree(symbol);
		return ERR_PTR(ret ?: -ENOMEM);
	}
	return strobe_dyn_local_make(&strobe_dyn_kprobe, probe, symbol ?: "DUMMY_EVENT",
				     DYN_KERNEL | (is_return ? DYN_RETURN : 0), local_bind);
}

static char *copy_symbol(u64 from)
{
	char *symbol;

	if (!from)
		return NULL;
	symbol = strndup_user(u64_to_user_ptr(from), KSYM_NAME_LEN);
	if (IS_ERR(symbol))
		return PTR_ERR(symbol) == -EINVAL ? ERR_PTR(-E2BIG) : symbol;
	if (*symbol)
		return symbol;
	kfree(symbol);
	return NULL;
}

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
	char *symbol = copy_symbol(event->attr.kprobe_func);
	struct dyn_event *local;

	if (IS_ERR(symbol))
		return PTR_ERR(symbol);
	guard(mutex)(&strobe_event_mutex);
	local = local_create(symbol, &event->attr, is_retprobe);
	return strobe_dyn_local_open(event, local);
}

/**
 * perf_kprobe_destroy - undo perf_kprobe_init()
 * @event: the perf event, which is not counting any more
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 */
void perf_kprobe_destroy(struct perf_event *event)
{
	strobe_dyn_local_close(event);
}

#ifdef CONFIG_BPF_EVENTS

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
	return dyn_event_of(call)->nr_probes == 1 ? first_kprobe(call) : NULL;
}

/**
 * strobe_kprobe_on_func_entry - whether a kprobe event is at the entry of a function
 * @call: the event
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: false also if it has several probes
 */
bool strobe_kprobe_on_func_entry(struct trace_event_call *call)
{
	const struct dyn_kprobe *kprobe;
	const struct kprobe *kp;

	guard(mutex)(&strobe_event_mutex);
	kprobe = only_kprobe(call);
	if (!kprobe)
		return false;
	kp = &kprobe->rp.kp;
	return !kprobe_on_func_entry(kp->addr, kp->addr ? NULL : kp->symbol_name,
				     kp->addr ? 0 : kp->offset);
}

/**
 * strobe_kprobe_error_injectable - whether programs may override the function of a kprobe event
 * @call: the event
 *
 * A program is about to be attached. If it may override, no other probe can be added until
 * the event is not in use any more.
 *
 * Context: task, may sleep; takes strobe_event_mutex.
 * Return: false also if it has several probes
 */
bool strobe_kprobe_error_injectable(struct trace_event_call *call)
{
	const struct dyn_kprobe *kprobe;

	guard(mutex)(&strobe_event_mutex);
	kprobe = only_kprobe(call);
	if (!kprobe || !within_error_injection_list((unsigned long)kprobe->rp.kp.addr))
		return false;
	dyn_event_of(call)->overridden = true;
	return true;
}

#endif /* CONFIG_BPF_EVENTS */
