#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Common uses of trace-cmd, with checks of their results. For scripts/trace-cmd, which
# also reads the recorded files and their reports: they come last, after lines '@@ NAME'.
# shellcheck disable=SC2016,SC2317 # $arg is the kernel's; check calls the functions
cd /tmp || exit 1
tracing=/sys/kernel/tracing
n=0
bad=0

# check NAME COMMAND...
check() {
	n=$((n + 1))
	name=$1
	shift
	if out=$("$@" 2>&1); then
		echo "ok $n $name"
	else
		echo "not ok $n $name"
		echo "$out" | sed 's/^/# /'
		bad=1
	fi
}

lists() {
	trace-cmd list -e | sed 's/^[[:space:]]*//;/^$/d' | sort >listed
	sort "$tracing/available_events" | cmp - listed || return
	trace-cmd list -e sched:sched_switch -F | grep -q 'field:pid_t next_pid' &&
		trace-cmd list -t | grep -q nop && trace-cmd list -o | grep -q event-fork &&
		trace-cmd list -C | grep -q '\[local\]'
}

# Each true is a process: one fork, one exec, one exit.
work() {
	i=0
	while [ "$i" -lt 20 ]; do
		/bin/busybox true
		i=$((i + 1))
	done
}

records() {
	trace-cmd record -q -e sched:sched_process_exec -e sched:sched_switch \
		-e syscalls:sys_enter_openat /job work || return
	trace-cmd report -N >reported || return
	[ "$(grep -c 'sched_process_exec:.*filename=/bin/busybox' reported)" -ge 20 ] &&
		grep -q 'sched_switch:.*next_pid=' reported &&
		grep -q 'sys_enter_openat:' reported &&
		[ "$(cat "$tracing/events/enable")" = 0 ]
}

records_in_instance() {
	trace-cmd record -q -o inst.dat -B mine -e sched:sched_process_exec /job work ||
		return
	[ "$(trace-cmd report -i inst.dat | grep -c 'filename=/bin/busybox')" -ge 20 ] &&
		[ ! -e "$tracing/instances/mine" ]
}

# Record only /job and its children.
follows_forks() {
	trace-cmd record -q -o fork.dat -F -c -e syscalls:sys_enter_openat \
		-e sched:sched_process_exec /job work || return
	[ "$(trace-cmd report -i fork.dat | grep -c 'filename=/bin/busybox')" -ge 20 ] &&
		[ -z "$(cat "$tracing/set_event_pid")" ]
}

streams() {
	# It reads whole pages, and may not show those that are not full at the end.
	trace-cmd stream -b 20 -e syscalls -e sched:sched_process_exec /job work >streamed ||
		return
	wc streamed
	grep -q 'sched_process_exec:.*filename=/bin/busybox' streamed
}

extracts() {
	trace-cmd start -e sched:sched_process_exec || return
	work
	trace-cmd stop && trace-cmd show | grep -q sched_process_exec &&
		trace-cmd extract -o extracted.dat || return
	[ "$(trace-cmd report -i extracted.dat | grep -c 'filename=/bin/busybox')" -ge 20 ]
}

snapshots() {
	trace-cmd start -e sched:sched_process_exec || return
	work
	trace-cmd snapshot -s && trace-cmd stop || return
	[ "$(trace-cmd snapshot | grep -c 'filename=/bin/busybox')" -ge 20 ] &&
		trace-cmd snapshot -f && trace-cmd snapshot | grep -q 'Snapshot is freed'
}

resets() {
	trace-cmd start -e sched -e irq -b 300 || return
	trace-cmd reset || return
	[ "$(cat "$tracing/events/enable")" = 0 ] && [ "$(cat "$tracing/tracing_on")" = 1 ] &&
		! grep -q '^ .*: ' "$tracing/trace"
}

stat_says() {
	trace-cmd start -e sched:sched_switch && trace-cmd stat | grep -q sched_switch &&
		trace-cmd reset && ! trace-cmd stat | grep -q sched_switch
}

# define DEFINITION...: make dynamic events
define() {
	for line; do
		echo "$line" >>"$tracing/dynamic_events" || { echo "refused: $line"; return 1; }
	done
}

# undefine: remove all, which fails if one is still in use
undefine() {
	echo >"$tracing/dynamic_events" && [ ! -s "$tracing/dynamic_events" ]
}

# lines COUNT PATTERN FILE: so many lines match
lines() {
	found=$(grep -cE "$2" "$3")
	[ "$found" = "$1" ] && return
	echo "$found lines, not $1, with '$2' in $3:"
	head -n 20 "$3"
	return 1
}

# Open a known file five times.
opens() {
	for _ in 1 2 3 4 5; do
		/bin/busybox cat /etc/passwd >/dev/null
	done
}

# The place of a program's first instruction in its file: the entry of its header, which is an
# address if the program is one that has a fixed place in memory (type 2)
entry_of() {
	entry=$(hexdump -s 24 -n 4 -e '1/4 "%d"' "$1")
	[ "$(hexdump -s 16 -n 2 -e '1/2 "%d"' "$1")" != 2 ] || entry=$((entry - 0x400000))
	printf '0x%x' "$entry"
}

# Arguments of each kind: registers, strings of the kernel and of programs, arrays, bits, a
# symbol, a returned value. Debian's libtraceevent does not understand the format of a char.
records_kprobes() {
	values='bits=+0($arg2):b4@0/8 name=+0($arg2):string exec=$arg3:u8 hex=\300:x16'
	values="letters=+0(\$arg2):u8[4] $values from=\$stack0:symbol"
	define 'p:tc/opens do_sys_openat2 dfd=$arg1:s32 name=+0($arg2):ustring' \
		'r:tc/opened do_sys_openat2 fd=$retval:s32' "p:tc/named __set_task_comm $values" ||
		return
	trace-cmd record -q -o probes.dat -e tc /job opens || return
	trace-cmd report -N -i probes.dat >probes || return
	values='letters=\{98,117,115,121\} bits=2 name="busybox" exec=1 hex=0x12c'
	lines 5 ' opens: +\([0-9a-f]+\) dfd=-100 name="/etc/passwd"$' probes &&
		lines 5 " named: +\\([0-9a-f]+\\) $values from=begin_new_exec" probes || return
	[ "$(grep -cE ' opened: +\([0-9a-f]+ <- [0-9a-f]+\) fd=3$' probes)" -ge 5 ] || return
	undefine
}

# The program's stack begins with the number of its arguments, and pointers to them.
records_uprobe() {
	values='argc=+0(%sp):s32 name=+0(+8(%sp)):string file=+0(+24(%sp)):string'
	place=/bin/busybox:$(entry_of /bin/busybox)
	define "p:tc/starts $place $values first=+0(+16(%sp)):u8[3]" || return
	trace-cmd record -q -o uprobe.dat -e tc:starts /job opens || return
	trace-cmd report -N -i uprobe.dat >uprobe || return
	values='argc=3 name="/bin/busybox" file="/etc/passwd" first=\{99,97,116\}'
	lines 5 " starts: +\\([0-9a-f]+\\) $values\$" uprobe && undefine
}

records_event_probe() {
	values='file=$filename:string id=$pid:s32 old=$old_pid'
	define "e:tc/execs sched.sched_process_exec $values" || return
	trace-cmd record -q -o eprobe.dat -e tc:execs -f 'file == "/bin/busybox"' /job opens ||
		return
	trace-cmd report -N -i eprobe.dat >eprobe || return
	values='file="/bin/busybox" id=[0-9]+ old=0x[0-9a-f]+'
	lines 5 ' execs: +' eprobe && lines 5 " $values\$" eprobe || return
	# Both are the same process, in decimal and hexadecimal.
	sed -n 's/.* id=\(.*\) old=/\1 /p' eprobe | while read -r id old; do
		[ "$id" = $((old)) ] || echo "$id is not $old"
	done | grep . && return 1
	undefine
}

# An event in an instance has its records there only.
probes_in_instance() {
	define 'p:tc/opens do_sys_openat2 name=+0($arg2):ustring' || return
	trace-cmd record -q -o probes2.dat -B mine -e tc:opens -f 'name == "/etc/passwd"' \
		/job opens || return
	trace-cmd report -i probes2.dat >probes2 || return
	lines 5 ' opens: ' probes2 || return
	lines 5 ' opens: +\([0-9a-f]+\) name="/etc/passwd"$' probes2 &&
		[ ! -e "$tracing/instances/mine" ] && undefine
}

shows_probes() {
	define 'p:tc/opens do_sys_openat2 name=+0($arg2):ustring' || return
	trace-cmd start -e tc:opens -f 'name == "/etc/passwd"' && opens && trace-cmd stop &&
		trace-cmd show >shown || return
	lines 5 ' opens: \(do_sys_openat2\+0x0/0x[0-9a-f]+\) name="/etc/passwd"$' shown || return
	trace-cmd list -e tc:opens -F >format && grep -q 'field:__data_loc char\[\] name;' format ||
		return
	# It removes dynamic events, too.
	trace-cmd reset && [ ! -s "$tracing/dynamic_events" ]
}

case ${1:-} in
work | opens)
	"$1"
	exit
	;;
esac
echo 'TAP version 13'
check "list" lists
check "record and report" records
check "record in an instance" records_in_instance
check "record of a task and its children" follows_forks
check "stream" streams
check "start, stop, show and extract" extracts
if [ -e "$tracing/snapshot" ]; then
	check "snapshot" snapshots
else
	n=$((n + 1))
	echo "ok $n snapshot # SKIP the kernel has no snapshots"
fi
check "stat" stat_says
check "record of kprobes and kretprobes" records_kprobes
check "record of a uprobe" records_uprobe
check "record of an event probe" records_event_probe
check "record of a kprobe in an instance" probes_in_instance
check "start and show of a kprobe" shows_probes
check "reset" resets
echo "1..$n"
for file in trace.dat reported probes.dat probes uprobe.dat uprobe eprobe.dat eprobe; do
	echo "@@ $file"
	base64 "$file"
done
echo '@@ end'
exit $bad
