# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154 # lib.sh sets tracing
# Programs on functions, for the cases: functions.bpf.c, and attach.c, which attaches them.

# programs FILE: load all of it, and attach each
programs() {
	mkdir -p /sys/fs/bpf
	mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf || return
	/tmp/tools/sample/attach "/tmp/tools/sample/$1.bpf.o" "/sys/fs/bpf/$1"
}

# value NAME: a number of functions.bpf.c
value() {
	bpftool map dump name function.bss | tr , '\n' |
		sed -n "s/.*\"$1\": *\"*\([0-9]*\).*/\1/p"
}

# Load the module that has one of the functions. /tmp/tools has it if the modules of the
# guest's kernel are not in its root.
load_dummy() {
	if [ -e /tmp/tools/dummy.ko ]; then
		insmod /tmp/tools/dummy.ko
	else
		modprobe dummy
	fi
}

# counted NAME...: these numbers of functions.bpf.c are not 0
counted() {
	for name; do
		[ "$(value "$name")" -gt 0 ] || return
	done
}

# failed_in TURN: print what is there of programs, the last lines being those that are always
# shown, and fail
failed_in() {
	bpftool prog show
	bpftool link show
	cat "$tracing/enabled_functions"
	bpftool map dump name function.bss
	lsmod | grep '^dummy '
	echo "failed in turn $1"
	return 1
}

# Programs are attached and detached while the functions that they are attached to run.
functions_in_use() {
	load_dummy && : >in_use || return
	/tmp/tools/calls "$PWD/in_use" &
	callers=$!
	/tmp/tools/calls "$PWD/in_use" &
	callers="$callers $!"
	turn=0
	while [ $turn -lt 20 ] && programs functions &&
		await counted entries exits multi_entries multi_returns 2>/dev/null &&
		rm -r /sys/fs/bpf/functions && await unhooked cmdline_proc_show; do
		turn=$((turn + 1))
	done
	rm in_use
	# shellcheck disable=SC2086 # words
	wait $callers
	[ $turn = 20 ] || failed_in $turn || return
	await rmmod dummy
}
