#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run those of the kernel's own ftrace selftests that job.cases=a,b on the kernel's
# command line names (default: all), and print the log of each that failed.
cases=$(sed -n 's/.*job\.cases=\([^ ]*\).*/\1/p' /proc/cmdline | tr ',' ' ')
cd /ftrace || exit 1
mkdir -p /tmp/logs
# shellcheck disable=SC2086 # a list of words
./ftracetest -K -k -l /tmp/logs $cases 2>&1
# shellcheck disable=SC2013 # numbers
for number in $(sed -n 's/^\[\([0-9]*\)\].*FAIL.*/\1/p' /tmp/logs/ftracetest.log); do
	for log in /tmp/logs/"$number"-*; do
		echo "--- ${log##*/}"
		cat "$log"
	done
done
exit 0
