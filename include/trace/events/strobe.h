/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events to measure the cost of the tracing engine itself. They build with
 * either engine, so that both are measured with the same calls.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM strobe

#if !defined(_TRACE_STROBE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_STROBE_H

#include <linux/tracepoint.h>

/* Three scalars, like a typical event. */
TRACE_EVENT(strobe_bench_scalar,

	TP_PROTO(int number, long amount, const void *where),

	TP_ARGS(number, amount, where),

	TP_STRUCT__entry(
		__field(int, number)
		__field(long, amount)
		__field(const void *, where)
	),

	TP_fast_assign(
		__entry->number = number;
		__entry->amount = amount;
		__entry->where = where;
	),

	TP_printk("number=%d amount=%ld where=%p",
		  __entry->number, __entry->amount, __entry->where)
);

/* A string of any length: the size of the record is known only when it fires. */
TRACE_EVENT(strobe_bench_string,

	TP_PROTO(int number, const char *text),

	TP_ARGS(number, text),

	TP_STRUCT__entry(
		__field(int, number)
		__string(text, text)
	),

	TP_fast_assign(
		__entry->number = number;
		__assign_str(text);
	),

	TP_printk("number=%d text=%s", __entry->number, __get_str(text))
);

#endif /* _TRACE_STROBE_H */

#include <trace/define_trace.h>
