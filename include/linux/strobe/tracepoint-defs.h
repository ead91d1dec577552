/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_STROBE_TRACEPOINT_DEFS_H
#define _LINUX_STROBE_TRACEPOINT_DEFS_H

/*
 * The structures of a tracepoint. Included by <linux/tracepoint-defs.h>, which
 * low-level headers include to test a tracepoint's key, so this must not include
 * other headers.
 */

struct static_call_key;

/**
 * struct tracepoint_func - a probe and its data
 * @func: the probe, or NULL if it was removed without memory for a new array; the
 *	  only member that changes once readers can see the entry
 * @data: first argument of @func
 * @prio: probes are called in descending order of it, equals in order of registration
 */
struct tracepoint_func {
	void *func;
	void *data;
	int prio;
};

/**
 * struct tracepoint_ext - callbacks, which few tracepoints have
 * @regfunc: called before the first probe is connected; an error fails that
 * @unregfunc: called after the last probe was disconnected
 */
struct tracepoint_ext {
	int (*regfunc)(void);
	void (*unregfunc)(void);
};

/**
 * struct tracepoint - a named place in the code where probes can be called
 * @name: as given to DECLARE_TRACE() or TRACE_EVENT()
 * @key: on while there are probes; call sites test only this
 * @probes: tagged pointer to the array of probes; 0 while there are none.
 *	    Written under tracepoints_mutex, read with preemption disabled.
 * @static_call_key: static call that calls a lone probe directly; NULL for a
 *		     tracepoint made at run time, whose owner calls the probes
 * @static_call_tramp: trampoline of @static_call_key
 * @ext: NULL, or callbacks of this tracepoint
 * @probestub: an empty probe of this tracepoint only, which fprobe events hook
 */
struct tracepoint {
	const char *name;
	struct static_key key;
	unsigned long probes;
#ifdef CONFIG_HAVE_STATIC_CALL
	struct static_call_key *static_call_key;
	void *static_call_tramp;
#endif
	const struct tracepoint_ext *ext;
#ifdef CONFIG_FPROBE_EVENTS
	void *probestub;
#endif
};

#endif /* _LINUX_STROBE_TRACEPOINT_DEFS_H */
