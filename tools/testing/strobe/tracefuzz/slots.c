// SPDX-License-Identifier: GPL-2.0
/* Generating actions on files that stay open, and on perf events */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "generate.h"

int a_slot(struct rng *rng)
{
	return below(rng, one_in(rng, 4) ? 16 : 3);
}

/* The slots that are in use after the actions of a batch, if all of them succeed */
static unsigned int used;

static int a_used_slot(struct rng *rng)
{
	int slot;

	if (!used || one_in(rng, 8))
		return a_slot(rng);
	do {
		slot = below(rng, 16);
	} while (!(used & 1U << slot));
	return slot;
}

static void note_slot(const char *line)
{
	/* A line of the corpus may have been changed to one with another number. */
	unsigned int slot;
	char verb[8];

	if (sscanf(line, "%7s %u", verb, &slot) != 2)
		return;
	if (!strcmp(verb, "open") || !strcmp(verb, "perf") || !strcmp(verb, "probe") ||
	    !strcmp(verb, "bpf"))
		used |= 1U << slot % 16;
	else if (!strcmp(verb, "close"))
		used &= ~(1U << slot % 16);
}

void note_slots(const struct batch *batch)
{
	int i;

	used = 0;
	for (i = 0; i < batch->nr; i++)
		note_slot(batch->lines[i]);
}

/* An ioctl: of raw records (0 and TRACE_MMAP_IOCTL_GET_READER), of a perf event, or of none */
static void add_ioctl(struct rng *rng, struct text *line, int slot)
{
	static const unsigned int perf[] = {
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_REFRESH,
		PERF_EVENT_IOC_RESET, PERF_EVENT_IOC_PERIOD, PERF_EVENT_IOC_SET_OUTPUT,
		PERF_EVENT_IOC_ID, PERF_EVENT_IOC_PAUSE_OUTPUT, PERF_EVENT_IOC_QUERY_BPF,
		PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
	};
	unsigned int code;

	switch (below(rng, 5)) {
	case 0:
		code = 0;
		break;
	case 1:
		code = 0x5220;
		break;
	case 2:
		code = one_in(rng, 2) ? 0x2400 + below(rng, 12) : 0x5200 + below(rng, 40);
		break;
	default:
		code = perf[below(rng, ARRAY_SIZE(perf))];
	}
	add(line, "ioctl %d 0x%x %d", slot, code,
	    code == PERF_EVENT_IOC_SET_OUTPUT ? a_used_slot(rng) : below(rng, 3));
}

void add_slot(struct rng *rng, struct text *line)
{
	int slot = a_used_slot(rng);
	struct text text = { };

	switch (below(rng, 12)) {
	case 0:
	case 1:
		add(line, "fdread %d %d", slot, a_size(rng));
		break;
	case 2:
		gen_written(rng, &text);
		add(line, "fdwrite %d ", slot);
		add_text(rng, line, &text);
		break;
	case 3:
		add(line, "fdseek %d %d", slot, below(rng, 10000) - 100);
		break;
	case 4:
		add(line, "%s %d %d", one_in(rng, 2) ? "splice" : "hold", slot,
		    one_in(rng, 2) ? 4096 * below(rng, 5) : below(rng, 20000));
		break;
	case 5:
		add(line, "map %d %d", slot, 1 + below(rng, 20));
		break;
	case 6:
		add(line, "%s %d %d", one_in(rng, 2) ? "poll" : "epoll", slot,
		    one_in(rng, 3) ? 1 + below(rng, 20) : 0);
		break;
	case 7:
		add_ioctl(rng, line, slot);
		break;
	case 8:
		/* A meta page and sub-buffers; a perf event has a power of two after the first. */
		add(line, "mmap %d %d %d", slot, one_in(rng, 2) ? 1 + (1 << below(rng, 5)) :
			1 + below(rng, 20), one_in(rng, 4) ? below(rng, 8) : 0);
		break;
	case 9:
		add(line, "munmap %d", slot);
		break;
	case 10:
		gen_filter(rng, &text, an_event(rng));
		add(line, one_in(rng, 3) ? "program %d" : "filter %d ", slot);
		if (*line->buf == 'f')
			add_text(rng, line, &text);
		break;
	default:
		add(line, "close %d", slot);
	}
}

void add_attach(struct rng *rng, struct text *line)
{
	static const char * const kinds[] = {
		"count", "sample", "other", "task", "both", "inherit", "user", "kernel", "leader",
		"member", "member",
	};
	static const char * const programs[] = { "raw", "raw", "event", "link" };
	static const char * const multi[] = { "multi", "multi-return" };
	static const char * const opened[] = { "counter", "counter-link" };
	static const char * const counters[] = {
		"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
	};
	const char *event = an_event(rng);
	struct text text = { };

	if (one_in(rng, 12)) {
		add(line, "bpf %d %s %s", a_slot(rng), PICK(rng, multi), a_function(rng));
		return;
	}
	if (one_in(rng, 5)) {
		add(line, "bpf %d %s %s", a_slot(rng), PICK(rng, opened), PICK(rng, counters));
		return;
	}
	if (one_in(rng, 3)) {
		/* Often the same event, which has several programs then. */
		add(line, "bpf %d %s %s", a_slot(rng), PICK(rng, programs),
		    one_in(rng, 3) ? quiet_events[0] : event);
		return;
	}
	if (one_in(rng, 4)) {
		add_probe(rng, line);
		return;
	}
	add(line, "perf %d %s %s ", a_slot(rng), PICK(rng, kinds), event);
	if (one_in(rng, 2))
		gen_filter(rng, &text, event);
	add_text(rng, line, &text);
}
