#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# All that patches the kernel's text at the same time: static calls and jump labels of
# events, hooks of functions, direct calls, kernel probes, live patches, and the modules
# that bring them.

. "$(dirname "$0")/lib.sh"

[ -e set_ftrace_filter ] || skip_all "no function hooks"
for module in trace-events-sample ftrace-direct fprobe_example kprobe_example livepatch-sample; do
	have_module $module || skip_all "no module $module"
done

TURNS=2
storm=instances/storm
stacks=/proc/sys/kernel/stack_tracer_enabled
patched=/sys/kernel/livepatch/livepatch_sample

# One probe, two, one, none: the static call leads to a probe, to the list, to nothing.
static_calls() {
	for file in $storm/events/sched/enable events/sched/enable; do
		echo 1 >"$file" || return
	done
	for file in $storm/events/sched/enable events/sched/enable; do
		echo 0 >"$file" || return
	done
}

jump_labels() {
	echo 1 >events/raw_syscalls/enable && echo 1 >events/syscalls/sys_enter_openat/enable &&
		echo 0 >events/raw_syscalls/enable && echo 0 >events/syscalls/enable
}

# The functions that a hook is on change while it is on.
hooks() {
	echo 'vfs_*' >stack_trace_filter && echo 1 >$stacks &&
		echo kernel_clone >stack_trace_filter && echo 0 >$stacks &&
		echo 'dput' >set_ftrace_filter && echo >set_ftrace_filter
}

direct_calls() { modprobe ftrace-direct && rmmod ftrace_direct; }

# Both of these at the entry of one function.
probes() {
	modprobe kprobe_example &&
		modprobe fprobe_example symbol=kernel_clone,vfs_read stackdump=0 &&
		/bin/true && rmmod kprobe_example && rmmod fprobe_example
}

module_events() {
	modprobe trace-events-sample && echo 1 >events/sample-trace/enable && sleep 0.1 &&
		echo 1 >$storm/events/sample-trace/enable && rmmod trace-events-sample
}

live_patches() {
	modprobe livepatch-sample || return
	cat /proc/cmdline
	echo 0 >$patched/enabled || return
	wait_for rmmod livepatch_sample
}

# The quick ones go on until the slow ones, which load modules, have had their turns.
quick='static_calls jump_labels hooks'
slow='direct_calls probes module_events live_patches'
end=/tmp/hook_storm.end

# work NAME COMMAND...: again and again while the command succeeds; ends with a line, good
# or bad
work() {
	work_name=$1 work_turn=0
	shift
	while "$@"; do
		"$work_name" >/dev/null || { echo "$work_name failed in turn $work_turn"; return; }
		work_turn=$((work_turn + 1))
	done
	echo "$work_name done after $work_turn"
}
turns_left() { [ "$work_turn" -lt $TURNS ]; }
not_ended() { [ ! -e $end ]; }

# What is hooked and switched on is called meanwhile.
traffic() {
	while :; do
		/bin/true
		cat /proc/cmdline /proc/loadavg >/dev/null
		sleep 0.02
	done
}

storm() {
	reset
	mkdir $storm || return
	traffic &
	storm_traffic=$!
	storm_quick='' storm_slow=''
	rm -f $end
	for worker in $quick; do
		work "$worker" not_ended >>"/tmp/hook_storm.$$" &
		storm_quick="$storm_quick $!"
	done
	for worker in $slow; do
		work "$worker" turns_left >>"/tmp/hook_storm.$$" &
		storm_slow="$storm_slow $!"
	done
	# shellcheck disable=SC2086 # lists
	{
		wait $storm_slow
		: >$end
		wait $storm_quick
	}
	kill $storm_traffic
	wait $storm_traffic
	rmdir $storm
	cat "/tmp/hook_storm.$$"
	storm_good=$(grep -c ' done after [1-9]' "/tmp/hook_storm.$$")
	rm "/tmp/hook_storm.$$"
	[ "$storm_good" = 7 ]
}

nothing_stays() {
	[ -z "$(cat enabled_functions)" ] && [ "$(cat $stacks)" = 0 ] &&
		[ -z "$(cat set_event)" ] && [ ! -e $patched ]
}

# The event still works after its static call was patched so often: each process is one.
events_are_exact() {
	reset
	echo 1 >events/sched/sched_process_fork/enable || return
	# shellcheck disable=SC2016 # variables of the inner shell
	exact_pid=$(sh -c 'echo $$; for turn in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done; :')
	echo 0 >events/sched/sched_process_fork/enable
	exact_seen=$(grep -c "sched_process_fork: .* pid=$exact_pid child" trace)
	[ "$exact_seen" = 10 ] || { echo "$exact_seen of 10"; false; }
}

# of_sample FILE: print the number of the sample module's functions in it
of_sample() { grep -c '\[trace_events_sample\]' "$1"; }

# All functions of the module are hooked, some are called, and it is unloaded.
sample_hooked() {
	modprobe trace-events-sample || return
	sample_all=$(of_sample available_filter_functions)
	sample_enabled=$(of_sample enabled_functions)
	echo 1 >events/sample-trace/enable && sleep 0.1 && rmmod trace-events-sample || return
	[ "$sample_all" -gt 0 ] && [ "$sample_enabled" = "$sample_all" ] ||
		{ echo "$sample_enabled of $sample_all functions were hooked"; false; }
}

# The stack tracer hooks all functions, also those of modules that are loaded later.
hooked_module() {
	reset
	echo >stack_trace_filter && echo 1 >$stacks || return
	hooked_left=5
	while [ $hooked_left -gt 0 ] && sample_hooked; do
		hooked_left=$((hooked_left - 1))
	done
	hooked_gone=$(of_sample enabled_functions)
	echo 0 >$stacks
	[ $hooked_left = 0 ] && [ "$hooked_gone" = 0 ]
}

others() {
	for cpu in /sys/devices/system/cpu/cpu[1-9]*; do
		[ ! -e "$cpu/online" ] || echo "$1" >"$cpu/online"
	done
}

check "a storm on all CPUs" storm
check "nothing stays of it" nothing_stays
check "events are exact after it" events_are_exact
check "a module is loaded and unloaded while all functions are hooked" hooked_module
check "nothing stays of the hooks" nothing_stays
others 0
check "one CPU is left" [ "$(cat /sys/devices/system/cpu/online)" = 0 ]
check "a storm on one CPU" storm
check "nothing stays of that" nothing_stays
check "events are exact after that" events_are_exact
others 1
check "the kernel did not complain" untainted
ktap_set_plan 10
ktap_finished
