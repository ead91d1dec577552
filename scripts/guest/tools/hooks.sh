# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2016,SC2317 # not the shell's variables; try calls the functions
# Hooks of functions in a distribution's kernel: fprobes, direct calls, kprobes, and the
# files in tracefs.
# shellcheck source=scripts/guest/tools/hooklib.sh
. /tmp/tools/hooklib.sh

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

# By a pattern, with output to the trace, which can be read after the module is unloaded.
fprobe_pattern() {
	reset_trace
	load fprobe/fprobe_example 'symbol=vfs_*' 'nosymbol=vfs_[a-q]*' use_trace=1 stackdump=0 || return
	cp "$tracing/enabled_functions" enabled
	cat /etc/hostname
	rmmod fprobe_example || return
	cp "$tracing/trace" traced
	sed -n 's/.* Enter <\([a-z_0-9]*\)+.*/\1/p' traced | sort -u >entered
	same "$(grep -x 'vfs_read\|vfs_write' entered)"
	same "$(hooks_in enabled)"
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

# direct MODULE PATTERN [PATTERN2]: its direct calls write lines to the trace that match
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
	# The line after that of a function names the direct call.
	sed -n '/ (1) .*D /{N;s/ .*direct-->\(my_tramp\)[12]*+.*/ \1/p}' enabled >called
	same "$(cat called)"
	same "$(hooks_in enabled)"
	has 1 . called || { cat enabled; return 1; }
	while read -r function _; do
		! hooked "$function" && grep -q "^$function " "$tracing/touched_functions" || return
	done <called
}

# functions_at: print the names of functions, given the addresses after the calls at their entries
functions_at() {
	sort -u | while read -r address; do
		grep "^$(printf 'ffffffff%08x' $((0x${address#ffffffff} - 5))) " \
			"$tracing/available_filter_functions_addrs"
	done | cut -d' ' -f2 | sort
}

# A direct call that several functions share gets the address of the function.
direct_multi() {
	direct ftrace-direct-multi ': ip ffffffff' || return
	sed -n 's/.*: ip \(ffffffff[0-9a-f]*\)$/\1/p' traced | functions_at >names
	same "$(cat names)"
	[ "$(cat names)" = 'schedule
wake_up_process' ]
}

# One function has a direct call and an fprobe; each is removed first once.
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
	same "$(hooks_in enabled)"
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
	same "$(hooks_in enabled)"
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
	same "$(hooks_in enabled)"
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
# the instruction pointer, as a live patch does: a function can have only one of the two.
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
	same "$(hooks_in enabled)"
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

# filters FILE EMPTY: write names and patterns, and remove them; EMPTY is the text without any
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

# error_log has errors in filters of events; ftrace.c writes nothing there.
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
	hooked vfs_read && hooked schedule
	hooks_them=$?
	ls -lR /etc >/dev/null
	spawn 5
	sysctl -q kernel.stack_tracer_enabled=0 && ! hooked vfs_read || return
	[ $hooks_them = 0 ] || return
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
	same "$(hooks_in enabled)"
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
try 'nothing is left' nothing_left
check 'the kernel did not complain' untainted
