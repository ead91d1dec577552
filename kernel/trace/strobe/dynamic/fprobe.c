// SPDX-License-Identifier: GPL-2.0
/*
 * Events on functions by function hooks, and on tracepoints, whether these have a trace event
 * or not.
 *	f[MAXACTIVE][:[GROUP/][EVENT]] FUNCTION[%return] [ARGUMENTS]
 *	t[:[GROUP/][EVENT]] TRACEPOINT [ARGUMENTS]
 *
 * An fprobe (kernel/trace/fprobe.c) calls back at the entry or the return of a function.
 * FUNCTION may be a pattern, and several functions may have one name: the probe is on all of
 * them, in the kernel and in the modules that are loaded. A tracepoint has a stub, an empty
 * function with the arguments of a probe: while an event on the tracepoint is armed, the stub
 * is connected as a probe, and the fprobe is on the stub.
 *
 * States of a probe, besides those of dynamic.h
 *	hooked	 the fprobe is registered: bound, and not pending
 *	pending	 the module with the tracepoint or the functions is not loaded: it was bound so,
 *		 or the module has left. It is hooked when the module comes. FUNCTION must
 *		 exist when it is bound.
 * While it is hooked, a module that comes adds its functions, and one that leaves takes them
 * out.
 * The probe does not keep the module.
 *
 * Contexts: the callbacks run with preemption off, in any context in which a function can be
 * called; they may not nest in one context (ftrace's recursion bits). All else: task.
 * Lock order: the tracepoint core's lock of modules, strobe_event_mutex, module_mutex (in
 * kallsyms) or ftrace's locks.
 * Barriers: none; unregister_fprobe() waits for callbacks.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "dynamic/errors.h"
#include "dynamic/function.h"
#include "record/pid.h"

/**
 * struct func_probe - a probe on functions or on a tracepoint
 * @probe:     what all probes have
 * @fp:	       the fprobe; zero unless it is hooked
 * @symbol:    function or pattern, or name of the tracepoint
 * @tp:	       the tracepoint, while hooked
 * @mod:       module of the tracepoint, while hooked; NULL: none
 * @second:    if the tracepoint names a second task, the event belongs to it, too; else NULL
 * @maxactive: how many calls of a function that returns can be under way; 0: the default
 * @is_tp:     on a tracepoint
 * @hooked:    @fp is registered
 * @connected: the tracepoint calls its stub, for this probe and perhaps for others
 */
struct func_probe {
	struct dyn_probe	probe;
	struct fprobe		fp;
	char			*symbol;
	struct tracepoint	*tp;
	struct module		*mod;
	const struct second_task *second;
	u32			maxactive;
	bool			is_tp;
	bool			hooked;
	bool			connected;
};

static struct func_probe *to_func(const struct dyn_probe *probe)
{
	return container_of(probe, struct func_probe, probe);
}

/* The hot path: callbacks of the fprobe. */

static nokprobe_inline void func_fire(struct fprobe *fp, unsigned long entry_ip,
				      unsigned long ret_ip, struct pt_regs *regs, void *kept)
{
	struct func_probe *func = container_of(fp, struct func_probe, fp);
	struct dyn_hit hit __uninitialized;

	dyn_hit_init(&hit, &func->probe, regs);
	hit.kept = kept;
	hit.head[0] = entry_ip;
	hit.head[1] = ret_ip;
	strobe_dyn_fire(&hit);
}

static int entry_fire(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		      struct pt_regs *regs, void *data)
{
	func_fire(fp, entry_ip, 0, regs, NULL);
	return 0;
}

NOKPROBE_SYMBOL(entry_fire);

/*
 * Lists of pids of an instance look at both tasks of the tracepoint. The first argument of its
 * stub is the data pointer. The tracepoint is the kernel's: tp_find() prefers it to a module's.
 */
static int entry_fire_second(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			     struct pt_regs *regs, void *data)
{
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
	struct func_probe *func = container_of(fp, struct func_probe, fp);
	const struct task_struct *task;
	struct pid_made_from before;

	task = (void *)regs_get_kernel_argument(regs, 1 + func->second->argument);
	before = strobe_pid_made_from((struct pid_made_from) {
		.call = &func->probe.event->dynamic.call, .second = func->second, .pid = task->pid,
	});
	func_fire(fp, entry_ip, 0, regs, NULL);
	strobe_pid_made_from(before);
#endif
	return 0;
}

NOKPROBE_SYMBOL(entry_fire_second);

/* Keep arguments of the function until it returns. */
static int entry_keep(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		      struct pt_regs *regs, void *data)
{
	struct func_probe *func = container_of(fp, struct func_probe, fp);
	/* Pairs with PROGRAM:A in probe.c: it sees the program, too. */
	const struct dyn_programs *programs = smp_load_acquire(&func->probe.programs);
	struct dyn_frame frame = { .in = regs, .kept = data };

	if (programs)
		strobe_dyn_program_run(programs->entry, &frame);
	return 0;
}

NOKPROBE_SYMBOL(entry_keep);

static void return_fire(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			struct pt_regs *regs, void *data)
{
	func_fire(fp, entry_ip, ret_ip, regs, data);
}

NOKPROBE_SYMBOL(return_fire);

/* Modules with tracepoints, from COMING to GOING, by tp_module::of_probes; strobe_event_mutex. */
static LIST_HEAD(tp_modules);

static struct tracepoint *module_find(const struct module *mod, const char *name)
{
#ifdef CONFIG_MODULES
	struct tracepoint *tp;
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++) {
		tp = tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]);
		if (!strcmp(tp->name, name))
			return tp;
	}
#endif
	return NULL;
}

struct tp_search {
	const char		*name;
	struct tracepoint	*tp;
};

static void tp_compare(struct tracepoint *tp, void *priv)
{
	struct tp_search *search = priv;

	if (!search->tp && !strcmp(tp->name, search->name))
		search->tp = tp;
}

/* Find a tracepoint and its module, NULL if it is built in; strobe_event_mutex held. */
static struct tracepoint *tp_find(const char *name, struct module **mod)
{
	struct tp_search search = { .name = name };
	struct tp_module *tp_mod;

	*mod = NULL;
	for_each_kernel_tracepoint(tp_compare, &search);
	list_for_each_entry(tp_mod, &tp_modules, of_probes) {
		if (search.tp)
			break;
		*mod = tp_mod->mod;
		search.tp = module_find(tp_mod->mod, name);
	}
	return search.tp;
}

/* Hooking. */

static void fprobe_prepare(struct func_probe *func)
{
	const struct dyn_args *args = func->probe.args;
	struct fprobe *fp = &func->fp;

	memset(fp, 0, sizeof(*fp));
	fp->flags = FPROBE_FL_DISABLED;
	if (!func->probe.is_return) {
		fp->entry_handler = func->second ? entry_fire_second : entry_fire;
		return;
	}
	fp->exit_handler = return_fire;
	fp->nr_maxactive = func->maxactive;
	fp->entry_data_size = args->kept;
	if (args->kept)
		fp->entry_handler = entry_keep;
}

/**
 * struct func_match - the functions that match
 * @pattern: name or pattern
 * @except:  a module that leaves, whose functions do not count; NULL: none
 * @ips:     where ftrace hooks each of them
 * @nr:	     number of @ips
 * @size:    @ips has memory for so many
 */
struct func_match {
	const char		*pattern;
	const struct module	*except;
	unsigned long		*ips;
	size_t			nr, size;
};

#define FUNC_MATCH_MORE		64

#ifdef CONFIG_MODULES

/* Does the function stay, once its module is initialised? */
static bool function_stays(unsigned long addr, const struct module *except)
{
	const struct module *mod;

	guard(preempt)();
	mod = __module_address(addr);
	return !mod || (mod != except && mod->state != MODULE_STATE_GOING &&
			!within_module_init(addr, mod));
}

#else

static bool function_stays(unsigned long addr, const struct module *except)
{
	return true;
}

#endif /* CONFIG_MODULES */

/*
 * Where ftrace hooks the function at @addr, or 0. ftrace_location() searches up to the next symbol.
 * A weak function that was replaced has no symbol, but its place to hook is still there.
 */
static unsigned long function_ip(unsigned long addr)
{
#ifdef FTRACE_MCOUNT_MAX_OFFSET
	return ftrace_location_range(addr, addr + FTRACE_MCOUNT_MAX_OFFSET);
#else
	return ftrace_location(addr);
#endif
}

/* For kallsyms. Return: 0; -ENOMEM ends the search. */
static int match_add(void *data, const char *name, unsigned long addr)
{
	struct func_match *match = data;
	unsigned long ip, *ips;
	size_t size;

	if (!glob_match(match->pattern, name) || !function_stays(addr, match->except))
		return 0;
	ip = function_ip(addr);
	if (!ip)
		return 0;
	if (match->nr == match->size) {
		size = 2 * match->size + FUNC_MATCH_MORE;
		ips = kvrealloc(match->ips, array_size(size, sizeof(*ips)), GFP_KERNEL);
		if (!ips)
			return -ENOMEM;
		match->ips = ips;
		match->size = size;
	}
	match->ips[match->nr++] = ip;
	return 0;
}

/*
 * Find the functions that match now. ftrace's own search would also find the functions that
 * initialise a module, and keep their addresses when they are freed.
 * Return: 0; -ENOENT: there are none; -ENOMEM. The caller frees @match->ips in any case.
 */
static int functions_match(struct func_match *match)
{
	int ret = kallsyms_on_each_symbol(match_add, match);

	if (!ret && IS_ENABLED(CONFIG_MODULES))
		ret = module_kallsyms_on_each_symbol(NULL, match_add, match);
	if (!ret && !match->nr)
		ret = -ENOENT;
	return ret;
}

static int hook_functions(struct func_probe *func)
{
	struct func_match match = { .pattern = func->symbol };
	int ret = functions_match(&match) ?:
		  register_fprobe_ips(&func->fp, match.ips, match.nr);

	kvfree(match.ips);
	return ret;
}

static int hook_tracepoint(struct func_probe *func)
{
	unsigned long ip;

	func->tp = tp_find(func->symbol, &func->mod);
	if (!func->tp)
		return -ENOENT;
	ip = (unsigned long)func->tp->probestub;
	return register_fprobe_ips(&func->fp, &ip, 1);
}

static int func_hook(struct func_probe *func)
{
	int ret;

	fprobe_prepare(func);
	ret = func->is_tp ? hook_tracepoint(func) : hook_functions(func);
	func->hooked = !ret;
	if (!ret)
		return 0;
	func->tp = NULL;
	func->mod = NULL;
	return ret;
}

static void func_unhook(struct func_probe *func)
{
	if (!func->hooked)
		return;
	unregister_fprobe(&func->fp);
	func->hooked = false;
	func->tp = NULL;
	func->mod = NULL;
}

static int func_bind(struct dyn_probe *probe)
{
	struct func_probe *func = to_func(probe);
	int ret = security_locked_down(LOCKDOWN_KPROBES);

	if (!ret)
		ret = strobe_dyn_args_bind(probe->args);
	if (ret)
		return ret;
	ret = func_hook(func);
	if (ret != -ENOENT)
		return ret;
	probe->pending = func->is_tp;
	/* The errno of register_fprobe() */
	return func->is_tp ? 0 : -EINVAL;
}

static void func_unbind(struct dyn_probe **probes, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		func_unhook(to_func(probes[i]));
		probes[i]->pending = false;
	}
	synchronize_rcu();
}

/* Several probes on a tracepoint share the connection of its stub. */
static int stub_connect(struct func_probe *func)
{
	int ret = tracepoint_probe_register_prio_may_exist(func->tp, func->tp->probestub, NULL, 0);

	func->connected = !ret || ret == -EEXIST;
	return func->connected ? 0 : ret;
}

static void stub_disconnect(struct func_probe *func)
{
	struct dyn_probe *pos;

	func->connected = false;
	list_for_each_entry(pos, &strobe_dyn_probes, list) {
		if (pos->event->kind == &strobe_dyn_fprobe && to_func(pos)->tp == func->tp &&
		    to_func(pos)->connected)
			return;
	}
	WARN_ON_ONCE(tracepoint_probe_unregister(func->tp, func->tp->probestub, NULL));
}

static int func_arm(struct dyn_probe *probe)
{
	struct func_probe *func = to_func(probe);
	int ret = func->is_tp ? stub_connect(func) : 0;

	if (!ret)
		enable_fprobe(&func->fp);
	return ret;
}

static void func_disarm(struct dyn_probe *probe)
{
	struct func_probe *func = to_func(probe);

	disable_fprobe(&func->fp);
	if (func->is_tp)
		stub_disconnect(func);
}

static void func_free(struct dyn_probe *probe)
{
	kfree(to_func(probe)->symbol);
}

static unsigned long func_missed(const struct dyn_probe *probe)
{
	return READ_ONCE(to_func(probe)->fp.nmissed);
}

#ifdef CONFIG_MODULES

/* hooked -> pending, as the module leaves */
static void func_lose(struct func_probe *func)
{
	struct dyn_probe *probe = &func->probe;

	if (probe->armed)
		func_disarm(probe);
	probe->armed = false;
	probe->pending = true;
	func_unhook(func);
	/* Symbols of the module will have other addresses. */
	strobe_dyn_programs_free(probe);
}

static void func_warn(struct func_probe *func, int error)
{
	pr_warn("trace event %s: not connected to %s, error %d\n",
		trace_event_name(&func->probe.event->dynamic.call), func->symbol, error);
}

/* pending -> hooked, as the module has come */
static void func_regain(struct func_probe *func)
{
	struct dyn_probe *probe = &func->probe;
	int ret = strobe_dyn_args_bind(probe->args) ?: func_hook(func);

	if (!ret) {
		probe->pending = false;
		if (!hlist_empty(&probe->event->links))
			ret = strobe_dyn_arm(probe);
	}
	if (ret)
		func_warn(func, ret);
}

static bool in_module_init(unsigned long addr)
{
	const struct module *mod;

	guard(preempt)();
	mod = __module_address(addr);
	return mod && within_module_init(addr, mod);
}

/* For kallsyms. Return: 1 ends the search. */
static int name_matches(void *data, const char *name, unsigned long addr)
{
	return glob_match(data, name) && function_ip(addr) && !in_module_init(addr);
}

/* Does a module that comes or leaves have functions of the probe that stay after its init? */
static bool module_matches(const struct func_probe *func, const struct module *mod)
{
	return module_kallsyms_on_each_symbol(mod->name, name_matches, func->symbol);
}

/*
 * Hook those functions that match now, but for a module's. It replaces the set at once: no
 * call of the functions that stay is missed.
 * Return: 0; -ENOENT: there are none; -ENOMEM or another error of ftrace. If it fails, the
 * probe is hooked as before.
 */
static int func_rematch(struct func_probe *func, const struct module *except)
{
	struct func_match match = { .pattern = func->symbol, .except = except };
	int ret = functions_match(&match) ?:
		  ftrace_set_filter_ips(&func->fp.ops, match.ips, match.nr, 0, 1);

	kvfree(match.ips);
	return ret;
}

/* A module with functions of the probe comes. If they cannot be hooked, the others stay hooked. */
static void functions_come(struct func_probe *func)
{
	int ret;

	if (func->probe.pending) {
		func_regain(func);
		return;
	}
	ret = func->hooked ? func_rematch(func, NULL) : 0;
	if (ret)
		func_warn(func, ret);
}

/* A module with functions of the probe leaves. */
static void functions_leave(struct func_probe *func, const struct module *mod)
{
	int ret = func->hooked ? func_rematch(func, mod) : 0;

	if (ret)
		func_lose(func);
	if (ret && ret != -ENOENT)
		func_warn(func, ret);
}

/* Called with strobe_event_mutex held. */
static void tracepoints_move(struct module *mod, bool coming)
{
	struct func_probe *func;
	struct dyn_probe *pos;
	struct module *other;

	list_for_each_entry(pos, &strobe_dyn_probes, list) {
		func = to_func(pos);
		if (pos->event->kind != &strobe_dyn_fprobe || !func->is_tp)
			continue;
		if (!coming && func->mod == mod) {
			func_lose(func);
			/* Another module may have a tracepoint of that name. */
			if (tp_find(func->symbol, &other))
				func_regain(func);
		} else if (coming && pos->pending && module_find(mod, func->symbol)) {
			func_regain(func);
		}
	}
}

/* Called with strobe_event_mutex held. */
static void functions_move(struct module *mod, bool coming)
{
	struct func_probe *func;
	struct dyn_probe *pos;

	list_for_each_entry(pos, &strobe_dyn_probes, list) {
		func = to_func(pos);
		if (pos->event->kind != &strobe_dyn_fprobe || func->is_tp ||
		    !module_matches(func, mod))
			continue;
		if (coming)
			functions_come(func);
		else
			functions_leave(func, mod);
	}
}

static int tp_module_notify(struct notifier_block *nb, unsigned long state, void *data)
{
	struct tp_module *tp_mod = data;

	guard(mutex)(&strobe_event_mutex);
	if (state == MODULE_STATE_COMING) {
		list_add_tail(&tp_mod->of_probes, &tp_modules);
		tracepoints_move(tp_mod->mod, true);
	} else if (state == MODULE_STATE_GOING) {
		list_del(&tp_mod->of_probes);
		tracepoints_move(tp_mod->mod, false);
	}
	return NOTIFY_OK;
}

static struct notifier_block tp_module_nb = {
	.notifier_call = tp_module_notify,
};

/* ftrace knows the functions of a module from before COMING to after GOING. */
static int func_module_notify(struct notifier_block *nb, unsigned long state, void *data)
{
	guard(mutex)(&strobe_event_mutex);
	if (state == MODULE_STATE_COMING || state == MODULE_STATE_GOING)
		functions_move(data, state == MODULE_STATE_COMING);
	return NOTIFY_OK;
}

static struct notifier_block func_module_nb = {
	.notifier_call = func_module_notify,
};

static int __init func_watch_modules(void)
{
	if (register_tracepoint_module_notifier(&tp_module_nb) ||
	    register_module_notifier(&func_module_nb))
		pr_warn("trace events on functions and tracepoints of modules will be missing\n");
	return 0;
}
fs_initcall(func_watch_modules);

#endif /* CONFIG_MODULES */

/* The definition. */

/* Find "$retval" in an argument. Return: its position, or -1. */
static int find_retval(const char *arg)
{
	const char *found = strstr(arg, "$retval");

	if (!found || isalnum(found[strlen("$retval")]) || found[strlen("$retval")] == '_')
		return -1;
	return found - arg;
}

/* An argument $retval makes it the return of a function; a tracepoint has none. */
static int parse_retval(struct dyn_line *line, bool is_tp, bool *is_return)
{
	u32 i;
	int at;

	for (i = 2; i < line->words.nr; i++) {
		at = find_retval(dyn_word(&line->words, i));
		if (at < 0)
			continue;
		if (is_tp)
			return strobe_dyn_line_error(line, -EINVAL, DYN_ERR_RETVAL_ON_PROBE, i, at);
		*is_return = true;
		break;
	}
	return 0;
}

static int parse_symbol(struct dyn_line *line, struct func_probe *func, bool *is_return)
{
	const char *word = dyn_word(&line->words, 1);
	size_t i, len = strcspn(word, "%");

	if (word[len] && (func->is_tp || strcmp(word + len, "%return")))
		return strobe_dyn_line_error(line, -EINVAL, DYN_ERR_BAD_ADDR_SUFFIX, 1, len);
	*is_return = word[len];
	func->symbol = kmemdup_nul(word, len, GFP_KERNEL);
	if (!func->symbol)
		return -ENOMEM;
	if (*is_return)
		return 0;
	for (i = 0; func->is_tp && i < len; i++) {
		if (!isalnum(word[i]) && word[i] != '_')
			return strobe_dyn_line_error(line, -EINVAL,
						     "Invalid character in tracepoint name", 1, i);
	}
	return parse_retval(line, func->is_tp, is_return);
}

static bool tp_may_come(const char *name)
{
	struct module *mod;

	if (IS_ENABLED(CONFIG_MODULES))
		return true;
	guard(mutex)(&strobe_event_mutex);
	return tp_find(name, &mod);
}

static int func_place(struct dyn_line *line)
{
	struct func_probe *func;
	bool is_return = false;
	int ret;

	line->probe = strobe_dyn_probe_alloc(sizeof(*func));
	if (!line->probe)
		return -ENOMEM;
	func = to_func(line->probe);
	func->is_tp = dyn_word(&line->words, 0)[0] == 't';
	if (func->is_tp)
		strscpy(line->group, "tracepoints");
	ret = strobe_function_maxactive(line, true, &func->maxactive) ?:
	      parse_symbol(line, func, &is_return);
	if (ret)
		return ret;
	if (func->maxactive && !is_return)
		return strobe_dyn_line_error(line, -EINVAL, DYN_ERR_BAD_MAXACT_TYPE, 0, 1);
	if (func->is_tp && !tp_may_come(func->symbol))
		return strobe_dyn_line_error(line, -EINVAL, "Tracepoint is not found", 1, 0);
	if (func->is_tp && IS_ENABLED(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API))
		func->second = strobe_second_task_at(func->symbol);
	line->probe->is_return = is_return;
	line->source.flags = DYN_KERNEL | DYN_FPROBE | (is_return ? DYN_RETURN : DYN_ENTRY) |
			     (func->is_tp ? DYN_TPOINT : 0);
	line->source.symbol = func->symbol;
	return 0;
}

static void func_name(const struct dyn_line *line, char name[DYN_NAME_MAX])
{
	const struct func_probe *func = to_func(line->probe);

	if (func->is_tp)
		snprintf(name, DYN_NAME_MAX, "%s%s", isdigit(*func->symbol) ? "_" : "",
			 func->symbol);
	else
		snprintf(name, DYN_NAME_MAX, "%s__%s", func->symbol,
			 line->probe->is_return ? "exit" : "entry");
}

static bool func_same(const struct dyn_probe *a, const struct dyn_probe *b)
{
	return !strcmp(to_func(a)->symbol, to_func(b)->symbol);
}

static bool func_is_at(const struct dyn_probe *probe, const char *place)
{
	return !strcmp(to_func(probe)->symbol, place);
}

static void func_show(struct seq_file *m, const struct dyn_probe *probe)
{
	const struct trace_event_call *call = &probe->event->dynamic.call;
	const struct func_probe *func = to_func(probe);

	seq_putc(m, func->is_tp ? 't' : 'f');
	if (probe->is_return && func->maxactive)
		seq_printf(m, "%u", func->maxactive);
	seq_printf(m, ":%s/%s %s%s", call->class->system, trace_event_name(call), func->symbol,
		   probe->is_return ? "%return" : "");
}

const struct dyn_kind strobe_dyn_fprobe = {
	.letters	= "ft",
	.group		= "fprobes",
	.where		= "trace_fprobe",
	.call_flags	= TRACE_EVENT_FL_FPROBE | TRACE_EVENT_FL_TRACEPOINT,
	.nr_head	= 1,
	.head		= STROBE_FUNCTION_HEAD,
	.head_fmt	= STROBE_FUNCTION_FMT,
	.print_head	= strobe_function_print,
	.place		= func_place,
	.name		= func_name,
	.same		= func_same,
	.is_at		= func_is_at,
	.show		= func_show,
	.bind		= func_bind,
	.failed		= strobe_function_failed,
	.arm		= func_arm,
	.disarm		= func_disarm,
	.unbind		= func_unbind,
	.free		= func_free,
	.missed		= func_missed,
};
