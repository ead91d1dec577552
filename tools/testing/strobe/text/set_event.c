// SPDX-License-Identifier: GPL-2.0
/*
 * Words of set_event. instance/events.c must switch exactly the events that a plain comparison
 * selects, connect each enabled event once, and change nothing if an allocation fails. Each
 * write() of fs/set_event.c must take one word of the text, however it is spaced.
 */
#include "event/event.h"
#include "fs/fs.h"
#include "harness.h"
#include "instance/instance.h"
#include "record/gate.h"
#include "text/text.h"
#include "tracepoint/tracepoint.h"

#define EVENTS	ARRAY_SIZE(calls)

static int own_connect(struct trace_event_call *call, struct strobe_sink *sink, bool on);
/* Only its address is used, as that of the probes. */
static int probe;

static const struct strobe_class_ops own_ops = { .connect = own_connect };
static const struct trace_event_class sched = { .system = "sched", .probe = &probe };
static const struct trace_event_class irq = { .system = "irq", .probe = &probe };
static const struct trace_event_class same = { .system = "same", .probe = &probe };
static const struct trace_event_class own = { .system = "own", .ops = &own_ops };
static const struct trace_event_class engine = { .system = "ftrace" };

static struct tracepoint tps[] = {
	{ "switch" }, { "wakeup" }, { "entry" }, { "switch" }, { "same" },
};

static struct trace_event_call calls[] = {
	{ .class = &sched, .tp = &tps[0], .flags = TRACE_EVENT_FL_TRACEPOINT },
	{ .class = &sched, .tp = &tps[1], .flags = TRACE_EVENT_FL_TRACEPOINT },
	{ .class = &own, .name = "enable" },
	{ .class = &irq, .tp = &tps[2], .flags = TRACE_EVENT_FL_TRACEPOINT },
	{ .class = &irq, .tp = &tps[3], .flags = TRACE_EVENT_FL_TRACEPOINT },
	{ .class = &engine, .name = "print", .flags = TRACE_EVENT_FL_IGNORE_ENABLE },
	{ .class = &same, .tp = &tps[4], .flags = TRACE_EVENT_FL_TRACEPOINT },
	{ .class = &own, .name = "switch" },
	/* A custom event without a tracepoint */
	{ .class = &sched, .name = "custom", .flags = TRACE_EVENT_FL_CUSTOM },
};

struct trace_event_call *strobe_event_list;

/* The event files, of which those that have been made are in the instance */
static struct trace_event_file files[EVENTS];
static void *made[EVENTS];
static struct trace_array instance = {
	.options = STROBE_OPT_RECORD_CMD | STROBE_OPT_RECORD_TGID,
	.files = { made, EVENTS },
};

/* How many times each file is connected */
static int connected[EVENTS];
static int batches;

/* For functions of events.c and file.c that are not called here. */
struct trace_array strobe_instance_top;
void strobe_instance_put(struct trace_array *tr)
{
	abort();
}

struct mutex strobe_instance_mutex = { PTHREAD_MUTEX_INITIALIZER };

/* How often it was called after a word that has switched events on */
static int switched;
void strobe_instance_events_switched_on(struct trace_array *tr, unsigned int since)
{
	switched += tr->switched_on != since;
}

/* The ring of the instance has its size. */
int strobe_instance_expand(struct trace_array *tr)
{
	return 0;
}

/* It has all events, and its ring. */
bool strobe_instance_has_system(const struct trace_array *tr, const char *system)
{
	return true;
}

int strobe_instance_use_ring(struct trace_array *tr)
{
	return 0;
}

/* Only reading set_event calls it. */
struct trace_event_call *strobe_instance_next_event(const struct trace_array *tr,
						    const struct trace_event_call *call)
{
	abort();
}

bool tracing_is_disabled(void)
{
	abort();
}

static bool no_memory(void)
{
	return shim_fail_at && !--shim_fail_at;
}

struct trace_event_file *strobe_event_file_make(struct trace_array *tr,
						struct trace_event_call *call)
{
	if (!made[call->type] && no_memory())
		return ERR_PTR(-ENOMEM);
	made[call->type] = &files[call->type];
	return made[call->type];
}

static int connect(struct trace_event_file *file, int by)
{
	if (by > 0 && no_memory())
		return -ENOMEM;
	connected[file - files] += by;
	return 0;
}

static int own_connect(struct trace_event_call *call, struct strobe_sink *sink, bool on)
{
	return connect(container_of(sink, struct trace_event_file, sink), on ? 1 : -1);
}

void strobe_tracepoint_batch_begin(struct tracepoint_batch *batch)
{
	batches++;
}

void strobe_tracepoint_batch_end(struct tracepoint_batch *batch)
{
	batches--;
}

int strobe_tracepoint_batch_register(struct tracepoint_batch *batch, struct tracepoint *tp,
				     void *probe, void *data, int prio)
{
	return batches == 1 ? connect(data, 1) : -EDEADLK;
}

int strobe_tracepoint_batch_unregister(struct tracepoint_batch *batch, struct tracepoint *tp,
				       void *probe, void *data)
{
	return batches == 1 ? connect(data, -1) : -EDEADLK;
}

int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data)
{
	return connect(data, 1);
}

int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
	return connect(data, -1);
}

int strobe_comm_record_start(struct comm_recorder *rec, enum comm_what what)
{
	/* comm_mutex must not be taken in a batch. */
	if (no_memory() || batches)
		return -ENOMEM;
	rec->users[what]++;
	return 0;
}

void strobe_comm_record_stop(struct comm_recorder *rec, enum comm_what what)
{
	rec->users[what]--;
}

void strobe_comm_record_add(struct comm_recorder *rec, enum comm_what what, int more)
{
	rec->users[what] += more;
}

static void list_events(void)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		files[i].tr = &instance;
		files[i].call = &calls[i];
		calls[i].type = i;
		calls[i].next = i + 1 < EVENTS ? &calls[i + 1] : NULL;
	}
	strobe_event_list = calls;
}

static bool is_on(int i)
{
	char state[4];

	strobe_event_file_state(&files[i], state);
	return *state == '1';
}

/*
 * Enable the events in the low bits of @mask, disable the others; the next bits: soft mode; the
 * next: events without an event file, if they are neither on nor in soft mode.
 */
static void begin_with(unsigned int mask)
{
	int i;

	if (!strobe_event_list)
		list_events();
	for (i = 0; i < EVENTS; i++) {
		made[i] = &files[i];
		if (files[i].flags & EVENT_FILE_FL_SOFT_MODE)
			strobe_event_file_soft_disable(&files[i]);
		if (!strobe_event_call_can_enable(&calls[i]) ||
		    calls[i].flags & TRACE_EVENT_FL_CUSTOM)
			continue;
		strobe_event_file_enable(&files[i], mask >> i & 1);
		if (mask >> (EVENTS + i) & 1)
			strobe_event_file_soft_enable(&files[i]);
		else if (mask >> (2 * EVENTS + i) & 1 && !(mask >> i & 1))
			made[i] = NULL;
	}
}

/* Is @name the first @len characters of @word? */
static bool is_name(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(word, name, len);
}

/* The same, but "" and "*" are any name. */
static bool is_name_or_any(const char *word, size_t len, const char *name)
{
	return !len || (len == 1 && *word == '*') || is_name(word, len, name);
}

static bool plain_selects(const char *word, const struct trace_event_call *call)
{
	const char *name = trace_event_name(call), *system = call->class->system;
	size_t len = strcspn(word, ":");

	if (call->class == &engine)
		return false;
	if (!word[len])
		return is_name(word, len, name) || is_name(word, len, system);
	return is_name_or_any(word, len, system) &&
	       is_name_or_any(word + len + 1, strlen(word + len + 1), name);
}

/* Compute which events are to be on after @word. Returns 0 or -errno. */
static int plain_switch(const char *word, bool on, bool want_on[EVENTS])
{
	int i, selected = 0, ret = 0;

	for (i = 0; i < EVENTS; i++) {
		if (!plain_selects(word, &calls[i]))
			continue;
		selected++;
		if (on && calls[i].flags & TRACE_EVENT_FL_CUSTOM)
			ret = -ENODEV;
		else
			want_on[i] = on;
	}
	return selected ? ret : -EINVAL;
}

/* Is each event on or off as wanted, and connected once if it is on or in soft mode? */
static int check_events(const char *text, const bool want_on[EVENTS])
{
	int i, nr = 0, bad = 0;
	bool connect;

	for (i = 0; i < EVENTS; i++) {
		connect = want_on[i] || files[i].flags & EVENT_FILE_FL_SOFT_MODE;
		nr += connect;
		if (connected[i] != connect || is_on(i) != want_on[i])
			bad |= text_differs(text, "set_event: %s:%s is %s, and connected %d times",
					    calls[i].class->system, trace_event_name(&calls[i]),
					    is_on(i) ? "on" : "off", connected[i]);
	}
	for (i = 0; i < COMM_NR; i++) {
		if (instance.comm.users[i] != nr)
			bad |= text_differs(text, "set_event: %u recorders of %d",
					    instance.comm.users[i], nr);
	}
	return bad;
}

int text_set_event(const char *text, long fail)
{
	bool on = *text != '!', want_on[EVENTS], was_on[EVENTS];
	const char *word = text + !on;
	char *copy = strdup(word);
	unsigned int mask = 0;
	int i, ret, want, bad = 0;

	/* Derive the state before from the text, to make the result reproducible. */
	for (i = 0; text[i]; i++)
		mask = mask * 31 + text[i];
	begin_with(mask);
	for (i = 0; i < EVENTS; i++)
		was_on[i] = is_on(i);
	memcpy(want_on, was_on, sizeof(want_on));
	want = plain_switch(word, on, want_on);
	shim_fail_at = fail;
	ret = strobe_instance_set_event_string(&instance, copy, on);
	if (fail && !shim_fail_at) {
		want = -ENOMEM;
		memcpy(want_on, was_on, sizeof(want_on));
	}
	shim_fail_at = 0;
	if (ret != want || memcmp(copy, word, strlen(word) + 1))
		bad = text_differs(text, "set_event: %d, not %d; \"%s\"", ret, want, copy);
	bad |= check_events(text, want_on);
	free(copy);
	return bad;
}

/* The longest word of a write(), and what separates words */
#define WORD_LEN	127
#define SPACES		" \t\n\v\f\r"

/*
 * Find the first word of @text. Returns its length, 0 if there is none, and sets @taken to the
 * characters up to it, of it, and the one that ends it.
 */
static size_t plain_word(const char *text, const char **word, size_t *taken)
{
	size_t before = strspn(text, SPACES), len = strcspn(text + before, SPACES);

	*word = text + before;
	*taken = before + len + (len && text[before + len]);
	return len;
}

/* Write @text, of which write() has to take the first word. Returns what it has to return. */
static long plain_write(const char *text, bool want_on[EVENTS])
{
	const char *from;
	size_t taken, len = plain_word(text, &from, &taken);
	bool on = *from != '!';
	char word[WORD_LEN + 1] = "";
	int ret = 0;

	if (len > WORD_LEN)
		return -EINVAL;
	memcpy(word, from, len);
	if (len)
		ret = plain_switch(word + !on, on, want_on);
	return ret ?: taken;
}

static bool any_goes_on(const bool was_on[EVENTS], const bool want_on[EVENTS])
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		if (want_on[i] && !was_on[i])
			return true;
	}
	return false;
}

int text_set_events(const char *text, long fail)
{
	struct fs_view view = { .tr = &instance };
	struct seq_file seq = { .private = &view };
	struct file file = { .private_data = &seq };
	bool want_on[EVENTS], was_on[EVENTS];
	const char *at = text;
	long ret = 1, want;
	loff_t pos = 0;
	int i, bad = 0;

	begin_with(strlen(text));
	for (i = 0; i < EVENTS; i++)
		want_on[i] = is_on(i);
	shim_fail_at = fail;
	while (*at && ret > 0 && !bad) {
		fail = shim_fail_at;
		memcpy(was_on, want_on, sizeof(want_on));
		want = plain_write(at, want_on);
		switched = 0;
		ret = strobe_fs_set_event_fops.write(&file, at, strlen(at), &pos);
		if (fail && !shim_fail_at) {
			want = -ENOMEM;
			memcpy(want_on, was_on, sizeof(want_on));
		}
		if (ret != want || (ret > 0 && pos != at - text + ret))
			bad = text_differs(text, "write: %ld, not %ld; at \"%s\"", ret, want, at);
		if (switched != any_goes_on(was_on, want_on))
			bad |= text_differs(text, "write: told %d times; at \"%s\"", switched, at);
		bad |= check_events(text, want_on);
		at += ret > 0 ? ret : 0;
	}
	shim_fail_at = 0;
	return bad;
}
