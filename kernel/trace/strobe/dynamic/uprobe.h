/* SPDX-License-Identifier: GPL-2.0 */
/* Uprobes: shared by uprobe.c and perf.c. */
#ifndef _STROBE_DYNAMIC_UPROBE_H
#define _STROBE_DYNAMIC_UPROBE_H

#include <linux/path.h>
#include <linux/uprobes.h>

#include "dynamic/dynamic.h"

/**
 * struct uprobe_probe - a probe in the processes that map a file
 * @probe:	  what all kinds of probes have
 * @consumer:	  its callbacks
 * @uprobe:	  armed: what uprobes.c knows it by
 * @path:	  the file
 * @filename:	  its name as it was given
 * @offset:	  where in the file
 * @ref_offset:	  where in the file the reference counter is; 0: there is none
 * @unregistered: was disarmed, and callbacks may still run
 */
struct uprobe_probe {
	struct dyn_probe	probe;
	struct uprobe_consumer	consumer;
	struct uprobe		*uprobe;
	struct path		path;
	char			*filename;
	unsigned long		offset;
	unsigned long		ref_offset;
	bool			unregistered;
};

static inline struct uprobe_probe *uprobe_of(const struct dyn_probe *probe)
{
	return container_of(probe, struct uprobe_probe, probe);
}

void strobe_uprobe_setup(struct uprobe_probe *up);

#endif /* _STROBE_DYNAMIC_UPROBE_H */
