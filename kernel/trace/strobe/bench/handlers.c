// SPDX-License-Identifier: GPL-2.0
/*
 * Register probes with empty handlers: what it costs to get to a handler; see loops.c.
 */
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fprobe.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/string.h>
#include <linux/uprobes.h>

#include "bench.h"

static int kprobe_empty(struct kprobe *kp, struct pt_regs *regs)
{
	return 0;
}

static int kretprobe_empty(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return 0;
}

static int uprobe_empty(struct uprobe_consumer *consumer, struct pt_regs *regs)
{
	return 0;
}

static int uprobe_return_empty(struct uprobe_consumer *consumer, unsigned long func,
			       struct pt_regs *regs)
{
	return 0;
}

static struct kprobe empty_kprobe;
static struct kretprobe empty_kretprobe;
static struct uprobe_consumer empty_consumer;
static struct uprobe *empty_uprobe;
/* The file that the uprobe is in, as long as it is registered */
static struct path uprobe_path;

static int kprobe_on(const char *where)
{
	empty_kprobe = (struct kprobe) {
		.addr		= (void *)strobe_bench_probed,
		.pre_handler	= kprobe_empty,
	};
	return register_kprobe(&empty_kprobe);
}

static void kprobe_off(void)
{
	unregister_kprobe(&empty_kprobe);
}

static int kretprobe_on(const char *where)
{
	empty_kretprobe = (struct kretprobe) {
		.kp.addr	= (void *)strobe_bench_probed,
		.handler	= kretprobe_empty,
	};
	return register_kretprobe(&empty_kretprobe);
}

static void kretprobe_off(void)
{
	unregister_kretprobe(&empty_kretprobe);
}

#ifdef CONFIG_FPROBE
static int fprobe_empty(struct fprobe *fp, unsigned long entry, unsigned long ret,
			struct pt_regs *regs, void *data)
{
	return 0;
}

static void fprobe_exit_empty(struct fprobe *fp, unsigned long entry, unsigned long ret,
			      struct pt_regs *regs, void *data)
{
}

static struct fprobe empty_fprobe;

static int fprobe_on(const char *where)
{
	unsigned long addr = (unsigned long)strobe_bench_probed;

	empty_fprobe = (struct fprobe) { .entry_handler = fprobe_empty };
	return register_fprobe_ips(&empty_fprobe, &addr, 1);
}

static int fprobe_exit_on(const char *where)
{
	unsigned long addr = (unsigned long)strobe_bench_probed;

	empty_fprobe = (struct fprobe) { .exit_handler = fprobe_exit_empty };
	return register_fprobe_ips(&empty_fprobe, &addr, 1);
}

static void fprobe_off(void)
{
	unregister_fprobe(&empty_fprobe);
}
#endif

/* @where: the path of a file, and the offset in it */
static int consumer_on(const char *where)
{
	unsigned long long offset;
	char file[64];
	int ret;

	if (sscanf(where, "%63s %lli", file, &offset) != 2)
		return -EINVAL;
	ret = kern_path(file, LOOKUP_FOLLOW, &uprobe_path);
	if (ret)
		return ret;
	empty_uprobe = uprobe_register(d_real_inode(uprobe_path.dentry), offset, 0,
				       &empty_consumer);
	if (IS_ERR(empty_uprobe))
		path_put(&uprobe_path);
	return PTR_ERR_OR_ZERO(empty_uprobe);
}

static int uprobe_on(const char *where)
{
	empty_consumer = (struct uprobe_consumer) { .handler = uprobe_empty };
	return consumer_on(where);
}

static int uprobe_return_on(const char *where)
{
	empty_consumer = (struct uprobe_consumer) { .ret_handler = uprobe_return_empty };
	return consumer_on(where);
}

static void uprobe_off(void)
{
	uprobe_unregister_nosync(empty_uprobe, &empty_consumer);
	uprobe_unregister_sync();
	path_put(&uprobe_path);
}

static const struct bench_handler {
	const char *name;
	int (*on)(const char *where);
	void (*off)(void);
} bench_handlers[] = {
	{ "kprobe",	kprobe_on,	kprobe_off },
	{ "kretprobe",	kretprobe_on,	kretprobe_off },
#ifdef CONFIG_FPROBE
	{ "fprobe_exit", fprobe_exit_on, fprobe_off },
	{ "fprobe",	fprobe_on,	fprobe_off },
#endif
	{ "uprobe",	uprobe_on,	uprobe_off },
	{ "uprobe_return", uprobe_return_on, uprobe_off },
};

/* The one that is registered, or NULL. The lock of the module's parameters protects both. */
static const struct bench_handler *handler_on;
static bool handlers_ended;

static void handler_off(void)
{
	if (handler_on)
		handler_on->off();
	handler_on = NULL;
}

/* Unregister the handler that is registered, if any, and allow no other. Context: task. */
void strobe_bench_handlers_end(void)
{
	kernel_param_lock(THIS_MODULE);
	handler_off();
	handlers_ended = true;
	kernel_param_unlock(THIS_MODULE);
}

static int handler_set(const char *val, const struct kernel_param *kp)
{
	unsigned int i;
	size_t len;
	int ret;

	if (handlers_ended)
		return -ENODEV;
	handler_off();
	if (sysfs_streq(val, "none"))
		return 0;
	for (i = 0; i < ARRAY_SIZE(bench_handlers); i++) {
		len = str_has_prefix(val, bench_handlers[i].name);
		if (!len || (val[len] && !isspace(val[len])))
			continue;
		ret = bench_handlers[i].on(val + len);
		if (!ret)
			handler_on = &bench_handlers[i];
		return ret;
	}
	return -EINVAL;
}

static const struct kernel_param_ops handler_ops = {
	.set = handler_set,
};
module_param_cb(handler, &handler_ops, NULL, 0200);
MODULE_PARM_DESC(handler,
		 "empty handler to call: kprobe, kretprobe, fprobe, fprobe_exit, or uprobe or uprobe_return FILE OFFSET");
