// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of the kernel that dynamic events use, and an interpreter of fetch programs that
 * checks each access.
 */
#include "filter/code.h"

enum dynamic_busted dynamic_busted;
long shim_fail_at, shim_held;
int shim_runtime_error;
struct shim_task shim_task;
unsigned long shim_stack[SHIM_STACK_WORDS];
struct shim_memory shim_kernel, shim_user, shim_own[2];
struct shim_access shim_accesses[SHIM_ACCESSES];
const char *shim_access_fault;

void *shim_alloc(size_t size)
{
	if (shim_fail_at && !--shim_fail_at)
		return NULL;
	shim_held++;
	return calloc(1, size);
}

void *shim_alloc_junk(size_t size)
{
	void *p = shim_alloc(size);

	return p ? memset(p, 0xa5, size) : NULL;
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

/* Numbers, as in lib/kstrtox.c: one '+' or '-', and -ERANGE comes before what follows them. */

static int parse_digits(const char *text, unsigned int base, u64 *val)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*val = strtoull(text, &end, base);
	if (errno && dynamic_busted != DYNAMIC_BUSTED_NUMBER)
		return -ERANGE;
	return *end && strcmp(end, "\n") ? -EINVAL : 0;
}

int kstrtoull(const char *text, unsigned int base, u64 *val)
{
	return parse_digits(text + (*text == '+'), base, val);
}

int kstrtoul(const char *text, unsigned int base, unsigned long *val)
{
	u64 wide;
	int ret = kstrtoull(text, base, &wide);

	if (!ret)
		*val = wide;
	return ret;
}

int kstrtol(const char *text, unsigned int base, long *val)
{
	u64 wide, limit = (u64)LONG_MAX + (*text == '-');
	int ret;

	if (*text == '-')
		ret = parse_digits(text + 1, base, &wide);
	else
		ret = kstrtoull(text, base, &wide);
	if (!ret && wide > limit)
		ret = -ERANGE;
	if (!ret)
		*val = *text == '-' ? -wide : wide;
	return ret;
}

int kstrtouint(const char *text, unsigned int base, unsigned int *val)
{
	u64 wide;
	int ret = kstrtoull(text, base, &wide);

	if (!ret && wide > UINT_MAX)
		ret = -ERANGE;
	if (!ret)
		*val = wide;
	return ret;
}

int kstrtoint(const char *text, unsigned int base, int *val)
{
	long wide;
	int ret = kstrtol(text, base, &wide);

	if (!ret && wide != (int)wide)
		ret = -ERANGE;
	if (!ret)
		*val = wide;
	return ret;
}

char *skip_spaces(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return (char *)text;
}

int shim_snprintf(char *to, size_t size, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(to, size, fmt, args);
	va_end(args);
	return dynamic_busted == DYNAMIC_BUSTED_SIZE && len >= size ? (int)size - 1 : len;
}

/* Returns the length that the text has without a limit. */
static int print_text(char *to, size_t size, const char *fmt, va_list args)
{
	char symbol[KSYM_SYMBOL_LEN];

	if (strcmp(fmt, "%pS"))
		return vsnprintf(to, size, fmt, args);
	sprint_symbol(symbol, (unsigned long)va_arg(args, void *));
	return (snprintf)(to, size, "%s", symbol);
}

int scnprintf(char *to, size_t size, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = print_text(to, size, fmt, args);
	va_end(args);
	return len < size ? len : (int)size - 1;
}

void seq_printf(struct seq_file *m, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(m->buf + m->count, m->size - m->count, fmt, args);
	va_end(args);
	m->count = min(m->count + len, m->size - 1);
}

void seq_putc(struct seq_file *m, char c)
{
	if (m->count < m->size - 1)
		m->buf[m->count++] = c;
}

void trace_seq_printf(struct trace_seq *s, const char *fmt, ...)
{
	struct seq_file *m = &s->file;
	va_list args;
	int len;

	va_start(args, fmt);
	len = print_text(m->buf + m->count, m->size - m->count, fmt, args);
	va_end(args);
	m->count = min(m->count + len, m->size - 1);
}

/* Registers */

int regs_query_register_offset(const char *name)
{
#define REG(name)	{ #name, offsetof(struct pt_regs, name) }
	static const struct { const char *name; int offset; } table[] = {
		REG(r15), REG(r14), REG(r13), REG(r12), REG(bp), REG(bx), REG(r11), REG(r10),
		REG(r9), REG(r8), REG(ax), REG(cx), REG(dx), REG(si), REG(di), REG(orig_ax),
		REG(ip), REG(cs), REG(flags), REG(sp), REG(ss),
	};
#undef REG
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (strcmp(table[i].name, name))
			continue;
		if (dynamic_busted == DYNAMIC_BUSTED_REG)
			return table[i ^ (i < ARRAY_SIZE(table) - 1)].offset;
		return table[i].offset;
	}
	return -EINVAL;
}

unsigned long regs_get_register(struct pt_regs *regs, unsigned int offset)
{
	return *(unsigned long *)((char *)regs + offset);
}

unsigned long regs_get_kernel_stack_nth(struct pt_regs *regs, unsigned int n)
{
	return n < SHIM_STACK_WORDS ? shim_stack[n] : 0;
}

/* The first ones are in registers; on the stack, the return address is below the others. */
unsigned long regs_get_kernel_argument(struct pt_regs *regs, unsigned int n)
{
	const unsigned long in_regs[] = {
		regs->di, regs->si, regs->dx, regs->cx, regs->r8, regs->r9,
	};

	if (n < ARRAY_SIZE(in_regs))
		return in_regs[n];
	return regs_get_kernel_stack_nth(regs, 1 + n - ARRAY_SIZE(in_regs));
}

/* Memory */

static const u8 *memory_at(const struct shim_memory *memory, u64 addr, size_t size)
{
	u64 at = addr - memory->addr;

	return at < memory->len && memory->len - at >= size ? memory->data + at : NULL;
}

static bool load_from(const struct shim_memory *memory, void *to, u64 addr, size_t size)
{
	const u8 *from = memory_at(memory, addr, size);

	from = from ?: memory_at(&shim_own[0], addr, size);
	from = from ?: memory_at(&shim_own[1], addr, size);
	if (from)
		memcpy(to, from, size);
	return from;
}

/* Only an address of the kernel may fault here; others cause a general protection fault. */
bool shim_load(void *to, const void *from, size_t size)
{
	u64 addr = (unsigned long)from;

	if ((s64)addr >> __VIRTUAL_MASK_SHIFT != -1 || (addr & PAGE_MASK) == VSYSCALL_ADDR)
		shim_access_fault = "a load that is not checked";
	return load_from(&shim_kernel, to, addr, size);
}

long copy_from_kernel_nofault(void *to, const void *from, size_t size)
{
	if (load_from(&shim_kernel, to, (unsigned long)from, size) ||
	    dynamic_busted == DYNAMIC_BUSTED_FAULT)
		return 0;
	return -EFAULT;
}

/* Some of it may have been copied when the fault occurs. */
long copy_from_user_nofault(void *to, const void *from, size_t size)
{
	if (load_from(&shim_user, to, (unsigned long)from, size))
		return 0;
	memset(to, 0x5a, size / 2);
	return -EFAULT;
}

/* What cannot be copied is zeroed. */
unsigned long copy_from_user(void *to, const void *from, unsigned long size)
{
	if (load_from(&shim_user, to, (unsigned long)from, size))
		return 0;
	memset(to, 0, size);
	return size;
}

/* Returns the length without the NUL; @size if that is not within it; or -EFAULT. */
static long copy_string(const struct shim_memory *memory, char *to, const void *from, long size)
{
	u64 addr = (unsigned long)from;
	long i;

	for (i = 0; i < size; i++) {
		if (!load_from(memory, to + i, addr + i, 1))
			return -EFAULT;
		if (!to[i])
			return i;
	}
	return size;
}

static long copy_string_nofault(const struct shim_memory *memory, char *to, const void *from,
				long size)
{
	long len = copy_string(memory, to, from, size);

	if (len < 0 && size)
		*to = 0;
	if (len < 0)
		return len;
	if (len == size)
		to[--len] = 0;
	return len + 1;
}

long strncpy_from_kernel_nofault(char *to, const void *from, long size)
{
	return copy_string_nofault(&shim_kernel, to, from, size);
}

long strncpy_from_user_nofault(char *to, const void *from, long size)
{
	return copy_string_nofault(&shim_user, to, from,
				   size + (dynamic_busted == DYNAMIC_BUSTED_COPY));
}

long strncpy_from_user(char *to, const char *from, long size)
{
	return copy_string(&shim_user, to, from, size);
}

/* Symbols: three in the memory of the kernel, 32 bytes each */

static const char * const symbols[] = { "first_symbol", "second.part.0", "third" };

unsigned long kallsyms_lookup_name(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		if (!strcmp(symbols[i], name))
			return shim_kernel.addr + 64 + 32 * i;
	}
	return 0;
}

int sprint_symbol(char *to, unsigned long addr)
{
	unsigned long at = addr - shim_kernel.addr - 64;

	if (at / 32 < ARRAY_SIZE(symbols))
		return sprintf(to, "%s+0x%lx/0x20", symbols[at / 32], at % 32);
	return sprintf(to, "0x%lx", addr);
}

const char *btf_name_by_offset(const struct btf *btf, u32 offset)
{
	return NULL;
}

/* An interpreter of the instructions that fetch.c emits. Any other is a fault. */

static u32 bytes_of(u8 code)
{
	u8 size = BPF_SIZE(code);

	return size == BPF_B ? 1 : size == BPF_H ? 2 : size == BPF_W ? 4 : 8;
}

static void *access_at(u64 addr, u32 size, bool write)
{
	const struct shim_access *access;

	for (access = shim_accesses; access < shim_accesses + SHIM_ACCESSES; access++) {
		u64 at = addr - (unsigned long)access->at;

		if (access->at && at < U32_MAX &&
		    (write ? at >= access->first && at + size <= access->writable :
			     at + size <= access->readable))
			return (void *)(unsigned long)addr;
	}
	shim_access_fault = write ? "a store to other memory" : "a load from other memory";
	return NULL;
}

static u64 load(u64 addr, u32 size)
{
	void *from = access_at(addr, size, false);
	u64 val = 0;

	if (from)
		memcpy(&val, from, size);
	return val;
}

static void store(u64 addr, u32 size, u64 val)
{
	void *to = access_at(addr, size, true);

	if (to)
		memcpy(to, &val, size + (dynamic_busted == DYNAMIC_BUSTED_STORE && size < 8));
}

static u64 alu(u8 op, u64 dst, u64 val)
{
	switch (op) {
	case BPF_MOV:	return val;
	case BPF_ADD:	return dst + val;
	case BPF_AND:	return dst & val;
	case BPF_LSH:	return dst << val;
	case BPF_RSH:	return dst >> val;
	case BPF_ARSH:	return (s64)dst >> val;
	}
	shim_access_fault = "an unknown operation";
	return 0;
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
	const struct bpf_prog *prog = container_of(insns, struct bpf_prog, insnsi[0]);
	u64 reg[11] = { [1] = (unsigned long)ctx }, val;
	const struct bpf_insn *insn;

	for (insn = insns; insn < insns + prog->len && !shim_access_fault; insn++) {
		val = insn->code & BPF_X ? reg[insn->src_reg] : (u64)(s64)insn->imm;
		switch (BPF_CLASS(insn->code)) {
		case BPF_ALU64:
			reg[insn->dst_reg] = alu(BPF_OP(insn->code), reg[insn->dst_reg], val);
			break;
		case BPF_LD:
			reg[insn->dst_reg] = (u32)insn->imm | (u64)(u32)insn[1].imm << 32;
			insn++;
			break;
		case BPF_LDX:
			reg[insn->dst_reg] = load(reg[insn->src_reg] + insn->off,
						  bytes_of(insn->code));
			break;
		case BPF_STX:
			store(reg[insn->dst_reg] + insn->off, bytes_of(insn->code),
			      reg[insn->src_reg]);
			break;
		case BPF_JMP:
			if (BPF_OP(insn->code) == BPF_EXIT)
				return reg[0];
			if (BPF_OP(insn->code) != BPF_CALL)
				shim_access_fault = "an unknown jump";
			else
				call(insn, reg);
			break;
		default:
			shim_access_fault = "an unknown instruction";
		}
	}
	return 0;
}
