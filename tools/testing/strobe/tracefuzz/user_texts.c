// SPDX-License-Identifier: GPL-2.0
/* The grammar of events of user space: registrations and records */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "generate.h"

/* Events that records fit; their names are NAME and a number */
#define NAME "fz"
#define HEADER 8

static const char * const shapes[] = {
	"u32 a", "int n; char[6] text", "__data_loc char[] s; u64 x",
	"u16 n; __rel_loc char[] s", "struct thing t 12; u8 last", "",
};

/* Slots that usually have user_events_data open */
#define SLOT 12

static int a_file(struct rng *rng)
{
	return one_in(rng, 12) ? a_slot(rng) : SLOT + one_in(rng, 6);
}

bool user_events_exist(void)
{
	static int exist = -1;

	if (exist < 0)
		exist = !access("user_events_data", F_OK);
	return exist;
}

bool is_user_record(const char *line)
{
	size_t len = strlen(NAME);

	return !strncmp(line, NAME, len) && isdigit(line[len]) &&
	       (line[len + 1] == ':' || line[len + 1] == '.');
}

const char *a_user_event(struct rng *rng)
{
	static char event[32];

	snprintf(event, sizeof(event), "user_events:" NAME "%d",
		 below(rng, ARRAY_SIZE(shapes)));
	return event;
}

static void add_fields(struct rng *rng, struct text *t)
{
	static const char * const fields[] = {
		"u32 a", "char[8] b", "__data_loc char[] c", "__rel_loc unsigned char[] d",
		"struct s e 8", "unsigned int f", "s64 g", "short h", "unsigned char i",
		"char[1024] j", "__data_loc u32[] k", "struct big l 4000",
	};
	static const char * const odd[] = {
		"nosuch m", "u32", "char[1025] n", "char[0] n", "char[] n", "char b[8]",
		"unsigned long long o", "", "u32 p 4", "struct q", "struct q r -1",
		"struct q r 65527", "struct __data_loc s 4", "unsigned", "__rel_loc t",
		"u32 a b c", "u32  a", "u32 a%s", "u32 \"a\"", "char[0x8]x u",
	};
	static const char * const ends[] = { ";", "; ", ";  ", " ;", ";;", " " };
	int nr = 1 + below(rng, one_in(rng, 8) ? 30 : 4);

	while (nr--) {
		add(t, "%s", one_in(rng, 6) ? PICK(rng, odd) : PICK(rng, fields));
		if (nr || one_in(rng, 3))
			add(t, "%s", ends[below(rng, one_in(rng, 8) ? (int)ARRAY_SIZE(ends) : 3)]);
	}
}

void gen_user_event(struct rng *rng, struct text *t)
{
	static const char * const bad[] = {
		"", ".", "..", "a/b", NAME "0:flag", NAME "0:", "a\"b", "\t", " " NAME "0",
	};
	int shape = below(rng, ARRAY_SIZE(shapes));

	if (one_in(rng, 20))
		add(t, "%s", PICK(rng, bad));
	else
		add(t, NAME "%d", shape);
	if (one_in(rng, 5)) {
		add(t, " ");
		add_fields(rng, t);
	} else if (*shapes[shape]) {
		add(t, "%s%s%s", one_in(rng, 8) ? "  " : " ", shapes[shape],
		    one_in(rng, 8) ? ";" : "");
	}
}

/* A word that gets a bit, see act_register() */
static void add_where(struct rng *rng, struct text *line)
{
	static const char * const bad[] = { "odd", "const", "kernel", "null" };
	static const char * const sizes[] = { "0", "1", "2", "5", "16" };

	add(line, " %s:", one_in(rng, 25) ? PICK(rng, sizes) : one_in(rng, 3) ? "8" : "4");
	if (one_in(rng, 15))
		add(line, "%s", PICK(rng, bad));
	else
		add(line, "%d", below(rng, one_in(rng, 4) ? 16 : 4));
	add(line, " %d", one_in(rng, 12) ? below(rng, 300) : below(rng, 4));
}

/* The size of a structure of @right bytes */
static void add_size(struct rng *rng, struct text *line, int right)
{
	static const int odd[] = { 0, -1, 1, 4, 15, 16, 27, 29, 32, 33, 4096, 4097 };

	if (one_in(rng, 15))
		add(line, " %d", odd[below(rng, ARRAY_SIZE(odd))]);
	else
		add(line, " %s%d", one_in(rng, 25) ? "r" : "", right);
}

static void add_register(struct rng *rng, struct text *line)
{
	struct text text = { };

	add(line, "register %d", a_file(rng));
	add_size(rng, line, 28);
	add_where(rng, line);
	add(line, " %d ", one_in(rng, 15) ? below(rng, 65536) : one_in(rng, 2) ? 0 :
								   1 + below(rng, 3));
	gen_user_event(rng, &text);
	add_text(rng, line, &text);
}

static void add_bytes(struct text *line, const void *from, int nr)
{
	const unsigned char *byte = from;

	for (; nr--; byte++)
		add(line, isalnum(*byte) ? "%c" : "\\x%02x", *byte);
}

static void add_some_bytes(struct rng *rng, struct text *line, int nr)
{
	unsigned char byte;

	while (nr--) {
		byte = one_in(rng, 2) ? 0 : below(rng, 256);
		add_bytes(line, &byte, 1);
	}
}

/* The location of a field's text: @start bytes from where it is counted from, or a wrong one */
static void add_location(struct rng *rng, struct text *line, int start, int size)
{
	uint32_t loc = size << 16 | start;

	if (one_in(rng, 4))
		loc = one_in(rng, 3) ? (uint32_t)rng_next(rng) :
				       (uint32_t)(below(rng, 12) << 16 | below(rng, 40));
	add_bytes(line, &loc, sizeof(loc));
}

/* The fields of a record, as shapes[] has them */
static void add_record_of(struct rng *rng, struct text *line, int shape)
{
	static const char * const texts[] = { "", "a", "text", "a longer text" };
	const char *text = PICK(rng, texts);
	int size = strlen(text) + 1;

	switch (shape) {
	case 0:
		add_some_bytes(rng, line, 4);
		break;
	case 1:
		add_some_bytes(rng, line, 4);
		add_bytes(line, one_in(rng, 4) ? "hello!" : "hello", 6);
		break;
	case 2:
		add_location(rng, line, HEADER + 12, size);
		add_some_bytes(rng, line, 8);
		add_bytes(line, text, size);
		break;
	case 3:
		add_some_bytes(rng, line, 2);
		add_location(rng, line, 0, size);
		add_bytes(line, text, size);
		break;
	case 4:
		add_some_bytes(rng, line, 13);
	}
}

static void add_record(struct rng *rng, struct text *line)
{
	static const char * const numbers[] = { "-1", "8", "77", "2147483647", "-2147483648" };

	add(line, "record %d ", a_file(rng));
	if (one_in(rng, 20))
		add(line, "%s", PICK(rng, numbers));
	else
		add(line, "%d", below(rng, one_in(rng, 2) ? 2 : 5));
	switch (below(rng, 16)) {
	case 0:
		add(line, " l%d ", one_in(rng, 4) ? below(rng, 70000) : a_size(rng));
		break;
	case 1:
		add(line, " b%d ", below(rng, 20));
		break;
	case 2:
		add(line, " p%d ", below(rng, 3));
		break;
	case 3:
	case 4:
	case 5:
	case 6:
		add(line, " v%d ", 1 + below(rng, 9));
		break;
	default:
		add(line, " w ");
	}
	add_record_of(rng, line, below(rng, ARRAY_SIZE(shapes)));
	if (one_in(rng, 10))
		add_some_bytes(rng, line, below(rng, 20));
}

void add_user(struct rng *rng, struct text *line)
{
	static const char * const memory[] = {
		"unmap", "read-only", "writable", "drop", "move", "new", "new",
	};

	switch (below(rng, 16)) {
	case 0:
		add(line, "open %d %c user_events_data", SLOT + !one_in(rng, 4),
		    one_in(rng, 2) ? 'b' : 'w');
		break;
	case 1:
	case 2:
	case 3:
		add_register(rng, line);
		break;
	case 4:
		add(line, "unregister %d", a_file(rng));
		add_size(rng, line, 16);
		add_where(rng, line);
		break;
	case 5:
		add(line, "delete %d %s%d", a_file(rng), one_in(rng, 12) ? "nosuch" : NAME,
		    below(rng, ARRAY_SIZE(shapes)));
		break;
	case 6:
		add(line, "memory %s", PICK(rng, memory));
		break;
	case 7:
	case 8:
	case 9:
		add(line, "write ");
		add_dir(rng, line);
		if (one_in(rng, 4))
			add(line, "events/user_events%s/enable", one_in(rng, 2) ? "_multi" : "");
		else
			add(line, "events/user_events/" NAME "%d/enable",
			    below(rng, ARRAY_SIZE(shapes)));
		add(line, " t %d", !one_in(rng, 4));
		break;
	default:
		add_record(rng, line);
	}
}
