/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Definitions of dynamic events are compared with what predict.c and fields.c say of them, and
 * the records that fetch programs make with those of values.c. Neither shares code with the
 * parser, the compiler and the functions that programs call.
 */
#ifndef _STROBE_DYNAMIC_DEFINITION_H
#define _STROBE_DYNAMIC_DEFINITION_H

#include <regex.h>

#include "dynamic/internal.h"
#include "dynamic/line.h"
#include "dynamic/messages.h"

/* The faults of the shim are not for the tests. */
#undef isspace
#undef strcmp
#undef strrchr
#undef strsep
#undef snprintf

#define TEXT_MAX	4096	/* bytes of a line, with NUL */
#define WORDS_MAX	(TEXT_MAX / 2)
#define HEAD		16U	/* bytes of a record before its arguments */

/**
 * struct source - a place whose arguments are defined
 * @letter: stands for it in texts
 * @flags:  DYN_*
 * @symbol: as in struct dyn_source
 */
struct source {
	char		letter;
	u32		flags;
	const char	*symbol;
};

extern const struct source sources[];
extern const u32 nr_sources;

/* The event with DYN_EVENT, and its record */
extern const struct trace_event_call source_event;

struct source_record {
	struct trace_entry	ent;
	s32			nr;
	s8			small;
	u8			byte;
	s16			half;
	char			name[7];
	char			pad;
	u32			path;
	u32			more;
	u32			mask;
	u64			large;
	u64			text;
	u16			pair[3];
	char			data[18];
};

/**
 * struct words - a line that is split at white space
 * @text: the words with a blank between two of them
 * @at:   where each one begins; one more of a word after the last
 * @nr:   their number
 */
struct words {
	char	text[TEXT_MAX + 1];
	u32	at[WORDS_MAX + 1];
	u32	nr;
};

void words_split(struct words *words, const char *line);
/* A copy of a word, which the caller frees. */
char *words_get(const struct words *words, u32 word);

enum want_kind { WANT_NUMBER, WANT_CHAR, WANT_NAME, WANT_STRING, WANT_USTRING, WANT_SYMSTR };

/**
 * struct want_type - a type of arguments
 * @name:      in definitions
 * @field:     in the format file
 * @fmt:       in the print fmt
 * @text:      of a record's text
 * @size:      bytes in a record
 * @is_signed: in the format file
 * @kind:      what it shows
 */
struct want_type {
	const char	*name;
	const char	*field;
	const char	*fmt;
	const char	*text;
	u32		size;
	bool		is_signed;
	enum want_kind	kind;
};

enum want_first {
	FROM_REG, FROM_STACK, FROM_STACK_POINTER, FROM_RETVAL, FROM_PARAM, FROM_NUMBER,
	FROM_SYMBOL, FROM_COMM, FROM_TEXT, FROM_FILE, FROM_FIELD,
};

#define STEPS_MAX	15	/* of an argument */
#define EXPR_MAX	63	/* bytes of its expression and type */

/**
 * struct want_arg - an argument of a definition that is accepted
 * @name:   its name
 * @expr:   its expression with the type
 * @type:   its type
 * @count:  elements of an array; 0: it is none
 * @offset: from the first argument, in bytes
 * @width:  bits of a bitfield; 0: it is none
 * @shift:  its first bit
 * @first:  what its value comes from
 * @val:    a number, an offset, or the number of a register, parameter or field
 * @text:   a symbol with its offset, or a text
 * @reads:  memory that is read, from the inner parenthesis to the outer one
 * @nr_reads: number of these
 * @steps:  as parse.c counts them
 */
struct want_arg {
	char			name[EXPR_MAX + 1];
	char			expr[EXPR_MAX + 1];
	const struct want_type	*type;
	u32			count;
	u32			offset;
	u32			width;
	u32			shift;
	enum want_first		first;
	u64			val;
	char			text[EXPR_MAX + 1];
	struct {
		u64	offset;
		bool	user;
	} reads[STEPS_MAX];
	u32			nr_reads;
	u32			steps;
};

/**
 * struct want - what a definition has to become
 * @source:  where its arguments come from
 * @words:   the line
 * @ret:     0 or an errno
 * @error:   with an errno: the message for error_log; NULL: there is none
 * @next:    a second one, or NULL
 * @at:      the place in @words.text
 * @bind:    without an errno: the one that looking up its symbols returns, or 0
 * @args:    without an errno: its arguments
 * @nr:      their number
 * @fixed:   bytes of all
 * @params:  parameters that are kept until the function returns
 * @nr_params: their number
 * @strings: there is an argument that is a string
 * @reads:   some memory is read
 */
struct want {
	const struct source	*source;
	struct words		words;
	int			ret;
	const char		*error;
	const char		*next;
	u32			at;
	int			bind;
	struct want_arg		args[DYN_ARGS_MAX];
	u32			nr;
	u32			fixed;
	u32			params[DYN_ARGS_MAX];
	u32			nr_params;
	bool			strings;
	bool			reads;
};

/* predict.c: the arguments from the third word of the line on */
void predict(struct want *want, const struct source *source, const char *line);
/* predict_chain.c: the expression of one, without its type. Moves *@at as far as errors do. */
int predict_chain(struct want *want, struct want_arg *arg, const char *text, u32 word, u32 *at);
int predict_error(struct want *want, u32 word, u32 at, const char *text, int ret);
/* Another step of an argument. Returns false if it is one too many. */
bool predict_step(struct want_arg *arg);
/*
 * Parse a number of base 10 or any (0), which may be signed. Returns 0; -ERANGE if it is too
 * large, no matter what follows; or -EINVAL.
 */
int predict_number(const char *text, int base, bool is_signed, u64 *val);

/* Where a register of the definition is in struct pt_regs; negative if there is none. */
int source_reg(const char *name);
/* The address of "SYMBOL[+-OFFSET]". Returns 0 or an errno. */
int source_symbol(const char *text, u64 *addr);

/* values.c: run the programs of the arguments. Returns 1 if a record is not as expected. */
int values_check(const char *text, const struct want *want, const struct dyn_args *args,
		 const struct strobe_program *fetch, const struct strobe_program *entry);

/* The checks of a text. They return 1 if something is not as expected. */
int check_args(const struct source *source, const char *line);
int check_names(const char *line);
int check_fields(const char *text);

/* Split a copy of @line on the heap that has exactly its size. */
int check_split(struct dyn_words *words, const char *line);
int check_words(const char *line, const struct dyn_words *words, const struct words *want);

/* Has the allocation failed that was to fail? */
bool allocation_failed(long fail);
/* Let no allocation fail any more. Returns 1 if something is allocated. */
int check_leaks(const char *text);

/* Statistics, to notice a run that tests nothing */
extern struct checked {
	unsigned long	accepted;
	unsigned long	refused;
	unsigned long	records;
} checked;

extern u64 random_state;
u32 random_below(u32 below);
/* generate.c: make a text for the parser that the letter stands for. */
void generate(char letter, char text[TEXT_MAX]);

/* Print @text and the message, for the first differences of a run. Returns 1. */
__printf(2, 3)
int differs(const char *text, const char *fmt, ...);

/* Match @text with a POSIX regular expression, which is compiled once. */
#define GROUPS	8
#define match(pattern, text, groups) ({						\
	static regex_t compiled;						\
	static bool is_compiled;						\
										\
	if (!is_compiled && regcomp(&compiled, pattern, REG_EXTENDED))		\
		abort();							\
	is_compiled = true;							\
	!regexec(&compiled, text, GROUPS, groups, 0);				\
})

/* A copy of what a group of the expression matched, which the caller frees; NULL: nothing. */
static inline char *group_get(const char *text, const regmatch_t *group)
{
	return group->rm_so < 0 ? NULL : strndup(text + group->rm_so, group->rm_eo - group->rm_so);
}

static inline bool is(const char *a, const char *b)
{
	return !strcmp(a, b);
}

static inline bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

#endif /* _STROBE_DYNAMIC_DEFINITION_H */
