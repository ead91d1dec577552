// SPDX-License-Identifier: GPL-2.0
/* Does a file show what was written to it, and accepted? */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracefuzz.h"

/* A list may have those of earlier writes, too. */
#define MAX_PIDS 4096

/* As the kernel's isspace(), which knows Latin-1. */
static bool is_space(char c)
{
	return isspace((unsigned char)c) || (unsigned char)c == 0xa0;
}

/* Skip spaces at the start of a text. Returns its length without those at the end. */
static int trim(const char **text)
{
	int len;

	while (is_space(**text))
		++*text;
	for (len = strlen(*text); len && is_space((*text)[len - 1]); len--)
		;
	return len;
}

/* Does trace_options show the option that was accepted? */
bool shows_option(const char *path, const char *option)
{
	char *shown = file_text(path);
	int len = trim(&option);
	char *line;
	bool found;

	if (!shown || asprintf(&line, "\n%.*s\n", len, option) < 0)
		return true;
	compared(CHECK_SHOWN);
	found = !strncmp(shown, line + 1, len + 1) || strstr(shown, line);
	if (!found)
		printf("# %s accepted '%s', and does not show it\n", path, option);
	free(line);
	free(shown);
	return found;
}

/* Does the file show the filter that was accepted, or "none" after "0"? */
bool shows_filter(const char *path, const char *filter)
{
	char *shown = file_text(path);
	const char *text = shown;
	int len = trim(&filter);
	bool same;

	if (!shown)
		return true;
	if (len == 1 && *filter == '0') {
		filter = "none";
		len = strlen(filter);
	}
	same = trim(&text) == len && !memcmp(text, filter, len);
	compared(CHECK_SHOWN);
	if (!same)
		printf("# %s accepted '%s', and shows '%s'\n", path, filter, shown);
	free(shown);
	return same;
}

static int order(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* Read the numbers of a text, sorted and each once. Returns how many there are. */
static int read_pids(const char *text, unsigned long *pids)
{
	int nr = 0, kept = 0, i;
	char *end;

	for (; nr < MAX_PIDS; text = end) {
		while (is_space(*text))
			text++;
		pids[nr] = strtoul(text, &end, 0);
		if (end == text)
			break;
		nr++;
	}
	qsort(pids, nr, sizeof(*pids), order);
	for (i = 0; i < nr; i++) {
		if (!kept || pids[kept - 1] != pids[i])
			pids[kept++] = pids[i];
	}
	return kept;
}

/* Does the file list the PIDs that were accepted, and no others if it was emptied before? */
bool shows_pids(const char *path, const char *text, bool emptied)
{
	unsigned long wanted[MAX_PIDS], listed[MAX_PIDS];
	int nr_wanted = read_pids(text, wanted), nr_listed, i;
	char *shown = file_text(path);
	bool same;

	/* Nothing is written then, and an empty list is shown in words. */
	if (!shown || !nr_wanted) {
		free(shown);
		return true;
	}
	nr_listed = read_pids(shown, listed);
	same = !emptied || nr_listed == nr_wanted;
	for (i = 0; i < nr_wanted; i++)
		same &= !!bsearch(wanted + i, listed, nr_listed, sizeof(*listed), order);
	compared(CHECK_SHOWN);
	if (!same)
		printf("# %s accepted '%s', and lists '%s'\n", path, text, shown);
	free(shown);
	return same;
}

/* The CPUs of a mask in hexadecimal digits, as far as the guest has them */
static unsigned long read_mask(const char *text)
{
	const char *last = strrchr(text, ',');

	return strtoul(last ? last + 1 : text, NULL, 16) & ((1UL << CPUS) - 1);
}

/* Does the file show the CPUs that were accepted? */
bool shows_mask(const char *path, const char *mask)
{
	char *shown = file_text(path);
	bool same;

	/* A write of nothing changes nothing. */
	if (!shown || !*mask) {
		free(shown);
		return true;
	}
	same = read_mask(shown) == read_mask(mask);
	compared(CHECK_SHOWN);
	if (!same)
		printf("# %s accepted '%s', and shows '%s'\n", path, mask, shown);
	free(shown);
	return same;
}
