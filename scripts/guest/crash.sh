#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Provoke warnings, oopses and a panic, with records in the buffers before each. For
# scripts/crash, which reads the console and the lines that says() writes there.
cd /sys/kernel/tracing || exit 1
provoke=/sys/kernel/debug/provoke-crash/DIRECT

says() { echo "<3>crash: $*" >/dev/kmsg; }

state() {
	says "$1: top $(cat tracing_on) one $(cat instances/one/tracing_on) two $(cat instances/two/tracing_on)"
}

mark() {
	for dir in . instances/one instances/two; do
		echo "$1 of $dir" >$dir/trace_marker
	done
}

# In a separate process, which the crash kills.
crash() { (echo "$1" >$provoke) 2>/dev/null; }

modprobe lkdtm || exit 1
# Run on CPU 0, except where taskset is used below.
taskset -p 1 $$ >/dev/null || exit 1
mkdir instances/one instances/two || exit 1
echo 0 >/proc/sys/kernel/traceoff_on_warning
crash WARNING
state 'a warning'
echo 1 >/proc/sys/kernel/traceoff_on_warning
crash WARNING
state 'a warning with traceoff_on_warning'
echo 1 >tracing_on

# dump VALUE: an oops with this value of ftrace_dump_on_oops
dump() {
	echo "$1" >/proc/sys/kernel/ftrace_dump_on_oops || says "refused: $1"
	says "ftrace_dump_on_oops is $(cat /proc/sys/kernel/ftrace_dump_on_oops)"
	for dir in . instances/one instances/two; do
		echo 1 >$dir/tracing_on
		echo >$dir/trace
	done
	mark "with $1"
	taskset 2 sh -c "echo 'on CPU 1 with $1' >trace_marker"
	crash EXCEPTION
	state 'after an oops'
}

dump 0
dump 1
dump 2
dump orig_cpu
dump one
dump 0,one
dump 1,two=2,nothing
dump orig_cpu,one=orig_cpu,two
dump nonsense
echo 1 >/proc/sys/kernel/sysrq
for dir in . instances/one instances/two; do
	echo 1 >$dir/tracing_on
done
mark 'for sysrq'
echo z >/proc/sysrq-trigger
state 'after sysrq-z'
echo 1,one >/proc/sys/kernel/ftrace_dump_on_oops
echo 1 >tracing_on
mark 'for the panic'
says 'the end'
echo c >/proc/sysrq-trigger
