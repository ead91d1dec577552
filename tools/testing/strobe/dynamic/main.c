// SPDX-License-Identifier: GPL-2.0
/*
 * Random definitions of dynamic events, also with failing allocations.
 * usage: dynamic [-s SEED] [-n TEXTS] [-b BUSTED] [-f FILE]; by default the seed is random, and
 * printed. With BUSTED, a function that the parser or a program calls has a fault (enum
 * dynamic_busted), which must be noticed. With FILE, the texts are its lines: a letter, then the
 * text. The letter chooses a source of arguments (check.c), whose text is a whole line, or the
 * fields of a user event ('d').
 */
#include <getopt.h>
#include <sys/random.h>

#include "dynamic/definition.h"

u64 random_state = 1;
static int differences;

int differs(const char *text, const char *fmt, ...)
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

u32 random_below(u32 below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 16) % below;
}

/* What is random in the check of a text depends on the text alone. */
static int check(char letter, const char *text)
{
	const char *at;
	int bad = 0;
	u32 i;

	random_state = 1469598103934665603;
	for (at = text; *at; at++)
		random_state = (random_state ^ (u8)*at) * 1099511628211;
	random_state |= 1;
	if (letter == 'd')
		return check_fields(text);
	for (i = 0; i < nr_sources; i++) {
		if (letter == sources[i].letter)
			bad |= check_names(text) | check_args(&sources[i], text);
	}
	return bad;
}

#ifndef DYNAMIC_COVER
static int replay(const char *path)
{
	FILE *from = fopen(path, "r");
	size_t size = 0, lines = 0;
	char *line = NULL;

	while (from && getline(&line, &size, from) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "# ", 2) || strlen(line) > TEXT_MAX)
			continue;
		lines++;
		check(*line, line + !!*line);
	}
	free(line);
	if (from)
		fclose(from);
	printf("# %zu texts, %d differ\n", lines, differences);
	return !lines || differences;
}

int main(int argc, char **argv)
{
	unsigned long texts = 20000, n;
	char text[TEXT_MAX], letter;
	u64 state;
	int c;

	if (getrandom(&state, sizeof(state), 0) != sizeof(state))
		return 2;
	while ((c = getopt(argc, argv, "s:n:b:f:")) != -1) {
		if (c == 's')
			state = strtoul(optarg, NULL, 0);
		else if (c == 'n')
			texts = strtoul(optarg, NULL, 0);
		else if (c == 'b')
			dynamic_busted = strtoul(optarg, NULL, 0);
		else if (c == 'f')
			return replay(optarg);
		else
			return 2;
	}
	printf("# seed %llu\n", (unsigned long long)state);
	state |= 1;
	for (n = 0; n < texts; n++) {
		random_state = state;
		c = random_below(nr_sources + 2);
		letter = c < nr_sources ? sources[c].letter : 'd';
		generate(letter, text);
		state = random_state;
		check(letter, text);
	}
	printf("# %lu texts, %lu accepted, %lu refused, %lu records, %d differ\n", texts,
	       checked.accepted, checked.refused, checked.records, differences);
	return differences || checked.accepted < texts / 4 || checked.refused < texts / 4 ||
	       checked.records < texts;
}
#else
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* The input is the letter, then the text. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char text[TEXT_MAX];

	if (size < 1 || size > sizeof(text))
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (check(data[0], text))
		abort();
	return 0;
}
#endif
