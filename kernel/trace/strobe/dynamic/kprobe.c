// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobe events: "p:..." at any instruction, "r:..." and "%return" at a function's return.
 *
 * A kprobe is registered, but disabled, when it is defined: a wrong place is an error of the
 * definition. It is enabled with the event's first sink. One whose symbol is of a module that is
 * not loaded stays pending until the module comes. When a module goes, the kernel marks its
 * kprobes as gone: they can be armed and disarmed, which does nothing.
 *
 * Contexts: hits in any context, NMI included, preemption off; all else in task context
 * with strobe_event_mutex held. Lock order: strobe_event_mutex, then those of kprobes.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/array_size.h>
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/error-injection.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/static_call_types.h>
#include <linux/string.h>

#include "dynamic/errors.h"
#include "dynamic/function.h"
#include "dynamic/kprobe.h"

/* Hits. */

/* Breakpoints are as NMIs on some architectures, and do not disable preemption. */
static nokprobe_inline bool is_bare(const struct kprobe *kp)
{
	return in_nmi() && !(kp->flags & KPROBE_FLAG_FTRACE);
}

static int kprobe_hit(struct kprobe *kp, struct pt_regs *regs)
{
	struct dyn_kprobe *kprobe = container_of(kp, struct dyn_kprobe, rp.kp);
	struct dyn_hit hit __uninitialized;
	int ret;

	dyn_hit_init(&hit, &kprobe->probe, regs);
	hit.head[0] = (unsigned long)kp->addr;
	if (!is_bare(kp))
		return strobe_dyn_fire(&hit);
	/* Records show one level of preemption less than there is. */
	preempt_disable_notrace();
	ret = strobe_dyn_fire(&hit);
	preempt_enable_no_resched_notrace();
	return ret;
}

NOKPROBE_SYMBOL(kprobe_hit);

/* @instance has rp.data_size bytes for what the program keeps. */
static int kretprobe_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(instance);
	const struct dyn_programs *programs;
	struct dyn_frame frame;

	/* The probe is being unregistered. */
	if (unlikely(!rp))
		return -ENOENT;
	/* Pairs with PROGRAM:A in probe.c: it sees the program, too. */
	programs = smp_load_acquire(&container_of(rp, struct dyn_kprobe, rp)->probe.programs);
	frame.in = regs;
	frame.kept = (u64 *)instance->data;
	if (likely(programs))
		strobe_dyn_program_run(programs->entry, &frame);
	return 0;
}

NOKPROBE_SYMBOL(kretprobe_entry);

static int kretprobe_hit(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(instance);
	struct dyn_hit hit __uninitialized;

	if (unlikely(!rp))
		return 0;
	dyn_hit_init(&hit, &container_of(rp, struct dyn_kprobe, rp)->probe, regs);
	hit.kept = (u64 *)instance->data;
	hit.head[0] = (unsigned long)rp->kp.addr;
	hit.head[1] = get_kretprobe_retaddr(instance);
	strobe_dyn_fire(&hit);
	return 0;
}

NOKPROBE_SYMBOL(kretprobe_hit);

/* Text. */

/* Write the place as a definition has it. */
static int write_place(char *buf, size_t size, const struct dyn_kprobe *kprobe)
{
	const struct kprobe *kp = &kprobe->rp.kp;

	if (!kp->symbol_name)
		return snprintf(buf, size, "0x%p", kp->addr);
	if (kp->offset)
		return snprintf(buf, size, "%s+%u", kp->symbol_name, kp->offset);
	return snprintf(buf, size, "%s", kp->symbol_name);
}

/* The longest place: names of a module and of a symbol, and an offset. */
#define PLACE_MAX	(MODULE_NAME_LEN + KSYM_NAME_LEN + 16)

static void kprobe_show(struct seq_file *m, const struct dyn_probe *probe)
{
	const struct dyn_kprobe *kprobe = dyn_kprobe_of(probe);
	char place[PLACE_MAX];

	seq_putc(m, kprobe->probe.is_return ? 'r' : 'p');
	if (kprobe->probe.is_return && kprobe->rp.maxactive)
		seq_printf(m, "%d", kprobe->rp.maxactive);
	write_place(place, sizeof(place), kprobe);
	seq_printf(m, ":%s/%s %s", probe->event->class.system,
		   trace_event_name(&probe->event->dynamic.call), place);
}

static bool kprobe_is_at(const struct dyn_probe *probe, const char *word)
{
	char place[PLACE_MAX];

	write_place(place, sizeof(place), dyn_kprobe_of(probe));
	return !strcmp(place, word);
}

static bool kprobe_same(const struct dyn_probe *a, const struct dyn_probe *b)
{
	const struct kprobe *x = &dyn_kprobe_of(a)->rp.kp, *y = &dyn_kprobe_of(b)->rp.kp;

	if (!x->symbol_name || !y->symbol_name)
		return !x->symbol_name && !y->symbol_name && x->addr == y->addr;
	return !strcmp(x->symbol_name, y->symbol_name) && x->offset == y->offset;
}

/* Definitions. */

/* Cut "%return" and the offset off @symbol. */
static int parse_suffix(struct dyn_line *line, char *symbol, bool *is_return, long *offset)
{
	char *percent = strchr(symbol, '%'), *sign;

	if (percent && strcmp(percent, "%return"))
		return strobe_dyn_line_error(line, -EINVAL, DYN_ERR_BAD_ADDR_SUFFIX, 1,
					     percent - symbol);
	if (percent) {
		*percent = '\0';
		*is_return = true;
	}
	sign = strpbrk(symbol, "+-");
	if (!sign)
		return 0;
	if (kstrtol(sign, 0, offset) || *offset < 0 || *offset > UINT_MAX)
		return strobe_dyn_line_error(line, -EINVAL, DYN_ERR_BAD_PROBE_ADDR, 1, 0);
	*sign = '\0';
	return 0;
}

/* Look up a symbol as a place. It may be missing until its module comes. */
static int check_symbol(struct dyn_line *line, const char *symbol, long offset, bool is_return)
{
	int ret = strobe_symbol_check(symbol);

	if (ret)
		return strobe_dyn_line_error(line, -EINVAL, ret == -EADDRNOTAVAIL ?
					     "The symbol is not unique" :
					     DYN_ERR_BAD_PROBE_ADDR, 1, 0);
	ret = kprobe_on_func_entry(NULL, symbol, offset);
	if (ret == -EINVAL && is_return)
		return strobe_dyn_line_error(line, -EINVAL,
					     "Retprobe address must be an function entry", 1, 0);
	if (!ret && !is_return)
		line->source.flags |= DYN_ENTRY;
	return 0;
}

/**
 * strobe_kprobe_alloc - make a kprobe that is not registered
 * @symbol: its symbol, from the heap, which it owns from now on; NULL: @addr
 * @offset: offset from @symbol
 * @addr:   its address
 * @is_return: whether the return is probed
 *
 * Context: task, may sleep.
 * Return: the probe; NULL: no memory, and @symbol is still the caller's
 */
struct dyn_probe *strobe_kprobe_alloc(char *symbol, unsigned long offset, void *addr,
				      bool is_return)
{
	struct dyn_probe *probe;
	struct dyn_kprobe *kprobe;
	struct kprobe *kp;

	probe = strobe_dyn_probe_alloc(is_return ? sizeof(*kprobe) :
				       offsetofend(struct dyn_kprobe, rp.kp));
	if (!probe)
		return NULL;
	kprobe = dyn_kprobe_of(probe);
	kp = &kprobe->rp.kp;
	kp->symbol_name = symbol;
	kp->offset = symbol ? offset : 0;
	kp->addr = symbol ? NULL : addr;
	INIT_HLIST_NODE(&kp->hlist);
	INIT_LIST_HEAD(&kp->list);
	probe->is_return = is_return;
	if (is_return)
		kprobe->rp.handler = kretprobe_hit;
	else
		kp->pre_handler = kprobe_hit;
	return probe;
}

static int parse_symbol(struct dyn_line *line, char **symbol, long *offset, bool *is_return)
{
	const char *word = dyn_word(&line->words, 1);
	int ret;

	/* A place of an uprobe */
	if (strchr(word, '/') && strchr(word, ':'))
		return -ECANCELED;
	*symbol = kstrdup(word, GFP_KERNEL);
	if (!*symbol)
		return -ENOMEM;
	ret = parse_suffix(line, *symbol, is_return, offset);
	return ret ?: check_symbol(line, *symbol, *offset, *is_return);
}

/* [MODULE:]SYMBOL[+OFFSET][%return] or ADDRESS */
static int kprobe_place(struct dyn_line *line)
{
	bool is_return = *dyn_word(&line->words, 0) == 'r';
	unsigned int maxactive = 0;
	unsigned long addr = 0;
	char *symbol = NULL;
	long offset = 0;
	int ret;

	line->source.flags = DYN_KERNEL;
	ret = strobe_function_maxactive(line, is_return, &maxactive);
	if (ret)
		return ret;
	if (kstrtoul(dyn_word(&line->words, 1), 0, &addr))
		ret = parse_symbol(line, &symbol, &offset, &is_return);
	if (ret)
		goto free;
	line->probe = strobe_kprobe_alloc(symbol, offset, (void *)addr, is_return);
	if (!line->probe) {
		ret = -ENOMEM;
		goto free;
	}
	if (is_return) {
		dyn_kprobe_of(line->probe)->rp.maxactive = maxactive;
		line->source.flags |= DYN_RETURN;
	}
	line->source.symbol = symbol;
	return 0;
free:
	kfree(symbol);
	return ret;
}

static void kprobe_name(const struct dyn_line *line, char name[DYN_NAME_MAX])
{
	const struct dyn_kprobe *kprobe = dyn_kprobe_of(line->probe);
	const char letter = kprobe->probe.is_return ? 'r' : 'p';

	if (dyn_kprobe_symbol(kprobe))
		snprintf(name, DYN_NAME_MAX, "%c_%s_%u", letter, dyn_kprobe_symbol(kprobe),
			 kprobe->rp.kp.offset);
	else
		snprintf(name, DYN_NAME_MAX, "%c_0x%p", letter, kprobe->rp.kp.addr);
}

/* Registering. */

static unsigned long kprobe_addr(const struct dyn_kprobe *kprobe)
{
	unsigned long addr;

	if (!dyn_kprobe_symbol(kprobe))
		return (unsigned long)kprobe->rp.kp.addr;
	addr = kallsyms_lookup_name(dyn_kprobe_symbol(kprobe));
	return addr ? addr + kprobe->rp.kp.offset : 0;
}

/*
 * Prefixes of functions in which a breakpoint stops the kernel. The trampoline of a static call:
 * the code that changes the call does not expect the breakpoint. Functions of KASAN, KCSAN and
 * KMSAN: the code that handles a breakpoint calls them at its own accesses to memory.
 */
static const char * const fatal_names[] = {
	STATIC_CALL_TRAMP_PREFIX_STR, "__asan_", "__kasan_", "kasan_", "__tsan_", "kcsan_",
	"__msan_", "kmsan_",
};

static bool is_fatal(unsigned long addr)
{
	char name[KSYM_NAME_LEN];
	unsigned int i;

	if (!addr || lookup_symbol_name(addr, name))
		return false;
	for (i = 0; i < ARRAY_SIZE(fatal_names); i++) {
		if (strstarts(name, fatal_names[i]))
			return true;
	}
	return false;
}

#if defined(CONFIG_DYNAMIC_FTRACE) && !defined(CONFIG_KPROBE_EVENTS_ON_NOTRACE)
/* Has the function around @addr no place for a hook? What recording calls has none. */
static bool addr_is_notrace(unsigned long addr)
{
	unsigned long size, offset;

	if (!addr || !kallsyms_lookup_size_offset(addr, &size, &offset))
		return false;
	addr -= offset;
	return !ftrace_location_range(addr, addr + size - 1);
}

/* A part that the compiler has split off, NAME.SUFFIX, is as the function itself. */
static bool is_notrace(unsigned long addr)
{
	char name[KSYM_NAME_LEN], *dot;

	if (!addr_is_notrace(addr))
		return false;
	if (lookup_symbol_name(addr, name))
		return true;
	dot = strchr(name, '.');
	if (!dot)
		return true;
	*dot = '\0';
	addr = (unsigned long)kprobe_lookup_name(name, 0);
	return !addr || addr_is_notrace(addr);
}
#else
static bool is_notrace(unsigned long addr)
{
	return false;
}
#endif

/**
 * strobe_kprobe_register - register a kprobe, disabled
 * @probe: the probe, which has its arguments
 *
 * Context: task, may sleep; strobe_event_mutex held, or only the caller knows the probe.
 * Return: 0; -EPERM if the kernel is locked down; -ENOENT if there is no such symbol;
 *	   -EILSEQ if the place is in an instruction; -EINVAL if it must not be probed; or
 *	   another errno of register_kprobe()
 */
int strobe_kprobe_register(struct dyn_probe *probe)
{
	struct dyn_kprobe *kprobe = dyn_kprobe_of(probe);
	struct dyn_args *args = probe->args;
	unsigned long addr;
	int ret;

	ret = security_locked_down(LOCKDOWN_KPROBES);
	if (ret)
		return ret;
	addr = kprobe_addr(kprobe);
	if (is_notrace(addr) || is_fatal(addr)) {
		pr_warn("%s cannot be probed: recording uses it, it has no hook, or is patched\n",
			dyn_kprobe_symbol(kprobe) ?: "the address");
		return -EINVAL;
	}
	ret = strobe_dyn_args_bind(args);
	if (ret)
		return ret;
	kprobe->rp.kp.flags = KPROBE_FLAG_DISABLED;
	if (!probe->is_return)
		return register_kprobe(&kprobe->rp.kp);
	kprobe->rp.data_size = args->kept;
	kprobe->rp.entry_handler = args->kept ? kretprobe_entry : NULL;
	return register_kretprobe(&kprobe->rp);
}

static int kprobe_bind(struct dyn_probe *probe)
{
	const char *symbol = dyn_kprobe_symbol(dyn_kprobe_of(probe));
	int ret = strobe_kprobe_register(probe);

	if (ret == -ENOENT && !strobe_symbol_module_is_there(symbol)) {
		pr_warn("no module with %s is loaded; its probe waits for it\n",
			symbol ?: "the address");
		probe->pending = true;
		ret = 0;
	}
	return ret;
}

static int kprobe_arm(struct dyn_probe *probe)
{
	struct dyn_kprobe *kprobe = dyn_kprobe_of(probe);

	if (kprobe_gone(&kprobe->rp.kp))
		return 0;
	return kprobe->probe.is_return ? enable_kretprobe(&kprobe->rp) :
					 enable_kprobe(&kprobe->rp.kp);
}

static void kprobe_disarm(struct dyn_probe *probe)
{
	struct dyn_kprobe *kprobe = dyn_kprobe_of(probe);

	if (kprobe->probe.is_return)
		disable_kretprobe(&kprobe->rp);
	else
		disable_kprobe(&kprobe->rp.kp);
}

/* Unregister those of @probes that are registered and probe a return, or those that do not. */
static void unregister(struct dyn_probe **probes, unsigned int nr, bool is_return, void **ptrs)
{
	struct dyn_kprobe *kprobe;
	unsigned int i, found = 0;

	for (i = 0; i < nr; i++) {
		kprobe = dyn_kprobe_of(probes[i]);
		if (probes[i]->pending || kprobe->probe.is_return != is_return)
			continue;
		ptrs[found++] = is_return ? (void *)&kprobe->rp : &kprobe->rp.kp;
	}
	if (is_return)
		unregister_kretprobes((struct kretprobe **)ptrs, found);
	else
		unregister_kprobes((struct kprobe **)ptrs, found);
}

/*
 * Waits for a grace period for all of them. Pending ones need no wait of their own: nothing has
 * ever fired.
 */
static void kprobe_unbind(struct dyn_probe **probes, unsigned int nr)
{
	void **ptrs = kvmalloc_array(nr, sizeof(*ptrs), GFP_KERNEL | __GFP_NOFAIL);

	unregister(probes, nr, false, ptrs);
	unregister(probes, nr, true, ptrs);
	kvfree(ptrs);
	/* For readers without SRCU; see strobe_events_unregister(). */
	synchronize_rcu();
}

static void kprobe_free(struct dyn_probe *probe)
{
	kfree(dyn_kprobe_symbol(dyn_kprobe_of(probe)));
}

static unsigned long kprobe_missed(const struct dyn_probe *probe)
{
	const struct dyn_kprobe *kprobe = dyn_kprobe_of(probe);

	return kprobe->rp.kp.nmissed + (kprobe->probe.is_return ? kprobe->rp.nmissed : 0);
}

static void kprobe_profile(struct seq_file *m, const struct dyn_probe *probe)
{
	struct dyn_counts counts = strobe_dyn_probe_counts(probe);

	seq_printf(m, "  %-44s %15lu %15lu\n", trace_event_name(&probe->event->dynamic.call),
		   counts.hits, counts.missed);
}

const struct dyn_kind strobe_dyn_kprobe = {
	.letters	= "pr",
	.group		= "kprobes",
	.where		= "trace_kprobe",
	.call_flags	= TRACE_EVENT_FL_KPROBE,
	.nr_head	= 1,
	.head		= STROBE_FUNCTION_HEAD,
	.head_fmt	= STROBE_FUNCTION_FMT,
	.print_head	= strobe_function_print,
	.place		= kprobe_place,
	.name		= kprobe_name,
	.same		= kprobe_same,
	.is_at		= kprobe_is_at,
	.show		= kprobe_show,
	.bind		= kprobe_bind,
	.failed		= strobe_function_failed,
	.arm		= kprobe_arm,
	.disarm		= kprobe_disarm,
	.unbind		= kprobe_unbind,
	.free		= kprobe_free,
	.missed		= kprobe_missed,
	.profile	= kprobe_profile,
};

#ifdef CONFIG_MODULES
static bool is_of_module(const struct dyn_kprobe *kprobe, const struct module *mod)
{
	const char *symbol = dyn_kprobe_symbol(kprobe);
	size_t len = strlen(mod->name);

	return symbol && !strncmp(symbol, mod->name, len) && symbol[len] == ':';
}

/* Let the kprobe, which has a symbol, be registered again. */
static void reset(struct dyn_kprobe *kprobe)
{
	struct kprobe *kp = &kprobe->rp.kp;

	INIT_HLIST_NODE(&kp->hlist);
	INIT_LIST_HEAD(&kp->list);
	kp->addr = NULL;
}

/* The probe may have been registered for the module when it was loaded before. */
static int bind_again(struct dyn_probe *probe, const struct module *mod)
{
	struct dyn_kprobe *kprobe = dyn_kprobe_of(probe);
	int ret;

	if (probe->bound)
		kprobe_unbind(&probe, 1);
	reset(kprobe);
	probe->bound = false;
	probe->armed = false;
	/* Its symbols have other addresses now. */
	strobe_dyn_programs_free(probe);
	ret = strobe_symbol_check_in(mod->name, strchr(dyn_kprobe_symbol(kprobe), ':') + 1);
	if (!ret)
		ret = strobe_kprobe_register(probe);
	/* It has to be tried again when the module comes again. */
	probe->pending = ret;
	probe->bound = true;
	if (!ret && !hlist_empty(&probe->event->links))
		ret = strobe_dyn_arm(probe);
	return ret;
}

static int kprobe_module_notify(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;
	struct dyn_probe *probe;
	int ret;

	if (state != MODULE_STATE_COMING)
		return NOTIFY_DONE;
	guard(mutex)(&strobe_event_mutex);
	list_for_each_entry(probe, &strobe_dyn_probes, list) {
		if (probe->event->kind != &strobe_dyn_kprobe ||
		    !is_of_module(dyn_kprobe_of(probe), mod))
			continue;
		ret = bind_again(probe, mod);
		if (ret)
			pr_warn("probe %s cannot be put into module %s: error %d\n",
				trace_event_name(&probe->event->dynamic.call), mod->name, ret);
	}
	return NOTIFY_DONE;
}

/* After kprobes and jump labels, which have 0 and 1, know the module. */
static struct notifier_block kprobe_module_nb = {
	.notifier_call	= kprobe_module_notify,
	.priority	= -1,
};

static int __init kprobe_watch_modules(void)
{
	if (register_module_notifier(&kprobe_module_nb))
		pr_warn("kprobe events will not wait for modules\n");
	return 0;
}
core_initcall(kprobe_watch_modules);
#endif
