/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two events of each system call.  <linux/syscalls.h> and
 * <trace/syscall.h> include this when CONFIG_STROBE=y.
 */
#ifndef _LINUX_STROBE_SYSCALL_H
#define _LINUX_STROBE_SYSCALL_H

#include <linux/stddef.h>
#include <linux/strobe/event.h>

/**
 * struct syscall_metadata - one system call and its events
 * @enter:	sys_enter_NAME, of event_class_syscall_enter
 * @exit:	sys_exit_NAME, of event_class_syscall_exit
 * @args:	"type\0name\0" for each argument
 * @nr:		its number, -1 until the class's init() has found it
 * @nr_args:	number of arguments
 *
 * The name of the function, sys_NAME, is not stored: see syscall_suffix().
 */
struct syscall_metadata {
	struct trace_event_call	enter;
	struct trace_event_call	exit;
	const char		*args;
	s16			nr;
	u8			nr_args;
};

#ifdef CONFIG_FTRACE_SYSCALLS

extern const struct trace_event_class event_class_syscall_enter;
extern const struct trace_event_class event_class_syscall_exit;

static inline int is_syscall_trace_event(struct trace_event_call *call)
{
	return call->class == &event_class_syscall_enter ||
	       call->class == &event_class_syscall_exit;
}

/* The system call that an event of one of the two classes belongs to. */
static inline struct syscall_metadata *syscall_of_enter(const struct trace_event_call *call)
{
	return container_of_const((struct trace_event_call *)call, struct syscall_metadata, enter);
}

static inline struct syscall_metadata *syscall_of_exit(const struct trace_event_call *call)
{
	return container_of_const((struct trace_event_call *)call, struct syscall_metadata, exit);
}

/* "_openat" of sys_openat() */
static inline const char *syscall_suffix(const struct syscall_metadata *meta)
{
	return meta->exit.name + sizeof("sys_exit") - 1;
}

#define __STROBE_SC_ARGS0(...)
#define __STROBE_SC_ARGS1(t, a, ...)	#t "\0" #a "\0"
#define __STROBE_SC_ARGS2(t, a, ...)	#t "\0" #a "\0" __STROBE_SC_ARGS1(__VA_ARGS__)
#define __STROBE_SC_ARGS3(t, a, ...)	#t "\0" #a "\0" __STROBE_SC_ARGS2(__VA_ARGS__)
#define __STROBE_SC_ARGS4(t, a, ...)	#t "\0" #a "\0" __STROBE_SC_ARGS3(__VA_ARGS__)
#define __STROBE_SC_ARGS5(t, a, ...)	#t "\0" #a "\0" __STROBE_SC_ARGS4(__VA_ARGS__)
#define __STROBE_SC_ARGS6(t, a, ...)	#t "\0" #a "\0" __STROBE_SC_ARGS5(__VA_ARGS__)

/*
 * The sections hold pointers, and are freed after boot.  The leading "" in .args
 * is for system calls without arguments.
 */
#define SYSCALL_METADATA(sname, nb, ...)					\
	static struct syscall_metadata __used __aligned(8) __syscall_meta_##sname = { \
		.enter	= {							\
			.class	= &event_class_syscall_enter,			\
			.name	= "sys_enter" #sname,				\
			.flags	= TRACE_EVENT_FL_CAP_ANY,			\
		},								\
		.exit	= {							\
			.class	= &event_class_syscall_exit,			\
			.name	= "sys_exit" #sname,				\
			.flags	= TRACE_EVENT_FL_CAP_ANY,			\
		},								\
		.args	 = "" __STROBE_SC_ARGS##nb(__VA_ARGS__),		\
		.nr	 = -1,							\
		.nr_args = nb,							\
	};									\
	static struct trace_event_call __used __section("_ftrace_events")	\
		*__event_enter_##sname = &__syscall_meta_##sname.enter;		\
	static struct trace_event_call __used __section("_ftrace_events")	\
		*__event_exit_##sname = &__syscall_meta_##sname.exit;		\
	static struct syscall_metadata __used __section("__syscalls_metadata")	\
		*__p_syscall_meta_##sname = &__syscall_meta_##sname;

#else /* !CONFIG_FTRACE_SYSCALLS */

#define SYSCALL_METADATA(sname, nb, ...)

static inline int is_syscall_trace_event(struct trace_event_call *call)
{
	return 0;
}

#endif /* CONFIG_FTRACE_SYSCALLS */

#endif /* _LINUX_STROBE_SYSCALL_H */
