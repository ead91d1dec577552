// SPDX-License-Identifier: GPL-2.0
/*
 * trace_pipe: consumes records and returns them as text; waits for records if there
 * are none.
 *
 * At most one open trace_pipe consumes a CPU's records: that of the instance claims
 * all CPUs, one in per_cpu/ claims its own (fs_instance::pipe_open).
 *
 * Reading fills a page or two with whole lines, then returns them to user space, in
 * several read() calls if these are small. A record is consumed when its line is
 * complete; if the line does not fit, the next read() renders the record again.
 *
 * Contexts: task.
 * Lock order: pipe_reader::mutex, fs_instance::access, fs_instance::cpu_access,
 * strobe_event_read_lock(). None but the first is held while user memory is copied,
 * and none while waiting.
 */
#include <linux/cleanup.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "event/event.h"
#include "fs/fs.h"
#include "output/merge.h"
#include "output/output.h"

/**
 * struct pipe_reader - an open trace_pipe
 * @view: the instance and the CPU
 * @mutex: serialises tasks that read the same open file
 * @merge: consumes the records of all CPUs
 * @out: how to render them
 * @read_any: a record was shown; from now on the file ends when recording is off
 * @seq: lines; user space has read those before @seq.readpos
 * @tmp: scratch of the events' print functions
 */
struct pipe_reader {
	const struct fs_view	*view;
	struct mutex		mutex;	/* the following members */
	struct strobe_merge	merge;
	struct output_ctx	out;
	bool			read_any;
	struct trace_seq	seq;
	struct trace_seq	tmp;
};

/**
 * strobe_fs_access_lock - exclude other consumers, and changes of the ring
 * @fsi: the instance
 * @cpu: the CPU whose records are to be consumed, or STROBE_RING_ALL_CPUS; the
 *	latter also to change the ring without any consumer
 *
 * Context: task, may sleep.
 */
void strobe_fs_access_lock(struct fs_instance *fsi, int cpu)
{
	if (cpu == STROBE_RING_ALL_CPUS) {
		down_write(&fsi->access);
		return;
	}
	down_read(&fsi->access);
	mutex_lock(&fsi->cpu_access[cpu]);
}

/**
 * strobe_fs_access_unlock - undo strobe_fs_access_lock()
 * @fsi: the instance
 * @cpu: as passed to strobe_fs_access_lock()
 */
void strobe_fs_access_unlock(struct fs_instance *fsi, int cpu)
{
	if (cpu == STROBE_RING_ALL_CPUS) {
		up_write(&fsi->access);
		return;
	}
	mutex_unlock(&fsi->cpu_access[cpu]);
	up_read(&fsi->access);
}

static int pipe_claim(struct fs_instance *fsi, int cpu)
{
	guard(mutex)(&strobe_instance_mutex);
	if (cpu != STROBE_RING_ALL_CPUS)
		return cpumask_test_and_set_cpu(cpu, fsi->pipe_open) ? -EBUSY : 0;
	if (!cpumask_empty(fsi->pipe_open))
		return -EBUSY;
	cpumask_setall(fsi->pipe_open);
	return 0;
}

static void pipe_unclaim(struct fs_instance *fsi, int cpu)
{
	guard(mutex)(&strobe_instance_mutex);
	if (cpu == STROBE_RING_ALL_CPUS)
		cpumask_clear(fsi->pipe_open);
	else
		cpumask_clear_cpu(cpu, fsi->pipe_open);
}

static struct pipe_reader *pipe_reader_alloc(const struct fs_view *view)
{
	struct trace_array *tr = view->tr;
	struct pipe_reader *reader;

	reader = kvzalloc(sizeof(*reader), GFP_KERNEL);
	if (!reader)
		return NULL;
	reader->view = view;
	reader->out.tmp = &reader->tmp;
	if (strobe_instance_clocks[READ_ONCE(tr->clock)].in_ns)
		reader->out.flags |= OUTPUT_TIME_IN_NS;
	if (READ_ONCE(tr->options) & STROBE_OPT_LATENCY_FMT)
		reader->out.flags |= OUTPUT_LATENCY;
	mutex_init(&reader->mutex);
	trace_seq_init(&reader->seq);
	strobe_merge_init(&reader->merge, tr->ring, view->cpu, STROBE_MERGE_CONSUME);
	return reader;
}

static int pipe_open(struct inode *inode, struct file *file)
{
	const struct fs_view *view = inode->i_private;
	struct pipe_reader *reader;
	int ret = strobe_fs_view_get(file);

	if (ret)
		return ret;
	ret = pipe_claim(fs_of(view->tr), view->cpu);
	if (ret)
		goto put;
	reader = pipe_reader_alloc(view);
	if (reader) {
		file->private_data = reader;
		return nonseekable_open(inode, file);
	}
	ret = -ENOMEM;
	pipe_unclaim(fs_of(view->tr), view->cpu);
put:
	strobe_fs_release(inode, file);
	return ret;
}

static int pipe_release(struct inode *inode, struct file *file)
{
	struct pipe_reader *reader = file->private_data;
	const struct fs_view *view = reader->view;

	pipe_unclaim(fs_of(view->tr), view->cpu);
	kvfree(reader);
	return strobe_fs_release(inode, file);
}

static size_t pipe_ready(const struct pipe_reader *reader)
{
	return reader->seq.seq.len - reader->seq.readpos;
}

static bool pipe_may_be_ready(const struct pipe_reader *reader)
{
	/* Without the mutex: another task may be filling the buffer. */
	return data_race(reader->seq.seq.len) > data_race(reader->seq.readpos);
}

/* Copy the lines that are ready to user space: bytes, or -EFAULT. */
static ssize_t pipe_give(struct pipe_reader *reader, struct iov_iter *to)
{
	size_t copied;

	copied = copy_to_iter(reader->seq.buffer + reader->seq.readpos,
			      pipe_ready(reader), to);
	reader->seq.readpos += copied;
	return copied ?: -EFAULT;
}

static bool pipe_recording_ended(void *data)
{
	struct pipe_reader *reader = data;

	return reader->read_any && !strobe_instance_is_on(reader->view->tr);
}

/*
 * Wait for records, with @reader's mutex released: 1, or 0 at the end of the
 * file, or an errno. A reader that has read nothing waits even while recording is
 * off; one that has read records gets the end of the file then.
 */
static int pipe_wait(struct pipe_reader *reader, bool nonblock)
{
	const struct fs_view *view = reader->view;
	int ret;

	while (strobe_merge_empty(&reader->merge)) {
		if (nonblock)
			return -EAGAIN;
		if (pipe_recording_ended(reader))
			return 0;
		mutex_unlock(&reader->mutex);
		ret = strobe_ring_wait(view->tr->ring, view->cpu, 0,
				       pipe_recording_ended, reader);
		mutex_lock(&reader->mutex);
		if (ret)
			return ret;
	}
	return 1;
}

/* Append the line of a record: false if it does not fit. */
static bool pipe_render(struct pipe_reader *reader,
			const struct strobe_ring_record *rec)
{
	struct trace_seq *seq = &reader->seq;
	size_t len = seq->seq.len;

	reader->out.index++;
	reader->out.next_ts = rec->ts;
	if (strobe_output_record(seq, rec, &reader->out))
		return true;
	if (len) {
		seq->seq.len = len;
		return false;
	}
	/* It does not even fit into the empty buffer: print it truncated. */
	seq->full = 0;
	trace_seq_puts(seq, "[LINE TOO BIG]\n");
	return true;
}

/* Consume records until there are @want bytes of text. */
static void pipe_fill(struct pipe_reader *reader, size_t want)
{
	const struct fs_view *view = reader->view;
	struct strobe_ring_record rec;
	int idx;

	trace_seq_init(&reader->seq);
	reader->out.index = 0;
	reader->out.start = READ_ONCE(view->tr->start);
	strobe_output_set_options(&reader->out, READ_ONCE(view->tr->options));

	strobe_fs_access_lock(fs_of(view->tr), view->cpu);
	idx = strobe_event_read_lock();
	strobe_merge_restart(&reader->merge);
	while (strobe_merge_peek(&reader->merge, &rec)) {
		if (!pipe_render(reader, &rec))
			break;
		reader->read_any = true;
		strobe_merge_next(&reader->merge);
		if (reader->seq.seq.len >= want)
			break;
	}
	strobe_event_read_unlock(idx);
	strobe_fs_access_unlock(fs_of(view->tr), view->cpu);
}

static ssize_t pipe_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct file *file = iocb->ki_filp;
	struct pipe_reader *reader = file->private_data;
	int ret;

	if (!iov_iter_count(to))
		return 0;

	guard(mutex)(&reader->mutex);
	/* Another task may have consumed the records that the wait was for. */
	while (!pipe_ready(reader)) {
		ret = pipe_wait(reader, file->f_flags & O_NONBLOCK ||
				iocb->ki_flags & IOCB_NOWAIT);
		if (ret <= 0)
			return ret;
		if (!pipe_ready(reader))
			pipe_fill(reader, iov_iter_count(to));
	}
	return pipe_give(reader, to);
}

static __poll_t pipe_poll(struct file *file, poll_table *table)
{
	struct pipe_reader *reader = file->private_data;
	const struct fs_view *view = reader->view;
	__poll_t mask;

	/* Call this first: it puts the caller on the wait queue. */
	mask = strobe_ring_poll(view->tr->ring, view->cpu, file, table,
				READ_ONCE(fs_of(view->tr)->percent));
	if (pipe_may_be_ready(reader) ||
	    READ_ONCE(view->tr->options) & STROBE_OPT_BLOCK)
		mask = EPOLLIN | EPOLLRDNORM;
	return mask;
}

const struct file_operations strobe_fs_pipe_fops = {
	.open		= pipe_open,
	.read_iter	= pipe_read_iter,
	.splice_read	= copy_splice_read,
	.poll		= pipe_poll,
	.release	= pipe_release,
};
