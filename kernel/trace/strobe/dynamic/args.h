/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments of a definition, "NAME=EXPR:TYPE ...": parsed with positions for error_log,
 * compiled to a program that writes them into a record, described as fields, and printed.
 *
 * Nothing here knows what a probe is connected to, nor where records go.
 */
#ifndef _STROBE_DYNAMIC_ARGS_H
#define _STROBE_DYNAMIC_ARGS_H

#include <linux/bits.h>
#include <linux/types.h>

struct dyn_line;
struct dyn_words;
struct seq_file;
struct strobe_field;
struct strobe_print;
struct strobe_program;
struct trace_event_call;

#define DYN_ARGS_MAX	128U		/* of a definition */
#define DYN_FIXED_MAX	3072U		/* bytes of a record without strings: ABI */

/* Where the arguments of a probe come from: dyn_source::flags. */
#define DYN_KERNEL	BIT(0)	/* kernel registers and memory: kprobes, fprobes */
#define DYN_USER	BIT(1)	/* registers and memory of the running task: uprobes */
#define DYN_EVENT	BIT(2)	/* the record of another event: eprobes */
#define DYN_RETURN	BIT(3)	/* the function returns: $retval, and what was kept at its entry */
#define DYN_ENTRY	BIT(4)	/* the first instruction of a function: $argN */
#define DYN_FPROBE	BIT(5)	/* with DYN_KERNEL: fprobe, so no %REG */
#define DYN_TPOINT	BIT(6)	/* with DYN_FPROBE: tracepoint, whose first argument is skipped */

/**
 * struct dyn_source - what the parser has to know of a probe's place
 * @flags:  DYN_*
 * @head:   bytes of a record before its first argument
 * @symbol: name of the function or tracepoint, for BTF; NULL: none
 * @event:  DYN_EVENT: the event whose fields "$NAME" means
 */
struct dyn_source {
	u32				flags;
	u32				head;
	const char			*symbol;
	const struct trace_event_call	*event;
};

/**
 * struct dyn_frame - the only argument of a fetch program
 * @in:    struct pt_regs, or with DYN_EVENT the source's record
 * @out:   the record that is made, beginning with struct trace_entry
 * @kept:  DYN_RETURN: values that the entry program has stored
 * @base:  DYN_USER: the address at which offset 0 of the file is mapped
 * @in_len: DYN_EVENT: bytes of @in
 * @dyn:   offset in @out of the next string; at the end the record's length
 * @end:   bytes that @out has room for
 *
 * The program writes the fixed part of all arguments, dyn_args::fixed bytes from
 * dyn_source::head on, and nothing before; the caller writes header, address and so on.
 */
struct dyn_frame {
	void		*in;
	void		*out;
	u64		*kept;
	unsigned long	base;
	u32		in_len;
	u32		dyn;
	u32		end;
};

/**
 * struct dyn_args - the arguments of a definition, which a probe and its event share
 * @refs:    number of users (strobe_event_mutex, or not published yet)
 * @nr:	     number of arguments
 * @nr_nodes: number of their nodes
 * @head:    bytes of a record before the first one
 * @fixed:   bytes of their fixed part
 * @kept:    DYN_RETURN: bytes that the entry program stores
 * @flags:   DYN_* of the source
 * @strings: some of them have a length that is only known when they are fetched
 * @reads:   the program reads memory
 *
 * The arguments, their nodes and their texts follow in the same allocation: see internal.h.
 */
struct dyn_args {
	unsigned int	refs;
	u16		nr;
	u16		nr_nodes;
	u16		head;
	u16		fixed;
	u16		kept;
	u16		flags;
	bool		strings;
	bool		reads;
} __aligned(8);

/*
 * Parse the words from @first on; with DYN_KERNEL, "$arg*" and "%pd" are expanded before. Return:
 * the arguments, with one reference; or an errno with @line->error set: ABI, as is the order of
 * the checks.
 */
struct dyn_args *strobe_dyn_args_parse(struct dyn_line *line, u32 first);
struct dyn_args *strobe_dyn_args_none(const struct dyn_source *source);
void strobe_dyn_args_put(struct dyn_args *args);

/*
 * Look up "@SYM". When a probe is registered, and again when a module comes, before it is
 * compiled. Return: 0; -ENOENT if there is no such symbol; -EINVAL, -ERANGE if its offset is no
 * number. Nothing is logged for that here. Only one task at a time.
 */
int strobe_dyn_args_bind(struct dyn_args *args);

/*
 * Compile: @fetch fills a record, @entry stores dyn_args::kept bytes at a function's entry. Each
 * is NULL if there is nothing to do; equal programs are shared. Task context, may sleep.
 */
int strobe_dyn_args_compile(const struct dyn_args *args, struct strobe_program **fetch,
			    struct strobe_program **entry);
void strobe_dyn_program_run(const struct strobe_program *program, struct dyn_frame *frame);

/*
 * Appending a probe: 0 if the arguments look the same in a record, else 1 + the first one that
 * does not; with different numbers of arguments, the one that is missing.
 * args_same(): the expressions are equal, too.
 */
int strobe_dyn_args_differ(const struct dyn_args *a, const struct dyn_args *b);
bool strobe_dyn_args_same(const struct dyn_args *a, const struct dyn_args *b);
/* Removal: do the words from @first on name the same arguments? */
bool strobe_dyn_args_match(const struct dyn_args *args, const struct dyn_words *words, u32 first);

/* The strings of a field belong to @args. */
void strobe_dyn_args_show(struct seq_file *m, const struct dyn_args *args);
bool strobe_dyn_args_field(const struct dyn_args *args, u32 i, struct strobe_field *field);
void strobe_dyn_args_print_fmt(struct seq_file *m, const struct dyn_args *args);
void strobe_dyn_args_print_fmt_args(struct seq_file *m, const struct dyn_args *args);
void strobe_dyn_args_print(struct strobe_print *pr, const struct dyn_args *args);

#endif /* _STROBE_DYNAMIC_ARGS_H */
