// SPDX-License-Identifier: GPL-2.0
/*
 * Torture of record/: filters. Their programs are those of filter/, interpreted, and interrupts
 * come before each load.
 */
#include "torture.h"

/* A filter, around that of filter/. Its magic shows that it was not freed. */
struct test_filter {
	struct strobe_filter	filter;
	struct strobe_filter	*real;
	u32			magic;
};

#define FILTER_MAGIC	0x5eed5eedU

/* Text of the filters of each fourth event file */
static const char * const texts[] = {
	"serial & 3",
	"tag ~ \"*b*\"",
	"!(serial & 1) || tag ~ \"?[ac]*\"",
	"tag != \"aaaaaa\" && (tag ~ \"*d\" || serial & 6)",
};

/* Does the filter of an event accept the record? */
bool matches(u32 file, u32 serial)
{
	char tag[sizeof_field(struct payload, tag)];

	set_tag(tag, serial);
	switch (file % ARRAY_SIZE(texts)) {
	case 0:
		return serial % 4;
	case 1:
		return strchr(tag, 'b');
	case 2:
		return serial % 2 == 0 || tag[1] == 'a' || tag[1] == 'c';
	default:
		return strcmp(tag, "aaaaaa") && (tag[5] == 'd' || serial & 6);
	}
}

void set_tag(char *tag, u32 serial)
{
	u32 i;

	for (i = 0; i < sizeof_field(struct payload, tag) - 1; i++) {
		tag[i] = 'a' + serial % 5;
		serial /= 5;
	}
	tag[i] = '\0';
}

/* The interpreter calls this to load and to store. */
void *filter_copy(void *to, const void *from, size_t size);
void *filter_copy(void *to, const void *from, size_t size)
{
	barrier();
	return __builtin_memcpy(to, from, size);
}

static unsigned int filter_run(const void *record, const struct bpf_insn *insn)
{
	const struct test_filter *filter = (const void *)insn;
	const struct payload *p = record;
	bool match;

	if (READ_ONCE(filter->magic) != FILTER_MAGIC)
		FAIL("a filter that is gone");
	count(BY_FILTER);
	/* In the scratch, the record may be without its header. */
	if (!filter->filter.scratch_words) {
		count(BY_HEADER);
		is_whole(record, "a filter");
	}
	match = strobe_filter_match(filter->real, record);
	if (p->cpu != shim_cpu || p->len < sizeof(*p) || p->serial != context.serial)
		FAIL("a filter: no record");
	else if (match != matches(p->file, p->serial))
		FAIL("a filter of file %u says %d of record %u", p->file, match, p->serial);
	return match;
}

/* Make a filter for an event file. Only main() and the controller do. */
struct strobe_filter *new_filter(u32 file)
{
	struct test_filter *filter = malloc(sizeof(*filter));
	struct strobe_filter_error err;
	u32 r = shim_random();
	char text[200];

	/* The second term is true of all records, and makes it another program each time. */
	snprintf(text, sizeof(text), r % 2 ? "(%s) && serial != %u" : "(%s) && common_pid < %u",
		 texts[file % ARRAY_SIZE(texts)], SERIALS + (r >> 2));
	filter->real = strobe_filter_create((const void *)texts, text, STROBE_FILTER_ALL, &err);
	if (IS_ERR(filter->real)) {
		fprintf(stderr, "# %s: error %d at %u\n", text, err.code, err.pos);
		abort();
	}
	filter->filter = (struct strobe_filter) {
		.run = filter_run,
		.scratch_words = filter->real->scratch_words,
		.insns = (const void *)filter,	/* for filter_run() */
	};
	filter->magic = FILTER_MAGIC;
	return &filter->filter;
}

void free_filter(struct strobe_filter *filter)
{
	struct test_filter *gone = (void *)filter;

	if (!gone)
		return;
	WRITE_ONCE(gone->magic, 0);
	strobe_filter_free(gone->real);
	free(gone);
}
