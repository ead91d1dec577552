/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace events to use as a template.
 *
 * TRACE_SYSTEM is the directory of these events in tracefs' events/. Do not
 * confuse the two guards: code that fires the events includes this file once;
 * <trace/define_trace.h>, which creates them, includes it several times and
 * defines TRACE_HEADER_MULTI_READ.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tp_events

#if !defined(_TP_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TP_EVENTS_H

#include <linux/tracepoint.h>

/*
 * Types and helpers for the events need their own guard, as the rest of the file
 * is included more than once.
 */
#ifndef _TP_EVENTS_TYPES_H
#define _TP_EVENTS_TYPES_H

enum tp_events_colour {
	TP_EVENTS_RED,
	TP_EVENTS_GREEN,
	TP_EVENTS_BLUE,
};

#define TP_EVENTS_FIRST		0x01	/* first write */
#define TP_EVENTS_LARGE		0x02
#define TP_EVENTS_LATE		0x10

#endif /* _TP_EVENTS_TYPES_H */

/*
 * One event. In this order:
 *
 * TP_PROTO, TP_ARGS	the parameters of trace_tp_events_text(), with and
 *			without their types
 * TP_STRUCT__entry	the fields of the record. They appear in the event's
 *			`format` file, and can be used in filters.
 * TP_fast_assign	fills the record, __entry, when the event fires. Only this
 *			part can use the parameters. It is time-critical.
 * TP_printk		formats the record when it is read, perhaps much later: it
 *			may use only data in the record.
 *
 * Fields: __field is a scalar. __array has a fixed size. __string is a copy of
 * a string and takes only as much space as that; assign it with __assign_str()
 * and print it with __get_str(), with its name unquoted.
 */
TRACE_EVENT(tp_events_text,

	TP_PROTO(const char *text, unsigned int writes),

	TP_ARGS(text, writes),

	TP_STRUCT__entry(
		__field(unsigned int, writes)
		__array(char, comm, TASK_COMM_LEN)
		__string(text, text)
	),

	TP_fast_assign(
		__entry->writes = writes;
		memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
		__assign_str(text);
	),

	TP_printk("text=\"%s\" writes=%u writer=%s",
		  __get_str(text), __entry->writes, __entry->comm)
);

/*
 * Numbers with names. __print_symbolic() prints the name of a value,
 * __print_flags() the names of all bits that are set. Tools that print records
 * themselves get the names from `format`, but they do not know the values of C
 * enumerators: TRACE_DEFINE_ENUM() makes `format` show these as numbers.
 */
TRACE_DEFINE_ENUM(TP_EVENTS_RED);
TRACE_DEFINE_ENUM(TP_EVENTS_GREEN);
TRACE_DEFINE_ENUM(TP_EVENTS_BLUE);

TRACE_EVENT(tp_events_names,

	TP_PROTO(enum tp_events_colour colour, unsigned long flags),

	TP_ARGS(colour, flags),

	TP_STRUCT__entry(
		__field(int, colour)
		__field(unsigned long, flags)
	),

	TP_fast_assign(
		__entry->colour = colour;
		__entry->flags = flags;
	),

	TP_printk("colour=%s flags=%s",
		  __print_symbolic(__entry->colour,
				   { TP_EVENTS_RED, "red" },
				   { TP_EVENTS_GREEN, "green" },
				   { TP_EVENTS_BLUE, "blue" }),
		  __print_flags(__entry->flags, "|",
				{ TP_EVENTS_FIRST, "first" },
				{ TP_EVENTS_LARGE, "large" },
				{ TP_EVENTS_LATE, "late" }))
);

/*
 * An array whose length is known only when the event fires. The expression for
 * the length is evaluated before TP_fast_assign and can use the parameters.
 */
TRACE_EVENT(tp_events_bytes,

	TP_PROTO(const char *buf, size_t len),

	TP_ARGS(buf, len),

	TP_STRUCT__entry(
		__field(size_t, len)
		__dynamic_array(u8, bytes, len)
	),

	TP_fast_assign(
		__entry->len = len;
		memcpy(__get_dynamic_array(bytes), buf, len);
	),

	TP_printk("len=%zu bytes=%s", __entry->len,
		  __print_hex(__get_dynamic_array(bytes), __get_dynamic_array_len(bytes)))
);

/*
 * Events with the same parameters, fields and text share a class, which has most
 * of the code and data: another DEFINE_EVENT() is cheap, another TRACE_EVENT() is
 * not. A class alone defines no event.
 */
DECLARE_EVENT_CLASS(tp_events_work,

	TP_PROTO(unsigned int id),

	TP_ARGS(id),

	TP_STRUCT__entry(
		__field(unsigned int, id)
	),

	TP_fast_assign(
		__entry->id = id;
	),

	TP_printk("id=%u", __entry->id)
);

DEFINE_EVENT(tp_events_work, tp_events_work_begin,
	TP_PROTO(unsigned int id),
	TP_ARGS(id));

DEFINE_EVENT(tp_events_work, tp_events_work_end,
	TP_PROTO(unsigned int id),
	TP_ARGS(id));

/* The same record with another text */
DEFINE_EVENT_PRINT(tp_events_work, tp_events_work_lost,
	TP_PROTO(unsigned int id),
	TP_ARGS(id),
	TP_printk("id=%u was lost", __entry->id));

/*
 * An event that fires only under a condition. This is not a filter set by users,
 * but part of the event's definition. It is evaluated only while the tracepoint
 * has a probe.
 */
TRACE_EVENT_CONDITION(tp_events_third,

	TP_PROTO(unsigned int writes),

	TP_ARGS(writes),

	TP_CONDITION(writes % 3 == 0),

	TP_STRUCT__entry(
		__field(unsigned int, writes)
	),

	TP_fast_assign(
		__entry->writes = writes;
	),

	TP_printk("writes=%u", __entry->writes)
);

/*
 * Up to twelve parameters, of any type that fits into a register: a BPF program on the
 * tracepoint gets all of them, even those that the event does not record.
 */
TRACE_EVENT(tp_events_many,

	TP_PROTO(u8 a, s8 b, u16 c, s16 d, u32 e, s32 f, u64 g, s64 h, const char *text,
		 bool first, enum tp_events_colour colour, unsigned int writes),

	TP_ARGS(a, b, c, d, e, f, g, h, text, first, colour, writes),

	TP_STRUCT__entry(
		__field(s64, sum)
		__field(bool, first)
		__field(unsigned int, writes)
	),

	TP_fast_assign(
		__entry->sum = a + b + c + d + e + f + g + h;
		__entry->first = first;
		__entry->writes = writes;
	),

	TP_printk("sum=%lld first=%d writes=%u", __entry->sum, __entry->first,
		  __entry->writes)
);

#endif /* _TP_EVENTS_H */

/*
 * Outside the guard: where <trace/define_trace.h> finds this file again. Headers
 * in include/trace/events/ with the name TRACE_SYSTEM.h do not need the first four
 * lines.
 */
#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE tp-events
#include <trace/define_trace.h>
