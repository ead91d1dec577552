/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strobe's interface for the files of function hooks: ftrace.c, fgraph.c, fprobe.c,
 * trace_stack.c, trace_stat.c and trace_recursion_record.c include this instead of
 * trace.h or trace_output.h.
 *
 * They dictate the names, members and values. An instance is struct trace_array;
 * record/trace_array.h defines it, with the members that these files use. Other names map
 * to Strobe's own: the list of instances and its lock, sets of pids, recording on and off.
 */
#ifndef _STROBE_HOOK_HOST_H
#define _STROBE_HOOK_HOST_H

#include <linux/ctype.h>
#include <linux/ftrace.h>
#include <linux/fs.h>
#include <linux/glob.h>
#include <linux/once_lite.h>
#include <linux/seq_file.h>
#include <linux/trace.h>
#include <linux/trace_clock.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>
#include <linux/tracefs.h>

#include "instance/instance.h"
#include "record/pid.h"

/* Instances. */
#define ftrace_trace_arrays	strobe_instance_list
#define trace_types_lock	strobe_instance_mutex

int tracing_check_open_get_tr(struct trace_array *tr);

/* Files of tracefs. */
#define TRACE_MODE_READ		0440
#define TRACE_MODE_WRITE	0640

extern bool hook_files_missing;
struct dentry *trace_create_file(const char *name, umode_t mode, struct dentry *parent,
				 void *data, const struct file_operations *fops);
int tracing_init_dentry(void);
int tracing_open_generic(struct inode *inode, struct file *file);
loff_t tracing_lseek(struct file *file, loff_t offset, int whence);

/* Report a failed allocation once. */
#define MEM_FAIL(failed, ...) \
	DO_ONCE_LITE_IF(failed, pr_err, "ERROR: " __VA_ARGS__)

/**
 * struct trace_parser - one word at a time from one or several writes of user space
 * @cont: the last write ended within a word, and the next one continues it
 * @fail: the last write failed
 * @buffer: the word, NUL-terminated
 * @idx: its length in bytes; 0 if there is none
 * @size: size of @buffer in bytes
 */
struct trace_parser {
	bool		cont;
	bool		fail;
	char		*buffer;
	unsigned int	idx;
	unsigned int	size;
};

int trace_parser_get_init(struct trace_parser *parser, int size);
void trace_parser_put(struct trace_parser *parser);
int trace_get_user(struct trace_parser *parser, const char __user *ubuf, size_t cnt,
		   loff_t *ppos);

static inline bool trace_parser_loaded(const struct trace_parser *parser)
{
	return parser->idx && !parser->fail;
}

static inline bool trace_parser_cont(const struct trace_parser *parser)
{
	return parser->cont;
}

static inline void trace_parser_clear(struct trace_parser *parser)
{
	parser->idx = 0;
	parser->cont = false;
}

/* How to compare a pattern with a name. */
enum regex_type {
	MATCH_FULL,
	MATCH_FRONT_ONLY,
	MATCH_MIDDLE_ONLY,
	MATCH_END_ONLY,
	MATCH_GLOB,
	MATCH_INDEX,
};

enum regex_type filter_parse_regex(char *buff, int len, char **search, int *not);

/* Sets of pids. */
#define TRACE_PIDS		BIT(PID_ONLY)
#define TRACE_NO_PIDS		BIT(PID_EXCEPT)

#define trace_pid_list		pid_set
#define trace_pid_list_free	strobe_pid_set_free

/* Whether a list of @type (TRACE_PIDS, TRACE_NO_PIDS or both) is set. */
static inline bool pid_type_enabled(int type, const struct trace_pid_list *only,
				    const struct trace_pid_list *except)
{
	return (only && type & TRACE_PIDS) || (except && type & TRACE_NO_PIDS);
}

/* Whether a list other than those of @type is set. */
static inline bool still_need_pid_events(int type, const struct trace_pid_list *only,
					 const struct trace_pid_list *except)
{
	return pid_type_enabled(~type, only, except);
}

bool trace_ignore_this_task(struct trace_pid_list *only, struct trace_pid_list *except,
			    struct task_struct *task);
void trace_filter_add_remove_task(struct trace_pid_list *list, struct task_struct *parent,
				  struct task_struct *task);
void *trace_pid_start(struct trace_pid_list *list, loff_t *pos);
void *trace_pid_next(struct trace_pid_list *list, void *v, loff_t *pos);
int trace_pid_show(struct seq_file *m, void *v);
int trace_pid_write(struct trace_pid_list *list, struct trace_pid_list **new_list,
		    const char __user *ubuf, size_t cnt);

/* Time and text. */
static inline u64 ftrace_now(int cpu)
{
	return trace_clock_local();
}

extern unsigned long tracing_thresh;	/* in ns */
extern unsigned int fgraph_max_depth;	/* 0: any */

void trace_seq_print_sym(struct trace_seq *s, unsigned long address, bool offset);
void trace_print_graph_duration(unsigned long long duration, struct trace_seq *s);

#ifdef CONFIG_FUNCTION_TRACER

/* Special values of trace_array.array_buffer.data->ftrace_ignore_pid. */
#define FTRACE_PID_IGNORE	-1
#define FTRACE_PID_TRACE	-2

/* Defined in ftrace.c. */

/**
 * struct ftrace_hash - a set of functions
 * @size_bits: log2 of the number of buckets
 * @buckets: of struct ftrace_func_entry
 * @count: number of functions in it
 * @flags: FTRACE_HASH_FL_*
 * @rcu: to free it after a grace period
 */
struct ftrace_hash {
	unsigned long size_bits;
	struct hlist_head *buckets;
	unsigned long count, flags;
	struct rcu_head rcu;
};

/* Functions of a module that is not loaded yet will be added. */
#define FTRACE_HASH_FL_MOD	BIT(0)

static __always_inline bool ftrace_hash_empty(const struct ftrace_hash *hash)
{
	return !hash || (!hash->count && !(hash->flags & FTRACE_HASH_FL_MOD));
}

/* Functions of a module not loaded yet; in trace_array.mod_trace or .mod_notrace. */
struct ftrace_mod_load {
	struct list_head list;
	char *func, *module;
	int enable;
};

/**
 * struct ftrace_func_command - a command of set_ftrace_filter: FUNCTIONS:NAME[:...]
 * @list: in the list of commands
 * @name: its name
 * @func: executes it; returns 0 or an errno
 */
struct ftrace_func_command {
	struct list_head list;
	char *name;
	int (*func)(struct trace_array *tr, struct ftrace_hash *hash, char *functions,
		    char *command, char *params, int enable);
};

struct ftrace_probe_ops;

typedef int (*ftrace_mapper_func)(void *data);

/**
 * struct ftrace_probe_ops - callbacks of a command for the functions it applies to
 * @func: called when the function is called
 * @init: called when the function gets its hook; returns 0 or an errno
 * @free: called when the hook is removed
 * @print: print a line of set_ftrace_filter
 */
struct ftrace_probe_ops {
	void (*func)(unsigned long ip, unsigned long parent_ip, struct trace_array *tr,
		     struct ftrace_probe_ops *ops, void *data);
	int (*init)(struct ftrace_probe_ops *ops, struct trace_array *tr, unsigned long ip,
		    void *init_data, void **data);
	void (*free)(struct ftrace_probe_ops *ops, struct trace_array *tr, unsigned long ip,
		     void *data);
	int (*print)(struct seq_file *m, unsigned long ip, struct ftrace_probe_ops *ops,
		     void *data);
};

struct ftrace_func_entry *ftrace_lookup_ip(struct ftrace_hash *hash, unsigned long ip);

int register_ftrace_command(struct ftrace_func_command *cmd);
int unregister_ftrace_command(struct ftrace_func_command *cmd);
int register_ftrace_function_probe(char *glob, struct trace_array *tr,
				   struct ftrace_probe_ops *ops, void *data);
int unregister_ftrace_function_probe_func(char *glob, struct trace_array *tr,
					  struct ftrace_probe_ops *ops);
void clear_ftrace_function_probes(struct trace_array *tr);

struct ftrace_func_mapper *allocate_ftrace_func_mapper(void);
void free_ftrace_func_mapper(struct ftrace_func_mapper *mapper, ftrace_mapper_func free_func);
void **ftrace_func_mapper_find_ip(struct ftrace_func_mapper *mapper, unsigned long ip);
int ftrace_func_mapper_add_ip(struct ftrace_func_mapper *mapper, unsigned long ip, void *data);
void *ftrace_func_mapper_remove_ip(struct ftrace_func_mapper *mapper, unsigned long ip);

void ftrace_create_filter_files(struct trace_array *tr, struct dentry *parent);
void ftrace_destroy_filter_files(struct ftrace_ops *ops);
void ftrace_init_tracefs(struct trace_array *tr, struct dentry *d_tracer);
void ftrace_init_tracefs_toplevel(struct trace_array *tr, struct dentry *d_tracer);

/* Number of functions that can be hooked, and memory that their records take. */
extern unsigned long ftrace_update_tot_cnt;
extern unsigned long ftrace_number_of_pages;
extern unsigned long ftrace_number_of_groups;

void ftrace_init_array_ops(struct trace_array *tr, ftrace_func_t func);
void ftrace_reset_array_ops(struct trace_array *tr);
void ftrace_clear_pids(struct trace_array *tr);

extern bool ftrace_filter_param;

extern struct ftrace_hash __rcu *ftrace_graph_hash;
extern struct ftrace_hash __rcu *ftrace_graph_notrace_hash;

void fgraph_init_ops(struct ftrace_ops *dst_ops, struct ftrace_ops *src_ops);
void ftrace_graph_sleep_time_control(bool enable);
void ftrace_graph_graph_time_control(bool enable);

/* Strobe has no function graph tracer, so instances have no ops of fgraph.c. */
static inline void init_array_fgraph_ops(struct trace_array *tr, struct ftrace_ops *ops)
{
}

#endif /* CONFIG_FUNCTION_TRACER */

#endif /* _STROBE_HOOK_HOST_H */
