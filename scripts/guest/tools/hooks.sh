# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2016,SC2317 # not the shell's variables; try calls the functions
# Hooks of functions in a distribution's kernel: live patches, fprobes, direct calls,
# kprobes, the files in tracefs, and BPF programs on functions. The modules are those that
# scripts/unpack built against linux-headers.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh
# shellcheck source=scripts/guest/tools/disk.sh
. /tmp/tools/disk.sh

modules=$(cat /tmp/tools/modules)
release=$(uname -r)
unpacked=${modules%/lib/modules/*}
hooks=$unpacked/hooks
[ -d "$hooks/selftests" ] || exit 1
livepatch=/sys/kernel/livepatch
marks=0
# A system call that nothing else makes, and one of the names that the kernel has for it.
syscall=__x64_sys_getppid
syscalls='__[a-z0-9]*_sys_getppid'

# await COMMAND...: until it succeeds, for a minute at most
await() {
	turns=0
	until "$@"; do
		turns=$((turns + 1))
		[ $turns -lt 300 ] || { echo "never true: $*"; return 1; }
		sleep 0.2
	done
}

# The kernel's messages since mark, without the time.
mark() {
	marks=$((marks + 1))
	echo "hooks.sh: mark $marks" >/dev/kmsg
}
messages() { dmesg | sed "1,/hooks.sh: mark $marks\$/d; s/^\[[ 0-9.]*\] //; /\*\*$/d"; }

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

# add FILE WORDS: to a list; tee prints the error that it gets
add() { echo "$2" | tee -a "$tracing/$1" >/dev/null; }

# shows FILE TEXT: the file has this and nothing else
shows() {
	[ "$(cat "$tracing/$1")" = "$2" ] && return
	echo "$1 is not '$2':"
	head "$tracing/$1"
	return 1
}

hooked() { grep -q "^$1 " "$tracing/enabled_functions"; }
unhooked() { ! hooked "$1"; }

# names FILE: of enabled_functions, whose other lines say what is called
names() { sed -n 's/^\([a-zA-Z_][^ ]*\) .*([0-9]*).*/\1/p' "$1" | sort; }

reset_trace() {
	echo 1 >"$tracing/tracing_on"
	echo >"$tracing/trace"
}

# Live patches

settled() { [ "$(cat $livepatch/"$1"/transition)" = 0 ]; }

# patch DIR/MODULE: until all tasks run the new functions
patch() {
	load "$@" || return
	await settled "$(basename "$1" | tr - _)"
}

# unpatch MODULE
unpatch() {
	echo 0 >$livepatch/"$1"/enabled
	await [ ! -e $livepatch/"$1" ] || return
	await rmmod "$1" 2>/dev/null
}

sample_patch() {
	before=$(cat /proc/cmdline)
	patch livepatch/livepatch-sample || return
	cat /proc/cmdline >text
	cp "$tracing/enabled_functions" enabled
	same "$(cat text)" "$(cat $livepatch/livepatch_sample/vmlinux/patched)"
	same "$(ls $livepatch/livepatch_sample $livepatch/livepatch_sample/vmlinux)"
	has 1 '^this has been live patched$' text &&
		has 1 '^cmdline_proc_show (1) .*I ' enabled || return
	# A live patch keeps ftrace enabled, and its module loaded.
	refused tee /proc/sys/kernel/ftrace_enabled </tmp/tools/zero &&
		[ "$(cat /proc/sys/kernel/ftrace_enabled)" = 1 ] &&
		refused rmmod livepatch_sample && unpatch livepatch_sample || return
	[ "$(cat /proc/cmdline)" = "$before" ] && ! hooked cmdline_proc_show
}

# Callbacks of modules that are loaded before the patch, and of some that are loaded later.
# A task that sleeps in the old function delays the transition.
callbacks() {
	mark
	load livepatch/livepatch-callbacks-busymod sleep_secs=10 || return
	await busy_sleeps && load livepatch/livepatch-callbacks-demo || return
	! settled livepatch_callbacks_demo || { echo 'it did not wait'; return 1; }
	load livepatch/livepatch-callbacks-mod && rmmod livepatch_callbacks_mod || return
	await settled livepatch_callbacks_demo && rmmod livepatch_callbacks_busymod || return
	load livepatch/livepatch-callbacks-busymod && await new_function_runs &&
		rmmod livepatch_callbacks_busymod || return
	echo -19 >/sys/module/livepatch_callbacks_demo/parameters/pre_patch_ret
	refused load livepatch/livepatch-callbacks-mod && unpatch livepatch_callbacks_demo || return
	messages | grep '^livepatch_' >lines
	same "$(cat lines)"
	has 1 'busymod: busymod_work_func exit' lines && has 1 'demo: patched_work_func$' lines &&
		has 1 'demo: post_unpatch_callback: vmlinux' lines
}
busy_sleeps() { messages | grep -q 'busymod_work_func, sleeping'; }
new_function_runs() { messages | grep -q 'patched_work_func'; }

# The first patch keeps in a shadow variable what the module leaks, the second one counts.
shadows() {
	mark
	load livepatch/livepatch-shadow-mod && patch livepatch/livepatch-shadow-fix1 || return
	sleep 3
	patch livepatch/livepatch-shadow-fix2 || return
	sleep 5
	rmmod livepatch_shadow_mod && unpatch livepatch_shadow_fix2 &&
		unpatch livepatch_shadow_fix1 || return
	messages | grep '^livepatch_' >lines
	has 2 'fix1_dummy_alloc: dummy @' lines && has 2 'fix2.*: dummy @ .* prevented leak @ ' lines &&
		has 2 'fix2_dummy_free: dummy @ .* check counter = [1-9]' lines
}

# selftest SCRIPT: of the kernel's selftests/livepatch
selftest() {
	(cd "$hooks/selftests" && KDIR=/ "./$1") >out 2>&1
	ret=$?
	same "$(grep 'TEST' out)"
	cat out
	[ $ret = 0 ] && has 1 'TEST: .* ok$' out && ! grep -v 'ok$' out
}

# Fprobes

# The sample reports each call and each return, and misses none.
fprobe_one() {
	mark
	load fprobe/fprobe_example symbol=$syscall stackdump=0 || return
	/tmp/tools/getppid 100
	rmmod fprobe_example || return
	messages >lines
	same "$(sed 's/0x[0-9a-f/x]*/N/g' lines | sort | uniq -c)"
	has 100 "^sample_entry_handler: Enter <$syscalls+" lines &&
		has 100 "^sample_exit_handler: Return from <$syscalls+.*_64+" lines &&
		has 1 ' 200 times hit, 0 times missed' lines
}

fprobe_list() {
	mark
	refused load fprobe/fprobe_example symbol=$syscall,no_such_function || return
	load fprobe/fprobe_example symbol=$syscall,vfs_rmdir || return
	hooked "$syscalls" && hooked vfs_rmdir || return
	/tmp/tools/getppid 2
	mkdir dir && rmdir dir
	rmmod fprobe_example || return
	messages >lines
	same "$(sed -n 's/.*\(Enter <[^>]*\|Return from <[^>]*\)+.*/\1/p; /symbols found/p' lines |
		sort | uniq -c)"
	has 2 ": Enter <$syscalls+" lines && has 1 ': Return from <vfs_rmdir+' lines &&
		has 6 '^ *do_syscall_64+' lines
}

# By a pattern, into the trace. What a module wrote there can be read after it is unloaded.
fprobe_pattern() {
	reset_trace
	load fprobe/fprobe_example 'symbol=vfs_*' 'nosymbol=vfs_[a-q]*' use_trace=1 stackdump=0 || return
	cp "$tracing/enabled_functions" enabled
	cat /etc/hostname
	rmmod fprobe_example || return
	cp "$tracing/trace" traced
	sed -n 's/.* Enter <\([a-z_0-9]*\)+.*/\1/p' traced | sort -u >entered
	same "$(grep -x 'vfs_read\|vfs_write' entered)"
	same "$(names enabled)"
	has 1 'Return from <vfs_read+.* to rip = ' traced && has 3 '^vfs_[r-z]' enabled &&
		! grep '^vfs_[a-q]' entered enabled
}

fprobe_refused() {
	mark
	refused load fprobe/fprobe_example symbol=no_such_function &&
		refused load fprobe/fprobe_example 'symbol=no_such_*' || return
	messages >lines
	same "$(cat lines)"
	has 2 'register_fprobe failed' lines
}

# Direct calls, callbacks

# direct MODULE PATTERN [PATTERN2]: it writes this
direct() {
	reset_trace
	load "ftrace/$1" || return
	spawn 3
	cp "$tracing/enabled_functions" enabled
	for pattern in "$2" "${3:-$2}"; do
		await grep -q "$pattern" "$tracing/trace" || { rmmod "$1"; return 1; }
	done
	cp "$tracing/trace" traced
	rmmod "$1" || return
	# The line after that of the function says what it calls.
	sed -n '/ (1) .*D /{N;s/ .*direct-->\(my_tramp\)[12]*+.*/ \1/p}' enabled >called
	same "$(cat called)"
	has 1 . called || { cat enabled; return 1; }
	while read -r function _; do
		! hooked "$function" && grep -q "^$function " "$tracing/touched_functions" || return
	done <called
}

# functions_at: their names, for the addresses after the calls at their entries
functions_at() {
	sort -u | while read -r address; do
		grep "^$(printf 'ffffffff%08x' $((0x${address#ffffffff} - 5))) " \
			"$tracing/available_filter_functions_addrs"
	done | cut -d' ' -f2 | sort
}

# A direct call that several functions share is given the address of the function.
direct_multi() {
	direct ftrace-direct-multi ': ip ffffffff' || return
	sed -n 's/.*: ip \(ffffffff[0-9a-f]*\)$/\1/p' traced | functions_at >names
	same "$(cat names)"
	[ "$(cat names)" = 'schedule
wake_up_process' ]
}

# One function has a direct call and an fprobe; either is removed first.
direct_and_fprobe() {
	reset_trace
	load ftrace/ftrace-direct && load fprobe/fprobe_example symbol=wake_up_process \
		use_trace=1 stackdump=0 || return
	spawn 3
	cp "$tracing/enabled_functions" enabled
	rmmod ftrace_direct && echo >"$tracing/trace_marker" alone || return
	spawn 3
	load ftrace/ftrace-direct && rmmod fprobe_example || return
	spawn 3
	cp "$tracing/trace" traced
	rmmod ftrace_direct || return
	has 1 '^wake_up_process (2)' enabled && has 1 'waking up' traced &&
		has 1 'Return from <wake_up_process+' traced || return
	sed '1,/alone$/d' traced >after
	has 1 'Enter <wake_up_process+' after && has 1 'waking up' after
}

# ops PARAMETERS...: the sample calls a function, and counts the calls in its callbacks
ops() {
	mark
	load ftrace/ftrace-ops nr_function_calls=1000 check_count=1 "$@"
	messages >lines
	same "$(sed 's/ in [0-9]*ns .*//' lines)"
	has 1 'Attempted 1000 calls to tracee_relevant' lines && ! grep 'Counter called' lines
}
callbacks_count() {
	for parameters in nr_ops_relevant=1 nr_ops_relevant=3 'nr_ops_relevant=2 save_regs=1' \
		'nr_ops_relevant=2 nr_ops_irrelevant=2 assist_recursion=1' \
		'nr_ops_relevant=1 assist_rcu=1'; do
		# shellcheck disable=SC2086 # words
		ops $parameters || return
	done
}

callbacks_stay() {
	load ftrace/ftrace-ops nr_function_calls=10 nr_ops_relevant=5 nr_ops_irrelevant=1 \
		save_regs=1 persist=1 || return
	grep tracee "$tracing/enabled_functions" >enabled
	rmmod ftrace_ops || return
	same "$(sed 's/).*/)/' enabled)"
	has 1 '^tracee_relevant \[ftrace_ops\] (5) R ' enabled && has 1 '^tracee_irrelevant' enabled &&
		! hooked tracee_relevant
}

# Kprobes

# A kprobe on the entry of a function is a callback of ftrace. It can be disarmed.
kprobe() {
	mark
	load kprobes/kprobe_example symbol=$syscall || return
	/tmp/tools/getppid 20
	cp /sys/kernel/debug/kprobes/list list
	cp "$tracing/enabled_functions" enabled
	echo 0 >/sys/kernel/debug/kprobes/enabled
	/tmp/tools/getppid 20
	! hooked "$syscalls" || return
	echo 1 >/sys/kernel/debug/kprobes/enabled
	hooked "$syscalls" && /tmp/tools/getppid 3 && rmmod kprobe_example || return
	messages >lines
	same "$(sed 's/^[0-9a-f]*//; s/+0x[0-9a-f]*//' list)"
	same "$(sed -n 's/^\([a-z_]*:\).*/\1/p' lines | sort | uniq -c)"
	has 1 " k *$syscalls+.*\[FTRACE\]" list && has 1 "^$syscalls (1)" enabled &&
		[ "$(grep -c "^handler_pre: <$syscall> p->addr" lines)" = 23 ] &&
		has 23 "^handler_post: <$syscall>" lines
}

kretprobe() {
	mark
	load kprobes/kretprobe_example func=$syscall || return
	/tmp/tools/getppid 20
	cp /sys/kernel/debug/kprobes/list list
	rmmod kretprobe_example || return
	messages >lines
	has 20 "^$syscall returned $$ and took [0-9]* ns" lines &&
		has 1 " r *$syscalls+.*\[FTRACE\]" list && has 1 'Missed probing 0 ' lines
}

kprobe_refused() {
	mark
	refused load kprobes/kprobe_example symbol=no_such_function &&
		refused load kprobes/kprobe_example symbol=notifier_call_chain || return
	same "$(messages)"
}

# A live patch, a kretprobe and an fprobe of one function. A kprobe with a post handler sets
# the instruction pointer, as a live patch does: a function has only one of the two.
all_of_them() {
	mark
	load kprobes/kprobe_example symbol=cmdline_proc_show || return
	refused load livepatch/livepatch-sample && cat /proc/cmdline >text &&
		rmmod kprobe_example && patch livepatch/livepatch-sample || return
	refused load kprobes/kprobe_example symbol=cmdline_proc_show || return
	load kprobes/kretprobe_example func=cmdline_proc_show &&
		load fprobe/fprobe_example symbol=cmdline_proc_show stackdump=0 || return
	cat /proc/cmdline >>text
	cp "$tracing/enabled_functions" enabled
	unpatch livepatch_sample && cat /proc/cmdline >>text
	rmmod kretprobe_example && rmmod fprobe_example || return
	messages >lines
	has 1 '^cmdline_proc_show (3) .*I ' enabled && has 1 'handler_pre: <cmdline_proc_show>' lines &&
		has 2 ': Enter <cmdline_proc_show+' lines && has 2 ': Return from <cmdline_proc_show+' lines &&
		has 2 'cmdline_proc_show returned 0 ' lines && has 1 'has been live patched' text &&
		[ "$(wc -l <text)" = 3 ] && ! hooked cmdline_proc_show
}

# repeat COUNT COMMAND...
repeat() {
	left=$1
	shift
	while [ "$left" -gt 0 ]; do
		"$@" || return
		left=$((left - 1))
	done
}
turn_direct() { load ftrace/ftrace-direct-multi && rmmod ftrace_direct_multi; }
turn_patch() { patch livepatch/livepatch-sample && unpatch livepatch_sample; }
turn_fprobe() {
	load fprobe/fprobe_example 'symbol=vfs_*' use_trace=1 stackdump=0 && rmmod fprobe_example
}
turn_module() {
	modprobe xfs && echo 1 >"$tracing/events/xfs/enable" && modprobe -r xfs
}
turn_events() {
	echo 1 >"$tracing/events/sched/enable" && spawn 3 && echo 0 >"$tracing/events/sched/enable"
}

# Calls of functions, static calls and jump labels are patched at the same time.
storm() {
	runners=
	for turn in turn_direct turn_patch turn_fprobe turn_module turn_events; do
		repeat 10 $turn &
		runners="$runners $!"
	done
	ret=0
	for runner in $runners; do
		wait "$runner" || ret=1
	done
	reset_trace
	return $ret
}

# The files

lists() {
	cut -d' ' -f2- "$tracing/available_filter_functions_addrs" >with
	has 20000 . with && diff "$tracing/available_filter_functions" with || return
	# The address is that of the call, which comes after ENDBR, if the function has that.
	start=$(sed -n 's/^ffffffff\([0-9a-f]*\) T vfs_read$/\1/p' /proc/kallsyms)
	call=$(sed -n 's/^ffffffff\([0-9a-f]*\) vfs_read$/\1/p' "$tracing/available_filter_functions_addrs")
	same "$((0x$call - 0x$start))"
	modprobe dummy || return
	grep '\[dummy\]' "$tracing/available_filter_functions" >of_module
	sort of_module >sorted
	same "$(cat sorted)"
	has 1 '^dummy_xmit \[dummy\]' of_module && has 5 ' \[dummy\]' of_module || return
	modprobe -r dummy
	! grep '\[dummy\]' "$tracing/available_filter_functions" || return
	cat "$tracing/dyn_ftrace_total_info" >info
	sed 's/[0-9][0-9]*/N/g' info >form
	same "$(cat form)"
	has 1 '^[1-9][0-9]* pages:[1-9][0-9]* groups: [1-9]' info
}

# filters FILE NOTHING: names, patterns, and taking them out again
filters() {
	shows "$1" "$2" && add "$1" vfs_read && shows "$1" vfs_read || return
	add "$1" 'vfs_write vfs_open' && add "$1" '!vfs_read' || return
	same "$(sort "$tracing/$1")"
	has 1 '^vfs_open$' "$tracing/$1" && ! grep '^vfs_read$' "$tracing/$1" || return
	for pattern in 'vfs_r*' '*_sync_file_range' '*vfs_get*' 'vfs_*_*' 'vfs_[gs]et*' 'vfs_?tat*'; do
		echo "$pattern" >"$tracing/$1" || return
		same "$pattern" "$(sort "$tracing/$1" | tr '\n' ' ')"
		has 1 . "$tracing/$1" || return
	done
	for wrong in no_such_function 'no_such_*' '!no_such_function' 'vfs_read:no_such_command' \
		vfs_read:mod 99999999 "$(printf 'x%0600d' 0)"; do
		echo vfs_read >"$tracing/$1"
		add "$1" "$wrong" 2>why
		same "$wrong: $? $(sed "s,$tracing/,," why)" "$(head -n 3 "$tracing/$1")"
	done
	echo >"$tracing/$1"
	shows "$1" "$2"
}

# Functions of a module that is loaded later, and unloaded.
filter_of_module() {
	add set_ftrace_filter ':mod:dummy' && add set_ftrace_notrace 'dummy_x*:mod:dummy' || return
	same "$(cat "$tracing/set_ftrace_filter" "$tracing/set_ftrace_notrace")"
	modprobe dummy || return
	sort "$tracing/set_ftrace_filter" >filter
	same "$(cat filter "$tracing/set_ftrace_notrace")"
	has 1 '^dummy_xmit \[dummy\]' "$tracing/set_ftrace_notrace" && has 3 ' \[dummy\]' filter || return
	modprobe -r dummy
	same "$(cat "$tracing/set_ftrace_filter" "$tracing/set_ftrace_notrace")"
	echo >"$tracing/set_ftrace_filter"
	echo >"$tracing/set_ftrace_notrace"
	shows set_ftrace_filter '#### all functions enabled ####'
}

# error_log says what is wrong with an event's filter; ftrace.c writes nothing there.
filter_errors() {
	echo >"$tracing/error_log"
	refused add set_ftrace_filter no_such_function &&
		refused add set_ftrace_filter 'vfs_read:no_such_command' &&
		refused add events/sched/sched_switch/filter 'no_such_field == 1' || return
	sed 's/^\[[ 0-9.]*\] //' "$tracing/error_log" >log
	same "$(cat log)"
	echo >"$tracing/error_log"
	has 1 'no_such_field == 1' log
}

pids() {
	for file in set_ftrace_pid set_ftrace_notrace_pid; do
		shows $file 'no pid' && add $file "1 $$" && add $file 2 || return
		[ "$(cat "$tracing/$file")" = "$(printf '1\n2\n%d' $$)" ] || return
		refused add $file x && refused add $file 2000000000 && refused add $file -1 || return
		[ "$(wc -l <"$tracing/$file")" = 3 ] || return
		echo >"$tracing/$file"
		shows $file 'no pid' || return
	done
	# Children of a listed task are listed, until they end.
	echo 1 >"$tracing/options/function-fork"
	add set_ftrace_pid $$ || return
	sleep 100 &
	child=$!
	listed=$(grep -c "^$child$" "$tracing/set_ftrace_pid")
	kill $child
	wait $child 2>/dev/null
	await not_listed || return
	echo 0 >"$tracing/options/function-fork"
	echo >"$tracing/set_ftrace_pid"
	[ "$listed" = 1 ]
}
not_listed() { ! grep -q "^$child$" "$tracing/set_ftrace_pid"; }

stack_tracer() {
	echo 0 >"$tracing/stack_max_size"
	sysctl -q kernel.stack_tracer_enabled=1 || return
	hooked vfs_read && hooked schedule && ls -lR /etc/systemd >/dev/null && spawn 5
	sysctl -q kernel.stack_tracer_enabled=0 && ! hooked vfs_read || return
	cp "$tracing/stack_trace" stack
	cat "$tracing/stack_max_size" >size
	[ "$(cat size)" -gt 1000 ] && has 1 "^ *Depth *Size *Location *([1-9][0-9]* entries)" stack &&
		has 5 '^ *[0-9]*) *[0-9]* *[0-9]* *[a-z_A-Z0-9.]*+0x' stack &&
		has 1 "^ *0) *$(cat size) " stack || return
	# With a filter only these functions are hooked.
	echo 'vfs_r*' >"$tracing/stack_trace_filter" && echo 0 >"$tracing/stack_max_size" || return
	sysctl -q kernel.stack_tracer_enabled=1
	cat /etc/hostname
	cp "$tracing/enabled_functions" enabled
	sysctl -q kernel.stack_tracer_enabled=0
	cat "$tracing/stack_max_size" >size
	echo >"$tracing/stack_trace_filter"
	same "$(names enabled)"
	has 1 '^vfs_read ' enabled && ! grep -v '^vfs_r' enabled && [ "$(cat size)" -gt 100 ]
}

instances() {
	mkdir "$tracing/instances/hooks" || return
	add instances/hooks/set_ftrace_filter 'vfs_r*' && add instances/hooks/set_ftrace_pid $$ &&
		shows set_ftrace_filter '#### all functions enabled ####' || return
	same "$(sort "$tracing/instances/hooks/set_ftrace_filter")"
	same "$(cd "$tracing/instances/hooks" && echo set_ftrace_*)"
	rmdir "$tracing/instances/hooks"
}

# BPF programs

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
	same "$(names enabled)"
	seen || return
	/tmp/tools/getppid 50
	[ "$(value multi_entries)" -ge 50 ] && [ "$(value multi_returns)" -ge 50 ] || return
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
	same "$(names enabled)"
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

# trace PROGRAM COMMAND...: what bpftrace says of it
trace() {
	program=$1
	shift
	bpftrace -e "$program" -c "$*" >traced 2>bad && return
	cat traced bad
	return 1
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

# bcc's tools, which compile against the headers of the kernel, and print by Python
bcc_headers() {
	export PYTHONUNBUFFERED=1
	[ -e "/usr/src/linux-headers-$release" ] ||
		ln -s "$unpacked/usr/src/linux-headers-$release" /usr/src/
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
	bcc_headers
	# start would not wait long enough for the compiler.
	opensnoop-bpfcc >out 2>bad &
	tool=$!
	await grep -q COMM out && cat /etc/hostname && await grep -q '/etc/hostname' out
	kill $tool
	wait $tool 2>/dev/null
	grep -v warning bad | tail -n 5
	has 1 ' cat .* 0 /etc/hostname' out
}

# No module and no hook is left.
nothing_left() {
	cat "$tracing/enabled_functions" >enabled
	lsmod | grep -E 'livepatch|example|ftrace_|test_klp' && return 1
	same "$(cat enabled)"
	[ ! -s enabled ] || { cat enabled; return 1; }
}

# A case that fails does not make the next ones fail.
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
	await unhooked cmdline_proc_show >/dev/null
	[ ! -e $livepatch/livepatch_sample ] || unpatch livepatch_sample
	rmmod fprobe_example kprobe_example kretprobe_example ftrace_direct \
		ftrace_direct_too ftrace_direct_modify ftrace_direct_multi ftrace_direct_multi_modify \
		ftrace_ops 2>/dev/null
	:
}

echo 0 >/tmp/tools/zero
modprobe loop

try 'samples/livepatch: a function of the kernel' sample_patch
try 'samples/livepatch: callbacks' callbacks
try 'samples/livepatch: shadow variables' shadows
for script in "$hooks"/selftests/test-*.sh; do
	try "selftests/livepatch: ${script##*/}" selftest "${script##*/}"
done
try 'samples/fprobe: each call and return' fprobe_one
try 'samples/fprobe: a list, with stacks' fprobe_list
try 'samples/fprobe: a pattern, into the trace' fprobe_pattern
try 'samples/fprobe: unknown functions are refused' fprobe_refused
try 'samples/ftrace: ftrace-direct' direct ftrace-direct ': waking up '
try 'samples/ftrace: ftrace-direct-too' direct ftrace-direct-too ': handle mm fault vma=.* flags='
try 'samples/ftrace: ftrace-direct-modify' direct ftrace-direct-modify 'direct func1$' 'direct func2$'
try 'samples/ftrace: ftrace-direct-multi' direct_multi
try 'samples/ftrace: ftrace-direct-multi-modify' direct ftrace-direct-multi-modify \
	'direct func1 ip [0-9a-f]*$' 'direct func2 ip [0-9a-f]*$'
try 'samples/ftrace: a direct call and an fprobe of one function' direct_and_fprobe
try 'samples/ftrace: ftrace-ops' callbacks_count
try 'samples/ftrace: ftrace-ops stays, and is listed' callbacks_stay
try 'samples/kprobes: a kprobe' kprobe
try 'samples/kprobes: a kretprobe' kretprobe
try 'samples/kprobes: functions that cannot be probed' kprobe_refused
try 'a kprobe or a live patch, a kretprobe and an fprobe of one function' all_of_them
try 'all of it at the same time, while modules come and go' storm
try 'tracefs: lists of functions' lists
try 'tracefs: set_ftrace_filter' filters set_ftrace_filter '#### all functions enabled ####'
try 'tracefs: set_ftrace_notrace' filters set_ftrace_notrace '#### no functions disabled ####'
try 'tracefs: set_graph_function' filters set_graph_function '#### all functions enabled ####'
try 'tracefs: functions of a module that is loaded later' filter_of_module
try 'tracefs: error_log' filter_errors
try 'tracefs: set_ftrace_pid' pids
try 'tracefs: the stack tracer' stack_tracer
try 'tracefs: an instance' instances
try 'BPF: fentry, fexit, fmod_ret, kprobe.multi' functions
try 'BPF: a live patch of a function with programs' functions_patched
try 'BPF: programs are detached' functions_gone
try 'BPF: programs on a patched function' patched_functions
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
try 'nothing is left' nothing_left
check 'the kernel did not complain' untainted
