# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2016,SC2317 # not the shell's variables; try calls the functions
# BPF programs on functions in a distribution's kernel, and tools that use them.
# shellcheck source=scripts/guest/tools/hooklib.sh
. /tmp/tools/hooklib.sh
# shellcheck source=scripts/guest/tools/disk.sh
. /tmp/tools/disk.sh
# shellcheck source=scripts/guest/tools/programs.sh
. /tmp/tools/programs.sh

modprobe loop

# counts NAME NUMBER
counts() {
	[ "$(value "$1")" = "$2" ] && return
	echo "$1 is $(value "$1"), not $2"
	bpftool map dump name function.bss
	return 1
}

# Both programs see one reader, and the text that it gets. kmod's commands are readers, too.
seen() {
	before=$(value exits)
	cat /proc/cmdline >text
	counts exits $((before + 1)) && counts entries $((before + 1)) &&
		counts text_length "$(wc -c <text)"
}

functions() {
	modprobe dummy && programs functions || return
	bpftool link show >links
	same "$(sed -n 's/^[0-9]*: \([a-z_]*\) .*/\1/p; s/.*\(attach_type [a-z_]*\).*/\1/p' links)"
	cp "$tracing/enabled_functions" enabled
	same "$(hooks_in enabled)"
	seen || return
	/tmp/tools/getppid 50
	[ "$(value multi_entries)" -ge 50 ] && [ "$(value multi_returns)" -ge 50 ] || return
	python3 -c 'import ctypes
for _ in range(20): ctypes.CDLL(None).syscall(111)'
	counts session_entries 20 && counts session_returns 10 || return
	refused mkdir /tmp/refused && counts refusals 1 && mkdir /tmp/allowed && rmdir /tmp/allowed || return
	# An attached program keeps the module loaded.
	ip link add dummy8 type dummy && ip addr add 10.8.8.1/24 dev dummy8 &&
		ip link set dummy8 up || return
	sent=$(value bytes_sent)
	python3 -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(1, 6, 1)
s.sendto(bytes(100), ("10.8.8.255", 9))'
	[ $(($(value bytes_sent) - sent)) -ge 142 ] && ip link del dummy8 && refused rmmod dummy
}

# A live patch of a function that programs are attached to: they see the new function.
functions_patched() {
	patch livepatch/livepatch-sample && seen && has 1 'has been live patched' text || return
	grep '^cmdline_proc_show ' "$tracing/enabled_functions" >enabled
	same "$(hooks_in enabled)"
	unpatch livepatch_sample && seen && ! grep 'has been live patched' text
}

functions_gone() {
	rm -r /sys/fs/bpf/functions && await unhooked cmdline_proc_show || return
	mkdir /tmp/refused && rmdir /tmp/refused && await modprobe -r dummy
}

# The other way round: programs on a function that is patched already.
patched_functions() {
	patch livepatch/livepatch-sample && modprobe dummy && programs functions || return
	seen && has 1 'has been live patched' text && unpatch livepatch_sample &&
		seen && ! grep 'has been live patched' text && functions_gone
}

# eight NUMBER: its bytes
eight() {
	number=$1
	for _ in 1 2 3 4 5 6 7 8; do
		printf ' %d' $((number & 255))
		number=$((number >> 8))
	done
}

# A program decides which files a cgroup may open.
restrict_file_systems() {
	grep -q bpf /sys/kernel/security/lsm || { cat /sys/kernel/security/lsm; return 1; }
	programs restrict-fs && mkdir -p cgroups && mount -t cgroup2 cgroup2 cgroups &&
		mkdir cgroups/jail || return
	echo hello >file
	# shellcheck disable=SC2046 # words
	bpftool map update name refused key $(eight "$(stat -c %i cgroups/jail)") \
		$(eight $((0x$(stat -f -c %t file)))) value 1 0 0 0 || return
	refused sh -c 'echo $$ >cgroups/jail/cgroup.procs; exec cat file' &&
		sh -c 'echo $$ >cgroups/jail/cgroup.procs; exec cat /proc/version' && cat file || return
	hooked bpf_lsm_file_open || return
	rm -r /sys/fs/bpf/restrict-fs
	await unhooked bpf_lsm_file_open || return
	sh -c 'echo $$ >cgroups/jail/cgroup.procs; exec cat file' >text && has 1 hello text || return
	rmdir cgroups/jail && umount cgroups
}

# Arguments and returned values.
with_arguments() {
	trace 'kretfunc:vfs_write /comm == "dd"/ { printf("%d of %d\n", retval, args->count); }
		kfunc:vfs_fsync_range /comm == "dd"/ { printf("fsync %d %lx\n", args->datasync, args->end); }' \
		/bin/dd if=/dev/zero of=/tmp/written bs=100 count=3 conv=fsync || return
	same "$(grep '^100 of\|^fsync' traced)"
	has 3 '^100 of 100$' traced && has 1 '^fsync 0 ' traced
}

# One link attaches a program to every function that matches a pattern.
wildcards() {
	trace 'kprobe:*_sys_getp*id /comm == "getppid"/ { @in[func] = count(); }
		kretprobe:*_sys_getp*id /comm == "getppid"/ { @out[func] = count(); }' \
		/tmp/tools/getppid 100 || return
	same "$(grep '^@' traced)"
	has 1 "^@in\[$syscalls\]: 100$" traced && has 1 '^@out\[.*\]: 100$' traced
}

function_lists() {
	bpftrace -l 'kprobe:vfs_*' >probes && bpftrace -l 'kfunc:vfs_r*' >functions || return
	same "$(sort functions)"
	has 30 '^kprobe:vfs_' probes && has 1 '^kfunc:.*vfs_read$' functions
}

# libbpf's tools that prefer programs on functions. A background job of the shell ignores
# the signal that finish sends, unless it has a handler: some end by themselves.

vfs_calls() {
	start out vfsstat 1 10 || return
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		cat /etc/hostname
	done >/dev/null
	finish ': *[1-9][0-9]* ' out
	has 1 ': *[1-9][0-9]* .* [1-9][0-9]* ' out
}

slow_files() {
	start out fsslower -t ext4 -m 0 || return
	on_disk ext4 mkfs.ext4 -q -F
	finish ' W .* 65536 ' out
	has 1 ' dd .* W' out && has 1 ' cat .* R .* moved' out && has 1 ' F ' out
}

file_latencies() {
	start out fsdist -t ext4 || return
	on_disk ext4 mkfs.ext4 -q -F
	finish
	same "$(sed -n 's/^operation = .\([a-z]*\).*/\1/p' out | sort)"
	has 1 "operation = 'write'" out && has 3 ' -> .* : [1-9]' out
}

# requests COUNT: as many connections, with some bytes each
requests() {
	python3 - "$1" <<-'END'
	import socket, sys, threading
	server = socket.create_server(("127.0.0.1", 7790), backlog=8)
	def answer():
	    for _ in range(int(sys.argv[1])):
	        peer = server.accept()[0]
	        peer.sendall(peer.recv(100))
	        peer.close()
	thread = threading.Thread(target=answer)
	thread.start()
	for _ in range(int(sys.argv[1])):
	    client = socket.create_connection(("127.0.0.1", 7790))
	    client.sendall(b"x" * 100)
	    client.recv(100)
	    client.close()
	thread.join()
	END
}

round_trips() {
	start out tcprtt || return
	requests 5
	finish
	has 1 ' -> .* : [1-9]' out
}

backlogs() {
	start out tcpsynbl || return
	requests 5
	finish
	same "$(grep 'backlog_max' out)"
	has 1 'backlog_max = 8' out && has 1 ' -> .* : 5 ' out
}

connect_latencies() {
	start out tcpconnlat || return
	requests 3
	finish ' 7790 ' out
	has 3 ' python3 .* 127\.0\.0\.1 .* 7790 ' out
}

listens() {
	start out solisten || return
	requests 1
	finish ' 7790 ' out
	same "$(sed -n 's/^[0-9]* .*python3 *\(.* 7790 .*\)/\1/p' out)"
	has 1 ' python3 .* 8 .*7790' out
}

locks() {
	klockstat -n 5 -d 3 >out 2>bad &
	spawn 10
	wait $!
	cat bad
	has 1 'Avg Wait' out && has 1 'Avg Hold' out && has 3 '^ *[a-z_0-9]*+0x.* [1-9][0-9]* ' out
}

bcc_vfs_calls() {
	bcc_headers
	start out vfsstat-bpfcc 1 10 || return
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		cat /etc/hostname
	done >/dev/null
	finish ': *[1-9][0-9]* ' out
	has 1 ': *[1-9][0-9]* .* [1-9]' out
}

bcc_opens() {
	bcc COMM opensnoop-bpfcc && cat /etc/hostname && await grep -q '/etc/hostname' out
	bcc_end
	has 1 ' cat .* 0 /etc/hostname' out
}

bcc_locks() {
	bcc 'Tracing lock events' klockstat-bpfcc -n 5 -d 5 && spawn 10 && await grep -q 'Avg Hold' out &&
		sleep 1
	bcc_end 2>/dev/null
	has 1 'Avg Spin' out && has 1 'Avg Hold' out &&
		has 3 "^ *b'[a-z_0-9]*+0x[0-9a-f]*'  *[0-9]*  *[1-9]" out
}

bcc_read_ahead() {
	bcc 'Tracing' readahead-bpfcc -d 5 && on_disk ext4 mkfs.ext4 -q -F && await grep -q 'unused pages' out
	bcc_end 2>/dev/null
	has 1 'Read-ahead unused pages: [0-9]' out
}

# On the loopback device no segment is lost, so the state of a connection may not change.
bcc_congestion() {
	bcc 'Tracing tcp congestion' tcpcong-bpfcc 1 10 && requests 5 && sleep 2
	bcc_end
	same "$(grep -v '^[0-9:]*$' out | head -n 1)"
	has 1 'Hit Ctrl-C' out && ! grep -v warning bad
}

bcc_terminal() {
	bcc_headers
	python3 - >made 2>&1 <<-'END'
	import os, pty, subprocess, sys, time
	near, far = pty.openpty()
	with open("out", "w") as out, open("bad", "w") as bad:
	    tool = subprocess.Popen(["ttysnoop-bpfcc", "-C", os.ttyname(far)], stdout=out, stderr=bad)
	    for _ in range(300):
	        os.write(far, b"a line for the terminal\n")
	        os.read(near, 4096)
	        time.sleep(0.2)
	        if "a line for" in open("out").read():
	            break
	    tool.kill()
	END
	cat made
	grep -v warning bad | tail -n 5
	has 1 'a line for the terminal' out
}

try 'BPF: fentry, fexit, fmod_ret, kprobe.multi, kprobe session' functions
try 'BPF: a live patch of a function with programs' functions_patched
try 'BPF: programs are detached' functions_gone
try 'BPF: programs on a patched function' patched_functions
try 'BPF: programs come and go while the functions run' functions_in_use
try 'BPF: an LSM program restricts file systems' restrict_file_systems
try 'bpftrace: arguments and returned values' with_arguments
try 'bpftrace: kprobes by a pattern' wildcards
try 'bpftrace: lists of functions' function_lists
try 'vfsstat' vfs_calls
try 'fsslower' slow_files
try 'fsdist' file_latencies
try 'tcprtt' round_trips
try 'tcpsynbl' backlogs
try 'tcpconnlat' connect_latencies
try 'solisten' listens
try 'klockstat' locks
try 'bcc: vfsstat' bcc_vfs_calls
try 'bcc: opensnoop' bcc_opens
try 'bcc: klockstat' bcc_locks
try 'bcc: readahead' bcc_read_ahead
try 'bcc: tcpcong' bcc_congestion
try 'bcc: ttysnoop' bcc_terminal
try 'nothing is left' nothing_left
check 'the kernel did not complain' untainted
