#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Functions that the kernel's command line names: those that may be hooked, and the stack
# tracer from boot on. Needs a boot with:
# config: CONFIG_FUNCTION_TRACER
# append: ftrace_filter=vfs_*,kernel_clone,no_such_function ftrace_notrace=vfs_read
# append: ftrace_graph_filter=dput,path_put ftrace_graph_notrace=mntput
# append: stacktrace_filter=vfs_write ftrace_graph_max_depth=3 ftrace_graph_max_depth=deep

. "$(dirname "$0")/lib.sh"

[ -e set_ftrace_filter ] || skip_all "no function hooks"
on_cmdline ftrace_notrace=vfs_read || skip_all "not booted with ftrace_notrace="

# is FILE WORDS: these lines, in any order
is() {
	is_lines=$(sort "$1" | tr '\n' ' ')
	[ "$is_lines" = "$2 " ] || { echo "$1: $is_lines"; false; }
}

filtered() {
	grep -qx kernel_clone set_ftrace_filter && grep -qx vfs_write set_ftrace_filter &&
		grep -qx vfs_read set_ftrace_filter &&
		fails grep -v '^vfs_\|^kernel_clone$' set_ftrace_filter
}

stack_tracer() {
	[ "$(cat /proc/sys/kernel/stack_tracer_enabled)" = 1 ] && is stack_trace_filter vfs_write &&
		grep -q '^vfs_write ' enabled_functions &&
		[ "$(grep -c . enabled_functions)" = 1 ] &&
		[ "$(cat stack_max_size)" -gt 0 ] && grep -q vfs_write stack_trace
}

# The kernel reports values that no function takes. Only tracers have a file with the value.
depth_taken() {
	dmesg | grep 'Unknown kernel command line parameters' >/tmp/unknown
	cat /tmp/unknown
	grep -q 'ftrace_graph_max_depth=deep' /tmp/unknown &&
		fails grep -q 'ftrace_graph_max_depth=3' /tmp/unknown || return
	[ ! -e max_graph_depth ] || [ "$(cat max_graph_depth)" = 3 ]
}

switched_off() {
	echo 0 >/proc/sys/kernel/stack_tracer_enabled && [ -z "$(cat enabled_functions)" ]
}

check "ftrace_filter=" filtered
check "ftrace_notrace=" is set_ftrace_notrace vfs_read
check "ftrace_graph_filter=" is set_graph_function "dput path_put"
check "ftrace_graph_notrace=" is set_graph_notrace mntput
check "ftrace_graph_max_depth=" depth_taken
check "stacktrace_filter=" stack_tracer
check "the stack tracer is switched off" switched_off
check "each file is made once" fails sh -c "dmesg | grep 'strobe: no file'"
check "the kernel did not complain" untainted
ktap_set_plan 9
ktap_finished
