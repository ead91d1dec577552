/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of a tracing instance: one bit each, one name each.
 *
 * The names are ABI: they are the files of options/ and the words of
 * trace_options. The bit numbers are not; they only have to stay below 32.
 *
 * STROBE_OPTION_LIST has the options that the engine implements. An option whose
 * feature does not exist is not in the list, so that setting it fails with
 * -EINVAL like a misspelt name, instead of being accepted and ignored.
 */
#ifndef _STROBE_RECORD_OPTIONS_H
#define _STROBE_RECORD_OPTIONS_H

#include <linux/bits.h>

/* X(identifier, name in tracefs), in the order of trace_options */
#ifdef CONFIG_STACKTRACE
#define STROBE_OPTION_LIST_STACK(X)					\
	X(STACKTRACE,		"stacktrace")
#else
#define STROBE_OPTION_LIST_STACK(X)
#endif

#ifdef CONFIG_USER_STACKTRACE_SUPPORT
#define STROBE_OPTION_LIST_USERSTACK(X)					\
	X(USERSTACKTRACE,	"userstacktrace")			\
	X(SYM_USEROBJ,		"sym-userobj")
#else
#define STROBE_OPTION_LIST_USERSTACK(X)
#endif

#ifdef CONFIG_FUNCTION_TRACER
#define STROBE_OPTION_LIST_FUNCTION(X)					\
	X(FUNCTION_FORK,	"function-fork")
#else
#define STROBE_OPTION_LIST_FUNCTION(X)
#endif

#define STROBE_OPTION_LIST(X)						\
	X(PRINT_PARENT,		"print-parent")				\
	X(SYM_OFFSET,		"sym-offset")				\
	X(SYM_ADDR,		"sym-addr")				\
	X(VERBOSE,		"verbose")				\
	X(RAW,			"raw")					\
	X(HEX,			"hex")					\
	X(BIN,			"bin")					\
	X(BLOCK,		"block")				\
	X(FIELDS,		"fields")				\
	X(PRINTK,		"trace_printk")				\
	X(ANNOTATE,		"annotate")				\
	STROBE_OPTION_LIST_USERSTACK(X)					\
	X(PRINTK_MSGONLY,	"printk-msg-only")			\
	X(CONTEXT_INFO,		"context-info")				\
	X(LATENCY_FMT,		"latency-format")			\
	X(RECORD_CMD,		"record-cmd")				\
	X(RECORD_TGID,		"record-tgid")				\
	X(OVERWRITE,		"overwrite")				\
	X(STOP_ON_FREE,		"disable_on_free")			\
	X(IRQ_INFO,		"irq-info")				\
	X(MARKERS,		"markers")				\
	X(EVENT_FORK,		"event-fork")				\
	X(TRACE_PRINTK_DEST,	"trace_printk_dest")			\
	X(PAUSE_ON_TRACE,	"pause-on-trace")			\
	X(HASH_PTR,		"hash-ptr")				\
	STROBE_OPTION_LIST_FUNCTION(X)					\
	STROBE_OPTION_LIST_STACK(X)

#define STROBE_OPTION_BIT(id, name)	STROBE_OPT_##id##_BIT,
enum strobe_option_bit {
	STROBE_OPTION_LIST(STROBE_OPTION_BIT)
	STROBE_NR_OPTIONS
};

#undef STROBE_OPTION_BIT

#define STROBE_OPTION_MASK(id, name)					\
	STROBE_OPT_##id = BIT(STROBE_OPT_##id##_BIT),
enum strobe_option_mask {
	STROBE_OPTION_LIST(STROBE_OPTION_MASK)
};

#undef STROBE_OPTION_MASK

static_assert(STROBE_NR_OPTIONS <= 32);

/* Options that this configuration lacks are never set. */
#ifndef CONFIG_STACKTRACE
#define STROBE_OPT_STACKTRACE		0U
#endif
#ifndef CONFIG_USER_STACKTRACE_SUPPORT
#define STROBE_OPT_USERSTACKTRACE	0U
#define STROBE_OPT_SYM_USEROBJ		0U
#endif
#ifndef CONFIG_FUNCTION_TRACER
#define STROBE_OPT_FUNCTION_FORK	0U
#endif

#define STROBE_OPTIONS_DEFAULT						\
	(STROBE_OPT_PRINT_PARENT | STROBE_OPT_PRINTK |			\
	 STROBE_OPT_ANNOTATE | STROBE_OPT_CONTEXT_INFO |		\
	 STROBE_OPT_RECORD_CMD | STROBE_OPT_OVERWRITE |			\
	 STROBE_OPT_IRQ_INFO | STROBE_OPT_MARKERS |			\
	 STROBE_OPT_HASH_PTR | STROBE_OPT_TRACE_PRINTK_DEST)

/* Bits that a new instance does not inherit from the top instance. */
#define STROBE_OPTIONS_NOT_INHERITED					\
	(STROBE_OPT_TRACE_PRINTK_DEST | STROBE_OPT_EVENT_FORK |		\
	 STROBE_OPT_FUNCTION_FORK)

/* Options that only the top instance has. */
#define STROBE_OPTIONS_TOP_ONLY						\
	(STROBE_OPT_PRINTK | STROBE_OPT_PRINTK_MSGONLY |		\
	 STROBE_OPT_RECORD_CMD)

#endif /* _STROBE_RECORD_OPTIONS_H */
