/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by render.c, render_emit.c and render_raw.c. */
#ifndef _RENDER_H
#define _RENDER_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

/* One field of an event, from its file format */
struct field {
	char type[128];		/* "[]" is appended if it is an array */
	char name[96];
	int offset;
	int size;
	int is_signed;
};

bool next_field(const char **at, struct field *f);
const char *own_fields(const char *format);
bool is_dynamic(const struct field *f);
bool is_string(const struct field *f);
bool is_settable(const struct field *f);
bool stays_zero(const char *event, const char *field);

/* Patterns of the records that the module strobe_emit makes */
#define EMIT_PATTERNS 4
#define EMIT_EMPTY 0	/* the one whose arrays are empty */
extern const char * const emit_names[EMIT_PATTERNS];

/* What to write to /proc/strobe_emit for one record */
struct emitted {
	char *bytes;
	size_t len;
};

#define PATTERNS 7	/* of the records that inject makes */

/* Bytes of a record that may differ between engines: a pointer, or where an array is */
struct blank {
	int offset;
	bool is_place;
};

struct event {
	char name[192];		/* system:event */
	bool no_text;		/* the text of its injected records is left out */
	bool has_fields;	/* besides the common ones */
	int id;
	int inject;
	char *line[PATTERNS];	/* the texts to write to it */
	struct emitted emitted[EMIT_PATTERNS];	/* with arrays; empty if it has none */
	struct blank blank[32];
	int nr_blank;
};

const struct event *event_of(int id);
void die(const char *what);
char *text_of(const char *path);
int by_name(const struct dirent **one, const struct dirent **other);

/* What is printed of a page */
struct shown {
	bool size;	/* its own */
	bool bytes;	/* those of its records, apart from stacks */
};

void find_internal(void);
void show_raw(struct shown shown);
void show_lost_pages(void);
void show_lost_line(void);

bool emit_is_needed(const char *format);
struct emitted emit_record(const char *name, const char *event, const char *format, int pattern);

#endif
