#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Instances from the kernel's command line. Needs a boot with:
# append: trace_instance=boot,sched:sched_process_fork,initcall,sys_enter_close
# append: trace_instance=flags^traceoff^traceprintk^nonsense trace_instance=snap,initcall
# append: trace_instance=calls,sys_enter_openat,sys_exit_openat
# append: ftrace_boot_snapshot=snap ftrace_dump_on_oops,boot,snap=orig_cpu

. "$(dirname "$0")/lib.sh"

on_cmdline ftrace_boot_snapshot=snap || skip_all "not booted with ftrace_boot_snapshot=snap"

is() { [ "$(cat "$1")" = "$2" ] || { echo "$1: $(cat "$1")"; false; }; }

events_on() {
	is instances/boot/events/sched/sched_process_fork/enable 1 &&
		is instances/boot/events/initcall/enable 1 &&
		is instances/boot/events/syscalls/sys_enter_close/enable 1 &&
		is instances/boot/events/sched/sched_switch/enable 0 &&
		is events/initcall/enable 0
}

early_recorded() {
	grep -q 'initcall_level: level=early' instances/boot/trace &&
		[ "$(grep -c 'sched_process_fork: ' instances/boot/trace)" -gt 10 ] &&
		[ "$(grep -c 'sys_close(' instances/boot/trace)" -gt 10 ]
}

# Several events of system calls, in several instances.
calls_recorded() {
	[ "$(grep -c 'sys_openat(' instances/calls/trace)" -gt 10 ] &&
		[ "$(grep -c 'sys_openat -> ' instances/calls/trace)" -gt 10 ]
}

nothing_elsewhere() {
	! grep -q initcall trace && ! grep -q initcall instances/flags/trace
}

flags_obeyed() {
	is instances/flags/tracing_on 0 &&
		is instances/flags/options/trace_printk_dest 1 &&
		is options/trace_printk_dest 0 &&
		dmesg | grep -q "Tracing: Invalid instance flag 'nonsense' for flags"
}

# A mapped ring keeps its size, so that it cannot grow for its first events. It does so for the
# next ones, when the mapping is gone; with classic, not at all.
mapped_first() {
	enable=events/sched/sched_process_fork/enable
	grep -q expanded buffer_size_kb || { echo "it is in use"; return 1; }
	# The first attempt fails with classic.
	"$test_dir/map_raw" per_cpu/cpu0/trace_pipe_raw \
		"echo 1 >$enable || { sleep 0.1; echo 1 >$enable; }" || return
	is $enable 1 && ls >/dev/null && echo 0 >$enable && grep -q 'sched_process_fork: ' trace &&
		echo 1 >$enable && echo 0 >$enable || return
	mapped_size=$(cat buffer_size_kb)
	! is_strobe || [ "$mapped_size" -gt 1000 ] || { echo "it has $mapped_size KB"; return 1; }
}

snapshot_taken() {
	grep -q 'initcall_start: func=' instances/snap/snapshot &&
		grep -q '\*\* Boot snapshot taken \*\*' instances/snap/trace &&
		grep -q 'Snapshot is freed' instances/boot/snapshot
}

can_be_removed() {
	rmdir instances/boot instances/flags instances/snap instances/calls &&
		[ -z "$(ls instances)" ] && is options/trace_printk_dest 1
}

check "events of the command line are on, in their instance" events_on
if is_strobe; then
	check "what happened since early boot is recorded" early_recorded
	check "both events of a system call in another instance, too" calls_recorded
else
	ktap_test_skip "both events of a system call in another instance: no system calls"
	ktap_test_skip "what happened since early boot is recorded: no system calls"
fi
check "and in no other instance" nothing_elsewhere
check "flags" flags_obeyed
if [ -e snapshot ] && is_strobe; then
	check "the snapshot at the end of boot" snapshot_taken
else
	ktap_test_skip "the snapshot at the end of boot"
fi
check "ftrace_dump_on_oops with instances" is /proc/sys/kernel/ftrace_dump_on_oops \
	1,boot,snap=orig_cpu
check "they can be removed" can_be_removed
check "events can be enabled while the ring, not used yet, is mapped" mapped_first
ktap_set_plan 9
ktap_finished
