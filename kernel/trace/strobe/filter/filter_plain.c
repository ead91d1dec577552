// SPDX-License-Identifier: GPL-2.0
/*
 * A second opinion for tests: what a filter says of a record, found out by looking at
 * its tree term by term, all of them, in the plainest way. Shares no code with
 * compile.c and match.c.
 *
 * Contexts: task, preemption off. No state.
 */
#include <linux/bits.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "filter/filter_test.h"

/* Globs: the set of places in the string that the pattern may have come to. */

#define PLACES	64

/* The length of the class at @pattern, with its brackets; 0: it has no end. */
static u32 class_length(const char *pattern)
{
	u32 at = pattern[1] == '!' ? 2 : 1;
	u32 first = at;

	while (pattern[at] && (at == first || pattern[at] != ']')) {
		if (pattern[at + 1] == '-' && pattern[at + 2] != ']') {
			if (!pattern[at + 2])
				return 0;
			at += 2;
		}
		at++;
	}
	return pattern[at] ? at + 1 : 0;
}

static bool class_has(const char *pattern, u32 len, unsigned char c)
{
	bool negate = pattern[1] == '!';
	bool in = false;
	u32 at;

	for (at = negate ? 2 : 1; at < len - 1; at++) {
		unsigned char low = pattern[at], high = low;

		if (pattern[at + 1] == '-' && pattern[at + 2] != ']') {
			high = pattern[at + 2];
			at += 2;
		}
		if (c >= low && c <= high)
			in = true;
	}
	return in != negate;
}

/* The characters of the next part of a pattern; its first one is no star. */
static bool part_has(const char *part, u32 len, unsigned char c)
{
	if (*part == '[' && len > 1)
		return class_has(part, len, c);
	if (*part == '\\')
		return part[1] && part[1] == c;
	return *part == '?' || *part == c;
}

static u32 part_length(const char *part)
{
	u32 len = *part == '[' ? class_length(part) : 0;

	if (*part == '\\' && part[1])
		return 2;
	return len ?: 1;
}

static bool plain_glob(const char *pattern, const char *str, u32 len)
{
	u64 places = 1, next;
	u32 at, part;

	for (; *pattern; pattern += part) {
		part = part_length(pattern);
		for (next = 0, at = 0; at < len; at++) {
			if (*pattern == '*')
				places |= (places & BIT_ULL(at)) << 1;
			else if (places & BIT_ULL(at) && part_has(pattern, part, str[at]))
				next |= BIT_ULL(at + 1);
		}
		if (*pattern != '*')
			places = next;
	}
	return places & BIT_ULL(len);
}

/* Strings */

static bool same(const char *a, const char *b, u32 len)
{
	while (len--) {
		if (*a++ != *b++)
			return false;
	}
	return true;
}

static bool plain_string(const char *str, u32 max, const struct filter_pattern *pattern)
{
	u32 want = pattern->len, len = 0, at;
	bool found = false;

	while (len < max && str[len])
		len++;
	switch (pattern->match) {
	case FILTER_MATCH_FULL:
		found = len == want && same(str, pattern->text, want);
		break;
	case FILTER_MATCH_FRONT:
		found = len >= want && same(str, pattern->text, want);
		break;
	case FILTER_MATCH_END:
		found = len >= want && same(str + len - want, pattern->text, want);
		break;
	case FILTER_MATCH_MIDDLE:
		for (at = 0; at + want <= len; at++)
			found |= same(str + at, pattern->text, want);
		break;
	case FILTER_MATCH_GLOB:
		found = len < PLACES && plain_glob(pattern->text, str, len);
		break;
	}
	return found != pattern->negate;
}

static bool plain_pointer(const char *ptr, const struct filter_pattern *pattern, bool user)
{
	char buf[PLACES];
	long ret;

	if (user)
		ret = strncpy_from_user_nofault(buf, (const void __user *)ptr, sizeof(buf));
	else
		ret = strncpy_from_kernel_nofault(buf, ptr, sizeof(buf));
	return ret >= 0 && plain_string(buf, sizeof(buf), pattern);
}

/* What is at a location that a field has, and how much of it. */
static const void *locate(const struct filter_term *term, const void *record, u32 *len)
{
	u32 loc;

	memcpy(&loc, record + term->offset, sizeof(loc));
	*len = loc >> 16;
	if (term->place == FILTER_REL_LOC)
		record += term->offset + sizeof(loc);
	return record + (loc & 0xffff);
}

static bool string_term(const struct filter_term *term, const void *record)
{
	const char *str = record + term->offset;
	u32 len = term->size;

	switch (term->place) {
	case FILTER_FIXED:
		break;
	case FILTER_LOC:
	case FILTER_REL_LOC:
		str = locate(term, record, &len);
		break;
	case FILTER_TASK_COMM:
		return plain_string(current->comm, FILTER_COMM_LEN, term->pattern);
	case FILTER_KERNEL_PTR:
	case FILTER_USER_PTR:
		memcpy(&str, record + term->offset, sizeof(str));
		return plain_pointer(str, term->pattern, term->place == FILTER_USER_PTR);
	}
	return plain_string(str, len, term->pattern);
}

/* Numbers and CPUs */

static bool compare(enum filter_op op, bool less, bool equal, u64 common)
{
	switch (op) {
	case FILTER_OP_EQ:
		return equal;
	case FILTER_OP_NE:
		return !equal;
	case FILTER_OP_LT:
		return less;
	case FILTER_OP_LE:
		return less || equal;
	case FILTER_OP_GT:
		return !less && !equal;
	case FILTER_OP_GE:
		return !less;
	case FILTER_OP_BAND:
		return common;
	default:
		return false;
	}
}

/* A number of @size bytes, as 64 bits of which the upper ones repeat the sign or not. */
static u64 widen(u64 val, u32 size, bool is_signed)
{
	u32 spare = 64 - 8 * size;

	return is_signed ? (u64)((s64)(val << spare) >> spare) : val << spare >> spare;
}

static u64 load(const struct filter_term *term, const void *record)
{
	u64 val = 0;
	u32 i;

	for (i = 0; i < term->size; i++)
		val |= (u64)((const u8 *)record)[term->offset + i] << 8 * i;
	return val;
}

static bool number_term(const struct filter_term *term, const void *record)
{
	u64 have = widen(load(term, record), term->size, term->is_signed);
	u64 want = widen(term->val, term->size, term->is_signed);

	return compare(term->op, term->is_signed ? (s64)have < (s64)want : have < want,
		       have == want, have & want);
}

static bool has_cpu(const struct filter_cpus *cpus, u32 cpu)
{
	return cpus->bits[cpu / BITS_PER_LONG] & 1UL << cpu % BITS_PER_LONG;
}

static bool cpu_term(const struct filter_term *term, u32 cpu)
{
	if (cpu >= filter_nr_cpus())
		return false;
	switch (term->cpus->op) {
	case FILTER_OP_EQ:
		return false;
	case FILTER_OP_NE:
		return true;
	default:
		return has_cpu(term->cpus, cpu);
	}
}

static bool cpus_term(const struct filter_term *term, const void *record)
{
	bool equal = true, common = false, have;
	u32 len, cpu;
	const u8 *mask = locate(term, record, &len);

	for (cpu = 0; cpu < filter_nr_cpus(); cpu++) {
		have = cpu / 8 < len && mask[cpu / 8] & 1 << cpu % 8;
		equal &= have == has_cpu(term->cpus, cpu);
		common |= have && has_cpu(term->cpus, cpu);
	}
	return compare(term->cpus->op, false, equal, common);
}

static bool plain_term(const struct filter_term *term, const void *record)
{
	u64 val;
	s32 cpu;

	switch (term->kind) {
	case FILTER_NEVER:
		return false;
	case FILTER_NUMBER:
		return number_term(term, record);
	case FILTER_RANGE:
		val = load(term, record);
		return (val >= term->val && val < term->val + term->val2) ==
		       (term->op == FILTER_OP_EQ);
	case FILTER_THIS_CPU:
		cpu = raw_smp_processor_id();
		return compare(term->op, cpu < (s32)term->val, cpu == (s32)term->val, 0);
	case FILTER_THIS_CPU_IN:
		return cpu_term(term, raw_smp_processor_id());
	case FILTER_CPU_IN:
		return cpu_term(term, load(term, record));
	case FILTER_CPUS:
		return cpus_term(term, record);
	case FILTER_STRING:
		return string_term(term, record);
	}
	return false;
}

bool filter_plain(const struct filter_tree *tree, const struct filter_test_record *record,
		  bool *values)
{
	const struct filter_node *node;
	u32 depth = 0;

	for (node = tree->nodes; node < tree->nodes + tree->nr_nodes; node++) {
		if (node->kind == FILTER_TERM) {
			values[depth++] = plain_term(&tree->terms[node->first], record);
		} else {
			depth--;
			values[depth - 1] = node->kind == FILTER_AND ?
				values[depth - 1] & values[depth] :
				values[depth - 1] | values[depth];
		}
		values[depth - 1] ^= node->negate;
	}
	return values[0];
}
