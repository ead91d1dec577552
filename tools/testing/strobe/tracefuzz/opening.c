// SPDX-License-Identifier: GPL-2.0
/*
 * How batches begin. With random actions alone, a check might compare nothing in a whole run: the
 * settings on which it depends are seldom all right.
 */
#include "tracefuzz.h"

#define OPTIONS \
	"mkdir instances/a", \
	"write instances/a/trace_options t nostacktrace", \
	"write instances/a/trace_options t nopause-on-trace"

/*
 * Records of signals, with programs that use the registers, see program_of(), and with a group of
 * perf events; and a filter that is refused after another one
 */
static const char * const signals[] = {
	OPTIONS,
	"write instances/a/events/signal/signal_generate/enable t 1",
	"bpf 14 counter cpu-clock",
	"bpf 2 link signal:signal_generate",
	"perf 11 leader signal:signal_generate",
	"perf 10 member signal:signal_deliver",
	"kill 7",
	"write instances/a/events/signal/signal_generate/filter t sig == 10",
	"write instances/a/events/signal/signal_generate/filter t sig == 10 && nosuch == 1",
	NULL
};

/* Sizes, triggers and definitions */
static const char * const settings[] = {
	"write buffer_size_kb t 128",
	"write buffer_subbuf_size_kb t 8",
	"write buffer_percent t 101",
	"write events/signal/signal_deliver/trigger t traceoff:3 if sig == 99",
	"write dynamic_events a e:fz/e0 signal.signal_generate x0=$sig:u8",
	NULL
};

/* Records of an event of user space, of a task and of its child */
static const char * const user_events[] = {
	OPTIONS,
	"open 13 b user_events_data",
	"register 13 28 4:2 0 0 fz0 u32 a",
	"register 13 28 8:3 33 1 fz1 int n; char[6] text",
	"record 13 0 w \\x07\\x00\\x00\\x00",
	"write instances/a/events/user_events/fz0/enable t 1",
	"record 13 0 w \\x07\\x00\\x00\\x00",
	"record 13 0 v3 \\x07\\x00",
	"record 13 0 v3 \\x07\\x00\\x00\\x00",
	NULL
};

static const char * const * const openings[] = { signals, user_events, settings };

void add_opening(struct batch *batch, int number)
{
	const char * const *line = openings[number % ARRAY_SIZE(openings)];

	while (*line)
		batch_add(batch, *line++);
}
