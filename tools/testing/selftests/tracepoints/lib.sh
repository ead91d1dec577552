# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034
# Helpers of the shell tests, which run in the tracefs directory, from the initial
# state. For a POSIX shell with busybox's tools.

test_dir=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$test_dir/../kselftest/ktap_helpers.sh"

ktap_print_header

# skip_all REASON: skip the whole test
skip_all() {
	ktap_skip_all "$*"
	exit "$KSFT_SKIP"
}

tracing=/sys/kernel/tracing
[ "$(id -u)" = 0 ] || skip_all "must be run by root"
[ -e $tracing/trace ] || mount -t tracefs nodev $tracing 2>/dev/null
cd $tracing 2>/dev/null || skip_all "no tracefs"

# check NAME COMMAND...: report one result; the command's output is printed if it fails
check() {
	check_name=$1
	shift
	if check_out=$("$@" 2>&1); then
		ktap_test_pass "$check_name"
	else
		[ -z "$check_out" ] || echo "$check_out" | sed 's/^/# /'
		ktap_test_fail "$check_name"
	fi
}

# fails COMMAND...: succeed if the command fails
fails() {
	! "$@"
}

# have_module NAME: can modprobe find it?
have_module() {
	[ -n "$(find "/lib/modules/$(uname -r)" -name "$1.ko*" 2>/dev/null)" ]
}

# check_module MODULES NAME COMMAND...: check, or skip the test if one of the modules is missing
check_module() {
	for module in $1; do
		have_module "$module" || { ktap_test_skip "$2: no module $module"; return; }
	done
	shift
	check "$@"
}

# Is the tracing engine Strobe? Classic does not pass all of these tests.
is_strobe() {
	grep -q ' strobe_event_commit$' /proc/kallsyms
}

# on_cmdline WORD: is it on the kernel's command line?
on_cmdline() {
	case " $(cat /proc/cmdline) " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

# reset: the state after boot, except the size of the buffer
reset() {
	echo 0 >events/enable
	echo nop >current_tracer
	echo 1 >tracing_on
	echo >trace
}

# wait_for COMMAND...: repeat it until it succeeds, for ten seconds at most
wait_for() {
	wait_left=100
	while ! "$@" >/dev/null 2>&1; do
		wait_left=$((wait_left - 1))
		[ $wait_left -gt 0 ] || return 1
		sleep 0.1
	done
}

# A kernel that has warned is tainted from then on.
tainted_before=$(cat /proc/sys/kernel/tainted)
untainted() {
	# Ignore out-of-tree and unsigned modules (bits 12 and 13), and live patches (15).
	[ $((($(cat /proc/sys/kernel/tainted) ^ tainted_before) & ~0xb000)) = 0 ]
}

# For a guest that runs nothing but this test. scripts/complaints checks for data races.
no_complaints_since_boot() {
	! dmesg | grep -v 'BUG: KCSAN:' | grep 'WARNING:\|BUG:\|Oops' && untainted
}
