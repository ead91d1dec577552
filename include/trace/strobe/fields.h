/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of a record as a sequence over which passes map.
 *
 * TP_STRUCT__entry(__field(int, cpu) __string(name, dev->name)) becomes
 *
 *	(strobe_plain, int, cpu, "int", "cpu", FILTER_OTHER)
 *	(strobe_str, strobe_data_loc, __data_loc_name, ...)
 *
 * one tuple for each field. Its first element is the kind of the field:
 *
 *	strobe_plain	type, item, type string, name, filter type
 *	strobe_struct	the same; never signed
 *	strobe_array	type, item, length, type string, name
 *	strobe_dyn	where, member, type string, name, signed, id, bytes
 *	strobe_str	where, member, type string, name, signed, id, bytes, source
 *
 * The member is a u32, size << 16 | offset. "where" is strobe_data_loc if the offset
 * counts from the start of the payload, strobe_rel_loc if from the member's own end.
 *
 * The types become strings here, before other macros can expand them, so that the format
 * file shows them as the header has them.
 *
 * STROBE_MAP_x(sequence) expands to STROBE_x_KIND(the rest of the tuple) for each
 * tuple. STROBE_x_A consumes one tuple and leaves STROBE_x_B in front of the next one;
 * that does the same and leaves STROBE_x_A, so the length is not limited.
 * STROBE_MAP_END() removes the last of them.
 */
#undef __field
#undef __field_ext
#undef __field_struct
#undef __field_struct_ext
#undef __array
#define __field(type, item) __field_ext(type, item, FILTER_OTHER)
#define __field_ext(type, item, filter) \
	(strobe_plain, type, item, #type, #item, filter)
#define __field_struct(type, item) __field_struct_ext(type, item, FILTER_OTHER)
#define __field_struct_ext(type, item, filter) \
	(strobe_struct, type, item, #type, #item, filter)
#define __array(type, item, len) \
	(strobe_array, type, item, len, #type "[" __stringify(len) "]", #item)

/*
 * Dynamic fields. If the name of a field is a macro, too, __dynamic_array() shows the name as
 * it is written; the others have passed it on, so they show what it expands to, as do the
 * macros that use the field.
 */
#undef __dynamic_array
#undef __string
#undef __string_len
#undef __vstring
#undef __bitmask
#undef __cpumask
#undef __sockaddr
#define __dynamic_array(type, item, len) \
	(strobe_dyn, strobe_data_loc, __data_loc_##item, "__data_loc " #type "[]", #item, \
	 is_signed_type(type), item, (len) * sizeof(type))
#define __string(item, src) __STROBE_STRING(data_loc, item, src)
#define __string_len(item, src, len) __STROBE_STRING_LEN(data_loc, item, src, len)
#define __vstring(item, fmt, ap) \
	__STROBE_CHARS(strobe_dyn, data_loc, item, strobe_vstr_bytes(fmt, ap))
#define __bitmask(item, nr_bits) __STROBE_MASK(data_loc, item, "unsigned long[]", nr_bits)
#define __cpumask(item) __STROBE_MASK(data_loc, item, "cpumask_t", nr_cpumask_bits)
#define __sockaddr(item, len) __dynamic_array(u8, item, len)

#undef __rel_dynamic_array
#undef __rel_string
#undef __rel_string_len
#undef __rel_bitmask
#undef __rel_cpumask
#undef __rel_sockaddr
#define __rel_dynamic_array(type, item, len) \
	(strobe_dyn, strobe_rel_loc, __rel_loc_##item, "__rel_loc " #type "[]", #item, \
	 is_signed_type(type), item, (len) * sizeof(type))
#define __rel_string(item, src) __STROBE_STRING(rel_loc, item, src)
#define __rel_string_len(item, src, len) __STROBE_STRING_LEN(rel_loc, item, src, len)
#define __rel_bitmask(item, nr_bits) __STROBE_MASK(rel_loc, item, "unsigned long[]", nr_bits)
#define __rel_cpumask(item) __STROBE_MASK(rel_loc, item, "cpumask_t", nr_cpumask_bits)
#define __rel_sockaddr(item, len) __rel_dynamic_array(u8, item, len)

#ifndef _TRACE_STROBE_FIELDS_H
#define _TRACE_STROBE_FIELDS_H

/*
 * Tuples. @loc: data_loc or rel_loc, part of the name and the type of the member. Macros pass it
 * on, so it must not be a macro itself; "data" would be likelier to be one.
 */
#define __STROBE_DYN(kind, loc, item, type, sgn, ...) \
	(kind, strobe_##loc, __##loc##_##item, "__" #loc " " type, #item, sgn, item, __VA_ARGS__)
#define __STROBE_CHARS(kind, loc, item, ...) \
	__STROBE_DYN(kind, loc, item, "char[]", is_signed_type(char), __VA_ARGS__)
#define __STROBE_STRING(loc, item, src) \
	__STROBE_CHARS(strobe_str, loc, item, strobe_str_bytes(__strobe_src_##item), src)
#define __STROBE_STRING_LEN(loc, item, src, len) \
	__STROBE_CHARS(strobe_str, loc, item, \
		       strobe_strn_bytes(__strobe_src_##item, (len) + 1), (const void *)(src))
#define __STROBE_MASK(loc, item, type, nr_bits) \
	__STROBE_DYN(strobe_dyn, loc, item, type, 0, STROBE_BITMASK_BYTES(nr_bits))

#define STROBE_MAP_END(...) __STROBE_MAP_END(__VA_ARGS__)
#define __STROBE_MAP_END(...) __VA_ARGS__##_END

/* MEMBER: the member in the struct of the record. */
#define STROBE_MAP_MEMBER(seq...) STROBE_MAP_END(STROBE_MEMBER_A seq)
#define STROBE_MEMBER_A(kind, ...) STROBE_MEMBER_##kind(__VA_ARGS__) STROBE_MEMBER_B
#define STROBE_MEMBER_B(kind, ...) STROBE_MEMBER_##kind(__VA_ARGS__) STROBE_MEMBER_A
#define STROBE_MEMBER_A_END
#define STROBE_MEMBER_B_END
#define STROBE_MEMBER_strobe_plain(type, item, ...) type item;
#define STROBE_MEMBER_strobe_struct(type, item, ...) type item;
#define STROBE_MEMBER_strobe_array(type, item, len, ...) type item[len];
#define STROBE_MEMBER_strobe_dyn(where, member, ...) u32 member;
#define STROBE_MEMBER_strobe_str(where, member, ...) u32 member;

/* ENTRY: the entry in the table of fields. */
#define STROBE_MAP_ENTRY(seq...) STROBE_MAP_END(STROBE_ENTRY_A seq)
#define STROBE_ENTRY_A(kind, ...) STROBE_ENTRY_##kind(__VA_ARGS__) STROBE_ENTRY_B
#define STROBE_ENTRY_B(kind, ...) STROBE_ENTRY_##kind(__VA_ARGS__) STROBE_ENTRY_A
#define STROBE_ENTRY_A_END
#define STROBE_ENTRY_B_END
/* A member may have a smaller alignment than a variable of its type. */
#define __STROBE_ALIGN(type_) __alignof__(struct { type_ member; })
#define __STROBE_ENTRY(type_, name_, size_, len_, align_, signed_, filter_) {	\
	.type = type_, .name = name_, .size = size_, .len = len_,		\
	.align = align_, .is_signed = signed_, .filter_type = filter_ },
#define STROBE_ENTRY_strobe_plain(type, item, tstr, name, filter)		\
	__STROBE_ENTRY(tstr, name, sizeof(type), 0, __STROBE_ALIGN(type),	\
		       is_signed_type(type), filter)
#define STROBE_ENTRY_strobe_struct(type, item, tstr, name, filter)		\
	__STROBE_ENTRY(tstr, name, sizeof(type), 0, __STROBE_ALIGN(type), 0, filter)
#define STROBE_ENTRY_strobe_array(type, item, len, tstr, name)			\
	__STROBE_ENTRY(tstr, name, sizeof(type[len]), len, __STROBE_ALIGN(type),\
		       is_signed_type(type), FILTER_OTHER)
#define STROBE_ENTRY_strobe_dyn(where, member, tstr, name, sgn, ...)		\
	__STROBE_ENTRY(tstr, name, 4, 0, 4, sgn, FILTER_OTHER)
#define STROBE_ENTRY_strobe_str(where, member, tstr, name, sgn, ...)		\
	__STROBE_ENTRY(tstr, name, 4, 0, 4, sgn, FILTER_OTHER)

/*
 * SIZE: statements of the probe that compute the length of the record.  Variables
 * hold the length and offset of each dynamic field, and the source of each string,
 * so that the assignments need not load them again.
 *
 * A plain field must not have an array in its name, as in __field(int, a[5]): the
 * tag of the struct below would be a syntax error.
 */
#define STROBE_MAP_SIZE(seq...) STROBE_MAP_END(STROBE_SIZE_A seq)
#define STROBE_SIZE_A(kind, ...) STROBE_SIZE_##kind(__VA_ARGS__) STROBE_SIZE_B
#define STROBE_SIZE_B(kind, ...) STROBE_SIZE_##kind(__VA_ARGS__) STROBE_SIZE_A
#define STROBE_SIZE_A_END
#define STROBE_SIZE_B_END
#define __STROBE_NOT_AN_ARRAY(item) (void)sizeof(struct strobe_not_an_array_##item *);
#define STROBE_SIZE_strobe_plain(type, item, ...) __STROBE_NOT_AN_ARRAY(item)
#define STROBE_SIZE_strobe_struct(type, item, ...) __STROBE_NOT_AN_ARRAY(item)
#define STROBE_SIZE_strobe_array(type, item, len, ...)
/*
 * @type: unsigned long for the length of a string, which was measured. Other lengths are
 * cut to 32 bits, so that the sum does not wrap.
 */
#define __STROBE_SIZE(type, id, bytes)						\
	const type __strobe_len_##id = (bytes);					\
	const u32 __strobe_off_##id = __strobe_end;				\
	__strobe_end += __strobe_len_##id;
#define STROBE_SIZE_strobe_dyn(where, member, tstr, name, sgn, id, bytes)	\
	__STROBE_SIZE(u32, id, bytes)
#define STROBE_SIZE_strobe_str(where, member, tstr, name, sgn, id, bytes, src)	\
	const char *const __strobe_src_##id = strobe_str_src(src);		\
	__STROBE_SIZE(unsigned long, id, bytes)

/* LOC: statements of the probe that store the location of each dynamic field. */
#define STROBE_MAP_LOC(seq...) STROBE_MAP_END(STROBE_LOC_A seq)
#define STROBE_LOC_A(kind, ...) STROBE_LOC_##kind(__VA_ARGS__) STROBE_LOC_B
#define STROBE_LOC_B(kind, ...) STROBE_LOC_##kind(__VA_ARGS__) STROBE_LOC_A
#define STROBE_LOC_A_END
#define STROBE_LOC_B_END
#define STROBE_LOC_strobe_plain(...)
#define STROBE_LOC_strobe_struct(...)
#define STROBE_LOC_strobe_array(...)
#define STROBE_LOC_strobe_dyn(where, member, tstr, name, sgn, id, ...)		\
	__entry->member = __strobe_len_##id << 16 |				\
			  (__strobe_off_##id - STROBE_BASE_##where(member));
#define STROBE_LOC_strobe_str(where, member, tstr, name, sgn, id, ...)		\
	STROBE_LOC_strobe_dyn(where, member, tstr, name, sgn, id)
#define STROBE_BASE_strobe_data_loc(member) 0
#define STROBE_BASE_strobe_rel_loc(member) (u32)offsetofend(typeof(*__entry), member)

#define STROBE_BITMASK_BYTES(nr_bits) (BITS_TO_LONGS(nr_bits) * sizeof(long))

static __always_inline const char *strobe_str_src(const char *src)
{
	if (unlikely(!src)) {
		src = strobe_null_str;
		barrier();	/* Make the compiler use a jump, not a conditional move. */
	}
	return src;
}

/* @src need not have a NUL within @bytes, but the substitute for NULL may be shorter. */
static __always_inline u32 strobe_strn_bytes(const char *src, u32 bytes)
{
	if (src == strobe_null_str)
		return min_t(u32, bytes, sizeof(EVENT_NULL_STR));
	/* The field has at least a NUL, even if the header gives -1 as the length. */
	return bytes ?: 1;
}

#endif /* _TRACE_STROBE_FIELDS_H */
