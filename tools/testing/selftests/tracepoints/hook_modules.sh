#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Modules that hook functions work with either tracing engine: live patching, fprobes, direct
# calls and callbacks.

. "$(dirname "$0")/lib.sh"

[ -e set_ftrace_filter ] || skip_all "no function hooks"

said() { dmesg | grep -c "$1"; }

# with_module MODULE PARAMETERS COMMAND...: run the command while it is loaded; unload it
with_module() {
	with_name=$1 with_params=$2
	shift 2
	# shellcheck disable=SC2086 # words
	modprobe "$with_name" $with_params || return
	"$@"
	with_status=$?
	rmmod "$with_name" && [ $with_status = 0 ]
}

patched() { grep -q 'this has been live patched' /proc/cmdline; }

livepatch() {
	modprobe livepatch-sample || return
	wait_for patched || return
	grep -q '^cmdline_proc_show ' enabled_functions || return
	# ftrace cannot be switched off while live patching uses it.
	fails sh -c 'echo 0 >/proc/sys/kernel/ftrace_enabled' || return
	fails rmmod livepatch_sample || return
	echo 0 >/sys/kernel/livepatch/livepatch_sample/enabled || return
	wait_for rmmod livepatch_sample || return
	fails patched
}

# The module logs each entry of the function and each return from it.
fprobe() {
	before=$(said 'Enter <kernel_clone+')
	with_module fprobe_example 'symbol=kernel_clone' /bin/true || return
	[ "$(said 'Enter <kernel_clone+')" -gt "$before" ] &&
		[ "$(said 'Return from <kernel_clone+')" -gt 0 ]
}

direct() {
	reset
	with_module "$1" "" sleep 0.2 || return
	grep -q "$2" trace
}

# The module warns if a callback was not called for each call of its functions.
ops() {
	modprobe ftrace-ops nr_function_calls=1000 persist=1 check_count=1 || return
	rmmod ftrace_ops
}

# A module's functions are listed while it is loaded. A filter for a module that is not
# loaded yet is stored until it is.
module_functions() {
	echo '*:mod:trace_events_sample' >set_ftrace_filter || return
	grep -q ':mod:trace_events_sample' set_ftrace_filter || return
	modprobe trace-events-sample || return
	grep -q '\[trace_events_sample\]' set_ftrace_filter &&
		grep -q '\[trace_events_sample\]' available_filter_functions
	listed=$?
	rmmod trace-events-sample
	[ $listed = 0 ] || return
	fails grep -q '\[trace_events_sample\]' available_filter_functions || return
	fails grep -q '\[trace_events_sample\]' set_ftrace_filter || return
	echo >set_ftrace_filter
}

check_module livepatch-sample "a live patch" livepatch
check_module fprobe_example "an fprobe" fprobe
check_module ftrace-direct "a direct call" direct ftrace-direct 'waking up'
check_module ftrace-direct-modify "a direct call that is modified" direct ftrace-direct-modify \
	'my direct func'
check_module ftrace-direct-multi "a direct call of two functions" direct ftrace-direct-multi \
	'ip [0-9a-f][0-9a-f]*$'
check_module ftrace-ops "callbacks" ops
check_module trace-events-sample "functions of a module" module_functions
check "the kernel did not complain" untainted
ktap_set_plan 8
ktap_finished
