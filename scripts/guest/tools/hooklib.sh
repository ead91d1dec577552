# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034 # variables for the scripts that read this file
# Shared by the cases of function hooks in a distribution's kernel. The modules are those that
# scripts/unpack built against linux-headers.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh

modules=$(cat /tmp/tools/modules)
release=$(uname -r)
unpacked=${modules%/lib/modules/*}
hooks=$unpacked/hooks
[ -d "$hooks/selftests" ] || exit 1
livepatch=/sys/kernel/livepatch
marks=0
# The function of a system call that nothing else makes, and a pattern for its aliases.
syscall=__x64_sys_getppid
syscalls='__[a-z0-9]*_sys_getppid'

# messages: print the kernel's messages since the last mark, without time stamps
mark() {
	marks=$((marks + 1))
	echo "hooks: mark $marks" >/dev/kmsg
}
messages() { dmesg | sed "1,/hooks: mark $marks\$/d; s/^\[[ 0-9.]*\] //; /\*\*$/d"; }

# load DIR/MODULE PARAMETERS...
load() {
	object=$hooks/$1.ko
	shift
	insmod "$object" "$@"
}

# refused COMMAND...: it fails, for the same reason with both engines
refused() {
	! "$@" >why 2>&1 || { echo "not refused: $*"; return 1; }
	same "$*: $(sed "s,$hooks/,,; s,$tracing/,," why)"
}

# add FILE WORDS: append to a list in tracefs; tee prints the error
add() { echo "$2" | tee -a "$tracing/$1" >/dev/null; }

# shows FILE TEXT: the file in tracefs has this and nothing else
shows() {
	[ "$(cat "$tracing/$1")" = "$2" ] && return
	echo "$1 is not '$2':"
	head "$tracing/$1"
	return 1
}

# hooks_in FILE: a copy of enabled_functions as it has to be with both engines: a line a function,
# by name, without addresses, and without the number in the name of a program's trampoline. The
# direct call, which has a line of its own, comes after the function's.
hooks_in() {
	awk '/^[a-zA-Z_]/ { if (line) print line; line = $0; next }
		{ line = line " " $0 }
		END { if (line) print line }' "$1" |
		sed 's/0x[0-9a-f]*/N/g; s/bpf_trampoline_[0-9]*/bpf_trampoline_N/g; s/[[:space:]]\{1,\}/ /g' |
		sort
}

reset_trace() {
	echo 1 >"$tracing/tracing_on"
	echo >"$tracing/trace"
}

settled() { [ "$(cat $livepatch/"$1"/transition)" = 0 ]; }

# patch DIR/MODULE: load a live patch, and wait until all tasks run the new functions
patch() {
	load "$@" || return
	await settled "$(basename "$1" | tr - _)"
}

# unpatch MODULE: disable a live patch, and unload it
unpatch() {
	echo 0 >$livepatch/"$1"/enabled
	await [ ! -e $livepatch/"$1" ] || return
	await rmmod "$1" 2>/dev/null
}

# No module and no hook is left.
nothing_left() {
	cat "$tracing/enabled_functions" >enabled
	lsmod | grep -E 'livepatch|example|ftrace_|test_klp' && return 1
	same "$(cat enabled)"
	[ ! -s enabled ] || { cat enabled; return 1; }
}

# try NAME COMMAND...: check it; if it fails, clean up, so that the next cases do not fail too
try() {
	check "$@"
	[ "$status" = 0 ] && return
	rm -rf /sys/fs/bpf/functions /sys/fs/bpf/restrict-fs
	echo 1 >/sys/kernel/debug/kprobes/enabled
	echo 0 >"$tracing/options/function-fork"
	for file in set_ftrace_filter set_ftrace_notrace set_ftrace_pid set_ftrace_notrace_pid; do
		: >"$tracing/$file"
	done
	rmdir "$tracing/instances/hooks" 2>/dev/null
	umount cgroups 2>/dev/null
	for patch in "$livepatch"/*; do
		[ ! -e "$patch" ] || unpatch "${patch##*/}"
	done
	await unhooked cmdline_proc_show >/dev/null
	lsmod | sed -n 's/^\(livepatch_[a-z_]*\|test_klp[a-z_]*\|ftrace_[a-z_]*\|[a-z]*probe_example\) .*/\1/p' |
		xargs -r -n 1 rmmod 2>/dev/null
	:
}

echo 0 >/tmp/tools/zero
