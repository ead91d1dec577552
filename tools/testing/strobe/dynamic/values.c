// SPDX-License-Identifier: GPL-2.0
/*
 * Run fetch programs on random registers and memory, much of which cannot be read, and compare
 * the records that they make, and the texts of these, with those of evaluate.c. A program must
 * access nothing but its frame, its input and the arguments' part of the record.
 */
#include "dynamic/values.h"

#define MACHINES	3	/* by definition */

static u64 random_u64(void)
{
	return (u64)random_below(U32_MAX) << 32 | random_below(U32_MAX);
}

/* An address that can be read, or is near to one; or a number */
static u64 random_value(void)
{
	u64 kernel = KERNEL_ADDR + 8 * random_below(64), user = USER_ADDR + 8 * random_below(64);

	switch (random_below(16)) {
	case 0 ... 3:
		return kernel;
	case 4 ... 5:
		return user;
	case 6:
		return kernel + random_below(KERNEL_BYTES);
	case 7:
		return user + random_below(USER_BYTES);
	case 8:
		return KERNEL_ADDR + KERNEL_BYTES - random_below(40);
	case 9:
		return USER_ADDR + USER_BYTES - random_below(40);
	case 10:
		return KERNEL_ADDR - random_below(20);
	case 11:
		return random_below(2) ? 0x8000000000000000 : 0xffffffffff600000;
	case 12:
		return random_below(2) ? 0x7ffffffff000 - random_below(9) : -random_below(9);
	case 13:
		return random_u64();
	case 14:
		return random_below(256);
	default:
		return -random_below(3);
	}
}

/* Pointers and short strings, then a long text */
static void fill(u8 *memory, u32 bytes)
{
	u32 at, i;

	for (at = 0; at + 8 <= 1024; at += 8) {
		u64 val = random_value();

		for (i = 0; i < 8; i++)
			memory[at + i] = random_below(6) ? 'a' + random_below(26) : 0;
		if (random_below(3))
			memcpy(memory + at, &val, sizeof(val));
	}
	memset(memory + at, 'x', bytes - at);
	for (i = random_below(3); i; i--)
		memory[at + random_below(bytes - at)] = '\0';
}

static void random_regs(struct pt_regs *regs, unsigned long stack[SHIM_STACK_WORDS])
{
	unsigned long *reg = (unsigned long *)regs;
	u32 i;

	for (i = 0; i < sizeof(*regs) / sizeof(*reg); i++)
		reg[i] = random_value();
	for (i = 0; i < SHIM_STACK_WORDS; i++)
		stack[i] = random_value();
}

/* The location of a string, mostly in the record's data */
static u32 random_location(u32 end)
{
	u32 at = offsetof(struct source_record, data) + random_below(20);

	if (!random_below(8))
		return random_u64();
	return (u32)random_below(24) << 16 | ((at - end) & 0xffff);
}

static void random_record(struct source_record *r)
{
	u8 *byte = (u8 *)r;
	u32 i;

	for (i = 0; i < sizeof(*r); i++)
		byte[i] = random_below(5) ? random_below(256) : 0;
	r->path = random_location(0);
	r->more = random_location(offsetof(struct source_record, more) + 4);
	r->large = random_value();
	r->text = random_value();
}

static void machine_init(struct machine *m)
{
	random_regs(&m->regs, m->stack);
	random_regs(&m->entry_regs, m->entry_stack);
	random_record(m->record);
	m->base = random_value();
	fill(m->kernel, KERNEL_BYTES);
	fill(m->user, USER_BYTES);
	snprintf(current->comm, sizeof(current->comm), "%.*s", random_below(16), "a task's name !");
	shim_kernel = (struct shim_memory) { KERNEL_ADDR, KERNEL_BYTES, m->kernel };
	shim_user = (struct shim_memory) { USER_ADDR, USER_BYTES, m->user };
	shim_own[0] = (struct shim_memory) {
		(unsigned long)m->record, sizeof(*m->record), (u8 *)m->record,
	};
	shim_own[1] = (struct shim_memory) {
		(unsigned long)current->comm, TASK_COMM_LEN, (u8 *)current->comm,
	};
}

static int run(const char *text, const struct strobe_program *program, struct dyn_frame *frame,
	       u32 in_len, u32 first, u32 writable, u32 kept)
{
	shim_accesses[0] = (struct shim_access) { frame, .readable = sizeof(*frame) };
	shim_accesses[1] = (struct shim_access) { frame->in, .readable = in_len };
	shim_accesses[2] = (struct shim_access) { frame->out, first, writable, 0 };
	shim_accesses[3] = (struct shim_access) {
		frame->kept, 0, frame->out ? 0 : kept, kept,
	};
	shim_access_fault = NULL;
	strobe_dyn_program_run(program, frame);
	checked.records++;
	return shim_access_fault ? differs(text, "a program has %s", shim_access_fault) : 0;
}

/* The parameters that are kept are in order of their first use. */
static int run_entry(const char *text, const struct want *want, struct machine *m,
		     const struct strobe_program *entry, u64 *kept)
{
	struct dyn_frame frame = { .in = &m->entry_regs, .kept = kept };
	u32 i;

	memcpy(shim_stack, m->entry_stack, sizeof(shim_stack));
	if (run(text, entry, &frame, sizeof(m->entry_regs), 0, 0, 8 * want->nr_params))
		return 1;
	for (i = 0; i < want->nr_params; i++) {
		if (kept[i] != evaluate_param(m, want->params[i], true))
			return differs(text, "parameter %u is not kept", want->params[i] + 1);
	}
	return 0;
}

static int compare(const char *text, const u8 *got, const u8 *want, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++) {
		if (got[i] != want[i])
			return differs(text, "byte %u of the record is 0x%x, not 0x%x", i, got[i],
				       want[i]);
	}
	return 0;
}

/* The text of a record; and of one that ends early, as one of another definition may */
static int compare_text(const char *text, const struct want *want, const struct dyn_args *args,
			const u8 *record, u32 len)
{
	static char got[0x20000], expect[0x20000];
	struct trace_seq seq = { { .buf = got, .size = sizeof(got) } };
	struct seq_file e = { .buf = expect, .size = sizeof(expect) };
	u32 less = random_below(len + 1);
	u8 *copy = malloc(len);
	struct strobe_print pr = { .seq = &seq, .entry = memcpy(copy, record, len), .len = len };
	int bad = 0;

	strobe_dyn_args_print(&pr, args);
	evaluate_text(want, record, len, &e);
	if (seq.file.count != e.count || memcmp(got, expect, e.count)) {
		got[seq.file.count] = '\0';
		expect[e.count] = '\0';
		bad = differs(text, "text: %s, not %s", got, expect);
	}
	pr.entry = realloc(copy, less ?: 1);
	pr.len = less;
	seq.file.count = 0;
	strobe_dyn_args_print(&pr, args);
	free(pr.entry);
	return bad;
}

static int run_fetch(const char *text, const struct want *want, const struct dyn_args *args,
		     struct machine *m, const struct strobe_program *fetch, u64 *kept)
{
	bool is_event = want->source->flags & DYN_EVENT;
	u32 fixed = HEAD + want->fixed, end = ALIGN(fixed, 4), dyn;
	u32 writable = want->strings ? fixed : end;
	struct dyn_frame frame = {
		.in = is_event ? (void *)m->record : &m->regs, .in_len = sizeof(*m->record),
		.kept = kept, .base = m->base, .dyn = fixed,
	};
	u8 *out, *expect;
	int bad;

	if (want->strings)
		end = fixed + (random_below(8) ? random_below(100) : random_below(9000));
	out = malloc(end);
	expect = malloc(end);
	memset(out, JUNK, end);
	memset(expect, JUNK, end);
	frame.out = out;
	frame.end = end;
	memcpy(shim_stack, m->stack, sizeof(shim_stack));
	dyn = evaluate(want, m, expect, end);
	bad = run(text, fetch, &frame, is_event ? sizeof(*m->record) : sizeof(m->regs), HEAD,
		  writable, 8 * want->nr_params);
	if (!bad && frame.dyn != dyn)
		bad = differs(text, "the record has %u bytes, not %u", frame.dyn, dyn);
	bad = bad || compare(text, out, expect, want->strings ? dyn : end) ||
	      compare_text(text, want, args, expect, want->strings ? dyn : end);
	free(out);
	free(expect);
	return bad;
}

int values_check(const char *text, const struct want *want, const struct dyn_args *args,
		 const struct strobe_program *fetch, const struct strobe_program *entry)
{
	u64 *kept = want->nr_params ? malloc(8 * want->nr_params) : NULL;
	static struct machine m;
	u32 i;
	int bad = 0;

	m.record = malloc(sizeof(*m.record));
	for (i = 0; i < MACHINES && !bad; i++) {
		machine_init(&m);
		if (entry)
			bad = run_entry(text, want, &m, entry, kept);
		if (fetch && !bad)
			bad = run_fetch(text, want, args, &m, fetch, kept);
	}
	free(m.record);
	free(kept);
	return bad;
}
