// SPDX-License-Identifier: GPL-2.0
/*
 * All ways to attach a BPF program to a tracepoint: to the event, whose fields have other
 * offsets in other kernels; to a system call; raw, with an array of numbers as arguments;
 * and raw with the kernel's types, where the verifier knows which pointers may be NULL.
 */
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "tp-watch.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} events SEC(".maps");

/* Number of events for which @events had no space. */
unsigned long lost;

/* Pid of tp-watch itself: reporting its own events would cause more of them. */
const volatile int watcher;

static struct watch_event *event_reserve(enum watched what)
{
	int pid = bpf_get_current_pid_tgid() >> 32;
	struct watch_event *event;

	if (pid == watcher)
		return NULL;
	event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		__sync_fetch_and_add(&lost, 1);
		return NULL;
	}
	event->what = what;
	event->pid = pid;
	event->number = 0;
	bpf_get_current_comm(event->text, sizeof(event->text));
	return event;
}

/* An event. The low half of __data_loc_filename is the offset of the string in the record. */
SEC("tp/sched/sched_process_exec")
int watch_exec(struct trace_event_raw_sched_process_exec *ctx)
{
	unsigned int place = BPF_CORE_READ(ctx, __data_loc_filename) & 0xffff;
	struct watch_event *event = event_reserve(WATCHED_EXEC);

	if (!event)
		return 0;
	event->number = BPF_CORE_READ(ctx, old_pid);
	bpf_probe_read_kernel_str(event->text, sizeof(event->text), (void *)ctx + place);
	bpf_ringbuf_submit(event, 0);
	return 0;
}

/* A system call: the record contains its arguments. */
SEC("tp/syscalls/sys_enter_kill")
int watch_kill(struct trace_event_raw_sys_enter *ctx)
{
	struct watch_event *event = event_reserve(WATCHED_KILL);

	if (!event)
		return 0;
	event->number = ctx->args[1];
	bpf_ringbuf_submit(event, 0);
	return 0;
}

/* Raw, with types: the verifier requires the check for NULL, which means any child. */
SEC("tp_btf/sched_process_wait")
int BPF_PROG(watch_wait, struct pid *whom)
{
	struct watch_event *event = event_reserve(WATCHED_WAIT);

	if (!event)
		return 0;
	if (whom)
		event->number = whom->numbers[0].nr;
	bpf_ringbuf_submit(event, 0);
	return 0;
}

/* Raw: the program itself has to know the type of the argument. */
SEC("raw_tp/sched_process_exit")
int watch_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx->args[0];
	struct watch_event *event = event_reserve(WATCHED_EXIT);

	if (!event)
		return 0;
	event->number = BPF_CORE_READ(task, exit_code);
	bpf_ringbuf_submit(event, 0);
	return 0;
}
