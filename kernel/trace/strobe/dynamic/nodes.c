// SPDX-License-Identifier: GPL-2.0
/*
 * Append nodes to the expression of an argument, for the files that parse it.
 *
 * No state. Contexts: task.
 */
#include <linux/errno.h>
#include <linux/types.h>

#include "dynamic/errors.h"
#include "dynamic/internal.h"

/**
 * strobe_dyn_push - append a node
 * @p:   the parser; there is room
 * @op:  the operation
 * @val: its value
 *
 * Return: the node, whose other members are 0
 */
struct dyn_node *strobe_dyn_push(struct dyn_parser *p, enum dyn_op op, u64 val)
{
	struct dyn_node *node = &p->nodes[p->nr_nodes++];

	*node = (struct dyn_node) { .op = op, .val = val };
	return node;
}

/**
 * strobe_dyn_push_read - append a node that reads memory
 * @p:      the parser
 * @op:	    DYN_READ or DYN_READ_USER
 * @offset: to be added to the address
 *
 * Return: 0, or -EINVAL if it is one step too many; refused
 */
int strobe_dyn_push_read(struct dyn_parser *p, enum dyn_op op, long offset)
{
	if (++p->ops == DYN_OPS_MAX)
		return dyn_refuse(p, -EINVAL, DYN_ERR_TOO_MANY_OPS);
	strobe_dyn_push(p, op, offset);
	return 0;
}

/* The place of a parameter among those that are kept: each is kept once. */
static u32 kept_place(struct dyn_parser *p, u32 param)
{
	u32 i;

	for (i = 0; i < p->nr_nodes; i++) {
		if (p->nodes[i].op == DYN_KEPT && p->nodes[i].at == param)
			return p->nodes[i].val;
	}
	p->kept += sizeof(u64);
	return p->kept - sizeof(u64);
}

/**
 * strobe_dyn_push_param - append a node with a parameter of the function
 * @p:     the parser; the probe is at a function's entry, or at its return
 * @param: number of the parameter, from 0
 *
 * Return: 0
 */
int strobe_dyn_push_param(struct dyn_parser *p, u32 param)
{
	if (dyn_is_return(p->source)) {
		u32 place = kept_place(p, param);

		strobe_dyn_push(p, DYN_KEPT, place)->at = param;
		return 0;
	}
	/* The first parameter of a tracepoint's probe is no argument of the tracepoint. */
	if (p->source->flags & DYN_TPOINT)
		param++;
	strobe_dyn_push(p, DYN_PARAM, param);
	return 0;
}
