// SPDX-License-Identifier: GPL-2.0
/*
 * Tracefs's data of an instance.
 *
 * State: each instance with a directory has a struct fs_instance, allocated before
 * its first file and freed after its directory is removed. The directory of the top
 * instance is the root of tracefs, which is never removed.
 *
 * Contexts: as each function says. Locks: none are taken.
 */
#include <linux/cpumask.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "fs/fs.h"

/**
 * strobe_fs_instance_put - drop a reference, and free the structure with the last one
 * @fsi: tracefs's data of an instance
 *
 * Context: any but NMI.
 */
void strobe_fs_instance_put(struct fs_instance *fsi)
{
	if (!refcount_dec_and_test(&fsi->ref))
		return;
	free_cpumask_var(fsi->cpumask);
	free_cpumask_var(fsi->pipe_open);
	kfree(fsi->cpu_access);
	kfree(fsi);
}

/**
 * strobe_fs_instance_alloc - allocate tracefs's data of an instance
 * @tr: the instance
 *
 * Context: task, may sleep.
 * Return: the structure, with one reference and no files; or NULL.
 */
struct fs_instance *strobe_fs_instance_alloc(struct trace_array *tr)
{
	struct fs_instance *fsi;
	int i;

	fsi = kzalloc(struct_size(fsi, cpus, nr_cpu_ids), GFP_KERNEL);
	if (!fsi)
		return NULL;

	refcount_set(&fsi->ref, 1);
	fsi->cpu_access = kcalloc(nr_cpu_ids, sizeof(*fsi->cpu_access), GFP_KERNEL);
	if (!fsi->cpu_access ||
	    !zalloc_cpumask_var(&fsi->pipe_open, GFP_KERNEL) ||
	    !zalloc_cpumask_var(&fsi->cpumask, GFP_KERNEL)) {
		strobe_fs_instance_put(fsi);
		return NULL;
	}

	fsi->tr = tr;
	fsi->percent = 50;
	INIT_LIST_HEAD(&fsi->systems);
	init_rwsem(&fsi->access);
	cpumask_setall(fsi->cpumask);

	fsi->all = (struct fs_view){ .tr = tr, .cpu = STROBE_RING_ALL_CPUS };
	for (i = 0; i < STROBE_NR_OPTIONS; i++) {
		fsi->options[i] = fsi->all;
		fsi->options[i].option = i;
	}
	for (i = 0; i < nr_cpu_ids; i++) {
		fsi->cpus[i] = (struct fs_view){ .tr = tr, .cpu = i };
		mutex_init(&fsi->cpu_access[i]);
	}
	return fsi;
}
