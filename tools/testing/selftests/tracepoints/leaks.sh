#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Memory that nothing points to any more, after tests in which much comes and goes. That
# makes all that allocates slower, so it has a boot of its own:
# append: kmemleak=on

. "$(dirname "$0")/lib.sh"

mount -t debugfs nodev /sys/kernel/debug 2>/dev/null
leaks=/sys/kernel/debug/kmemleak
[ -e $leaks ] || skip_all "no CONFIG_DEBUG_KMEMLEAK"
{ echo scan >$leaks; } 2>/dev/null || skip_all "kmemleak is off"

# Whether they pass is not what is asked here.
"$test_dir/attach_perf" >/dev/null 2>&1
"$test_dir/attach_bpf" >/dev/null 2>&1
"$test_dir/failed_attach" -t each_allocation >/dev/null 2>&1

# What is young may be on its way from one register to another; a second look at it has
# to find the same bytes.
none_found() {
	sleep 6
	echo scan >$leaks
	sleep 1
	echo scan >$leaks
	cat $leaks
	[ -z "$(cat $leaks)" ]
}

check "nothing has leaked" none_found
ktap_set_plan 1
ktap_finished
