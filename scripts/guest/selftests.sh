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
# Kernels with KCSAN, or with kmemleak and KASAN, are slower.
slow=1
[ ! -e /sys/kernel/debug/kcsan ] && [ ! -e /sys/kernel/debug/kmemleak ] || slow=4
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
	# shellcheck disable=SC2086 # a list of words
	{ cd "$folder" && timeout "$limit" "./$program" $cases </dev/null 2>&1; echo $? >/tmp/status; cd /kselftest || exit; } |
		awk '{ print "# " $0; fflush() }'
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
