// SPDX-License-Identifier: GPL-2.0
/*
 * Random printable texts for the parsers of tracefs files, also with failing allocations.
 * usage: text [-s SEED] [-n TEXTS] [-b BUSTED] [-f FILE]; by default the seed is random, and
 * printed. With BUSTED, a function that the parsers call has a fault (enum text_busted), which
 * must be noticed. With FILE, the texts are its lines: the parser's letter, then the text.
 */
#include <getopt.h>
#include <sys/random.h>

#include "text/text.h"

#define TEXT_MAX	1024

enum text_busted text_busted;

static int differences;

__thread struct task_struct shim_task;

u64 sched_clock_noinstr(void)
{
	static u64 now;

	return ++now;
}

u64 trace_clock_local(void)
{
	return sched_clock_noinstr();
}

u32 strobe_record_context_slow(unsigned long flags)
{
	return 0;
}

u32 shim_preempt_count(void)
{
	return 0;
}

int text_differs(const char *text, const char *fmt, ...)
{
	va_list args;

	if (differences++ < 10) {
		va_start(args, fmt);
		fprintf(stderr, "# \"%s\": ", text);
		vfprintf(stderr, fmt, args);
		fputc('\n', stderr);
		va_end(args);
	}
	return 1;
}

int text_number(const char *text, size_t len, u64 *number)
{
	regmatch_t groups[TEXT_GROUPS];
	char *copy = strndup(text, len);
	int ret = -EINVAL;

	if (text_match("^[+]?(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)(.*)$", copy, groups)) {
		errno = 0;
		*number = strtoull(copy, NULL, 0);
		if (errno)
			ret = -ERANGE;
		else if (!copy[groups[2].rm_so] || !memcmp(copy + groups[2].rm_so, "\n", 2))
			ret = 0;
	}
	free(copy);
	return ret;
}

/* Remove trailing white space, as fs/ does for texts from user space. */
static void strip(char *text)
{
	size_t len = strlen(text);

	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
}

static int text_check(char parser, char *text)
{
	long fail;
	int bad = 0;

	strip(text);
	switch (parser) {
	case 't':
		return text_trigger(text);
	case 'i':
		for (fail = 0; fail < 2; fail++)
			bad |= text_inject(text, fail);
		return bad;
	case 's':
		/* With each allocation failing in turn, then with none. */
		for (fail = 1; fail < 16; fail++)
			bad |= text_set_event(text, fail) | text_set_events(text, fail);
		return bad | text_set_event(text, 0) | text_set_events(text, 0);
	}
	return 0;
}

#ifndef TEXT_COVER
static u64 state;

static u32 random_below(u32 below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 16) % below;
}

/**
 * struct grammar - pieces of the texts for a parser
 * @parser: its letter
 * @whole: pieces that it accepts; a sequence of them may be valid, too
 * @parts: parts of such pieces
 */
static const struct grammar {
	char		parser;
	const char	*whole[16];
	const char	*parts[40];
} grammars[] = {
	{ 't', { "enable_event:sched:switch", ":5", " if common_pid > 0", "!", "traceon" },
	  { "!", ":", " ", "\t", "if", " if ", "traceon", "enable_event", "sched", "switch", "0",
	    "1", "9", "0x1f", "017", "18446744073709551616", "-1", "\n", "  ", "::", "count=3",
	    ":5", "unlimited" } },
	{ 'i', { " name='longer than it'", "text=\"some\"", " rel='\\''", " sb=-1 ", " ul = 0xffff",
		 " ptr=\"\"", " common_pid=5", " si=-2147483648", " uh=017" },
	  { "sb", "uh", "si", "ul", "name", "text", "rel", "ptr", "func", "mask", "array", "words",
	    "common_pid", "common_type", "common_flags", "COMM", "cpu", "=", " = ", "=", "=", " ",
	    "\t", "\"a string\"", "'b'", "\"", "'", "\\", "-1", "0x7f", "18446744073709551615",
	    "9223372036854775808", "-9223372036854775808", "0", "-", "_", "5", "0x123" } },
	{ 's', { "sched:switch", "own:*", "switch", "irq", ":wakeup", "same:same", "*:custom",
		 "!sched", "!*:*", "!own:" },
	  { "!", ":", "*", "sched", "irq", "own", "same", "ftrace", "switch", "wakeup", "enable",
	    "entry", "print", "custom", "sched:", ":switch", "*:*", "own:*", "s", " ",
	    "\n", "\t!", "  " } },
};

static const char *random_piece(const char *const *pieces, u32 max)
{
	u32 nr = 0;

	while (nr < max && pieces[nr])
		nr++;
	return pieces[random_below(nr)];
}

/* Make a text of whole pieces, words of set_event; or of parts and random characters. */
static char random_text(char *text)
{
	const struct grammar *grammar = &grammars[random_below(ARRAY_SIZE(grammars))];
	u32 pieces = random_below(12) + 1, len = 0;
	bool whole = random_below(2);
	const char *piece;
	char any[2] = "";

	if (whole && grammar->parser == 's')
		pieces = random_below(3) + 1;
	*text = '\0';
	while (pieces-- && len < TEXT_MAX - 320) {
		any[0] = ' ' + random_below(95);
		if (whole && grammar->parser == 's' && len)
			text[len++] = " \t\n"[random_below(3)];
		if (whole)
			piece = random_piece(grammar->whole, ARRAY_SIZE(grammar->whole));
		else
			piece = random_below(12) ?
				random_piece(grammar->parts, ARRAY_SIZE(grammar->parts)) : any;
		len += sprintf(text + len, "%s", piece);
		/* Sometimes add a string of about the maximum length. */
		if (!random_below(200))
			len += sprintf(text + len, "%0*d", 240 + random_below(32), 0);
	}
	return grammar->parser;
}

static int replay(const char *path)
{
	FILE *from = fopen(path, "r");
	size_t size = 0, lines = 0;
	char *line = NULL;

	while (from && getline(&line, &size, from) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "# ", 2))
			continue;
		lines++;
		text_check(*line, line + 1);
	}
	free(line);
	if (from)
		fclose(from);
	printf("# %zu texts\n", lines);
	return !lines || differences;
}

int main(int argc, char **argv)
{
	unsigned long texts = 100000, n;
	char text[TEXT_MAX], parser;
	int c;

	if (getrandom(&state, sizeof(state), 0) != sizeof(state))
		return 2;
	while ((c = getopt(argc, argv, "s:n:b:f:")) != -1) {
		if (c == 's')
			state = strtoul(optarg, NULL, 0);
		else if (c == 'n')
			texts = strtoul(optarg, NULL, 0);
		else if (c == 'b')
			text_busted = strtoul(optarg, NULL, 0);
		else if (c == 'f')
			return replay(optarg);
		else
			return 2;
	}
	state |= 1;
	printf("# seed %llu\n", (unsigned long long)state);
	for (n = 0; n < texts; n++) {
		parser = random_text(text);
		text_check(parser, text);
	}
	printf("# %lu texts, %d differ\n", texts, differences);
	return !!differences;
}
#else
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* The input is the parser's letter, then the text. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char text[TEXT_MAX];

	if (size < 1 || size > sizeof(text))
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (text_check(data[0], text))
		abort();
	return 0;
}
#endif
