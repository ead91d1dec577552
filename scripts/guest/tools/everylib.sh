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
	bpftool perf show | sed -n 's/^pid .*: prog_id [0-9]*  *//p' | sed 's,/proc/[0-9]*/,/proc/PID/,'
	bpftool prog show | sed -n 's/^[0-9]*: \([a-z_]*  *name [^ ]*\) .*/\1/p'
}

# A tool has a process group, which setsid makes: some are shell scripts that run another one.
alive() { kill -0 "-$tool" 2>/dev/null || kill -0 "$tool" 2>/dev/null; }

# What the tool holds open of programs, links and events. bpftool would take a large part of the
# time that the tool's compiler needs.
held() {
	for process in $(pgrep -g "$tool"); do
		readlink "/proc/$process/fd/"*
	done | grep 'bpf[-_]\(prog\|link\)\|perf_event'
}

# busy: has the tool used the CPU for more than a fifth of a second since the last call? It does
# while it compiles, or reads the symbols of the kernel.
busy() {
	before=$ticks
	# User and system time in 1/100 s, after the name of the program
	ticks=$(for process in $(pgrep -g "$tool"); do
		cat "/proc/$process/stat"
	done 2>/dev/null | sed 's/.*) //' | awk '{ sum += $12 + $13 } END { print sum + 0 }')
	[ $((ticks - before)) -gt 20 ]
}

# Wait until the tool has attached its programs: it holds the same, and is not busy, for three
# seconds, or holds the same for thirty, as its events may keep it busy. A tool that holds none has
# at least to say something, and is given ten seconds.
settled() {
	turns=0 ticks=0 equal=0 quiet=0
	earlier=
	while sleep 1 && alive && [ $turns -lt 200 ]; do
		now=$(held 2>/dev/null)
		if [ "$now" = "$earlier" ]; then
			equal=$((equal + 1)) quiet=$((quiet + 1))
		else
			equal=0 quiet=0
		fi
		if busy; then
			quiet=0
		fi
		earlier=$now
		if [ -n "$now" ]; then
			[ $quiet -lt 3 ] && [ $equal -lt 30 ] || return 0
		elif [ -s out ] && [ $quiet -ge 10 ]; then
			return 0
		fi
		turns=$((turns + 1))
	done
	alive
}

some_ran() { bpftool prog show | grep -q run_cnt; }

# End the tool as a user does; the shell has its children ignore the signal otherwise.
end_tool() {
	kill -INT "-$tool"
	turns=0
	while alive && [ $turns -lt 100 ]; do
		sleep 0.2
		turns=$((turns + 1))
	done
	kill -KILL "-$tool" 2>/dev/null
	wait "$tool" 2>/dev/null
}

# tool COMMAND...
tool() {
	rm -f out bad
	setsid stdbuf -oL env --default-signal=INT "$@" >out 2>bad </dev/null &
	tool=$!
	if ! settled; then
		wait "$tool"
		same 'it does not start'
		cat out bad
		return 0
	fi
	echo "$1" >>started
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
