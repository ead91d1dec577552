# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2317 # check calls the functions
# libbpf's tools, bpftool, and the sample of samples/tracepoints/bpf.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh

execs() {
	start out execsnoop || return
	spawn 5
	sleep 1
	finish '^true' out
	same "$(sed -n 's/^\(true\) .* \(0 .*\)/\1 \2/p' out)"
	has 5 '^true  *[0-9]*  *[0-9]*  *0 /bin/true' out
}

opens() {
	start out opensnoop || return
	cat /etc/hostname /none >/dev/null 2>&1
	finish '/none' out
	same "$(grep -c '/etc/hostname' out)"
	has 1 '^[0-9]*  *cat  *[3-9]  *0 /etc/hostname' out && has 1 'cat  *-1  *2 /none' out
}

exits() {
	start out exitsnoop || return
	spawn 3
	sh -c 'exit 3'
	finish '^sh .* code 3$' out
	has 3 '^true .* 0$' out && has 1 '^sh .* code 3$' out
}

signals() {
	start out sigsnoop || return
	sleep 100 &
	kill -USR1 $!
	wait $! 2>/dev/null
	finish ' 10  *[0-9]' out
	same "$(awk '$4 == 10 { print $3, $4, $6 }' out)"
	has 1 ' sh  *10  *[0-9]*  *0 ' out
}

connections() {
	start out tcplife || return
	busybox nc -l -p 7777 >/dev/null &
	listening 7777 || return
	echo hello | busybox nc 127.0.0.1 7777
	finish ' 7777 ' out
	has 2 ' busybox .*127\.0\.0\.1 .*7777 ' out
}

states() {
	start out tcpstates || return
	busybox nc -l -p 7778 >/dev/null &
	listening 7778 || return
	echo hello | busybox nc 127.0.0.1 7778
	finish ' 7778 .* CLOSE ' out
	has 1 ' SYN_SENT .* ESTABLISHED ' out && has 1 ' LISTEN ' out
}

# disk COMMAND...: run it with a device that has a request queue, a loop device on a file
disk() {
	dd if=/dev/zero of=disk bs=1M count=4 2>/dev/null
	modprobe loop 2>/dev/null
	losetup /dev/loop0 disk || return
	"$@"
	ret=$?
	losetup -d /dev/loop0
	return $ret
}

disk_requests() {
	start out biosnoop || return
	dd if=/dev/loop0 of=/dev/null bs=64k count=8 iflag=direct
	finish ' loop0 ' out
	has 8 '^[0-9.]*  *dd .* loop0 .* R.* 65536 ' out
}

disk_latencies() {
	start out biolatency || return
	dd if=/dev/loop0 of=/dev/null bs=64k count=8 iflag=direct
	finish
	has 1 ' -> .* : [1-9]' out
}

run_queues() {
	start out runqlat || return
	spawn 20
	finish
	has 1 ' -> .* : [1-9][0-9]* ' out
}

soft_interrupts() {
	start out softirqs || return
	traffic 5
	finish
	has 1 '^net_rx  *[1-9]' out
}

calls() {
	start out syscount || return
	/tmp/tools/getppid 300
	finish
	has 1 '^getppid  *30[0-9]' out
}

# Tools that attach programs to functions, of which some are named as in older kernels

page_cache() {
	start out cachestat 1 20 || return
	head -c 1000000 /bin/busybox >file && cat file file >/dev/null
	finish '^ *[1-9][0-9]*  *[0-9]' out
	has 1 '^ *[1-9][0-9]*  *[0-9]' out
}

pages_read_ahead() {
	start out readahead || return
	dd if=/dev/loop0 of=/dev/null bs=64k count=8
	finish
	has 1 '^Readahead unused/total pages: [0-9]*/[1-9]' out
}

request_stacks() {
	start out biostacks || return
	dd if=/dev/loop0 of=/dev/null bs=64k count=8 iflag=direct
	finish
	has 1 ' -> .* : [1-9]' out
}

page_moves() {
	start out numamove || return
	finish '^[0-9:]*  *[0-9]*  *[0-9]*$' out
	has 1 '^[0-9:]*  *[0-9]*  *[0-9]*$' out
}

# There is no device to flush.
flushes() {
	modprobe md-mod 2>/dev/null
	start out mdflush || return
	finish
	has 1 'Tracing md flush' out
}

# The sample uses each way to attach: check its output.
watches() {
	sh -c '/tmp/tools/sample/tp-watch sh -c "/bin/true; kill -0 $$; (exit 3); wait"' >out 2>bad || {
		cat out bad
		return 1
	}
	same "$(sed 's/^[0-9]*//; s/ for [0-9].*/ for one/' out | sort -u)"
	has 1 ' is now /bin/true$' out && has 1 ' true ends with 0$' out &&
		has 1 ' sh ends with 0x300$' out && has 1 ' sh sends signal 0$' out &&
		has 1 ' sh waits for anybody$' out
}

# bpftool shows the sample's programs and links while they are attached.
shows() {
	start out /tmp/tools/sample/tp-watch sh -c 'while [ ! -e finished ]; do /bin/true; sleep 0.1; done' ||
		return
	bpftool prog show >programs && bpftool link show >links && bpftool perf show >perfs &&
		bpftool -p prog show name watch_exec >one
	ret=$?
	: >finished
	wait "$started"
	[ $ret = 0 ] || return
	same "$(sed -n 's/^[0-9]*: \(.* name watch_[a-z]*\) .*/\1/p' programs)"
	same "$(sed -n 's/^[0-9]*: \([a-z_]*\) .*/\1/p;/tp_name\|attach_type\|tracepoint/p' links |
		grep -v '^iter')"
	same "$(sed -n 's/^pid [0-9]*  *fd [0-9]*: prog_id [0-9]* */ /p' perfs)"
	has 1 'tracepoint  name watch_exec' programs && has 1 'raw_tracepoint  name watch_exit' programs &&
		has 1 'tracing  name watch_wait' programs && has 1 "tp 'sched_process_exit'" links &&
		has 1 'tracepoint  *sched_process_exec' perfs && has 1 'tracepoint  *sys_enter_kill' perfs &&
		has 1 'raw_tracepoint  *sched_process_exit' perfs && has 1 '"name": "watch_exec"' one
}

# No program and no link is left.
nothing_left() {
	bpftool prog show >programs && bpftool link show >links && bpftool perf show >perfs &&
		cat programs links perfs || return
	! grep -q 'tracepoint\|tracing\|perf_event' programs links perfs
}

check 'execsnoop' execs
check 'opensnoop' opens
check 'exitsnoop' exits
check 'sigsnoop' signals
check 'tcplife' connections
check 'tcpstates' states
check 'biosnoop' disk disk_requests
check 'biolatency' disk disk_latencies
check 'runqlat' run_queues
check 'softirqs' soft_interrupts
check 'syscount' calls
check 'cachestat' page_cache
check 'readahead' disk pages_read_ahead
check 'biostacks' disk request_stacks
check 'numamove' page_moves
check 'mdflush' flushes
check 'tp-watch, with types relocated to this kernel' watches
check 'bpftool prog, link and perf' shows
check 'nothing is left' nothing_left
