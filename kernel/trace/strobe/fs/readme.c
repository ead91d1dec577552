// SPDX-License-Identifier: GPL-2.0
/*
 * README: a description of the files.
 *
 * Tools and the ftrace selftests search it for features that they need, so it
 * must contain a feature only if it works, under the name that they search for.
 */
#include "fs/fs.h"

static const char readme[] =
	"tracing mini-HOWTO:\n\n"	/* tools search for this */
	"Only root may look here unless the mount names a group; it then gets\n"
	"each file and directory with the permissions of its owner's group bits:\n\n"
	"\t mount -t tracefs [-o [gid=<gid>]] nodev /sys/kernel/tracing\n\n"
	"# echo 1 > events/sched/enable\t: record all events of a system\n"
	"# cat trace_pipe\t\t: watch them\n"
	"# echo 0 > tracing_on\t\t: stop recording; what is recorded stays\n"
	"# echo 1 > tracing_on\t\t: go on recording\n\n"
	" Recording:\n"
	"  available_events\t- every event, as system:name\n"
	"  set_event\t\t- events that are on; write a name, a system,\n"
	"\t\t\t  system:name or *:*, with '!' before it to switch off;\n"
	"\t\t\t  '>' switches everything else off, '>>' does not\n"
	"  set_event_pid\t\t- record only the events of these tasks, by pid\n"
	"  set_event_notrace_pid\t- record none of these tasks; option event-fork adds\n"
	"\t\t\t  their children to either list\n"
	"  events/\t\t- a directory for each event, with:\n"
	"      enable\t\t- 1 or 0; also for a whole system and for all\n"
	"      format\t\t- the fields of its records, and how it prints them\n"
	"      id\t\t- its number, for perf_event_open()\n"
	"      trigger\t\t- what else is to be done when it fires; when it is\n"
	"\t\t\t  empty, it tells what there is. A command, with\n"
	"\t\t\t  ':' and how often, and 'if' with a filter; '!'\n"
	"\t\t\t  before it removes it:\n"
	"\t  traceon traceoff\n"
#ifdef CONFIG_STACKTRACE
	"\t  stacktrace\n"
#endif
#ifdef CONFIG_TRACER_SNAPSHOT
	"\t  snapshot\n"
#endif
	"\t  enable_event:<system>:<event>\n"
	"\t  disable_event:<system>:<event>\n"
	"\t\t\t  # echo 'traceoff:1 if prev_state != 0' > trigger\n"
	"      filter\t\t- which of its records are kept, by their fields: as\n"
	"\t\t\t  common_pid == 1 || name ~ \"*sh\"; 0 for all; also for\n"
	"\t\t\t  all events of a system that have the fields\n"
#ifdef CONFIG_DYNAMIC_EVENTS
	"  dynamic_events\t- Create/append/remove/show events of your own, of every\n"
	"\t\t\t  kind. Write a line for each; '>' removes all others first\n"
#endif
#ifdef CONFIG_KPROBE_EVENTS
	"  kprobe_events\t\t- Create/append/remove/show those in the kernel's code\n"
	"  kprobe_profile\t- how often each of them was hit, and how often missed\n"
#endif
#ifdef CONFIG_UPROBE_EVENTS
	"  uprobe_events\t\t- Create/append/remove/show those in user programs\n"
	"  uprobe_profile\t- how often each of them was hit\n"
#endif
#ifdef CONFIG_PROBE_EVENTS
	"\t  a line:\n"
#ifdef CONFIG_FPROBE_EVENTS
	"\t   f[:[<group>/][<event>]] <func-name>[%return] [<args>]\n"
	"\t   t[:[<group>/][<event>]] <tracepoint> [<args>]\n"
#endif
#if defined(CONFIG_KPROBE_EVENTS) || defined(CONFIG_UPROBE_EVENTS)
	"\t   p[:[<group>/][<event>]] <place> [<args>]\n"
	"\t   r[maxactive][:[<group>/][<event>]] <place> [<args>]\n"
#endif
	"\t   e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>] [if <filter>]\n"
	"\t   -:[<group>/][<event>]\t(removes)\n"
#ifdef CONFIG_KPROBE_EVENTS
	"\t             place: [<module>:]<symbol>[+<offset>] or <memaddr>\n"
	"\t place (kretprobe): [<module>:]<symbol>[+<offset>]%return or <memaddr>\n"
#endif
#ifdef CONFIG_UPROBE_EVENTS
	"\t place (uprobe): <path>:<offset>[%return][(ref_ctr_offset)]\n"
#endif
	"\t args: [<name>=]<fetcharg>[:<type>]\n"
	"\t fetcharg: (%<register>|$<efield>), @<address>, @<symbol>[+|-<offset>],\n"
	"\t   $stack<index>, $stack, $retval, $comm,"
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
	" $arg<N>,"
#endif
	"\n"
#ifdef CONFIG_PROBE_EVENTS_BTF_ARGS
	"\t   <argname>[->field[->field|.field...]], $retval[->field...], $arg*,\n"
#endif
	"\t   +|-[u]<offset>(<fetcharg>), \\imm-value, \\\"imm-string\"\n"
	"\t kernel return probes support: $retval, $arg<N>, $comm, and so on\n"
	"\t type: s8/16/32/64, u8/16/32/64, x8/16/32/64, char, symbol, string,\n"
	"\t   ustring, symstr, b<bit-width>@<bit-offset>/<container-size>,\n"
	"\t   %pd/%pD, <type>\\[<array-size>\\]\n"
	"\t efield: a field of <attached-group>.<attached-event>\n"
#endif
	"  error_log\t\t- what was wrong with the last ones that were refused\n"
	"  tracing_on\t\t- whether anything is recorded at all\n"
	"  tracing_cpumask\t- CPUs that record, as a mask\n"
	"  trace_clock\t\t- where time stamps come from; a change empties the ring:\n"
	"       local:   this CPU's own clock; may differ between CPUs\n"
	"      global:   the same on all CPUs, and slower\n"
	"     counter:   no time, a number that grows with each record\n"
	"      uptime:   jiffies since boot\n"
	"        perf:   the clock of perf events\n"
	"        mono:   CLOCK_MONOTONIC\n"
	"    mono_raw:   CLOCK_MONOTONIC_RAW\n"
	"        boot:   CLOCK_BOOTTIME\n"
	"         tai:   CLOCK_TAI\n"
#ifdef CONFIG_X86_64
	"     x86-tsc:   the time stamp counter of the CPU\n"
#endif
	"  timestamp_mode\t- how records hold their time\n"
	"       delta:   as the difference to the record before\n"
	"    absolute:   as it is\n"
	"  trace_marker\t\t- text written here is recorded\n"
	"  trace_marker_raw\t- bytes written here are recorded; the first four are\n"
	"\t\t\t  a number that tells what they are\n"
#ifdef CONFIG_DYNAMIC_FTRACE
	"  available_filter_functions - functions that can be hooked\n"
	"  set_ftrace_filter\t- those that an instance hooks once it has a tracer\n"
	"\t     accepts: a function's name or glob-matching-pattern\n"
	"\t     modules: :mod:<module>, for all functions of one; after a name or\n"
	"\t\t      pattern, for those; also before the module is loaded\n"
	"  set_ftrace_notrace\t- those that it does not; written alike\n"
#endif
#ifdef CONFIG_FUNCTION_TRACER
	"  set_ftrace_pid\t- tasks in which it does, by pid\n"
	"  set_ftrace_notrace_pid\t- tasks in which it does not; option function-fork\n"
	"\t\t\t  adds their children to either list\n"
#endif
#if defined(CONFIG_FUNCTION_GRAPH_TRACER) && defined(CONFIG_DYNAMIC_FTRACE)
	"  set_graph_function\t- functions in which calls and returns are hooked\n"
	"  set_graph_notrace\t- functions in which they are not\n"
#endif
#ifdef CONFIG_STACK_TRACER
	"  stack_trace\t\t- the deepest stack since sysctl\n"
	"\t\t\t  kernel.stack_tracer_enabled was set\n"
	"  stack_max_size\t- its size; a write of 0 starts anew\n"
#ifdef CONFIG_DYNAMIC_FTRACE
	"  stack_trace_filter\t- functions in which stacks are looked at\n"
#endif
#endif
	"  instances/\t\t- mkdir here makes a ring with events and settings of its\n"
	"\t\t\t  own, rmdir removes it\n"
	"  current_tracer\t- nop: there are events, and no tracers\n"
	"  available_tracers\t- what current_tracer takes\n\n"
	" Reading:\n"
	"  trace\t\t\t- what the ring holds, which stays there;\n"
	"\t\t\t  to empty it: echo > trace\n"
	"  trace_pipe\t\t- the same, taken out as it is read; waits for more\n"
#ifdef CONFIG_TRACER_SNAPSHOT
	"  snapshot\t\t- echo 1 puts aside what 'trace' shows, and this shows it\n"
	"\t\t\t  then; when it is empty, it tells what else can be written\n"
#endif
	"  per_cpu/\t\t- trace, trace_pipe, size and counters of one CPU, and\n"
	"\t\t\t  trace_pipe_raw: as trace_pipe, in binary form\n"
	"  trace_options\t\t- how records are printed, and more; 'no' before a\n"
	"\t\t\t  name switches it off. A file for each in options/\n"
	"  saved_cmdlines\t- names of the tasks in the records, by pid\n"
	"  saved_cmdlines_size\t- how many names are kept\n"
	"  saved_tgids\t\t- thread groups of the tasks, with option record-tgid\n"
	"  printk_formats\t- strings that records hold by address\n\n"
	" Memory:\n"
	"  buffer_size_kb\t- size of each CPU's ring; can be changed\n"
	"  buffer_total_size_kb\t- of all CPUs together\n"
	"  buffer_subbuf_size_kb\t- size of the sub-buffers that a ring is made of;\n"
	"\t\t\t  no record is larger; a change empties the ring\n"
	"  free_buffer\t\t- when it is closed, the ring gets its smallest size;\n"
	"\t\t\t  with option disable_on_free recording is switched off\n"
	"  buffer_percent\t- how full a CPU's ring is when poll() tells so, and\n"
	"\t\t\t  splice() of trace_pipe_raw goes on\n";

static ssize_t readme_read(struct file *file, char __user *ubuf, size_t cnt,
			   loff_t *ppos)
{
	return simple_read_from_buffer(ubuf, cnt, ppos, readme, sizeof(readme) - 1);
}

const struct file_operations strobe_fs_readme_fops = {
	.open	= strobe_fs_open_global,
	.read	= readme_read,
	.llseek	= generic_file_llseek,
};
