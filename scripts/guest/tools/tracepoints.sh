# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2317 # check calls the function
# The selftests of tools/testing/selftests/tracepoints in a distribution's kernel, except
# those that need a boot of their own. job.cases=a,b on the kernel's command line: run only
# these.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh

# one PROGRAM: run it; it has to pass, and must not skip all of its tests
one() {
	timeout 1800 "./$1" >/tmp/log 2>&1
	ret=$?
	grep -v '^# *\(RUN\|OK\) ' /tmp/log
	return $ret
}

modprobe loop
chosen=$(sed -n 's/.*job\.cases=\([^ ]*\).*/\1/p' /proc/cmdline | tr ',' ' ')
cd /tmp/tools/kselftest/tracepoints || exit 1
for program in ${chosen:-$(sed -n 's/^tracepoints://p' ../kselftest-list.txt)}; do
	case $program in
	# With all events of Debian's kernel it would take hours in an emulator.
	every_event) ;;
	*) grep -q '^# append:' "$program" || check "$program" one "$program" ;;
	esac
done
check 'the kernel did not complain' untainted
