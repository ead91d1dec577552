#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The kernel's command line asks for a ring that is larger than the memory: there is no
# ring and no tracing, but everything else works. Needs a boot with:
# append: trace_buf_size=64G trace_event=sched:sched_process_fork trace_instance=big,initcall
# append: trace_trigger=sched_process_exec.stacktrace tp_printk alloc_snapshot

. "$(dirname "$0")/lib.sh"

on_cmdline trace_buf_size=64G || skip_all "not booted with trace_buf_size=64G"

several="trace-events-sample tp-events trace-printk"

told() { dmesg | grep -q 'failed to allocate ring buffer'; }

# Modules with events can be loaded though no ring can record the events.
modules_come_and_go() {
	for round in 1 2; do
		for module in $several; do
			modprobe "$module" || { echo "round $round: $module"; return 1; }
			[ ! -e /proc/tracepoint-events ] || echo word >/proc/tracepoint-events
			rmmod "$module" || { echo "round $round: $module"; return 1; }
		done
	done
}

files_harmless() {
	waiting=
	for file in *; do
		[ -f "$file" ] || continue
		timeout 5 cat "$file" >/dev/null 2>&1
		[ $? -lt 124 ] || waiting="$waiting $file"
		{ echo 1 >"$file"; } 2>/dev/null
	done
	mkdir instances/one 2>/dev/null && rmdir instances/one
	[ -z "$waiting" ] || { echo "reading never ends:$waiting"; return 1; }
}

check "it is told" told
check_module "$several" "modules with events come and go" modules_come_and_go
check "files that there are do no harm" files_harmless
check "the kernel has nothing to complain about" no_complaints_since_boot
ktap_set_plan 4
ktap_finished
