// SPDX-License-Identifier: GPL-2.0
/*
 * mmap() of per_cpu/cpuN/trace_pipe_raw: the ring's pages, read-only, as described
 * in include/uapi/linux/trace_mmap.h. ring/map.c keeps the pages in place while
 * they are mapped.
 *
 * A mapping begins at the meta page or at a sub-buffer. It can be neither split nor
 * grown. Each one holds a reference to the ring's mapping until it is closed.
 *
 * Contexts: task, with mmap_lock held. Locks: what ring/ takes.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "fs/fs.h"

/* Keep the ring's pages in place: prevent snapshots, then changes of the ring. */
static int raw_map_get(const struct fs_view *view)
{
	int ret = strobe_instance_map_get(view->tr);

	if (ret)
		return ret;
	ret = strobe_ring_map(view->tr->ring, view->cpu);
	if (ret)
		strobe_instance_map_put(view->tr);
	return ret;
}

static void raw_map_put(const struct fs_view *view)
{
	strobe_ring_unmap(view->tr->ring, view->cpu);
	strobe_instance_map_put(view->tr);
}

static void raw_vma_open(struct vm_area_struct *vma)
{
	/* The ring is mapped already, so this only increments counts. */
	WARN_ON_ONCE(raw_map_get(vma->vm_private_data));
}

static void raw_vma_close(struct vm_area_struct *vma)
{
	raw_map_put(vma->vm_private_data);
}

static int raw_vma_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static const struct vm_operations_struct raw_vma_ops = {
	.open		= raw_vma_open,
	.close		= raw_vma_close,
	.may_split	= raw_vma_may_split,
};

/* Put the pages of the mapped ring into @vma: 0, -EINVAL, or -ENOMEM. */
static int raw_vma_insert(struct vm_area_struct *vma, const struct fs_view *view)
{
	struct strobe_ring *ring = view->tr->ring;
	unsigned long all = strobe_ring_map_pages(ring, view->cpu);
	unsigned long nr = vma_pages(vma), i;
	struct page **pages;
	void *addr;
	int ret;

	if (vma->vm_pgoff % (strobe_ring_subbuf_bytes(ring) / PAGE_SIZE) ||
	    vma->vm_pgoff >= all || nr > all - vma->vm_pgoff)
		return -EINVAL;
	pages = kvmalloc_array(nr, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		addr = strobe_ring_map_page(ring, view->cpu, vma->vm_pgoff + i);
		pages[i] = addr ? virt_to_page(addr) :
				  ZERO_PAGE(vma->vm_start + i * PAGE_SIZE);
	}
	ret = vm_insert_pages(vma, vma->vm_start, pages, &nr);
	kvfree(pages);
	return ret;
}

/**
 * strobe_fs_raw_mmap - map the ring of a CPU
 * @view: the instance and the CPU
 * @vma: the area to map it to
 *
 * Context: task, mmap_lock held.
 * Return: 0; -EPERM if @vma is not read-only or not shared; -EINVAL if it exceeds the
 * ring or begins within a sub-buffer; -ENOMEM; -EBUSY if a snapshot may be taken at
 * any time, or if there are too many mappings; -ENODEV if the ring is persistent.
 */
int strobe_fs_raw_mmap(const struct fs_view *view, struct vm_area_struct *vma)
{
	int ret;

	if (instance_is_kept(view->tr))
		return -ENODEV;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC) || !(vma->vm_flags & VM_MAYSHARE))
		return -EPERM;
	ret = raw_map_get(view);
	if (ret)
		return ret;
	/* mprotect() cannot make it writable; fork() does not copy it; no growth, no dump. */
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	ret = raw_vma_insert(vma, view);
	if (ret) {
		raw_map_put(view);
		return ret;
	}
	vma->vm_private_data = (void *)view;
	vma->vm_ops = &raw_vma_ops;
	return 0;
}
