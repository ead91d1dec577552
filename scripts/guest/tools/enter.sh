#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run the cases in /tools with the programs of the host. The host's root is mounted over 9p,
# read-only; /tmp, /run and the kernel's file systems are the guest's own.
# If there is a file /tools/modules, an overlay in memory makes everything writable, and the
# kernel's modules are those in the host's directory that the file names.
root=/mnt
for module in 9pnet_virtio 9p overlay; do
	modprobe $module 2>/dev/null
done
mkdir -p /host
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose host /host &&
	mount -o bind /host $root || exit 1
if [ -e /tools/modules ]; then
	mkdir -p /over /all
	mount -t tmpfs over /over && mkdir /over/upper /over/work || exit 1
	# redirect_dir, because dpkg renames directories of the host's.
	mount -t overlay -o "lowerdir=/host,upperdir=/over/upper,workdir=/over/work,redirect_dir=on" \
		all /all || exit 1
	modules=/lib/modules/$(uname -r)
	mkdir -p "/all$modules" || exit 1
	mount -o bind "/host$(cat /tools/modules)" "/all$modules" || exit 1
	root=/all
fi
for dir in tmp run; do
	mount -t tmpfs own $root/$dir || exit 1
done
# shared DIRECTORY: if it is below the host's /tmp, let it be there, too.
shared() {
	[ -e "$root$1" ] || { mkdir -p "$root$1" && mount -o bind "/host$1" "$root$1"; } || exit 1
}
objects=$(cat /tools/objects)
# They may have been removed after they were packaged.
[ ! -d "/host$objects" ] || shared "$objects"
if [ -e /tools/modules ]; then
	unpacked=$(cat /tools/modules)
	shared "${unpacked%/lib/modules/*}"
	shared "$(dirname "$(cat /tools/package)")"
fi
for dir in dev proc sys; do
	mount -o rbind /$dir $root/$dir || exit 1
done
cp -r /tools $root/tmp/tools || exit 1
modprobe tp-events 2>/dev/null || chroot $root /sbin/modprobe tp-events
cp /lib/modules/*/bpf_testmod.ko $root/tmp/tools/bpf/ 2>/dev/null
cp /lib/modules/*/dummy.ko $root/tmp/tools/ 2>/dev/null
ip link set lo up
# Let the tools read the addresses of the kernel's code.
echo 0 >/proc/sys/kernel/kptr_restrict
echo -1 >/proc/sys/kernel/perf_event_paranoid
HOME=/tmp PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
	LC_ALL=C exec chroot $root /bin/sh /tmp/tools/cases.sh
