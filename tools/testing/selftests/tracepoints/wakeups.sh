#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A reader that waits does not disturb a CPU that is to be left alone: no irq_work runs
# there on its behalf, though it is there that events are recorded. Needs a boot with:
# append: nohz_full=1

. "$(dirname "$0")/lib.sh"

on_cmdline nohz_full=1 || skip_all "not booted with nohz_full=1"
[ "$(cat /sys/devices/system/cpu/nohz_full)" = 1 ] || skip_all "no CONFIG_NO_HZ_FULL"
is_strobe || skip_all "this engine wakes readers by an irq_work of the CPU that records"

reset
got=$(mktemp)

# works CPU: irq_works that interrupted it
works() {
	awk -v column=$(($1 + 2)) '/^ *IWI:/ { print $column }' /proc/interrupts
}

# marks CPU: ten are recorded there, one by one; sets how many irq_works ran meanwhile
marks() {
	works_before=$(works "$1")
	for n in 1 2 3 4 5 6 7 8 9 10; do
		taskset $((1 << $1)) sh -c "echo 'mark $n on $1' >trace_marker"
		sleep 0.2
	done
	works_taken=$(($(works "$1") - works_before))
}

# read_marks CPU: the same while a reader waits for them; sets how many more that took.
# Others have irq_works too, such as the tick of a CPU that has none.
read_marks() {
	echo >trace
	echo 0 >buffer_percent
	marks "$1"
	works_without=$works_taken
	echo >trace
	taskset 1 cat per_cpu/cpu"$1"/trace_pipe >"$got" &
	reader=$!
	sleep 0.5
	marks "$1"
	works_more=$((works_taken - works_without))
	sleep 1
	kill $reader
	wait $reader 2>/dev/null
	echo "$works_taken irq_works, $works_without without a reader"
	[ "$(grep -c "mark [0-9]* on $1\$" "$got")" = 10 ] || { cat "$got"; return 1; }
}

# The control: this is how a reader is woken elsewhere.
others_interrupted() {
	read_marks 0 && [ $works_more -ge 8 ]
}

left_alone() {
	read_marks 1 && [ $works_more -le 2 ]
}

check "a reader of another CPU is woken by an irq_work there" others_interrupted
check "a CPU of nohz_full is read, and not interrupted for it" left_alone
echo 50 >buffer_percent
rm -f "$got"
ktap_set_plan 2
ktap_finished
