#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A waiting reader does not disturb a CPU of nohz_full that records events: neither an
# irq_work nor any other interrupt runs on that CPU to wake the reader, however it waits.
# Needs a boot with:
# engine: strobe
# append: nohz_full=1

. "$(dirname "$0")/lib.sh"

on_cmdline nohz_full=1 || skip_all "not booted with nohz_full=1"
[ "$(cat /sys/devices/system/cpu/nohz_full)" = 1 ] || skip_all "no CONFIG_NO_HZ_FULL"
is_strobe || skip_all "this engine wakes readers by an irq_work of the CPU that records"

# Nothing but the writer runs on CPU 1. Each task moves that may, such as kcompactd, which runs
# twice a second: a second task on a CPU of nohz_full causes an irq_work for the tick.
for task in /proc/[0-9]*; do
	taskset -p 1 "${task#/proc/}" >/dev/null 2>&1
done

reset
work=$(mktemp -d)
count=30
event=events/syscalls/sys_enter_getpgid/enable

# Set $tag to one that no record has yet; each check runs in a subshell.
next_tag() {
	echo >>"$work/tags"
	tag=$(grep -c '' "$work/tags")
}

# write_records CPU KIND: record there; set $iwi to the CPU's irq_works meanwhile, and $others to
# its reschedule and function call interrupts
write_records() {
	"$test_dir/wakeup_ways" write "$1" $count "$2" "$tag" >"$work/taken" || return
	read -r iwi res cal <"$work/taken"
	others=$((res + cal))
	echo "CPU $1, $2: $iwi irq_works, $others other interrupts"
}

# read_records CPU KIND WAY FILE: the same while a reader on CPU 0 waits in that way; set
# $missed to the number of records that it has not read
read_records() {
	next_tag
	echo >trace
	"$test_dir/wakeup_ways" "$3" "$4" "$tag" >"$work/got" &
	reader=$!
	sleep 0.2
	write_records "$1" "$2" || return
	sleep 0.3
	kill $reader
	wait $reader 2>/dev/null
	missed=$((count - $(grep -c . "$work/got")))
	echo "$3 of $4: $missed of $count missed"
}

# As a control: on another CPU, a reader is woken by irq_works.
others_interrupted() {
	read_records 0 "$@" && [ "$missed" = 0 ] && [ "$iwi" -ge $((count - 2)) ]
}

# A kernel thread that is bound to the CPU may run meanwhile, and has an irq_work for the tick, as
# it is a second task. It does not run each time, so the fewest of three times count.
tries="1 2 3"

# alone KIND: print the same numbers of CPU 1 without a reader
alone() {
	next_tag
	for _ in $tries; do
		write_records 1 "$1" >/dev/null && echo "$iwi $others"
	done | sort -n | head -n 1
}

# undisturbed LEAST MOST KIND WAY FILE: with a reader, the CPU has exactly as many irq_works as
# without, and at most four more of the other interrupts. The scheduler causes two of them each
# second, with and without a reader; one each time that the timer looks for records would be six
# or more. Each time, the reader misses LEAST to MOST records.
undisturbed() {
	least=$1
	most=$2
	shift 2
	case $1 in
	mark) expected=$mark_alone ;;
	event) expected=$event_alone ;;
	esac
	echo "$expected irq_works and other interrupts without a reader"
	for _ in $tries; do
		read_records 1 "$@" && [ "$missed" -ge "$least" ] && [ "$missed" -le "$most" ] ||
			return
		[ "$iwi" = "${expected% *}" ] && [ "$others" -le $((${expected#* } + 4)) ] && return
	done
	return 1
}

# left_alone KIND WAY FILE: and the reader reads all.
left_alone() {
	undisturbed 0 0 "$@"
}

# The reader waits until half of a small ring is full. There are nine sub-buffers, with three
# records each: three of them are too few, and less than five may be left in the end.
left_alone_half_full() {
	size=$(cut -d' ' -f1 buffer_size_kb)
	echo 32 >buffer_size_kb
	echo 50 >buffer_percent
	count=9
	undisturbed 9 9 mark "$@" && count=30 && undisturbed 0 12 mark "$@"
	status=$?
	echo "$size" >buffer_size_kb
	echo 0 >buffer_percent
	return $status
}

# A task polls that file often, and waits until half of the ring is full.
left_alone_beside_poll() {
	echo 50 >buffer_percent
	"$test_dir/wakeup_ways" often $cpu1/trace_pipe_raw 1 &
	poller=$!
	left_alone "$@"
	status=$?
	kill $poller
	wait $poller 2>/dev/null
	echo 0 >buffer_percent
	return $status
}

cpu1=per_cpu/cpu1
echo 1 >$event
echo 0 >buffer_percent
check "a reader of another CPU is woken by an irq_work there" \
	others_interrupted mark read per_cpu/cpu0/trace_pipe
check "a reader of another CPU is woken by an irq_work there, for an event" \
	others_interrupted event read per_cpu/cpu0/trace_pipe
mark_alone=$(alone mark)
event_alone=$(alone event)
check "a CPU of nohz_full is read, and not interrupted for it" \
	left_alone mark read $cpu1/trace_pipe
check "not interrupted: an event" left_alone event read $cpu1/trace_pipe
check "not interrupted: an event, the pipe of all CPUs" left_alone event read trace_pipe
check "not interrupted: poll, the pipe of all CPUs" left_alone mark poll trace_pipe
check "not interrupted: poll" left_alone event poll $cpu1/trace_pipe
check "not interrupted: poll, raw" left_alone mark poll $cpu1/trace_pipe_raw
check "not interrupted: epoll" left_alone mark epoll $cpu1/trace_pipe
check "not interrupted: epoll, each edge" left_alone event edge $cpu1/trace_pipe_raw
check "not interrupted: splice" left_alone event splice $cpu1/trace_pipe_raw
check "not interrupted: splice, a half full ring" left_alone_half_full splice $cpu1/trace_pipe_raw
check "not interrupted: poll, a half full ring" left_alone_half_full poll $cpu1/trace_pipe_raw
check "not interrupted: beside a task that polls often" \
	left_alone_beside_poll mark read $cpu1/trace_pipe
echo 0 >$event
echo 50 >buffer_percent
rm -rf "$work"
ktap_set_plan 14
ktap_finished
