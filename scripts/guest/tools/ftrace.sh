# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2317 # check calls the function
# All of the kernel's own selftests/ftrace in a distribution's kernel. job.cases=a,b on the
# kernel's command line: run only these.
# shellcheck source=scripts/guest/tools/hooklib.sh
. /tmp/tools/hooklib.sh

# one CASE: run it; it has to pass, also in an instance if it is flagged for that. Print the
# end of its log, and its results.
one() {
	rm -rf /tmp/logs
	./ftracetest -K -k -l /tmp/logs "$1" >/tmp/results 2>&1
	tail -n 20 /tmp/logs/*-log.* | cut -c1-200
	cat /tmp/results
	grep -q '^ok ' /tmp/results && ! grep -q '^not ok \|^ok .*#' /tmp/results
}

# Make modprobe find the modules of samples/ that cases load: they are not in lib/modules.
for object in "$hooks"/ftrace/ftrace-direct*.ko "$hooks"/trace_*/*.ko; do
	echo "install $(basename "$object" .ko) insmod $object" >>/etc/modprobe.d/samples.conf
done
chosen=$(sed -n 's/.*job\.cases=\([^ ]*\).*/\1/p' /proc/cmdline | tr ',' ' ')
cd /tmp/tools/ftrace || exit 1
# shellcheck disable=SC2086 # a list of words
for case in ${chosen:-$(find test.d -name '*.tc' | sort)}; do
	# It crashes classic of 6.12.117: trace_fprobe_release() dereferences an error pointer.
	[ "$case" != test.d/dynevent/add_remove_tprobe_module.tc ] || continue
	check "${case#test.d/}" one "$case"
done
