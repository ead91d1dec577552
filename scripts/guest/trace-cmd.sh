#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Common uses of trace-cmd, with checks of their results. For scripts/trace-cmd, which
# also reads the recorded file and its report: they come last, after lines '@@ NAME'.
# shellcheck disable=SC2317 # check calls the functions
cd /tmp || exit 1
tracing=/sys/kernel/tracing
n=0
bad=0

# check NAME COMMAND...
check() {
	n=$((n + 1))
	name=$1
	shift
	if out=$("$@" 2>&1); then
		echo "ok $n $name"
	else
		echo "not ok $n $name"
		echo "$out" | sed 's/^/# /'
		bad=1
	fi
}

lists() {
	trace-cmd list -e | sed 's/^[[:space:]]*//;/^$/d' | sort >listed
	sort "$tracing/available_events" | cmp - listed || return
	trace-cmd list -e sched:sched_switch -F | grep -q 'field:pid_t next_pid' &&
		trace-cmd list -t | grep -q nop && trace-cmd list -o | grep -q event-fork &&
		trace-cmd list -C | grep -q '\[local\]'
}

# Each true is a process: one fork, one exec, one exit.
work() {
	i=0
	while [ $i -lt 20 ]; do
		/bin/busybox true
		i=$((i + 1))
	done
}

records() {
	trace-cmd record -q -e sched:sched_process_exec -e sched:sched_switch \
		-e syscalls:sys_enter_openat /job work || return
	trace-cmd report -N >reported || return
	[ "$(grep -c 'sched_process_exec:.*filename=/bin/busybox' reported)" -ge 20 ] &&
		grep -q 'sched_switch:.*next_pid=' reported &&
		grep -q 'sys_enter_openat:' reported &&
		[ "$(cat "$tracing/events/enable")" = 0 ]
}

records_in_instance() {
	trace-cmd record -q -o inst.dat -B mine -e sched:sched_process_exec /job work ||
		return
	[ "$(trace-cmd report -i inst.dat | grep -c 'filename=/bin/busybox')" -ge 20 ] &&
		[ ! -e "$tracing/instances/mine" ]
}

# Record only /job and its children.
follows_forks() {
	trace-cmd record -q -o fork.dat -F -c -e syscalls:sys_enter_openat \
		-e sched:sched_process_exec /job work || return
	[ "$(trace-cmd report -i fork.dat | grep -c 'filename=/bin/busybox')" -ge 20 ] &&
		[ -z "$(cat "$tracing/set_event_pid")" ]
}

streams() {
	# It reads whole pages, and may not show those that are not full at the end.
	trace-cmd stream -b 20 -e syscalls -e sched:sched_process_exec /job work >streamed ||
		return
	wc streamed
	grep -q 'sched_process_exec:.*filename=/bin/busybox' streamed
}

extracts() {
	trace-cmd start -e sched:sched_process_exec || return
	work
	trace-cmd stop && trace-cmd show | grep -q sched_process_exec &&
		trace-cmd extract -o extracted.dat || return
	[ "$(trace-cmd report -i extracted.dat | grep -c 'filename=/bin/busybox')" -ge 20 ]
}

snapshots() {
	trace-cmd start -e sched:sched_process_exec || return
	work
	trace-cmd snapshot -s && trace-cmd stop || return
	[ "$(trace-cmd snapshot | grep -c 'filename=/bin/busybox')" -ge 20 ] &&
		trace-cmd snapshot -f && trace-cmd snapshot | grep -q 'Snapshot is freed'
}

resets() {
	trace-cmd start -e sched -e irq -b 300 || return
	trace-cmd reset || return
	[ "$(cat "$tracing/events/enable")" = 0 ] && [ "$(cat "$tracing/tracing_on")" = 1 ] &&
		! grep -q '^ .*: ' "$tracing/trace"
}

stat_says() {
	trace-cmd start -e sched:sched_switch && trace-cmd stat | grep -q sched_switch &&
		trace-cmd reset && ! trace-cmd stat | grep -q sched_switch
}

if [ "${1:-}" = work ]; then
	work
	exit
fi
echo 'TAP version 13'
check "list" lists
check "record and report" records
check "record in an instance" records_in_instance
check "record of a task and its children" follows_forks
check "stream" streams
check "start, stop, show and extract" extracts
if [ -e "$tracing/snapshot" ]; then
	check "snapshot" snapshots
fi
check "stat" stat_says
check "reset" resets
echo "1..$n"
echo '@@ trace.dat'
base64 trace.dat
echo '@@ reported'
base64 reported
echo '@@ end'
exit $bad
