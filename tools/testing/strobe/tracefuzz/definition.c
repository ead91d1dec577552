// SPDX-License-Identifier: GPL-2.0
/* Is the definition that dynamic_events shows accepted as well as the one that was written? */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

#define FILE_NAME "dynamic_events"

/* Write without O_TRUNC, which would remove all events. */
static int append(const char *text)
{
	int fd = open(FILE_NAME, O_WRONLY | O_APPEND | O_CLOEXEC);
	int ret = 0;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		ret = -errno;
	if (fd >= 0)
		close(fd);
	return ret;
}

/* The only line of the file that a state lacks, as a string to be freed; NULL: there is none */
static char *new_line(const char *text, const char *state)
{
	char *found = NULL, *line;
	size_t len;
	int nr = 0;

	for (; *text; text += len + !!text[len]) {
		len = strcspn(text, "\n");
		if (asprintf(&line, FILE_NAME " %.*s", (int)len, text) < 0)
			exit(2);
		if (!has_line(state, line, strlen(line)) && !nr++)
			found = strdup(line + strlen(FILE_NAME " "));
		free(line);
	}
	if (nr == 1)
		return found;
	free(found);
	return NULL;
}

/* The event of a line, ":GROUP/NAME", as a string to be freed */
static char *event_of(const char *line)
{
	const char *from = strchr(line, ':');
	char *event;

	if (!from)
		return NULL;
	/* Those of user space are shown without their group. */
	if (asprintf(&event, "%s%.*s", *line == 'u' ? ":user_events/" : "",
		     (int)strcspn(from, " "), from + (*line == 'u')) < 0)
		exit(2);
	return event;
}

/* Does another probe belong to the event, too? */
static bool is_shared(const char *text, const char *event)
{
	const char *first = strstr(text, event);

	return first && strstr(first + 1, event);
}

/* Remove the event, and define it again. */
static bool is_accepted_again(const char *shown, const char *line, const char *event)
{
	char removal[300], *again;
	bool same;
	int ret;

	snprintf(removal, sizeof(removal), "-%s", event);
	ret = append(removal);
	/* It is in use already: a pattern had enabled it. */
	if (ret == -EBUSY)
		return true;
	ret = ret ?: append(line);
	again = file_text(FILE_NAME);
	same = !ret && again && !state_differs(shown, again, "", false);
	compared(CHECK_DEFINITION);
	if (!same)
		printf("# '%s', and '%s' again, come to %d\n", removal, line, ret);
	free(again);
	return same;
}

bool definition_reads_back(const char *state)
{
	char *shown = file_text(FILE_NAME);
	/* Of a long file the state has only a part. */
	char *line = shown && strlen(shown) < LONG_FILE ? new_line(shown, state) : NULL;
	char *event = line ? event_of(line) : NULL;
	bool same = true;

	if (event && !is_shared(shown, event))
		same = is_accepted_again(shown, line, event);
	free(event);
	free(line);
	free(shown);
	return same;
}

/* Remove the event of a line. */
static void undo_line(const char *line)
{
	char *event = event_of(line), *removal;

	if (event && asprintf(&removal, "-%s", event) < 0)
		exit(2);
	if (event) {
		append(removal);
		free(removal);
	}
	free(event);
}

void definitions_undo(void)
{
	char *text = file_text(FILE_NAME), *line;

	for (line = text ? text + strlen(text) : NULL; line && line > text; ) {
		*--line = '\0';
		while (line > text && line[-1] != '\n')
			line--;
		if (*line == 'e')
			undo_line(line);
	}
	free(text);
}
