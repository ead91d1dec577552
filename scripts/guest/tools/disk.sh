# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# File systems for the cases, in the guest's /tmp.

# on_disk KIND MAKE...: make a file system on a loop device; write, read and remove files in it
on_disk() {
	kind=$1
	shift
	mkdir -p disk
	truncate -s 512M disk.img
	loop=$(losetup -f --show disk.img) || return
	if ! "$@" "$loop" >made 2>&1 || ! mount -t "$kind" "$loop" disk; then
		cat made
		losetup -d "$loop"
		return 1
	fi
	for number in 1 2 3 4 5; do
		dd if=/dev/zero of=disk/file$number bs=64k count=4 conv=fsync 2>/dev/null
		mv disk/file$number disk/moved$number
		cat disk/moved$number >/dev/null
	done
	rm disk/moved1
	sync
	umount disk
	losetup -d "$loop"
	rm disk.img
}
