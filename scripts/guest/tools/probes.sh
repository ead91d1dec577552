# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2016,SC2094,SC2119,SC2317
# The words in quotes are not the shell's, -i is input, and check calls the functions.
# Dynamic events with the tools that define them: perf probe, and bpftrace's probes of functions of
# the kernel and of programs; in a distribution's kernel those of bcc, too.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh

libc=/lib/x86_64-linux-gnu/libc.so.6
python=/usr/bin/python3

probe() { perf probe -q "$@"; }

# tested NAME COMMAND...: check, without the events that a case that failed has left
tested() {
	echo >"$tracing/dynamic_events"
	check "$@"
}

# recorded EVENTS COMMAND...: record these events of the command; their text goes to the file
# script, without addresses
recorded() {
	events=$1
	shift
	perf record -q -B -N -o data -e "$events" "$@" >/dev/null &&
		perf script -i data -F comm,event,trace 2>bad |
		sed 's/(\([0-9a-f]\{6,\}\( <- \)*\)*)/(\2)/; s/0x[0-9a-f]\{6,\}/ADDRESS/g' >script
}

# What the list in tracefs says, without the places of functions
defined() { sed 's/_text+[0-9]*/PLACE/; s/:0x[0-9a-f]*/:PLACE/' "$tracing/$1_events"; }

# No dynamic event is left.
nothing_defined() {
	[ ! -s "$tracing/dynamic_events" ] && return
	echo 'left:'
	cat "$tracing/dynamic_events"
	echo >"$tracing/dynamic_events"
	return 1
}

# shown PATTERN FILE COMMAND...: repeat the command until the output of a tool shows it; a tool
# prints its first line before it is attached
shown() {
	pattern=$1
	file=$2
	shift 2
	turns=0
	until grep -q -e "$pattern" "$file"; do
		turns=$((turns + 1))
		[ $turns -lt 60 ] || break
		"$@" >/dev/null
		sleep 0.3
	done
	finish
	has 1 "$pattern" "$file"
}

# refused COMMAND...: it fails, and says the same with both engines
refused() {
	! "$@" >why 2>&1 || { echo "not refused: $*"; return 1; }
	same "$*: $(cat why)"
}

functions() {
	probe -a 'opens=do_filp_open dfd=%di:s32 name=+0(+0(%si)):string' &&
		probe -a 'do_filp_open $stack0 $comm' &&
		probe -a 'do_filp_open%return file=$retval' || return
	perf probe -l >listed
	same "$(cat listed; defined kprobe; perf list 'probe:*' 2>/dev/null)"
	has 1 '^ *probe:opens *(on do_filp_open with dfd name)' listed || return
	recorded 'probe:*' cat /etc/hostname || return
	same "$(cat script)"
	has 1 ' cat  *probe:opens: () dfd=-100 name="/etc/hostname"$' script &&
		has 3 ' cat  *probe:do_filp_open: () arg1=ADDRESS arg2="cat"$' script &&
		has 3 ' probe:do_filp_open__return: ( <- ) file=ADDRESS$' script || return
	probe -d probe:opens && perf probe -l >listed && ! grep opens listed || return
	probe -d 'probe:*' && nothing_defined
}

filters() {
	probe -a 'opened=do_filp_open dfd=%di:s32 name=+0(+0(%si)):string' || return
	perf record -q -B -N -o data -e probe:opened --filter 'name ~ "*hostname" && dfd < 0' \
		cat /etc/hostname && perf script -i data -F trace >script 2>bad || return
	same "$(sed 's/(.*)//' script)"
	[ "$(wc -l <script)" = 1 ] && has 1 'dfd=-100 name="/etc/hostname"' script || return
	perf stat -x, -o stat -e probe:opened --filter 'name == "/etc/hostname"' cat /etc/hostname ||
		return
	has 1 '^1,.*probe:opened' stat || return
	perf stat -e probe:opened --filter 'nothing == 1' true 2>bad && return 1
	probe -d 'probe:*' && nothing_defined
}

# With debugging information, by the names of arguments and the members of structures
debugging_information() {
	vmlinux=$(cat /tmp/tools/objects)/vmlinux
	perf probe -k "$vmlinux" -V do_filp_open >variables || return
	same "$(cat variables)"
	has 1 'struct filename\*[[:space:]]*pathname$' variables || return
	probe -k "$vmlinux" -a 'do_filp_open dfd name=pathname->name:string op->open_flag' &&
		probe -k "$vmlinux" -a 'vfs_open%return $retval' || return
	perf probe -k "$vmlinux" -l >listed
	same "$(cat listed; defined kprobe)"
	recorded 'probe:*' cat /etc/hostname || return
	same "$(cat script)"
	has 1 'probe:do_filp_open: () dfd=-100 name="/etc/hostname" open_flag=32768$' script &&
		has 1 'probe:vfs_open__return: ( <- ) arg1=0x0' script || return
	probe -d 'probe:*' && nothing_defined
}

# One definition for each function that matches
patterns() {
	probe --max-probes 50 -a 'vfs_r* %di' && perf probe -l >listed || return
	same "$(cat listed)"
	has 5 'probe:vfs_r[a-z]* ' listed || return
	perf stat -x, -o stat -e 'probe:*' cat /etc/hostname || return
	same "$(grep -v '^#' stat | cut -d, -f1,3)"
	has 1 '^[3-9],.*probe:vfs_read,' stat && has 1 '^0,.*probe:vfs_rmdir' stat || return
	refused perf probe --max-probes 2 -a 'vfs_r*' || return
	probe -d 'probe:vfs_r*' && nothing_defined
}

refusals() {
	refused perf probe -a '__x64_sys_getppid+2' && refused perf probe -a nosuchfunction &&
		refused perf probe -a 'do_filp_open%return+4' &&
		refused perf probe -a 'do_filp_open a=%nosuch' &&
		refused perf probe -a 'do_filp_open a=$nosuch' &&
		refused perf probe -a 'do_filp_open a=%di:nosuch' &&
		refused perf probe -a __fentry__ && refused perf probe -d 'probe:*' || return
	probe -a do_filp_open && refused perf probe -a do_filp_open &&
		probe -f -a do_filp_open && perf probe -l >listed || return
	same "$(cat listed)"
	has 1 'probe:do_filp_open_1 ' listed && probe -d 'probe:*' && nothing_defined
}

# The kernel's part of a callchain begins with the function, and after a return with its caller.
callchains() {
	probe -a do_filp_open && probe -a 'do_filp_open%return' || return
	perf record -q -B -N -g -o data -e 'probe:*' cat /etc/hostname >/dev/null || return
	for event in do_filp_open do_filp_open__return; do
		perf script -i data -F event,ip,sym 2>bad |
			sed -n "/probe:$event:/,/^\$/s/^[[:space:]]*[0-9a-f]* \([a-z_][^:]*\)\$/\1/p" >frames
		has 5 . frames || return
		same "$event: $(head -n 5 frames)"
	done
	probe -d 'probe:*' && nothing_defined
}

# A function of a module. perf reads its file, which may be in the guest's own root only.
module_functions() {
	module=tp_events
	if [ ! -d "/lib/modules/$(uname -r)" ]; then
		module=/tmp/tp_events.ko
		cp "/proc/1/root/lib/modules/$(uname -r)/tp-events.ko" $module || return
	fi
	probe -m $module -a 'events_write count=%dx:u64' &&
		probe -m $module -a 'events_write%return ret=$retval:s64' || return
	perf probe -l >listed
	same "$(cat listed; defined kprobe)"
	has 2 'probe:events_write.* (on events_write' listed || return
	recorded 'probe:*' sh -c 'echo red >/proc/tracepoint-events' || return
	same "$(cat script)"
	has 1 ' probe:events_write: () count=4$' script &&
		has 1 ' probe:events_write__return: ( <- ) ret=4$' script || return
	refused perf probe -m $module -a nosuchfunction &&
		refused perf probe -m nosuchmodule -a events_write || return
	probe -d 'probe:*' && nothing_defined
}

# A module of the distribution's, which is loaded after an event is made of its function
module_loaded_later() {
	echo 'p:mine/sent dummy:dummy_xmit' >>"$tracing/dynamic_events" || return
	modprobe dummy || { echo 'no module dummy'; return 1; }
	ip link add dummy8 type dummy && ip addr add 10.8.8.1/24 dev dummy8 &&
		ip link set dummy8 up || return
	perf stat -x, -o stat -e mine:sent $python -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(1, 6, 1)
s.sendto(bytes(100), ("10.8.8.255", 9))' || return
	has 1 '^[1-9],.*mine:sent' stat || return
	perf probe -m dummy -a dummy_xmit && perf probe -l >listed || return
	same "$(cat listed)"
	has 1 'probe:dummy_xmit *(on dummy_xmit.* in dummy' listed || return
	ip link del dummy8 && await rmmod dummy || return
	# The events are silent, and can be removed.
	same "$(defined kprobe)"
	has 2 dummy_xmit "$tracing/kprobe_events" || return
	echo >"$tracing/dynamic_events"
	nothing_defined
}

program_functions() {
	probe -x /tmp/tools/getppid -a 'main argc argv' -a 'do_getppids count' &&
		probe -x /tmp/tools/getppid -a 'main%return $retval' &&
		probe -x $libc -a 'getenv name=+0(%di):string' || return
	perf probe -l >listed
	same "$(cat listed; defined uprobe)"
	recorded 'probe_getppid:*' /tmp/tools/getppid 7 || return
	same "$(cat script)"
	has 1 'probe_getppid:main: () argc=2 argv=ADDRESS' script &&
		has 1 'probe_getppid:do_getppids: () count=7' script &&
		has 1 'probe_getppid:main__return: ( <- ) arg1=0x0' script || return
	recorded 'probe_libc:*' cat /etc/hostname || return
	same "$(cat script)"
	has 1 'probe_libc:getenv: () name="POSIXLY_CORRECT"' script || return
	# Counted on all CPUs, in all processes
	perf stat -x, -a -o stat -e probe_getppid:do_getppids \
		sh -c '/tmp/tools/getppid; /tmp/tools/getppid' || return
	has 1 '^2,.*do_getppids' stat || return
	probe -d 'probe_getppid:*' -d 'probe_libc:*' && nothing_defined
}

program_callchains() {
	probe -x /tmp/tools/getppid -a do_getppids || return
	perf record -q -B -N -g -o data -e 'probe_getppid:*' /tmp/tools/getppid 7 || return
	perf script -i data -F event,ip,sym 2>bad >script
	same "$(sed -n 's/^[[:space:]]*[0-9a-f]* \([a-z_].*\)/\1/p' script)"
	has 1 ' do_getppids$' script && has 1 ' main$' script || return
	probe -d 'probe_getppid:*' && nothing_defined
}

# Probes that a program has been compiled with. While one of python's is not counted in its
# semaphore, python does not reach it.
static_probes() {
	perf buildid-cache --add "$(readlink -f $python)" && perf list sdt 2>/dev/null >listed || return
	same "$(cat listed)"
	has 1 'sdt_python:gc__start ' listed || return
	probe sdt_python:gc__start && probe sdt_python:gc__done || return
	same "$(sed 's/(0x[0-9a-f]*)/(COUNT)/' "$tracing/uprobe_events")"
	has 2 '(0x[0-9a-f]*)' "$tracing/uprobe_events" || return
	recorded 'sdt_python:*' $python -c 'import gc; gc.disable(); gc.collect(1); gc.collect(1)' ||
		return
	same "$(grep 'gc__start: .*arg1=1' script)"
	has 2 'sdt_python:gc__start: () arg1=1$' script && has 2 'gc__done: () arg1=' script || return
	probe -d 'sdt_python:*' && nothing_defined
}

traced() {
	probe -a 'opens=do_filp_open dfd=%di:s32 name=+0(+0(%si)):string' || return
	perf trace -o traced --no-syscalls -e probe:opens/max-stack=2/ cat /etc/hostname || return
	has 1 'probe:opens(__probe_ip: .*, dfd: .*, name: "/etc/hostname")' traced &&
		has 3 ' do_sys_openat2 ' traced || return
	same "$(sed -n 's/.*__probe_ip: [-0-9]*//p' traced)"
	probe -d 'probe:*' && nothing_defined
}

# Events of each kind in one command of perf. Not every kernel has function probes.
all_kinds() {
	{
		echo 'p:mine/a vfs_open flags=+0(%si):x32'
		echo 'r:mine/b vfs_open ret=$retval:s32'
		echo 'p:mine/e /tmp/tools/getppid:0x1000'
	} >definitions
	if grep -q 'f\[:' "$tracing/README"; then
		echo 't:mine/c sched_process_exec' >>definitions
		echo 'f:mine/d vfs_read' >>definitions
	fi
	while read -r line; do
		echo "$line" >>"$tracing/dynamic_events" || { echo "refused: $line"; return 1; }
	done <definitions
	same "$(cat "$tracing/dynamic_events")"
	perf stat -x, -o stat -e 'mine:*' cat /etc/hostname || return
	same "$(grep -v '^#' stat | cut -d, -f1,3)"
	has 1 '^[1-9],.*mine:a' stat && has 1 '^[1-9],.*mine:b' stat && has 1 '^0,.*mine:e' stat ||
		return
	if grep -q 'mine/c' definitions; then
		has 1 '^1,.*mine:c' stat && has 1 '^[1-9],.*mine:d' stat || return
	fi
	recorded 'mine:*' cat /etc/hostname || return
	same "$(cut -d= -f1 script)"
	has 1 'mine:b: ( <- ) ret=0' script || return
	echo >"$tracing/dynamic_events"
	nothing_defined
}

# perf's own tests that define probes
own_tests() {
	perf test 'vfs_getname' 'inet_pton' 'different CU' 'Probe SDT' 'BPF filter' >tested 2>&1
	sed -n 's/^ *[0-9.]*: *\(.*[^ ]\) *: \(.*\)/\1: \2/p' tested >results
	same "$(cat results)"
	cat tested
	has 1 'Add vfs_getname.*: \(Ok\|Skip\)' results && ! grep 'FAILED' results
}

# bpftrace

entries_and_returns() {
	trace 'kprobe:vfs_open /comm == "cat"/ { @[func, probe] = count(); @high = hist(arg0 >> 60); }
		kretprobe:vfs_open /comm == "cat"/ { @returned[retval, probe] = count(); }' \
		/bin/cat /etc/hostname || return
	same "$(cat traced)"
	has 1 '^@\[vfs_open, kprobe:vfs_open\]: [1-9]' traced &&
		has 1 '^@returned\[0, kretprobe:vfs_open\]: [1-9]' traced
}

structures() {
	trace 'kprobe:do_filp_open /comm == "cat"/ {
			printf("%d %s\n", arg0, str(((struct filename *)arg1)->name)); }' \
		/bin/cat /etc/hostname || return
	same "$(grep '^-' traced)"
	has 1 '^-100 /etc/hostname$' traced
}

stacks() {
	# The compiler may inline a function between these two.
	trace 'kprobe:do_filp_open /comm == "cat"/ { @in[kstack(5)] = count(); }
		kretprobe:do_filp_open /comm == "cat"/ { @out[kstack(5)] = count(); }' \
		/bin/cat /etc/hostname || return
	same "$(sed -n 's/^ *\([a-z_0-9]*\)+.*/\1/p' traced)"
	has 1 ' do_filp_open+' traced && has 2 ' __x64_sys_openat+' traced || return
	# The program has ended when bpftrace prints, so its functions have no names.
	trace 'uprobe:/tmp/tools/getppid:do_getppids { @[ustack(2)] = count(); }' /tmp/tools/getppid 1 ||
		return
	same "$(grep '^ *0x' traced)"
	has 2 '^ *0x' traced
}

# The second or third instruction of a function: with indirect branch tracking the call of the
# function hook comes after an instruction of four bytes.
offsets() {
	offset=
	for bytes in 5 9 4; do
		echo "p:mine/at __x64_sys_getppid+$bytes" >"$tracing/kprobe_events" || continue
		offset=$bytes
		break
	done 2>bad
	echo >"$tracing/kprobe_events"
	[ -n "$offset" ] || { cat bad; return 1; }
	same "offset $offset"
	trace "kprobe:__x64_sys_getppid+$offset /comm == \"getppid\"/ { @ = count(); }" \
		/tmp/tools/getppid 9 || return
	has 1 '^@: 9$' traced || return
	! bpftrace -e 'kprobe:__x64_sys_getppid+2 { @ = count(); }' -c /bin/true >bad 2>&1 &&
		! bpftrace -e 'kprobe:nosuchfunction { @ = count(); }' -c /bin/true >>bad 2>&1 || return
	same "$(cat bad)"
}

# Two programs on the entry of one function, and another on its return
several() {
	trace 'kprobe:__x64_sys_getppid /comm == "getppid"/ { @a = count(); }
		kprobe:__x64_sys_getppid /comm == "getppid"/ { @b = count(); }
		kretprobe:__x64_sys_getppid /comm == "getppid"/ { @c = count(); @d[retval == 0] = count(); }' \
		/tmp/tools/getppid 200 || return
	same "$(grep '^@' traced)"
	has 1 '^@a: 200$' traced && has 1 '^@b: 200$' traced && has 1 '^@c: 200$' traced &&
		has 1 '^@d\[0\]: 200$' traced
}

# The function does not run, and returns what the program says.
overrides() {
	echo 'import os; print(os.getppid())' >ask.py
	bpftrace --unsafe -e 'kprobe:__x64_sys_getppid /comm == "python3"/ { override(4242); }' \
		-c "$python /tmp/ask.py" >traced 2>bad || { cat traced bad; return 1; }
	has 1 '^4242$' traced
}

user_functions() {
	trace 'uprobe:/tmp/tools/getppid:main {
			printf("called %d %s\n", arg0, str(*(uint64 *)(arg1 + 8))); }
		uretprobe:/tmp/tools/getppid:main { printf("returns %d\n", retval); }
		uprobe:/tmp/tools/getppid:do_getppids { @[arg0] = count(); }' /tmp/tools/getppid 3 || return
	same "$(cat traced)"
	has 1 '^called 2 3$' traced && has 1 '^returns 0$' traced && has 1 '^@\[3\]: 1$' traced
}

libraries() {
	# A BPF program cannot read a string of a mapped file before the process has used its page.
	# These strings are on the heap.
	cat >names.py <<-'END'
	import ctypes, os
	os.environ["TRACED"] = "traced value"
	getenv = ctypes.CDLL("libc.so.6").getenv
	for name in b"TRACED", b"TRACED_NOT", b"TRACED":
	    getenv(name)
	END
	trace "uprobe:$libc:getenv /strncmp(str(arg0), \"TRACED\", 6) == 0/ { @[str(arg0)] = count(); }
		uretprobe:$libc:getenv /strncmp(str(retval), \"traced\", 6) == 0/ {
			@value[str(retval)] = count(); }" $python /tmp/names.py || return
	same "$(sort traced)"
	has 1 '^@\[TRACED\]: 2$' traced && has 1 '^@\[TRACED_NOT\]: 1$' traced &&
		has 1 '^@value\[traced value\]: 2$' traced
}

static_user_probes() {
	bpftrace -l "usdt:$python:*" >listed || return
	same "$(cat listed)"
	echo 'import gc; gc.disable(); gc.collect(1); gc.collect(1)' >collect.py
	trace "usdt:$python:python:gc__start { @[arg0] = count(); }" $python /tmp/collect.py || return
	has 1 '^@\[1\]: 2$' traced
}

# Tools that come with bpftrace

tool_capable() {
	start out capable.bt && shown ' chroot .* CAP_SYS_CHROOT ' out chroot / /bin/true
}

tool_vfscount() {
	start out vfscount.bt || return
	spawn 10
	[ ! -e "$tracing/enabled_functions" ] || await hooked vfs_read
	sleep 5
	spawn 10
	finish
	has 1 '^@\[vfs_read\]: [1-9]' out && has 1 '^@\[vfs_open\]: [1-9]' out
}

tool_hosts() {
	start out gethostlatency.bt && shown ' getent .* localhost' out getent ahosts localhost
}

connect() {
	$python - <<-'END'
	import socket
	server = socket.create_server(("127.0.0.1", 7791))
	client = socket.create_connection(("127.0.0.1", 7791))
	server.accept()[0].close()
	END
}

tool_connects() {
	start out tcpconnect.bt && shown ' python3 .* 127\.0\.0\.1 .* 7791' out connect
}

tool_accepts() {
	start out tcpaccept.bt && shown ' python3 .* 127\.0\.0\.1 .* 7791 ' out connect
}

tool_names() {
	start out dcsnoop.bt && shown ' cat .* M none$' out cat /none
}

# Cases for a distribution's kernel: bcc's tools need the kernel's headers.

# total PATTERN: the sum of the last words of the lines that match
total() { awk -v pattern="$1" '$0 ~ pattern { sum += $NF } END { print sum + 0 }' out; }
totals() { [ "$(total "$1")" -ge "$2" ]; }

# A function of the kernel and one of a program, counted each second. Debian's tool fails to print
# the name of a tracepoint. A shell that starts makes the system call, too.
bcc_funccount() {
	bcc 'Tracing 1 functions' funccount-bpfcc -i 1 __x64_sys_getppid && /tmp/tools/getppid 100 &&
		await totals getppid 100
	bcc_end
	totals getppid 100 || { cat out; return 1; }
	bcc 'Tracing 1 functions' funccount-bpfcc -i 1 /tmp/tools/getppid:do_getppids &&
		/tmp/tools/getppid 5 && /tmp/tools/getppid 5 && await totals do_getppids 2
	bcc_end
	totals do_getppids 2 || { cat out; return 1; }
}

bcc_trace() {
	bcc COMM trace-bpfcc 'p::do_sys_openat2 "%d %s", arg1, arg2@user' \
		'r::__x64_sys_getppid "is %d", retval > 0' \
		'p:/tmp/tools/getppid:do_getppids "of %d", arg1' \
		't:sched:sched_process_exec "old %d", args->old_pid' &&
		await traced_open && /tmp/tools/getppid 3 && await grep -q 'do_getppids.* of 3' out
	sleep 1
	bcc_end
	has 1 ' cat .* do_sys_openat2 .*-100 /etc/hostname' out &&
		has 3 ' getppid .* __x64_sys_getppid .*is 1$' out &&
		has 1 ' getppid .* do_getppids .*of 3$' out &&
		has 1 ' getppid .* sched_process_exec .*old [1-9]' out
}
traced_open() { cat /etc/hostname && grep -q ' cat .*/etc/hostname' out; }

bcc_argdist() {
	bcc '^\[' argdist-bpfcc -i 1 -C 'p::do_filp_open(int dfd):int:dfd' \
		-C 'p:/tmp/tools/getppid:do_getppids(long count):long:count' \
		-C 't:sched:sched_process_exec():int:args->pid == args->old_pid' &&
		/tmp/tools/getppid 77 && await grep -q 'count = 77' out
	bcc_end
	has 1 '[1-9][0-9]* *dfd = -100$' out && has 1 '^[[:space:]]*1 *count = 77$' out &&
		has 1 '[1-9][0-9]* *args->pid == args->old_pid = 1$' out
}

tested 'perf probe: functions' functions
tested 'perf probe: filters' filters
tested 'perf probe: debugging information' debugging_information
tested 'perf probe: patterns' patterns
tested 'perf probe: refusals' refusals
tested 'perf probe: callchains' callchains
tested 'perf probe: functions of a module' module_functions
tested 'perf probe: functions of programs' program_functions
tested 'perf probe: callchains of programs' program_callchains
tested 'perf probe: static probes' static_probes
tested 'perf trace of probes' traced
tested 'perf stat and record of each kind' all_kinds
tested 'perf test of probes' own_tests
tested 'bpftrace: kprobe and kretprobe' entries_and_returns
tested 'bpftrace: structures' structures
tested 'bpftrace: stacks' stacks
tested 'bpftrace: offsets in functions' offsets
tested 'bpftrace: several probes of a function' several
tested 'bpftrace: override' overrides
tested 'bpftrace: uprobe and uretprobe' user_functions
tested 'bpftrace: uprobes in a library' libraries
tested 'bpftrace: usdt' static_user_probes
tested 'capable.bt' tool_capable
tested 'vfscount.bt' tool_vfscount
tested 'gethostlatency.bt' tool_hosts
tested 'tcpconnect.bt' tool_connects
tested 'tcpaccept.bt' tool_accepts
tested 'dcsnoop.bt' tool_names
if [ -e /tmp/tools/modules ]; then
	tested 'perf probe: functions of a module that is loaded later' module_loaded_later
	tested 'bcc: funccount' bcc_funccount
	tested 'bcc: trace' bcc_trace
	tested 'bcc: argdist' bcc_argdist
fi
check 'nothing is left' nothing_defined
check 'the kernel did not complain' untainted
