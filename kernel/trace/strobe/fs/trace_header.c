// SPDX-License-Identifier: GPL-2.0
/*
 * The lines before the first record of a trace file: the tracer, the number of
 * records, and the key to the columns; and those of a snapshot without records. All of it
 * is ABI.
 */
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/utsname.h>

#include "fs/fs.h"

/* Rows of the key; the middle column is cut to 2 characters without record-tgid. */
static const struct {
	const char *left, *tgid, *right;
} irq_key[] = {
	{ "                            ", "            ", "  _-----=> irqs-off/BH-disabled" },
	{ "                            ", "            ", " / _----=> need-resched" },
	{ "                            ", "            ", "| / _---=> hardirq/softirq" },
	{ "                            ", "            ", "|| / _--=> preempt-depth" },
	{ "                            ", "            ", "||| / _-=> migrate-disable" },
	{ "                            ", "            ", "|||| /     delay" },
	{ "           TASK-PID  ", "     TGID   ", " CPU#  |||||  TIMESTAMP  FUNCTION" },
	{ "              | |    ", "       |    ", "   |   |||||     |         |" },
};

static const char * const latency_key[] = {
	"                    _------=> CPU#            ",
	"                   / _-----=> irqs-off/BH-disabled",
	"                  | / _----=> need-resched    ",
	"                  || / _---=> hardirq/softirq ",
	"                  ||| / _--=> preempt-depth   ",
	"                  |||| / _-=> migrate-disable ",
	"                  ||||| /     delay           ",
	"  cmd     pid     |||||| time  |   caller     ",
	"     \\   /        ||||||  \\    |    /       ",
};

struct entry_counts {
	unsigned long held;
	unsigned long written;
};

static struct entry_counts count_entries(struct strobe_ring *ring)
{
	struct entry_counts counts = { };
	struct strobe_ring_stats stats;
	int cpu;

	for_each_possible_cpu(cpu) {
		strobe_ring_stats(ring, cpu, &stats);
		cond_resched();
		counts.held += stats.entries;
		counts.written += stats.entries + stats.overrun;
	}
	return counts;
}

static void show_irq_key(struct seq_file *m, bool tgid)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(irq_key); i++)
		seq_printf(m, "#%s%.*s%s\n", irq_key[i].left, tgid ? 12 : 2,
			   irq_key[i].tgid, irq_key[i].right);
}

static void show_plain_key(struct seq_file *m, bool tgid)
{
	seq_printf(m, "#           TASK-PID    %s CPU#     TIMESTAMP  FUNCTION\n",
		   tgid ? "   TGID   " : "");
	seq_printf(m, "#              | |      %s   |         |         |\n",
		   tgid ? "     |    " : "");
}

static const char *preemption_name(void)
{
	if (preempt_model_none())
		return "server";
	if (preempt_model_voluntary())
		return "desktop";
	if (preempt_model_full())
		return "preempt";
	return preempt_model_rt() ? "preempt_rt" : "unknown";
}

/* There are no latency tracers, so the time and the task are always 0. */
static void show_latency_header(struct seq_file *m, struct strobe_ring *ring)
{
	struct entry_counts counts = count_entries(ring);

	seq_printf(m, "# nop latency trace v1.1.5 on %s\n",
		   init_utsname()->release);
	seq_puts(m, "# -----------------------------------");
	seq_puts(m, "---------------------------------\n");
	seq_printf(m, "# latency: 0 us, #%lu/%lu, CPU#0 | (M:%s VP:0, KP:0, SP:0 HP:0",
		   counts.held, counts.written, preemption_name());
	if (IS_ENABLED(CONFIG_SMP))
		seq_printf(m, " #P:%d", num_online_cpus());
	seq_puts(m, ")\n#    -----------------\n");
	seq_puts(m, "#    | task: -0 (uid:0 nice:0 policy:0 rt_prio:0)\n");
	seq_puts(m, "#    -----------------\n#\n");
}

/**
 * strobe_fs_show_tracer - print the first lines, which are the same for all instances
 * @m: the trace or snapshot file
 */
void strobe_fs_show_tracer(struct seq_file *m)
{
	seq_puts(m, "# tracer: nop\n#\n");
	if (ftrace_is_dead())
		seq_puts(m, FTRACE_DEAD_TEXT);
}

/**
 * strobe_fs_show_header - print the lines before the first record
 * @m: the trace file
 * @tr: its instance
 * @ring: the instance's ring or snapshot ring
 * @latency: option latency-format was set when the file was opened
 * @empty: no record will follow
 *
 * Context: task.
 */
void strobe_fs_show_header(struct seq_file *m, const struct trace_array *tr,
			   struct strobe_ring *ring, bool latency, bool empty)
{
	unsigned int options = READ_ONCE(tr->options);
	struct entry_counts counts;
	int i;

	strobe_fs_show_tracer(m);
	if (!(options & STROBE_OPT_CONTEXT_INFO))
		return;

	if (latency) {
		if (empty)
			return;
		show_latency_header(m, ring);
		if (options & STROBE_OPT_VERBOSE)
			return;
		for (i = 0; i < ARRAY_SIZE(latency_key); i++)
			seq_printf(m, "#%s\n", latency_key[i]);
		return;
	}

	if (options & STROBE_OPT_VERBOSE)
		return;
	counts = count_entries(ring);
	seq_printf(m, "# entries-in-buffer/entries-written: %lu/%lu   #P:%d\n#\n",
		   counts.held, counts.written, num_online_cpus());
	if (options & STROBE_OPT_IRQ_INFO)
		show_irq_key(m, options & STROBE_OPT_RECORD_TGID);
	else
		show_plain_key(m, options & STROBE_OPT_RECORD_TGID);
}

#ifdef CONFIG_TRACER_SNAPSHOT

static const char main_help[] =
	"# echo 0 > snapshot : Clears and frees snapshot buffer\n"
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer.\n"
	"# echo 2 > snapshot : Clears snapshot buffer (but does not allocate or free)\n";

static const char cpu_help[] =
	"# echo 0 > snapshot : Invalid for per_cpu snapshot file.\n"
#ifdef CONFIG_RING_BUFFER_ALLOW_SWAP
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer for this cpu.\n"
#else
	"# echo 1 > snapshot : Not supported with this kernel.\n"
	"#                     Must use main snapshot file to allocate.\n"
#endif
	"# echo 2 > snapshot : Clears this cpu's snapshot buffer (but does not allocate)\n";

static const char any_help[] =
	"#                      (Doesn't have to be '2' works with any number that\n"
	"#                       is not a '0' or '1')\n";

/**
 * strobe_fs_show_snapshot_help - print the text of an empty snapshot, which is ABI
 * @m: the snapshot file
 * @view: the instance and the CPU
 */
void strobe_fs_show_snapshot_help(struct seq_file *m, const struct fs_view *view)
{
	bool allocated = READ_ONCE(view->tr->snapshot.allocated);

	strobe_fs_show_tracer(m);
	seq_printf(m, "#\n# * Snapshot is %s *\n#\n", allocated ? "allocated" : "freed");
	seq_puts(m, "# Snapshot commands:\n");
	seq_puts(m, view->cpu == STROBE_RING_ALL_CPUS ? main_help : cpu_help);
	seq_puts(m, any_help);
}

#endif /* CONFIG_TRACER_SNAPSHOT */
