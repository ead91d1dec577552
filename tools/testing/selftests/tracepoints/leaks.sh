#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Memory leaks: everything that allocates memory is used and undone: events, filters,
# triggers, instances, snapshots, other sizes, readers, modules, perf events, programs, hooks
# of functions, dynamic events, parameters of the command line, also with allocations that
# fail. That takes long with KASAN; with job.short on the command line, a few cases of each
# are run.
#
# kmemleak finds objects that nothing points to. It does not track pages, and does not notice
# when percpu memory that points to a ring leaks, so page_owner counts pages by the functions
# that have allocated them. As a control, both must find a ring and an iterator that the
# torture test leaks on purpose. Both slow down every allocation, so this needs a boot of its
# own:
# config: CONFIG_DEBUG_KMEMLEAK
# append: kmemleak=on page_owner=on kunit.enable=1 kunit.filter_glob=strobe_boot

. "$(dirname "$0")/lib.sh"

debug=/sys/kernel/debug
mount -t debugfs nodev $debug 2>/dev/null
leaks=$debug/kmemleak
stacks=$debug/page_owner_stacks/show_stacks
torture=/sys/module/strobe_torture/parameters
[ -e $leaks ] || skip_all "no CONFIG_DEBUG_KMEMLEAK"
{ echo scan >$leaks; } 2>/dev/null || skip_all "kmemleak is off"
[ -e $stacks ] || skip_all "no CONFIG_PAGE_OWNER"

# Count the pages that the engine has allocated directly, for rings and other things. Not
# counted: pages of slabs, page tables, percpu memory, programs, KASAN and the stack depot,
# which their allocators keep, and pages of vmalloc(), which kmemleak tracks.
others='new_slab|allocate_slab|___slab_alloc|__p[tmu4]*d*_alloc|__pte_alloc|pcpu_|bpf_'
others="$others|__vmalloc_|change_page_attr|kasan_|depot_|stack_depot_"
pages() {
	awk -v names="$others" '
	/^ / {
		ours = ours || / strobe_/
		others = others || $0 ~ " (" names ")"
		text = text $0 "\n"
	}
	/^nr_base_pages: / {
		if (ours && !others) { n += $2; printf "%s%s\n", text, $0 >"/tmp/page_stacks" }
		ours = others = 0; text = ""
	}
	END { print n + 0 }' $stacks
}

# The only pointer to a new object may be in a register. So kmemleak ignores young objects,
# and reports one only if a second scan finds it unchanged.
scan() {
	sleep 6
	echo scan >$leaks
	sleep 1
	echo scan >$leaks
	cat $leaks >/tmp/leaks
}

none_found() {
	scan
	head -n 100 /tmp/leaks
	[ ! -s /tmp/leaks ]
}

names=$(cat saved_cmdlines_size)

# Restore the state after boot, with a ring that has been used. A test that has timed out,
# in so slow a kernel, leaves its instance.
back() {
	reset
	for instance in instances/*; do
		[ ! -d "$instance" ] || rmdir "$instance"
	done
	[ ! -e snapshot ] || { echo 1 >snapshot; echo 0 >snapshot; } 2>/dev/null
	echo 1408 >buffer_size_kb
	echo "$names" >saved_cmdlines_size
	echo >trace
	sleep 1
}

none_missing() {
	back
	pages_after=$(pages)
	echo "before: $pages_before, now: $pages_after pages; where the number has changed:"
	diff -U 30 /tmp/stacks_before /tmp/page_stacks
	[ "$pages_before" -gt 0 ] && [ "$pages_after" = "$pages_before" ]
}

# The torture test leaks a ring, of four pages or more on each CPU, and an iterator.
planted_found() {
	planted_before=$(pages)
	echo 1 >$torture/seconds
	echo Y >$torture/leak
	echo sound >$torture/run
	echo N >$torture/leak
	planted_after=$(pages)
	scan
	echo clear >$leaks
	echo "before: $planted_before, after: $planted_after pages; of objects:"
	head -n 100 /tmp/leaks
	grep -q 'strobe_ring_iter_open' /tmp/leaks &&
		[ "$planted_after" -ge $((planted_before + 8)) ]
}

# passed CASE: has it passed, in the results of run()? With '', any.
passed() {
	grep -v '# SKIP' /tmp/run | grep -Eq "^ok [0-9]+ .*$1( |\$)"
}

# The tests that were killed because their time was up. Such a test leaves what it has set.
killed=/tmp/killed
: >$killed

# run NAME [CASE...]: run cases of a test, or all. None may fail; those that are named must
# have passed, and at least one must.
run() {
	run_name=$1 run_cases='' run_good=0
	shift
	for run_case; do
		run_cases="$run_cases -t $run_case"
	done
	# shellcheck disable=SC2086 # a list of words
	"$test_dir/$run_name" $run_cases >/tmp/run 2>&1 || run_good=1
	fails grep -q '^not ok ' /tmp/run || run_good=1
	sed -n "s/^# *\(.*\): Test terminated by timeout.*/$run_name.\1/p" /tmp/run >>$killed
	passed '' || run_good=1
	for run_case; do
		passed "[.]$run_case" || run_good=1
	done
	[ $run_good = 0 ] || { echo "$run_name:"; cat /tmp/run; }
	return $run_good
}

# all_or_few NAME [CASE...]: run all cases of a test; for the short list, only these
all_or_few() {
	if on_cmdline job.short; then
		run "$@"
	else
		run "$1"
	fi
}

# only_all NAME: run all cases of a test; for the short list, none
only_all() {
	on_cmdline job.short || run "$1"
}

# Filters, triggers, pid lists; the ring's sizes, mappings and snapshots.
control_files() {
	all_or_few event_filter errors system && all_or_few event_trigger refused &&
		only_all event_inject && all_or_few event_pid lists && only_all trace_buffer &&
		all_or_few trace_map outlives && all_or_few trace_snapshot open_freed &&
		only_all bad_input
}

# Readers that wait, pages that splice() passes on, CPUs that go offline, mounts.
read_in_all_ways() {
	only_all trace_read && all_or_few trace_raw splice_keeps splice_errors &&
		only_all hotplug && only_all remount.sh
}

instances_come_and_go() {
	if on_cmdline job.short; then
		run instances snapshot format_outlives spliced_pages_stay
		return
	fi
	run instances settings_apart options_inherited snapshot busy_while_open \
		format_outlives busy_while_mapped spliced_pages_stay storm &&
		run first_use files settings trigger directories ring
}

# Unload a module while its events are enabled, with filters and triggers, in two instances.
modules_come_and_go() {
	mkdir instances/other || return
	for round in 1 2 3; do
		modprobe trace-events-sample || return
		for place in . instances/other; do
			events=$place/events/sample-trace
			echo 1 >$events/enable
			echo 'common_pid > 1' >$events/filter
			echo 'stacktrace:5 if common_pid > 1' >$events/foo_bar/trigger
			echo 'enable_event:sched:sched_waking:1' >$events/foo_bar/trigger
		done
		sleep 1
		rmmod trace-events-sample || return
	done
	rmdir instances/other || return
	# Files that are opened, read and written meanwhile: module_race.
	only_all modules.sh && only_all instance_modules.sh
}

attached() {
	only_all attach_perf && all_or_few attach_bpf a_link_has_a_cookie_and_tells_what_it_is &&
		all_or_few attach_modules its_record_is_seen && only_all attach_uprobes &&
		only_all attach_helpers && only_all attach_samples && only_all attach_storm
}

# Lists of functions, programs and trampolines on functions, and block devices' traces.
hooked() {
	all_or_few hooks instance list_of_nobody && only_all hook_modules.sh &&
		only_all hook_storm.sh
}

# Dynamic events of each kind are defined, used, appended to, refused and removed.
dynamic() {
	all_or_few dynamic_kprobes life append bad_lines &&
		all_or_few dynamic_uprobes comes_and_goes bad_input &&
		all_or_few dynamic_eprobes an_enabled_one_is_busy bad_definitions &&
		all_or_few user_events register persistent bad_registration &&
		all_or_few user_memory several_users && only_all kprobes.sh || return
	! grep -q ' f\[:\[<group>' README ||
		all_or_few dynamic_fprobes two_functions_in_one_event bad_definitions || return
	[ ! -s dynamic_events ]
}

without_memory() {
	all_or_few failed_alloc mapped && only_all failed_attach
}

boot_parameters_tried() {
	dmesg | grep -q ' ok [0-9]* strobe_boot' || ! grep -q strobe_boot /proc/kallsyms
}

# The map of thread groups is made when it is first used, and kept. The first trigger that needs
# a record makes a ring for all of them, which is kept, too.
echo 1 >options/record-tgid
echo 0 >options/record-tgid
back
echo 'stacktrace if common_pid < 0' >events/sched/sched_switch/trigger
echo '!stacktrace' >events/sched/sched_switch/trigger
pages_before=$(pages)
if is_strobe; then
	check "a ring that is not freed is found" planted_found
	back
	pages_before=$(pages)
else
	ktap_test_skip "a ring that is not freed is found: the torture test is for Strobe's ring"
fi
mv /tmp/page_stacks /tmp/stacks_before
check "parameters of the command line without memory" boot_parameters_tried
check "control files" control_files
check "reading" read_in_all_ways
check "instances" instances_come_and_go
if [ -e /proc/modules ]; then
	check "modules" modules_come_and_go
else
	ktap_test_skip "modules: no CONFIG_MODULES"
fi
check "perf events and programs" attached
if [ -e set_ftrace_filter ]; then
	check "function hooks" hooked
else
	ktap_test_skip "function hooks: no CONFIG_FUNCTION_TRACER"
fi
if [ -e /sys/block/loop0/trace ]; then
	check "traces of block devices" all_or_few blktrace messages
else
	ktap_test_skip "traces of block devices: no CONFIG_BLK_DEV_IO_TRACE"
fi
check "dynamic events" dynamic
check "allocations that fail" without_memory
check "no object has leaked" none_found
# A test that was killed has failed above.
if [ -s $killed ] && fails none_missing >/tmp/missing 2>&1; then
	sed 's/^/# /' /tmp/missing
	ktap_test_skip "no page has leaked: killed tests have left some: $(tr '\n' ' ' <$killed)"
else
	check "no page has leaked" none_missing
fi
ktap_set_plan 13
ktap_finished
