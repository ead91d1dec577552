/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The expansion of an event header: from TRACE_EVENT() to objects.
 *
 * <trace/define_trace.h> includes this file if CONFIG_STROBE=y.  The last line of an
 * event header includes that, and in the one C file that has defined
 * CREATE_TRACE_POINTS it includes the header twice more:
 *
 *	names.h	the neutral form of every macro that a header may use
 *	fields.h the fields of a record as a sequence that passes can map over
 *	data.h	pass 1: tracepoints, enum values, and for each class the struct of
 *		its record, the field table, the print format: const, in rodata
 *	code.h	pass 2: for each class one probe, one print function and one shim for
 *		raw tracepoints, for each event its struct trace_event_call, for each
 *		tracepoint the entry by which BPF finds it
 *
 * A pass redefines only the macros that it expands.  expand_custom.h has the passes
 * for TRACE_CUSTOM_EVENT().
 *
 * A header may define these before it includes <trace/define_trace.h>:
 *	TRACE_SYSTEM		subsystem of the events; always
 *	TRACE_SYSTEM_VAR	the same as a C identifier, if it is not one
 *	TRACE_INCLUDE_FILE	name of the header without .h, if not TRACE_SYSTEM
 *	TRACE_INCLUDE_PATH	its directory, if not <trace/events/>
 */
#ifdef CREATE_TRACE_POINTS

/* The header includes this again in each pass. */
#undef CREATE_TRACE_POINTS

#include <linux/args.h>
#include <linux/init.h>
#include <linux/stringify.h>
#include <linux/trace_events.h>

#ifdef TRACEPOINTS_ENABLED

#include <trace/strobe/reread.h>

#define TRACE_HEADER_MULTI_READ

#include <trace/strobe/names.h>
#include <trace/strobe/fields.h>
#include <trace/strobe/data.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#include <trace/strobe/names.h>
#include <trace/strobe/fields.h>
#include <trace/strobe/code.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#include <trace/strobe/names.h>

#undef TRACE_HEADER_MULTI_READ

#include <trace/strobe/reread.h>

#endif /* TRACEPOINTS_ENABLED */

#include <trace/strobe/undefine.h>

#define CREATE_TRACE_POINTS

#endif /* CREATE_TRACE_POINTS */
