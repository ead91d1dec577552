// SPDX-License-Identifier: GPL-2.0
/*
 * Records events whose bytes come from user space. For scripts/render, with both engines.
 *
 * Each write to /proc/strobe_emit makes one record in the top instance. It consists of a
 * word, its NUL, and the record's bytes, beginning with those of struct trace_entry, which
 * are not used. The word is SYSTEM:EVENT. The engine reserves and commits the record as for
 * the event's own probe, except that the event need not be enabled. The file inject makes
 * records too, but it cannot set arrays. Where the bytes are the number EMIT_TEXT, the record
 * gets the address of a constant text of the kernel.
 *
 * Other words make records that are not events, and need no bytes:
 *	printk	one record for each form of trace_printk() and trace_puts()
 *	stack	the stack of this call
 *
 * A record whose lengths are not right can make the event's text function read anything.
 */
#include <linux/err.h>
#include <linux/hex.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/unaligned.h>

#define EMIT_TEXT	0x5f747865745f6d65ULL

static const size_t emit_max = 4000;

#ifdef CONFIG_STROBE
static int emit_bytes(struct trace_event_file *file, const void *bytes, size_t len)
{
	struct strobe_reserved record;

	guard(preempt_notrace)();
	record = strobe_event_reserve(&file->sink, len);
	if (!record.entry)
		return -EBUSY;
	memcpy(record.entry + sizeof(struct trace_entry), bytes + sizeof(struct trace_entry),
	       len - sizeof(struct trace_entry));
	strobe_event_commit(record.handle);
	return 0;
}
#else
static int emit_bytes(struct trace_event_file *file, const void *bytes, size_t len)
{
	struct trace_event_buffer record;
	void *entry;

	guard(preempt_notrace)();
	entry = trace_event_buffer_reserve(&record, file, len);
	if (!entry)
		return -EBUSY;
	memcpy(entry + sizeof(struct trace_entry), bytes + sizeof(struct trace_entry),
	       len - sizeof(struct trace_entry));
	trace_event_buffer_commit(&record);
	return 0;
}
#endif

static int emit_event(char *system, void *bytes, size_t len)
{
	struct trace_event_file *file;
	char *event = strchr(system, ':');
	size_t at;
	int ret;

	if (!event || len < sizeof(struct trace_entry))
		return -EINVAL;
	*event++ = '\0';
	for (at = 0; at + sizeof(u64) <= len; at += sizeof(u32)) {
		if (get_unaligned((u64 *)(bytes + at)) == EMIT_TEXT)
			put_unaligned((u64)(unsigned long)hex_asc, (u64 *)(bytes + at));
	}
	file = trace_get_event_file(NULL, system, event);
	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = emit_bytes(file, bytes, len);
	trace_put_event_file(file);
	return ret;
}

/* Not static, so that the compiler does not take them for constants. */
char *strobe_emit_text = "a text that is not constant\n";
char *strobe_emit_format = "a format that is not constant: %s, %ps\n";

static noinline void emit_printk(void)
{
	trace_printk("a constant text\n");
	trace_printk(strobe_emit_text);
	trace_puts("another constant text\n");
	trace_puts(strobe_emit_text);
	trace_printk("numbers: %d %5u|%-6d|%08lx %lld %c %%\n", -1, 2U, 3, 4UL, -5LL, 'x');
	trace_printk("strings: %s %.3s %10s|%-4s|\n", "one", "shortened", "right", "left");
	trace_printk("bytes: %*ph\n", 6, "abcdef");
	trace_printk("no end of line");
	trace_printk(strobe_emit_format, "text", _printk);
	/* A tail call has no frame, but classic leaves out a fixed number of frames. */
	barrier();
}

static ssize_t emit_write(struct file *, const char __user *buf, size_t count, loff_t *)
{
	char *text;
	size_t word;
	int ret = 0;

	if (count > emit_max)
		return -E2BIG;
	text = memdup_user_nul(buf, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	word = min(strlen(text) + 1, count);
	if (!strcmp(text, "printk"))
		emit_printk();
	else if (!strcmp(text, "stack"))
		trace_dump_stack(0);
	else
		ret = emit_event(text, text + word, count - word);
	kfree(text);
	return ret ?: count;
}

static const struct proc_ops emit_ops = {
	.proc_write	= emit_write,
	.proc_lseek	= noop_llseek,
};

static int __init emit_init(void)
{
	return proc_create("strobe_emit", 0200, NULL, &emit_ops) ? 0 : -ENOMEM;
}
module_init(emit_init);

static void __exit emit_exit(void)
{
	remove_proc_entry("strobe_emit", NULL);
}
module_exit(emit_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("records of events with bytes from user space");
