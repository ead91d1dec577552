/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pass 2, what runs: for each class the probe that records and the function that
 * prints, and for each event what the registry knows of it.
 *
 * With CONFIG_BPF_EVENTS a third pass makes the raw tracepoints; perf reads the
 * record that the probe made, so it has no code of its own here.
 */
#undef STROBE_SYSTEM_NAME
#undef __STROBE_SYSTEM_NAME
#undef ___STROBE_SYSTEM_NAME
#undef __STROBE_EVAL
#undef STROBE_CLASS_DATA
#undef STROBE_CLASS

/* In the probe and in the print function; some headers say entry themselves. */
#define __entry entry
#define __get_dynamic_array(field)						\
	((void *)__entry + (u16)__entry->__data_loc_##field)
#define __get_dynamic_array_len(field) (__entry->__data_loc_##field >> 16)
#define __get_str(field) ((char *)__get_dynamic_array(field))
#define __get_sockaddr(field) ((struct sockaddr *)__get_dynamic_array(field))

#define __get_rel_dynamic_array(field)						\
	((void *)__entry + STROBE_BASE_strobe_rel(__rel_loc_##field) +		\
	 (u16)__entry->__rel_loc_##field)
#define __get_rel_dynamic_array_len(field) (__entry->__rel_loc_##field >> 16)
#define __get_rel_str(field) ((char *)__get_rel_dynamic_array(field))
#define __get_rel_sockaddr(field)						\
	((struct sockaddr *)__get_rel_dynamic_array(field))

/* Only in the probe, where lengths and offsets are still in variables. */
#define __STROBE_DST(field) ((void *)__entry + __strobe_off_##field)
#define __assign_str(field)							\
	strobe_str_assign(__STROBE_DST(field), __strobe_src_##field, __strobe_len_##field)
#define __assign_vstr(field, fmt, va)						\
	strobe_vstr_assign(__STROBE_DST(field), __strobe_len_##field, fmt, va)
#define __assign_bitmask(field, src, nr_bits)					\
	memcpy(__STROBE_DST(field), (src), STROBE_BITMASK_BYTES(nr_bits))
#define __assign_cpumask(field, src)						\
	memcpy(__STROBE_DST(field), (src), STROBE_BITMASK_BYTES(nr_cpumask_bits))
#define __assign_sockaddr(field, src, len)					\
	memcpy(__STROBE_DST(field), (src), (len))
#define __assign_rel_str(field) __assign_str(field)
#define __assign_rel_bitmask(field, src, nr_bits) __assign_bitmask(field, src, nr_bits)
#define __assign_rel_cpumask(field, src) __assign_cpumask(field, src)
#define __assign_rel_sockaddr(field, src, len) __assign_sockaddr(field, src, len)

/* Only in the print function; p is what helpers of event headers expect, too. */
#define __get_bitmask(field)							\
	trace_print_bitmask_seq(p, __get_dynamic_array(field),			\
				__get_dynamic_array_len(field))
#define __get_cpumask(field) __get_bitmask(field)
#define __get_rel_bitmask(field)						\
	trace_print_bitmask_seq(p, __get_rel_dynamic_array(field),		\
				__get_rel_dynamic_array_len(field))
#define __get_rel_cpumask(field) __get_rel_bitmask(field)
#define __get_buf(len) trace_seq_acquire(p, (len))

#define __STROBE_NAMES(names...)						\
({										\
	static const struct trace_print_flags __strobe_names[] = {		\
		names, { -1, NULL }						\
	};									\
										\
	__strobe_names;								\
})
#define __print_flags(flag, delim, names...)					\
	trace_print_flags_seq(p, delim, flag, __STROBE_NAMES(names))
#define __print_symbolic(value, names...)					\
	trace_print_symbols_seq(p, value, __STROBE_NAMES(names))

#define __print_array(array, count, el_size)					\
({										\
	static_assert((el_size) == 1 || (el_size) == 2 ||			\
		      (el_size) == 4 || (el_size) == 8);			\
	trace_print_array_seq(p, array, count, el_size);			\
})
#define __print_dynamic_array(field, el_size)					\
	__print_array(__get_dynamic_array(field),				\
		      __get_dynamic_array_len(field) / (el_size), el_size)
#define __print_hex(buf, len) trace_print_hex_seq(p, buf, len, false)
#define __print_hex_str(buf, len) trace_print_hex_seq(p, buf, len, true)
#define __print_hex_dump(prefix, type, row, group, buf, len, ascii)		\
	trace_print_hex_dump_seq(p, prefix, type, row, group, buf, len, ascii)

#define __print_ns_to_secs(value)						\
({										\
	u64 __strobe_secs = (u64)(value);					\
										\
	do_div(__strobe_secs, NSEC_PER_SEC);					\
	__strobe_secs;								\
})
#define __print_ns_without_secs(value)						\
({										\
	u64 __strobe_secs = (u64)(value);					\
										\
	(u32)do_div(__strobe_secs, NSEC_PER_SEC);				\
})

#undef TP_printk
#define TP_printk(fmt, args...) fmt "\n", ##args

/*
 * The probe.  Called with preemption disabled, in any context; data is the
 * event's sink.  The record is as long as its struct, padding and all, plus the
 * dynamic fields, which begin where __data does.
 */
#define STROBE_PROBE(name, raw, proto, tstruct, assign)				\
	static __maybe_unused notrace void strobe_probe_##name(void *__data, proto) \
	{									\
		unsigned long __strobe_end = offsetof(struct raw, __data);	\
		struct strobe_room __strobe_room;				\
		struct raw *entry;						\
										\
		STROBE_MAP_SIZE(tstruct)					\
		__strobe_room = strobe_event_reserve(__data, __strobe_end +	\
			sizeof(struct raw) - offsetof(struct raw, __data));	\
		entry = __strobe_room.entry;					\
		if (!entry)							\
			return;							\
		STROBE_MAP_LOC(tstruct)						\
		{ assign; }							\
		strobe_event_commit(__strobe_room.handle);			\
	}

/*
 * Some headers name "flags" or "ret" in TP_printk() without having them: they show
 * what a parameter and a variable of this function have always been.
 */
#define STROBE_PRINT(name, raw, print)						\
	static __maybe_unused notrace void strobe_print_##name(struct strobe_print *__pr) \
	{									\
		struct trace_seq *p __maybe_unused = __pr->tmp;			\
		struct raw *entry __maybe_unused = __pr->entry;			\
		int flags __maybe_unused = __pr->flags & STROBE_PRINT_SYM_MASK;	\
		int ret __maybe_unused = 1;					\
										\
		strobe_printf(__pr, print);					\
	}

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)		\
	STROBE_PROBE(name, trace_event_raw_##name, PARAMS(proto), PARAMS(tstruct), \
		     PARAMS(assign))						\
	STROBE_PRINT(name, trace_event_raw_##name, PARAMS(print))

/* 0, unless pass 1 met TRACE_EVENT_FLAGS(): only then the array has one size. */
#define STROBE_FLAGS(name)							\
	(sizeof(*__builtin_choose_expr(						\
		__builtin_types_compatible_p(typeof(strobe_flags_##name), char[1]) && \
		__builtin_types_compatible_p(typeof(strobe_flags_##name), char[2]), \
		(char (*)[1])NULL, &strobe_flags_##name)) - 1)

/* The section holds pointers, and is freed after boot. */
#define STROBE_EVENT(prefix, name, class_, ...)					\
	static struct trace_event_call __used __aligned(8) prefix##name = {	\
		.class	= &class_,						\
		__VA_ARGS__							\
	};									\
	static struct trace_event_call __used __section("_ftrace_events")	\
	*__##prefix##name = &prefix##name;

/* Never called: the compiler is to compare the types. */
#define STROBE_CHECK_PROBE(prefix, name, template)				\
	static inline void strobe_check_##prefix##name(void)			\
	{									\
		check_trace_callback_type_##name(strobe_probe_##template);	\
	}

#undef DEFINE_EVENT
#undef DEFINE_EVENT_FN
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT(template, name, proto, args)				\
	STROBE_CHECK_PROBE(event_, name, template)				\
	STROBE_EVENT(event_, name, strobe_class_##template,			\
		     .tp = &__tracepoint_##name,				\
		     .flags = TRACE_EVENT_FL_TRACEPOINT | STROBE_FLAGS(name))
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)		\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)			\
	STROBE_CHECK_PROBE(event_, name, template)				\
	STROBE_PRINT(print_##name, trace_event_raw_##template, PARAMS(print))	\
	STROBE_EVENT(event_, name, strobe_class_print_##name,			\
		     .tp = &__tracepoint_##name,				\
		     .flags = TRACE_EVENT_FL_TRACEPOINT | STROBE_FLAGS(name))
