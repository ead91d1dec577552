// SPDX-License-Identifier: GPL-2.0
/*
 * Compile a tree to an eBPF program. R1 is the record, R0 becomes 1 or 0.
 *
 * The code of the terms is in the order of the text. Each term has two labels: where
 * to continue if it is true, and if it is false. One of them is always the next term,
 * so that && and || cost no more than a jump. The labels are found from the root
 * down. The tree is in postfix order, so this is a walk from its end, with a stack of
 * the labels for the trees that are still to be visited.
 *
 * A label is the number of a term, or one of two more for the exits. A filter whose
 * program is too long for the offsets of jumps is rejected.
 *
 * Numbers and strings of moderate length are compared by instructions. All else is done
 * by calls of functions in match.c.
 *
 * No state. Contexts: task, may sleep.
 */
#include <linux/errno.h>
#include <linux/filter.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filter/internal.h"

/* Strings up to this length are compared by instructions. */
#define INLINE_STRING_MAX	64U

/**
 * struct filter_compiler - a program being written
 * @code:	its instructions
 * @next:	label of the code after the current term
 * @yes:	label to continue at if the current term is true
 * @no:		label to continue at if it is false
 * @is_last:	the current term is the last one: @yes and @no are the exits
 * @record:	register with the record's address
 * @needs_header: a term reads struct trace_entry
 */
struct filter_compiler {
	struct strobe_code	*code;
	u32			next;
	u32			yes;
	u32			no;
	bool			is_last;
	u8			record;
	bool			needs_header;
};

/* The labels to continue at if a tree is true, and if it is false. */
struct filter_exits {
	u32	yes;
	u32	no;
};

static void emit(struct filter_compiler *c, struct bpf_insn insn)
{
	strobe_code_emit(c->code, insn);
}

static void emit_jump(struct filter_compiler *c, struct bpf_insn insn, u32 label)
{
	strobe_code_jump(c->code, insn, label);
}

static void emit_call(struct filter_compiler *c, enum filter_helper helper)
{
	strobe_code_call(c->code, &strobe_filter_helpers[helper]);
}

/* Load @size bytes at @offset in the record into @reg. */
static void emit_load(struct filter_compiler *c, u8 reg, u32 size, u32 offset)
{
	if (offset < sizeof(struct trace_entry))
		c->needs_header = true;
	strobe_code_load(c->code, reg, size, c->record, offset);
}

static void emit_pattern(struct filter_compiler *c, u8 reg, const struct filter_pattern *pattern)
{
	strobe_code_data(c->code, reg, pattern, struct_size(pattern, text, pattern->len + 1));
}

static void emit_cpus(struct filter_compiler *c, u8 reg, const struct filter_cpus *cpus)
{
	strobe_code_data(c->code, reg, cpus, struct_size(cpus, bits, strobe_filter_cpu_longs()));
}

/* Return the inverse of a condition; 0 if there is none. */
static u8 opposite(u8 condition)
{
	switch (condition) {
	case BPF_JEQ:	return BPF_JNE;
	case BPF_JNE:	return BPF_JEQ;
	case BPF_JLT:	return BPF_JGE;
	case BPF_JGE:	return BPF_JLT;
	case BPF_JGT:	return BPF_JLE;
	case BPF_JLE:	return BPF_JGT;
	case BPF_JSLT:	return BPF_JSGE;
	case BPF_JSGE:	return BPF_JSLT;
	case BPF_JSGT:	return BPF_JSLE;
	case BPF_JSLE:	return BPF_JSGT;
	}
	return 0;
}

static void emit_goto(struct filter_compiler *c, u32 label)
{
	if (label != c->next)
		emit_jump(c, BPF_JMP_A(0), label);
}

/*
 * End the program with the result of the 32-bit condition "R0 @condition @imm", without
 * a jump. Any value of R0 other than 0 means true. Returns false if this is not possible.
 */
static bool emit_last_verdict(struct filter_compiler *c, u8 condition, s32 imm)
{
	if (c->yes == c->next)
		condition = opposite(condition);
	switch (condition) {
	case BPF_JSET:
		emit(c, BPF_ALU32_IMM(BPF_AND, BPF_REG_0, imm));
		break;
	case BPF_JEQ:
	case BPF_JNE:
		if (imm)
			emit(c, BPF_ALU32_IMM(BPF_XOR, BPF_REG_0, imm));
		if (condition == BPF_JNE)
			break;
		/* R0 is a zero-extended 32-bit value: R0 - 1 is negative only for 0. */
		emit(c, BPF_ALU64_IMM(BPF_SUB, BPF_REG_0, 1));
		emit(c, BPF_ALU64_IMM(BPF_RSH, BPF_REG_0, 63));
		break;
	default:
		return false;
	}
	emit(c, BPF_EXIT_INSN());
	return true;
}

/* End a term that is true if the condition of the jump @insn is. */
static void emit_verdict(struct filter_compiler *c, struct bpf_insn insn)
{
	u8 inverse = opposite(BPF_OP(insn.code));

	if (c->is_last && BPF_CLASS(insn.code) == BPF_JMP32 && BPF_SRC(insn.code) == BPF_K &&
	    emit_last_verdict(c, BPF_OP(insn.code), insn.imm))
		return;
	if (c->yes == c->next && inverse) {
		insn.code = (insn.code & ~0xf0) | inverse;
		emit_jump(c, insn, c->no);
		return;
	}
	emit_jump(c, insn, c->yes);
	emit_goto(c, c->no);
}

/* End a term that is true if a helper has returned 1, and false if 0. */
static void emit_verdict_r0(struct filter_compiler *c)
{
	emit_verdict(c, BPF_JMP32_IMM(BPF_JNE, BPF_REG_0, 0, 0));
}

/* Numbers */

static u8 condition_of(enum filter_op op, bool is_signed)
{
	switch (op) {
	case FILTER_OP_EQ:
		return BPF_JEQ;
	case FILTER_OP_NE:
		return BPF_JNE;
	case FILTER_OP_LT:
		return is_signed ? BPF_JSLT : BPF_JLT;
	case FILTER_OP_LE:
		return is_signed ? BPF_JSLE : BPF_JLE;
	case FILTER_OP_GT:
		return is_signed ? BPF_JSGT : BPF_JGT;
	case FILTER_OP_GE:
		return is_signed ? BPF_JSGE : BPF_JGE;
	default:
		return BPF_JSET;
	}
}

/* End a term that compares the 64 bits of R0 with a constant. */
static void emit_compare64(struct filter_compiler *c, u8 condition, u64 val)
{
	if ((s64)val == (s32)val) {
		emit_verdict(c, BPF_JMP_IMM(condition, BPF_REG_0, (s32)val, 0));
		return;
	}
	strobe_code_constant(c->code, BPF_REG_2, val);
	emit_verdict(c, BPF_JMP_REG(condition, BPF_REG_0, BPF_REG_2, 0));
}

/* Compare in the width of the field; the constant is truncated to it. */
static void compile_number(struct filter_compiler *c, const struct filter_term *term)
{
	u8 condition = condition_of(term->op, term->is_signed);
	u32 spare = 32 - 8 * term->size;
	u32 val = term->val;

	emit_load(c, BPF_REG_0, term->size, term->offset);
	if (term->size == 8)
		return emit_compare64(c, condition, term->val);
	if (spare) {
		val <<= spare;
		/* For a signed order, move the sign to bit 31; else the upper bits are zero. */
		if (term->is_signed && condition != BPF_JEQ && condition != BPF_JNE &&
		    condition != BPF_JSET)
			emit(c, BPF_ALU32_IMM(BPF_LSH, BPF_REG_0, spare));
		else
			val >>= spare;
	}
	emit_verdict(c, BPF_JMP32_IMM(condition, BPF_REG_0, (s32)val, 0));
}

static void compile_range(struct filter_compiler *c, const struct filter_term *term)
{
	if (term->op == FILTER_OP_NE)
		swap(c->yes, c->no);
	emit_load(c, BPF_REG_0, sizeof(u64), term->offset);
	strobe_code_constant(c->code, BPF_REG_2, term->val);
	emit(c, BPF_ALU64_REG(BPF_SUB, BPF_REG_0, BPF_REG_2));
	emit_compare64(c, BPF_JLT, term->val2);
}

/* CPUs */

static void compile_this_cpu(struct filter_compiler *c, const struct filter_term *term)
{
	emit_call(c, FILTER_CALL_THIS_CPU);
	emit_verdict(c, BPF_JMP32_IMM(condition_of(term->op, true), BPF_REG_0,
				      (s32)term->val, 0));
}

static void compile_cpu_in(struct filter_compiler *c, const struct filter_term *term)
{
	if (term->kind == FILTER_THIS_CPU_IN) {
		emit_call(c, FILTER_CALL_THIS_CPU);
		emit(c, BPF_MOV64_REG(BPF_REG_1, BPF_REG_0));
	} else {
		emit_load(c, BPF_REG_1, term->size, term->offset);
	}
	emit_cpus(c, BPF_REG_2, term->cpus);
	emit_call(c, FILTER_CALL_CPU_IN);
	emit_verdict_r0(c);
}

/*
 * Load the address and length of a located field's data into @at and @bytes. The field
 * has the length in its upper and the offset in its lower 16 bits.
 */
static void emit_locate(struct filter_compiler *c, const struct filter_term *term, u8 at,
			u8 bytes)
{
	const u32 low = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? sizeof(u16) : 0;

	emit_load(c, bytes, sizeof(u16), term->offset + sizeof(u16) - low);
	emit_load(c, at, sizeof(u16), term->offset + low);
	emit(c, BPF_ALU64_REG(BPF_ADD, at, c->record));
	if (term->place == FILTER_REL_LOC)
		emit(c, BPF_ALU64_IMM(BPF_ADD, at, term->offset + sizeof(u32)));
}

static void compile_cpus(struct filter_compiler *c, const struct filter_term *term)
{
	emit_locate(c, term, BPF_REG_1, BPF_REG_2);
	emit_cpus(c, BPF_REG_3, term->cpus);
	emit_call(c, FILTER_CALL_CPUS);
	emit_verdict_r0(c);
}

/* Strings */

/* Whether the term's string is in the record, and its size is known. */
static bool has_size(const struct filter_term *term)
{
	return term->place <= FILTER_REL_LOC &&
	       (term->place != FILTER_FIXED || term->size != FILTER_SIZE_REST);
}

/* Whether @want characters of the term's string can be compared in words. */
static bool string_is_inline(const struct filter_term *term, u32 want)
{
	return IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) && IS_ENABLED(CONFIG_64BIT) &&
	       want <= INLINE_STRING_MAX && has_size(term);
}

/* Whether the start of the string is compared by instructions. */
static bool start_is_inline(const struct filter_term *term)
{
	return term->pattern->match <= FILTER_MATCH_FRONT &&
	       string_is_inline(term, term->pattern->len);
}

/* Whether a helper finds the end of the string, and instructions compare what precedes it. */
static bool end_is_inline(const struct filter_term *term)
{
	const struct filter_pattern *pattern = term->pattern;
	bool is_end = pattern->match == FILTER_MATCH_END ||
		      (pattern->match == FILTER_MATCH_GLOB && pattern->tail == 1);

	return is_end && pattern->len > pattern->tail && string_is_inline(term, pattern->len);
}

static u64 chunk_of(const char *text, u32 size)
{
	u64 val64;
	u32 val32;
	u16 val16;

	switch (size) {
	case 1:
		return (u8)*text;
	case 2:
		memcpy(&val16, text, size);
		return val16;
	case 4:
		memcpy(&val32, text, size);
		return val32;
	default:
		memcpy(&val64, text, size);
		return val64;
	}
}

/* If the @size bytes at @offset from @at are not @val in the bits of @mask, go to @c->no. */
static void emit_chunk(struct filter_compiler *c, u8 at, u32 offset, u32 size, u64 val, u64 mask)
{
	bool all = mask == U64_MAX >> (64 - 8 * size);

	if (!mask)
		return;
	strobe_code_load(c->code, BPF_REG_5, size, at, offset);
	if (size < sizeof(u64)) {
		if (!all)
			emit(c, BPF_ALU32_IMM(BPF_AND, BPF_REG_5, (s32)mask));
		emit_jump(c, BPF_JMP32_IMM(BPF_JNE, BPF_REG_5, (s32)val, 0), c->no);
		return;
	}
	if (!all) {
		strobe_code_constant(c->code, BPF_REG_4, mask);
		emit(c, BPF_ALU64_REG(BPF_AND, BPF_REG_5, BPF_REG_4));
	}
	strobe_code_constant(c->code, BPF_REG_4, val);
	emit_jump(c, BPF_JMP_REG(BPF_JNE, BPF_REG_5, BPF_REG_4, 0), c->no);
}

/*
 * Compare @want characters at @offset from @at with @text; if they differ, go to @c->no. In
 * a glob, '?' matches any. The last chunk may overlap the one before.
 */
static void emit_chars(struct filter_compiler *c, u8 at, u32 offset, const char *text, u32 want,
		       bool is_glob)
{
	char chars[sizeof(u64)], masks[sizeof(u64)];
	u32 done, left, size, i;

	for (done = 0; done < want; done += size) {
		left = want - done;
		size = left < sizeof(u64) ? roundup_pow_of_two(left) : sizeof(u64);
		if (size > want)
			size /= 2;
		done = min(done, want - size);
		for (i = 0; i < size; i++) {
			masks[i] = is_glob && text[done + i] == '?' ? 0 : 0xff;
			chars[i] = text[done + i] & masks[i];
		}
		emit_chunk(c, at, offset + done, size, chunk_of(chars, size),
			   chunk_of(masks, size));
	}
}

/*
 * Compare the string at @offset from the address in register @at. Its field has @len
 * bytes or, if that is 0, the number in R3. A string that fills its field has no NUL.
 */
static void emit_string(struct filter_compiler *c, const struct filter_pattern *pattern,
			u8 at, u32 offset, u32 len)
{
	u32 want = pattern->len;

	if (!len)
		emit_jump(c, BPF_JMP32_IMM(BPF_JLT, BPF_REG_3, want, 0), c->no);
	emit_chars(c, at, offset, pattern->text, want, false);
	if (pattern->match == FILTER_MATCH_FRONT || (len && len == want)) {
		emit_goto(c, c->yes);
		return;
	}
	if (!len)
		emit_jump(c, BPF_JMP32_IMM(BPF_JEQ, BPF_REG_3, want, 0), c->yes);
	emit(c, BPF_LDX_MEM(BPF_B, BPF_REG_0, at, offset + want));
	/*
	 * Do not emit an exit of its own here: most strings have differed before this, and
	 * use the first exit in compile_terms().
	 */
	c->is_last = false;
	emit_verdict(c, BPF_JMP32_IMM(BPF_JEQ, BPF_REG_0, 0, 0));
}

static void compile_start(struct filter_compiler *c, const struct filter_term *term)
{
	const struct filter_pattern *pattern = term->pattern;

	if (pattern->negate)
		swap(c->yes, c->no);
	if (term->place != FILTER_FIXED) {
		emit_locate(c, term, BPF_REG_2, BPF_REG_3);
		emit_string(c, pattern, BPF_REG_2, 0, 0);
	} else if (pattern->len > term->size) {
		emit_goto(c, c->no);
	} else if (term->offset + term->size <= S16_MAX) {
		if (term->offset < sizeof(struct trace_entry))
			c->needs_header = true;
		emit_string(c, pattern, c->record, term->offset, term->size);
	} else {
		emit(c, BPF_MOV64_REG(BPF_REG_2, c->record));
		emit(c, BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, term->offset));
		emit_string(c, pattern, BPF_REG_2, 0, term->size);
	}
}

/* Load the address and size of a string in the record into R1 and R2. */
static void emit_string_args(struct filter_compiler *c, const struct filter_term *term)
{
	if (term->place != FILTER_FIXED)
		return emit_locate(c, term, BPF_REG_1, BPF_REG_2);
	emit(c, BPF_MOV64_REG(BPF_REG_1, c->record));
	emit(c, BPF_ALU64_IMM(BPF_ADD, BPF_REG_1, term->offset));
	emit(c, BPF_MOV32_IMM(BPF_REG_2, term->size));
}

static void compile_end(struct filter_compiler *c, const struct filter_term *term)
{
	const struct filter_pattern *pattern = term->pattern;
	u32 want = pattern->len - pattern->tail;

	if (pattern->negate)
		swap(c->yes, c->no);
	emit_string_args(c, term);
	emit(c, BPF_MOV32_IMM(BPF_REG_3, want));
	emit_call(c, FILTER_CALL_STRING_END);
	emit_jump(c, BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, 0), c->no);
	emit_chars(c, BPF_REG_0, 0, pattern->text + pattern->tail, want, pattern->tail);
	emit_goto(c, c->yes);
}

/* Search the string for the pattern. */
static void compile_middle(struct filter_compiler *c, const struct filter_term *term)
{
	if (term->pattern->negate)
		swap(c->yes, c->no);
	emit_string_args(c, term);
	emit_pattern(c, BPF_REG_3, term->pattern);
	emit_call(c, FILTER_CALL_STRING_MIDDLE);
	emit_verdict_r0(c);
}

/* Compare a string by a helper. */
static void compile_match(struct filter_compiler *c, const struct filter_term *term)
{
	switch (term->place) {
	case FILTER_FIXED:
	case FILTER_LOC:
	case FILTER_REL_LOC:
		emit_string_args(c, term);
		emit_pattern(c, BPF_REG_3, term->pattern);
		emit_call(c, FILTER_CALL_STRING);
		break;
	case FILTER_TASK_COMM:
		emit_pattern(c, BPF_REG_1, term->pattern);
		emit_call(c, FILTER_CALL_COMM);
		break;
	case FILTER_KERNEL_PTR:
	case FILTER_USER_PTR:
		emit_load(c, BPF_REG_1, sizeof(long), term->offset);
		emit_pattern(c, BPF_REG_2, term->pattern);
		emit_call(c, term->place == FILTER_USER_PTR ? FILTER_CALL_USER_STRING :
			  FILTER_CALL_KERNEL_STRING);
		break;
	}
	emit_verdict_r0(c);
}

static void compile_string(struct filter_compiler *c, const struct filter_term *term)
{
	if (start_is_inline(term))
		compile_start(c, term);
	else if (end_is_inline(term))
		compile_end(c, term);
	else if (term->pattern->match == FILTER_MATCH_MIDDLE && has_size(term))
		compile_middle(c, term);
	else
		compile_match(c, term);
}

static void compile_term(struct filter_compiler *c, const struct filter_term *term)
{
	switch (term->kind) {
	case FILTER_NEVER:
		return emit_goto(c, c->no);
	case FILTER_NUMBER:
		return compile_number(c, term);
	case FILTER_RANGE:
		return compile_range(c, term);
	case FILTER_THIS_CPU:
		return compile_this_cpu(c, term);
	case FILTER_THIS_CPU_IN:
	case FILTER_CPU_IN:
		return compile_cpu_in(c, term);
	case FILTER_CPUS:
		return compile_cpus(c, term);
	case FILTER_STRING:
		return compile_string(c, term);
	}
}

/* Whether any term needs a call. Calls clobber R1 to R5, so R6 then holds the record. */
static bool calls_anything(const struct filter_tree *tree)
{
	u32 i;

	for (i = 0; i < tree->nr_terms; i++) {
		switch (tree->terms[i].kind) {
		case FILTER_NEVER:
		case FILTER_NUMBER:
		case FILTER_RANGE:
			break;
		case FILTER_STRING:
			if (start_is_inline(&tree->terms[i]))
				break;
			fallthrough;
		default:
			return true;
		}
	}
	return false;
}

/*
 * Find the exits of each term. @exits has an element for each term. It also serves as the
 * stack, which never has more entries than there are terms without exits: terms get their
 * exits from the last to the first, and these elements are above the top of the stack.
 */
static void find_exits(const struct filter_tree *tree, struct filter_exits *exits)
{
	const u32 no = tree->nr_terms, yes = tree->nr_terms + 1;
	struct filter_exits exit, left;
	const struct filter_node *node;
	u32 depth = 0, at;

	exits[depth++] = (struct filter_exits) { yes, no };
	for (at = tree->nr_nodes; at--; ) {
		node = &tree->nodes[at];
		exit = exits[--depth];
		if (node->negate)
			swap(exit.yes, exit.no);
		if (node->kind == FILTER_TERM) {
			exits[node->first] = exit;
			continue;
		}
		/* The right tree ends just before this node; continue at its first term. */
		left = exit;
		if (node->kind == FILTER_AND)
			left.yes = tree->nodes[at - 1].first;
		else
			left.no = tree->nodes[at - 1].first;
		exits[depth++] = left;
		exits[depth++] = exit;
	}
}

static void compile_terms(struct filter_compiler *c, const struct filter_tree *tree,
			  const struct filter_exits *exits)
{
	const u32 no = tree->nr_terms, yes = tree->nr_terms + 1;
	u32 i;

	c->record = BPF_REG_1;
	if (calls_anything(tree)) {
		c->record = BPF_REG_6;
		emit(c, BPF_MOV64_REG(BPF_REG_6, BPF_REG_1));
	}
	for (i = 0; i < tree->nr_terms; i++) {
		strobe_code_label(c->code, i);
		c->next = i + 1;
		c->yes = exits[i].yes;
		c->no = exits[i].no;
		c->is_last = i + 1 == tree->nr_terms;
		compile_term(c, &tree->terms[i]);
	}
	/* The first exit follows the last term, which jumps to the second one. */
	strobe_code_label(c->code, no);
	emit(c, BPF_MOV32_IMM(BPF_REG_0, 0));
	emit(c, BPF_EXIT_INSN());
	strobe_code_label(c->code, yes);
	emit(c, BPF_MOV32_IMM(BPF_REG_0, 1));
	emit(c, BPF_EXIT_INSN());
}

/**
 * strobe_filter_compile - compile a tree to a program
 * @tree: the tree
 * @code: set to the program; the caller calls strobe_code_free(), also after an error
 * @needs_header: set to whether the program reads struct trace_entry
 * @err:  set if there are too many terms
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL if there are too many terms; -ENOMEM
 */
int strobe_filter_compile(const struct filter_tree *tree, struct strobe_code *code,
			  bool *needs_header, struct strobe_filter_error *err)
{
	struct filter_compiler c = { .code = code };
	struct filter_exits *exits;
	int ret;

	strobe_code_init(code, tree->nr_terms + 2);
	exits = kvmalloc_array(tree->nr_terms, sizeof(*exits), GFP_KERNEL);
	if (!exits)
		return -ENOMEM;
	find_exits(tree, exits);
	compile_terms(&c, tree, exits);
	kvfree(exits);
	*needs_header = c.needs_header;
	ret = strobe_code_finish(code);
	if (ret != -E2BIG)
		return ret;
	*err = (struct strobe_filter_error) { STROBE_FILTER_TOO_MANY_TERMS, 0 };
	return -EINVAL;
}
