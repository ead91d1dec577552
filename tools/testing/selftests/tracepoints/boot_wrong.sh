#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A command line with events, clocks and options that do not exist: the kernel logs the
# errors, and applies the other parameters. Needs a boot with:
# append: trace_event=no_such:event,sched:sched_process_fork,nonsense
# append: trace_buf_size=size trace_clock=sundial trace_options=nonsense,noirq-info
# append: trace_instance=big,sched:sched_process_fork trace_instance=..,initcall
# append: "trace_trigger=no_such.stacktrace,sched_process_exec.stacktrace if"

. "$(dirname "$0")/lib.sh"

on_cmdline trace_clock=sundial || skip_all "not booted with trace_clock=sundial"

is() { [ "$(cat "$1")" = "$2" ] || { echo "$1: $(cat "$1")"; false; }; }

works() {
	[ "$(cat buffer_size_kb)" -ge 4 ] && is tracing_on 1 &&
		echo 'a text' >trace_marker && grep -q 'tracing_mark_write: a text' trace
}

events_on() {
	is events/sched/sched_process_fork/enable 1 &&
		is events/sched/sched_switch/enable 0
}

defaults_kept() {
	grep -q '\[local\]' trace_clock && is options/irq-info 0 && is options/overwrite 1
}

told() {
	dmesg >/tmp/boot_wrong
	for text in 'Trace clock sundial not defined' \
		'Failed to enable trace event: no_such:event' \
		'Failed to enable trace event: nonsense'; do
		grep -qF "$text" /tmp/boot_wrong || { echo "not in the log: $text"; return 1; }
	done
}

triggers_refused() {
	grep -q '^# Available' events/sched/sched_process_exec/trigger
}

option_told() {
	grep -qF "Failed to set trace option 'nonsense' (-22)" /tmp/boot_wrong
}

check "a size that is none gives a ring that works" works
check "events that exist are on" events_on
check "what is wrong leaves the clock and the options as they are" defaults_kept
check "what is wrong is told" told
if is_strobe; then
	check "an option that is wrong is reported" option_told
else
	ktap_test_skip "an option that is wrong is reported"
fi
check "triggers that are wrong are not there" triggers_refused
check "the kernel has nothing to complain about" no_complaints_since_boot
reset
echo 1 >options/irq-info
ktap_set_plan 7
ktap_finished
