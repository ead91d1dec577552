/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What error_log says of definitions that are refused: texts that several places use. Each text
 * is ABI, also where it stands in the code; a column of the log's last line, below the command,
 * points to the place.
 */
#ifndef _STROBE_DYNAMIC_ERRORS_H
#define _STROBE_DYNAMIC_ERRORS_H

#define DYN_ERR_BAD_MAXACT_TYPE	"Maxactive is only for function exit"
#define DYN_ERR_BAD_MAXACT	"Invalid maxactive number"
#define DYN_ERR_BAD_PROBE_ADDR	"Invalid probed address or symbol"
#define DYN_ERR_BAD_ADDR_SUFFIX	"Invalid probed address suffix"
#define DYN_ERR_RETVAL_ON_PROBE	"$retval is not available on probe"
#define DYN_ERR_BAD_ARG_NUM	"Invalid argument number"
#define DYN_ERR_BAD_VAR		"Invalid $-variable specified"
#define DYN_ERR_TOO_MANY_OPS	"Dereference is too much nested"
#define DYN_ERR_BAD_FETCH_ARG	"Invalid fetch argument"
#define DYN_ERR_BAD_STRING	"String accepts only memory argument"
#define DYN_ERR_BAD_BITFIELD	"Invalid bitfield"
#define DYN_ERR_NOSUP_BTFARG	"BTF is not available or not supported"
#define DYN_ERR_NO_BTFARG	"This variable is not found at this probe point"
#define DYN_ERR_NO_BTF_ENTRY	"No BTF entry for this probe point"
#define DYN_ERR_NOFENTRY_ARGS	"$arg* can be used only on function entry or exit"
#define DYN_ERR_BAD_BTF_TID	"Failed to get BTF type info."

#endif /* _STROBE_DYNAMIC_ERRORS_H */
