#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Kernel probes that a module registers work with either tracing engine: a kprobe, and a
# kretprobe, which is built on rethook on most architectures. So do kprobe events that a module
# defines, with the functions of linux/trace_events.h.

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
# Its handler reads the time. Lockdep complains of that in a trap, but not in a function's hook.
if [ -e /proc/lockdep ] && ! grep -qx kernel_clone available_filter_functions 2>/dev/null; then
	ktap_test_skip "a kretprobe: lockdep complains of its module"
else
	check "a kretprobe" probed kretprobe_example 'kernel_clone returned [0-9]* and took'
fi

# kprobe_event_gen_test defines two events and enables them. It uses them until it is unloaded.
generated() {
	modprobe kprobe_event_gen_test || return
	grep -q '^p:kprobes/gen_kprobe_test do_sys_open dfd=' kprobe_events &&
		grep -q '^r[0-9]*:kprobes/gen_kretprobe_test do_sys_open ' kprobe_events || return
	for event in gen_kprobe_test gen_kretprobe_test; do
		[ "$(cat events/kprobes/$event/enable)" = 1 ] || return
		! echo "-:kprobes/$event" >>kprobe_events || return
		echo 0 >events/kprobes/$event/enable
		! echo "-:kprobes/$event" >>kprobe_events || return
	done 2>/dev/null
	grep -q 'field:.* filename;' events/kprobes/gen_kprobe_test/format &&
		rmmod kprobe_event_gen_test && ! grep gen_ kprobe_events && [ ! -e events/kprobes ]
}

check_module kprobe_event_gen_test "a kprobe event that a module defines" generated
check "the kernel did not complain" untainted
ktap_set_plan 4
ktap_finished
