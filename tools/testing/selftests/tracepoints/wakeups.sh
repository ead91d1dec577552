#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A waiting reader does not disturb a CPU of nohz_full that records events: neither an
# irq_work nor any other interrupt runs on that CPU to wake the reader. Needs a boot with:
# engine: strobe
# append: nohz_full=1

. "$(dirname "$0")/lib.sh"

on_cmdline nohz_full=1 || skip_all "not booted with nohz_full=1"
[ "$(cat /sys/devices/system/cpu/nohz_full)" = 1 ] || skip_all "no CONFIG_NO_HZ_FULL"
is_strobe || skip_all "this engine wakes readers by an irq_work of the CPU that records"

reset
got=$(mktemp)
count=30

# The writer records $2 marks on CPU $1, a tenth of a second apart. It never sleeps and
# starts no process: task switches would cause irq_works for the tick on a nohz_full CPU.
writer=$(mktemp)
cat >"$writer" <<'EOF'
n=0
while [ $n -lt $2 ]; do
	n=$((n + 1))
	echo "mark $n on $1" >trace_marker
	read -r up idle </proc/uptime
	until=$((${up%.*}${up#*.} + 10))
	while [ ${up%.*}${up#*.} -lt $until ]; do
		read -r up idle </proc/uptime
	done
done
EOF

# interrupts CPU KINDS: the CPU's count of interrupts of these kinds, joined by |
interrupts() {
	awk -v column=$(($1 + 2)) -v kinds="^($2):\$" \
		'$1 ~ kinds { n += $column } END { print n + 0 }' /proc/interrupts
}

# write_marks CPU KINDS: record marks there; set $taken to the CPU's interrupts meanwhile
write_marks() {
	before=$(interrupts "$1" "$2")
	taskset $((1 << $1)) sh "$writer" "$1" $count
	taken=$(($(interrupts "$1" "$2") - before))
}

# read_marks CPU KINDS: the same while a reader waits
read_marks() {
	echo >trace
	echo 0 >buffer_percent
	taskset 1 cat per_cpu/cpu"$1"/trace_pipe >"$got" &
	reader=$!
	sleep 0.5
	write_marks "$1" "$2"
	sleep 1
	kill $reader
	wait $reader 2>/dev/null
	echo "$taken interrupts ($2), $count marks"
	[ "$(grep -c "mark [0-9]* on $1\$" "$got")" = $count ] || { cat "$got"; return 1; }
}

# As a control: on another CPU, a reader is woken by irq_works.
others_interrupted() {
	read_marks 0 IWI && [ $taken -ge $((count - 2)) ]
}

# Count irq_works, reschedule and function call interrupts. The tick, RCU and the start of
# the writer cause some: with a reader at most 4 more than without, and without a reader
# fewer than one for each mark. Those may be more once, but not three times.
left_alone() {
	for try in 1 2 3; do
		write_marks 1 'IWI|RES|CAL'
		alone=$taken
		echo "$alone interrupts without a reader"
		read_marks 1 'IWI|RES|CAL' || return
		[ $alone -ge $count ] || [ $taken -gt $((alone + 4)) ] || return 0
	done
	return 1
}

check "a reader of another CPU is woken by an irq_work there" others_interrupted
check "a CPU of nohz_full is read, and not interrupted for it" left_alone
echo 50 >buffer_percent
rm -f "$got" "$writer"
ktap_set_plan 2
ktap_finished
