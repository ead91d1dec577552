/* SPDX-License-Identifier: GPL-2.0 */
/* The records of the torture test; also for the description of their fields to filters. */
#ifndef _STROBE_RECORD_PAYLOAD_H
#define _STROBE_RECORD_PAYLOAD_H

#include <linux/strobe/entry.h>

struct payload {
	struct trace_entry	ent;
	u32			serial;
	u16			len;
	u8			cpu;
	u8			file;
	u8			level;
	char			tag[7];	/* computed from serial, for filters */
	u8			fill[];
} __attribute__((__packed__)) __aligned(4);

#endif /* _STROBE_RECORD_PAYLOAD_H */
