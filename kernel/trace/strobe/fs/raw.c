// SPDX-License-Identifier: GPL-2.0
/*
 * per_cpu/cpuN/trace_pipe_raw: consumes the records of a CPU in binary form, a
 * sub-buffer at a time, for programs that parse them as header_page and
 * header_event describe.
 *
 * read() fills its own page from the ring, without copying if a full sub-buffer is
 * available, and returns it to user space, in several calls if these are small. It
 * returns whole pages, even if only a part has records.
 *
 * splice() puts the ring's full sub-buffers themselves into the pipe. Each belongs
 * to a struct raw_ref (raw_ref.c) until the last pipe has released it, even if the
 * ring or the instance is freed before.
 *
 * per_cpu/cpuN/snapshot_raw does the same with the snapshot ring. Only another
 * snapshot adds records to it, so splice() too waits for any record there.
 *
 * mmap() is in raw_map.c; TRACE_MMAP_IOCTL_GET_READER gets the next records for it.
 *
 * Waiting: read() waits for any record, all others wait for buffer_percent. ioctl(0)
 * and closing one of the descriptors end the waits on this open file
 * (raw_reader::wakes).
 *
 * Contexts: task.
 * Lock order: raw_reader::mutex, fs_instance::access, fs_instance::cpu_access,
 * what ring/ takes. None but the first is held while user memory is copied, and
 * none while waiting.
 */
#include <linux/cleanup.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/pipe_fs_i.h>
#include <linux/trace_mmap.h>
#include <linux/uaccess.h>

#include "fs/fs.h"
#include "fs/raw_ref.h"

/**
 * struct raw_reader - an open trace_pipe_raw
 * @view: the instance and the CPU
 * @ring: the instance's ring or snapshot ring
 * @pool: pages that pipes have released
 * @mutex: serialises tasks that read the same open file
 * @page: filled from the ring by read() (@mutex)
 * @given: bytes of @page that user space has read (@mutex)
 * @wakes: incremented to end the waits
 * @closed: a descriptor was closed: do not wait any more
 * @rcu: to free it after a grace period
 */
struct raw_reader {
	const struct fs_view	*view;
	struct strobe_ring	*ring;
	struct raw_pool		*pool;
	struct mutex		mutex;	/* @page and @given */
	struct strobe_ring_page	page;
	unsigned int		given;
	atomic_t		wakes;
	bool			closed;
	struct rcu_head		rcu;
};

/**
 * struct raw_wait - conditions that end a wait
 * @reader: the wait ends when @reader->closed is set, unless @on
 * @wakes: the wait ends when @reader->wakes differs from this
 * @on: recording was on: the wait ends when it is off
 */
struct raw_wait {
	const struct raw_reader	*reader;
	int			wakes;
	bool			on;
};

/* The caller holds a reference to the instance. */
static int raw_open_reader(struct inode *inode, struct file *file,
			   struct strobe_ring *ring)
{
	struct raw_reader *reader = kzalloc(sizeof(*reader), GFP_KERNEL);

	if (!reader)
		return -ENOMEM;
	reader->pool = strobe_raw_pool_create();
	if (!reader->pool) {
		kfree(reader);
		return -ENOMEM;
	}
	reader->view = inode->i_private;
	reader->ring = ring;
	mutex_init(&reader->mutex);
	file->private_data = reader;
	return nonseekable_open(inode, file);
}

static int raw_open(struct inode *inode, struct file *file)
{
	const struct fs_view *view = inode->i_private;
	int ret = strobe_fs_view_get(file);

	if (ret)
		return ret;
	/* mmap() shows how large the ring is, and keeps it so. */
	ret = strobe_instance_use_ring(view->tr);
	if (!ret)
		ret = raw_open_reader(inode, file, view->tr->ring);
	if (ret)
		strobe_fs_release(inode, file);
	return ret;
}

/* Until then a dump may read the page. */
static void raw_reader_free_rcu(struct rcu_head *rcu)
{
	struct raw_reader *reader = container_of(rcu, struct raw_reader, rcu);

	strobe_ring_page_free(&reader->page);
	kfree(reader);
}

static int raw_release(struct inode *inode, struct file *file)
{
	struct raw_reader *reader = file->private_data;

	strobe_raw_pool_close(reader->pool);
	mutex_destroy(&reader->mutex);
	/* Not call_rcu(), which keeps memory for seconds with CONFIG_RCU_LAZY. */
	call_rcu_hurry(&reader->rcu, raw_reader_free_rcu);
	return strobe_fs_release(inode, file);
}

static bool raw_wait_is_over(void *data)
{
	const struct raw_wait *wait = data;

	/* Pairs with WAKES:A. */
	if (atomic_read_acquire(&wait->reader->wakes) != wait->wakes)
		return true;
	if (wait->on)
		return !strobe_instance_is_on(wait->reader->view->tr);
	return READ_ONCE(wait->reader->closed);
}

static int raw_wait_until(struct raw_wait *wait, unsigned int percent)
{
	return strobe_ring_wait(wait->reader->ring, wait->reader->view->cpu, percent,
				raw_wait_is_over, wait);
}

/* Wait until the ring is @percent full, or for any record if that is 0: 0 or errno. */
static int raw_wait(struct raw_reader *reader, unsigned int percent)
{
	struct raw_wait wait = {
		.reader	= reader,
		/* Pairs with WAKES:A: a @closed that was set before this is seen. */
		.wakes	= atomic_read_acquire(&reader->wakes),
	};

	return raw_wait_until(&wait, percent);
}

static void raw_wake(struct raw_reader *reader)
{
	/* WAKES:A: raw_wait_is_over() that sees the new number also sees @closed. */
	atomic_fetch_inc_release(&reader->wakes);
	strobe_ring_wake(reader->ring, reader->view->cpu);
}

static unsigned int raw_percent(const struct raw_reader *reader)
{
	const struct trace_array *tr = reader->view->tr;

	return reader->ring == tr->ring ? READ_ONCE(fs_of(tr)->percent) : 0;
}

static bool raw_empty(const struct raw_reader *reader)
{
	return strobe_ring_empty(reader->ring, reader->view->cpu);
}

static unsigned int raw_left(const struct raw_reader *reader)
{
	return strobe_ring_page_bytes(&reader->page) - reader->given;
}

/*
 * Refill the page, which user space has read completely, with records for @room bytes.
 * Return: 0; -EAGAIN if there are none; -EINVAL if @room is too small for one; -ENOMEM.
 */
static int raw_take(struct raw_reader *reader, size_t room)
{
	const struct fs_view *view = reader->view;
	struct strobe_ring *ring = reader->ring;
	int ret = 0;

	/* Also keeps the size of sub-buffers from changing. */
	strobe_fs_access_lock(fs_of(view->tr), view->cpu);
	if (strobe_ring_page_bytes(&reader->page) != strobe_ring_subbuf_bytes(ring)) {
		strobe_ring_page_free(&reader->page);
		ret = strobe_ring_page_alloc(ring, view->cpu, &reader->page);
	}
	if (!ret)
		ret = strobe_ring_read_page(ring, view->cpu, &reader->page, room,
					    false);
	strobe_fs_access_unlock(fs_of(view->tr), view->cpu);
	reader->given = ret ? strobe_ring_page_bytes(&reader->page) : 0;
	return ret;
}

/*
 * Fill the page if all of it was read. Waits for records with the mutex released.
 * Return: 1, 0 at the end of the file, or an errno.
 */
static int raw_fill(struct raw_reader *reader, size_t room, bool nonblock)
{
	int ret;

	while (!raw_left(reader)) {
		ret = raw_take(reader, room);
		if (!ret)
			break;
		if (ret == -ENOMEM)
			return ret;
		if (!raw_empty(reader)) {
			if (ret == -EINVAL)
				return 0;
			continue;
		}
		if (READ_ONCE(reader->closed))
			return 0;
		if (nonblock)
			return -EAGAIN;
		mutex_unlock(&reader->mutex);
		ret = raw_wait(reader, 0);
		mutex_lock(&reader->mutex);
		if (ret)
			return ret;
	}
	return 1;
}

static ssize_t raw_read(struct file *file, char __user *ubuf, size_t cnt,
			loff_t *ppos)
{
	struct raw_reader *reader = file->private_data;
	size_t size;
	int ret;

	if (!cnt)
		return 0;
	guard(mutex)(&reader->mutex);
	ret = raw_fill(reader, cnt, file->f_flags & O_NONBLOCK);
	if (ret <= 0)
		return ret;
	cnt = min_t(size_t, cnt, raw_left(reader));
	size = cnt - copy_to_user(ubuf, reader->page.data + reader->given, cnt);
	if (!size)
		return -EFAULT;
	*ppos += size;
	reader->given += size;
	return size;
}

static void raw_buf_release(struct pipe_inode_info *pipe, struct pipe_buffer *buf)
{
	strobe_raw_ref_put((struct raw_ref *)buf->private);
	buf->private = 0;
}

static bool raw_buf_get(struct pipe_inode_info *pipe, struct pipe_buffer *buf)
{
	return strobe_raw_ref_get((struct raw_ref *)buf->private);
}

static const struct pipe_buf_operations raw_buf_ops = {
	.release	= raw_buf_release,
	.get		= raw_buf_get,
};

static void raw_spd_release(struct splice_pipe_desc *spd, unsigned int i)
{
	strobe_raw_ref_put((struct raw_ref *)spd->partial[i].private);
	spd->partial[i].private = 0;
}

/*
 * Take a full sub-buffer for up to @len bytes at @pos of the file. The CPU's access
 * lock is held.
 * Return: a reference to the page; ERR_PTR(-EAGAIN) if there is none; -EINVAL if @len
 * is too small or @pos is not aligned; -ENOMEM.
 */
static struct raw_ref *raw_ref_take(const struct raw_reader *reader, loff_t pos,
				    size_t len)
{
	struct strobe_ring *ring = reader->ring;
	unsigned int size = strobe_ring_subbuf_bytes(ring);
	int cpu = reader->view->cpu, ret;
	struct raw_ref *ref;

	if (!IS_ALIGNED(pos, size) || len < size)
		return ERR_PTR(-EINVAL);
	ref = strobe_raw_ref_new(reader->pool, ring, cpu);
	if (!ref)
		return ERR_PTR(-ENOMEM);
	ret = strobe_ring_read_page(ring, cpu, &ref->page, size, true);
	if (!ret)
		return ref;
	strobe_raw_ref_put(ref);
	return ERR_PTR(ret);
}

/*
 * Put full sub-buffers of at most @len bytes in total into @spd.
 * Return: how many, 0 if there is none; -EINVAL or -ENOMEM if the first one fails.
 */
static int raw_collect(const struct raw_reader *reader,
		       struct splice_pipe_desc *spd, loff_t *ppos, size_t len)
{
	const struct fs_view *view = reader->view;
	struct raw_ref *ref = NULL;
	unsigned int size;

	spd->nr_pages = 0;
	strobe_fs_access_lock(fs_of(view->tr), view->cpu);
	while (spd->nr_pages < spd->nr_pages_max && len && !raw_empty(reader)) {
		ref = raw_ref_take(reader, *ppos, len);
		if (IS_ERR(ref))
			break;
		size = strobe_ring_page_bytes(&ref->page);
		spd->pages[spd->nr_pages] = virt_to_page(ref->page.data);
		spd->partial[spd->nr_pages++] = (struct partial_page) {
			.len		= size,
			.private	= (unsigned long)ref,
		};
		*ppos += size;
		/* In case the size of sub-buffers has grown since raw_ref_take() compared it. */
		len -= min_t(size_t, len, size);
	}
	strobe_fs_access_unlock(fs_of(view->tr), view->cpu);

	if (spd->nr_pages || !IS_ERR(ref) || ref == ERR_PTR(-EAGAIN))
		return spd->nr_pages;
	return PTR_ERR(ref);
}

/* As raw_collect(), but wait once if there are no sub-buffers. */
static int raw_collect_wait(struct raw_reader *reader, struct splice_pipe_desc *spd,
			    loff_t *ppos, size_t len, bool nonblock)
{
	int ret = raw_collect(reader, spd, ppos, len);

	if (ret)
		return ret;
	if (nonblock)
		return -EAGAIN;
	ret = raw_wait(reader, raw_percent(reader));
	/* If recording is off, no more records come: end of file. */
	if (ret || !strobe_instance_is_on(reader->view->tr))
		return ret;
	return raw_collect(reader, spd, ppos, len);
}

static ssize_t raw_splice_read(struct file *file, loff_t *ppos,
			       struct pipe_inode_info *pipe, size_t len,
			       unsigned int flags)
{
	struct partial_page partial[PIPE_DEF_BUFFERS];
	struct page *pages[PIPE_DEF_BUFFERS];
	struct splice_pipe_desc spd = {
		.pages		= pages,
		.partial	= partial,
		.nr_pages_max	= PIPE_DEF_BUFFERS,
		.ops		= &raw_buf_ops,
		.spd_release	= raw_spd_release,
	};
	bool nonblock = file->f_flags & O_NONBLOCK || flags & SPLICE_F_NONBLOCK;
	ssize_t ret;

	if (splice_grow_spd(pipe, &spd))
		return -ENOMEM;
	ret = raw_collect_wait(file->private_data, &spd, ppos, len, nonblock);
	if (ret > 0)
		ret = splice_to_pipe(pipe, &spd);
	splice_shrink_spd(&spd);
	return ret;
}

static __poll_t raw_poll(struct file *file, poll_table *table)
{
	const struct raw_reader *reader = file->private_data;
	const struct trace_array *tr = reader->view->tr;
	__poll_t mask;

	/* Call this first: it puts the caller on the wait queue. */
	mask = strobe_ring_poll(tr->ring, reader->view->cpu, file, table,
				raw_percent(reader));
	if (READ_ONCE(tr->options) & STROBE_OPT_BLOCK)
		mask = EPOLLIN | EPOLLRDNORM;
	return mask;
}

/* Wait for records, and make them the mapped reader page: 0 or errno. */
static int raw_get_reader(struct raw_reader *reader, bool nonblock)
{
	const struct fs_view *view = reader->view;
	struct raw_wait wait = {
		.reader	= reader,
		/* Pairs with WAKES:A: a @closed that was set before this is seen. */
		.wakes	= atomic_read_acquire(&reader->wakes),
		.on	= strobe_instance_is_on(view->tr),
	};
	int ret = nonblock ? 0 : raw_wait_until(&wait, raw_percent(reader));

	if (ret)
		return ret;
	strobe_fs_access_lock(fs_of(view->tr), view->cpu);
	ret = strobe_ring_map_get_reader(view->tr->ring, view->cpu);
	strobe_fs_access_unlock(fs_of(view->tr), view->cpu);
	return ret;
}

static long raw_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct raw_reader *reader = file->private_data;

	switch (cmd) {
	case 0:
		raw_wake(reader);
		return 0;
	case TRACE_MMAP_IOCTL_GET_READER:
		return raw_get_reader(reader, file->f_flags & O_NONBLOCK);
	}
	return -ENOTTY;
}

static int raw_mmap(struct file *file, struct vm_area_struct *vma)
{
	const struct raw_reader *reader = file->private_data;

	return strobe_fs_raw_mmap(reader->view, vma);
}

/* Called when any descriptor of the file is closed, even while other tasks wait. */
static int raw_flush(struct file *file, fl_owner_t id)
{
	struct raw_reader *reader = file->private_data;

	WRITE_ONCE(reader->closed, true);
	raw_wake(reader);
	return 0;
}

const struct file_operations strobe_fs_raw_fops = {
	.open		= raw_open,
	.read		= raw_read,
	.splice_read	= raw_splice_read,
	.poll		= raw_poll,
	.unlocked_ioctl	= raw_ioctl,
	.mmap		= raw_mmap,
	.flush		= raw_flush,
	.release	= raw_release,
};

#ifdef CONFIG_TRACER_SNAPSHOT
static int snapshot_raw_open(struct inode *inode, struct file *file)
{
	const struct fs_view *view = inode->i_private;
	int ret = strobe_fs_view_get(file);

	if (ret)
		return ret;
	ret = strobe_instance_snapshot_make(view->tr);
	if (!ret)
		ret = raw_open_reader(inode, file, instance_snapshot_ring(view->tr));
	if (ret)
		strobe_fs_release(inode, file);
	return ret;
}

const struct file_operations strobe_fs_snapshot_raw_fops = {
	.open		= snapshot_raw_open,
	.read		= raw_read,
	.splice_read	= raw_splice_read,
	.release	= raw_release,
};
#endif
