// SPDX-License-Identifier: GPL-2.0
/*
 * trace_marker and trace_marker_raw: user space writes records.
 *
 * The record is reserved first, and the text copied from user space into it. That
 * cannot fault pages in, because preemption is off; if a page is not present,
 * "<faulted>" is recorded instead of the text.
 *
 * States: none. Contexts: task. Locks: none. Barriers: the ring's.
 */
#include <linux/align.h>
#include <linux/instruction_pointer.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/uaccess.h>

#include "event/ftrace_entries.h"
#include "record/record.h"
#include "record/trace_array.h"
#include "record/triggers.h"

/* Longest text of one write; a longer text is recorded up to here. */
#define MARKER_BYTES_MAX	4096U

static const char faulted[] = "<faulted>";
#define FAULTED_LEN		(sizeof(faulted) - 1)

static bool markers_off(const struct trace_array *tr)
{
	return tracing_is_disabled() ||
	       !(READ_ONCE(tr->options) & STROBE_OPT_MARKERS);
}

/* Length of a record of @cnt characters, or of "<faulted>", with newline and NUL. */
static u32 marker_len(size_t cnt)
{
	return sizeof(struct print_entry) + max(cnt, FAULTED_LEN) + 2;
}

/* Returns the record's length. */
static u32 marker_end_line(struct print_entry *entry, size_t cnt)
{
	if (!cnt || entry->buf[cnt - 1] != '\n')
		entry->buf[cnt++] = '\n';
	entry->buf[cnt] = '\0';
	return offsetof(struct print_entry, buf) + cnt + 1;
}

/**
 * strobe_instance_marker_write - record text from user space
 * @tr:   the instance
 * @ip:   the address that the record shows as its origin
 * @ubuf: the text
 * @cnt:  its length in bytes
 *
 * Context: task.
 * Return: number of bytes recorded, less than @cnt if the text is too long; -EINVAL
 *	   if @cnt as a ssize_t is negative, or markers are off; -EBADF if nothing could
 *	   be recorded; -EFAULT if "<faulted>" was recorded because @ubuf cannot be read.
 */
ssize_t strobe_instance_marker_write(struct trace_array *tr, unsigned long ip,
				     const char __user *ubuf, size_t cnt)
{
	u32 ctx = record_context();
	struct strobe_ring_resv resv;
	struct trace_event_file *print;
	struct print_entry *entry;
	unsigned int after = 0;
	ssize_t ret;
	u32 len, max;

	if (markers_off(tr) || (ssize_t)cnt < 0)
		return -EINVAL;
	max = strobe_ring_max_payload(tr->ring) - marker_len(0) + FAULTED_LEN;
	cnt = min3(cnt, (size_t)MARKER_BYTES_MAX, (size_t)max);

	guard(preempt_notrace)();
	entry = strobe_record_reserve(tr->ring, TRACE_PRINT, marker_len(cnt), ctx, &resv);
	if (!entry)
		return -EBADF;
	entry->ip = ip;
	ret = cnt;
	if (copy_from_user_nofault(entry->buf, ubuf, cnt)) {
		memcpy(entry->buf, faulted, FAULTED_LEN);
		cnt = FAULTED_LEN;
		ret = -EFAULT;
	}
	/* Triggers see the text as it was written, without an added newline. */
	entry->buf[cnt] = '\0';
	/* If there is one, it is complete. Pairs with PRINT:A in instance/files.c. */
	print = READ_ONCE(tr->print);
	if (print && READ_ONCE(print->sink.gate) & STROBE_GATE_TRIGGER)
		after = strobe_triggers_call(print, entry, ctx, _RET_IP_);
	len = marker_end_line(entry, cnt);
	if (READ_ONCE(strobe_export_kinds) & TRACE_EXPORT_MARKER)
		strobe_export_record(entry, len, TRACE_EXPORT_MARKER);
	strobe_ring_commit(&resv);
	if (after)
		strobe_triggers_call_after(print, after, ctx, _RET_IP_);
	return ret;
}

/**
 * strobe_instance_marker_write_raw - record bytes from user space
 * @tr:   the instance
 * @ubuf: the bytes; the first four are an id
 * @cnt:  number of bytes
 *
 * Context: task.
 * Return: @cnt; -EINVAL if it is too small or too large, or markers are off; -EBADF
 *	   if nothing could be recorded; -EFAULT if "<faulted>" was recorded with id
 *	   -1 because @ubuf cannot be read.
 */
ssize_t strobe_instance_marker_write_raw(struct trace_array *tr,
					 const char __user *ubuf, size_t cnt)
{
	u32 ctx = record_context();
	struct strobe_ring_resv resv;
	struct raw_data_entry *entry;
	ssize_t ret = cnt;
	size_t len;

	if (markers_off(tr) || cnt < sizeof(entry->id))
		return -EINVAL;
	/* Both @cnt and sizeof(*entry) include the id. */
	len = sizeof(*entry) + max(cnt, sizeof(entry->id) + FAULTED_LEN);
	if (len > strobe_ring_max_payload(tr->ring))
		return -EINVAL;

	guard(preempt_notrace)();
	entry = strobe_record_reserve(tr->ring, TRACE_RAW_DATA, len, ctx, &resv);
	if (!entry)
		return -EBADF;
	if (copy_from_user_nofault(&entry->id, ubuf, cnt)) {
		entry->id = -1;
		memcpy(entry->buf, faulted, FAULTED_LEN);
		cnt = sizeof(entry->id) + FAULTED_LEN;
		ret = -EFAULT;
	}
	/* Readers are shown all bytes of the record, so clear the unused ones. */
	memset((void *)&entry->id + cnt, 0,
	       ALIGN(len, sizeof(u32)) - offsetof(struct raw_data_entry, id) - cnt);
	strobe_ring_commit(&resv);
	return ret;
}
