// SPDX-License-Identifier: GPL-2.0
/* The corpus: batches of actions that have reached new code, and batches made from these. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefuzz.h"

static struct batch **entries;
static int nr_entries;

void batch_add(struct batch *batch, const char *line)
{
	if (batch->nr < MAX_BATCH)
		batch->lines[batch->nr++] = strdup(line);
}

void batch_clear(struct batch *batch)
{
	while (batch->nr)
		free(batch->lines[--batch->nr]);
}

int corpus_size(void)
{
	return nr_entries;
}

const struct batch *corpus_entry(int i)
{
	return entries[i];
}

void corpus_add(const struct batch *batch)
{
	struct batch *entry = calloc(1, sizeof(*entry));
	int i;

	for (i = 0; i < batch->nr; i++)
		batch_add(entry, batch->lines[i]);
	entries = realloc(entries, (nr_entries + 1) * sizeof(*entries));
	entries[nr_entries++] = entry;
}

void corpus_show(const struct batch *batch)
{
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);
	int i;

	for (i = 0; i < batch->nr; i++)
		fprintf(to, "#+ %s\n", batch->lines[i]);
	fprintf(to, "#+ undo\n");
	fclose(to);
	/* By one write(), so that the output of other processes does not come in between. */
	fflush(stdout);
	if (write(STDOUT_FILENO, text, size) < 0)
		perror("write");
	free(text);
}

/* The offset of a line's text, which follows the verb and its arguments */
static int text_at(const char *line)
{
	int words = act_words(line), at = 0;

	while (words-- && line[at]) {
		at += strcspn(line + at, " ");
		at += !!line[at];
	}
	return at;
}

/* Strings that have a meaning for some parser */
static const char * const pieces[] = {
	" ", "  ", "\\n", "\\t", "\\x00", "\\xff", "\\\\", "\"", "'", "(", ")", "((", "!", "!!",
	"&&", "||", "&", "|", "==", "!=", "<", "<=", ">", ">=", "~", "=", ":", ";", ",", "*",
	"?", "[", "]", "-", "+", "0", "1", "9", "0x", "f", ".", "/", "#", "%", " if ", "CPUS{",
	"}", "0-1", "none", ":mod:", ".ustring", ":unlimited", ":count=", "if", "18446744073709551615",
};

/* Change a line's text in a way that the grammar does not generate. */
static void change_text(struct rng *rng, const char *line, struct text *to)
{
	int at = text_at(line), len = strlen(line), from, nr;

	from = at + below(rng, len - at + 1);
	nr = len > from ? 1 + below(rng, len - from < 8 ? len - from : 8) : 0;
	to->len = 0;
	add(to, "%.*s", from, line);
	switch (below(rng, 4)) {
	case 0:		/* remove a part */
		add(to, "%s", line + from + nr);
		break;
	case 1:		/* duplicate a part */
		add(to, "%.*s%s", nr, line + from, line + from);
		break;
	case 2:		/* replace a part */
		add(to, "%s%s", pieces[below(rng, ARRAY_SIZE(pieces))], line + from + nr);
		break;
	default:
		add(to, "%s%s", pieces[below(rng, ARRAY_SIZE(pieces))], line + from);
	}
}

/* Append a line, usually unchanged. */
static void take(struct rng *rng, const char *line, struct batch *batch)
{
	struct text text;

	switch (below(rng, 12)) {
	case 0:
		break;
	case 1:
	case 2:
		change_text(rng, line, &text);
		/* "dump" has neither arguments nor a text, and is another word then. */
		batch_add(batch, act_words(text.buf) ? text.buf : line);
		break;
	case 3:
		batch_add(batch, line);
		batch_add(batch, line);
		break;
	case 4:
		generate_action(rng, batch, &text);
		batch_add(batch, text.buf);
		batch_add(batch, line);
		break;
	default:
		batch_add(batch, line);
	}
}

void corpus_mutate(struct rng *rng, struct batch *batch, int size)
{
	const struct batch *entry;
	struct text text;
	int i, from;

	while (batch->nr < size) {
		entry = entries[below(rng, nr_entries)];
		from = one_in(rng, 3) ? below(rng, entry->nr) : 0;
		for (i = from; i < entry->nr && batch->nr < size; i++)
			take(rng, entry->lines[i], batch);
		if (one_in(rng, 2)) {
			generate_action(rng, batch, &text);
			batch_add(batch, text.buf);
		}
	}
}

bool corpus_read(const char *path)
{
	FILE *from = fopen(path, "r");
	struct batch batch = { };
	char *line = NULL;
	size_t size = 0;

	if (!from)
		return false;
	while (getline(&line, &size, from) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line, "undo")) {
			if (batch.nr)
				corpus_add(&batch);
			batch_clear(&batch);
		} else if (*line && *line != '#' && act_words(line)) {
			batch_add(&batch, line);
		}
	}
	fclose(from);
	free(line);
	return true;
}
