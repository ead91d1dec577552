#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In lockdown mode "confidentiality", traces cannot be read and tracing cannot be
# configured. The mode cannot be left again, so this needs a boot of its own:
# append: lockdown=integrity

. "$(dirname "$0")/lib.sh"

state=/sys/kernel/security/lockdown
[ -e $state ] || mount -t securityfs nodev /sys/kernel/security 2>/dev/null
on_cmdline lockdown=integrity || skip_all "not booted with lockdown=integrity"
[ -w $state ] || skip_all "no $state"

files='trace trace_pipe tracing_on trace_clock set_event available_events
	current_tracer available_tracers buffer_size_kb buffer_total_size_kb
	saved_cmdlines saved_cmdlines_size saved_tgids printk_formats trace_options
	README events/enable events/sched/enable
	events/sched/sched_switch/enable
	events/header_page events/header_event
	per_cpu/cpu0/trace per_cpu/cpu0/trace_pipe per_cpu/cpu0/stats
	per_cpu/cpu0/buffer_size_kb'
written='tracing_on trace set_event trace_clock trace_marker
	events/sched/sched_switch/enable buffer_size_kb trace_options'

# With Strobe, one file of each name and depth, but for formats and ids, which tell what the
# sources of the kernel tell, and files of user events, which belong to their processes.
# all_files MODE: which have this mode
all_files() {
	find . -type f -perm "-$1" ! -name format ! -name id ! -name 'user_events_*' |
		awk -F/ '!seen[NF, $NF]++'
}

# denied COMMAND: does it fail with EPERM, not with EACCES or because there is no file? Files of
# options give ENODEV: ABI.
denied() {
	case $1:$(LC_ALL=C sh -c "$1" 2>&1) in
	*'ermission denied'*) echo "$1: by its mode"; return 1 ;;
	*'not permitted'*) return 0 ;;
	*/options/*'o such device'*) return 0 ;;
	esac
	echo "$1: let through"
	return 1
}

integrity_allows() {
	grep -q '\[integrity\]' $state &&
		cat tracing_on available_events events/sched/sched_switch/format >/dev/null &&
		echo 1 >events/sched/sched_switch/enable &&
		echo mark >trace_marker && grep -q ': mark' trace
}

# all_denied REDIRECTION FILE...
all_denied() {
	redirection=$1
	shift
	allowed=0
	for file; do
		denied "exec 3$redirection$file" || allowed=1
	done
	[ $allowed = 0 ]
}

reads_denied() {
	! is_strobe || files="$files $(all_files u+r)"
	# shellcheck disable=SC2086 # a list of words
	all_denied '<' $files
}

writes_denied() {
	! is_strobe || written="$written $(all_files u+w)"
	# shellcheck disable=SC2086 # a list of words
	all_denied '>' $written
}

check "integrity: tracing works" integrity_allows
echo confidentiality >$state
check "confidentiality: no file can be read" reads_denied
check "confidentiality: none can be written" writes_denied
ktap_set_plan 3
ktap_finished
