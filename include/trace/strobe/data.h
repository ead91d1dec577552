/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pass 1, data: tracepoints, enum values and sizes, and for each class the struct of
 * its record, the table of its fields, and the class itself. Pass 2 defines the
 * functions of the class.
 */

/* An enum value belongs to an event if their system pointers are equal. */
#define STROBE_SYSTEM_NAME __STROBE_SYSTEM_NAME(TRACE_SYSTEM_VAR)
#define __STROBE_SYSTEM_NAME(var) ___STROBE_SYSTEM_NAME(var)
#define ___STROBE_SYSTEM_NAME(var) strobe_system_##var
static const char STROBE_SYSTEM_NAME[] = __stringify(TRACE_SYSTEM);

/* Used in TP_printk(): the form in which user space sees it. */
#define __entry REC
#define __print_ns_to_secs(val) (val) / 1000000000UL
#define __print_ns_without_secs(val) (val) % 1000000000UL
#undef TP_printk
#define TP_printk(fmt, args...) "\"" fmt "\", " __stringify(args)

#define __STROBE_EVAL(string, value)						\
	static const struct trace_eval_map __used __aligned(8)			\
	__section("_ftrace_eval_map") __UNIQUE_ID(strobe_eval_) = {		\
		.system = STROBE_SYSTEM_NAME,					\
		.eval_string = string,						\
		.eval_value = value,						\
	}
#undef TRACE_DEFINE_ENUM
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_ENUM(a) __STROBE_EVAL(#a, a)
#define TRACE_DEFINE_SIZEOF(a) __STROBE_EVAL("sizeof(" #a ")", sizeof(a))

/*
 * The event's initialiser needs the flags, which a header gives after the event.
 * Each event declares an array without a size; this declares it again with the size
 * flags + 1.  STROBE_FLAGS() of pass 2 reads the size.  The array is never defined.
 */
#undef TRACE_EVENT_FLAGS
#define TRACE_EVENT_FLAGS(event, flag) extern char strobe_flags_##event[(flag) + 1];

/*
 * A marked argument counts as two, so that a class has one if args has more elements
 * than proto: TP_ARGS(a, __perf_count(b)) expands to three arguments.
 */
#undef __perf_count
#undef __perf_task
#define __perf_count(c) c, c
#define __perf_task(t) t, t

/*
 * The data of one class with record type @raw.  Pass 2 defines the two functions.  They
 * and the class are unused if no event of the class is defined.
 */
#define STROBE_CLASS_DATA(name, raw, proto, args, tstruct, print_text)		\
	struct raw {								\
		struct trace_entry	ent;					\
		STROBE_MAP_MEMBER(tstruct)					\
		char			__data[];				\
	};									\
	static const struct strobe_field __maybe_unused __aligned(8)		\
	strobe_fields_##name[] = {						\
		STROBE_MAP_ENTRY(tstruct)					\
	};									\
	enum {									\
		strobe_has_sample_##name = COUNT_ARGS(args) != COUNT_ARGS(proto) \
	};									\
	static void strobe_probe_##name(void *__data, proto);			\
	STROBE_CLASS(name, name, print_text)

#define STROBE_CLASS(name, template, print_text)				\
	static void strobe_print_##name(struct strobe_print *__pr);		\
	static const struct trace_event_class __maybe_unused __aligned(8)	\
	strobe_class_##name = {							\
		.system		= STROBE_SYSTEM_NAME,				\
		.fields		= strobe_fields_##template,			\
		.print_fmt	= print_text,					\
		.probe		= strobe_probe_##template,			\
		.print		= strobe_print_##name,				\
		.nr_fields	= ARRAY_SIZE(strobe_fields_##template),		\
		.has_sample	= strobe_has_sample_##template,			\
	};

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)		\
	STROBE_CLASS_DATA(name, trace_event_raw_##name, PARAMS(proto), PARAMS(args), \
			  PARAMS(tstruct), PARAMS(print))

#undef DECLARE_TRACE
#undef DECLARE_TRACE_CONDITION
#define DECLARE_TRACE(name, proto, args)					\
	DEFINE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DECLARE_TRACE_CONDITION(name, proto, args, cond)			\
	DEFINE_TRACE(name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT
#undef DEFINE_EVENT_FN
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT(template, name, proto, args)				\
	extern char strobe_flags_##name[];					\
	DEFINE_TRACE_PROBE(name, strobe_probe_##template, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)		\
	extern char strobe_flags_##name[];					\
	DEFINE_TRACE_FN_PROBE(name, strobe_probe_##template, reg, unreg,	\
			      PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)			\
	STROBE_CLASS(print_##name, template, PARAMS(print))			\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))
