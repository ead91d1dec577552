// SPDX-License-Identifier: GPL-2.0
/*
 * Evaluate arguments byte by byte: the record and the text that a definition has to make, as
 * predicted, of a machine's registers and memory.
 */
#include "dynamic/values.h"

#define POISON		0x8000000000000000	/* what a pointer that cannot be read is */
#define USER_END	0x7ffffffff000
#define STRING_MAX	4096

/* An argument being evaluated */
struct evaluation {
	const struct want	*want;
	const struct machine	*m;
	const struct want_arg	*arg;
	u8			*record;
	u32			end;
	u32			dyn;
};

static const char *const symbols[] = { "first_symbol", "second.part.0", "third" };

int source_symbol(const char *text, u64 *addr)
{
	size_t len = strcspn(text, "+-");
	u64 offset = 0;
	int ret = 0;
	u32 i;

	if (text[len])
		ret = predict_number(text + len, 0, true, &offset);
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		if (strlen(symbols[i]) == len && !memcmp(symbols[i], text, len)) {
			*addr = KERNEL_ADDR + 64 + 32 * i + offset;
			return 0;
		}
	}
	return -ENOENT;
}

/* The text of an address. Returns its length. */
static u32 symbol_text(char *to, u64 addr)
{
	u64 at = addr - KERNEL_ADDR - 64;

	if (at < 32 * ARRAY_SIZE(symbols))
		return sprintf(to, "%s+0x%llx/0x20", symbols[at / 32], (unsigned long long)at % 32);
	return sprintf(to, "0x%llx", (unsigned long long)addr);
}

static bool is_within(u64 addr, u64 start, u64 bytes)
{
	return addr >= start && addr - start < bytes;
}

/* Returns NULL if there is no memory. */
static const u8 *byte_at(const struct evaluation *e, u64 addr, bool is_user)
{
	u64 record = (unsigned long)e->m->record, comm = (unsigned long)current->comm;

	if (is_within(addr, record, sizeof(*e->m->record)) || is_within(addr, comm, TASK_COMM_LEN))
		return (const u8 *)(unsigned long)addr;
	if (is_user || e->want->source->flags & DYN_USER || addr < USER_END)
		return is_within(addr, USER_ADDR, USER_BYTES) ? &e->m->user[addr - USER_ADDR] :
			NULL;
	return is_within(addr, KERNEL_ADDR, KERNEL_BYTES) ? &e->m->kernel[addr - KERNEL_ADDR] :
		NULL;
}

/* Read a number. Returns @failed if a byte of it cannot be read. */
static u64 number_at(const struct evaluation *e, u64 addr, bool is_user, u32 size, u64 failed)
{
	const u8 *byte;
	u64 val = 0;
	u32 i;

	for (i = 0; i < size; i++) {
		byte = byte_at(e, addr + i, is_user);
		if (!byte)
			return failed;
		val |= (u64)*byte << (8 * i);
	}
	return val;
}

static u64 reg_at(const struct pt_regs *regs, u32 offset)
{
	return ((const unsigned long *)regs)[offset / 8];
}

u64 evaluate_param(const struct machine *m, u64 param, bool is_entry)
{
	static const char *const in_regs[] = { "di", "si", "dx", "cx", "r8", "r9" };
	const unsigned long *stack = is_entry ? m->entry_stack : m->stack;

	if (param < ARRAY_SIZE(in_regs))
		return reg_at(is_entry ? &m->entry_regs : &m->regs, source_reg(in_regs[param]));
	param -= ARRAY_SIZE(in_regs) - 1;
	return param < SHIM_STACK_WORDS ? stack[param] : 0;
}

/* Where the string of a field is in the other event's record. Returns false if it is none. */
static bool field_string(const struct evaluation *e, u32 *at, u32 *len)
{
	const struct strobe_field *field = &source_event.class->fields[e->arg->val];
	const struct source_record *r = e->m->record;

	if (is(field->name, "name")) {
		*at = offsetof(struct source_record, name);
		*len = sizeof(r->name);
	} else if (is(field->name, "path")) {
		*at = r->path & 0xffff;
		*len = r->path >> 16;
	} else if (is(field->name, "more")) {
		*at = (r->more & 0xffff) + offsetof(struct source_record, more) + 4;
		*len = r->more >> 16;
	} else {
		return false;
	}
	return true;
}

static u64 field_value(const struct evaluation *e)
{
	const struct strobe_field *field = &source_event.class->fields[e->arg->val];
	const struct source_record *r = e->m->record;
	u32 at, len;

	const struct { const char *name; u64 val; } numbers[] = {
		{ "nr", r->nr }, { "small", r->small }, { "byte", r->byte }, { "half", r->half },
		{ "mask", r->mask }, { "large", r->large }, { "text", r->text },
		{ "pad", r->pad },
		/* As much of the array as fits a number that is not larger */
		{ "pair", r->pair[0] | (u32)r->pair[1] << 16 },
	};
	u32 i;

	if (field_string(e, &at, &len))
		return (unsigned long)r + at;
	for (i = 0; i < ARRAY_SIZE(numbers) && !is(numbers[i].name, field->name); i++)
		;
	return numbers[i].val;
}

static u64 first_value(const struct evaluation *e)
{
	const struct want_arg *arg = e->arg;
	u64 addr;

	switch (arg->first) {
	case FROM_REG:
		return reg_at(&e->m->regs, arg->val);
	case FROM_STACK:
		if (e->want->source->flags & DYN_USER)
			return number_at(e, e->m->regs.sp + 8 * arg->val, true, 8, 0);
		return arg->val < SHIM_STACK_WORDS ? e->m->stack[arg->val] : 0;
	case FROM_STACK_POINTER:
		return e->m->regs.sp;
	case FROM_RETVAL:
		return e->m->regs.ax;
	case FROM_PARAM:
		return evaluate_param(e->m, arg->val, e->want->source->flags & DYN_RETURN);
	case FROM_NUMBER:
		return arg->val;
	case FROM_SYMBOL:
		return source_symbol(arg->text, &addr) ? 0 : addr;
	case FROM_COMM:
		return (unsigned long)current->comm;
	case FROM_TEXT:
		return 0;
	case FROM_FILE:
		return e->m->base + arg->val;
	default:
		return field_value(e);
	}
}

/* The value after so many reads */
static u64 value_after(const struct evaluation *e, u32 nr_reads)
{
	u64 val = first_value(e);
	u32 i;

	for (i = 0; i < nr_reads; i++)
		val = number_at(e, val + e->arg->reads[i].offset, e->arg->reads[i].user, 8, POISON);
	return val;
}

static void put_number(struct evaluation *e, u32 element, u64 val)
{
	const struct want_arg *arg = e->arg;
	u32 at = HEAD + arg->offset + element * arg->type->size, i;

	if (arg->width)
		val = val >> arg->shift & (~0ULL >> (64 - arg->width));
	for (i = 0; i < arg->type->size; i++)
		e->record[at + i] = val >> (8 * i);
}

static void evaluate_number(struct evaluation *e)
{
	const struct want_arg *arg = e->arg;
	u32 i;
	u64 addr;

	if (!arg->nr_reads) {
		put_number(e, 0, value_after(e, 0));
		return;
	}
	addr = value_after(e, arg->nr_reads - 1) + arg->reads[arg->nr_reads - 1].offset;
	for (i = 0; i < (arg->count ?: 1); i++)
		put_number(e, i, number_at(e, addr + i * arg->type->size,
					   arg->reads[arg->nr_reads - 1].user, arg->type->size, 0));
}

/* The bytes that the record has for the next string */
static u32 room_of(const struct evaluation *e)
{
	u32 room = e->end > e->dyn ? e->end - e->dyn : 0;

	return room < STRING_MAX ? room : STRING_MAX;
}

/* @len bytes with their NUL are the next string; 0: it cannot be read. */
static void put_string(struct evaluation *e, u32 element, u32 len)
{
	u64 val = (u64)len << 16 | (e->dyn & 0xffff);
	u32 at = HEAD + e->arg->offset + 4 * element, i;

	for (i = 0; i < 4; i++)
		e->record[at + i] = val >> (8 * i);
	e->dyn += len;
}

/* A text of which the record gets as much as it has room for */
static void put_text(struct evaluation *e, u32 element, const char *text, u32 len)
{
	u32 room = room_of(e);

	if (!room) {
		put_string(e, element, 0);
		return;
	}
	if (len > room - 1)
		len = room - 1;
	memcpy(e->record + e->dyn, text, len);
	e->record[e->dyn + len] = '\0';
	put_string(e, element, len + 1);
}

/* A string in memory */
static void put_string_at(struct evaluation *e, u32 element, u64 addr, bool is_user)
{
	u32 room = room_of(e), len;
	const u8 *byte = NULL;

	for (len = 0; len < room; len++) {
		byte = byte_at(e, addr + len, is_user || addr < USER_END);
		if (!byte) {
			put_string(e, element, 0);
			return;
		}
		e->record[e->dyn + len] = *byte;
		if (!*byte)
			break;
	}
	if (len == room && room)
		e->record[e->dyn + --len] = '\0';
	put_string(e, element, room ? len + 1 : 0);
}

static void evaluate_symbol(struct evaluation *e)
{
	u64 val = value_after(e, e->arg->nr_reads);
	char text[64];
	u32 len;

	len = symbol_text(text, val);
	if (val == POISON)
		put_string(e, 0, 0);
	else
		put_text(e, 0, text, len);
}

/* Texts that are not read from an address. Returns false if it is none of these. */
static bool evaluate_own_text(struct evaluation *e)
{
	const struct want_arg *arg = e->arg;
	u32 at, len, in_len = sizeof(*e->m->record);
	const char *text;

	if (arg->nr_reads || arg->count)
		return false;
	if (arg->first == FROM_COMM) {
		put_text(e, 0, current->comm, strnlen(current->comm, TASK_COMM_LEN - 1));
		return true;
	}
	if (arg->first == FROM_TEXT) {
		put_text(e, 0, arg->text, strlen(arg->text));
		return true;
	}
	if (arg->first != FROM_FIELD || arg->type->kind != WANT_STRING ||
	    !field_string(e, &at, &len))
		return false;
	text = (const char *)e->m->record + at;
	if (at >= in_len || !len)
		put_string(e, 0, 0);
	else
		put_text(e, 0, text, strnlen(text, min(len, in_len - at)));
	return true;
}

static void evaluate_string(struct evaluation *e)
{
	const struct want_arg *arg = e->arg;
	bool is_user = arg->type->kind == WANT_USTRING, from_user = false;
	u64 addr, at;
	u32 i;

	if (arg->type->kind == WANT_SYMSTR) {
		evaluate_symbol(e);
		return;
	}
	if (evaluate_own_text(e))
		return;
	addr = value_after(e, arg->nr_reads - !!arg->nr_reads);
	if (arg->nr_reads) {
		addr += arg->reads[arg->nr_reads - 1].offset;
		from_user = arg->reads[arg->nr_reads - 1].user;
	}
	if (!arg->count) {
		put_string_at(e, 0, addr, is_user || from_user);
		return;
	}
	/* In memory there are pointers to the strings. A value is the address of the first. */
	for (i = 0; i < arg->count; i++) {
		at = addr + 8 * i;
		put_string_at(e, i, arg->nr_reads ? number_at(e, at, from_user, 8, POISON) : at,
			      is_user);
	}
}

u32 evaluate(const struct want *want, const struct machine *m, u8 *record, u32 end)
{
	struct evaluation e = {
		.want = want, .m = m, .record = record, .end = end, .dyn = HEAD + want->fixed,
	};

	if (!want->strings)
		memset(record + HEAD + want->fixed, 0, end - HEAD - want->fixed);
	for (e.arg = want->args; e.arg < want->args + want->nr; e.arg++) {
		if (e.arg->type->kind >= WANT_STRING)
			evaluate_string(&e);
		else
			evaluate_number(&e);
	}
	return e.dyn;
}

static void text_of(const struct want_arg *arg, const u8 *record, u32 at, u32 len,
		    struct seq_file *m)
{
	u32 size = arg->type->size, i;
	char symbol[64];
	u64 val = 0;

	for (i = 0; i < size; i++)
		val |= (u64)record[at + i] << (8 * i);
	if (arg->type->kind >= WANT_STRING) {
		if (val >> 16 && (val & 0xffff) < len)
			seq_printf(m, "\"%s\"", record + (val & 0xffff));
		else
			seq_printf(m, "%s", "(fault)");
		return;
	}
	if (arg->type->is_signed && size < 8 && val >> (8 * size - 1))
		val |= ~0ULL << (8 * size);
	if (arg->type->kind == WANT_NAME) {
		symbol_text(symbol, val);
		seq_printf(m, "%s", symbol);
	} else if (arg->type->kind == WANT_CHAR) {
		seq_printf(m, "'%c'", (int)val);
	} else if (*arg->type->fmt == '0') {
		seq_printf(m, "0x%llx", (unsigned long long)val);
	} else if (arg->type->is_signed) {
		seq_printf(m, "%lld", (long long)val);
	} else {
		seq_printf(m, "%llu", (unsigned long long)val);
	}
}

void evaluate_text(const struct want *want, const u8 *record, u32 len, struct seq_file *m)
{
	const struct want_arg *arg;
	u32 i;

	for (arg = want->args; arg < want->args + want->nr; arg++) {
		seq_printf(m, " %s=%s", arg->name, arg->count ? "{" : "");
		for (i = 0; i < (arg->count ?: 1); i++) {
			if (i)
				seq_putc(m, ',');
			text_of(arg, record, HEAD + arg->offset + i * arg->type->size, len, m);
		}
		if (arg->count)
			seq_putc(m, '}');
	}
}
