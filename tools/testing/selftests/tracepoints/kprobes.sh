#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Kernel probes that a module registers work with either tracing engine: a kprobe, and a
# kretprobe, which is built on rethook on most architectures.

. "$(dirname "$0")/lib.sh"

have_module kprobe_example || skip_all "no module kprobe_example"
have_module kretprobe_example || skip_all "no module kretprobe_example"

said() { dmesg | grep -c "$1"; }

# probed MODULE MESSAGE: while it is loaded, each new process causes a line in the log
probed() {
	before=$(said "$2")
	modprobe "$1" || return
	/bin/true
	cat /dev/null
	during=$(said "$2")
	rmmod "$1" || return
	after=$(said "$2")
	/bin/true
	[ "$during" -ge $((before + 2)) ] && [ "$(said "$2")" = "$after" ]
}

check "a kprobe" probed kprobe_example 'handler_pre: <kernel_clone>'
check "a kretprobe" probed kretprobe_example 'kernel_clone returned [0-9]* and took'
check "the kernel did not complain" untainted
ktap_set_plan 3
ktap_finished
