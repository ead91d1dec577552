# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Every tool of the packages bpftrace and libbpf-tools.
# shellcheck source=scripts/guest/tools/everylib.sh
. /tmp/tools/everylib.sh

# Tools that need another argument; those of Java have nothing to trace here.
libbpf_tool() {
	case $1 in
	funclatency) set -- "$1" vfs_read ;;
	fsdist | fsslower) set -- "$1" -t ext4 ;;
	ksnoop) set -- "$1" trace vfs_open ;;
	esac
	tool "$@"
}

in_package() { dpkg -L "$1" | sed -n "s,^/usr/s*bin/,,p" | sort; }

for name in $(in_package bpftrace | grep '\.bt$'); do
	check "$name" tool "$name"
done
check 'so many tools of bpftrace start' have_started 28
: >started
for name in $(in_package libbpf-tools | grep -v '^javagc$'); do
	check "$name" libbpf_tool "$name"
done
check 'so many tools of libbpf start' have_started 10
check 'the kernel did not complain' untainted
