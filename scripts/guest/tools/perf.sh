# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2317,SC2094 # check calls the functions; -i is input
# Common uses of perf with trace events.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh

# Without messages and build ids.
record() { perf record -q -B -N "$@"; }

lists() {
	perf list tracepoint >listed || return
	sed -n 's/^ *\([^ ]*:[^ ]*\) .*\[Tracepoint event\].*/\1/p' listed | sort >list
	# perf lists every event with an id, also those of events/ftrace, which cannot be enabled.
	(cd "$tracing/events" && echo */*/id | tr ' ' '\n' | sed 's,/id$,,; s,/,:,' | sort) >available
	same "$(comm -23 list available; comm -13 list available)"
	has 300 : list && sort "$tracing/available_events" | comm -13 list - >missing &&
		[ ! -s missing ]
}

counts() {
	perf stat -x, -o stat -e sched:sched_process_exec -e sched:sched_process_fork \
		-e syscalls:sys_enter_kill \
		sh -c '. /tmp/tools/lib.sh; spawn 20; kill -0 $$' || return
	same "$(grep -v '^#' stat | cut -d, -f1,3)"
	has 1 '^21,.*sched_process_exec' stat && has 1 '^20,.*sched_process_fork' stat &&
		has 1 '^1,.*sys_enter_kill' stat
}

# Count in the task itself only, without its children; and on each CPU separately.
counts_less() {
	perf stat -x, -i -o stat -e sched:sched_process_exec \
		sh -c '. /tmp/tools/lib.sh; spawn 20' || return
	has 1 '^1,.*sched_process_exec' stat || return
	perf stat -x, -A -a -o stat -e sched:sched_process_exit \
		taskset 2 sh -c '. /tmp/tools/lib.sh; spawn 20' || return
	has 1 '^CPU0,0,' stat && has 1 '^CPU1,2[1-9],' stat
}

counts_filtered() {
	perf stat -x, -a -o stat -e sched:sched_process_exec \
		--filter 'filename ~ "*bin/true" && pid > 1' \
		sh -c '. /tmp/tools/lib.sh; spawn 20; /bin/false; :' || return
	same "$(grep -v '^#' stat | cut -d, -f1,3)"
	has 1 '^20,' stat || return
	perf stat -a -e sched:sched_process_exec --filter 'nothing == 1' true 2>bad && return 1
	same "$(grep -v '^$' bad)"
}

records() {
	echo 1 >/proc/sys/kernel/sched_schedstats
	record -a -m 1M -o data -e net:netif_receive_skb -e 'sched:*' \
		sh -c '. /tmp/tools/lib.sh; traffic 20; spawn 20' || return
	perf report -i data --stdio -n -s comm,dso >report 2>report.err || { cat report.err; return 1; }
	has 1 "of event 'net:netif_receive_skb'" report &&
		has 1 "of event 'sched:sched_switch'" report || return
	perf script -i data -F comm,tid,cpu,time,event,trace >script || return
	# A request and its reply, each of 100 bytes and two headers.
	has 40 '^ *busybox .* net:netif_receive_skb: dev=lo skbaddr=0x[0-9a-f]* len=128$' script &&
		has 20 '^ *true .* sched:sched_process_exec: filename=/bin/true pid=\([0-9]*\) ' script &&
		has 20 '^ *true .* sched:sched_process_exit: comm=true pid=' script &&
		has 20 ' sched:sched_switch: .* ==> next_comm=true next_pid=' script &&
		has 1 ' sched:sched_stat_runtime: comm=true pid=[0-9]* runtime=[1-9][0-9]* ' script ||
		return
	# The sample of a switch is of the previous task.
	sed -n 's/.* \([0-9]*\) \[00[01]\].* sched:sched_switch: prev_comm=.* prev_pid=\([0-9]*\) .*/\1 \2/p' \
		script | awk '$1 != $2 { print; bad = 1 } END { exit NR < 40 || bad }' || return
	# The sample of an exec is of the process that its text names.
	sed -n 's/^ *true  *\([0-9]*\) .*sched_process_exec: .* pid=\([0-9]*\) .*/\1 \2/p' script |
		awk '$1 != $2 { bad = 1 } END { exit NR < 20 || bad }' || return
	# perf script and perf report find the same number of samples of each event.
	perf script -i data -F event | sort | uniq -c | awk '{ print $2, $1 }' >events
	perf report -i data --stdio -n -s comm 2>/dev/null | awk '
		/^# Samples:/ { split($0, part, "\047"); name = part[2] ":" }
		/^ .*%/ { sum[name] += $2 }
		END { for (name in sum) print name, sum[name] }' | sort >summed
	sort events | diff - summed || return
	same "$(grep 'netif_receive_skb\|sched_process_exec' events | sed 's/ [0-9]*$//')"
}

# No record is lost.
records_all() {
	record -m 4M -o data -e syscalls:sys_enter_getppid -e syscalls:sys_exit_getppid \
		/tmp/tools/getppid 5000 || return
	perf script -i data -F event,trace --ns >script || return
	sed 's/0x[0-9a-f]*$/PID/' script | sort | uniq -c >counted
	same "$(cat counted)"
	has 1 ' 5000 .*sys_enter_getppid' counted && has 1 ' 5000 .*sys_exit_getppid' counted
}

callchains() {
	record -g -o data -e syscalls:sys_enter_getppid -e sched:sched_process_exec \
		/tmp/tools/getppid 50 || return
	perf script -i data -F event,ip,sym,trace >script || return
	has 50 'sys_enter_getppid' script && has 50 ' main$' script &&
		has 1 'sched:sched_process_exec: filename=/tmp/tools/getppid' script &&
		has 1 ' bprm_execve$' script && has 1 ' __x64_sys_execve' script || return
	# The kernel's part begins with the caller of the tracepoint. If the tracepoint has several
	# probes, classic's begins with the function that calls them.
	sed -n '/sched_process_exec:/,/^$/s/^[[:space:]]*[0-9a-f]* \([a-z_][^:]*\)$/\1/p' script |
		grep -v __traceiter_ >frames
	has 4 . frames || return
	same "$(cat frames)"
}

filters_record() {
	record -a -o data -e sched:sched_process_exit --filter 'comm == "true"' \
		-e net:netif_receive_skb --filter 'len > 100000' \
		sh -c '. /tmp/tools/lib.sh; spawn 10; traffic 2' || return
	perf script -i data -F event,trace >script || return
	same "$(sed 's/pid=.*//' script | sort | uniq -c)"
	[ "$(grep -c 'comm=true ' script)" = 10 ] && [ "$(wc -l <script)" = 10 ]
}

# The period of a sample is the value that its event passes to __perf_count().
weights() {
	record -a -o data -e sched:sched_stat_runtime sh -c '. /tmp/tools/lib.sh; spawn 20' || return
	perf script -i data -F event,period,trace >script || return
	sed -n 's/^ *\([0-9]*\) .* runtime=\([0-9]*\) .*/\1 \2/p' script |
		awk '$1 != $2 { print; bad = 1 } END { exit NR < 20 || bad }'
}

traces() {
	perf trace -o traced -e openat,getppid,kill sh -c '/tmp/tools/getppid 3; kill -0 $$; cat /etc/hostname' ||
		return
	has 3 'getppid() *= [1-9]' traced && has 1 'kill(pid: [0-9]* (sh)) *= 0' traced &&
		has 1 'openat(dfd: CWD, filename: .*) *= [3-9]' traced || return
	same "$(sed -n 's/.*: sh\/[0-9]* \(kill\)(.*= 0$/\1/p; s/.*: \(getppid\)\/[0-9]* \(getppid()\) .*/\1 \2/p' traced)"
	perf trace -o traced --no-syscalls -e sched:sched_process_exec,net:netif_receive_skb \
		sh -c '. /tmp/tools/lib.sh; traffic 2; /bin/true' || return
	has 1 'sched:sched_process_exec(filename: "/bin/true", pid: [0-9]* (true), old_pid: [0-9]*' traced &&
		has 4 'net:netif_receive_skb(skbaddr: 0x[0-9a-f]*, len: 128, name: "lo")' traced || return
	perf trace -o traced -s /tmp/tools/getppid 100 || return
	has 1 '^ *getppid  *100 ' traced
}

sched() {
	perf sched record -q -m 1M -o data sh -c '. /tmp/tools/lib.sh; spawn 20; traffic 5' || return
	perf sched latency -i data >latency || return
	has 1 '^  true:(20) ' latency && has 1 '^  busybox:' latency &&
		! grep -i 'lost\|bug' latency || return
	perf sched timehist -i data -s >timehist 2>/dev/null && has 20 '^ *true\[[0-9]*\] ' timehist || return
	perf sched map -i data >map && has 5 ' => true:' map || return
	perf sched script -i data >script && has 20 'sched:sched_process_fork: comm=sh ' script
}

# Addresses that the text shows as symbols.
allocations() {
	record -a -o data -e kmem:kmalloc -e kmem:kfree --filter 'ptr != 0' \
		sh -c '. /tmp/tools/lib.sh; spawn 5' 2>/dev/null || return
	perf script -i data -F event,trace >script
	has 5 'kmem:kmalloc: .*call_site=[a-z_0-9]*+0x[0-9a-f]* .* bytes_req=[0-9]* ' script
}

# perf's own tests of trace events: their results are compared. Those that define probes are in
# probes.sh.
own_tests() {
	perf test 'openat' 'mmap interface' 'Parse sched tracepoints fields' \
		'Test event parsing' 'Roundtrip evsel' 'Sample parsing' 'Number of exit events' \
		'dummy software event' 'Track with sched_switch' 'Event times' \
		'Read backward' 'sample_id_all' 'Event expansion' 'vfs_getname' 'pipe recording' \
		'perf record tests' 'perf stat tests' 'sys_enter' >tested 2>&1
	sed -n 's/^ *[0-9.]*: *\(.*[^ ]\) *: \(.*\)/\1: \2/p' tested >results
	same "$(cat results)"
	has 2 'openat.*: Ok' results && has 1 'sched tracepoints fields: Ok' results
}

check 'perf list' lists
check 'perf stat' counts
check 'perf stat of a task, of CPUs' counts_less
check 'perf stat with a filter' counts_filtered
check 'perf record, report and script' records
check 'perf record of all' records_all
check 'perf record with callchains' callchains
check 'perf record with filters' filters_record
check 'perf record of events with a weight' weights
check 'perf trace' traces
check 'perf sched' sched
check 'perf record of allocations' allocations
check 'perf test' own_tests
