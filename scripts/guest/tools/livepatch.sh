# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2016,SC2317 # not the shell's variables; try calls the functions
# Live patches in a distribution's kernel: the samples, and the kernel's selftests.
# shellcheck source=scripts/guest/tools/hooklib.sh
. /tmp/tools/hooklib.sh

sample_patch() {
	before=$(cat /proc/cmdline)
	patch livepatch/livepatch-sample || return
	cat /proc/cmdline >text
	cp "$tracing/enabled_functions" enabled
	same "$(cat text)" "$(cat $livepatch/livepatch_sample/vmlinux/patched)"
	same "$(hooks_in enabled)"
	same "$(ls $livepatch/livepatch_sample $livepatch/livepatch_sample/vmlinux)"
	has 1 '^this has been live patched$' text &&
		has 1 '^cmdline_proc_show (1) .*I ' enabled || return
	# A live patch keeps ftrace enabled, and its module loaded.
	refused tee /proc/sys/kernel/ftrace_enabled </tmp/tools/zero &&
		[ "$(cat /proc/sys/kernel/ftrace_enabled)" = 1 ] &&
		refused rmmod livepatch_sample && unpatch livepatch_sample || return
	[ "$(cat /proc/cmdline)" = "$before" ] && ! hooked cmdline_proc_show
}

# Callbacks of modules that are loaded before the patch, and of modules that are loaded later.
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

# The first patch stores in a shadow variable what the module leaks, the second adds a counter.
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

# selftest SCRIPT: run a script of the kernel's selftests/livepatch
selftest() {
	(cd "$hooks/selftests" && KDIR=/ "./$1") >out 2>&1
	ret=$?
	same "$(grep 'TEST' out)"
	cat out
	[ $ret = 0 ] && has 1 'TEST: .* ok$' out && ! grep -v 'ok$' out
}

try 'samples/livepatch: a function of the kernel' sample_patch
try 'samples/livepatch: callbacks' callbacks
try 'samples/livepatch: shadow variables' shadows
for script in "$hooks"/selftests/test-*.sh; do
	try "selftests/livepatch: ${script##*/}" selftest "${script##*/}"
done
try 'nothing is left' nothing_left
check 'the kernel did not complain' untainted
