/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The neutral form of every macro that an event header may use.  Included before each
 * pass, which then redefines the macros that it expands.  In the neutral form,
 * declarations expand to nothing, and macros of TP_printk() are not defined, so that
 * the print format shows them as written.
 */

/* Declarations. */
#undef DECLARE_TRACE
#undef DECLARE_TRACE_CONDITION
#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT
#undef DEFINE_EVENT_FN
#undef DEFINE_EVENT_PRINT
#undef DECLARE_TRACE_WRITABLE
#undef DEFINE_EVENT_WRITABLE
#undef DECLARE_CUSTOM_EVENT_CLASS
#undef DEFINE_CUSTOM_EVENT
#define DECLARE_TRACE(name, proto, args)
#define DECLARE_TRACE_CONDITION(name, proto, args, cond)
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)
#define DEFINE_EVENT(template, name, proto, args)
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)
#define DECLARE_CUSTOM_EVENT_CLASS(name, proto, args, tstruct, assign, print)
#define DEFINE_CUSTOM_EVENT(template, name, proto, args)

#undef TRACE_DEFINE_ENUM
#undef TRACE_DEFINE_SIZEOF
#undef TRACE_EVENT_FLAGS
#undef TRACE_EVENT_PERF_PERM
#define TRACE_DEFINE_ENUM(a)
#define TRACE_DEFINE_SIZEOF(a)
#define TRACE_EVENT_FLAGS(event, flag)
#define TRACE_EVENT_PERF_PERM(event, expr...)

/* Declarations that expand to others, in the same way in every pass. */
#undef DECLARE_EVENT_SYSCALL_CLASS
#undef DEFINE_EVENT_CONDITION
#undef TRACE_EVENT
#undef TRACE_EVENT_CONDITION
#undef TRACE_EVENT_FN
#undef TRACE_EVENT_FN_COND
#undef TRACE_CUSTOM_EVENT
#define DECLARE_EVENT_SYSCALL_CLASS DECLARE_EVENT_CLASS

#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond)		\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#define TRACE_EVENT(name, proto, args, tstruct, assign, print)			\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
			    PARAMS(assign), PARAMS(print))			\
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))

#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print)	\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),		\
		    PARAMS(assign), PARAMS(print))

#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg)	\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
			    PARAMS(assign), PARAMS(print))			\
	DEFINE_EVENT_FN(name, name, PARAMS(proto), PARAMS(args), reg, unreg)

#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, reg, unreg) \
	TRACE_EVENT_FN(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		       PARAMS(assign), PARAMS(print), reg, unreg)

#define TRACE_CUSTOM_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_CUSTOM_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),		\
				   PARAMS(tstruct), PARAMS(assign), PARAMS(print)) \
	DEFINE_CUSTOM_EVENT(name, name, PARAMS(proto), PARAMS(args))

/* Events that the configuration leaves out. */
#undef TRACE_EVENT_NOP
#undef DEFINE_EVENT_NOP
#undef DECLARE_EVENT_CLASS_NOP
#define TRACE_EVENT_NOP(name, proto, args, tstruct, assign, print)
#define DEFINE_EVENT_NOP(template, name, proto, args)
#define DECLARE_EVENT_CLASS_NOP(name, proto, args, tstruct, assign, print)

/* Parts of a declaration. */
#undef TP_STRUCT__entry
#undef TP_fast_assign
#undef TP_perf_assign
#undef TP_printk
#define TP_STRUCT__entry(args...) args
#define TP_fast_assign(args...) args
#define TP_perf_assign(args...)
#define TP_printk(fmt, args...) fmt, ##args

/* Mark arguments of a class that perf takes as the sample's count and task. */
#undef __perf_count
#undef __perf_task
#define __perf_count(c) (c)
#define __perf_task(t) (t)

/* Used in TP_fast_assign() and TP_printk(). */
#undef __entry
#undef __get_buf
#undef __assign_str
#undef __get_str
#undef __assign_bitmask
#undef __get_bitmask
#undef __assign_cpumask
#undef __get_cpumask
#undef __assign_sockaddr
#undef __get_sockaddr
#undef __assign_rel_str
#undef __get_rel_str
#undef __assign_rel_bitmask
#undef __get_rel_bitmask
#undef __assign_rel_cpumask
#undef __get_rel_cpumask
#undef __assign_rel_sockaddr
#undef __get_rel_sockaddr
#undef __assign_vstr
#undef __get_dynamic_array
#undef __get_dynamic_array_len
#undef __get_rel_dynamic_array
#undef __get_rel_dynamic_array_len
#undef __print_flags
#undef __print_symbolic
#undef __print_array
#undef __print_dynamic_array
#undef __print_hex
#undef __print_hex_str
#undef __print_hex_dump
#undef __print_ns_to_secs
#undef __print_ns_without_secs

/* CONFIG_STROBE exists only on architectures whose long has 64 bits. */
#undef __print_flags_u64
#undef __print_symbolic_u64
#define __print_flags_u64(flag, delim, names...) __print_flags(flag, delim, names)
#define __print_symbolic_u64(value, names...) __print_symbolic(value, names)
