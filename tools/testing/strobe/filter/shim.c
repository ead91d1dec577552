// SPDX-License-Identifier: GPL-2.0
/* The functions of the kernel that filters use, and an interpreter of eBPF */
#include <sys/random.h>

#include "filter/filter_test.h"
#include "filter/mem.h"

long shim_fail_at, shim_held;
int shim_runtime_error;
struct shim_task shim_task = { "shim" };

struct trace_event_call {
	int unused;
};

/* Only their addresses differ. */
const struct trace_event_call strobe_filter_test_call, strobe_filter_test_user_call;

void *shim_alloc(size_t size)
{
	if (shim_fail_at && !--shim_fail_at)
		return NULL;
	shim_held++;
	return calloc(1, size);
}

void shim_free(void *p)
{
	shim_held -= !!p;
	free(p);
}

char *shim_dup(const char *text, size_t len)
{
	char *copy = shim_alloc(len + 1);

	return copy ? memcpy(copy, text, len) : NULL;
}

u64 get_random_u64(void)
{
	u64 val = 0;

	if (getrandom(&val, sizeof(val), 0) != sizeof(val))
		abort();
	return val;
}

/* Numbers as the kernel parses them: all of the text, no sign but '-', no overflow. */

int kstrtoull(const char *text, unsigned int base, u64 *val)
{
	char *end;

	if (!isdigit(*text))
		return -EINVAL;
	errno = 0;
	*val = strtoull(text, &end, base);
	if (*end)
		return -EINVAL;
	return errno ? -ERANGE : 0;
}

int kstrtoll(const char *text, unsigned int base, s64 *val)
{
	bool negative = *text == '-';
	u64 abs;
	int ret = kstrtoull(text + negative, base, &abs);

	if (ret)
		return ret;
	*val = negative ? -abs : abs;
	return (negative ? *val > 0 : *val < 0) ? -ERANGE : 0;
}

int kstrtoul(const char *text, unsigned int base, unsigned long *val)
{
	u64 wide;
	int ret = kstrtoull(text, base, &wide);

	*val = wide;
	return ret;
}

unsigned int bitmap_weight(const unsigned long *bits, unsigned int nr)
{
	unsigned int weight = 0;

	while (nr--)
		weight += bits[nr / 64] >> nr % 64 & 1;
	return weight;
}

unsigned int find_first_bit(const unsigned long *bits, unsigned int nr)
{
	unsigned int at = 0;

	while (at < nr && !(bits[at / 64] >> at % 64 & 1))
		at++;
	return at;
}

long strncpy_from_kernel_nofault(char *dst, const void *src, long size)
{
	if ((unsigned long)src < 4096)
		return -EFAULT;
	return snprintf(dst, size, "%s", (const char *)src) + 1;
}

long strncpy_from_user_nofault(char *dst, const void *src, long size)
{
	return -EFAULT;
}

/* The functions of lookup.c */

static bool field_is(const char *want, const char *name, u32 len)
{
	return strlen(want) == len && !memcmp(want, name, len);
}

bool strobe_filter_field_find(const struct trace_event_call *call, const char *name, u32 len,
			      struct filter_field *field)
{
#define TRY(member, type_, is_signed_, filter_type_)				\
	if (field_is(#member, name, len)) {					\
		*field = (struct filter_field) {				\
			.type = filter_type_,					\
			.size = sizeof_field(struct filter_test_record, member), \
			.offset = offsetof(struct filter_test_record, member),	\
			.is_signed = is_signed_,				\
			.is_relative = strstr(type_, "__rel_loc"),		\
			.is_user = call == &strobe_filter_test_user_call,	\
		};								\
		return true;							\
	}
#define TRY_COMMON(member, is_signed_)						\
	if (field_is("common_" #member, name, len)) {				\
		*field = (struct filter_field) {				\
			.size = sizeof_field(struct trace_entry, member),	\
			.offset = offsetof(struct trace_entry, member),		\
			.is_signed = is_signed_,				\
		};								\
		return true;							\
	}

	FILTER_TEST_FIELDS(TRY)
	TRY_COMMON(type, false)
	TRY_COMMON(flags, false)
	TRY_COMMON(preempt_count, false)
	TRY_COMMON(pid, true)
	*field = (struct filter_field) { };
	if (field_is("CPU", name, len) || field_is("cpu", name, len) ||
	    field_is("common_cpu", name, len)) {
		field->type = FILTER_CPU;
		field->is_signed = true;
	} else if (field_is("COMM", name, len) || field_is("comm", name, len)) {
		field->type = FILTER_COMM;
	} else if (field_is("stacktrace", name, len) || field_is("STACKTRACE", name, len)) {
		field->type = FILTER_STACKTRACE;
	} else {
		return false;
	}
	return true;
}

static const char * const symbols[] = { FILTER_TEST_SYMBOLS };

static unsigned long symbol_addr(u32 nr)
{
	return nr ? (unsigned long)strobe_filter_gen_record : (unsigned long)strobe_filter_plain;
}

int strobe_filter_symbol_find(const char *name, u32 len, unsigned long *addr)
{
	char *copy = shim_dup(name, len);
	u32 i;

	if (!copy)
		return -ENOMEM;
	for (i = 0, *addr = 0; i < ARRAY_SIZE(symbols); i++) {
		if (!strcmp(symbols[i], copy))
			*addr = symbol_addr(i);
	}
	shim_free(copy);
	return *addr ? 0 : -ENOENT;
}

bool strobe_filter_symbol_range(unsigned long addr, u64 *start, u64 *size)
{
	u32 i;

	*size = 16;
	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		*start = symbol_addr(i);
		if (addr >= *start && addr < *start + *size)
			return true;
	}
	return false;
}

/* Parse a list of CPU numbers and ranges, separated by commas. */
int strobe_filter_cpus_parse(const char *list, u32 len, unsigned long *bits)
{
	char *copy = shim_dup(list, len), *at;
	unsigned long from, to;
	int ret = -EINVAL;

	if (!copy)
		return -ENOMEM;
	for (at = copy; isdigit(*at); at++) {
		from = strtoul(at, &at, 10);
		to = from;
		if (*at == '-')
			to = strtoul(at + 1, &at, 10);
		if (from > to || to >= strobe_filter_nr_cpus() || (*at && *at != ','))
			break;
		for (; from <= to; from++)
			*bits |= 1UL << from;
		if (!*at) {
			ret = 0;
			break;
		}
	}
	shim_free(copy);
	return ret;
}

unsigned int strobe_filter_nr_cpus(void)
{
	return 2;
}

unsigned int strobe_filter_cpu_longs(void)
{
	return 1;
}

u32 strobe_filter_record_size(const struct trace_event_call *call)
{
	return offsetof(struct filter_test_record, data);
}

/* The functions of mem.c: what cannot be read is no string. */

int strobe_mem_prepare(void)
{
	return 0;
}

const char *strobe_mem_string(u64 addr, bool user)
{
	static char buf[STROBE_MEM_STRING];
	const char *src = (const char *)(unsigned long)addr;

	long len = user ? strncpy_from_user_nofault(buf, src, sizeof(buf)) :
			  strncpy_from_kernel_nofault(buf, src, sizeof(buf));

	return len < 0 ? NULL : buf;
}

void strobe_mem_string_done(void)
{
}

/* An interpreter of the instructions that compile.c emits; aborts on any other. */

static bool jumps(u8 op, u64 a, u64 b, s64 sa, s64 sb)
{
	switch (op) {
	case BPF_JEQ:	return a == b;
	case BPF_JNE:	return a != b;
	case BPF_JLT:	return a < b;
	case BPF_JLE:	return a <= b;
	case BPF_JGT:	return a > b;
	case BPF_JGE:	return a >= b;
	case BPF_JSLT:	return sa < sb;
	case BPF_JSLE:	return sa <= sb;
	case BPF_JSGT:	return sa > sb;
	case BPF_JSGE:	return sa >= sb;
	case BPF_JSET:	return a & b;
	}
	abort();
}

static u32 bytes_of(u8 code)
{
	u8 size = BPF_SIZE(code);

	return size == BPF_B ? 1 : size == BPF_H ? 2 : size == BPF_W ? 4 : 8;
}

static u64 load(const void *at, u8 code)
{
	u64 val = 0;

	memcpy(&val, at, bytes_of(code));
	return val;
}

static u64 alu(const struct bpf_insn *insn, u64 dst, u64 val)
{
	if (BPF_CLASS(insn->code) == BPF_ALU)
		dst = (u32)dst;
	switch (BPF_OP(insn->code)) {
	case BPF_MOV:	return val;
	case BPF_ADD:	return dst + val;
	case BPF_SUB:	return dst - val;
	case BPF_AND:	return dst & val;
	case BPF_LSH:	return dst << val;
	case BPF_XOR:	return dst ^ val;
	case BPF_RSH:	return dst >> val;
	}
	abort();
}

u64 shim_call_base(u64 a, u64 b, u64 c, u64 d, u64 e)
{
	abort();
}

/* Call the function of a call instruction. It clobbers R1 to R5. */
static void call(const struct bpf_insn *insn, u64 *reg)
{
	strobe_helper_fn helper = (void *)((char *)shim_call_base + insn->imm);

	reg[0] = helper(reg[1], reg[2], reg[3], reg[4], reg[5]);
	memset(&reg[1], 0xaa, 5 * sizeof(reg[0]));
}

unsigned int shim_run(const void *ctx, const struct bpf_insn *insns)
{
	const struct bpf_prog *prog = (void *)insns - offsetof(struct bpf_prog, insnsi);
	const struct bpf_insn *insn = insns;
	u64 reg[11] = { [1] = (unsigned long)ctx }, val;
	u32 steps = 0;

	for (;; insn++) {
		/* A program must not loop, or run past its end. */
		if (insn >= prog->insnsi + prog->len || steps++ > prog->len)
			abort();
		val = insn->code & BPF_X ? reg[insn->src_reg] : (u64)(s64)insn->imm;
		switch (BPF_CLASS(insn->code)) {
		case BPF_ALU64:
			reg[insn->dst_reg] = alu(insn, reg[insn->dst_reg], val);
			break;
		case BPF_ALU:
			reg[insn->dst_reg] = (u32)alu(insn, reg[insn->dst_reg], val);
			break;
		case BPF_LD:
			reg[insn->dst_reg] = (u32)insn->imm | (u64)(u32)insn[1].imm << 32;
			insn++;
			break;
		case BPF_LDX:
			reg[insn->dst_reg] = load((void *)reg[insn->src_reg] + insn->off,
						  insn->code);
			break;
		case BPF_STX:
			memcpy((char *)reg[insn->dst_reg] + insn->off, &reg[insn->src_reg],
			       bytes_of(insn->code));
			break;
		case BPF_JMP32:
			if (jumps(BPF_OP(insn->code), (u32)reg[insn->dst_reg], (u32)val,
				  (s32)reg[insn->dst_reg], (s32)val))
				insn += insn->off;
			break;
		case BPF_JMP:
			if (BPF_OP(insn->code) == BPF_EXIT)
				return reg[0];
			if (BPF_OP(insn->code) == BPF_CALL) {
				call(insn, reg);
			} else if (BPF_OP(insn->code) == BPF_JA ||
				   jumps(BPF_OP(insn->code), reg[insn->dst_reg], val,
					 reg[insn->dst_reg], val)) {
				insn += insn->off;
			}
			break;
		default:
			abort();
		}
	}
}
