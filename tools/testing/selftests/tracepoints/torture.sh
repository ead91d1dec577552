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

# A seed may miss the fault of a variant: try several.
caught() {
	for caught_seed in 1 2 3; do
		set_to seed $caught_seed
		fails torture "$1" && grep -q "^$1: FAILURE" $run && return
	done
	return 1
}

set_to seconds 2
check "each record of nested writers is accounted for" accounted
set_to seconds 1
check "resets and other clocks meanwhile" resets_survived
set_to seconds 5
check "a writer that overwrites the uncommitted is caught" caught busted_wrap
check "a writer that is early is caught" caught busted_early
check "a writer that does not publish is caught" caught busted_publish
check "a writer that counts padding is caught" caught busted_count
check "a writer that keeps the time of what it discarded is caught" caught busted_last
# The writers have to overtake the iterator while it copies: they are too slow with KCSAN.
if [ -e /sys/kernel/debug/kcsan ]; then
	ktap_test_skip "an iterator that trusts its copy is caught (not with KCSAN)"
else
	check "an iterator that trusts its copy is caught" caught busted_copy
fi
check "the kernel has nothing to complain about" untainted
ktap_set_plan 9
ktap_finished
