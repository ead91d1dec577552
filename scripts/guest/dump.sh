#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Print everything in which two engines must not differ: the list of events,
# each format, the page and record headers, and the text of a set of events
# that the commands below cause. For scripts/compare.
cd /sys/kernel/tracing || exit 1
# On one CPU, so that the order of events is the same each time.
taskset -p 1 $$ >/dev/null || exit 1

section() { echo "@@ $*"; }

section available_events
sort available_events

section headers
tail -n +1 events/header_page events/header_event

for system in events/*/; do
	section formats "${system#events/}"
	tail -n +1 "$system"*/format
done

# Events whose text does not depend on timing, caused by the commands below.
events='sched:sched_process_fork sched:sched_process_exec sched:sched_process_exit
	task:task_newtask task:task_rename signal:signal_generate signal:signal_deliver
	module:module_load module:module_free printk:console
	net:net_dev_queue net:net_dev_xmit net:netif_rx net:netif_receive_skb
	sock:inet_sock_set_state filelock:locks_get_lock_context filelock:flock_lock_inode
	syscalls:sys_enter_openat syscalls:sys_exit_openat syscalls:sys_enter_kill
	syscalls:sys_exit_kill syscalls:sys_enter_socket syscalls:sys_enter_bind
	syscalls:sys_enter_mount syscalls:sys_exit_mount syscalls:sys_enter_umount
	syscalls:sys_enter_finit_module syscalls:sys_enter_delete_module
	cgroup:cgroup_mkdir cgroup:cgroup_rmdir workqueue:workqueue_execute_start
	irq:softirq_entry timer:hrtimer_init writeback:writeback_mark_inode_dirty
	block:block_bio_queue block:block_rq_issue percpu:percpu_alloc_percpu
	rtc:rtc_read_time initcall:initcall_start'

echo 0 >tracing_on
echo >trace
echo 8192 >buffer_size_kb
for event in $events; do
	[ ! -d "events/$(echo "$event" | tr : /)" ] || echo "$event" >>set_event
done
echo 1 >tracing_on

mkdir -p /tmp/mount /tmp/cgroup
mount -t tmpfs compared /tmp/mount
umount /tmp/mount
echo 'a line from the job' >/dev/kmsg
ping -c 2 127.0.0.1 >/dev/null
sleep 100 &
# Let the background process start. In the guest's time this is enough.
sleep 0.5
kill -USR1 $!
wait $! 2>/dev/null
: >/tmp/lock
flock /tmp/lock true
nc -l -p 7777 >/dev/null &
sleep 0.5
echo hello | nc -w 1 127.0.0.1 7777
mount -t cgroup2 compared /tmp/cgroup 2>/dev/null &&
	mkdir /tmp/cgroup/a && rmdir /tmp/cgroup/a && umount /tmp/cgroup
dd if=/dev/ram0 of=/dev/null bs=4096 count=4 2>/dev/null
hwclock >/dev/null 2>&1
echo 0 >tracing_on
section text
cat trace

# Unloading a module clears the trace, so read the text of each before that.
echo >set_event
echo >trace
echo 1 >tracing_on
for module in trace-events-sample tp-events; do
	modprobe $module 2>/dev/null || continue
	systems='sample-trace sample-trace-custom tp_events'
	for system in $systems; do
		[ ! -d "events/$system" ] || echo 1 >"events/$system/enable"
	done
	for text in red 'a green line' 'a line that is longer than half of what there is room for' x; do
		[ ! -e /proc/tracepoint-events ] || echo "$text" >/proc/tracepoint-events
	done
	# Its threads fire once a second: stop in between.
	[ $module = tp-events ] || sleep 8.5
	echo 0 >tracing_on
	for system in $systems; do
		[ ! -d "events/$system" ] || echo 0 >"events/$system/enable"
	done
	section text
	cat trace
	rmmod $module
	echo 1 >tracing_on
done
section end
