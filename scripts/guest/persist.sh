#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# An instance with a persistent ring: record before a crash, and read after it. For
# scripts/persist; job.phase= on the kernel's command line says which.
# shellcheck disable=SC2317 # refused calls it
top=/sys/kernel/tracing
cd $top/instances/kept || exit 1

section() { echo "@@ $1"; }

# refused WHAT COMMAND...: print the error of a command that has to fail
refused() {
	what=$1
	shift
	"$@" >/tmp/said 2>&1 && echo "$what is done" || echo "$what: $(sed 's/.*: //' /tmp/said)"
}

put() { echo "$1" >"$2"; }

# mark TEXT MASK: write to trace_marker on the CPUs of MASK
mark() { taskset "$2" sh -c "echo '$1' >trace_marker"; }

record() {
	taskset -p 1 $$ >/dev/null
	echo 1 >tracing_on
	echo 'sig == 12' >events/signal/signal_generate/filter
	echo 'stacktrace if sig == 12' >events/signal/signal_generate/trigger
	echo 1 >events/signal/signal_generate/enable
	for n in 1 2 3 4 5; do
		mark "number $n on CPU 0" 1
		mark "number $n on CPU 1" 2
	done
	trap '' USR2
	kill -USR2 $$
	printf '\001\002\003\004raw data' >trace_marker_raw
	# Fill several sub-buffers.
	seq 1000 1400 | while read -r n; do
		echo "a longer text that takes room in the ring, number $n" >trace_marker
	done
	mark 'the last one on CPU 0' 1
	mark 'the last one on CPU 1' 2
}

look() {
	section info
	cat last_boot_info
	section trace
	cat trace
	for cpu in 0 1; do
		[ -d per_cpu/cpu$cpu ] || continue
		section cpu$cpu
		cat per_cpu/cpu$cpu/trace
		section stats$cpu
		grep '^entries' per_cpu/cpu$cpu/stats
	done
	section files
	ls . per_cpu/cpu0
	section refused
	refused size put 64 buffer_size_kb
	refused "a CPU's size" put 64 per_cpu/cpu0/buffer_size_kb
	refused sub-buffers put 8 buffer_subbuf_size_kb
	refused 'the same sub-buffers' put 4 buffer_subbuf_size_kb
	refused trigger put snapshot events/sched/sched_switch/trigger
	refused rmdir rmdir $top/instances/kept
	section still
	grep -c . trace
}

# Consume everything, through trace_pipe_raw and trace_pipe; then record more.
take() {
	section raw
	for cpu in 0 1; do
		dd if=per_cpu/cpu$cpu/trace_pipe_raw bs=4096 count=1 2>/dev/null |
			strings -n 12 | head -n 3
	done
	section pipe
	timeout 3 cat trace_pipe
	section empty
	grep -v '^#' trace
	echo 1 >tracing_on
	mark 'after all was read' 1
	grep -v '^#' trace
}

anew() {
	section before
	echo "records of the previous boot: $(grep -c 'number' trace)"
	section after
	echo 1 >tracing_on
	mark 'of this boot' 1
	grep -v '^#' trace
	cat last_boot_info
}

# Writes that enable nothing, or fail, do not drop what was recorded.
unused() {
	section writes
	# The command line has enabled it. To open set_event by ">" would disable it first.
	put 1 events/signal/signal_generate/enable
	echo signal_generate >>set_event
	echo signal:signal_generate >>set_event
	put 0 events/enable
	put 0 events/sched/enable
	put 0 events/sched/sched_switch/enable
	put '!sched_switch' set_event
	put '!sched:*' set_event
	put '' set_event
	put 0 tracing_on
	put 1 set_event_pid
	put nop current_tracer
	refused tracer put nonsense current_tracer
	refused event put nonsense set_event
	refused pid put nonsense set_event_pid
	refused number put 2 events/enable
	section trace
	cat trace
}

case " $(cat /proc/cmdline) " in
*' job.phase=record '*)
	record
	echo c >/proc/sysrq-trigger
	;;
*' job.phase=look '*)
	look
	;;
*' job.phase=take '*)
	take
	;;
*' job.phase=unused '*)
	unused
	;;
*' job.phase=anew '*)
	anew
	;;
esac
exit 0
