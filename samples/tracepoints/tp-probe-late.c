// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on the tracepoints of tp-sample.ko, connected while that is loaded.
 *
 * This module uses no symbol of tp-sample, so both modules can be loaded and
 * unloaded in any order. It finds the tracepoints by name:
 *
 *	tp-sample is built in		when this module is loaded
 *	tp-sample was loaded before	when the notifier is registered, which
 *					reports all modules that are loaded
 *	tp-sample is loaded after	when the notifier is called
 *
 * and disconnects when tp-sample or this module is unloaded. The notifier is
 * never called by two tasks at the same time, so the table below needs no lock.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "tp-sample-trace.h"

static void probe_open(void *data, struct file *file)
{
	pr_info("open by %s\n", current->comm);
}

static void probe_step(void *data, int step, u64 ns)
{
	pr_info("step %d took %llu ns\n", step, ns);
}

static struct late_probe {
	const char *name;
	void *func;
	struct tracepoint *tp;	/* NULL if not connected */
} late_probes[] = {
	{ .name = "tp_sample_open", .func = probe_open },
	{ .name = "tp_sample_step", .func = probe_step },
};

/*
 * tracepoint_probe_register() accepts any pointer, and register_trace_NAME(),
 * which checks the type, needs the symbol. Let the compiler check the types here.
 */
static void __maybe_unused check_probe_types(void)
{
	check_trace_callback_type_tp_sample_open(probe_open);
	check_trace_callback_type_tp_sample_step(probe_step);
}

static void late_connect(struct tracepoint *tp, void *unused)
{
	struct late_probe *p;
	int ret;

	for (p = late_probes; p < late_probes + ARRAY_SIZE(late_probes); p++) {
		if (p->tp || strcmp(p->name, tp->name))
			continue;
		ret = tracepoint_probe_register(tp, p->func, NULL);
		if (ret) {
			pr_warn("can't connect to %s: %d\n", tp->name, ret);
			continue;
		}
		p->tp = tp;
		pr_info("connected to %s\n", tp->name);
	}
}

static void late_disconnect(struct tracepoint *tp, void *unused)
{
	struct late_probe *p;

	for (p = late_probes; p < late_probes + ARRAY_SIZE(late_probes); p++) {
		if (p->tp != tp)
			continue;
		tracepoint_probe_unregister(tp, p->func, NULL);
		p->tp = NULL;
		pr_info("disconnected from %s\n", tp->name);
	}
}

#ifdef CONFIG_MODULES
static int late_notify(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = ((struct tp_module *)data)->mod;
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++) {
		struct tracepoint *tp = tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]);

		if (state == MODULE_STATE_COMING)
			late_connect(tp, NULL);
		else if (state == MODULE_STATE_GOING)
			late_disconnect(tp, NULL);
	}
	return NOTIFY_OK;
}

static struct notifier_block late_nb = {
	.notifier_call = late_notify,
};

static int late_notifier_add(void)
{
	return register_tracepoint_module_notifier(&late_nb);
}

static void late_notifier_del(void)
{
	unregister_tracepoint_module_notifier(&late_nb);
}
#else
static int late_notifier_add(void)
{
	return 0;
}

static void late_notifier_del(void) { }
#endif

static int __init late_init(void)
{
	int ret;

	for_each_kernel_tracepoint(late_connect, NULL);
	ret = late_notifier_add();
	if (ret) {
		for_each_kernel_tracepoint(late_disconnect, NULL);
		tracepoint_synchronize_unregister();
	}
	return ret;
}

static void __exit late_exit(void)
{
	/* Reports every module as going, so this disconnects. */
	late_notifier_del();
	for_each_kernel_tracepoint(late_disconnect, NULL);
	/* A CPU may still be executing a probe; see tp-probe.c. */
	tracepoint_synchronize_unregister();
	pr_info("left\n");
}

module_init(late_init);
module_exit(late_exit);
MODULE_DESCRIPTION("Tracepoint sample: probes that find their tracepoints by name");
MODULE_LICENSE("GPL");
