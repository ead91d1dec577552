/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pass 2, code: for each class the probe, the print function and, for BPF, the shim of
 * its raw tracepoints; for each event the objects by which the registry and BPF know it.
 * The same probe also makes the records for perf and BPF.
 */
#undef STROBE_SYSTEM_NAME
#undef __STROBE_SYSTEM_NAME
#undef ___STROBE_SYSTEM_NAME
#undef __STROBE_EVAL
#undef STROBE_CLASS_DATA
#undef STROBE_CLASS

/* Used in the probe and in the print function. Some headers use "entry" directly. */
#define __entry entry
#define __get_dynamic_array(field)						\
	((void *)__entry + (u16)__entry->__data_loc_##field)
#define __get_dynamic_array_len(field) (__entry->__data_loc_##field >> 16)
#define __get_str(field) ((char *)__get_dynamic_array(field))
#define __get_sockaddr(field)							\
	strobe_sockaddr(__get_dynamic_array(field), __get_dynamic_array_len(field))

#define __get_rel_dynamic_array(field)						\
	((void *)__entry + STROBE_BASE_strobe_rel_loc(__rel_loc_##field) +		\
	 (u16)__entry->__rel_loc_##field)
#define __get_rel_dynamic_array_len(field) (__entry->__rel_loc_##field >> 16)
#define __get_rel_str(field) ((char *)__get_rel_dynamic_array(field))
#define __get_rel_sockaddr(field)						\
	strobe_sockaddr(__get_rel_dynamic_array(field), __get_rel_dynamic_array_len(field))

/* Used only in the probe, which has lengths and offsets in variables. */
#define __STROBE_DST(field) ((void *)__entry + __strobe_off_##field)
#define __assign_str(field) __STROBE_ASSIGN_STR(field)
#define __STROBE_ASSIGN_STR(field)						\
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

/* In the print function its text, in the probe the mask itself: see strobe_mask(). */
#define __get_bitmask(field)							\
	strobe_mask(__strobe_seq, __get_dynamic_array(field),			\
		    __get_dynamic_array_len(field))
#define __get_cpumask(field) __get_bitmask(field)
#define __get_rel_bitmask(field)						\
	strobe_mask(__strobe_seq, __get_rel_dynamic_array(field),		\
		    __get_rel_dynamic_array_len(field))
#define __get_rel_cpumask(field) __get_rel_bitmask(field)

/* Used only in the print function. Helpers of event headers also expect "p". */
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
	BUILD_BUG_ON((el_size) != 1 && (el_size) != 2 &&			\
		     (el_size) != 4 && (el_size) != 8);				\
	trace_print_array_seq(p, array,						\
			      strobe_print_within(__pr, array, count, el_size),	\
			      el_size);						\
})
#define __print_dynamic_array(field, el_size)					\
	__print_array(__get_dynamic_array(field),				\
		      __get_dynamic_array_len(field) / (el_size), el_size)
#define __print_hex(buf, len)							\
	trace_print_hex_seq(p, buf, strobe_print_within(__pr, buf, len, 1), false)
#define __print_hex_str(buf, len)						\
	trace_print_hex_seq(p, buf, strobe_print_within(__pr, buf, len, 1), true)
#define __print_hex_dump(prefix, type, row, group, buf, len, ascii)		\
	trace_print_hex_dump_seq(p, prefix, type, row, group, buf,		\
				 strobe_print_within(__pr, buf, len, 1), ascii)

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
 * The probe.  Called with preemption disabled, in any context; its data pointer is the
 * event's sink.  The record is as long as its struct with the padding, plus the dynamic
 * fields, which start at __data.  Arguments marked by __perf_count() or __perf_task()
 * set the sample for perf, which is done only if an attached sink asks for one.
 */
#undef __perf_count
#undef __perf_task
#define __perf_count(c) (__strobe_sample.count = (c), (c))
#define __perf_task(t) (__strobe_sample.task = (t), (t))

#define STROBE_PROBE(name, raw, proto, args, tstruct, assign)			\
	static __always_inline void strobe_ignore_##name(proto) { }		\
	static __maybe_unused notrace void strobe_probe_##name(void *__data, proto) \
	{									\
		unsigned long __strobe_end = offsetof(struct raw, __data);	\
		struct strobe_reserved __strobe_record;				\
		struct raw *entry;						\
										\
		STROBE_MAP_SIZE(tstruct)					\
		__strobe_end += sizeof(struct raw) - offsetof(struct raw, __data); \
		__strobe_record = strobe_event_reserve(__data, __strobe_end);	\
		entry = __strobe_record.entry;					\
		if (!entry) {							\
			struct strobe_sample __strobe_sample = { .count = 1 };	\
										\
			if (!strobe_has_sample_##name || !__strobe_record.handle) \
				return;						\
			strobe_ignore_##name(args);				\
			__strobe_record = strobe_event_reserve_sample(__data,	\
				DIV_ROUND_UP(__strobe_end, sizeof(u32)),	\
				&__strobe_sample);				\
			entry = __strobe_record.entry;				\
			if (!entry)						\
				return;						\
		}								\
		STROBE_MAP_LOC(tstruct)						\
		{								\
			struct trace_seq *const __strobe_seq __maybe_unused = NULL; \
										\
			assign;							\
		}								\
		strobe_event_commit(__strobe_record.handle);			\
	}

/*
 * Some headers use "flags" or "ret" in TP_printk() without defining them. In classic,
 * these are a parameter and a variable of the function that prints.
 */
#define STROBE_PRINT(name, raw, print)						\
	static __maybe_unused notrace void strobe_print_##name(struct strobe_print *__pr) \
	{									\
		struct trace_seq *__strobe_seq __maybe_unused = __pr->tmp;	\
		struct trace_seq *p __maybe_unused = __strobe_seq;		\
		struct raw *entry __maybe_unused = __pr->entry;			\
		int flags __maybe_unused = __pr->flags & STROBE_PRINT_SYM_MASK;	\
		int ret __maybe_unused = 1;					\
										\
		strobe_printf(__pr, print);					\
	}

/*
 * BPF's raw tracepoints. Names and objects are ABI: the verifier and libbpf look for
 * btf_trace_NAME, BPF for the entries of the section. Each argument is zero-extended to
 * 64 bits, even if its type is signed.
 */
#ifdef CONFIG_BPF_EVENTS
/* Address of the @size lower bytes of *@number. */
#define STROBE_LOW_BYTES(number, size)						\
	((void *)(number) +							\
	 (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? sizeof(*(number)) - (size) : 0))
#define __STROBE_U64(arg)							\
({										\
	typeof(arg) __strobe_from = (arg);					\
	u64 __strobe_to = 0;							\
										\
	static_assert(sizeof(__strobe_from) <= sizeof(__strobe_to));		\
	memcpy(STROBE_LOW_BYTES(&__strobe_to, sizeof(__strobe_from)),		\
	       &__strobe_from, sizeof(__strobe_from));				\
	__strobe_to;								\
})
#define __STROBE_U64_1(arg) __STROBE_U64(arg)
#define __STROBE_U64_2(arg, args...) __STROBE_U64(arg), __STROBE_U64_1(args)
#define __STROBE_U64_3(arg, args...) __STROBE_U64(arg), __STROBE_U64_2(args)
#define __STROBE_U64_4(arg, args...) __STROBE_U64(arg), __STROBE_U64_3(args)
#define __STROBE_U64_5(arg, args...) __STROBE_U64(arg), __STROBE_U64_4(args)
#define __STROBE_U64_6(arg, args...) __STROBE_U64(arg), __STROBE_U64_5(args)
#define __STROBE_U64_7(arg, args...) __STROBE_U64(arg), __STROBE_U64_6(args)
#define __STROBE_U64_8(arg, args...) __STROBE_U64(arg), __STROBE_U64_7(args)
#define __STROBE_U64_9(arg, args...) __STROBE_U64(arg), __STROBE_U64_8(args)
#define __STROBE_U64_10(arg, args...) __STROBE_U64(arg), __STROBE_U64_9(args)
#define __STROBE_U64_11(arg, args...) __STROBE_U64(arg), __STROBE_U64_10(args)
#define __STROBE_U64_12(arg, args...) __STROBE_U64(arg), __STROBE_U64_11(args)

#define STROBE_BPF_SHIM(name, proto, args)					\
	static __maybe_unused notrace void __bpf_trace_##name(void *__data, proto) \
	{									\
		struct strobe_sample __strobe_sample __maybe_unused;		\
										\
		CONCATENATE(strobe_bpf_run, COUNT_ARGS(args))(__data,		\
			CONCATENATE(__STROBE_U64_, COUNT_ARGS(args))(args));	\
	}

/* @size: size of the object at the first argument if programs may write to it, else 0. */
#define STROBE_BPF_MAP(name, template, proto, args, size)			\
	static inline void strobe_check_bpf_##name(void)			\
	{									\
		check_trace_callback_type_##name(__bpf_trace_##template);	\
	}									\
	typedef void (*btf_trace_##name)(void *__data, proto);			\
	static union {								\
		struct bpf_raw_event_map event;					\
		btf_trace_##name handler;					\
	} __bpf_trace_tp_map_##name __used __section("__bpf_raw_tp_map") = {	\
		.event = {							\
			.tp		= &__tracepoint_##name,			\
			.bpf_func	= __bpf_trace_##template,		\
			.num_args	= COUNT_ARGS(args),			\
			.writable_size	= size,					\
		},								\
	};

/* Headers state the size of the writable object: check it against the type. */
#define __STROBE_FIRST(first, ...) first
#define STROBE_BPF_CHECK_SIZE(name, proto, args, size)				\
	static inline void strobe_check_size_##name(proto)			\
	{									\
		static_assert(sizeof(*__STROBE_FIRST(args)) == (size));		\
	}
#else
#define STROBE_BPF_SHIM(name, proto, args)
#define STROBE_BPF_MAP(name, template, proto, args, size)
#define STROBE_BPF_CHECK_SIZE(name, proto, args, size)
#endif

/* BPF can also attach to tracepoints without events. */
#undef DECLARE_TRACE
#undef DECLARE_TRACE_CONDITION
#define DECLARE_TRACE(name, proto, args)					\
	STROBE_BPF_SHIM(name, PARAMS(proto), PARAMS(args))			\
	STROBE_BPF_MAP(name, name, PARAMS(proto), PARAMS(args), 0)
#define DECLARE_TRACE_CONDITION(name, proto, args, cond)			\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
/* Headers with writable tracepoints test whether these are defined. */
#define DECLARE_TRACE_WRITABLE(name, proto, args, size)				\
	STROBE_BPF_CHECK_SIZE(name, PARAMS(proto), PARAMS(args), size)		\
	STROBE_BPF_SHIM(name, PARAMS(proto), PARAMS(args))			\
	STROBE_BPF_MAP(name, name, PARAMS(proto), PARAMS(args), size)
#define DEFINE_EVENT_WRITABLE(template, name, proto, args, size)		\
	STROBE_BPF_CHECK_SIZE(name, PARAMS(proto), PARAMS(args), size)		\
	STROBE_CALL(template, name)						\
	STROBE_BPF_MAP(name, template, PARAMS(proto), PARAMS(args), size)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)		\
	STROBE_PROBE(name, trace_event_raw_##name, PARAMS(proto), PARAMS(args),	\
		     PARAMS(tstruct), PARAMS(assign))				\
	STROBE_PRINT(name, trace_event_raw_##name, PARAMS(print))		\
	STROBE_BPF_SHIM(name, PARAMS(proto), PARAMS(args))

/*
 * The flags from TRACE_EVENT_FLAGS(), one less than the size of strobe_flags_NAME. Without
 * TRACE_EVENT_FLAGS() that array has no size, so its type is compatible with both char[1]
 * and char[2]; the flags are then 0.
 */
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

/* Never called: makes the compiler check the type of the probe. */
#define STROBE_CHECK_PROBE(prefix, name, template)				\
	static inline void strobe_check_##prefix##name(void)			\
	{									\
		check_trace_callback_type_##name(strobe_probe_##template);	\
	}

#define STROBE_CALL(template, name)						\
	STROBE_CHECK_PROBE(event_, name, template)				\
	STROBE_EVENT(event_, name, strobe_class_##template,			\
		     .tp = &__tracepoint_##name,				\
		     .flags = TRACE_EVENT_FL_TRACEPOINT | STROBE_FLAGS(name))

#undef DEFINE_EVENT
#undef DEFINE_EVENT_FN
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT(template, name, proto, args)				\
	STROBE_CALL(template, name)						\
	STROBE_BPF_MAP(name, template, PARAMS(proto), PARAMS(args), 0)
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)		\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)			\
	STROBE_CHECK_PROBE(event_, name, template)				\
	STROBE_PRINT(print_##name, trace_event_raw_##template, PARAMS(print))	\
	STROBE_EVENT(event_, name, strobe_class_print_##name,			\
		     .tp = &__tracepoint_##name,				\
		     .flags = TRACE_EVENT_FL_TRACEPOINT | STROBE_FLAGS(name))	\
	STROBE_BPF_MAP(name, template, PARAMS(proto), PARAMS(args), 0)

/* Modules must not use it: there early_initcall() defines the module's init function. */
#ifdef CONFIG_PERF_EVENTS
#undef TRACE_EVENT_PERF_PERM
#define TRACE_EVENT_PERF_PERM(name, expr...)					\
	static int strobe_perf_allow_##name(struct trace_event_call *tp_event,	\
					    struct perf_event *p_event)		\
	{									\
		return ({ expr; });						\
	}									\
	static struct strobe_perf_perm strobe_perf_perm_##name = {		\
		.call	= &event_##name,					\
		.allow	= strobe_perf_allow_##name,				\
	};									\
	static int __init strobe_perf_perm_init_##name(void)			\
	{									\
		strobe_perf_perm_add(&strobe_perf_perm_##name);			\
		return 0;							\
	}									\
	early_initcall(strobe_perf_perm_init_##name);
#endif
