// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints of modules
 *
 * A list of the loaded modules that have tracepoints, and a notifier chain for
 * code that connects probes to them.
 *
 * A module is in the list from COMING, before its init function runs, to GOING,
 * after its exit function has run or loading has failed. Each callback for COMING
 * is followed by one for GOING:
 *
 *	event				callback of a registered notifier
 *	-----				---------------------------------
 *	module is loaded		COMING
 *	module is unloaded		GOING
 *	notifier is registered		COMING for each module in the list
 *	notifier is unregistered	GOING for each module in the list
 *
 * Modules are loaded and unloaded in parallel. tracepoint_modules_mutex serialises
 * all four events, so a notifier sees each module come once and go once. It is held
 * while callbacks run: they may connect probes (tracepoints_mutex nests
 * inside, see tracepoint.c) and visit the module, but not register notifiers.
 *
 * Contexts: task; all of it may sleep.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/panic.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "tracepoint/tracepoint.h"

/* Taints that do not affect the layout of a module's data. */
#define TAINTS_HARMLESS						\
	(BIT(TAINT_OOT_MODULE) | BIT(TAINT_CRAP) | BIT(TAINT_TEST) |	\
	 BIT(TAINT_UNSIGNED_MODULE) | BIT(TAINT_LIVEPATCH))

/* Protects tracepoint_modules and the pairing of callbacks. */
static DEFINE_MUTEX(tracepoint_modules_mutex);

/* struct tp_module, in order of loading */
static LIST_HEAD(tracepoint_modules);

static BLOCKING_NOTIFIER_HEAD(tracepoint_module_chain);

/**
 * trace_module_has_bad_taint - whether a module's tracepoints must not be used
 * @mod: module
 *
 * A module that was force-loaded, for example, may have been built for another
 * kernel, with a different layout of tracepoints.
 *
 * Context: any.
 * Return: true if @mod has a taint that makes its data unreliable.
 */
bool trace_module_has_bad_taint(struct module *mod)
{
	return mod->taints & ~TAINTS_HARMLESS;
}

/* Call only @nb, for each module in the list. */
static void notify_all_modules(struct notifier_block *nb, unsigned long state)
{
	struct tp_module *tp_mod;

	list_for_each_entry(tp_mod, &tracepoint_modules, list)
		nb->notifier_call(nb, state, tp_mod);
}

/**
 * register_tracepoint_module_notifier - register a notifier for modules with tracepoints
 * @nb: its callback gets %MODULE_STATE_COMING or %MODULE_STATE_GOING, and a
 *	struct tp_module
 *
 * Modules that are already loaded are reported before this returns. The callback's
 * return value can't stop a module from loading.
 *
 * Context: task; may sleep. Takes tracepoint_modules_mutex, which is also held
 * in every call of the callback.
 * Return: 0, or %-EEXIST if @nb is registered.
 */
int register_tracepoint_module_notifier(struct notifier_block *nb)
{
	int ret;

	mutex_lock(&tracepoint_modules_mutex);
	ret = blocking_notifier_chain_register(&tracepoint_module_chain, nb);
	if (!ret)
		notify_all_modules(nb, MODULE_STATE_COMING);
	mutex_unlock(&tracepoint_modules_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(register_tracepoint_module_notifier);

/**
 * unregister_tracepoint_module_notifier - undo register_tracepoint_module_notifier()
 * @nb: the registered notifier
 *
 * Modules that are still loaded are reported to @nb as going before this returns.
 *
 * Context: task; may sleep. Takes tracepoint_modules_mutex.
 * Return: 0, or %-ENOENT if @nb is not registered.
 */
int unregister_tracepoint_module_notifier(struct notifier_block *nb)
{
	int ret;

	mutex_lock(&tracepoint_modules_mutex);
	ret = blocking_notifier_chain_unregister(&tracepoint_module_chain, nb);
	if (!ret)
		notify_all_modules(nb, MODULE_STATE_GOING);
	mutex_unlock(&tracepoint_modules_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(unregister_tracepoint_module_notifier);

static void visit_module(struct module *mod, tracepoint_module_visit_t fct, void *priv)
{
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++)
		fct(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]), mod, priv);
}

/**
 * for_each_tracepoint_in_module - visit the tracepoints of one module
 * @mod: module; NULL stands for a module without tracepoints
 * @fct: called for each tracepoint
 * @priv: third argument of @fct
 *
 * Context: callback of register_tracepoint_module_notifier(), whose
 * tracepoint_modules_mutex keeps @mod in place.
 */
void for_each_tracepoint_in_module(struct module *mod, tracepoint_module_visit_t fct,
				   void *priv)
{
	lockdep_assert_held(&tracepoint_modules_mutex);

	if (mod)
		visit_module(mod, fct, priv);
}

/**
 * for_each_module_tracepoint - visit the tracepoints of all modules
 * @fct: called for each tracepoint; must not register notifiers
 * @priv: third argument of @fct
 *
 * Context: task; may sleep. Takes tracepoint_modules_mutex.
 */
void for_each_module_tracepoint(tracepoint_module_visit_t fct, void *priv)
{
	struct tp_module *tp_mod;

	mutex_lock(&tracepoint_modules_mutex);
	list_for_each_entry(tp_mod, &tracepoint_modules, list)
		visit_module(tp_mod->mod, fct, priv);
	mutex_unlock(&tracepoint_modules_mutex);
}

static int module_coming(struct module *mod)
{
	struct tp_module *tp_mod;

	if (!mod->num_tracepoints || trace_module_has_bad_taint(mod))
		return 0;
	tp_mod = kmalloc(sizeof(*tp_mod), GFP_KERNEL);
	if (!tp_mod)
		return -ENOMEM;
	tp_mod->mod = mod;

	mutex_lock(&tracepoint_modules_mutex);
	list_add_tail(&tp_mod->list, &tracepoint_modules);
	blocking_notifier_call_chain(&tracepoint_module_chain, MODULE_STATE_COMING, tp_mod);
	mutex_unlock(&tracepoint_modules_mutex);
	return 0;
}

static void check_probes(struct tracepoint *tp, struct module *mod, void *priv)
{
	WARN_ON_ONCE(tp->probes);
}

static void forget_target(struct tracepoint *tp, struct module *unused, void *priv)
{
	strobe_tracepoint_target_forget(tp, priv);
}

/*
 * The list tells whether the module was reported as coming. Its taints don't, as it
 * may have been tainted since.
 */
static void module_going(struct module *mod)
{
	struct tp_module *tp_mod, *gone = NULL;

	mutex_lock(&tracepoint_modules_mutex);
	list_for_each_entry(tp_mod, &tracepoint_modules, list) {
		if (tp_mod->mod == mod)
			gone = tp_mod;
	}
	if (gone) {
		blocking_notifier_call_chain(&tracepoint_module_chain, MODULE_STATE_GOING, gone);
		visit_module(mod, check_probes, NULL);
		list_del(&gone->list);
		kfree(gone);
	}
	/* Also if the module is not in the list: it may have probes all the same. */
	strobe_tracepoints_forget(mod);

	/* Drop static call targets that are in the module. */
	for_each_kernel_tracepoint(strobe_tracepoint_target_forget, mod);
	list_for_each_entry(tp_mod, &tracepoint_modules, list)
		visit_module(tp_mod->mod, forget_target, mod);
	mutex_unlock(&tracepoint_modules_mutex);
}

static int module_notify(struct notifier_block *nb, unsigned long state, void *data)
{
	int ret = 0;

	if (state == MODULE_STATE_COMING)
		ret = module_coming(data);
	else if (state == MODULE_STATE_GOING)
		module_going(data);
	return notifier_from_errno(ret);
}

/*
 * Runs after the notifiers of static calls and jump labels, which are registered earlier
 * and have no lower priority: the module's calls and keys are usable when probes are
 * connected.
 */
static struct notifier_block module_nb = {
	.notifier_call = module_notify,
};

static int __init tracepoint_modules_init(void)
{
	int ret = register_module_notifier(&module_nb);

	if (ret)
		pr_warn("tracepoints of modules are not available (%d)\n", ret);
	return ret;
}
device_initcall(tracepoint_modules_init);
