#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Kprobe events on the kernel's command line: defined, enabled and recorded before there is a
# shell; a definition that is wrong does not affect the others. Needs a boot with:
# config: CONFIG_KPROBE_EVENTS
# engine: strobe
# append: kprobe_event=p:k/n,vfs_read,n=$arg3:u64;p:k/x,no_such;r:k/r,vfs_read,v=$retval:s64

. "$(dirname "$0")/lib.sh"

is_strobe || skip_all "classic makes no files of them in events/"
grep -q kprobe_event= /proc/cmdline || skip_all "not booted with kprobe_event="

ktap_set_plan 5

# defined LINE: as kprobe_events shows it
defined() {
	grep -qx "$1" kprobe_events || { cat kprobe_events; return 1; }
}

# recorded EVENT PATTERN: it is on, and has such records
recorded() {
	[ "$(cat "events/k/$1/enable")" = 1 ] && grep -q ": $1: $2" trace ||
		{ head -n 40 trace; return 1; }
}

wrong_one() {
	fails grep no_such kprobe_events && [ ! -e events/k/x ]
}

removed() {
	echo 0 >events/k/enable && echo >kprobe_events && [ ! -e events/k ] &&
		[ -z "$(cat kprobe_events)" ]
}

# shellcheck disable=SC2016 # not the shell's variables
check "both are defined" eval "defined 'p:k/n vfs_read n=\$arg3:u64' &&
	defined 'r[0-9]*:k/r vfs_read v=\$retval:s64'"
check "a probe at an entry has records" recorded n '(vfs_read+0x[0-9a-f]*/.*) n=[1-9]'
check "a probe at a return has records" recorded r '(.* <- vfs_read) v=[1-9]'
check "the one that is wrong is not there" wrong_one
check "they can be removed" removed
ktap_finished
