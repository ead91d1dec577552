// SPDX-License-Identifier: GPL-2.0
/*
 * Refuse tasks of a cgroup to open files of some file systems, as systemd's
 * RestrictFileSystems= does.
 */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EPERM	1

char LICENSE[] SEC("license") = "GPL";

/* Tasks in @cgroup (the inode of its directory) may not open files of file systems with @magic. */
struct rule {
	__u64 cgroup;
	__u64 magic;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, struct rule);
	__type(value, __u32);
} refused SEC(".maps");

SEC("lsm/file_open")
int BPF_PROG(restrict_fs, struct file *file, int ret)
{
	struct rule rule = {
		.cgroup = bpf_get_current_cgroup_id(),
		.magic = file->f_inode->i_sb->s_magic,
	};

	if (ret)
		return ret;
	return bpf_map_lookup_elem(&refused, &rule) ? -EPERM : 0;
}
