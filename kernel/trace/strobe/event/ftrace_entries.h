/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine's own records, system "ftrace": their ids and their layouts.
 *
 * Ids and layouts are ABI. kernel/trace/trace_entries.h defines the layouts for
 * both engines.
 */
#ifndef _STROBE_EVENT_FTRACE_ENTRIES_H
#define _STROBE_EVENT_FTRACE_ENTRIES_H

#include <linux/build_bug.h>
#include <linux/ftrace.h>
#include <linux/mmiotrace.h>
#include <linux/time64.h>
#include <linux/types.h>

#include <linux/strobe/event.h>

enum trace_type {
	TRACE_FN		= 1,
	TRACE_CTX		= 2,
	TRACE_WAKE		= 3,
	TRACE_STACK		= 4,
	TRACE_PRINT		= 5,
	TRACE_BPRINT		= 6,
	TRACE_MMIO_RW		= 7,
	TRACE_MMIO_MAP		= 8,
	TRACE_BRANCH		= 9,
	TRACE_GRAPH_RET		= 10,
	TRACE_GRAPH_ENT		= 11,
	TRACE_USER_STACK	= 12,
	TRACE_BLK		= 13,
	TRACE_BPUTS		= 14,
	TRACE_HWLAT		= 15,
	TRACE_OSNOISE		= 16,
	TRACE_TIMERLAT		= 17,
	TRACE_RAW_DATA		= 18,
	TRACE_FUNC_REPEATS	= 19,

	EVENT_TYPE_FIRST,	/* the first id that is assigned at run time */
};

static_assert(EVENT_TYPE_FIRST == 20);

/* Expand each entry to a struct; output/ftrace_entries.c expands the same list to field tables. */
#undef F_STRUCT
#undef FTRACE_ENTRY
#undef FTRACE_ENTRY_DUP
#undef FTRACE_ENTRY_PACKED
#undef FTRACE_ENTRY_REG
#undef __array
#undef __dynamic_array
#undef __field
#undef __field_desc
#undef __field_desc_packed
#undef __field_fn
#undef __field_packed
#undef __field_struct
#undef __stack_array
#define F_STRUCT(members...) members
#define FTRACE_ENTRY(event, layout, id, members, print)			\
	struct layout {							\
		struct trace_entry ent;					\
		members							\
	}
#define FTRACE_ENTRY_PACKED(event, layout, id, members, print)		\
	FTRACE_ENTRY(event, layout, id, PARAMS(members), PARAMS(print)) __packed
#define FTRACE_ENTRY_REG(event, layout, id, members, print, reg)	\
	FTRACE_ENTRY(event, layout, id, PARAMS(members), PARAMS(print))
#define FTRACE_ENTRY_DUP(event, layout, id, members, print)
#define __array(type, item, len) type item[len];
#define __dynamic_array(type, item) type item[];
#define __field(type, item) type item;
#define __field_desc(type, container, item)
#define __field_desc_packed(type, container, item)
#define __field_fn(type, item) type item;
#define __field_packed(type, item) type item;
#define __field_struct(type, item) type item;
#define __stack_array(type, item, len, count) type item[];

#include "../../trace_entries.h"

static_assert(sizeof(struct userstack_entry) == 16 + 8 * sizeof(long));

#endif /* _STROBE_EVENT_FTRACE_ENTRIES_H */
