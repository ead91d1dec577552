/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_STROBE_TRACEPOINT_DEFS_H
#define _LINUX_STROBE_TRACEPOINT_DEFS_H

/*
 * What a tracepoint is made of. Reached through <linux/tracepoint-defs.h>,
 * which low-level headers include to test a tracepoint's key; so nothing
 * else is included from here.
 */

struct static_call_key;

/**
 * struct tracepoint_func - a probe and the cookie that goes with it
 * @func: the probe, or NULL where a removed one could not be compacted away;
 *	  the only member that changes once readers can see the entry
 * @data: first argument of @func
 * @prio: entries stand in descending order of it; equals in order of arrival
 */
struct tracepoint_func {
	void *func;
	void *data;
	int prio;
};

/**
 * struct tracepoint_ext - what few tracepoints have
 * @regfunc: called before the first probe can run; an error refuses the probe
 * @unregfunc: called after the last probe was taken off
 */
struct tracepoint_ext {
	int (*regfunc)(void);
	void (*unregfunc)(void);
};

/**
 * struct tracepoint - a named place in the code where probes can be called
 * @name: as given to DECLARE_TRACE() or TRACE_EVENT()
 * @key: on while there are probes; call sites test nothing else
 * @probes: tagged pointer to the array of probes; 0 while there are none.
 *	    Written under tracepoints_mutex, read with preemption disabled.
 * @static_call_key: call that reaches a lone probe directly; NULL for a
 *		     tracepoint made at run time, whose owner calls the probes
 * @static_call_tramp: trampoline of @static_call_key
 * @ext: NULL, or callbacks of this tracepoint
 * @probestub: a probe that does nothing, at an address of this tracepoint's
 *	       own, for fprobe events to hook
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
