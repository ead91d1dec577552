# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2317 # check calls the function
# The kernel's own selftests/ftrace, all of them, in a distribution's kernel. job.cases= on
# the kernel's command line: only those (a,b).
# shellcheck source=scripts/guest/tools/hooklib.sh
. /tmp/tools/hooklib.sh

# one CASE: it passes, in an instance too, if it says so; the end of its log says why not
one() {
	rm -rf /tmp/logs
	./ftracetest -K -k -l /tmp/logs "$1" >/tmp/results 2>&1
	tail -n 20 /tmp/logs/*-log.* | cut -c1-200
	cat /tmp/results
	grep -q '^ok ' /tmp/results && ! grep -q '^not ok \|^ok .*#' /tmp/results
}

# The modules of samples/ that cases load are not among the kernel's own.
for object in "$hooks"/ftrace/ftrace-direct*.ko "$hooks"/trace_*/*.ko; do
	echo "install $(basename "$object" .ko) insmod $object" >>/etc/modprobe.d/samples.conf
done
chosen=$(sed -n 's/.*job\.cases=\([^ ]*\).*/\1/p' /proc/cmdline | tr ',' ' ')
cd /tmp/tools/ftrace || exit 1
# shellcheck disable=SC2086 # a list of words
for case in ${chosen:-$(find test.d -name '*.tc' | sort)}; do
	# Classic of 6.12.117 does not survive it: trace_fprobe_release() follows an error for a
	# pointer.
	[ "$case" != test.d/dynevent/add_remove_tprobe_module.tc ] || continue
	check "${case#test.d/}" one "$case"
done
