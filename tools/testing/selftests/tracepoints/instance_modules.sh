#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Instances and modules: kernel code that creates instances and writes to them,
# trace_printk() into an instance, events of modules in instances.

. "$(dirname "$0")/lib.sh"

[ -d instances ] || skip_all "no instances"
reset

array=instances/sample-instance

module_makes_one() {
	modprobe sample-trace-array && [ -f $array/trace ] &&
		# The systems that the module has asked for; there are no kprobe events.
		[ "$(cd $array/events && echo */)" = 'sched/ timer/' ]
}

# The module's thread writes once a second. Its event is in none of the instance's systems.
module_writes() {
	wait_for grep -q 'trace_array_printk: count=1' $array/trace &&
		! grep -q 'trace_array_printk' trace
}

module_keeps_it() {
	fails rmdir $array && [ -d $array ]
}

module_removes_it() {
	rmmod sample-trace-array && [ ! -d $array ]
}

# The module uses an instance that exists already, and removes it when it is unloaded.
module_takes_ours() {
	mkdir $array && modprobe sample-trace-array || return
	[ -d $array/events/irq ] && fails rmdir $array &&
		wait_for grep -q 'trace_array_printk: count=0' $array/trace &&
		rmmod sample-trace-array && [ ! -d $array ]
}

printk_goes_there() {
	mkdir instances/p && echo 1 >instances/p/options/trace_printk_dest &&
		modprobe trace-printk || return
	grep -q 'This .*trace_bprintk' instances/p/trace &&
		grep -q 'trace_bputs' instances/p/trace &&
		! grep -q 'trace_bputs' trace || return
	rmmod trace-printk && rmdir instances/p || return
	modprobe trace-printk && grep -q 'trace_bputs' trace && rmmod trace-printk
}

# Events of a module are added to existing instances, and removed with the module.
events_come() {
	mkdir instances/e && modprobe trace-events-sample || return
	echo 1 >instances/e/events/sample-trace/enable &&
		wait_for grep -q 'foo_bar: foo hello' instances/e/trace &&
		! grep -q "foo_bar: foo hello" trace || return
	rmmod trace-events-sample || return
	[ ! -e instances/e/events/sample-trace ] &&
		fails grep -q "foo_bar: foo hello" instances/e/trace && rmdir instances/e
}

# Directories that have been used, and those that have not, get the module's events; a
# directory that is open, and a file in it, stay open when they go.
dirs_in_use() {
	dir=events/sample-trace
	mkdir instances/e instances/f && ls instances/e/events/*/ >/dev/null || return
	for loop in 1 2; do
		modprobe trace-events-sample && [ -e instances/e/$dir/foo_bar/format ] &&
			[ -e instances/f/$dir/foo_bar/format ] || return
		(
			cd instances/e/$dir/foo_bar && exec 3<format 4<.. &&
				rmmod trace-events-sample || exit
			cat <&3 >/dev/null
			! ls enable && ! ls ../foo_bar
		) 2>/dev/null || return
		[ ! -e instances/e/$dir ] && [ ! -e instances/f/$dir ] || return
	done
	rmdir instances/e instances/f
}

# The instance is removed with a module's events enabled, and then the module is unloaded.
instance_goes_first() {
	modprobe trace-events-sample && mkdir instances/e &&
		echo 1 >instances/e/events/sample-trace/enable &&
		rmdir instances/e && rmmod trace-events-sample
}

# The module is loaded and unloaded, eight times at least, while the instance is created and
# removed, until the module's events were enabled in some instances, and were not there in others.
both_at_once() {
	rm -f /tmp/both_met
	(
		loop=0
		while [ $loop -lt 8 ] || { [ $loop -lt 200 ] && [ ! -e /tmp/both_met ]; }; do
			modprobe trace-events-sample
			rmmod trace-events-sample
			loop=$((loop + 1))
		done
	) &
	loop=0
	enabled=0
	while kill -0 $! 2>/dev/null; do
		mkdir instances/e
		echo 1 >instances/e/events/sample-trace/enable && enabled=$((enabled + 1))
		cat instances/e/events/sample-trace/foo_bar/format
		rmdir instances/e
		loop=$((loop + 1))
		[ $enabled = 0 ] || [ $enabled = $loop ] || touch /tmp/both_met
	done >/dev/null 2>&1
	wait $!
	echo "$loop instances, events enabled in $enabled"
	[ $enabled -gt 0 ] && [ $enabled -lt $loop ] &&
		[ ! -d instances/e ] && [ ! -d /sys/module/trace_events_sample ]
}

# Clean up after all_at_once: a trigger that a killed racer has not removed pins the module.
switching=events/syscalls/sys_enter_close/trigger
events_let_go() {
	for file in $switching events/sample-trace/*/trigger; do
		[ -e "$file" ] || continue
		sed -n 's/^\(disable_event:[^:]*:[^:]*\):.*/!\1/p' "$file" >/tmp/let_go
		while read -r word; do
			echo "$word" >"$file"
		done </tmp/let_go
	done
	echo >set_event_pid
	echo 0 >options/event-fork
	# Triggers of the instance pin the module, too.
	[ ! -d instances/m ] || rmdir instances/m || return
	[ ! -d /sys/module/trace_events_sample ] || rmmod trace-events-sample || return
	[ ! -e events/sample-trace ] && fails grep sample-trace set_event $switching
}

# Everything at once: the module is loaded and unloaded, and the instance is created and
# removed, while racers enable and filter the module's events, and set triggers on them
# and for them.
all_at_once() {
	"$test_dir/module_race" sample-trace . &
	racers=$!
	for loop in 1 2; do
		"$test_dir/module_race" sample-trace m &
		racers="$racers $!"
	done
	while :; do
		mkdir instances/m
		cat instances/m/set_event
		rmdir instances/m
	done >/dev/null 2>&1 &
	maker=$!
	loop=0 unloaded=0
	# The racers pin the module most of the time: repeat until it was unloaded twice.
	while [ $loop -lt 16 ] || { [ $unloaded -lt 2 ] && [ $loop -lt 200 ]; }; do
		modprobe trace-events-sample
		rmmod trace-events-sample && unloaded=$((unloaded + 1))
		loop=$((loop + 1))
	done >/dev/null 2>&1
	kill $maker
	wait $maker
	bad=0
	for racer in $racers; do
		kill "$racer"
		wait "$racer"
		# It exits by itself only after it has reported an error.
		[ $? = 143 ] || bad=$((bad + 1))
	done
	echo "of $loop times unloaded $unloaded, $bad ended with an error"
	events_let_go && [ $bad = 0 ] && [ $unloaded -gt 1 ]
}

check_module sample-trace-array "a module makes an instance" module_makes_one
check_module sample-trace-array "and writes to it" module_writes
check_module sample-trace-array "and keeps it from being removed" module_keeps_it
check_module sample-trace-array "until the module goes" module_removes_it
check_module sample-trace-array "one that is there already" module_takes_ours
check_module trace-printk "trace_printk() into an instance" printk_goes_there
check_module trace-events-sample "a module's events come into an instance, and go" events_come
check_module trace-events-sample "into directories that are in use or not" dirs_in_use
check_module trace-events-sample "the instance goes first" instance_goes_first
check_module trace-events-sample "both come and go at once" both_at_once
if is_strobe; then
	check_module trace-events-sample "with filters, triggers and tasks' lists" all_at_once
else
	# Classic crashes: the module's tracepoints still have probes when it is unloaded.
	ktap_test_skip "with filters, triggers and tasks' lists: the kernel would not survive it"
fi
check "the kernel did not complain" untainted
reset
ktap_set_plan 12
ktap_finished
