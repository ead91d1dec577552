#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Strobe's torture test of its ring buffer, for some seconds; as a control, it must
# notice variants of the ring that are broken on purpose.

. "$(dirname "$0")/lib.sh"

run=/sys/module/strobe_torture/parameters/run
[ -e $run ] || skip_all "no CONFIG_STROBE_TORTURE_TEST"

set_to() {
	echo "$2" >${run%run}"$1"
}

# torture VARIANT: run it once; the status is that of the run
torture() {
	torture_status=0
	{ echo "$1" >$run; } 2>/dev/null || torture_status=1
	sed 's/^/# /' $run
	return $torture_status
}

accounted() {
	torture sound &&
		grep -q '^sound: SUCCESS .* deepest=[34] failures=0$' $run
}

resets_survived() {
	set_to resets Y
	torture sound
	resets_status=$?
	set_to resets N
	return $resets_status
}

# messages MARK: what the test has logged since this mark was written to the log
messages() {
	dmesg | sed -n "/$1/,\$p" | grep 'strobe_torture: \|strobe: ring of CPU'
}

# kcsan on|off: switch KCSAN on or off, if the kernel has it
kcsan() {
	[ ! -e /sys/kernel/debug/kcsan ] || echo "$1" >/sys/kernel/debug/kcsan
}

# caught VARIANT PATTERN: the variant fails, and one of the messages is what its fault leads to.
# Some variants write where an interrupt writes. KCSAN is off meanwhile, as its report would fail
# the guest.
caught() {
	kcsan off
	caught_status=0
	one_seed_catches "$@" || caught_status=1
	kcsan on
	return $caught_status
}

# A seed may miss the fault: try several. Another failure is not accepted.
one_seed_catches() {
	for caught_seed in 1 2 3; do
		set_to seed $caught_seed
		caught_mark="torture.sh $$: $1, seed $caught_seed"
		echo "$caught_mark" >/dev/kmsg
		fails torture "$1" || continue
		grep -q "^$1: FAILURE" $run && messages "$caught_mark" | grep -q "$2" && return
		echo "no message with '$2':"
		messages "$caught_mark"
		return 1
	done
	return 1
}

wrong_time='time [0-9]* not in [0-9]*\.\.'
# A record is overwritten while it is read: any part of it may be the new one's. If all of it
# is, the records are out of order.
spoiled='torn at\|length [0-9]*, payload\|: of cpu [0-9]*, level'
spoiled="$spoiled\|$wrong_time\|time goes back\|serial [0-9]* after"
# The number of records is wrong: that of a sub-buffer, or of all that were written or read.
miscounted='invariant violated\|sum.written.* is [0-9]*, \(held->reserved\|sight->read\)'
miscounted="$miscounted\|sight->read is\|stats.read is"

others_come() {
	set_to onoff_ms 0
	for cpu in /sys/devices/system/cpu/cpu*/online; do
		echo 1 >"$cpu" || return
	done
	! grep -qx 0 /sys/devices/system/cpu/online
}

# QEMU has a thread for each CPU, and does not bear that code is patched while they run: the
# kernel boots with one, and the others come now, to stay.
plan=10
threads=
if on_cmdline maxcpus=1; then
	plan=11
	threads=yes
	check "the other CPUs come" others_come
fi

# check_interrupted WHAT COMMAND...: as check, for a variant that shows only if an interrupt comes
# within a few instructions. With threads, QEMU rarely lets it.
check_interrupted() {
	if [ $threads ]; then
		ktap_test_skip "$1 (not with threads)"
	else
		check "$@"
	fi
}

set_to seconds 2
check "each record of nested writers is accounted for" accounted
set_to seconds 1
check "resets and other clocks meanwhile" resets_survived
set_to seconds 5
check "a writer that overwrites the uncommitted is caught" \
	caught busted_wrap "$spoiled\|$miscounted"
# It writes the time of a sub-buffer, and the end of the one before.
check_interrupted "a writer that is early is caught" caught busted_early "$wrong_time\|$miscounted"
check_interrupted "a writer that does not publish is caught" \
	caught busted_publish 'left 0x[0-9a-f]*, committed 0x'
check "a writer that counts padding is caught" caught busted_count "$miscounted"
check "events that are not recorded and not counted are caught" \
	caught busted_off 'refused and not counted, with recording on'
check "a writer that keeps the time of what it discarded is caught" caught busted_last "$wrong_time"
# The writers have to overtake the iterator while it copies: they are too slow with KCSAN.
if [ -e /sys/kernel/debug/kcsan ]; then
	ktap_test_skip "an iterator that trusts its copy is caught (not with KCSAN)"
else
	check "an iterator that trusts its copy is caught" caught busted_copy "$spoiled"
fi
check "the kernel has nothing to complain about" untainted
ktap_set_plan $plan
ktap_finished
