# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2317 # check calls the functions
# Every tool of the package bpfcc-tools, but for those that trace what is not here: programs in
# Java, Node.js, Perl, PHP, Ruby and Tcl, and MySQL.
# shellcheck source=scripts/guest/tools/everylib.sh
. /tmp/tools/everylib.sh

bcc_headers

# A program in Python for the tools that trace one
cat >traced.py <<'END'
import gc
import threading
import time

def called():
    return object()

while True:
    with threading.Lock():
        called()
    gc.collect()
    time.sleep(0.1)
END
$python traced.py &
traced=$!

bcc_tool() {
	name=$1
	set --
	case ${name%-bpfcc} in
	argdist) set -- -C 'p::do_filp_open(int dfd):int:dfd' ;;
	cobjnew | deadlock | pythoncalls | pythonflow | pythongc) set -- $traced ;;
	ucalls | uflow | ugc) set -- -l python $traced ;;
	uobjnew | uthreads) set -- -l c $traced ;;
	dirtop) set -- -d /tmp ;;
	funccount | funcinterval | funclatency | funcslower | stackcount) set -- vfs_read ;;
	inject) set -- kmalloc 'SyS_mount()' ;;
	netqtop) set -- -n lo ;;
	trace) set -- do_sys_openat2 ;;
	ttysnoop) set -- console ;;
	esac
	tool "$name" "$@"
}

# Tools that end by themselves

lists_tracepoints() {
	tplist-bpfcc -v 'sched:sched_s*' >out || return
	same "$(cat out)"
	has 1 '^sched:sched_switch$' out
}

lists_programs() {
	bpflist-bpfcc -v >out && has 1 '^PID ' out
}

# All that it resets, it resets with both engines; a probe that is enabled it cannot remove. Strobe
# has no tracing_thresh, which belongs to tracers.
resets() {
	echo 0 >"$tracing/tracing_on" &&
		echo 'p:mine/opens do_sys_openat2' >"$tracing/kprobe_events" &&
		echo 1 >"$tracing/events/sched/enable" || return
	reset-trace-bpfcc -v >out 2>&1
	same "status $?: $(grep -v 'tracing_thresh' out)"
	same "$(cat "$tracing/kprobe_events" "$tracing/events/enable" "$tracing/tracing_on")"
	! grep . "$tracing/kprobe_events"
}

# part: those lines of the input that belong to this part of the run
part() {
	read -r number parts </tmp/tools/part
	awk -v first="$number" -v parts="$parts" 'NR % parts == first % parts'
}

for name in $(dpkg -L bpfcc-tools | sed -n 's,^/usr/sbin/,,p' | sort |
	grep -v '^\(java\|node\|perl\|php\|ruby\|tcl\|mysqld\|db\)\|^\(tplist\|bpflist\|reset-trace\)-' | part); do
	check "$name" bcc_tool "$name"
done
# Of one part in four
check 'so many tools of bcc start' have_started 12
check 'tplist' lists_tracepoints
check 'bpflist' lists_programs
check 'reset-trace' resets
kill $traced
check 'the kernel did not complain' untainted
