# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2016,SC2317 # not the shell's variables; check calls the functions
# Common uses of bpftrace with trace events.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh

# trace_words PROGRAM WORDS: trace() of /tmp/tools/run.sh WORDS
trace_words() {
	program=$1
	shift
	trace "$program" /bin/sh /tmp/tools/run.sh "$@"
}

lists() {
	bpftrace -l 'tracepoint:*' >listed || return
	sed -n 's/^tracepoint:\(.*\)/\1/p' listed | sort >list
	sort "$tracing/available_events" | comm -13 list - >missing
	has 300 : list && ! grep . missing || return
	bpftrace -lv 'tracepoint:sched:sched_*' >fields || return
	same "$(cat fields)"
	has 1 'char prev_comm\[16\]' fields
}

counts_calls() {
	trace_words 'tracepoint:raw_syscalls:sys_enter { @[comm] = count(); }' /tmp/tools/getppid 200 ||
		return
	has 1 '^@\[getppid\]: 2[0-9][0-9]$' traced && has 1 '^@\[sh\]: [0-9]*$' traced
}

arguments() {
	trace_words 'tracepoint:sched:sched_process_exec {
			printf("exec %s %d\n", str(args->filename), args->pid - pid); }
		tracepoint:sched:sched_process_exit /comm == "true"/ {
			printf("exit %s %d %d\n", args->comm, args->pid - pid, args->prio); }' spawn 5 ||
		return
	same "$(grep 'exec\|exit' traced)"
	has 5 '^exec /bin/true 0$' traced && has 5 '^exit true 0 120$' traced
}

strings_and_numbers() {
	trace_words 'tracepoint:net:netif_receive_skb { @[str(args->name), args->len] = count(); }' \
		traffic 5 || return
	same "$(grep '^@' traced)"
	has 1 '^@\[lo, 128\]: 10$' traced
}

system_calls() {
	trace_words 'tracepoint:syscalls:sys_enter_kill { printf("kill %d by %s\n", args->sig, comm); }
		tracepoint:syscalls:sys_exit_kill { printf("is %d\n", args->ret); }
		tracepoint:syscalls:sys_enter_openat /comm == "cat"/ { @[str(args->filename)] = count(); }' \
		busy_calls || return
	same "$(grep '^kill\|^is' traced; grep '^@.*hostname' traced)"
	has 1 '^kill 0 by sh$' traced && has 1 '^is 0$' traced &&
		has 1 '^@\[/etc/hostname\]: 1$' traced
}

raw() {
	trace_words 'rawtracepoint:sys_enter /comm == "getppid"/ { @[arg1] = count(); }
		rawtracepoint:sched_process_exec { @execs = count(); }' /tmp/tools/getppid 100 ||
		return
	same "$(grep '@\[110\]\|@execs' traced)"
	has 1 '^@\[110\]: 100$' traced && has 1 '^@execs: 2$' traced
}

# Several programs on one event, and each runs.
many() {
	trace_words 'tracepoint:syscalls:sys_enter_getppid { @a = count(); }
		tracepoint:syscalls:sys_enter_getppid { @b = count(); }
		tracepoint:syscalls:sys_exit_getppid { @c = count(); }' /tmp/tools/getppid 50 || return
	same "$(grep '^@' traced)"
	# The shell calls getppid() once, too.
	has 1 '^@a: 51$' traced && has 1 '^@b: 51$' traced && has 1 '^@c: 51$' traced
}

# The kernel's stack begins with the caller of the tracepoint.
stacks() {
	trace_words 'tracepoint:sched:sched_process_exec { @k[kstack(6)] = count(); printf("%s\n", kstack(8)); }
		tracepoint:syscalls:sys_enter_getppid /comm == "getppid"/ { @u[ustack(1)] = count(); }' \
		/tmp/tools/getppid 10 || return
	same "$(sed -n 's/^ *\([a-z_0-9]*\)+.*/\1/p' traced | head -n 4)"
	has 2 ' bprm_execve+' traced && has 1 '^]: 10$' traced
}

latencies() {
	trace_words 'tracepoint:sched:sched_wakeup, tracepoint:sched:sched_wakeup_new { @at[args->pid] = nsecs; }
		tracepoint:sched:sched_switch /@at[args->next_pid]/ {
			@us = hist((nsecs - @at[args->next_pid]) / 1000); @n = count();
			delete(@at[args->next_pid]); }' spawn 20 || return
	has 2 '^\[.*) *[0-9]* |.*|$' traced && has 1 '^@n: [1-9][0-9]*$' traced
}

module_events() {
	trace_words 'tracepoint:tp_events:* { @[probe] = count(); }' write_events || return
	same "$(grep '^@' traced | sort)"
	has 1 '^@\[tracepoint:tp_events:.*\]: [1-9]' traced
}

# Programs on the entry and the return of a function, through a trampoline, with its arguments.
functions() {
	trace_words 'kfunc:vfs_open /comm == "cat"/ { @[str(args->path->dentry->d_name.name)] = count(); }
		kretfunc:vfs_open /comm == "cat"/ { @returned = sum(retval); @n = count(); }' \
		busy_calls || return
	same "$(grep '^@.*hostname\|^@ret' traced)"
	# In an overlay vfs_open() opens two files: that of the overlay, and the one below.
	has 1 '^@\[hostname\]: [12]$' traced && has 1 '^@returned: 0$' traced
}

check 'bpftrace -l' lists
check 'bpftrace: kfunc and kretfunc' functions
check 'bpftrace: system calls by name' counts_calls
check 'bpftrace: arguments of tracepoints' arguments
check 'bpftrace: a string and a number as a key' strings_and_numbers
check 'bpftrace: system calls' system_calls
check 'bpftrace: rawtracepoint' raw
check 'bpftrace: several programs on an event' many
check 'bpftrace: stacks' stacks
check 'bpftrace: latencies' latencies
check 'bpftrace: events of a module' module_events
