// SPDX-License-Identifier: GPL-2.0
/*
 * Uprobes and uretprobes: probes at an offset of a file, in each process that maps it.
 *
 *	p|r[:[GROUP/][EVENT]] PATH:OFFSET[%return][(REF)] [ARGS]
 *
 * REF is the offset of a counter in the file's data, which is 1 higher while the probe is
 * armed: USDT. Of one place in a file all probes must have the same counter.
 *
 * States: as in dynamic.h. Armed probes are registered with kernel/events/uprobes.c, which
 * puts the breakpoints into the processes that the consumer's filter accepts: all if an
 * instance's sink is linked, else those that perf events are opened for. Whenever the sinks
 * or perf's targets change, uprobe_retarget() has that done again.
 *
 * Contexts: the callbacks run in task context and may sleep, with rcu_read_lock_trace();
 * the filter also under mmap_lock. Definitions: see dynamic.h.
 * Locks: strobe_event_mutex, then those of uprobes.c. The filter takes none: it reads the
 * links with preemption off.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/bpf.h>
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/strobe/probes.h>
#include <linux/string.h>
#include <linux/uprobes.h>

#include "dynamic/dynamic.h"
#include "dynamic/errors.h"
#include "dynamic/function.h"
#include "dynamic/uprobe.h"

static struct inode *uprobe_inode(const struct uprobe_probe *up)
{
	return d_real_inode(up->path.dentry);
}

/* The callbacks. */

static bool uprobe_filter(struct uprobe_consumer *consumer, struct mm_struct *mm)
{
	struct uprobe_probe *up = container_of(consumer, struct uprobe_probe, consumer);

	return strobe_dyn_user_wanted(up->probe.event, mm);
}

/* A hit of the breakpoint at @addr, whose words before the arguments are set */
static int uprobe_hit(struct uprobe_probe *up, struct dyn_hit *hit, struct pt_regs *regs,
		      unsigned long addr)
{
	struct uprobe_dispatch_data found = { .bp_addr = addr };

	dyn_hit_init(hit, &up->probe, regs);
	hit->base = addr - up->offset;
	/* For bpf_get_func_ip(). */
	current->utask->vaddr = (unsigned long)&found;
	return strobe_dyn_fire_user(hit) ? 0 : UPROBE_HANDLER_REMOVE;
}

static int uprobe_enter(struct uprobe_consumer *consumer, struct pt_regs *regs)
{
	struct uprobe_probe *up = container_of(consumer, struct uprobe_probe, consumer);
	struct dyn_hit hit __uninitialized;

	/* A return counts when the function is entered: ABI. */
	this_cpu_inc(up->probe.counts->hits);
	if (!up->probe.is_return) {
		hit.head[0] = instruction_pointer(regs);
		return uprobe_hit(up, &hit, regs, hit.head[0]);
	}
	return strobe_dyn_user_wanted(up->probe.event, current->mm) ? 0 : UPROBE_HANDLER_REMOVE;
}

static int uprobe_return(struct uprobe_consumer *consumer, unsigned long func,
			 struct pt_regs *regs)
{
	struct uprobe_probe *up = container_of(consumer, struct uprobe_probe, consumer);
	struct dyn_hit hit __uninitialized;

	hit.head[0] = func;
	hit.head[1] = instruction_pointer(regs);
	uprobe_hit(up, &hit, regs, func);
	return 0;
}

/* Definitions. */

static int path_error(struct dyn_line *line, int err, const char *text, u32 at)
{
	return strobe_dyn_line_error(line, err, text, 1, at);
}

/*
 * Parse "OFFSET[%return][(REF)]", which begins at character @at of the place. The order of the
 * checks is ABI. @text is split in place.
 */
static int parse_offset(struct dyn_line *line, struct uprobe_probe *up, char *text, u32 at)
{
	char *ref = strchr(text, '('), *end, *suffix;
	int ret;

	if (ref) {
		end = strchr(ref, ')');
		if (!end)
			return path_error(line, -EINVAL, "Reference counter brace is not closed",
					  at + strlen(text));
		if (end[1])
			return path_error(line, -EINVAL, "Reference counter has wrong suffix",
					  at + (end + 1 - text));
		*ref++ = '\0';
		*end = '\0';
		ret = kstrtoul(ref, 0, &up->ref_offset);
		if (ret)
			return path_error(line, ret, "Invalid reference counter offset",
					  at + (ref - text));
	}
	suffix = strchr(text, '%');
	if (suffix) {
		if (strcmp(suffix, "%return"))
			return path_error(line, -EINVAL, DYN_ERR_BAD_ADDR_SUFFIX,
					  at + (suffix - text));
		*suffix = '\0';
		up->probe.is_return = true;
	}
	ret = kstrtoul(text, 0, &up->offset);
	return ret ? path_error(line, ret, "Invalid uprobe offset", at) : 0;
}

/* Look up the file. @len: length of its name in the place */
static int find_file(struct dyn_line *line, struct uprobe_probe *up, const char *place, u32 len)
{
	int ret;

	up->filename = kstrndup(place, len, GFP_KERNEL);
	if (!up->filename)
		return -ENOMEM;
	ret = kern_path(up->filename, LOOKUP_FOLLOW, &up->path);
	if (ret)
		return path_error(line, ret, "Failed to find the given file", 0);
	if (!d_is_reg(up->path.dentry))
		return path_error(line, -EINVAL, "Not a regular file", 0);
	return 0;
}

/**
 * strobe_uprobe_setup - set up a probe that has a file and a place
 * @up: the probe
 */
void strobe_uprobe_setup(struct uprobe_probe *up)
{
	up->consumer.handler = uprobe_enter;
	up->consumer.filter = uprobe_filter;
	if (up->probe.is_return)
		up->consumer.ret_handler = uprobe_return;
}

static int uprobe_place(struct dyn_line *line)
{
	const struct dyn_words *words = &line->words;
	const char *place = dyn_word(words, 1);
	const char *colon = strrchr(place, ':');
	struct uprobe_probe *up;
	char *text;
	int ret;

	if (words->nr - 2 > DYN_ARGS_MAX)
		return -E2BIG;
	if (!strchr(place, '/') || !colon || !isdigit(colon[1]))
		return -ECANCELED;
	line->probe = strobe_dyn_probe_alloc(sizeof(*up));
	text = kstrdup(colon + 1, GFP_KERNEL);
	if (!line->probe || !text) {
		kfree(text);
		return -ENOMEM;
	}
	up = uprobe_of(line->probe);
	up->probe.is_return = dyn_word(words, 0)[0] == 'r';
	/* What stands between letter and colon makes it no name: ABI. */
	if (dyn_word(words, 0)[1] != ':')
		dyn_word(words, 0)[1] = '\0';
	ret = find_file(line, up, place, colon - place);
	if (!ret)
		ret = parse_offset(line, up, text, colon + 1 - place);
	kfree(text);
	if (ret)
		return ret;
	strobe_uprobe_setup(up);
	line->source.flags = DYN_USER | (up->probe.is_return ? DYN_RETURN : 0);
	return 0;
}

/* The file's name up to the first of ".-_", and the offset. */
static void uprobe_name(const struct dyn_line *line, char name[DYN_NAME_MAX])
{
	const struct uprobe_probe *up = uprobe_of(line->probe);
	const char *base = kbasename(up->filename);

	snprintf(name, DYN_NAME_MAX, "p_%.*s_0x%lx", (int)strcspn(base, ".-_"), base, up->offset);
}

static bool uprobe_same(const struct dyn_probe *a, const struct dyn_probe *b)
{
	const struct uprobe_probe *one = uprobe_of(a), *other = uprobe_of(b);

	return one->offset == other->offset && uprobe_inode(one) == uprobe_inode(other);
}

/* Room for two numbers in hexadecimal, and parentheses */
#define OFFSET_TEXT	48

/* "OFFSET[(REF)]", as uprobe_events shows it */
static void write_offset(char text[OFFSET_TEXT], const struct uprobe_probe *up)
{
	int len = snprintf(text, OFFSET_TEXT, "0x%0*lx", (int)(2 * sizeof(void *)), up->offset);

	if (up->ref_offset)
		snprintf(text + len, OFFSET_TEXT - len, "(0x%lx)", up->ref_offset);
}

static void uprobe_show(struct seq_file *m, const struct dyn_probe *probe)
{
	const struct uprobe_probe *up = uprobe_of(probe);
	const struct trace_event_call *call = &probe->event->dynamic.call;
	char offset[OFFSET_TEXT];

	write_offset(offset, up);
	seq_printf(m, "%c:%s/%s %s:%s", probe->is_return ? 'r' : 'p', call->class->system,
		   call->name, up->filename, offset);
}

static bool uprobe_is_at(const struct dyn_probe *probe, const char *place)
{
	const struct uprobe_probe *up = uprobe_of(probe);
	size_t len = strlen(up->filename);
	char offset[OFFSET_TEXT];

	write_offset(offset, up);
	return !strncmp(place, up->filename, len) && place[len] == ':' &&
	       !strcmp(place + len + 1, offset);
}

static void uprobe_free(struct dyn_probe *probe)
{
	struct uprobe_probe *up = uprobe_of(probe);

	path_put(&up->path);
	kfree(up->filename);
}

/* Registration. */

/* Probes of one place share its reference counter. */
static int uprobe_check(const struct dyn_probe *probe)
{
	const struct uprobe_probe *up = uprobe_of(probe);
	const struct dyn_probe *other;

	list_for_each_entry(other, &strobe_dyn_probes, list) {
		if (other->event->kind != &strobe_dyn_uprobe || !uprobe_same(probe, other))
			continue;
		if (up->ref_offset != uprobe_of(other)->ref_offset) {
			pr_warn("%s at 0x%lx has another reference counter already\n",
				up->filename, up->offset);
			return -EINVAL;
		}
	}
	return 0;
}

static int uprobe_bind(struct dyn_probe *probe)
{
	strobe_dyn_images_get();
	return 0;
}

/* Wait until no callback of disarmed probes runs. */
static void uprobe_wait(struct dyn_probe **probes, unsigned int nr)
{
	bool wait = false;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		wait |= uprobe_of(probes[i])->unregistered;
		uprobe_of(probes[i])->unregistered = false;
	}
	if (wait)
		uprobe_unregister_sync();
}

static int uprobe_arm(struct dyn_probe *probe)
{
	struct uprobe_probe *up = uprobe_of(probe);
	struct uprobe *uprobe;

	/* A reader of the list of consumers may still be at this one. */
	uprobe_wait(&probe, 1);
	uprobe = uprobe_register(uprobe_inode(up), up->offset, up->ref_offset, &up->consumer);
	if (IS_ERR(uprobe))
		return PTR_ERR(uprobe);
	up->uprobe = uprobe;
	return 0;
}

static void uprobe_disarm(struct dyn_probe *probe)
{
	struct uprobe_probe *up = uprobe_of(probe);

	uprobe_unregister_nosync(up->uprobe, &up->consumer);
	up->uprobe = NULL;
	up->unregistered = true;
}

static void uprobe_unbind(struct dyn_probe **probes, unsigned int nr)
{
	uprobe_wait(probes, nr);
	/* For readers of links, and for readers without SRCU: see strobe_events_unregister(). */
	synchronize_rcu();
	while (nr--)
		strobe_dyn_images_put();
}

/*
 * The sinks of an armed event have changed, or the tasks that perf events are opened for: put
 * breakpoints into processes that are wanted now, or remove those that no longer are.
 */
static int uprobe_retarget(struct dyn_event *event, bool more)
{
	struct dyn_probe *probe;
	int ret;

	dyn_for_each_probe(probe, event) {
		if (!probe->armed)
			continue;
		ret = uprobe_apply(uprobe_of(probe)->uprobe, &uprobe_of(probe)->consumer, more);
		if (ret)
			return ret;
	}
	return 0;
}

static void uprobe_profile(struct seq_file *m, const struct dyn_probe *probe)
{
	seq_printf(m, "  %s %-44s %15lu\n", uprobe_of(probe)->filename,
		   trace_event_name(&probe->event->dynamic.call),
		   strobe_dyn_probe_counts(probe).hits);
}

static void uprobe_print_head(struct strobe_print *pr, const struct dyn_event *event)
{
	unsigned long addr[2];

	memcpy(addr, pr->entry + sizeof(struct trace_entry), event->nr_head * sizeof(long));
	if (event->nr_head == 2)
		trace_seq_printf(pr->seq, "0x%lx <- 0x%lx", addr[1], addr[0]);
	else
		trace_seq_printf(pr->seq, "0x%lx", addr[0]);
}

const struct dyn_kind strobe_dyn_uprobe = {
	.letters	= "pr",
	.group		= "uprobes",
	.where		= "trace_uprobe",
	.call_flags	= TRACE_EVENT_FL_UPROBE | TRACE_EVENT_FL_CAP_ANY,
	.nr_head	= 1,
	.head		= STROBE_FUNCTION_HEAD,
	.head_fmt	= STROBE_FUNCTION_FMT,
	.print_head	= uprobe_print_head,
	.place		= uprobe_place,
	.name		= uprobe_name,
	.same		= uprobe_same,
	.is_at		= uprobe_is_at,
	.show		= uprobe_show,
	.check		= uprobe_check,
	.bind		= uprobe_bind,
	.arm		= uprobe_arm,
	.disarm		= uprobe_disarm,
	.unbind		= uprobe_unbind,
	.free		= uprobe_free,
	.retarget	= uprobe_retarget,
	.profile	= uprobe_profile,
};
