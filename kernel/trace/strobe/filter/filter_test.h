/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of filters in the kernel and in user space: an event with a field
 * of each kind, a second implementation of filters, and a generator of filters and
 * records.
 */
#ifndef _STROBE_FILTER_FILTER_TEST_H
#define _STROBE_FILTER_FILTER_TEST_H

#include <linux/strobe/entry.h>
#include <linux/strobe/field.h>
#include <linux/types.h>

#include "filter/internal.h"

/**
 * struct filter_test_record - a record of the test's event
 * @ent:	the common fields
 * @data:	data of the __data_loc and __rel_loc fields
 *
 * FILTER_TEST_FIELDS describes the other members.
 */
struct filter_test_record {
	struct trace_entry	ent;
	s8			sb;
	u8			ub;
	s16			sh;
	u16			uh;
	s32			si;
	u32			ui;
	s64			sl;
	u64			ul;
	char			name[8];
	char			one[1];
	u32			text;
	u32			rel;
	const char		*ptr;
	u64			ip;
	u32			mask;
	u32			rel_mask;
	s32			array[3];
	char			data[64];
};

/* The offset of the lowest byte in a long, of which masks of CPUs are made */
#define LOW_BYTE	(IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? sizeof(long) - 1 : 0)

/* f(member, its type in the format file, whether it is signed, its FILTER_* type) */
#define FILTER_TEST_FIELDS(f)						\
	f(sb, "s8", 1, FILTER_OTHER)					\
	f(ub, "u8", 0, FILTER_OTHER)					\
	f(sh, "s16", 1, FILTER_OTHER)					\
	f(uh, "u16", 0, FILTER_OTHER)					\
	f(si, "s32", 1, FILTER_OTHER)					\
	f(ui, "u32", 0, FILTER_OTHER)					\
	f(sl, "s64", 1, FILTER_OTHER)					\
	f(ul, "u64", 0, FILTER_OTHER)					\
	f(name, "char[8]", 1, FILTER_STATIC_STRING)			\
	f(one, "char[1]", 1, FILTER_STATIC_STRING)			\
	f(text, "__data_loc char[]", 0, FILTER_DYN_STRING)		\
	f(rel, "__rel_loc char[]", 0, FILTER_RDYN_STRING)		\
	f(ptr, "const char *", 0, FILTER_PTR_STRING)			\
	f(ip, "u64", 0, FILTER_OTHER)					\
	f(mask, "__data_loc cpumask_t", 0, FILTER_CPUMASK)		\
	f(rel_mask, "__rel_loc cpumask_t", 0, FILTER_CPUMASK)		\
	f(array, "s32[3]", 1, FILTER_OTHER)

/* An event with these fields, and one whose class has user_pointers. */
extern const struct trace_event_call strobe_filter_test_call;
extern const struct trace_event_call strobe_filter_test_user_call;

/* plain_test.c: returns 1, 0 or -errno; -E2BIG if it gives up */
int strobe_filter_plain(const char *text, const struct filter_test_record *record);

/* gen_test.c */
struct filter_gen {
	u64	state;	/* never 0 */
	char	text[2048];
};

u32 strobe_filter_gen_random(struct filter_gen *gen, u32 below);
void strobe_filter_gen_text(struct filter_gen *gen, u32 terms);
void strobe_filter_gen_damage(struct filter_gen *gen);
void strobe_filter_gen_record(struct filter_gen *gen, struct filter_test_record *record);

/* Functions whose addresses are in the records. */
#define FILTER_TEST_SYMBOLS	"strobe_filter_plain", "strobe_filter_gen_record"

#endif /* _STROBE_FILTER_FILTER_TEST_H */
