// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of trace_pipe_raw: splice() beside a change of the size of the sub-buffers. The
 * files of tracefs exclude that by fs_instance::access, which the test does not take.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/pipe_fs_i.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "fs/fs.h"
#include "fs/raw_ref.h"
#include "instance/instance.h"
#include "ring/ring.h"
#include "ring/write.h"

#define RECORD_LEN	1000
/* More than three sub-buffers of two pages hold. */
#define RECORDS		40

static struct trace_array *tr;
static int cpu;

static int raw_test_init(struct kunit *test)
{
	tr = trace_array_get_by_name("strobe_kunit", "sched");
	if (!tr)
		return -ENOMEM;
	/* No need to undo this: the test case has its own thread. */
	cpu = raw_smp_processor_id();
	set_cpus_allowed_ptr(current, cpumask_of(cpu));
	return strobe_instance_resize(tr, 128 << 10, STROBE_RING_ALL_CPUS);
}

static void raw_test_exit(struct kunit *test)
{
	if (!tr)
		return;
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(tr));
}

static void fill(struct kunit *test)
{
	struct strobe_ring_resv resv;
	void *data;
	int i;

	for (i = 0; i < RECORDS; i++) {
		preempt_disable();
		data = strobe_ring_reserve(tr->ring, RECORD_LEN, &resv);
		if (data) {
			memset(data, 0, RECORD_LEN);
			strobe_ring_commit(&resv);
		}
		preempt_enable();
		KUNIT_EXPECT_NOT_NULL(test, data);
	}
}

/* Called in place of strobe_raw_ref_new(): the sub-buffers grow before the page is allocated. */
static struct raw_ref *grow(struct raw_pool *pool, struct strobe_ring *ring, int of)
{
	struct kunit *test = kunit_get_current_test();

	kunit_deactivate_static_stub(test, strobe_raw_ref_new);
	KUNIT_EXPECT_EQ(test, 0, strobe_ring_set_order(ring, 1));
	fill(test);
	return strobe_raw_ref_new(pool, ring, of);
}

/* An open trace_pipe_raw, which is in no directory. */
static struct file *open_raw(struct kunit *test)
{
	struct dentry *dentry = kunit_kzalloc(test, sizeof(*dentry), GFP_KERNEL);
	struct inode *inode = kunit_kzalloc(test, sizeof(*inode), GFP_KERNEL);
	struct file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fs_of(tr));
	KUNIT_ASSERT_TRUE(test, dentry && inode && file);
	/* Not d_unhashed() */
	dentry->d_hash.pprev = &dentry->d_hash.next;
	inode->i_private = &fs_of(tr)->cpus[cpu];
	file->f_inode = inode;
	file->f_path.dentry = dentry;
	file->f_flags = O_NONBLOCK;
	KUNIT_ASSERT_EQ(test, 0, strobe_fs_raw_fops.open(inode, file));
	return file;
}

/*
 * A splice() for one page gets one sub-buffer, even if that has become longer than a page: the
 * remaining length is 0, and does not wrap.
 */
static void raw_splice_grown(struct kunit *test)
{
	struct file *file = open_raw(test);
	struct pipe_inode_info *pipe = alloc_pipe_info();
	loff_t pos = 0;
	ssize_t ret;

	KUNIT_EXPECT_NOT_NULL(test, pipe);
	if (pipe) {
		pipe->readers = 1;
		fill(test);
		kunit_activate_static_stub(test, strobe_raw_ref_new, grow);
		pipe_lock(pipe);
		ret = strobe_fs_raw_fops.splice_read(file, &pos, pipe, PAGE_SIZE, 0);
		pipe_unlock(pipe);
		KUNIT_EXPECT_EQ(test, ret, 2 * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, pipe_occupancy(pipe->head, pipe->tail), 1);
		free_pipe_info(pipe);
	}
	strobe_fs_raw_fops.release(file->f_inode, file);
}

static struct kunit_case raw_cases[] = {
	KUNIT_CASE(raw_splice_grown),
	{}
};

static struct kunit_suite raw_suite = {
	.name		= "strobe_fs_raw",
	.init		= raw_test_init,
	.exit		= raw_test_exit,
	.test_cases	= raw_cases,
};

kunit_test_suite(raw_suite);
