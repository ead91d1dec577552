#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Triggers on the kernel's command line: set from boot on, with count and filter;
# errors are logged, and do not affect other triggers. ftrace_dump_on_oops without a value.
# Needs a boot with:
# append: "trace_trigger=sched_switch.x,sched_waking.traceon,task_rename.stacktrace:2 if
# append: pid > 1,sys_exit_close.stacktrace:3" ftrace_dump_on_oops

. "$(dirname "$0")/lib.sh"

grep -q trace_trigger= /proc/cmdline ||
	skip_all "not booted with trace_trigger="

ktap_set_plan 5

is() { [ "$(cat "$1")" = "$2" ] || { echo "$1: $(cat "$1")"; false; }; }

# Those of system calls fire with Strobe only.
stacks() {
	n=$(grep -c '<stack trace>' trace)
	if is_strobe; then want=5; else want=2; fi
	[ "$n" = $want ] || { echo "$n stacks"; false; }
}

told() {
	dmesg | grep -q "Failed to register trigger 'x' on event sched_switch" &&
		grep -q '^# Available' events/sched/sched_switch/trigger
}

check "a trigger with count and filter" is events/task/task_rename/trigger \
	"stacktrace:count=0 if pid > 1"
check "run before there was a shell" stacks
check "the one behind one that is wrong" is events/sched/sched_waking/trigger \
	traceon:unlimited
check "what is wrong is told" told
check "ftrace_dump_on_oops without a value dumps all CPUs" is \
	/proc/sys/kernel/ftrace_dump_on_oops 1
ktap_finished
