#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Events, the size of the buffer, the clock and options from the kernel's command
# line. Needs a boot with:
# append: trace_event=initcall:*,sched:sched_process_fork,irq:irq_handler_entry
# append: trace_buf_size=300k trace_clock=global trace_options=sym-offset,noirq-info

. "$(dirname "$0")/lib.sh"

on_cmdline trace_buf_size=300k || skip_all "not booted with trace_buf_size=300k"

is() { [ "$(cat "$1")" = "$2" ] || { echo "$1: $(cat "$1")"; false; }; }

# is_about FILE KB: the requested size, rounded up to whole sub-buffers
is_about() {
	kb=$(cat "$1")
	[ "$kb" -ge "$2" ] && [ "$kb" -le $(($2 + 4)) ] || { echo "$1: $kb"; false; }
}

fork_recorded() {
	n=$(grep -c 'sched_process_fork: .*child_pid=' trace)
	[ "$n" -gt 10 ]
}

# Events are enabled before the initcalls run, not only when tracefs is mounted.
initcalls_recorded() {
	grep -q 'initcall_level: level=early' trace &&
		[ "$(grep -c 'initcall_start: func=' trace)" -gt 50 ] &&
		[ "$(grep -c 'initcall_finish: func=.* ret=0' trace)" -gt 50 ]
}

events_on() {
	is events/sched/sched_process_fork/enable 1 &&
		is events/irq/irq_handler_entry/enable 1 &&
		is events/initcall/enable 1
}

others_off() {
	[ "$(grep -v '^initcall:' set_event | sort | tr '\n' ' ')" = \
		'irq:irq_handler_entry sched:sched_process_fork ' ]
}

can_switch_off() {
	echo 0 >events/enable
	is events/sched/sched_process_fork/enable 0 && [ -z "$(cat set_event)" ]
}

is_clock() { grep -q "\[$1\]" trace_clock; }

check "events of the command line are on" events_on
check "no others are" others_off
check "forks since early boot are recorded" fork_recorded
check "initcalls are recorded" initcalls_recorded
check "the size of the buffer" is_about buffer_size_kb 300
check "the size of each CPU's buffer" is_about per_cpu/cpu0/buffer_size_kb 300
check "the clock" is_clock global
check "an option" is options/sym-offset 1
check "an option that is switched off" is options/irq-info 0
check "they can be switched off" can_switch_off
reset
echo local >trace_clock
echo 0 >options/sym-offset
echo 1 >options/irq-info
echo 1408 >buffer_size_kb
ktap_set_plan 10
ktap_finished
