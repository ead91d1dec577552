// SPDX-License-Identifier: GPL-2.0
/*
 * Instances made by the command line: trace_instance=NAME[^FLAG...][,EVENT...], which may
 * be given several times. They are ordinary instances, and can be removed.
 *
 * With NAME[^FLAG...]@ADDRESS:SIZE or NAME[^FLAG...]@LABEL, the instance has a persistent
 * ring, in memory reserved by memmap= or reserve_mem=. If the memory holds a valid ring of
 * the previous boot (ring/region.c checks that), it is taken over with its records. They
 * can be decoded only by the same build of the kernel with the same event ids, so
 * kernel_identity() is part of the region. Such an instance is never removed.
 *
 * strobe_boot_enable_events() also enables the events of trace_event=, for boot.c.
 *
 * A panic switches recording into these rings off, so that what happens after it does not
 * overwrite what led to it.
 *
 * Contexts: boot, one thread, except for the panic notifier. Locks are taken only to
 * satisfy lockdep assertions.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>

#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/initrd.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <asm/ring_buffer.h>
#include <asm/sections.h>
#include <asm/setup.h>

#include "boot/boot.h"
#include "event/event.h"
#include "instance/instance.h"

/* The values of all trace_instance=, each followed by a newline. */
VISIBLE_IF_KUNIT char strobe_boot_instances[COMMAND_LINE_SIZE] __initdata;

static int __init parse_instance(char *str)
{
	size_t used = strlen(strobe_boot_instances);
	size_t left = sizeof(strobe_boot_instances) - used;

	/* A boot configuration can make the command line longer than COMMAND_LINE_SIZE. */
	if (strlen(str) + sizeof("\n") > left)
		pr_warn("Tracing: No room for trace_instance=%s\n", str);
	else
		snprintf(strobe_boot_instances + used, left, "%s\n", str);
	return 1;
}
__setup("trace_instance=", parse_instance);

static void __init apply_flag(struct trace_array *tr, const char *flag)
{
	static const char * const printk[] = {
		"printk", "traceprintk", "trace_printk",
	};

	if (!strcmp(flag, "traceoff")) {
		strobe_instance_set_on(tr, false);
	} else if (match_string(printk, ARRAY_SIZE(printk), flag) >= 0) {
		guard(mutex)(&strobe_instance_mutex);
		if (strobe_instance_printk_move(tr))
			pr_warn("Tracing: No memory for flag '%s' for %s\n", flag, tr->name);
	} else {
		pr_info("Tracing: Invalid instance flag '%s' for %s\n", flag, tr->name);
	}
}

/* Persistent rings. */

/**
 * struct boot_memory - memory for the ring of an instance
 * @start: physical address
 * @size: size in bytes
 */
struct boot_memory {
	phys_addr_t	start;
	phys_addr_t	size;
};

static int stop_at_panic(struct notifier_block *nb, unsigned long event, void *data)
{
	struct trace_array *tr;

	instance_for_each(tr) {
		if (!instance_is_kept(tr))
			continue;
		strobe_instance_set_on(tr, false);
		arch_ring_buffer_flush_range((unsigned long)tr->region.start,
					     (unsigned long)tr->region.start +
					     tr->region.bytes);
	}
	return NOTIFY_DONE;
}

static struct notifier_block panic_stop = {
	.notifier_call = stop_at_panic,
};

/* Parse ADDRESS:SIZE or a label of reserve_mem=. Return: false on error, after a message. */
static bool __init parse_memory(char *text, const char *name, struct boot_memory *memory)
{
	if (!isdigit(*text)) {
		if (reserve_mem_find_by_name(text, &memory->start, &memory->size))
			return true;
		pr_warn("Failed to map boot instance %s to %s\n", name, text);
		return false;
	}
	memory->start = memparse(text, &text);
	if (!memory->start) {
		pr_warn("Tracing: Invalid boot instance address for %s\n", name);
		return false;
	}
	if (*text++ != ':') {
		pr_warn("Tracing: No size specified for instance %s\n", name);
		return false;
	}
	memory->size = memparse(text, &text);
	if (!memory->size)
		pr_warn("Tracing: Invalid boot instance size for %s\n", name);
	return memory->size;
}

static bool __init memory_overlaps(const struct boot_memory *memory, phys_addr_t start,
				   phys_addr_t end)
{
	return memory->start < end && start < memory->start + memory->size;
}

/*
 * Is a page not managed by the page allocator? Memblock knows that better than the page, which
 * may not be initialised yet.
 */
VISIBLE_IF_KUNIT bool __init strobe_boot_memory_reserved(phys_addr_t page)
{
	KUNIT_STATIC_STUB_REDIRECT(strobe_boot_memory_reserved, page);
	return memblock_is_reserved(page);
}

static bool __init memory_is_mapped(const struct boot_memory *memory)
{
	struct trace_array *tr;

	guard(mutex)(&strobe_instance_mutex);
	instance_for_each(tr) {
		if (instance_is_kept(tr) &&
		    memory_overlaps(memory, tr->region.phys, tr->region.phys + tr->region.bytes))
			return true;
	}
	return false;
}

/*
 * Is the memory neither in use nor managed by the page allocator? The kernel and its initrd are
 * in memory that is reserved, too, and with KASLR the kernel may be anywhere. Other memory that
 * the kernel reserved early for itself looks like that of reserve_mem=.
 */
static bool __init memory_is_free(const struct boot_memory *memory)
{
	phys_addr_t end = memory->start + memory->size, page;

	if (end < memory->start || memory_is_mapped(memory))
		return false;
	if (memory_overlaps(memory, __pa_symbol(_text), __pa_symbol(_end)))
		return false;
#ifdef CONFIG_BLK_DEV_INITRD
	if (initrd_start && memory_overlaps(memory, __pa(initrd_start), __pa(initrd_end)))
		return false;
#endif
	switch (region_intersects(memory->start, memory->size, IORESOURCE_SYSTEM_RAM,
				  IORES_DESC_NONE)) {
	case REGION_DISJOINT:
		return true;
	case REGION_INTERSECTS:
		/* Memory that was reserved early is not managed by the page allocator. */
		for (page = PAGE_ALIGN_DOWN(memory->start); page < end; page += PAGE_SIZE) {
			if (!strobe_boot_memory_reserved(page))
				return false;
		}
		return true;
	default:
		return false;
	}
}

/* A hash of the build and the event ids: only a kernel with the same one decodes the records. */
static u64 __init kernel_identity(void)
{
	u32 size = _end - _text, events = 0;
	struct trace_event_call *call;
	const char *name;

	guard(mutex)(&strobe_event_mutex);
	for_each_event(call) {
		name = trace_event_name(call) ?: "";
		events = jhash(name, strlen(name), events ^ call->type);
	}
	return (u64)jhash(linux_banner, strlen(linux_banner), size) << 32 | events;
}

/* Map the whole pages of @memory. Return: false on error. */
static bool __init map_memory(const struct boot_memory *memory,
			      struct strobe_ring_region *region)
{
	phys_addr_t start = PAGE_ALIGN(memory->start);
	phys_addr_t end = PAGE_ALIGN_DOWN(memory->start + memory->size);

	if (!memory_is_free(memory) || end <= start)
		return false;
	*region = (struct strobe_ring_region) {
		.start	= memremap(start, end - start, MEMREMAP_WB),
		.phys	= start,
		.bytes	= end - start,
		.maker	= kernel_identity(),
		.text	= (unsigned long)_stext,
		.data	= (unsigned long)_sdata,
	};
	return region->start;
}

static struct trace_array *__init make_kept(const char *name,
					    const struct boot_memory *memory)
{
	static bool watching __initdata;
	struct strobe_ring_region region;
	struct trace_array *tr;

	if (!IS_ENABLED(CONFIG_HAS_IOMEM) || !map_memory(memory, &region)) {
		pr_warn("Tracing: Failed to map boot instance %s\n", name);
		return NULL;
	}
	pr_info("Tracing: mapped boot instance %s at physical memory %pa of size 0x%lx\n",
		name, &memory->start, (unsigned long)memory->size);
	scoped_guard(mutex, &strobe_event_mutex) {
		guard(mutex)(&strobe_instance_mutex);
		tr = strobe_instance_create_kept(name, &region);
	}
	if (IS_ERR(tr)) {
		memunmap(region.start);
	} else if (!watching) {
		watching = true;
		atomic_notifier_chain_register(&panic_notifier_list, &panic_stop);
	}
	return tr;
}

static struct trace_array *__init make_instance(const char *name)
{
	struct trace_array *tr;

	scoped_guard(mutex, &strobe_event_mutex) {
		guard(mutex)(&strobe_instance_mutex);
		tr = strobe_instance_create(name, NULL);
	}
	if (!IS_ERR(tr))
		strobe_snapshot_setup_instance(tr);
	return tr;
}

/*
 * Split @name, NAME[^FLAG...][@MEMORY] or NAME[@MEMORY][^FLAG...], in place.
 * Return: the flags, or NULL.
 */
static char *__init cut_name(char *name, char **memory)
{
	char *flags = strchr(name, '^');

	*memory = strchr(name, '@');
	if (flags)
		*flags++ = '\0';
	if (*memory)
		*(*memory)++ = '\0';
	return flags;
}

/**
 * strobe_boot_enable_events - enable the events in a list from the command line
 * @tr:   the instance
 * @list: names as for set_event, separated by commas; undefined on return
 *
 * Context: boot, task.
 */
void __init strobe_boot_enable_events(struct trace_array *tr, char *list)
{
	char *word;

	while ((word = strsep(&list, ","))) {
		if (*word && strobe_instance_set_event_string(tr, word, true))
			pr_warn("Failed to enable trace event: %s\n", word);
	}
}

static void __init setup_instance(char *name, char *events)
{
	struct boot_memory memory = {};
	struct trace_array *tr;
	char *where, *flag;
	char *flags = cut_name(name, &where);

	if (where && !parse_memory(where, name, &memory))
		return;
	if (*name)
		tr = where ? make_kept(name, &memory) : make_instance(name);
	else
		tr = ERR_PTR(-EINVAL);
	if (!tr)
		return;
	if (IS_ERR(tr)) {
		pr_warn("Tracing: Failed to create instance buffer '%s' (%ld)\n", name,
			PTR_ERR(tr));
		return;
	}
	while ((flag = strsep(&flags, "^")))
		apply_flag(tr, flag);
	if (events)
		strobe_boot_enable_events(tr, events);
}

/**
 * strobe_instances_setup - create the instances of the command line
 *
 * Context: boot; events are registered, and the top instance has its event files.
 */
void __init strobe_instances_setup(void)
{
	char *pos = strobe_boot_instances, *name, *events;

	while (pos && *pos) {
		name = strsep(&pos, "\n");
		events = name;
		strsep(&events, ",");
		setup_instance(name, events);
	}
}
