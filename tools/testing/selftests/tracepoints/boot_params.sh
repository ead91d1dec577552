#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Other parameters of the kernel's command line: events on the console, snapshots, and
# when to stop recording and to dump the ring. Needs a boot with:
# append: trace_event=initcall:initcall_level tp_printk tp_printk_stop_on_boot
# append: alloc_snapshot traceoff_on_warning ftrace_dump_on_oops=2

. "$(dirname "$0")/lib.sh"

on_cmdline tp_printk_stop_on_boot || skip_all "not booted with tp_printk_stop_on_boot"

is() { [ "$(cat "$1")" = "$2" ] || { echo "$1: $(cat "$1")"; false; }; }

on_console() {
	dmesg | grep -q 'initcall_level: level=early' &&
		dmesg | grep -q 'initcall_level: level=device'
}

not_any_more() {
	is /proc/sys/kernel/tracepoint_printk 0 || return
	echo 1 >events/sched/sched_process_fork/enable
	ls >/dev/null
	echo 0 >events/sched/sched_process_fork/enable
	grep -q 'sched_process_fork: ' trace && ! dmesg | grep -q 'sched_process_fork: '
}

# The kernel has allocated the buffer for printing, so it can be switched on again.
and_again() {
	echo 1 >/proc/sys/kernel/tracepoint_printk || return
	echo 1 >events/sched/sched_process_fork/enable
	ls >/dev/null
	echo 0 >events/sched/sched_process_fork/enable
	echo 0 >/proc/sys/kernel/tracepoint_printk
	dmesg | grep -q 'sched_process_fork: '
}

# Printing fires events, too. Print only to the log, since a console would take minutes.
log_begin() {
	before=$(cat /proc/sys/kernel/printk)
	echo 1 >/proc/sys/kernel/printk
	echo 1 >/proc/sys/kernel/tracepoint_printk
}

log_end() {
	echo 0 >events/enable
	echo 0 >/proc/sys/kernel/tracepoint_printk
	echo "$before" >/proc/sys/kernel/printk
}

# Leave the lock events out where lockdep is on: there, in an emulated guest, a tick takes more
# locks than can be printed until the next tick.
may_print() {
	[ "$1" != events/lock/enable ] || [ ! -e /proc/lockdep ]
}

all_on_console() {
	log_begin
	for file in events/*/enable; do
		! may_print "$file" || echo 1 >"$file"
	done
	ls / >/dev/null
	log_end
	[ "$(dmesg | grep -c '\] [a-z_]*: ')" -gt 100 ] && untainted
}

# What a shell does fires events of these systems.
systems='sched irq timer kmem task signal raw_syscalls mmap rcu exceptions'

# printed SYSTEM: has the log a line of one of its events?
printed() {
	names=$(cd "events/$1" && echo */ | sed 's,/ *,|,g')
	dmesg | grep -qE "\] (${names%|}): "
}

# One system after another: the log is too short for the lines of all.
each_on_console() {
	silent=
	log_begin
	for system in $systems; do
		dmesg -c >/dev/null
		echo 1 >"events/$system/enable"
		sh -c 'sleep 0.1 & wait; kill -USR1 $$' 2>/dev/null
		echo 0 >"events/$system/enable"
		printed "$system" || silent="$silent $system"
	done
	log_end
	[ -z "$silent" ] || echo "no line of:$silent"
	[ -z "$silent" ] && untainted
}

snapshot_allocated() {
	grep -q 'Snapshot is allocated' snapshot && [ "$(cat buffer_size_kb)" -ge 1408 ]
}

sysctls() {
	is /proc/sys/kernel/traceoff_on_warning 1 &&
		is /proc/sys/kernel/ftrace_dump_on_oops 2
}

check "events are on the console" on_console
check "until the kernel has booted" not_any_more
check "and again when they are wanted" and_again
if is_strobe; then
	check "each event at once" all_on_console
	check "one system after another" each_on_console
else
	ktap_test_skip "each event at once: classic prints what printing fires"
	ktap_test_skip "one system after another: classic prints what printing fires"
fi
if [ -e snapshot ]; then
	check "the snapshot is allocated" snapshot_allocated
else
	ktap_test_skip "the snapshot is allocated"
fi
check "sysctls" sysctls
reset
ktap_set_plan 7
ktap_finished
