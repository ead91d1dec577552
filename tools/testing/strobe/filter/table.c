// SPDX-License-Identifier: GPL-2.0
/* The table of programs, for the shims of filters and of dynamic events: a list */
#include "filter/shim.h"

void shim_hash_add(struct hlist_node **head, struct hlist_node *node)
{
	*node = (struct hlist_node) { *head, head };
	if (*head)
		(*head)->pprev = &node->next;
	*head = node;
}

void hash_del(struct hlist_node *node)
{
	if (!node->pprev)
		return;
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
}

u32 jhash(const void *key, u32 len, u32 seed)
{
	const u8 *byte = key;

	while (len--)
		seed = (seed ^ *byte++) * 16777619;
	return seed;
}
