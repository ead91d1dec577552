#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Instances with a persistent ring, as far as one boot can test them. Needs a boot with:
# append: reserve_mem=1M:4096:memory trace_instance=kept^traceoff@memory,initcall
# append: trace_instance=later@memory2^traceoff trace_instance=none@nothing
# append: trace_instance=zero@0x0:1M trace_instance=unsized@0x10000000
# append: trace_instance=sizeless@0x10000000:0 reserve_mem=16K:4096:little
# append: trace_instance=small@little reserve_mem=1M:4096:memory2

. "$(dirname "$0")/lib.sh"

on_cmdline trace_instance=none@nothing || skip_all "not booted with trace_instance=none@nothing"

is() { [ "$(cat "$1")" = "$2" ] || { echo "$1: $(cat "$1")"; false; }; }

# says TEXT COMMAND...: the command fails and prints the text
says() {
	text=$1
	shift
	said=$("$@" 2>&1) && { echo "$* is done"; return 1; }
	case $said in
	*"$text"*) ;;
	*) echo "$*: $said"; return 1 ;;
	esac
}

write() { echo "$1" >"$2"; }

made() {
	[ "$(ls instances | tr '\n' ' ')" = 'kept later ' ] || { ls instances; return 1; }
	is instances/kept/tracing_on 0 && is instances/later/tracing_on 0 &&
		is instances/kept/events/initcall/enable 1
}

refused_at_boot() {
	dmesg >"$tmp/log"
	for text in 'Failed to map boot instance none to nothing' \
		    'Tracing: Invalid boot instance address for zero' \
		    'Tracing: No size specified for instance unsized' \
		    'Tracing: Invalid boot instance size for sizeless' \
		    "Tracing: Failed to create instance buffer 'small' (-12)" \
		    'Tracing: mapped boot instance kept at physical memory'; do
		grep -qF "$text" "$tmp/log" || { echo "not in the log: $text"; return 1; }
	done
}

files() {
	printf 'text delta:\t0\ndata delta:\t0\n' >"$tmp/info"
	cmp "$tmp/info" instances/kept/last_boot_info &&
		[ ! -e instances/kept/snapshot ] &&
		[ ! -e instances/kept/per_cpu/cpu0/snapshot ] &&
		[ ! -e instances/kept/per_cpu/cpu0/snapshot_raw ] &&
		[ ! -e last_boot_info ]
}

works() {
	echo 1 >instances/kept/tracing_on
	for n in 1 2 3; do
		echo "number $n" >instances/kept/trace_marker
	done
	[ "$(grep -c number instances/kept/trace)" = 3 ] &&
		! grep -q number trace instances/later/trace &&
		[ "$(timeout 2 cat instances/kept/trace_pipe | grep -c number)" = 3 ] &&
		! grep -q number instances/kept/trace
}

fills() {
	n=0
	while [ $n -lt 3000 ]; do
		echo "filling the ring, which overwrites the oldest, $n"
		n=$((n + 1))
	done | while read -r line; do
		echo "$line$line$line$line" >instances/kept/trace_marker
	done
	# Do not check the first ones: they may be on the reader page of trace_pipe.
	grep -q ', 2999$' instances/kept/trace &&
		! grep -q ', 300$' instances/kept/trace &&
		[ "$(grep -c 'filling' instances/kept/trace)" -gt 500 ]
}

stays_as_it_is() {
	size=$(cat instances/kept/buffer_size_kb)
	says busy write 64 instances/kept/buffer_size_kb &&
		says busy write 64 instances/kept/per_cpu/cpu0/buffer_size_kb &&
		says busy write 8 instances/kept/buffer_subbuf_size_kb &&
		is instances/kept/buffer_size_kb "$size" &&
		is instances/kept/buffer_subbuf_size_kb 4 &&
		says busy rmdir instances/kept &&
		says busy rmdir instances/later &&
		says busy write snapshot instances/kept/events/sched/sched_switch/trigger &&
		says 'No such device' "$test_dir/map_raw" \
			instances/kept/per_cpu/cpu0/trace_pipe_raw
}

emptied() {
	echo >instances/kept/trace
	! grep -v '^#' instances/kept/trace || return 1
	echo after >instances/kept/trace_marker
	[ "$(grep -v '^#' instances/kept/trace | grep -c after)" = 1 ]
}

tmp=$(mktemp -d)
taskset -p 1 $$ >"$tmp/cpus"	# All records go to one CPU's ring.
check "those whose memory was found are there" made
check "and the others not, with a message" refused_at_boot
check "files" files
check "records and reads" works
check "overwrites" fills
check "can be neither changed, mapped nor removed" stays_as_it_is
check "can be emptied" emptied
rm -r "$tmp"
ktap_set_plan 7
ktap_finished
