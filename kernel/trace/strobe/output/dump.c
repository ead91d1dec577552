// SPDX-License-Identifier: GPL-2.0
/*
 * ftrace_dump(): print the records of a ring to the console, on an oops, on a
 * panic, by sysrq-z, or when kernel code calls it.
 *
 * Recording into the instance is switched off and stays off, so that the console
 * shows what led to the dump, and not what the dump itself records. The ring keeps
 * its records for other readers; the next dump continues where this one ended.
 *
 * States: dump_running is 0 or 1. Only one dump can run at a time, because the
 * buffers are static; a second one returns at once.
 *
 * Contexts: any, NMI included. No lock is taken: the list of instances and the
 * events are read without one, and the ring through its reader for dumps.
 *
 * Barrier: DUMPING:A, the cmpxchg of dump_running to 1, fully ordered. If it reads the 0
 * that an earlier dump stored at its end, this dump sees the buffers as that one has left
 * them. Pairs with the release at the end.
 */
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/nmi.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

#include "instance/instance.h"
#include "output/merge.h"
#include "output/output.h"

/* Longest text of one record, about as much as printk() takes. */
#define DUMP_LINE_MAX	1000

#define DUMP_RULE	"---------------------------------\n"

/*
 * kernel.ftrace_dump_on_oops: "0": no dump; "1": all CPUs of the top instance; "2" or
 * "orig_cpu": only the CPU that oopsed; or names of instances, separated by commas,
 * each with "=2" or "=orig_cpu" appended for only that CPU.
 */
char ftrace_dump_on_oops[MAX_TRACER_SIZE] = "0";

static struct trace_seq dump_text;
static struct trace_seq dump_tmp;
static atomic_t dump_running;

int ftrace_dump_on_oops_enabled(void)
{
	return strcmp(ftrace_dump_on_oops, "0");
}

/* ftrace_dump_on_oops, ftrace_dump_on_oops,INSTANCES or ftrace_dump_on_oops=VALUE */
static int __init parse_dump_on_oops(char *str)
{
	if (!*str || *str == ',') {
		snprintf(ftrace_dump_on_oops, sizeof(ftrace_dump_on_oops), "1%s", str);
		return 1;
	}
	if (*str != '=')
		return 0;
	strscpy(ftrace_dump_on_oops, str + 1, sizeof(ftrace_dump_on_oops));
	return 1;
}
__setup("ftrace_dump_on_oops", parse_dump_on_oops);

static void print_text(struct trace_seq *s)
{
	s->seq.len = min3(s->seq.len, (size_t)DUMP_LINE_MAX, s->seq.size - 1);
	s->buffer[s->seq.len] = '\0';
	pr_emerg("%s", s->buffer);
}

static void dump_records(struct trace_array *tr, int cpu)
{
	struct output_ctx ctx = {
		.flags		= OUTPUT_LATENCY,
		.start		= tr->start,
		.tmp		= &dump_tmp,
	};
	struct strobe_ring_record rec, next;
	struct strobe_merge merge;

	/* Do not access user memory in a dump. */
	strobe_output_set_options(&ctx, READ_ONCE(tr->options) & ~STROBE_OPT_SYM_USEROBJ);
	if (strobe_instance_clocks[tr->clock].in_ns)
		ctx.flags |= OUTPUT_TIME_IN_NS;
	strobe_merge_init(&merge, tr->ring, cpu, STROBE_MERGE_DUMP);
	/*
	 * While a record is printed, which takes long, a reader may take the next one's page. So
	 * look that up again afterwards.
	 */
	while (strobe_merge_peek(&merge, &rec)) {
		if (!ctx.index++)
			pr_emerg(DUMP_RULE);
		/* Recording is disabled, so the record of rec is not overwritten. */
		strobe_merge_next(&merge);
		ctx.next_ts = strobe_merge_peek(&merge, &next) ? next.ts : rec.ts;
		trace_seq_init(&dump_text);
		strobe_output_record(&dump_text, &rec, &ctx);
		print_text(&dump_text);
		touch_nmi_watchdog();
	}
	pr_emerg("%s", ctx.index ? DUMP_RULE : "   (ftrace buffer empty)\n");
}

static void dump_instance(struct trace_array *tr, bool this_cpu)
{
	unsigned long flags;

	if (!tr->ring)
		return;
	strobe_instance_set_on(tr, false);
	/* Interrupts off also keep the ring from being freed: see ring/dump.c. */
	local_irq_save(flags);
	strobe_instance_stop(tr);
	if (instance_is_top(tr))
		pr_emerg("Dumping ftrace buffer:\n");
	else
		pr_emerg("Dumping ftrace instance %s buffer:\n", tr->name);
	if (ftrace_is_dead())
		pr_emerg("%s", FTRACE_DEAD_TEXT);
	dump_records(tr, this_cpu ? raw_smp_processor_id() : STROBE_RING_ALL_CPUS);
	strobe_instance_start(tr);
	local_irq_restore(flags);
}

static bool is_this_cpu(const char *word)
{
	return word && (!strcmp(word, "2") || !strcmp(word, "orig_cpu"));
}

/* One word of ftrace_dump_on_oops. The first word may be "0", "1", "2" or "orig_cpu". */
static void dump_word(char *word, bool first)
{
	struct trace_array *tr;
	const char *name;

	if (first && !strcmp(word, "0"))
		return;
	if (first && (!strcmp(word, "1") || is_this_cpu(word))) {
		dump_instance(top_instance, is_this_cpu(word));
		return;
	}
	name = strsep(&word, "=");
	tr = strobe_instance_find(name);
	if (tr)
		dump_instance(tr, is_this_cpu(word));
	else
		pr_emerg("Instance %s not found\n", name);
}

static void dump_by_parameter(void)
{
	char words[MAX_TRACER_SIZE];
	char *pos = words;
	bool first = true;
	char *word;

	strscpy(words, ftrace_dump_on_oops, sizeof(words));
	while ((word = strsep(&pos, ","))) {
		dump_word(word, first);
		first = false;
	}
}

/**
 * ftrace_dump - print recorded events to the console
 * @oops_dump_mode: all CPUs, this CPU, or as ftrace_dump_on_oops says
 *
 * Switches recording off. Records printed by an earlier dump are not printed again.
 * Does nothing while another dump is running.
 *
 * Context: any.
 */
void ftrace_dump(enum ftrace_dump_mode oops_dump_mode)
{
	/* DUMPING:A */
	if (atomic_cmpxchg(&dump_running, 0, 1))
		return;
	switch (oops_dump_mode) {
	case DUMP_NONE:
		break;
	case DUMP_PARAM:
		dump_by_parameter();
		break;
	case DUMP_ALL:
	case DUMP_ORIG:
		dump_instance(top_instance, oops_dump_mode == DUMP_ORIG);
		break;
	default:
		pr_emerg("Bad dumping mode, switching to all CPUs dump\n");
		dump_instance(top_instance, false);
	}
	/* Pairs with DUMPING:A: the next dump sees the buffers. */
	atomic_set_release(&dump_running, 0);
}
EXPORT_SYMBOL_GPL(ftrace_dump);

static int dump_on_panic(struct notifier_block *nb, unsigned long event, void *data)
{
	if (ftrace_dump_on_oops_enabled())
		ftrace_dump(DUMP_PARAM);
	return NOTIFY_DONE;
}

static int dump_on_die(struct notifier_block *nb, unsigned long event, void *data)
{
	return event == DIE_OOPS ? dump_on_panic(nb, event, data) : NOTIFY_DONE;
}

/* High priority, so that the trace does not show other notifiers. */
static struct notifier_block dump_panic_nb = {
	.notifier_call	= dump_on_panic,
	.priority	= INT_MAX - 1,
};

static struct notifier_block dump_die_nb = {
	.notifier_call	= dump_on_die,
	.priority	= INT_MAX - 1,
};

void __init strobe_dump_setup(void)
{
	atomic_notifier_chain_register(&panic_notifier_list, &dump_panic_nb);
	register_die_notifier(&dump_die_nb);
}
