# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Shared by the cases that run every tool of a package. A tool is started, sees some work, and is
# ended. With both engines it starts or does not; its programs are attached to the same places;
# and some of them run, or none.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh

python=/usr/bin/python3
echo 1 >/proc/sys/kernel/bpf_stats_enabled
truncate -s 4M disk
modprobe loop 2>/dev/null
losetup /dev/loop0 disk
for module in ext4 xfs btrfs nfs kvm-amd; do
	modprobe $module 2>/dev/null
done
: >started

# The programs that are loaded, and the places that they are attached to by perf events
attached() {
	bpftool perf show | sed -n 's/^pid .*: prog_id [0-9]*  *//p'
	bpftool prog show | sed -n 's/^[0-9]*: \([a-z_]*  *name [^ ]*\) .*/\1/p'
}

alive() { kill -0 "$tool" 2>/dev/null; }

# What the tool holds open of programs, links and events. bpftool would take a large part of the
# time that the tool's compiler needs.
held() { readlink "/proc/$tool/fd/"* | grep 'bpf[-_]\(prog\|link\)\|perf_event'; }

# Wait until the tool has attached its programs: it holds the same for three seconds. A compiler
# may run for long before it has any; a tool of software events has none.
settled() {
	turns=0
	equal=0
	before=
	while alive && [ $turns -lt 400 ]; do
		sleep 0.5
		now=$(held 2>/dev/null)
		if [ "$now" = "$before" ] && { [ -n "$now" ] || [ -s out ]; }; then
			equal=$((equal + 1))
		else
			equal=0
		fi
		before=$now
		[ -n "$now" ] && [ $equal -ge 6 ] && return
		[ $equal -lt 20 ] || return
		turns=$((turns + 1))
	done
	alive
}

some_ran() { bpftool prog show | grep -q run_cnt; }

# End the tool as a user does; the shell has its children ignore the signal otherwise.
end_tool() {
	kill -INT "$tool"
	turns=0
	while alive && [ $turns -lt 100 ]; do
		sleep 0.2
		turns=$((turns + 1))
	done
	kill -KILL "$tool" 2>/dev/null
	wait "$tool" 2>/dev/null
}

# tool COMMAND...
tool() {
	rm -f out bad
	stdbuf -oL env --default-signal=INT "$@" >out 2>bad </dev/null &
	tool=$!
	if ! settled; then
		wait "$tool"
		same 'it does not start'
		cat out bad
		return 0
	fi
	echo "$*" >>started
	$python /tmp/tools/work.py >worked 2>&1 || cat worked
	some_ran && same 'some of its programs run'
	same "$(attached | sort | uniq -c)"
	end_tool
	await nothing_attached
}
nothing_attached() { [ -z "$(attached)" ]; }

# have_started COUNT: at least so many tools did
have_started() {
	same "$(cat started)"
	has "$1" . started
}
