// SPDX-License-Identifier: GPL-2.0
/*
 * The tracing directory: tables of its files, and their creation.
 *
 * State: each instance with a directory has a struct fs_instance, allocated before
 * its first file and freed after its directory is removed. The directory of the top
 * instance is the root of tracefs, which is never removed.
 *
 * Contexts: boot, task. Locks: event_mutex and instance_mutex around changes that
 * other tasks may see; tracefs's own locks are taken inside.
 */
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/mount.h>
#include <linux/overflow.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/tracefs.h>

#include "event/event.h"
#include "fs/fs.h"

/* In the directory of every instance. */
static const struct fs_file instance_files[] = {
	{ "available_tracers",	 FS_MODE_READ,	&fs_available_tracers_fops },
	{ "buffer_percent",	 FS_MODE_WRITE,	&fs_buffer_percent_fops },
	{ "buffer_size_kb",	 FS_MODE_WRITE,	&fs_buffer_size_fops },
	{ "buffer_subbuf_size_kb", FS_MODE_WRITE, &fs_subbuf_size_fops },
	{ "buffer_total_size_kb", FS_MODE_READ,	&fs_buffer_total_size_fops },
	{ "current_tracer",	 FS_MODE_WRITE,	&fs_current_tracer_fops },
	{ "error_log",		 FS_MODE_WRITE,	&fs_error_log_fops },
	{ "free_buffer",	 0200,		&fs_free_buffer_fops },
	{ "set_event",		 FS_MODE_WRITE,	&fs_set_event_fops },
	{ "set_event_notrace_pid", FS_MODE_WRITE, &fs_set_event_notrace_pid_fops },
	{ "set_event_pid",	 FS_MODE_WRITE,	&fs_set_event_pid_fops },
	{ "timestamp_mode",	 FS_MODE_READ,	&fs_timestamp_mode_fops },
	{ "trace",		 FS_MODE_WRITE,	&fs_trace_fops },
	{ "trace_clock",	 FS_MODE_WRITE,	&fs_trace_clock_fops },
	{ "trace_marker",	 0220,		&fs_marker_fops },
	{ "trace_marker_raw",	 0220,		&fs_marker_raw_fops },
	{ "trace_options",	 FS_MODE_WRITE,	&fs_trace_options_fops },
	{ "trace_pipe",		 FS_MODE_READ,	&fs_pipe_fops },
	{ "tracing_cpumask",	 FS_MODE_WRITE,	&fs_cpumask_fops },
	{ "tracing_on",		 FS_MODE_WRITE,	&fs_tracing_on_fops },
};

/* In instances that can have a snapshot. */
static const struct fs_file snapshot_files[] = {
#ifdef CONFIG_TRACER_SNAPSHOT
	{ "snapshot",		 FS_MODE_WRITE,	&fs_snapshot_fops },
#endif
};

/* In instances with a persistent ring. */
static const struct fs_file kept_files[] = {
	{ "last_boot_info",	 FS_MODE_READ,	&fs_last_boot_info_fops },
};

/* In per_cpu/cpuN of every instance. */
static const struct fs_file cpu_files[] = {
	{ "buffer_size_kb",	FS_MODE_WRITE,	&fs_buffer_size_fops },
	{ "stats",		FS_MODE_READ,	&fs_stats_fops },
	{ "trace",		FS_MODE_WRITE,	&fs_trace_fops },
	{ "trace_pipe",		FS_MODE_READ,	&fs_pipe_fops },
	{ "trace_pipe_raw",	FS_MODE_READ,	&fs_raw_fops },
};

static const struct fs_file snapshot_cpu_files[] = {
#ifdef CONFIG_TRACER_SNAPSHOT
	{ "snapshot",		FS_MODE_WRITE,	&fs_snapshot_fops },
	{ "snapshot_raw",	FS_MODE_READ,	&fs_snapshot_raw_fops },
#endif
};

/* In the top directory only; files that need no instance ignore the view. */
static const struct fs_file top_files[] = {
	{ "available_events",	 FS_MODE_READ,	&fs_available_events_fops },
	{ "dynamic_events",	 FS_MODE_WRITE,	&fs_dynamic_events_fops },
#ifdef CONFIG_TRACE_EVAL_MAP_FILE
	{ "eval_map",		 FS_MODE_READ,	&fs_eval_map_fops },
#endif
	{ "printk_formats",	 FS_MODE_READ,	&fs_printk_formats_fops },
	{ "README",		 FS_MODE_READ,	&fs_readme_fops },
	{ "saved_cmdlines",	 FS_MODE_READ,	&fs_saved_cmdlines_fops },
	{ "saved_cmdlines_size", FS_MODE_WRITE,	&fs_saved_cmdlines_size_fops },
	{ "saved_tgids",	 FS_MODE_READ,	&fs_saved_tgids_fops },
};

/* Returns 0, or -ENOMEM if a file is missing. */
static int create_files(struct dentry *parent, struct fs_view *view,
			const struct fs_file *files, unsigned int nr)
{
	const struct fs_file *file;
	int ret = 0;

	for (file = files; file < files + nr; file++) {
		if (tracefs_create_file(file->name, file->mode, parent, view,
					file->fops))
			continue;
		pr_warn("tracing: cannot create file '%s'\n", file->name);
		ret = -ENOMEM;
	}
	return ret;
}

static int create_cpu_folders(struct fs_instance *fsi)
{
	struct dentry *all, *folder;
	char name[16];
	int cpu, err, ret = 0;

	all = tracefs_create_dir("per_cpu", fsi->folder);
	if (!all) {
		pr_warn("tracing: cannot create directory 'per_cpu'\n");
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "cpu%d", cpu);
		folder = tracefs_create_dir(name, all);
		if (!folder) {
			pr_warn("tracing: cannot create directory 'per_cpu/%s'\n", name);
			ret = -ENOMEM;
			continue;
		}
		err = create_files(folder, &fsi->cpus[cpu], cpu_files,
				   ARRAY_SIZE(cpu_files));
		ret = ret ?: err;
		if (instance_is_kept(fsi->tr))
			continue;
		err = create_files(folder, &fsi->cpus[cpu], snapshot_cpu_files,
				   ARRAY_SIZE(snapshot_cpu_files));
		ret = ret ?: err;
	}
	return ret;
}

/**
 * fs_files_create - create the files of an instance, except events/
 * @fsi: the instance; its directory exists
 *
 * A file that cannot be created is skipped with a warning.
 *
 * Context: task, may sleep.
 * Return: 0, or -ENOMEM if a file is missing.
 */
int fs_files_create(struct fs_instance *fsi)
{
	bool kept = instance_is_kept(fsi->tr);
	int files = create_files(fsi->folder, &fsi->all, instance_files,
				 ARRAY_SIZE(instance_files));
	int special = create_files(fsi->folder, &fsi->all,
				   kept ? kept_files : snapshot_files,
				   kept ? ARRAY_SIZE(kept_files) : ARRAY_SIZE(snapshot_files));
	int options = fs_options_create(fsi);
	int cpus = create_cpu_folders(fsi);

	return files ?: special ?: options ?: cpus;
}

/**
 * fs_instance_put - drop a reference, and free the structure with the last one
 * @fsi: tracefs's data of an instance
 *
 * Context: any but NMI.
 */
void fs_instance_put(struct fs_instance *fsi)
{
	if (!refcount_dec_and_test(&fsi->ref))
		return;
	free_cpumask_var(fsi->cpumask);
	free_cpumask_var(fsi->pipe_open);
	kfree(fsi->cpu_access);
	kfree(fsi);
}

/**
 * fs_instance_alloc - allocate tracefs's data of an instance
 * @tr: the instance
 *
 * Context: task, may sleep.
 * Return: the structure, with one reference and no files; or NULL.
 */
struct fs_instance *fs_instance_alloc(struct trace_array *tr)
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
		fs_instance_put(fsi);
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

/* Legacy location: automount tracefs on debugfs's tracing directory. */
static struct vfsmount *mount_below_debugfs(struct dentry *point, void *unused)
{
	struct file_system_type *type = get_fs_type("tracefs");
	struct vfsmount *mnt;

	if (!type)
		return NULL;
	mnt = vfs_submount(point, type, "tracefs", NULL);
	put_filesystem(type);
	return IS_ERR(mnt) ? NULL : mntget(mnt);
}

static const struct instance_fs_ops fs_ops = {
	.event_file_added	= fs_event_added,
	.event_file_removed	= fs_event_removed,
	.instance_added		= fs_instance_show,
	.instance_removed	= fs_instance_hide,
};

/* Hold event_mutex, so that no module adds or removes events meanwhile. */
static void __init create_top(struct fs_instance *fsi)
{
	guard(mutex)(&event_mutex);
	scoped_guard(mutex, &instance_mutex) {
		fsi->tr->fs = fsi;
		fs_parts_create(fsi);
	}
	instance_set_fs_ops(&fs_ops);
	fs_events_create(fsi);
}

static int __init fs_init(void)
{
	struct fs_instance *fsi;

	if (security_locked_down(LOCKDOWN_TRACEFS)) {
		pr_warn("Tracing disabled due to lockdown\n");
		return 0;
	}
	if (tracing_is_disabled() || WARN_ON(!tracefs_initialized()))
		return 0;

	debugfs_create_automount("tracing", NULL, mount_below_debugfs, NULL);

	fsi = fs_instance_alloc(top_instance);
	if (!fsi) {
		pr_warn("tracing: no memory for the files of tracefs\n");
		return -ENOMEM;
	}
	/* Ignore errors: a missing file is no reason to omit the others. */
	create_top(fsi);
	fs_files_create(fsi);
	create_files(NULL, &fsi->all, top_files, ARRAY_SIZE(top_files));
	fs_instances_create();
	return 0;
}
fs_initcall(fs_init);
