// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments by the names and types that BTF has for the function of a probe:
 *
 *	NAME		a parameter of the function
 *	NAME->MEMBER	a member of what it points to; more of "->MEMBER" and ".MEMBER" may follow
 *	$retval->MEMBER	a member of what the function's return value points to
 *
 * Members of anonymous structures and unions count as members of what contains them. Each "->"
 * is a node that reads; a "." only adds to its offset. The value has the type of the last name,
 * see btf_type.c. The order of the checks and the places of errors are ABI: the place is that
 * of the first name or of the last member that was found.
 *
 * BTF describes a function by its name only. Two functions of the same name have no entry unless
 * their types are equal. The first parameter of a tracepoint's stub is not an argument of the
 * tracepoint.
 *
 * State: struct dyn_btf in the parser, with a reference of the BTF until the line is parsed.
 * The nodes have numbers only, so the module of the BTF may be removed later. Contexts: task,
 * may sleep; BTF is read-only and needs no lock.
 */
#include <linux/btf.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "dynamic/btf.h"

/* The depth of nested anonymous structures. C has no limit, but each one is a recursion. */
#define ANONYMOUS_MAX	16

static const struct btf_type *resolve(const struct dyn_parser *p, u32 id)
{
	return btf_type_skip_modifiers(p->btf.btf, id, NULL);
}

/* The function whose parameters are the arguments. */
static s32 find_function(struct dyn_parser *p)
{
	char name[KSYM_NAME_LEN];

	if (!(p->source->flags & DYN_TPOINT))
		return bpf_find_btf_id(p->source->symbol, BTF_KIND_FUNC, &p->btf.btf);
	if (snprintf(name, sizeof(name), "__probestub_%s", p->source->symbol) >= sizeof(name))
		return -ENOENT;
	return bpf_find_btf_id(name, BTF_KIND_FUNC, &p->btf.btf);
}

/* Take a reference of the BTF that has the function, and find its type. */
static void open_function(struct dyn_parser *p)
{
	struct dyn_btf *b = &p->btf;
	const struct btf_type *type;
	s32 id;

	b->searched = true;
	if (!p->source->symbol)
		return;
	id = find_function(p);
	if (id < 0) {
		b->btf = NULL;
		return;
	}
	type = btf_type_by_id(b->btf, id);
	if (type && btf_type_is_func(type))
		type = btf_type_by_id(b->btf, type->type);
	if (!type || !btf_type_is_func_proto(type)) {
		strobe_dyn_btf_close(p);
		return;
	}
	b->proto = type;
	b->params = btf_params(type);
	b->nr_params = btf_type_vlen(type);
	if ((p->source->flags & DYN_TPOINT) && b->nr_params) {
		b->params++;
		b->nr_params--;
	}
}

/**
 * strobe_dyn_btf_open - find the type of the function that is probed
 * @p: the parser; a second call only returns the same
 *
 * The caller calls strobe_dyn_btf_close() when the line has been parsed.
 *
 * Context: task, may sleep; searches all types of the kernel for the name.
 * Return: 0, or -ENOENT if the source has no function or BTF does not describe it
 */
int strobe_dyn_btf_open(struct dyn_parser *p)
{
	if (!p->btf.searched)
		open_function(p);
	return p->btf.proto ? 0 : -ENOENT;
}

/**
 * strobe_dyn_btf_close - drop the reference of the BTF
 * @p: the parser; strobe_dyn_btf_open() need not have been called, nor have succeeded
 *
 * Context: any
 */
void strobe_dyn_btf_close(struct dyn_parser *p)
{
	btf_put(p->btf.btf);
	p->btf = (struct dyn_btf) { .searched = p->btf.searched };
}

/**
 * struct found - a member that was found
 * @id:   its type
 * @at:   its first bit, from the start of the outermost structure
 * @bits: its width, if it is a bitfield; else 0
 */
struct found {
	u32	id;
	u32	at;
	u32	bits;
};

/* Find a member of the structure @type, which starts at bit @at. The nearest name counts. */
static bool find_member(const struct dyn_parser *p, const struct btf_type *type, const char *name,
			u32 at, u32 depth, struct found *found)
{
	const struct btf_member *members = btf_members(type);
	const struct btf_type *inner;
	const char *has;
	u32 i;

	for (i = 0; i < btf_vlen(type); i++) {
		has = members[i].name_off ? btf_name_by_offset(p->btf.btf, members[i].name_off) :
					    NULL;
		if (!has || strcmp(has, name))
			continue;
		found->id = members[i].type;
		found->at = at + btf_member_bit_offset(type, i);
		found->bits = btf_member_bitfield_size(type, i);
		return true;
	}
	if (!depth)
		return false;
	for (i = 0; i < btf_vlen(type); i++) {
		inner = members[i].name_off ? NULL : resolve(p, members[i].type);
		if (inner && btf_type_is_struct(inner) &&
		    find_member(p, inner, name, at + btf_member_bit_offset(type, i), depth - 1,
				found))
			return true;
	}
	return false;
}

/* Split @name at a "." or "->". *@next is what follows, or NULL; @arrow: it was "->". */
static int split_name(struct dyn_parser *p, char *name, char **next, bool *arrow)
{
	char *end = strpbrk(name, ".-");

	*next = NULL;
	*arrow = false;
	if (!end)
		return 0;
	if (*end == '-' && end[1] != '>')
		return dyn_refuse_at(p, p->offset + (end - name), -EINVAL,
				     "Failed to parse single hyphen. Forgot '>'?");
	*arrow = *end == '-';
	*next = end + 1 + *arrow;
	*end = 0;
	return 0;
}

/* Step into one member of *@type; *@text is moved to the name after it, or NULL. */
static int parse_member(struct dyn_parser *p, const struct btf_type **type, char **text,
			bool *arrow, struct found *found)
{
	char *name = *text;
	int ret;

	ret = split_name(p, name, text, arrow);
	if (ret)
		return ret;
	if (!btf_type_is_struct(*type))
		return dyn_refuse(p, -EINVAL, DYN_ERR_BAD_BTF_TID);
	if (!find_member(p, *type, name, found->at, ANONYMOUS_MAX, found))
		return dyn_refuse(p, -ENOENT, "This field is not found.");
	*type = resolve(p, found->id);
	if (!*type)
		return dyn_refuse(p, -EINVAL, DYN_ERR_BAD_BTF_TID);
	/* Errors after the last member are reported where it begins. */
	if (*text)
		p->offset += *text - name;
	return 0;
}

/* Parse the members that follow a value of type @type, which has to be a pointer. */
static int parse_members(struct dyn_parser *p, const struct btf_type *type, char *text)
{
	struct found found;
	bool arrow;
	int ret;

	while (text) {
		if (!btf_type_is_ptr(type))
			return dyn_refuse(p, -EINVAL, "This is not a pointer to union/structure.");
		type = resolve(p, type->type);
		if (!type)
			return dyn_refuse(p, -EINVAL, DYN_ERR_BAD_BTF_TID);
		found = (struct found) { };
		do {
			ret = parse_member(p, &type, &text, &arrow, &found);
			if (ret)
				return ret;
		} while (text && !arrow);
		ret = strobe_dyn_push_read(p, DYN_READ, found.at / BITS_PER_BYTE);
		if (ret)
			return ret;
	}
	p->btf.type = type;
	p->btf.first_bit = found.at % BITS_PER_BYTE;
	p->btf.bits = found.bits;
	return 0;
}

/* Parse a value of type @id, whose node has been made, and the members after it, if any. */
static int parse_value(struct dyn_parser *p, u32 id, const char *name, char *members)
{
	const struct btf_type *type = resolve(p, id);

	if (!type)
		return dyn_refuse(p, -EINVAL, DYN_ERR_BAD_BTF_TID);
	if (members) {
		p->offset += members - name;
		return parse_members(p, type, members);
	}
	p->btf.type = type;
	p->btf.first_bit = 0;
	p->btf.bits = 0;
	return 0;
}

static int parse_retval(struct dyn_parser *p, const char *name, char *members)
{
	strobe_dyn_push(p, DYN_RETVAL, 0);
	if (strobe_dyn_btf_open(p)) {
		/* The value itself needs no BTF. */
		if (!members)
			return 0;
		return dyn_refuse_at(p, p->offset + (members - name), -ENOENT,
				     DYN_ERR_NO_BTF_ENTRY);
	}
	if (!p->btf.proto->type)
		return dyn_refuse(p, -ENOENT, "This function returns 'void' type");
	return parse_value(p, p->btf.proto->type, name, members);
}

/**
 * strobe_dyn_btf_parse - parse the name of a parameter, or "$retval", and names of members
 * @p:    the parser; with "$retval", the function returns
 * @text: the names, which are changed
 *
 * Context: task, may sleep
 * Return: 0; or refused: -EINVAL, -ENOENT, -EOPNOTSUPP
 */
int strobe_dyn_btf_parse(struct dyn_parser *p, char *text)
{
	const char *name;
	char *members;
	bool arrow;
	int ret;
	u32 i;

	ret = split_name(p, text, &members, &arrow);
	if (ret)
		return ret;
	if (members && !arrow)
		return dyn_refuse_at(p, p->offset + (members - text), -EOPNOTSUPP,
				     "Non pointer structure/union argument is not supported.");
	if ((p->source->flags & DYN_RETURN) && !strcmp(text, "$retval"))
		return parse_retval(p, text, members);
	if (strobe_dyn_btf_open(p) || !p->btf.nr_params)
		return dyn_refuse(p, -ENOENT, DYN_ERR_NO_BTF_ENTRY);
	for (i = 0; i < p->btf.nr_params; i++) {
		name = dyn_btf_param_name(p, i);
		if (!name || strcmp(name, text))
			continue;
		strobe_dyn_push_param(p, i);
		return parse_value(p, p->btf.params[i].type, text, members);
	}
	return dyn_refuse(p, -ENOENT, DYN_ERR_NO_BTFARG);
}
