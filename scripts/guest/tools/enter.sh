#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run the cases in /tools with the programs of the host, whose root is shared by 9p,
# read-only; /tmp, /run and the kernel's file systems are the guest's own.
root=/mnt
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose host $root || exit 1
for dir in tmp run; do
	mount -t tmpfs own $root/$dir || exit 1
done
for dir in dev proc sys; do
	mount -o rbind /$dir $root/$dir || exit 1
done
cp -r /tools $root/tmp/tools || exit 1
modprobe tp-events
cp /lib/modules/*/bpf_testmod.ko $root/tmp/tools/bpf/ 2>/dev/null
ip link set lo up
# Without this the kernel would keep the addresses of its own code from the tools.
echo 0 >/proc/sys/kernel/kptr_restrict
echo -1 >/proc/sys/kernel/perf_event_paranoid
HOME=/tmp PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
	LC_ALL=C exec chroot $root /bin/sh /tmp/tools/cases.sh
