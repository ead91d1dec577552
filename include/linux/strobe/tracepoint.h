/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoint API of the Strobe engine, which <linux/tracepoint.h> includes if
 * CONFIG_STROBE=y. Documentation/trace/tracepoints.rst describes the API,
 * kernel/trace/strobe/tracepoint/tracepoint.c the implementation.
 *
 * This file is included many times in one translation unit:
 *
 *  - the types and functions, once;
 *  - DECLARE_TRACE() and related macros, whenever DECLARE_TRACE is not
 *    defined. <trace/define_trace.h> redefines it to create the tracepoints
 *    of a header and leaves it undefined, so that the next header starts with
 *    the declaring form again;
 *  - the TRACE_EVENT() family, whenever TRACE_EVENT is not defined, for the
 *    same reason.
 */
#ifndef _LINUX_TRACEPOINT_H
#define _LINUX_TRACEPOINT_H

#include <linux/errno.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/srcu.h>		/* not used here, but many files get it from here */
#include <linux/static_call.h>
#include <linux/tracepoint-defs.h>
#include <linux/types.h>

struct module;
struct notifier_block;
struct tracepoint;

/* Passes text that contains commas through macros as one argument. */
#ifndef PARAMS
#define PARAMS(args...) args
#endif

/* The value of an enumerator or a sizeof() in print formats, which tools need as a number. */
struct trace_eval_map {
	const char *system;
	const char *eval_string;
	unsigned long eval_value;
};

/* Empty unless events are created. */
#define TRACE_DEFINE_SIZEOF(x)
#define TRACE_DEFINE_ENUM(x)

#define TRACEPOINT_DEFAULT_PRIO 10

int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data);
int tracepoint_probe_register_prio(struct tracepoint *tp, void *probe, void *data, int prio);
int tracepoint_probe_register_prio_may_exist(struct tracepoint *tp, void *probe, void *data,
					     int prio);
int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data);
void for_each_kernel_tracepoint(void (*fct)(struct tracepoint *tp, void *priv), void *priv);

/**
 * tracepoint_probe_register_may_exist - connect a probe unless it is connected
 * @tp: tracepoint
 * @probe: function with the prototype of the tracepoint's probes
 * @data: first argument of @probe
 *
 * Like tracepoint_probe_register(), but does not warn if the probe is connected
 * already.
 *
 * Return: see tracepoint_probe_register().
 */
static inline int
tracepoint_probe_register_may_exist(struct tracepoint *tp, void *probe, void *data)
{
	const int prio = TRACEPOINT_DEFAULT_PRIO;

	return tracepoint_probe_register_prio_may_exist(tp, probe, data, prio);
}

/* The argument of callbacks of register_tracepoint_module_notifier(). */
struct tp_module {
	struct list_head list;
	struct list_head of_probes;	/* for the callback of dynamic/fprobe.c */
	struct module *mod;
};

typedef void (*tracepoint_module_visit_t)(struct tracepoint *tp, struct module *mod, void *priv);

#ifdef CONFIG_MODULES

bool trace_module_has_bad_taint(struct module *mod);
int register_tracepoint_module_notifier(struct notifier_block *nb);
int unregister_tracepoint_module_notifier(struct notifier_block *nb);
void for_each_module_tracepoint(tracepoint_module_visit_t fct, void *priv);
void for_each_tracepoint_in_module(struct module *mod, tracepoint_module_visit_t fct, void *priv);

#else /* !CONFIG_MODULES: registering succeeds, and no callback is ever called */

static inline bool trace_module_has_bad_taint(struct module *mod) { return false; }
static inline int register_tracepoint_module_notifier(struct notifier_block *nb) { return 0; }
static inline int unregister_tracepoint_module_notifier(struct notifier_block *nb) { return 0; }
static inline void for_each_module_tracepoint(tracepoint_module_visit_t fct, void *priv) { }
static inline void for_each_tracepoint_in_module(struct module *mod,
						 tracepoint_module_visit_t fct, void *priv) { }

#endif /* CONFIG_MODULES */

/**
 * tracepoint_synchronize_unregister - wait for CPUs to leave unregistered probes
 *
 * After it returns no CPU executes a probe that was unregistered before the
 * call, or uses its data. A module calls it between its last unregistration
 * and the end of its exit function.
 *
 * Context: task; sleeps for an RCU grace period.
 */
static inline void tracepoint_synchronize_unregister(void)
{
	if (IS_ENABLED(CONFIG_TRACEPOINTS))
		synchronize_rcu();
}

#ifdef CONFIG_HAVE_SYSCALL_TRACEPOINTS
int syscall_regfunc(void);
void syscall_unregfunc(void);
#endif

/*
 * Section __tracepoints_ptrs is the list of all tracepoints. It is needed because
 * a linker may pad between the objects of section __tracepoints.
 */
#ifdef CONFIG_HAVE_ARCH_PREL32_RELOCATIONS
#define __TRACEPOINT_ENTRY(name)				\
	asm(".pushsection \"__tracepoints_ptrs\", \"a\"\n\t"	\
	    ".balign 4\n\t"					\
	    ".long __tracepoint_" #name " - .\n\t"		\
	    ".popsection")
#else
#define __TRACEPOINT_ENTRY(name)				\
	static tracepoint_ptr_t __tracepoint_ptr_##name		\
		__used __section("__tracepoints_ptrs") = &__tracepoint_##name
#endif

static inline struct tracepoint *tracepoint_ptr_deref(tracepoint_ptr_t *p)
{
#ifdef CONFIG_HAVE_ARCH_PREL32_RELOCATIONS
	return offset_to_ptr(p);
#else
	return *p;
#endif
}

/**
 * struct tracepoint_probes - the probes of a tracepoint, as readers see them
 * @rcu: frees the array after a grace period
 * @direct_link: entry in the list of arrays that wait to be called directly
 * @direct_gp: RCU state that must have passed before that
 * @tp: the tracepoint
 * @nr: number of entries, including holes
 * @direct_waiting: @direct_link is in the list
 * @probe: the entries
 *
 * Never empty. @nr and @probe are constant once published, except that a func may
 * become NULL. @rcu is used only after @direct_link has been removed from its list.
 */
struct tracepoint_probes {
	union {
		struct rcu_head rcu;
		struct list_head direct_link;
	};
	unsigned long direct_gp;
	struct tracepoint *tp;
	unsigned int nr;
	bool direct_waiting;
	struct tracepoint_func probe[] __counted_by(nr);
};

/*
 * Bit 0 of tracepoint::probes: the array has one probe and, if the architecture has
 * static calls, the tracepoint's static call calls it.
 */
#define TRACEPOINT_DIRECT 1UL

/*
 * Load tracepoint::probes for the functions of DEFINE_TRACE(). Barrier PROBES:C of
 * tracepoint.c: if it reads the word that B stored, the loads from the array, which
 * have an address dependency, see the array as it was filled before. Pairs with PROBES:B.
 */
static __always_inline unsigned long tracepoint_probes_load(const struct tracepoint *tp)
{
	return READ_ONCE(tp->probes);
}

static __always_inline const struct tracepoint_probes *tracepoint_probes_array(unsigned long word)
{
	return (const struct tracepoint_probes *)(word & ~TRACEPOINT_DIRECT);
}

/* The only entry of the array of a direct @word. */
static __always_inline const struct tracepoint_func *tracepoint_direct_entry(unsigned long word)
{
	/* Subtract the tag, so that the compiler can fold it into the displacement. */
	return ((const struct tracepoint_probes *)(word - TRACEPOINT_DIRECT))->probe;
}

#endif /* _LINUX_TRACEPOINT_H */

#ifndef DECLARE_TRACE

/* A file that defines NOTRACE before it includes tracepoint headers has no tracepoints. */
#if defined(CONFIG_TRACEPOINTS) && !defined(NOTRACE)
#define TRACEPOINTS_ENABLED
#endif

#define TP_CONDITION(args...) args
#define TP_PROTO(args...) args
#define TP_ARGS(args...) args

#ifdef TRACEPOINTS_ENABLED

/*
 * For callers that may run while RCU does not watch, on architectures whose entry
 * and idle code can be instrumented. RCU is made to watch during the call, so these
 * callers are protected like all others. That is not possible from NMI, and
 * architectures with ARCH_WANTS_NO_INSTR must not have such callers.
 */
#ifndef MODULE
#define __DECLARE_TRACE_RCUIDLE(name, proto, args, cond)			\
	static inline void trace_##name##_rcuidle(proto)			\
	{									\
		if (!static_key_false(&__tracepoint_##name.key) || !(cond))	\
			return;							\
		if (WARN_ONCE(IS_ENABLED(CONFIG_ARCH_WANTS_NO_INSTR) || in_nmi(), \
			      "tracepoint called where RCU cannot watch"))	\
			return;							\
		ct_irq_enter_irqson();						\
		__traceiter_##name(NULL, args);					\
		ct_irq_exit_irqson();						\
	}
#else
#define __DECLARE_TRACE_RCUIDLE(name, proto, args, cond)
#endif

/*
 * trace_NAME() is a no-op, which is patched to a jump to an out-of-line call of
 * __traceiter_NAME(). All call sites share that function. The NULL is a placeholder
 * for the probe's data, so that the arguments are already in the registers in which
 * the probe expects them.
 *
 * With lockdep, check that RCU is watching even if the tracepoint is off: a call
 * while RCU is not watching is a bug that otherwise shows only when it is on.
 */
#define __DECLARE_TRACE(name, proto, args, cond, data_proto)			\
	extern struct tracepoint __tracepoint_##name;				\
	void __traceiter_##name(data_proto);					\
	static inline void trace_##name(proto)					\
	{									\
		if (static_key_false(&__tracepoint_##name.key)) {		\
			if (cond)						\
				__traceiter_##name(NULL, args);			\
		}								\
		if (IS_ENABLED(CONFIG_LOCKDEP) &&				\
		    cpu_online(raw_smp_processor_id()) && (cond))		\
			WARN_ONCE(!rcu_is_watching(), "RCU not watching for tracepoint"); \
	}									\
	__DECLARE_TRACE_RCUIDLE(name, PARAMS(proto), PARAMS(args), PARAMS(cond)) \
	static inline int register_trace_##name(void (*probe)(data_proto), void *data) \
	{									\
		return tracepoint_probe_register(&__tracepoint_##name, (void *)probe, data); \
	}									\
	static inline int							\
	register_trace_prio_##name(void (*probe)(data_proto), void *data, int prio) \
	{									\
		return tracepoint_probe_register_prio(&__tracepoint_##name,	\
						      (void *)probe, data, prio); \
	}									\
	static inline int unregister_trace_##name(void (*probe)(data_proto), void *data) \
	{									\
		return tracepoint_probe_unregister(&__tracepoint_##name, (void *)probe, data); \
	}									\
	static inline void check_trace_callback_type_##name(void (*cb)(data_proto)) { } \
	static inline bool trace_##name##_enabled(void)				\
	{									\
		return static_key_false(&__tracepoint_##name.key);		\
	}

#ifdef CONFIG_HAVE_STATIC_CALL
#define __TRACEPOINT_TARGET_NONE(name)						\
	DEFINE_STATIC_CALL_NULL(tp_func_##name, __traceiter_##name)
#define __TRACEPOINT_TARGET(name, probe) DEFINE_STATIC_CALL(tp_func_##name, probe)
#define __TRACEPOINT_INIT_DIRECT(name)						\
	.static_call_key = &STATIC_CALL_KEY(tp_func_##name),			\
	.static_call_tramp = STATIC_CALL_TRAMP_ADDR(tp_func_##name),
#define __TRACEPOINT_DIRECT_FUNC(name, word, proto) static_call(tp_func_##name)
#else
#define __TRACEPOINT_TARGET_NONE(name)
#define __TRACEPOINT_TARGET(name, probe)
#define __TRACEPOINT_INIT_DIRECT(name)
#define __TRACEPOINT_DIRECT_FUNC(name, word, proto)				\
	((void (*)(void *, proto))tracepoint_direct_entry(word)->func)
#endif

#ifdef CONFIG_FPROBE_EVENTS
#define __TRACEPOINT_DEFINE_STUB(name, proto)					\
	void __probestub_##name(void *__data, proto);				\
	void __probestub_##name(void *__data, proto) { }
#define __TRACEPOINT_INIT_STUB(name) .probestub = &__probestub_##name,
#else
#define __TRACEPOINT_DEFINE_STUB(name, proto)
#define __TRACEPOINT_INIT_STUB(name)
#endif

/*
 * __traceiter_NAME() is the fast path of every event. For a lone probe it must not
 * need callee-saved registers, which it would have to save first. The loop over
 * several probes needs them, so it is in a function of its own.
 *
 * RCU does not protect a CPU that is not online, so it calls no probe.
 */
#define __DEFINE_TRACE(_name, _ext, _target, proto, args)			\
	static const char __tpstrtab_##_name[]					\
		__section("__tracepoints_strings") = #_name;			\
	void __traceiter_##_name(void *__data, proto);				\
	_target;								\
	__TRACEPOINT_DEFINE_STUB(_name, PARAMS(proto))				\
	struct tracepoint __tracepoint_##_name __used __section("__tracepoints") = { \
		.name = __tpstrtab_##_name,					\
		.key = STATIC_KEY_INIT_FALSE,					\
		__TRACEPOINT_INIT_DIRECT(_name)					\
		__TRACEPOINT_INIT_STUB(_name)					\
		.ext = _ext,							\
	};									\
	__TRACEPOINT_ENTRY(_name);						\
	static noinline __noclone __cold notrace				\
	void __traceloop_##_name(void *__data, proto)				\
	{									\
		const struct tracepoint_probes *__tp_probes = __data;		\
		const struct tracepoint_func *__tp_it;				\
		unsigned int __tp_left;						\
										\
		if (!__tp_probes)						\
			return;							\
		__tp_it = __tp_probes->probe;					\
		__tp_left = __tp_probes->nr;					\
		do {								\
			void (*__tp_func)(void *, proto) = READ_ONCE(__tp_it->func); \
										\
			if (__tp_func)						\
				__tp_func(__tp_it->data, args);			\
			__tp_it++;						\
		} while (--__tp_left);						\
	}									\
	noinline __noclone notrace						\
	void __traceiter_##_name(void *__data, proto)				\
	{									\
		unsigned long __tp_word;					\
										\
		preempt_disable_notrace();					\
		if (likely_notrace(cpu_online(raw_smp_processor_id()))) {	\
			__tp_word = tracepoint_probes_load(&__tracepoint_##_name); \
			if (likely_notrace(__tp_word & TRACEPOINT_DIRECT))	\
				__TRACEPOINT_DIRECT_FUNC(_name, __tp_word, PARAMS(proto)) \
					(tracepoint_direct_entry(__tp_word)->data, args); \
			else							\
				__traceloop_##_name((void *)__tp_word, args);	\
		}								\
		preempt_enable_notrace();					\
	}

#define __DEFINE_TRACE_EXT(_name, _reg, _unreg)					\
	static const struct tracepoint_ext __tpext_##_name = {			\
		.regfunc = _reg,						\
		.unregfunc = _unreg,						\
	}

#define DEFINE_TRACE(name, proto, args)						\
	__DEFINE_TRACE(name, NULL, __TRACEPOINT_TARGET_NONE(name),		\
		       PARAMS(proto), PARAMS(args))

#define DEFINE_TRACE_FN(name, reg, unreg, proto, args)				\
	__DEFINE_TRACE_EXT(name, reg, unreg);					\
	__DEFINE_TRACE(name, &__tpext_##name, __TRACEPOINT_TARGET_NONE(name),	\
		       PARAMS(proto), PARAMS(args))

/*
 * The same for a tracepoint that usually has one certain probe, @probe, which must have
 * been declared. It is not connected, but is the initial target of the static call, so
 * that connecting it patches only the static key.
 */
#define DEFINE_TRACE_PROBE(name, probe, proto, args)				\
	__DEFINE_TRACE(name, NULL, __TRACEPOINT_TARGET(name, probe),		\
		       PARAMS(proto), PARAMS(args))

#define DEFINE_TRACE_FN_PROBE(name, probe, reg, unreg, proto, args)		\
	__DEFINE_TRACE_EXT(name, reg, unreg);					\
	__DEFINE_TRACE(name, &__tpext_##name, __TRACEPOINT_TARGET(name, probe),	\
		       PARAMS(proto), PARAMS(args))

#define EXPORT_TRACEPOINT_SYMBOL(name)						\
	EXPORT_SYMBOL(__tracepoint_##name);					\
	EXPORT_SYMBOL(__traceiter_##name)

#define EXPORT_TRACEPOINT_SYMBOL_GPL(name)					\
	EXPORT_SYMBOL_GPL(__tracepoint_##name);					\
	EXPORT_SYMBOL_GPL(__traceiter_##name)

#else /* !TRACEPOINTS_ENABLED */

#define __DECLARE_TRACE(name, proto, args, cond, data_proto)			\
	static inline void trace_##name(proto) { }				\
	static inline void trace_##name##_rcuidle(proto) { }			\
	static inline int register_trace_##name(void (*probe)(data_proto), void *data) \
	{									\
		return -ENOSYS;							\
	}									\
	static inline int							\
	register_trace_prio_##name(void (*probe)(data_proto), void *data, int prio) \
	{									\
		return -ENOSYS;							\
	}									\
	static inline int unregister_trace_##name(void (*probe)(data_proto), void *data) \
	{									\
		return -ENOSYS;							\
	}									\
	static inline void check_trace_callback_type_##name(void (*cb)(data_proto)) { } \
	static inline bool trace_##name##_enabled(void) { return false; }

#define DEFINE_TRACE(name, proto, args)
#define DEFINE_TRACE_FN(name, reg, unreg, proto, args)
#define DEFINE_TRACE_PROBE(name, probe, proto, args)
#define DEFINE_TRACE_FN_PROBE(name, probe, reg, unreg, proto, args)
#define EXPORT_TRACEPOINT_SYMBOL(name)
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name)

#endif /* TRACEPOINTS_ENABLED */

/*
 * tracepoint_string() - export a string so that tools can translate its address
 *
 * An event may record the address of a constant string instead of the text. For
 * tools that parse binary traces, strings in tracepoint_string() or in an array
 * marked __tracepoint_string are listed in tracefs' printk_formats with their
 * address. The string must exist as long as the kernel or the module.
 */
#ifdef CONFIG_TRACING
#define __tracepoint_string __used __section("__tracepoint_str")
#define tracepoint_string(str)							\
({										\
	static const char *___tp_str __tracepoint_string = str;			\
										\
	___tp_str;								\
})
#else
#define __tracepoint_string
#define tracepoint_string(str) str
#endif

#define DECLARE_TRACE(name, proto, args)					\
	__DECLARE_TRACE(name, PARAMS(proto), PARAMS(args), true,		\
			PARAMS(void *__data, proto))

#define DECLARE_TRACE_CONDITION(name, proto, args, cond)			\
	__DECLARE_TRACE(name, PARAMS(proto), PARAMS(args), PARAMS(cond),	\
			PARAMS(void *__data, proto))

#define TRACE_EVENT_FLAGS(event, flag)
#define TRACE_EVENT_PERF_PERM(event, expr...)

#endif /* DECLARE_TRACE */

#ifndef TRACE_EVENT
/*
 * An event is a tracepoint with a record and a text. Code that only fires it
 * needs only the tracepoint's declaration, to which an event header normally
 * expands. In the file that defines CREATE_TRACE_POINTS before it includes the
 * header, <trace/define_trace.h> creates the rest.
 * samples/tracepoints/tp-events.h is an example of an event header.
 *
 *	name	trace_NAME() fires the event
 *	proto	TP_PROTO(): its parameters, with types
 *	args	TP_ARGS(): the same without types
 *	cond	TP_CONDITION(): fires only if true; without lockdep, evaluated only when on
 *	tstruct	TP_STRUCT__entry(): fields of the record
 *	assign	TP_fast_assign(): statements that fill the fields
 *	print	TP_printk(): the record as text
 *	reg	called before the first probe is connected; may fail
 *	unreg	called after the last probe was disconnected
 *
 * DECLARE_EVENT_CLASS() has fields, assignment and text. Each DEFINE_EVENT() is an
 * event of that class, and costs much less than another TRACE_EVENT().
 */
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)			\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg)	\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print)	\
	DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))
#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, reg, unreg) \
	DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond)		\
	DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)			\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)		\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT(template, name, proto, args)				\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))

#define TRACE_EVENT_FLAGS(event, flag)
#define TRACE_EVENT_PERF_PERM(event, expr...)

/* An event that the configuration leaves out: calls compile to nothing. */
#define DECLARE_EVENT_NOP(name, proto, args)					\
	static inline void trace_##name(proto) { }				\
	static inline bool trace_##name##_enabled(void) { return false; }

#define DECLARE_EVENT_CLASS_NOP(name, proto, args, tstruct, assign, print)
#define TRACE_EVENT_NOP(name, proto, args, tstruct, assign, print)		\
	DECLARE_EVENT_NOP(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_NOP(template, name, proto, args)				\
	DECLARE_EVENT_NOP(name, PARAMS(proto), PARAMS(args))

#endif /* TRACE_EVENT */
