/* SPDX-License-Identifier: GPL-2.0 */
/* Arguments by the names and types that the kernel's BTF has for a function. */
#ifndef _STROBE_DYNAMIC_BTF_H
#define _STROBE_DYNAMIC_BTF_H

#include <linux/errno.h>

#include "dynamic/errors.h"
#include "dynamic/internal.h"

#ifdef CONFIG_PROBE_EVENTS_BTF_ARGS

int strobe_dyn_btf_open(struct dyn_parser *p);
void strobe_dyn_btf_close(struct dyn_parser *p);
u32 strobe_dyn_btf_params(const struct dyn_parser *p);
const char *strobe_dyn_btf_param_name(const struct dyn_parser *p, u32 nr);
int strobe_dyn_btf_parse(struct dyn_parser *p, char *text);
void strobe_dyn_btf_forget(struct dyn_parser *p);
bool strobe_dyn_btf_has_type(const struct dyn_parser *p);
int strobe_dyn_btf_type(struct dyn_parser *p);
int strobe_dyn_btf_string(struct dyn_parser *p, bool user);
int strobe_dyn_btf_bits(struct dyn_parser *p, struct dyn_arg *arg);

#else

/* Find out what the function's parameters are. */
static inline int strobe_dyn_btf_open(struct dyn_parser *p)
{
	return -EOPNOTSUPP;
}

static inline void strobe_dyn_btf_close(struct dyn_parser *p)
{
}

static inline u32 strobe_dyn_btf_params(const struct dyn_parser *p)
{
	return 0;
}

static inline const char *strobe_dyn_btf_param_name(const struct dyn_parser *p, u32 nr)
{
	return NULL;
}

/* Parse the name of a parameter, or "$retval", and the names of members that follow. */
static inline int strobe_dyn_btf_parse(struct dyn_parser *p, char *text)
{
	return strobe_dyn_refuse(p, p->offset, DYN_ERR_NOSUP_BTFARG, -EOPNOTSUPP);
}

/* The value that is read now has no known type. */
static inline void strobe_dyn_btf_forget(struct dyn_parser *p)
{
}

static inline bool strobe_dyn_btf_has_type(const struct dyn_parser *p)
{
	return false;
}

/* Return the number of the value's type, or -EINVAL. */
static inline int strobe_dyn_btf_type(struct dyn_parser *p)
{
	return -EINVAL;
}

/* The value is to be stored as a string. */
static inline int strobe_dyn_btf_string(struct dyn_parser *p, bool user)
{
	return 0;
}

/* The value may be a bitfield. */
static inline int strobe_dyn_btf_bits(struct dyn_parser *p, struct dyn_arg *arg)
{
	return 0;
}

#endif

#endif /* _STROBE_DYNAMIC_BTF_H */
