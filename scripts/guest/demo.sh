#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A demonstration: enable events of the running kernel through tracefs, and
# read them from trace_pipe while they happen.
set -eu
cd /sys/kernel/tracing

title() { printf '\n=== %s\n' "$*"; }
fail() { echo "demo: $*" >&2; exit 1; }

# show NAME COUNT PATTERN: print COUNT lines of trace_pipe that match; fail if there is none
show() {
	n=$(grep -c "$3" /tmp/pipe) || fail "no $1 event came through trace_pipe"
	title "$1: $n events"
	grep -m "$2" "$3" /tmp/pipe
}

title "$(uname -srm), $(nproc) CPUs, $(wc -l <available_events) events, current_tracer $(cat current_tracer)"

title 'events/sched/sched_switch/id and format'
cat events/sched/sched_switch/id events/sched/sched_switch/format

title 'trace_pipe is being read; now events are switched on, and things happen'
echo 0 >tracing_on
echo >trace
cat trace_pipe >/tmp/pipe &
reader=$!

echo sched:sched_switch sched:sched_process_exec >set_event
for name in syscalls/sys_enter_openat syscalls/sys_exit_openat irq timer \
	net/netif_receive_skb net/net_dev_xmit; do
	echo 1 >events/$name/enable
	echo "echo 1 >events/$name/enable"
done
echo 1 >tracing_on
ping -c 3 -i 0.1 -q 127.0.0.1 | tail -n 2
ls / >/dev/null
sleep 0.2
echo 0 >tracing_on
echo 0 >events/enable
sleep 1
kill $reader 2>/dev/null || true # it ends by itself once tracing is off
wait $reader 2>/dev/null || true

show sched:sched_switch 3 ' sched_switch: '
show sched:sched_process_exec 3 ' sched_process_exec: '
show syscalls:sys_enter_openat 3 ' sys_openat('
show syscalls:sys_exit_openat 3 ' sys_openat -> '
show irq 4 ' \(irq_handler_\|softirq_\)[a-z]*: '
show timer 4 ' \(h*r*timer_\|tick_\)[a-z_]*: '
show net:net_dev_xmit 2 ' net_dev_xmit: '
show net:netif_receive_skb 2 ' netif_receive_skb: '

title "per_cpu/cpu0/stats"
cat per_cpu/cpu0/stats
title "$(wc -l </tmp/pipe) events read in all; none enabled now: '$(cat set_event)'"
