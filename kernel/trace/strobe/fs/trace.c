// SPDX-License-Identifier: GPL-2.0
/*
 * trace: shows the ring's records without consuming them. Opening it for writing
 * with O_TRUNC clears the ring. snapshot (snapshot.c) is read in the same way.
 *
 * A reader steps through the merged rings of the CPUs. At each step it copies the
 * record to its own memory and advances the iterators. So it can render the record
 * at a later read(), even if the ring has overwritten it, and can peek at the time
 * of the following record.
 *
 * States of a reader, by seq_file's position: 0: the header, no record is held;
 * n: record n is held and has not been shown completely; or, with no record held:
 * record n did not exist at the last read(), but may exist at the next. The records end where
 * the ring ended when the reader began, so that reading comes to the end of the file. A reader
 * that has come there gets newer records next.
 *
 * Contexts: task. Locks: strobe_event_read_lock() from start() to stop(), so that no event
 * is freed while it renders. Clearing takes strobe_fs_access_lock().
 */
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "event/event.h"
#include "fs/fs.h"
#include "output/merge.h"
#include "output/output.h"

/**
 * struct trace_reader - an open trace file
 * @view: the instance and the CPU
 * @ring: the instance's ring or snapshot ring
 * @merge: iterates over the records of all CPUs
 * @out: how to render them
 * @rec: the record at @pos, if @held; its data is in @copy
 * @copy: memory for the longest record so far
 * @room: size of @copy in bytes
 * @pos: seq_file's position of @rec
 * @held: @rec is valid
 * @unshown: @seq has the text of @rec, which did not fit into seq_file's buffer
 * @ended: the last read() has found the end of the file
 * @paused: recording is disabled until the file is closed
 * @event_lock: returned by strobe_event_read_lock()
 * @started: CPUs whose "buffer started" line was printed
 * @seen: CPUs of which a record was read
 * @seq: text of the record
 * @tmp: scratch of the events' print functions
 */
struct trace_reader {
	const struct fs_view		*view;
	struct strobe_ring		*ring;
	struct strobe_merge		merge;
	struct output_ctx		out;
	struct strobe_ring_record	rec;
	void				*copy;
	size_t				room;
	loff_t				pos;
	bool				held;
	bool				unshown;
	bool				ended;
	bool				paused;
	int				event_lock;
	cpumask_var_t			started;
	cpumask_var_t			seen;
	struct trace_seq		seq;
	struct trace_seq		tmp;
};

static int reader_copy(struct trace_reader *reader,
		       const struct strobe_ring_record *rec)
{
	if (rec->len > reader->room) {
		void *copy = kvmalloc(rec->len, GFP_KERNEL);

		if (!copy)
			return -ENOMEM;
		kvfree(reader->copy);
		reader->copy = copy;
		reader->room = rec->len;
	}
	memcpy(reader->copy, rec->data, rec->len);
	reader->rec = *rec;
	reader->rec.data = reader->copy;
	return 0;
}

/* Read and hold the next record: 1, or 0 if there is none now, or -ENOMEM. */
static int reader_step(struct trace_reader *reader)
{
	struct strobe_ring_record rec;
	int ret;

	reader->held = false;
	reader->unshown = false;
	if (!strobe_merge_peek(&reader->merge, &rec))
		return 0;
	ret = reader_copy(reader, &rec);
	if (ret)
		return ret;
	strobe_merge_next(&reader->merge);
	/* Records lost before the first one that is shown are not reported. */
	if (!cpumask_test_and_set_cpu(rec.cpu, reader->seen))
		reader->rec.lost = 0;
	reader->out.index++;
	reader->held = true;
	return 1;
}

static void reader_rewind(struct trace_reader *reader)
{
	strobe_merge_rewind(&reader->merge);
	cpumask_clear(reader->started);
	cpumask_clear(reader->seen);
	/* reader_step() increments it, so the first record's index is 0. */
	reader->out.index = -1UL;
	reader->pos = 0;
	reader->held = false;
	reader->unshown = false;
	reader->ended = false;
}

/* Go to position @pos > 0: 1 if there is a record, 0 if not, or -ENOMEM. */
static int reader_seek(struct trace_reader *reader, loff_t pos)
{
	int ret;

	if (reader->pos == pos) {
		/* After a reset, the held record's event may have been unregistered. */
		if (reader->held && !strobe_merge_removed(&reader->merge, &reader->rec))
			return 1;
		return reader_step(reader);
	}

	reader_rewind(reader);
	do {
		ret = reader_step(reader);
		if (ret <= 0)
			return ret;
		cond_resched();
	} while (++reader->pos < pos);
	return 1;
}

static void *trace_start(struct seq_file *m, loff_t *pos)
{
	struct trace_reader *reader = m->private;
	int ret;

	reader->event_lock = strobe_event_read_lock();
	strobe_merge_restart(&reader->merge);
	if (!*pos) {
		reader_rewind(reader);
		return SEQ_START_TOKEN;
	}
	if (reader->ended)
		strobe_merge_extend(&reader->merge);
	ret = reader_seek(reader, *pos);
	if (ret < 0)
		return ERR_PTR(ret);
	reader->ended = !ret;
	return ret ? reader : NULL;
}

static void *trace_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct trace_reader *reader = m->private;
	int ret;

	reader->pos = ++*pos;
	ret = reader_step(reader);
	if (ret < 0)
		return ERR_PTR(ret);
	return ret ? reader : NULL;
}

static void trace_stop(struct seq_file *m, void *v)
{
	struct trace_reader *reader = m->private;

	strobe_event_read_unlock(reader->event_lock);
}

static bool reader_of_snapshot(const struct trace_reader *reader)
{
	return reader->ring != reader->view->tr->ring;
}

static void reader_render(struct trace_reader *reader)
{
	struct strobe_ring_record next;

	strobe_output_set_options(&reader->out, READ_ONCE(reader->view->tr->options));
	if (!reader_of_snapshot(reader))
		reader->out.start = READ_ONCE(reader->view->tr->start);
	reader->out.next_ts = reader->rec.ts;
	if (reader->out.flags & OUTPUT_LATENCY &&
	    strobe_merge_peek(&reader->merge, &next))
		reader->out.next_ts = next.ts;

	trace_seq_init(&reader->seq);
	if (!strobe_output_record(&reader->seq, &reader->rec, &reader->out)) {
		reader->seq.full = 0;
		trace_seq_puts(&reader->seq, "[LINE TOO BIG]\n");
	}
}

static void reader_show_header(struct seq_file *m, struct trace_reader *reader)
{
	struct strobe_ring_record rec;
	bool empty = !strobe_merge_peek(&reader->merge, &rec);

	if (empty && reader_of_snapshot(reader))
		strobe_fs_show_snapshot_help(m, reader->view);
	else
		strobe_fs_show_header(m, reader->view->tr, reader->ring,
				      reader->out.flags & OUTPUT_LATENCY, empty);
}

static int trace_show(struct seq_file *m, void *v)
{
	struct trace_reader *reader = m->private;

	if (v == SEQ_START_TOKEN) {
		reader_show_header(m, reader);
		return 0;
	}
	/* Do not render again: the "buffer started" line would be missing then. */
	if (!reader->unshown)
		reader_render(reader);
	reader->unshown = trace_print_seq(m, &reader->seq);
	return 0;
}

static const struct seq_operations trace_seq_ops = {
	.start	= trace_start,
	.next	= trace_next,
	.stop	= trace_stop,
	.show	= trace_show,
};

static bool has_overruns(struct strobe_ring *ring)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (strobe_ring_overruns(ring, cpu))
			return true;
	}
	return false;
}

static void reader_setup(struct trace_reader *reader, const struct fs_view *view,
			 struct strobe_ring *ring)
{
	struct trace_array *tr = view->tr;
	bool snapshot;

	reader->view = view;
	reader->ring = ring;
	snapshot = reader_of_snapshot(reader);
	reader->out.tmp = &reader->tmp;
	if (strobe_instance_clocks[READ_ONCE(tr->clock)].in_ns)
		reader->out.flags |= OUTPUT_TIME_IN_NS;
	/* A snapshot has no time that it began at. */
	if (READ_ONCE(tr->options) & STROBE_OPT_LATENCY_FMT && !snapshot)
		reader->out.flags |= OUTPUT_LATENCY;
	if (READ_ONCE(tr->options) & STROBE_OPT_PAUSE_ON_TRACE && !snapshot) {
		reader->paused = true;
		strobe_instance_stop(tr);
	}
	strobe_merge_init(&reader->merge, ring, view->cpu, STROBE_MERGE_ITERATE);
}

/* Print "buffer started" lines only if records were overwritten. */
static void reader_look_at_overruns(struct trace_reader *reader)
{
	reader->out.started = has_overruns(reader->ring) ? reader->started : NULL;
}

static void reader_teardown(struct trace_reader *reader)
{
	strobe_merge_close_iters(&reader->merge);
	if (reader->paused)
		strobe_instance_start(reader->view->tr);
	free_cpumask_var(reader->seen);
	free_cpumask_var(reader->started);
	kvfree(reader->copy);
}

/**
 * strobe_fs_trace_open_reader - open a file that shows a ring's records
 * @file: the file; to be read by seq_read() and its variants
 * @view: the instance and the CPU; the caller holds a reference to the instance
 * @ring: the instance's ring or snapshot ring
 *
 * Return: 0, undo it with strobe_fs_trace_release_reader(); -ENOMEM
 */
int strobe_fs_trace_open_reader(struct file *file, const struct fs_view *view,
				struct strobe_ring *ring)
{
	struct trace_reader *reader;
	int ret;

	reader = __seq_open_private(file, &trace_seq_ops, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	reader_setup(reader, view, ring);
	if (!zalloc_cpumask_var(&reader->started, GFP_KERNEL) ||
	    !zalloc_cpumask_var(&reader->seen, GFP_KERNEL))
		ret = -ENOMEM;
	else
		ret = strobe_merge_open_iters(&reader->merge);
	if (ret)
		strobe_fs_trace_release_reader(file_inode(file), file);
	else
		reader_look_at_overruns(reader);
	return ret;
}

/**
 * strobe_fs_trace_release_reader - undo strobe_fs_trace_open_reader()
 * @inode: the file's
 * @file: the file
 */
void strobe_fs_trace_release_reader(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	reader_teardown(m->private);
	seq_release_private(inode, file);
}

/* Clear the ring only after everything that can fail. */
static int trace_open(struct inode *inode, struct file *file)
{
	const struct fs_view *view = inode->i_private;
	struct seq_file *m;
	int ret = strobe_fs_view_get(file);

	if (ret)
		return ret;
	if (file->f_mode & FMODE_READ)
		ret = strobe_fs_trace_open_reader(file, view, view->tr->ring);
	if (ret) {
		strobe_fs_release(inode, file);
		return ret;
	}
	if (!(file->f_mode & FMODE_WRITE) || !(file->f_flags & O_TRUNC))
		return 0;
	strobe_fs_reset(view);
	if (file->f_mode & FMODE_READ) {
		m = file->private_data;
		reader_look_at_overruns(m->private);
	}
	return 0;
}

static int trace_release(struct inode *inode, struct file *file)
{
	if (file->f_mode & FMODE_READ)
		strobe_fs_trace_release_reader(inode, file);
	return strobe_fs_release(inode, file);
}

/* "echo > trace" clears the ring by O_TRUNC; ignore the data. */
static ssize_t trace_write(struct file *file, const char __user *ubuf,
			   size_t cnt, loff_t *ppos)
{
	return cnt;
}

/**
 * strobe_fs_trace_llseek - llseek() of a file that may be open for writing only
 * @file: the file
 * @offset: the offset
 * @whence: SEEK_*
 *
 * Return: as seq_lseek(); 0 if it is not open for reading
 */
loff_t strobe_fs_trace_llseek(struct file *file, loff_t offset, int whence)
{
	if (file->f_mode & FMODE_READ)
		return seq_lseek(file, offset, whence);
	file->f_pos = 0;
	return 0;
}

const struct file_operations strobe_fs_trace_fops = {
	.open		= trace_open,
	.read		= seq_read,
	.read_iter	= seq_read_iter,
	.splice_read	= copy_splice_read,
	.write		= trace_write,
	.llseek		= strobe_fs_trace_llseek,
	.release	= trace_release,
};
