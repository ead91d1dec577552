/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the implementations of tracefs files.
 *
 * Each file of an instance has a struct fs_view as its data: the instance, and the
 * CPU if the file is in per_cpu/. All views of an instance are in one allocation,
 * its struct fs_instance. It is freed with the instance, or later, when eventfs
 * has released it.
 *
 * Lock order: fs_instance::access, fs_instance::cpu_access, then strobe_event_mutex,
 * strobe_instance_mutex and what ring/ takes.
 */
#ifndef _STROBE_FS_FS_H
#define _STROBE_FS_FS_H

#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/seq_file.h>
#include <linux/types.h>

#include "instance/instance.h"

struct dentry;
struct eventfs_inode;
struct vm_area_struct;

/* The owner of the mount may read and write, its group may read: ABI. */
#define FS_MODE_READ	0440
#define FS_MODE_WRITE	0640

/**
 * struct fs_view - the subject of an instance's file
 * @tr: the instance; NULL in fs_instance::all after its removal (strobe_instance_mutex)
 * @cpu: the CPU, or STROBE_RING_ALL_CPUS
 * @option: number of the option's bit, for files in options/
 */
struct fs_view {
	struct trace_array	*tr;
	int			cpu;
	unsigned int		option;
};

/**
 * struct fs_instance - tracefs's data of an instance (trace_array::fs)
 * @tr: the instance
 * @ref: references of the instance and of eventfs
 * @dir: directory of the instance; NULL for the root of tracefs
 * @options_dir: directory options/; NULL if it could not be created
 * @systems: directories in events/, struct fs_system (see events.c)
 * @events: directory events/; NULL until it is created (strobe_event_mutex)
 * @shown: in the list of instances that have events/ (see events.c)
 * @filled: @systems is complete, and remains so (see events.c)
 * @access: read-locked, with @cpu_access, to consume one CPU's records; write-locked
 *	to consume all CPUs', or to change the ring
 * @cpu_access: serialises the consumers of one CPU, by CPU
 * @pipe_open: CPUs whose records an open trace_pipe consumes (strobe_instance_mutex)
 * @cpumask: CPUs that record (strobe_instance_mutex)
 * @percent: how full a CPU's ring must be for poll() of its pipe and splice() from it
 *	to wake up, 0 to 100
 * @all: view of the files for all CPUs
 * @options: views of the files in options/
 * @cpus: views of the files in per_cpu/, by CPU
 *
 * Members without a lock are constant after the instance's directory is created,
 * except @percent.
 */
struct fs_instance {
	struct trace_array	*tr;
	refcount_t		ref;
	struct dentry		*dir;
	struct dentry		*options_dir;
	struct list_head	systems;
	struct eventfs_inode	*events;
	struct list_head	shown;
	bool			filled;
	struct rw_semaphore	access;
	struct mutex		*cpu_access;	/* by CPU; see @access */
	cpumask_var_t		pipe_open;
	cpumask_var_t		cpumask;
	unsigned int		percent;
	struct fs_view		all;
	struct fs_view		options[STROBE_NR_OPTIONS];
	struct fs_view		cpus[];
};

/**
 * struct fs_file - an entry of a table of files
 * @name: the file's name
 * @mode: its permissions
 * @fops: its file operations
 */
struct fs_file {
	const char			*name;
	umode_t				mode;
	const struct file_operations	*fops;
};

/**
 * struct fs_part - files in each instance that a higher layer implements
 * @create: create them in the instance's directory (NULL: the root of tracefs); 0 or an
 *	    errno. After an error nothing but files remains, and the instance is not created
 * @remove: called before the instance is removed; it is not in use, and its files still
 *	    exist
 *
 * Both are called in task context, with strobe_event_mutex and strobe_instance_mutex held.
 */
struct fs_part {
	int	(*create)(struct trace_array *tr, struct dentry *dir);
	void	(*remove)(struct trace_array *tr);
};

/* Function hooks, the only part; NULL if they are not built. */
extern const struct fs_part *strobe_fs_part;

static inline struct fs_instance *fs_of(const struct trace_array *tr)
{
	return tr->fs;
}

/* file.c: opening, reading and writing */
int strobe_fs_may_open(void);
int strobe_fs_view_get(const struct file *file);
int strobe_fs_open_global(struct inode *inode, struct file *file);
int strobe_fs_open(struct inode *inode, struct file *file);
int strobe_fs_release(struct inode *inode, struct file *file);
int strobe_fs_open_show(struct inode *inode, struct file *file,
			int (*show)(struct seq_file *m, void *unused));
int strobe_fs_release_show(struct inode *inode, struct file *file);
/*
 * Define strobe_fs_NAME_fops of a file that shows what NAME_show() writes to a seq_file, whose
 * private member is the fs_view. @write_fn: its write function, or NULL
 */
#define STROBE_FS_SHOW(name, write_fn)						\
static int name##_open(struct inode *inode, struct file *file)			\
{										\
	return strobe_fs_open_show(inode, file, name##_show);			\
}										\
										\
const struct file_operations strobe_fs_##name##_fops = {			\
	.open		= name##_open,						\
	.read		= seq_read,						\
	.write		= write_fn,						\
	.llseek		= seq_lseek,						\
	.release	= strobe_fs_release_show,				\
}

int strobe_fs_open_seq(struct inode *inode, struct file *file,
		       const struct seq_operations *ops);
int strobe_fs_release_seq(struct inode *inode, struct file *file);
int strobe_fs_open_global_seq(struct file *file, const struct seq_operations *ops);

__printf(4, 5)
ssize_t strobe_fs_read_text(char __user *ubuf, size_t cnt, loff_t *ppos,
			    const char *fmt, ...);
int strobe_fs_copy_number(const char __user *ubuf, size_t cnt, unsigned long max,
			  unsigned long *val);
int strobe_fs_copy_string(char *buf, size_t size, const char __user *ubuf, size_t cnt);
ssize_t strobe_fs_write_text(int (*set)(void *data, char *text), void *data,
			     const char __user *ubuf, size_t cnt, loff_t *ppos);
ssize_t strobe_fs_copy_word(char *buf, size_t size, const char __user *ubuf,
			    size_t cnt);

/* set_event_pid.c */
ssize_t strobe_fs_parse_pids(struct pid_set *set, const char __user *ubuf, size_t cnt,
			     unsigned int *nr);

/* pipe.c: mutual exclusion of consumers of the same CPU */
void strobe_fs_access_lock(struct fs_instance *fsi, int cpu);
void strobe_fs_access_unlock(struct fs_instance *fsi, int cpu);

/* raw_map.c */
int strobe_fs_raw_mmap(const struct fs_view *view, struct vm_area_struct *vma);

/* buffer.c */
void strobe_fs_reset(const struct fs_view *view);

/* trace_header.c: the lines before the first record of trace */
void strobe_fs_show_tracer(struct seq_file *m);
void strobe_fs_show_header(struct seq_file *m, const struct trace_array *tr,
			   struct strobe_ring *ring, bool latency, bool empty);

#ifdef CONFIG_TRACER_SNAPSHOT
void strobe_fs_show_snapshot_help(struct seq_file *m, const struct fs_view *view);
#else
static inline void strobe_fs_show_snapshot_help(struct seq_file *m,
						const struct fs_view *view)
{
}
#endif

/* trace.c: shared with the snapshot file */
int strobe_fs_trace_open_reader(struct file *file, const struct fs_view *view,
				struct strobe_ring *ring);
void strobe_fs_trace_release_reader(struct inode *inode, struct file *file);
loff_t strobe_fs_trace_llseek(struct file *file, loff_t offset, int whence);

/* instance.c: data of an instance */
struct fs_instance *strobe_fs_instance_alloc(struct trace_array *tr);
void strobe_fs_instance_put(struct fs_instance *fsi);

/* tracefs.c: the tables of files */
int strobe_fs_files_create(struct fs_instance *fsi);
void __init strobe_fs_top_files_create(struct fs_instance *fsi);

/* dynamic_events.c */
#ifdef CONFIG_DYNAMIC_EVENTS
void strobe_fs_dynamic_files_create(void);
#else
static inline void strobe_fs_dynamic_files_create(void)
{
}
#endif

/* instances.c: the directory instances/ */
void strobe_fs_instances_create(void);
int strobe_fs_instance_show(struct trace_array *tr);
void strobe_fs_instance_hide(struct trace_array *tr);

/* events.c: the directory events/ */
int strobe_fs_events_create(struct fs_instance *fsi);
void strobe_fs_events_remove(struct fs_instance *fsi);
void __init strobe_fs_events_init(void);

/* options.c: the directory options/ */
int strobe_fs_options_create(struct fs_instance *fsi);

extern const struct file_operations
	strobe_fs_available_events_fops, strobe_fs_available_tracers_fops,
	strobe_fs_buffer_percent_fops, strobe_fs_buffer_size_fops,
	strobe_fs_buffer_total_size_fops, strobe_fs_cpumask_fops, strobe_fs_current_tracer_fops,
	strobe_fs_error_log_fops, strobe_fs_eval_map_fops,
	strobe_fs_free_buffer_fops, strobe_fs_header_event_fops, strobe_fs_header_page_fops,
	strobe_fs_last_boot_info_fops, strobe_fs_marker_fops, strobe_fs_marker_raw_fops,
	strobe_fs_pipe_fops, strobe_fs_printk_formats_fops, strobe_fs_raw_fops,
	strobe_fs_readme_fops, strobe_fs_saved_cmdlines_fops,
	strobe_fs_saved_cmdlines_size_fops, strobe_fs_saved_tgids_fops,
	strobe_fs_set_event_fops, strobe_fs_set_event_notrace_pid_fops,
	strobe_fs_set_event_pid_fops, strobe_fs_snapshot_fops, strobe_fs_snapshot_raw_fops,
	strobe_fs_stats_fops, strobe_fs_subbuf_size_fops, strobe_fs_timestamp_mode_fops,
	strobe_fs_trace_fops, strobe_fs_trace_clock_fops, strobe_fs_trace_options_fops,
	strobe_fs_tracing_on_fops, strobe_fs_user_data_fops, strobe_fs_user_status_fops;

#endif /* _STROBE_FS_FS_H */
