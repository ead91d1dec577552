#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# tracefs is mounted, remounted with other owners and unmounted, while other processes
# walk through its files, create and remove an instance, and load and unload a module that
# has events.

. "$(dirname "$0")/lib.sh"

reset
work=$(mktemp -d)
stop=$work/stop
mkdir "$work/one" "$work/two"

# until_stopped COMMAND...: repeat it; the file $work/rounds.COMMAND.ARG counts its successes
until_stopped() {
	rounds=0
	while [ ! -e "$stop" ]; do
		"$@" >/dev/null 2>&1 && rounds=$((rounds + 1))
	done
	echo $rounds >"$work/rounds.$1.${2##*/}"
}

# find fails if files go meanwhile, as the module's may in each walk on a slow machine.
walk() { find "$1" -name '[a-e]*' || :; }

come_and_go() {
	mkdir instances/remounted && rmdir instances/remounted
	modprobe trace-events-sample && rmmod trace-events-sample
}

other_mount() {
	mount -t tracefs nodev "$1" || return
	ls -R "$1/events/sched" "$1/instances"
	umount "$1"
}

remounted() {
	until_stopped walk events &
	until_stopped walk instances &
	until_stopped come_and_go once &
	until_stopped other_mount "$work/one" &
	until_stopped other_mount "$work/two" &
	n=0
	while [ $n -lt 40 ]; do
		mount -o "remount,gid=$((1000 + n)),mode=750" $tracing || return
		# Existing files must have the new group at once.
		for file in tracing_on events/enable events/sched/sched_switch/enable; do
			[ "$(stat -c %g $file)" = $((1000 + n)) ] && continue
			stat -c '%n %g' $file
			return 1
		done
		n=$((n + 1))
	done
	: >"$stop"
	wait
}

# Each of the loops has run meanwhile.
all_ran() {
	cat "$work"/rounds.*
	for what in walk.events walk.instances come_and_go.once other_mount.one other_mount.two; do
		[ "$(cat "$work/rounds.$what")" -ge 1 ] || { echo "$what did not run"; return 1; }
	done
}

as_before() {
	mount -o remount,gid=0,mode=700 $tracing || return
	[ "$(stat -c '%g %a' .)" = '0 700' ] && [ -z "$(ls instances)" ] &&
		[ ! -e events/sample-trace ] && [ "$(stat -c %g events/sched/sched_switch/id)" = 0 ]
}

have_module trace-events-sample || skip_all "no module trace-events-sample"
check "remounted while all else goes on" remounted
: >"$stop"
wait
check "all else went on" all_ran
check "everything is as before" as_before
check "the kernel has nothing to complain about" untainted
rm "$work"/rounds.* "$stop"
rmdir "$work"/* "$work"
reset
ktap_set_plan 4
ktap_finished
