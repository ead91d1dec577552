#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The stack tracer from boot on, of all functions. Needs a boot with:
# config: CONFIG_STACK_TRACER
# append: stacktrace

. "$(dirname "$0")/lib.sh"

[ -e stack_trace ] || skip_all "no stack tracer"
on_cmdline stacktrace || skip_all "not booted with stacktrace"

all_hooked() {
	[ "$(cat /proc/sys/kernel/stack_tracer_enabled)" = 1 ] &&
		[ "$(cat stack_trace_filter)" = '#### all functions enabled ####' ] || return
	all=$(grep -c . available_filter_functions)
	hooked=$(grep -c . enabled_functions)
	[ "$hooked" -gt 1000 ] && [ "$hooked" = "$all" ] || { echo "$hooked of $all"; false; }
}

# The kernel called functions before the first process, so there is a maximum.
stack_is_shown() {
	[ "$(cat stack_max_size)" -gt 100 ] &&
		[ "$(grep -c '^ *[0-9]*) ' stack_trace)" -gt 3 ]
}

switched_off() {
	echo 0 >/proc/sys/kernel/stack_tracer_enabled && [ -z "$(cat enabled_functions)" ]
}

switched_on() {
	echo 0 >stack_max_size && echo 1 >/proc/sys/kernel/stack_tracer_enabled && all_hooked &&
		stack_is_shown && switched_off
}

check "all functions are hooked" all_hooked
check "the largest stack is shown" stack_is_shown
check "the stack tracer is switched off" switched_off
check "and on again" switched_on
check "the kernel did not complain" no_complaints_since_boot
ktap_set_plan 5
ktap_finished
