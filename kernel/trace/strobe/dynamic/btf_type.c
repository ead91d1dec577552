// SPDX-License-Identifier: GPL-2.0
/*
 * How a value whose type BTF knows is stored if the definition names no type, or says that it
 * is a string. Which type of a record a type of C becomes is ABI.
 *
 * No state but struct dyn_btf of the parser. Contexts: task.
 */
#include <linux/btf.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "dynamic/btf.h"

/*
 * Old compilers describe a bitfield by an integer of its width. An integer that is wider than 64
 * bits has its first ones.
 */
static int odd_integer_type(struct dyn_parser *p)
{
	const struct btf_type *type = p->btf.type;

	if (btf_int_encoding(type) & BTF_INT_SIGNED)
		return strobe_dyn_type_find(NULL, p->source->flags);
	if (btf_int_bits(type) < 64) {
		p->btf.bits = btf_int_bits(type);
		p->btf.first_bit += btf_int_offset(type);
	}
	return strobe_dyn_type_find("u64", p->source->flags);
}

static int integer_type(struct dyn_parser *p)
{
	bool is_signed = btf_int_encoding(p->btf.type) & BTF_INT_SIGNED;
	u32 bits = btf_int_bits(p->btf.type);
	char name[8];

	if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
		return odd_integer_type(p);
	snprintf(name, sizeof(name), "%c%u", is_signed ? 's' : 'u', bits);
	return strobe_dyn_type_find(name, p->source->flags);
}

/**
 * strobe_dyn_btf_type - find the type that the value has in a record
 * @p: the parser, which knows the type of the value
 *
 * Structures, arrays and so on have the default type, as a pointer has.
 *
 * Return: the number of the type
 */
int strobe_dyn_btf_type(struct dyn_parser *p)
{
	switch (btf_kind(p->btf.type)) {
	case BTF_KIND_INT:
		return integer_type(p);
	case BTF_KIND_ENUM:
		return strobe_dyn_type_find("s32", p->source->flags);
	case BTF_KIND_ENUM64:
		return strobe_dyn_type_find("s64", p->source->flags);
	}
	return strobe_dyn_type_find(NULL, p->source->flags);
}

static bool is_char(const struct dyn_parser *p, u32 id)
{
	const struct btf_type *type = btf_type_skip_modifiers(p->btf.btf, id, NULL);

	return type && btf_type_is_int(type) && btf_int_bits(type) == BITS_PER_BYTE &&
	       !(btf_int_encoding(type) & BTF_INT_SIGNED);
}

/**
 * strobe_dyn_btf_string - make a string of the value
 * @p:    the parser, which knows the type of the value
 * @user: a pointer is one to user memory
 *
 * Return: 0; or refused: -EINVAL if it is no array of characters and no pointer to one,
 *	   -E2BIG if reading it is one step too many
 */
int strobe_dyn_btf_string(struct dyn_parser *p, bool user)
{
	const struct btf_type *type = p->btf.type;

	if (btf_type_is_array(type) && is_char(p, btf_array(type)->type))
		return 0;
	if (!btf_type_is_ptr(type) || !is_char(p, type->type))
		return dyn_refuse(p, -EINVAL, "This type does not fit for string.");
	return strobe_dyn_push_read(p, user ? DYN_READ_USER : DYN_READ, 0) ? -E2BIG : 0;
}

/**
 * strobe_dyn_btf_bits - let the value be shifted if it is less than its type in the record
 * @p:   the parser, which knows the type of the value
 * @arg: the argument, which has its type; its shifts are set
 *
 * The bits are unsigned, whatever the type of the bitfield: ABI.
 *
 * Return: 0; or refused, -EINVAL: it is one step too many, or the bits are not within the type
 */
int strobe_dyn_btf_bits(struct dyn_parser *p, struct dyn_arg *arg)
{
	u32 size = BITS_PER_BYTE * dyn_arg_type(arg)->size, first = p->btf.first_bit;
	u32 bits = p->btf.bits, more;
	struct dyn_node *node;

	if (!bits || (bits == size && !first))
		return 0;
	/* Whole bytes are no bitfield when steps are counted: ABI. */
	if ((bits % BITS_PER_BYTE || first) && ++p->ops >= DYN_OPS_MAX)
		return dyn_refuse(p, -EINVAL, DYN_ERR_TOO_MANY_OPS);
	/* Read the aligned word that has the bits, so as to read nothing after the structure. */
	node = &p->nodes[p->nr_nodes - 1];
	more = node->op == DYN_READ ? node->val % (size / BITS_PER_BYTE) : 0;
	if (more * BITS_PER_BYTE + first + bits <= size) {
		node->val -= more;
		first += more * BITS_PER_BYTE;
	}
	if (first + bits > size)
		return dyn_refuse(p, -EINVAL, DYN_ERR_BAD_BITFIELD);
	/* The first bit is the highest one on big endian, but the value is in the lowest bits. */
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		first = size - bits - first;
	arg->left = 64 - bits - first;
	arg->right = 64 - bits;
	return 0;
}
