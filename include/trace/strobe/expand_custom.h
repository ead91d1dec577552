/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TRACE_CUSTOM_EVENT(): a module's own event on an existing tracepoint.
 *
 * <trace/define_custom_trace.h> includes this file if CONFIG_STROBE=y.  The passes
 * are those of expand.h, but do not define tracepoints.  All events are in the
 * system "custom".
 */
#ifdef CREATE_CUSTOM_TRACE_EVENTS

#undef CREATE_CUSTOM_TRACE_EVENTS

#include <linux/args.h>
#include <linux/stringify.h>
#include <linux/trace_events.h>

#ifdef TRACEPOINTS_ENABLED

#include <trace/strobe/reread.h>

#undef TRACE_SYSTEM
#define TRACE_SYSTEM custom

#define TRACE_CUSTOM_MULTI_READ

#include <trace/strobe/names.h>
#include <trace/strobe/fields.h>
#include <trace/strobe/data.h>

#undef DECLARE_CUSTOM_EVENT_CLASS
#define DECLARE_CUSTOM_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	STROBE_CLASS_DATA(custom_##name, trace_custom_event_raw_##name, PARAMS(proto), \
			  PARAMS(args), PARAMS(tstruct), PARAMS(print))

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#include <trace/strobe/names.h>
#include <trace/strobe/fields.h>
#include <trace/strobe/code.h>

#undef DECLARE_CUSTOM_EVENT_CLASS
#define DECLARE_CUSTOM_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	STROBE_PROBE(custom_##name, trace_custom_event_raw_##name, PARAMS(proto), \
		     PARAMS(args), PARAMS(tstruct), PARAMS(assign))		\
	STROBE_PRINT(custom_##name, trace_custom_event_raw_##name, PARAMS(print))

/*
 * The event is registered before its tracepoint is known, so it first gets a dummy
 * tracepoint of the same name, which never fires.  Its module finds the real one by
 * for_each_kernel_tracepoint(), with trace_custom_event_NAME_update().
 *
 * Barrier CUSTOM:A: if event_has_tracepoint() reads flags without TRACE_EVENT_FL_CUSTOM, the
 * caller also sees the tracepoint stored here.
 */
#undef DEFINE_CUSTOM_EVENT
#define DEFINE_CUSTOM_EVENT(template, event, proto, args)			\
	STROBE_CHECK_PROBE(custom_event_, event, custom_##template)		\
	static struct tracepoint strobe_custom_tp_##event = { .name = #event };	\
	STROBE_EVENT(custom_event_, event, strobe_class_custom_##template,	\
		     .tp = &strobe_custom_tp_##event,				\
		     .flags = TRACE_EVENT_FL_TRACEPOINT | TRACE_EVENT_FL_CUSTOM) \
	static inline int trace_custom_event_##event##_update(struct tracepoint *tp) \
	{									\
		if (!tp->name || strcmp(tp->name, #event))			\
			return 0;						\
		WRITE_ONCE(custom_event_##event.tp, tp);			\
		/* CUSTOM:A pairs with the acquire in event_has_tracepoint(). */	\
		smp_store_release(&custom_event_##event.flags, TRACE_EVENT_FL_TRACEPOINT); \
		return 1;							\
	}

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#include <trace/strobe/names.h>

#undef TRACE_CUSTOM_MULTI_READ

#include <trace/strobe/reread.h>

#endif /* TRACEPOINTS_ENABLED */

/* <linux/trace_events.h> defines these as empty again. */
#undef DECLARE_CUSTOM_EVENT_CLASS
#undef DEFINE_CUSTOM_EVENT
#undef TRACE_CUSTOM_EVENT

/* names.h has defined these. */
#include <trace/strobe/undefine.h>

#define CREATE_CUSTOM_TRACE_EVENTS

#endif /* CREATE_CUSTOM_TRACE_EVENTS */
