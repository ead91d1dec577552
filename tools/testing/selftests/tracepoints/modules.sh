#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Modules with events and tracepoints: their events are added and removed with
# them, in any order, also while the events' files are open, read or looked up.

. "$(dirname "$0")/lib.sh"

loaded() { [ -d "/sys/module/$1" ]; }
listed() { grep -q "^$1:" available_events; }

have_module trace-events-sample || skip_all "no module trace-events-sample"
several="trace-events-sample tp-events trace-printk"
reset

events_appear() {
	fails listed sample-trace || return
	modprobe trace-events-sample || return
	listed sample-trace &&
		[ -f events/sample-trace/enable ] &&
		[ "$(cat events/sample-trace/enable)" = 0 ] &&
		grep -q '^name: foo_bar$' events/sample-trace/foo_bar/format &&
		[ "$(cat events/sample-trace/foo_bar/id)" -gt 0 ]
}

# The module's thread fires the events once a second. foo_bar_with_fn starts a
# thread when it is enabled.
events_fire() {
	echo 1 >events/sample-trace/enable
	wait_for grep -q 'foo_bar: foo hello' trace &&
		wait_for grep -q 'foo_bar_with_fn: foo Look at me' trace &&
		[ "$(cat events/sample-trace/enable)" = 1 ]
}

events_vanish() {
	# Unload the module with events enabled, and with records in the buffer.
	rmmod trace-events-sample || return
	fails listed sample-trace &&
		[ ! -e events/sample-trace ] &&
		fails grep -q sample-trace set_event &&
		# The records of its events are not shown any more.
		fails grep -q 'foo_bar' trace
}

again() {
	events_appear && events_fire && events_vanish
}

# A file that is open when its event is removed fails from then on.
unload_while_open() {
	modprobe trace-events-sample || return
	exec 3<events/sample-trace/foo_bar/format 4>events/sample-trace/foo_bar/enable \
		5<events/sample-trace/enable 6<events/sample-trace/foo_bar/id
	rmmod trace-events-sample || return
	fails cat <&3 && fails sh -c 'echo 1 >&4' || return
	# Reading these may still succeed; it only must be safe.
	cat <&5 >/dev/null
	cat <&6 >/dev/null
	exec 3<&- 4>&- 5<&- 6<&-
	fails listed sample-trace && [ ! -e events/sample-trace ]
}

# The same with a file that was read half.
unload_half_read() {
	modprobe trace-events-sample || return
	exec 3<events/sample-trace/foo_bar/format
	dd bs=10 count=1 <&3 >/dev/null 2>&1 || return
	rmmod trace-events-sample || return
	cat <&3 >/dev/null 2>&1
	exec 3<&-
	modprobe trace-events-sample && rmmod trace-events-sample
}

load_in_a_loop() {
	loop=0
	while [ $loop -lt "$2" ]; do
		modprobe "$1" 2>/dev/null
		rmmod "$1" 2>/dev/null
		loop=$((loop + 1))
	done
}

# Each format of the module trace-printk is listed once, however often it was loaded.
formats_unique() {
	formats=$(grep -c 'This is a .* that will use trace_b' printk_formats)
	[ "$formats" = 4 ] || { echo "$formats formats"; false; }
}

# Two processes load and unload each module, while the modules' formats are read.
parallel_loading() {
	loaders=
	for module in $several; do
		load_in_a_loop "$module" 6 &
		loaders="$loaders $!"
		load_in_a_loop "$module" 6 &
		loaders="$loaders $!"
	done
	while :; do cat printk_formats; done >/dev/null &
	reader=$!
	# shellcheck disable=SC2086 # a list
	wait $loaders
	kill $reader
	wait $reader
	! loaded trace_events_sample || rmmod trace-events-sample
	! loaded tp_events || rmmod tp-events
	! loaded trace_printk || rmmod trace-printk
	formats_unique || return
	fails listed sample-trace && fails listed tp_events &&
		[ ! -e events/sample-trace ] && [ ! -e events/tp_events ] &&
		[ "$(sort available_events | uniq -d | wc -l)" = 0 ]
}

# module_race opens, reads and writes files while the module is loaded and unloaded.
files_raced() {
	"$test_dir/module_race" sample-trace &
	racer=$!
	load_in_a_loop trace-events-sample 8
	kill $racer
	wait $racer
	# It exits by itself only after it has reported an error.
	[ $? = 143 ] && fails listed sample-trace
}

proc=/proc/tracepoint-sample
opened() { dmesg | grep -c "$1: open"; }

fires_unheard() {
	modprobe tp-sample || return
	before=$(opened tp_probe)
	# Opening this file always fails.
	fails cat $proc && [ "$(opened tp_probe)" = "$before" ]
}
probe_hears() {
	modprobe tp-probe || return
	before=$(opened tp_probe)
	fails cat $proc
	fails cat $proc
	[ "$(opened tp_probe)" = $((before + 8)) ] || return
	fails rmmod tp-sample || return
	rmmod tp-probe || return
	fails cat $proc
	[ "$(opened tp_probe)" = $((before + 8)) ] && rmmod tp-sample
}
late_probe() {
	# $1, $2: order of loading, $3, $4: order of unloading
	modprobe "$1" && modprobe "$2" || return
	before=$(dmesg | grep -c 'tp_probe_late: \(open\|step\)')
	fails cat $proc
	[ "$(dmesg | grep -c 'tp_probe_late: \(open\|step\)')" = $((before + 4)) ] || return
	rmmod "$3" && rmmod "$4"
}

sample_events() {
	modprobe tp-events || return
	echo 1 >events/tp_events/enable
	for word in one two three four five six; do
		echo $word >/proc/tracepoint-events
	done
	echo 0 >events/tp_events/enable
	echo unheard >/proc/tracepoint-events
	for event in text names bytes work_begin work_lost work_end; do
		[ "$(grep -c " tp_events_$event: " trace)" = 6 ] || return
	done
	[ "$(grep -c ' tp_events_third: ' trace)" = 2 ] &&
		grep -q 'tp_events_text: text="three" writes=3 writer=' trace &&
		grep -q 'tp_events_work_lost: id=6 was lost' trace &&
		grep -q 'tp_events_bytes: len=3 bytes=6f 6e 65' trace &&
		rmmod tp-events
}

# An event that is enabled as soon as it appears also fires.
enable_early() {
	# O_TRUNC of set_event disables all events, also those enabled early.
	while :; do
		{ echo 1 >events/tp_events/enable; } 2>/dev/null
		{ echo tp_events: >set_event; } 2>/dev/null
	done &
	racers=$!
	# The sched events patch code, and loading the module waits for that.
	while :; do { printf 'sched:\ntp_events:\n' >>set_event; } 2>/dev/null; done &
	racers="$racers $!"
	loop=0 silent=0 loops=30
	# Such a kernel is slow.
	[ ! -e /proc/lockdep ] || loops=10
	while [ $loop -lt $loops ]; do
		modprobe tp-events
		# They stop only after they have finished the current write.
		kill -STOP $racers
		for racer in $racers; do
			wait_for grep -q '^State:.*stopped' /proc/"$racer"/status || return
		done
		echo >trace
		echo word >/proc/tracepoint-events
		[ "$(cat events/tp_events/tp_events_text/enable)" = 0 ] ||
			grep -q tp_events_text trace || silent=$((silent + 1))
		kill -CONT $racers
		rmmod tp-events
		loop=$((loop + 1))
	done
	kill $racers
	wait $racers
	[ $silent = 0 ] && fails listed tp_events
}

# An open file trace must not show records of removed events as records of
# new events with the same ids. One line may have been shown in part.
unload_with_trace_open() {
	modprobe tp-events && echo 1 >events/tp_events/enable || return
	i=0
	while [ $i -lt 40 ]; do
		echo "a line of some length $i" >/proc/tracepoint-events
		i=$((i + 1))
	done
	exec 3<trace
	dd bs=600 count=1 <&3 >/dev/null 2>&1 || return
	rmmod tp-events && modprobe trace-events-sample || return
	shown=$(cat <&3 | grep -c 'foo_')
	exec 3<&-
	rmmod trace-events-sample && [ "$shown" -le 1 ]
}

# A module that is refused may have tracepoints of another layout, which nothing may look at.
tracepoints_refused() {
	before=$(cat /proc/sys/kernel/tainted)
	"$test_dir/refused_module" "$1" && fails loaded tp_sample || return
	# It must have been refused: as it is proprietary (bit 0), and for nothing else. It may be
	# the first one that is out of tree (12) or not signed (13).
	after=$(cat /proc/sys/kernel/tainted)
	[ $((after & 1)) = 1 ] && [ $(((after ^ before) & ~0x3001)) = 0 ]
}

check "events appear with their module" events_appear
check "events of a module fire" events_fire
check "events vanish with their module" events_vanish
check "and again" again
check "unload while files are open" unload_while_open
check "unload while a file is half read" unload_half_read
check_module "$several" "modules loaded and unloaded in parallel" parallel_loading
check "files read while the module comes and goes" files_raced
check_module tp-sample "tracepoint fired without a probe" fires_unheard
check_module tp-sample "probe of another module hears it" probe_hears
check_module tp-sample "late probe, loaded first, unloaded first" \
	late_probe tp-probe-late tp-sample tp-probe-late tp-sample
check_module tp-sample "late probe, loaded first, unloaded last" \
	late_probe tp-probe-late tp-sample tp-sample tp-probe-late
check_module tp-sample "late probe, loaded last, unloaded first" \
	late_probe tp-sample tp-probe-late tp-probe-late tp-sample
check_module tp-sample "late probe, loaded last, unloaded last" \
	late_probe tp-sample tp-probe-late tp-sample tp-probe-late
check_module tp-events "sample events have what was fired" sample_events
check_module tp-events "events enabled while their module loads" enable_early
check_module tp-events "unload while trace is open" unload_with_trace_open
check "the kernel has nothing to complain about" untainted
refused="unload a module whose tracepoints were refused"
file=$(find "/lib/modules/$(uname -r)" -name tp-sample.ko)
if [ -e /proc/lockdep ]; then
	ktap_test_skip "$refused: a proprietary module would switch lockdep off"
elif [ -z "$file" ]; then
	ktap_test_skip "$refused: no module tp-sample, or a compressed one"
else
	check "$refused" tracepoints_refused "$file"
fi
reset
ktap_set_plan 19
ktap_finished
