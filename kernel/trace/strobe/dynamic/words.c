// SPDX-License-Identifier: GPL-2.0
/* Split lines of user space into words. No state. Contexts: task, may sleep. */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "dynamic/args.h"

/* Count the words of a line, and their bytes with a blank behind each. */
static u32 words_measure(const char *line, u32 *bytes)
{
	u32 nr = 0;

	*bytes = 0;
	for (; *line; line++) {
		if (isspace(*line))
			continue;
		(*bytes)++;
		if (!line[1] || isspace(line[1])) {
			(*bytes)++;
			nr++;
		}
	}
	return nr;
}

static void words_copy(struct dyn_words *words, const char *line)
{
	u32 at = 0, nr = 0;

	for (; *line; line++) {
		if (isspace(*line))
			continue;
		if (nr == words->nr)
			break;
		if (!at || !words->buf[at - 1])
			words->at[nr] = at;
		words->text[at] = *line;
		words->buf[at++] = *line;
		if (!line[1] || isspace(line[1])) {
			words->text[at] = ' ';
			words->buf[at++] = 0;
			nr++;
		}
	}
	words->at[nr] = at;
	words->text[at ? at - 1 : 0] = 0;
}

/**
 * strobe_dyn_words_split - split a line at white space
 * @words: set to the words, which the caller frees with strobe_dyn_words_free(); there are none
 *	   if the line is empty
 * @line:  the line
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM
 */
int strobe_dyn_words_split(struct dyn_words *words, const char *line)
{
	u32 bytes, nr = words_measure(line, &bytes);

	*words = (struct dyn_words) { .nr = nr };
	words->at = kmalloc(size_add(array_size(nr + 1, sizeof(*words->at)), 2 * bytes + 2),
			    GFP_KERNEL);
	if (!words->at) {
		words->nr = 0;
		return -ENOMEM;
	}
	words->text = (char *)(words->at + nr + 1);
	words->buf = words->text + bytes + 1;
	words_copy(words, line);
	return 0;
}

/**
 * strobe_dyn_words_free - free what strobe_dyn_words_split() has allocated
 * @words: the words, also if that failed
 */
void strobe_dyn_words_free(struct dyn_words *words)
{
	kfree(words->at);
	*words = (struct dyn_words) { };
}
