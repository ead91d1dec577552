// SPDX-License-Identifier: GPL-2.0
/*
 * Programs on functions of the kernel and of a module, for functions.sh. attach.c attaches
 * each to the function that its section names.
 */
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define EPERM	1

extern bool bpf_session_is_return(void) __ksym;

char LICENSE[] SEC("license") = "GPL";

/* Read by 'bpftool map dump'. */
__u64 entries, exits, text_length, refusals, bytes_sent, multi_entries, multi_returns, session_entries, session_returns;

/* The function that livepatch-sample patches. */
SEC("fentry/cmdline_proc_show")
int BPF_PROG(at_entry, struct seq_file *m)
{
	entries++;
	return 0;
}

SEC("fexit/cmdline_proc_show")
int BPF_PROG(at_exit, struct seq_file *m, void *v, int ret)
{
	exits++;
	text_length = m->count;
	return 0;
}

/* Refuse to make a directory whose name begins with "refused". */
SEC("fmod_ret/security_inode_mkdir")
int BPF_PROG(instead, struct inode *dir, struct dentry *dentry, umode_t mode, int ret)
{
	static const char word[] = "refused";
	char name[sizeof(word) - 1] = "";
	int i;

	bpf_probe_read_kernel(name, sizeof(name), BPF_CORE_READ(dentry, d_name.name));
	for (i = 0; i < sizeof(name); i++) {
		if (name[i] != word[i])
			return 0;
	}
	__sync_fetch_and_add(&refusals, 1);
	return -EPERM;
}

SEC("fentry/dummy_xmit")
int BPF_PROG(in_module, struct sk_buff *skb, struct net_device *dev)
{
	__sync_fetch_and_add(&bytes_sent, skb->len);
	return 0;
}

SEC("kprobe.multi/__x64_sys_getp*id")
int multi_entry(struct pt_regs *ctx)
{
	__sync_fetch_and_add(&multi_entries, 1);
	return 0;
}

SEC("kretprobe.multi/__x64_sys_getp*id")
int multi_return(struct pt_regs *ctx)
{
	if ((long)PT_REGS_RC(ctx) > 0)
		__sync_fetch_and_add(&multi_returns, 1);
	return 0;
}

/* A kprobe session (attach.c): count each call of getpgrp(), and every second return. */
SEC("kprobe.multi/session")
int session_getpgrp(struct pt_regs *ctx)
{
	if (bpf_session_is_return()) {
		__sync_fetch_and_add(&session_returns, 1);
		return 0;
	}
	return __sync_fetch_and_add(&session_entries, 1) & 1;
}
