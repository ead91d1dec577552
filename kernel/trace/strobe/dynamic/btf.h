/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments by the names and types that the kernel's BTF has for a function.
 *
 * The functions are not built without CONFIG_PROBE_EVENTS_BTF_ARGS. So their callers test
 * IS_ENABLED() of it, or dyn_btf_has_type().
 */
#ifndef _STROBE_DYNAMIC_BTF_H
#define _STROBE_DYNAMIC_BTF_H

#include <linux/btf.h>
#include <linux/kconfig.h>

#include "dynamic/errors.h"
#include "dynamic/internal.h"

int strobe_dyn_btf_open(struct dyn_parser *p);
void strobe_dyn_btf_close(struct dyn_parser *p);
int strobe_dyn_btf_parse(struct dyn_parser *p, char *text);
int strobe_dyn_btf_type(struct dyn_parser *p);
int strobe_dyn_btf_string(struct dyn_parser *p, bool user);
int strobe_dyn_btf_bits(struct dyn_parser *p, struct dyn_arg *arg);

/* Does BTF say which type the value has that is parsed? */
static inline bool dyn_btf_has_type(const struct dyn_parser *p)
{
	return IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS) && p->btf.type;
}

/* The name of parameter @nr, counted from 0, which lives until strobe_dyn_btf_close(); or NULL */
static inline const char *dyn_btf_param_name(const struct dyn_parser *p, u32 nr)
{
	return btf_name_by_offset(p->btf.btf, p->btf.params[nr].name_off);
}

#endif /* _STROBE_DYNAMIC_BTF_H */
