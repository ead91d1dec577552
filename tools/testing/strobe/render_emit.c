// SPDX-License-Identifier: GPL-2.0
/*
 * Records with values in all arrays, for the module strobe_emit: the bytes of an event's
 * record in a pattern. The file inject leaves arrays empty or zero.
 *
 * A pattern gives the numbers of elements in arrays of variable length, and the values in
 * all arrays. Numbers are small in all of them, as inject has the other patterns of numbers.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <arpa/inet.h>

#include "render.h"

const char * const emit_names[EMIT_PATTERNS] = { "empty", "single", "several", "many" };

#define HEADER		8	/* size of the common fields */
#define RECORD_MAX	3000
#define TEXT		0x5f747865745f6d65ULL	/* EMIT_TEXT of the module */
#define LENGTH_MAX	6	/* of fixed arrays of bytes, all have as many elements */

struct record {
	unsigned char bytes[RECORD_MAX + 1024];
	size_t end;		/* of the fixed fields, then of all data so far */
	size_t last;		/* length in bytes of the last array that is not a string */
	int pattern;
};

/*
 * Size of an element of an array, from its type. Of a struct it is not known: a multiple of
 * 8 is taken, so that the array may have part of an element at its end.
 */
static size_t element_size(const char *type)
{
	static const struct {
		const char *word;
		size_t size;
	} sizes[] = {
		{ "struct", 8 }, { "*", 8 }, { "64", 8 }, { "32", 4 }, { "16", 2 }, { "short", 2 },
		{ "char", 1 }, { "8", 1 }, { "bool", 1 }, { "long", 8 }, { "size_t", 8 },
		{ "loff_t", 8 },
	};
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		if (strstr(type, sizes[i].word))
			return sizes[i].size;
	}
	return 4;
}

/* Does the event print @field with the helper? */
static bool printed_with(const char *format, const char *helper, const char *field)
{
	char call[200];

	snprintf(call, sizeof(call), "%s(%s)", helper, field);
	return strstr(format, call);
}

/* Set a socket address, of another family in each pattern. Returns its length. */
static size_t set_address(void *at, int pattern)
{
	struct sockaddr_in *in = at;
	struct sockaddr_in6 *in6 = at;
	struct sockaddr *other = at;

	switch (pattern) {
	case 1:
		in->sin_family = AF_INET;
		in->sin_port = htons(80);
		in->sin_addr.s_addr = htonl(0x0a010203);
		return sizeof(*in);
	case 2:
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(65535);
		inet_pton(AF_INET6, "2001:db8::1:0:ff", &in6->sin6_addr);
		return sizeof(*in6);
	case 3:
		other->sa_family = AF_UNIX;
		return sizeof(*other);
	default:
		return sizeof(*other);
	}
}

static size_t set_bitmask(unsigned char *at, int pattern)
{
	static const size_t longs[EMIT_PATTERNS] = { 0, 1, 2, 4 };
	static const uint64_t bits[EMIT_PATTERNS] = { 0, 1, 0x8000f00000010ff0, UINT64_MAX };
	size_t i;

	for (i = 0; i < longs[pattern]; i++)
		memcpy(at + 8 * i, &bits[pattern], 8);
	return 8 * longs[pattern];
}

/* Bytes of an array: all different at first, then the highest. */
static void set_bytes(unsigned char *at, size_t len, int pattern)
{
	size_t i;

	for (i = 0; i < len; i++)
		at[i] = pattern == 3 ? 0xff : pattern ? 0x11 * (i + 1) : 0;
}

/* A string of at most @room bytes, with its NUL. Returns its size. */
static size_t set_string(unsigned char *at, size_t room, int pattern)
{
	static const char * const texts[EMIT_PATTERNS] = {
		"", "a", "%s: a name, %p",
		"/a/path/that/is/longer/than/any/array/of/characters/in/a/record/has/room/for",
	};
	size_t len = strlen(texts[pattern]);

	if (len > room - 1)
		len = room - 1;
	memcpy(at, texts[pattern], len);
	at[len] = '\0';
	return len + 1;
}

/* Append the data of a field of variable length, and set its location. */
static void set_dynamic(struct record *rec, const struct field *f, const char *format)
{
	static const size_t elements[EMIT_PATTERNS] = { 0, 1, 7, 33 };
	unsigned char *at = rec->bytes + rec->end;
	size_t place = rec->end, len;
	uint32_t location;

	if (is_string(f)) {
		len = set_string(at, 200, rec->pattern);
	} else if (printed_with(format, "__get_sockaddr", f->name) ||
		   printed_with(format, "__get_rel_sockaddr", f->name)) {
		len = set_address(at, rec->pattern);
	} else if (printed_with(format, "__get_bitmask", f->name) ||
		   printed_with(format, "__get_rel_bitmask", f->name) ||
		   printed_with(format, "__get_cpumask", f->name) ||
		   printed_with(format, "__get_rel_cpumask", f->name)) {
		len = set_bitmask(at, rec->pattern);
	} else {
		len = elements[rec->pattern] * element_size(f->type);
		set_bytes(at, len, rec->pattern);
		rec->last = len;
	}
	if (rec->end + len > RECORD_MAX)
		len = 0;
	if (strstr(f->type, "__rel_loc"))
		place -= f->offset + sizeof(location);
	location = len << 16 | place;
	memcpy(rec->bytes + f->offset, &location, sizeof(location));
	rec->end += len;
}

static void set_fixed(struct record *rec, const struct field *f, int nr)
{
	unsigned char *at = rec->bytes + f->offset;
	uint64_t number = is_string(f) ? TEXT : (uint64_t)nr + 2;

	if (strchr(f->type, '[') && is_string(f))
		set_string(at, f->size, rec->pattern);
	else if (strchr(f->type, '['))
		set_bytes(at, f->size, rec->pattern);
	else if (f->size <= 8 && (is_string(f) || rec->pattern))
		memcpy(at, &number, f->size);
}

/* Has the event fields that inject does not set? */
bool emit_is_needed(const char *format)
{
	const char *at = own_fields(format);
	struct field f;

	while (next_field(&at, &f)) {
		if (!is_settable(&f))
			return true;
	}
	return false;
}

/*
 * Make what is to be written for a record of event @name, SYSTEM:EVENT. Of the fields that
 * stay zero, those that are lengths get the length of an array of the record.
 */
struct emitted emit_record(const char *name, const char *event, const char *format, int pattern)
{
	struct record rec = { .end = HEADER, .pattern = pattern };
	struct emitted made = { };
	const char *at = own_fields(format);
	size_t word = strlen(name) + 1;
	struct field f;
	int nr = 0;

	while (next_field(&at, &f)) {
		if (rec.end < (size_t)(f.offset + f.size))
			rec.end = f.offset + f.size;
	}
	for (at = own_fields(format); next_field(&at, &f); ) {
		if (f.offset + f.size > RECORD_MAX)
			return made;
		if (is_dynamic(&f))
			set_dynamic(&rec, &f, format);
		else if (!stays_zero(event, f.name))
			set_fixed(&rec, &f, nr++);
	}
	rec.last = rec.last > LENGTH_MAX ? LENGTH_MAX : rec.last;
	for (at = own_fields(format); next_field(&at, &f); ) {
		if (stays_zero(event, f.name) && strstr(f.name, "len"))
			memcpy(rec.bytes + f.offset, &rec.last, f.size);
	}
	made.len = word + (rec.end + 7) / 8 * 8;
	made.bytes = calloc(1, made.len);
	if (!made.bytes)
		exit(1);
	memcpy(made.bytes, name, word);
	memcpy(made.bytes + word, rec.bytes, made.len - word);
	return made;
}
