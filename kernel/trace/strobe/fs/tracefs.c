// SPDX-License-Identifier: GPL-2.0
/*
 * The tracing directory: tables of its files, and their creation.
 *
 * Contexts: boot, task. Locks: strobe_event_mutex and strobe_instance_mutex around changes that
 * other tasks may see; tracefs's own locks are taken inside.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/array_size.h>
#include <linux/init.h>
#include <linux/tracefs.h>

#include "fs/fs.h"

/* In the directory of every instance. */
static const struct fs_file instance_files[] = {
	{ "available_tracers",	 FS_MODE_READ,	&strobe_fs_available_tracers_fops },
	{ "buffer_percent",	 FS_MODE_WRITE,	&strobe_fs_buffer_percent_fops },
	{ "buffer_size_kb",	 FS_MODE_WRITE,	&strobe_fs_buffer_size_fops },
	{ "buffer_subbuf_size_kb", FS_MODE_WRITE, &strobe_fs_subbuf_size_fops },
	{ "buffer_total_size_kb", FS_MODE_READ,	&strobe_fs_buffer_total_size_fops },
	{ "current_tracer",	 FS_MODE_WRITE,	&strobe_fs_current_tracer_fops },
	{ "error_log",		 FS_MODE_WRITE,	&strobe_fs_error_log_fops },
	{ "free_buffer",	 0200,		&strobe_fs_free_buffer_fops },
	{ "set_event",		 FS_MODE_WRITE,	&strobe_fs_set_event_fops },
	{ "set_event_notrace_pid", FS_MODE_WRITE, &strobe_fs_set_event_notrace_pid_fops },
	{ "set_event_pid",	 FS_MODE_WRITE,	&strobe_fs_set_event_pid_fops },
	{ "timestamp_mode",	 FS_MODE_READ,	&strobe_fs_timestamp_mode_fops },
	{ "trace",		 FS_MODE_WRITE,	&strobe_fs_trace_fops },
	{ "trace_clock",	 FS_MODE_WRITE,	&strobe_fs_trace_clock_fops },
	{ "trace_marker",	 0220,		&strobe_fs_marker_fops },
	{ "trace_marker_raw",	 0220,		&strobe_fs_marker_raw_fops },
	{ "trace_options",	 FS_MODE_WRITE,	&strobe_fs_trace_options_fops },
	{ "trace_pipe",		 FS_MODE_READ,	&strobe_fs_pipe_fops },
	{ "tracing_cpumask",	 FS_MODE_WRITE,	&strobe_fs_cpumask_fops },
	{ "tracing_on",		 FS_MODE_WRITE,	&strobe_fs_tracing_on_fops },
};

/* In instances that can have a snapshot. */
static const struct fs_file snapshot_files[] = {
#ifdef CONFIG_TRACER_SNAPSHOT
	{ "snapshot",		 FS_MODE_WRITE,	&strobe_fs_snapshot_fops },
#endif
};

/* In instances with a persistent ring. */
static const struct fs_file kept_files[] = {
	{ "last_boot_info",	 FS_MODE_READ,	&strobe_fs_last_boot_info_fops },
};

/* In per_cpu/cpuN of every instance. */
static const struct fs_file cpu_files[] = {
	{ "buffer_size_kb",	FS_MODE_WRITE,	&strobe_fs_buffer_size_fops },
	{ "stats",		FS_MODE_READ,	&strobe_fs_stats_fops },
	{ "trace",		FS_MODE_WRITE,	&strobe_fs_trace_fops },
	{ "trace_pipe",		FS_MODE_READ,	&strobe_fs_pipe_fops },
	{ "trace_pipe_raw",	FS_MODE_READ,	&strobe_fs_raw_fops },
};

static const struct fs_file snapshot_cpu_files[] = {
#ifdef CONFIG_TRACER_SNAPSHOT
	{ "snapshot",		FS_MODE_WRITE,	&strobe_fs_snapshot_fops },
	{ "snapshot_raw",	FS_MODE_READ,	&strobe_fs_snapshot_raw_fops },
#endif
};

/* In the top directory only; files that need no instance ignore the view. */
static const struct fs_file top_files[] = {
	{ "available_events",	 FS_MODE_READ,	&strobe_fs_available_events_fops },
#ifdef CONFIG_TRACE_EVAL_MAP_FILE
	{ "eval_map",		 FS_MODE_READ,	&strobe_fs_eval_map_fops },
#endif
	{ "printk_formats",	 FS_MODE_READ,	&strobe_fs_printk_formats_fops },
	{ "README",		 FS_MODE_READ,	&strobe_fs_readme_fops },
	{ "saved_cmdlines",	 FS_MODE_READ,	&strobe_fs_saved_cmdlines_fops },
	{ "saved_cmdlines_size", FS_MODE_WRITE,	&strobe_fs_saved_cmdlines_size_fops },
	{ "saved_tgids",	 FS_MODE_READ,	&strobe_fs_saved_tgids_fops },
#ifdef CONFIG_USER_EVENTS
	{ "user_events_data",	 FS_MODE_WRITE,	&strobe_fs_user_data_fops },
	{ "user_events_status",	 FS_MODE_READ,	&strobe_fs_user_status_fops },
#endif
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
		pr_warn("cannot create file '%s'\n", file->name);
		ret = -ENOMEM;
	}
	return ret;
}

static int create_cpu_dirs(struct fs_instance *fsi)
{
	struct dentry *all, *dir;
	char name[16];
	int cpu, err, ret = 0;

	all = tracefs_create_dir("per_cpu", fsi->dir);
	if (!all) {
		pr_warn("cannot create directory 'per_cpu'\n");
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "cpu%d", cpu);
		dir = tracefs_create_dir(name, all);
		if (!dir) {
			pr_warn("cannot create directory 'per_cpu/%s'\n", name);
			ret = -ENOMEM;
			continue;
		}
		err = create_files(dir, &fsi->cpus[cpu], cpu_files,
				   ARRAY_SIZE(cpu_files));
		ret = ret ?: err;
		if (instance_is_kept(fsi->tr))
			continue;
		err = create_files(dir, &fsi->cpus[cpu], snapshot_cpu_files,
				   ARRAY_SIZE(snapshot_cpu_files));
		ret = ret ?: err;
	}
	return ret;
}

/**
 * strobe_fs_files_create - create the files of an instance, except events/
 * @fsi: the instance; its directory exists
 *
 * A file that cannot be created is skipped with a warning.
 *
 * Context: task, may sleep.
 * Return: 0, or -ENOMEM if a file is missing.
 */
int strobe_fs_files_create(struct fs_instance *fsi)
{
	bool kept = instance_is_kept(fsi->tr);
	int files = create_files(fsi->dir, &fsi->all, instance_files,
				 ARRAY_SIZE(instance_files));
	int special = create_files(fsi->dir, &fsi->all,
				   kept ? kept_files : snapshot_files,
				   kept ? ARRAY_SIZE(kept_files) : ARRAY_SIZE(snapshot_files));
	int options = strobe_fs_options_create(fsi);
	int cpus = create_cpu_dirs(fsi);

	return files ?: special ?: options ?: cpus;
}

/**
 * strobe_fs_top_files_create - create the files that only the root of tracefs has
 * @fsi: the top instance
 *
 * Context: boot.
 */
void __init strobe_fs_top_files_create(struct fs_instance *fsi)
{
	create_files(NULL, &fsi->all, top_files, ARRAY_SIZE(top_files));
	strobe_fs_dynamic_files_create();
}
