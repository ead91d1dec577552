# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2317 # check calls the functions
# blktrace, blkparse and btt on a loop device.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh

modprobe loop 2>/dev/null
truncate -s 16M disk.img
loop=$(losetup -f --show disk.img) || exit 1
name=${loop#/dev/}
debug=/sys/kernel/debug/block/$name
groups=/tmp/groups

# trace_blocks [OPTION...] -- COMMAND...: run it under blktrace. The file traced gets the
# output of blkparse, the file recorded the messages, and the cgroups of requests.
trace_blocks() {
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	rm -f blocks.*
	# shellcheck disable=SC2086 # a list of words
	blktrace -d "$loop" -o blocks $options >said_by_blktrace 2>&1 &
	tracer=$!
	turns=0
	until [ -e "$debug/trace0" ] && [ -e blocks.blktrace.0 ]; do
		turns=$((turns + 1))
		[ $turns -lt 100 ] || { kill $tracer; cat said_by_blktrace; return 1; }
		sleep 0.1
	done
	sleep 1
	"$@"
	ret=$?
	sync
	kill -INT $tracer
	wait $tracer
	blkparse -i blocks -d blocks.bin >traced && python3 /tmp/tools/blkrecords.py \
		blocks.blktrace.* >recorded || return
	return $ret
}

# Write and read eight blocks from sector 256 on, without the page cache.
some_blocks() {
	dd if=/dev/zero of="$loop" bs=4k seek=32 count=8 oflag=direct 2>/dev/null &&
		dd if="$loop" of=/dev/null bs=4k skip=32 count=8 iflag=direct 2>/dev/null
}

# of ACTION KIND: the sectors with this action; actions of dd are marked
of() {
	awk -v action="$1" -v kind="$2" '$6 == action && $7 ~ kind && $8 ~ /^[0-9]+$/ {
		print $6, $7, $8, $9, $10, $11 ~ /dd/ ? "[dd]" : ""
	}' traced
}

blocks() {
	trace_blocks -- some_blocks || return
	for action in Q G D C; do
		same "$(of $action W; of $action R)"
	done
	has 8 ' Q  *WS [0-9]* + 8 \[dd\]' traced && has 8 ' C  *RS [0-9]* + 8 \[0\]' traced &&
		has 1 'Writes Queued: *8,' traced
}

masked() {
	trace_blocks -a write -- some_blocks || return
	same "$(of Q W; of Q R)"
	has 8 ' Q  *WS [0-9]* + 8 \[dd\]' traced && ! grep ' Q  *RS* ' traced
}

latencies() {
	trace_blocks -- some_blocks || return
	btt -i blocks.bin >timed || return
	same "$(awk '$1 == "Q2C" { print $1, $5 }' timed)"
	has 1 '^Q2C  *[0-9.]*  *[0-9.]*  *[0-9.]*  *16$' timed && has 1 '^D2C ' timed
}

messages() {
	trace_blocks -- dd if=/dev/zero of="$loop" bs=4k count=1 oflag=direct || return
	! grep -q 'said by hand' recorded || return
	trace_blocks -- sh -c "printf 'said by hand' >$debug/msg" || return
	same "$(cat recorded)"
	has 1 '^message in cgroup 1: said by hand$' recorded
}

# Messages of the block I/O controller about a cgroup that may write 64 KiB a second.
throttled() {
	mkdir -p $groups
	mount -t cgroup2 none $groups || return
	echo +io >$groups/cgroup.subtree_control && mkdir $groups/slow &&
		echo "$(cat /sys/block/"$name"/dev) wbps=65536" >$groups/slow/io.max || return
	group=$(stat -c %i $groups/slow)
	trace_blocks -- sh -c "echo \$\$ >$groups/slow/cgroup.procs
		dd if=/dev/zero of=$loop bs=4k count=16 oflag=direct 2>/dev/null"
	ret=$?
	rmdir $groups/slow
	umount $groups
	same "$(grep -c '^queued' recorded)"
	[ $ret = 0 ] && [ "$group" -gt 1 ]
}

without_groups() {
	throttled && has 8 'Q  *WS [0-9]* + 8' traced && has 16 '^queued in cgroup none: W ' recorded &&
		has 1 '^message in cgroup 1: throtl .*\[W\] ' recorded
}

with_groups() {
	echo 1 >"$tracing/options/blk_cgroup" || return
	throttled
	ret=$?
	same "$(cat "$tracing/options/blk_cgroup")"
	echo 0 >"$tracing/options/blk_cgroup"
	[ $ret = 0 ] && has 16 "^queued in cgroup $group: W " recorded &&
		has 1 "^message in cgroup $group: throtl .*\[W\] " recorded
}

# A device has one user at a time, and a trace that was not set up cannot be stopped.
refused() {
	trace_blocks -- sh -c "blktrace -d $loop -o other -w 1 2>&1; true" >second
	same "$(grep -c 'BLKTRACESETUP.*16/Device or resource busy' second)"
	# The exit status of -k differs from run to run, its message does not.
	blktrace -d "$loop" -k 2>stopped
	cat stopped
	same "$(sed 's/.*: //' stopped)"
	has 1 'Device or resource busy' second && has 1 'Invalid argument' stopped
}

in_sysfs() {
	for file in enable act_mask pid start_lba end_lba; do
		same "$file $(cat "/sys/block/$name/trace/$file")"
	done
	echo 1 >"/sys/block/$name/trace/enable" || return
	echo 'read,complete' >"/sys/block/$name/trace/act_mask" || return
	for file in enable act_mask pid start_lba end_lba; do
		same "$file $(cat "/sys/block/$name/trace/$file")"
	done
	some_blocks
	echo 0 >"/sys/block/$name/trace/enable"
}

check 'blktrace: writes and reads' blocks
check 'blktrace: a mask of actions' masked
check 'blktrace: btt' latencies
check 'blktrace: messages' messages
check 'blktrace: a throttled cgroup' without_groups
check 'blktrace: cgroups in records' with_groups
check 'blktrace: refused' refused
check 'blktrace: the files of sysfs' in_sysfs
check 'the kernel did not complain' untainted
losetup -d "$loop"
