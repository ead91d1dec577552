// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the kernel's command line when memory is short. For each parameter, the first
 * allocation fails, then the second and so on, until there are no more. Each part that is
 * missing must be reported in the log, and nothing may be half done.
 *
 * The tests call functions of the boot code, which exist until init memory is freed.
 * tracefs has been set up before, so new instances get their tracefs files at once.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>

#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/init.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/kmsg_dump.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/vmalloc.h>

#include <asm/sections.h>
#include <asm/setup.h>

#include "boot/boot.h"
#include "event/event.h"
#include "instance/instance.h"
#include "record/record.h"
#include "trigger/trigger.h"

/* Settings of fault injection, found through their debugfs files. */

static struct knob {
	const char	*directory;
	const char	*name;
	size_t		bytes;
	unsigned long	value;		/* for the tests; while they run, the old one */
	void		*at;
} knobs[] __initdata = {
	{ "failslab", "ignore-gfp-wait", sizeof(bool), false },
	{ "failslab", "verbose", sizeof(unsigned long), 0 },
	{ "fail_page_alloc", "ignore-gfp-wait", sizeof(bool), false },
	{ "fail_page_alloc", "verbose", sizeof(unsigned long), 0 },
	{ "fail_page_alloc", "min-order", sizeof(u32), 0 },
};

static void *__init knob_find(const struct knob *knob)
{
	struct dentry *directory = debugfs_lookup(knob->directory, NULL);
	struct dentry *file = directory ? debugfs_lookup(knob->name, directory) : NULL;
	void *at = file ? d_inode(file)->i_private : NULL;

	dput(file);
	dput(directory);
	return at;
}

static void __init knob_swap(struct knob *knob)
{
	unsigned long old = 0;

	memcpy(&old, knob->at, knob->bytes);
	memcpy(knob->at, &knob->value, knob->bytes);
	knob->value = old;
}

static int __init boot_test_init(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		knobs[i].at = knob_find(&knobs[i]);
		if (!knobs[i].at)
			kunit_skip(test, "no fault injection");
	}
	for (i = 0; i < ARRAY_SIZE(knobs); i++)
		knob_swap(&knobs[i]);
	return 0;
}

static void __init boot_test_exit(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		if (knobs[i].at)
			knob_swap(&knobs[i]);
	}
}

/* The log. */

static u64 __init log_end(void)
{
	struct kmsg_dump_iter iter;

	kmsg_dump_rewind(&iter);
	return iter.next_seq;
}

/* Returns the number of lines since @start that contain @text. */
static int __init log_count(u64 start, const char *text)
{
	static char line[512] __initdata;
	struct kmsg_dump_iter iter;
	size_t len;
	int nr = 0;

	kmsg_dump_rewind(&iter);
	iter.cur_seq = start;
	while (kmsg_dump_get_line(&iter, false, line, sizeof(line), &len))
		nr += !!strnstr(line, text, len);
	return nr;
}

/**
 * struct boot_step - the processing of one parameter
 * @prepare: sets the variables in which boot stores the parameter
 * @run:     the function that boot calls
 * @done:    returns how many of @parts are done, negative: one is half done
 * @undo:    undoes all parts that are done
 * @said:    error messages; each line with one of them reports one missing part
 * @parts:   number of parts that the parameter asks for
 * @nested:  all parts need the first one; without it there is only one message
 * @stride:  after the first 40 allocations, let only each @stride-th fail; 0: each
 */
struct boot_step {
	void		(*prepare)(void);
	void		(*run)(void);
	int		(*done)(void);
	void		(*undo)(void);
	const char	*said[3];
	int		parts;
	bool		nested;
	int		stride;
};

static int __init step_count_said(const struct boot_step *step, u64 start)
{
	unsigned int i;
	int nr = 0;

	for (i = 0; i < ARRAY_SIZE(step->said) && step->said[i]; i++)
		nr += log_count(start, step->said[i]);
	return nr;
}

/* Returns whether there was an @nth allocation, which failed. */
static bool __init step_fail(struct kunit *test, const struct boot_step *step, int nth,
			     int *missed)
{
	u64 start;
	int done, said;
	bool failed;

	step->prepare();
	start = log_end();
	current->fail_nth = nth;
	step->run();
	failed = nth && !current->fail_nth;
	current->fail_nth = 0;

	done = step->done();
	said = step_count_said(step, start);
	KUNIT_EXPECT_GE_MSG(test, done, 0, "allocation %d: something is half done", nth);
	if (step->nested && !done)
		KUNIT_EXPECT_EQ_MSG(test, said, 1, "allocation %d", nth);
	else
		KUNIT_EXPECT_EQ_MSG(test, done + said, step->parts,
				    "allocation %d: %d done, %d reported", nth, done, said);
	if (!failed)
		KUNIT_EXPECT_EQ_MSG(test, done, step->parts, "allocation %d", nth);
	*missed += done < step->parts;
	step->undo();
	KUNIT_EXPECT_EQ_MSG(test, step->done(), 0, "undone after allocation %d", nth);
	return failed;
}

static void __init step_fail_each(struct kunit *test, const struct boot_step *step)
{
	int nth = 0, missed = 0, failures = 0;

	/* First without a failure, for allocations that are made once and never freed. */
	step_fail(test, step, nth, &missed);
	KUNIT_ASSERT_EQ(test, missed, 0);
	for (nth = 1; step_fail(test, step, nth, &missed); failures++)
		nth += nth < 40 || !step->stride ? 1 : step->stride;
	kunit_info(test, "%d allocations failed, %d times something was missing", failures,
		   missed);
	KUNIT_EXPECT_GT(test, missed, 0);
}

static struct trace_event_file *__init file_of(struct trace_array *tr, const char *event)
{
	guard(mutex)(&strobe_event_mutex);
	return strobe_event_file_find(tr, "sched", event);
}

static int __init enabled(struct trace_array *tr, const char *event)
{
	char state[4];

	guard(mutex)(&strobe_event_mutex);
	strobe_event_file_state(strobe_event_file_find(tr, "sched", event), state);
	return state[0] == '1';
}

/* trace_event= */

static const char events_text[] __initconst =
	"sched:sched_process_exec,sched_process_fork,syscalls:sys_enter_close";
static char events_list[sizeof(events_text)] __initdata;

static void __init events_prepare(void)
{
	strscpy(events_list, events_text);
}

static void __init events_run(void)
{
	strobe_boot_enable_events(top_instance, events_list);
}

static int __init events_done(void)
{
	char close[4];

	scoped_guard(mutex, &strobe_event_mutex)
		strobe_event_file_state(strobe_event_file_find(top_instance, "syscalls",
							       "sys_enter_close"),
					close);
	return enabled(top_instance, "sched_process_exec") +
	       enabled(top_instance, "sched_process_fork") + (close[0] == '1');
}

static void __init events_undo(void)
{
	guard(mutex)(&strobe_event_mutex);
	strobe_instance_disable_all(top_instance);
}

static void __init test_events(struct kunit *test)
{
	static const struct boot_step step __initconst = {
		.prepare = events_prepare, .run = events_run, .done = events_done,
		.undo = events_undo, .said = { "Failed to enable trace event: " },
		.parts = 3,
	};

	step_fail_each(test, &step);
}

/* trace_trigger= */

static void __init triggers_prepare(void)
{
	static const char * const texts[] __initconst = {
		"sched_process_exec.stacktrace:2 if pid > 1,",
		"sched_process_fork.enable_event:sched:sched_process_wait:1,",
		"sched_process_free.traceoff if pid == 1 && comm ~ \"*a*b\"",
	};
	unsigned int i;

	strobe_boot_triggers[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		strlcat(strobe_boot_triggers, texts[i], sizeof(strobe_boot_triggers));
}

static int __init trigger_done(const char *event)
{
	return !hlist_empty(&file_of(top_instance, event)->triggers);
}

static int __init triggers_done(void)
{
	return trigger_done("sched_process_exec") + trigger_done("sched_process_fork") +
	       trigger_done("sched_process_free");
}

static void __init trigger_undo(const char *event, const char *text)
{
	char copy[64];

	strscpy(copy, text);
	guard(mutex)(&strobe_event_mutex);
	strobe_event_file_write_trigger(strobe_event_file_find(top_instance, "sched", event), copy);
}

static void __init triggers_undo(void)
{
	trigger_undo("sched_process_exec", "!stacktrace");
	trigger_undo("sched_process_fork", "!enable_event:sched:sched_process_wait");
	trigger_undo("sched_process_free", "!traceoff");
	/* A task forked meanwhile has enabled sched_process_wait, which remains so: ABI. */
	events_undo();
}

static void __init test_triggers(struct kunit *test)
{
	static const struct boot_step step __initconst = {
		.prepare = triggers_prepare, .run = strobe_boot_add_triggers, .done = triggers_done,
		.undo = triggers_undo, .said = { "Failed to register trigger " }, .parts = 3,
	};

	step_fail_each(test, &step);
}

/* trace_options= */

static void __init options_prepare(void)
{
	strscpy(strobe_boot_options, "event-fork,sym-offset", sizeof(strobe_boot_options));
}

static int __init options_done(void)
{
	return !!(top_instance->options & STROBE_OPT_EVENT_FORK) +
	       !!(top_instance->options & STROBE_OPT_SYM_OFFSET);
}

static void __init options_undo(void)
{
	char fork[] = "noevent-fork", offset[] = "nosym-offset";

	strobe_instance_set_option_string(top_instance, fork);
	strobe_instance_set_option_string(top_instance, offset);
}

static void __init test_options(struct kunit *test)
{
	static const struct boot_step step __initconst = {
		.prepare = options_prepare, .run = strobe_apply_options, .done = options_done,
		.undo = options_undo, .said = { "Failed to set trace option " }, .parts = 2,
	};

	step_fail_each(test, &step);
}

/* tp_printk */

static void __init console_prepare(void)
{
	tracepoint_printk = 1;
}

static int __init console_done(void)
{
	return !strobe_console_buffers == !tracepoint_printk ? !!strobe_console_buffers : -1;
}

static void __init console_undo(void)
{
	tracepoint_printk = 0;
	vfree(strobe_console_buffers);
	strobe_console_buffers = NULL;
}

static void __init test_console(struct kunit *test)
{
	static const struct boot_step step __initconst = {
		.prepare = console_prepare, .run = strobe_console_setup, .done = console_done,
		.undo = console_undo, .said = { "Failed to allocate trace iterator" },
		.parts = 1,
	};

	if (strobe_console_buffers)
		kunit_skip(test, "booted with tp_printk");
	step_fail_each(test, &step);
}

/* trace_buf_size=: the ring of the top instance. */

static struct trace_array ring_of __initdata;
static int ring_status __initdata;

static void __init ring_prepare(void)
{
	ring_of = (struct trace_array){ .options = STROBE_OPTIONS_DEFAULT };
}

static void __init ring_run(void)
{
	ring_status = strobe_instance_make_ring(&ring_of, 64 << 10);
	if (ring_status == -ENOMEM && !ring_of.ring)
		pr_info("strobe_boot: no ring\n");
}

static int __init ring_done(void)
{
	return !!ring_of.ring;
}

static void __init ring_undo(void)
{
	if (!ring_of.ring)
		return;
	strobe_comm_recorder_destroy(&ring_of.comm);
	strobe_ring_destroy(ring_of.ring);
	ring_of.ring = NULL;
}

static void __init test_ring(struct kunit *test)
{
	static const struct boot_step step __initconst = {
		.prepare = ring_prepare, .run = ring_run, .done = ring_done,
		.undo = ring_undo, .said = { "strobe_boot: no ring" }, .parts = 1,
	};

	step_fail_each(test, &step);
}

/* trace_instance= */

#define INSTANCE "strobe_kunit_boot"

static struct trace_array *__init instance_made(void)
{
	guard(mutex)(&strobe_instance_mutex);
	return strobe_instance_find(INSTANCE);
}

static void __init instances_prepare(void)
{
	strscpy(strobe_boot_instances, INSTANCE "^traceoff,sched:sched_process_exec\n");
	strscpy(strobe_alloc_instances, INSTANCE "\n");
}

static int __init instances_done(void)
{
	struct trace_array *tr = instance_made();

	if (!tr)
		return 0;
	if (strobe_instance_is_on(tr))
		return -1;
	return 1 + enabled(tr, "sched_process_exec") + !!tr->snapshot.allocated;
}

static void __init instances_undo(void)
{
	struct trace_array *tr = instance_made();

	/* Do not allocate snapshots in later tests. */
	strobe_alloc_instances[0] = '\0';
	if (tr)
		trace_array_destroy(tr);
}

static void __init test_instances(struct kunit *test)
{
	static const struct boot_step step __initconst = {
		.prepare = instances_prepare, .run = strobe_instances_setup, .done = instances_done,
		.undo = instances_undo,
		.said = {
			"Failed to create instance buffer '" INSTANCE "' (-",
			"Failed to enable trace event: ",
			"Failed to allocate the snapshot buffer of " INSTANCE,
		},
		.parts = 3, .nested = true, .stride = 211,
	};

	step_fail_each(test, &step);
}

/* trace_instance=NAME@ADDRESS:SIZE: a persistent ring, here in pages that the test allocates. */

#define REGION_ORDER	6
#define REGION_BYTES	(PAGE_SIZE << REGION_ORDER)

static struct page *region __initdata;

static bool __init region_has(phys_addr_t page)
{
	return page - page_to_phys(region) < REGION_BYTES;
}

/* Memory of which @bytes at @skip are those of the region. */
static void __init region_parameter(const char *name, unsigned long skip, unsigned long bytes)
{
	snprintf(strobe_boot_instances, sizeof(strobe_boot_instances),
		 "%s^traceoff@0x%llx:%lu,sched:sched_process_exec\n", name,
		 (u64)page_to_phys(region) + skip, bytes);
}

static void __init persistent_prepare(void)
{
	memset(page_address(region), 0, REGION_BYTES);
	region_parameter(INSTANCE, 0, REGION_BYTES);
}

static int __init persistent_done(void)
{
	struct trace_array *tr = instance_made();

	if (!tr)
		return 0;
	if (!instance_is_kept(tr) || strobe_instance_is_on(tr))
		return -1;
	return 1 + enabled(tr, "sched_process_exec");
}

static void __init persistent_undo(void)
{
	struct trace_array *tr = instance_made();

	if (!tr)
		return;
	strobe_instance_map_put(tr);
	strobe_instance_put(tr);
	trace_array_destroy(tr);
}

static void __init test_persistent(struct kunit *test)
{
	static const struct boot_step step __initconst = {
		.prepare = persistent_prepare, .run = strobe_instances_setup,
		.done = persistent_done, .undo = persistent_undo,
		.said = {
			/* With one of two errnos: EINVAL if its directory cannot be made. */
			"Failed to create instance buffer '" INSTANCE "' (-",
			"Failed to enable trace event: ",
			"Failed to map boot instance " INSTANCE,
		},
		.parts = 2, .nested = true, .stride = 7,
	};

	if (!IS_ENABLED(CONFIG_HAS_IOMEM))
		kunit_skip(test, "no memory can be mapped");
	region = alloc_pages(GFP_KERNEL, REGION_ORDER);
	KUNIT_ASSERT_NOT_NULL(test, region);
	kunit_activate_static_stub(test, strobe_boot_memory_reserved, region_has);
	step_fail_each(test, &step);
	__free_pages(region, REGION_ORDER);
}

static bool __init is_made(const char *name)
{
	guard(mutex)(&strobe_instance_mutex);
	return strobe_instance_find(name);
}

/* Two instances never have the same memory, and none has memory of the page allocator. */
static void __init test_memory_in_use(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_HAS_IOMEM))
		kunit_skip(test, "no memory can be mapped");
	region = alloc_pages(GFP_KERNEL | __GFP_ZERO, REGION_ORDER);
	KUNIT_ASSERT_NOT_NULL(test, region);
	kunit_activate_static_stub(test, strobe_boot_memory_reserved, region_has);

	region_parameter(INSTANCE, 0, REGION_BYTES + PAGE_SIZE);
	strobe_instances_setup();
	KUNIT_EXPECT_FALSE(test, is_made(INSTANCE));

	region_parameter(INSTANCE, 0, REGION_BYTES / 2);
	strobe_instances_setup();
	KUNIT_EXPECT_TRUE(test, is_made(INSTANCE));
	region_parameter(INSTANCE "_same", 0, REGION_BYTES / 2);
	strobe_instances_setup();
	KUNIT_EXPECT_FALSE(test, is_made(INSTANCE "_same"));
	region_parameter(INSTANCE "_same", REGION_BYTES / 4, REGION_BYTES / 2);
	strobe_instances_setup();
	KUNIT_EXPECT_FALSE(test, is_made(INSTANCE "_same"));

	persistent_undo();
	__free_pages(region, REGION_ORDER);
}

/* One parameter that is empty, or whose instance exists, does not affect the others. */
static void __init test_instance_names(struct kunit *test)
{
	u64 start = log_end();

	strscpy(strobe_boot_instances, "\n,sched\n^traceoff\n" INSTANCE "\n"
		INSTANCE ",sched:sched_process_exec\n");
	strobe_instances_setup();
	KUNIT_EXPECT_EQ(test, 3, log_count(start, "Failed to create instance buffer '' (-22)"));
	KUNIT_EXPECT_EQ(test, 1, log_count(start, "Failed to create instance buffer '" INSTANCE
					   "' (-17)"));
	KUNIT_ASSERT_TRUE(test, is_made(INSTANCE));
	KUNIT_EXPECT_FALSE(test, enabled(instance_made(), "sched_process_exec"));
	trace_array_destroy(instance_made());
}

/* The kernel's image is reserved memory, too, at an address that KASLR chooses. */
static void __init test_memory_of_kernel(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_HAS_IOMEM))
		kunit_skip(test, "no memory can be mapped");
	snprintf(strobe_boot_instances, sizeof(strobe_boot_instances), INSTANCE "@0x%llx:%lu\n",
		 (u64)PAGE_ALIGN(__pa_symbol(_end)) - PAGE_SIZE, 4 * PAGE_SIZE);
	strobe_instances_setup();
	KUNIT_EXPECT_NULL(test, instance_made());
	snprintf(strobe_boot_instances, sizeof(strobe_boot_instances), INSTANCE "@0x%llx:%lu\n",
		 (u64)__pa_symbol(_text) + PAGE_SIZE, 64 * PAGE_SIZE);
	strobe_instances_setup();
	KUNIT_EXPECT_NULL(test, instance_made());
	strobe_boot_instances[0] = '\0';
}

/* alloc_snapshot */

#ifdef CONFIG_TRACER_SNAPSHOT
static void __init snapshot_prepare(void)
{
	strobe_alloc_at_boot = true;
}

static int __init snapshot_done(void)
{
	return top_instance->snapshot.allocated;
}

static void __init snapshot_undo(void)
{
	strobe_instance_snapshot_free(top_instance, STROBE_RING_ALL_CPUS);
}

static void __init test_snapshot(struct kunit *test)
{
	static const struct boot_step step __initconst = {
		.prepare = snapshot_prepare, .run = strobe_snapshot_setup, .done = snapshot_done,
		.undo = snapshot_undo, .said = { "Failed to allocate the snapshot buffer" },
		.parts = 1,
	};

	if (snapshot_done())
		kunit_skip(test, "booted with alloc_snapshot");
	step_fail_each(test, &step);
}
#endif

static struct kunit_case __refdata boot_test_cases[] = {
	KUNIT_CASE(test_events),
	KUNIT_CASE(test_triggers),
	KUNIT_CASE(test_options),
	KUNIT_CASE(test_console),
	KUNIT_CASE(test_ring),
	KUNIT_CASE(test_instances),
	KUNIT_CASE(test_persistent),
	KUNIT_CASE(test_memory_of_kernel),
	KUNIT_CASE(test_memory_in_use),
	KUNIT_CASE(test_instance_names),
#ifdef CONFIG_TRACER_SNAPSHOT
	KUNIT_CASE(test_snapshot),
#endif
	{}
};

static struct kunit_suite __refdata boot_test_suite = {
	.name		= "strobe_boot",
	.init		= boot_test_init,
	.exit		= boot_test_exit,
	.test_cases	= boot_test_cases,
};

kunit_test_init_section_suites(&boot_test_suite);
