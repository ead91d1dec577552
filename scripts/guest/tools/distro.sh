# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2317 # check calls the functions
# A distribution's kernel and its modules: each module loads; its events exist, can be
# enabled, filtered and read, and are removed with it.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh
# shellcheck source=scripts/guest/tools/disk.sh
. /tmp/tools/disk.sh

modules=/lib/modules/$(uname -r)

# Modules for hardware that the guest does not have, and modules that are in use.
unloadable='kvm-intel'
kept='9p|9pnet|9pnet_virtio|netfs|overlay|virtio_.*'

names() { sed -n 's/^\([^:]*\):.*/\1/p' "$modules/modules.dep" | sed 's,.*/,,; s/\.ko.*//' | sort; }

sorted_events() { sort "$tracing/available_events"; }

reset_trace() {
	echo 0 >"$tracing/events/enable"
	echo 1 >"$tracing/tracing_on"
	echo >"$tracing/trace"
}

# try_events FILE: enable, filter and disable each event of a list, one by one. It reads with
# the shell's read: starting a process takes a tenth of a second in the emulator.
try_events() {
	while IFS=: read -r system event; do
		dir=$tracing/events/$system/$event
		read -r id <"$dir/id" && read -r word name <"$dir/format" &&
			[ "$id" -gt 0 ] && [ "$word $name" = "name: $event" ] &&
			echo 'common_pid > 0 && common_flags < 255' >"$dir/filter" &&
			echo 1 >"$dir/enable" && read -r on <"$dir/enable" && [ "$on" = 1 ] &&
			echo 0 >"$dir/enable" && echo 0 >"$dir/filter" && continue
		echo "$system:$event"
		return 1
	done <"$1"
}

# one_module NAME: load it, try its events, unload it while they are enabled
one_module() {
	# Name the module on the console, in case the kernel complains.
	echo "<3>module $1" >/dev/kmsg
	sorted_events >before
	modprobe "$1" || return
	sorted_events | comm -13 before - >new
	[ -s new ] || { modprobe -r "$1"; return; }
	try_events new || return
	cut -d: -f1 new | uniq -c | while read -r count system; do
		echo "$1: $system $count" >>/tmp/brought
		echo 1 >"$tracing/events/$system/enable"
	done
	modprobe -r "$1" || return
	sorted_events | cmp - before || return
	cut -d: -f1 new | sort -u | while read -r system; do
		! [ -d "$tracing/events/$system" ] || grep -q "^$system:" before || echo "$system stays"
	done | grep . && return 1
	echo >"$tracing/trace"
}

each_alone() {
	: >/tmp/brought
	bad=0
	for name in $(names); do
		echo "$name" | grep -qxE "$unloadable|$kept|$(echo "$kept" | tr _ -)" && continue
		one_module "$name" || { echo "module $name"; bad=1; }
	done
	same "$(sort -u /tmp/brought)"
	[ $bad = 0 ] && has 12 : /tmp/brought
}

all_at_once() {
	sorted_events >before
	for name in $(names); do
		echo "$name" | grep -qxE "$unloadable" || modprobe "$name" || return
	done
	sorted_events | comm -13 before - >new
	same "$(wc -l <new) events of modules"
	has 400 : new && try_events new
}

# Set a filter on one of its own fields for each event of a module that has a numeric one. Read
# them with cat: the shell's read reads one byte at a time, and classic ends the file after one.
own_fields() {
	: >filters
	: >wanted
	while IFS=: read -r system event; do
		dir=$tracing/events/$system/$event
		field=$(sed -n '/^$/,$ s/^\tfield:\(u32\|u64\|int\|unsigned int\|unsigned long\|long\) \([a-z_]*\);.*/\2/p' \
			"$dir/format" | sed -n 1p)
		[ -n "$field" ] || continue
		echo "$field == 77" >"$dir/filter" || { echo "$system:$event $field"; return 1; }
		echo "$field == 77" >>wanted
		echo "$dir/filter" >>filters
	done <new
	count=$(grep -c . wanted)
	same "$count filters on fields of modules' events"
	xargs cat <filters | diff - wanted || return
	while read -r filter; do
		echo 0 >"$filter" || return
	done <filters
	[ "$count" -gt 200 ]
}

everything_on() {
	echo 1 >"$tracing/events/enable" || return
	ls / >/dev/null
	echo 0 >"$tracing/events/enable"
	has 1000 ': ' "$tracing/trace" || return
	echo >"$tracing/trace"
}

# file_system KIND EVENT MAKE...: its events record what is done to it
file_system() {
	kind=$1 event=$2
	shift 2
	modprobe "$kind" 2>/dev/null
	reset_trace
	echo 1 >"$tracing/events/$kind/enable" || return
	on_disk "$kind" "$@" || return
	echo 0 >"$tracing/events/$kind/enable"
	cp "$tracing/trace" traced
	echo >"$tracing/trace"
	same "$(sed -n 's/^.* [0-9.]*: \([a-z0-9_]*\): .*/\1/p' traced | sort -u | grep -x "$event")"
	has 50 ": $kind" traced && has 5 ": $event: " traced
}

virtual_machine() {
	modprobe kvm-amd || return
	reset_trace
	echo 1 >"$tracing/events/kvm/enable"
	echo 'port == 0x10' >"$tracing/events/kvm/kvm_pio/filter" || return
	/tmp/tools/vm 100 || return
	echo 0 >"$tracing/events/kvm/enable"
	echo 0 >"$tracing/events/kvm/kvm_pio/filter"
	cp "$tracing/trace" traced
	echo >"$tracing/trace"
	same "$(grep -c ': kvm_pio: pio_write at 0x10 size 1 count 1' traced) writes"
	has 100 ': kvm_pio: pio_write at 0x10 size 1 count 1' traced &&
		has 100 ': kvm_exit: vcpu 0 reason io' traced && has 100 ': kvm_entry: vcpu 0' traced &&
		has 1 ': kvm_exit: vcpu 0 reason hlt' traced
}

vsock() {
	modprobe vsock_loopback || return
	reset_trace
	echo 1 >"$tracing/events/vsock/enable"
	python3 /tmp/tools/vsock.py 100000 || return
	echo 0 >"$tracing/events/vsock/enable"
	cp "$tracing/trace" traced
	echo >"$tracing/trace"
	has 3 ': virtio_transport_alloc_pkt: ' traced && has 3 ': virtio_transport_recv_pkt: ' traced
}

# Two network name spaces, a bridge, packet filters.
network() {
	reset_trace
	modprobe bridge && modprobe veth && modprobe nf_tables || return
	for system in bridge neigh net skb fib; do
		[ ! -d "$tracing/events/$system" ] || echo 1 >"$tracing/events/$system/enable"
	done
	ip link add br0 type bridge && ip link set br0 up && ip addr add 10.9.9.1/24 dev br0 || return
	ip netns add other && ip link add left type veth peer name right netns other &&
		ip link set left master br0 up && ip -n other link set right up &&
		ip -n other addr add 10.9.9.2/24 dev right || return
	nft 'add table ip t; add chain ip t in { type filter hook input priority 0; }
		add rule ip t in ip saddr 10.9.9.2 ct state new,established counter accept' || return
	busybox ping -q -c 5 -i 0.1 10.9.9.2
	ret=$?
	nft list ruleset >rules
	echo 0 >"$tracing/events/enable"
	cp "$tracing/trace" traced
	echo >"$tracing/trace"
	ip netns del other
	ip link del br0
	nft flush ruleset
	[ $ret = 0 ] && has 1 'packets [1-9]' rules && has 1 ': br_fdb_update: br_dev br0 source left' traced &&
		has 5 ': net_dev_xmit: dev=left ' traced && has 1 ': neigh_' traced
}

# perf and a program are attached to events of a module, which can be unloaded after that only.
attached_and_gone() {
	modprobe xfs || return
	perf stat -a -e 'xfs:*' true 2>counts || { cat counts; return 1; }
	bpftrace -e 'tracepoint:xfs:xfs_inode_* { @[probe] = count(); } interval:s:20 { exit(); }' >traced 2>&1 &
	tracer=$!
	turns=0
	until grep -q 'Attaching' traced || [ $turns -gt 200 ]; do
		sleep 0.1
		turns=$((turns + 1))
	done
	sleep 2
	# An attached program holds a reference to the module.
	! modprobe -r xfs 2>/dev/null || { echo 'gone while a program was attached'; return 1; }
	on_disk xfs mkfs.xfs -q || return
	kill -INT $tracer
	wait $tracer
	has 1 '^@\[tracepoint:xfs:xfs_inode_' traced && modprobe -r xfs
}

trace_cmd() {
	modprobe xfs || return
	trace-cmd record -q -o data -e xfs -e sched:sched_process_exec -f 'comm ~ "*"' \
		sh -c '. /tmp/tools/lib.sh; . /tmp/tools/disk.sh; /bin/true; on_disk xfs mkfs.xfs -q' \
		>said 2>&1 || { cat said; return 1; }
	trace-cmd report -i data >reported 2>/dev/null || return
	has 1 'sched_process_exec: *filename=/bin/true' reported && has 50 ': xfs_' reported &&
		has 1 'xfs_create: .*name ' reported
}

# perf records events of modules, and finds the symbols of modules.
perf_modules() {
	modprobe xfs || return
	perf record -q -a -g -o data -e 'xfs:xfs_create' -e 'xfs:xfs_file_buffered_write' \
		sh -c '. /tmp/tools/lib.sh; . /tmp/tools/disk.sh; on_disk xfs mkfs.xfs -q' || return
	perf script -i data >printed 2>/dev/null || return
	has 1 'xfs:xfs_create: dev .* name ' printed && has 1 ' xfs_generic_create' printed
}

# Install the kernel and purge it again, as a user would. Before that, unmount the guest's
# modules, which are not from an installed package.
package_comes_and_goes() {
	release=$(uname -r)
	modprobe -r dummy
	umount "$modules" || return
	dpkg -i "$(cat /tmp/tools/package)" || return
	[ -s "/boot/vmlinuz-$release" ] && [ -s "/boot/config-$release" ] &&
		[ -s "$modules/modules.dep" ] && modprobe dummy && [ -d /sys/module/dummy ] || return
	same "$(dpkg-query -W -f '${Status}\n' "linux-image-$release")"
	dpkg --purge "linux-image-$release" || return
	[ ! -e "/boot/vmlinuz-$release" ] && [ ! -e "$modules/modules.dep" ]
}

# The samples, which were built against linux-headers, are none of the kernel's own modules.
modprobe -r tp-events

check 'each module alone: load, events, unload' each_alone
check 'all modules at once' all_at_once
check 'a filter on a field of each event' own_fields
check 'every event of the system on' everything_on
check 'ext4' file_system ext4 ext4_sync_file_enter mkfs.ext4 -q -F
check 'xfs' file_system xfs xfs_create mkfs.xfs -q
check 'btrfs' file_system btrfs btrfs_sync_file mkfs.btrfs -q
check 'kvm' virtual_machine
check 'vsock' vsock
check 'bridge, veth, nftables' network
check 'perf and a program on events of a module' attached_and_gone
check 'trace-cmd' trace_cmd
check 'perf record of events of a module' perf_modules
check 'the package is installed and purged' package_comes_and_goes
