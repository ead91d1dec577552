#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run the selftests in /kselftest, each in its own process and with the time
# limit of its 'settings' file, and report them as kselftest does.
# job.tests=a,b:case:variant on the command line of the kernel runs only these, and of b
# only the tests and the variants with these names.
cd /kselftest || exit 1
only=$(sed -n 's/.*job\.tests=\([^ ]*\).*/\1/p' /proc/cmdline | tr ',' ' ')
list=$(cat kselftest-list.txt)
[ -z "$only" ] || list=$(for t in $only; do
	found=$(grep ":${t%%:*}\$" kselftest-list.txt) || found=none:${t%%:*}
	case $t in *:*) found=$found:${t#*:} ;; esac
	echo "$found"
done)

mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null
echo 'KTAP version 1'
echo "1..$(echo "$list" | wc -l)"
# Kernels with KCSAN or lockdep are slower.
slow=1
[ ! -e /sys/kernel/debug/kcsan ] && [ ! -e /proc/lockdep ] || slow=4

# Kill what is left of the session of a selftest whose time was up. A case of a program runs in
# a process group of its own, and only the program's main process would end it.
end_session() {
	sed -n "s/^\([0-9]*\) (.*) [A-Z] [0-9]* [0-9]* $(cat /tmp/session) .*/\1/p" \
		/proc/[0-9]*/stat 2>/dev/null | xargs -r kill -9 2>/dev/null
}

n=0
bad=0
for test in $list; do
	n=$((n + 1))
	folder=${test%%:*} program=${test#*:} cases=
	case $program in
	*:*)
		for case in $(echo "${program#*:}" | tr ':' ' '); do
			cases="$cases -t $case -v $case"
		done
		program=${program%%:*} test=$folder:$program
		;;
	esac
	rm -f /tmp/status
	begun=$(cut -d. -f1 /proc/uptime)
	limit=$(sed -n 's/^timeout=//p' "$folder/settings" 2>/dev/null)
	limit=$((${limit:-45} * slow))
	# shellcheck disable=SC2016,SC2086 # the inner shell expands it; a list of words
	{
		cd "$folder" && setsid sh -c 'echo $$ >/tmp/session; exec timeout "$@"' - \
			"$limit" "./$program" $cases </dev/null 2>&1
		status=$?
		echo $status >/tmp/status
		case $status in 124 | 143) end_session ;; esac
		cd /kselftest || exit
	} | awk '{ print "# " $0; fflush() }'
	status=$(cat /tmp/status)
	echo "# $program took $(($(cut -d. -f1 /proc/uptime) - begun)) s"
	case $status in
	0) echo "ok $n selftests: $test" ;;
	4) echo "ok $n selftests: $test # SKIP" ;;
	124 | 143) echo "not ok $n selftests: $test # TIMEOUT $limit seconds"; bad=1 ;;
	*) echo "not ok $n selftests: $test # exit=$status"; bad=1 ;;
	esac
done
exit $bad
