// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of a filter, valid or damaged. Compiled and interpreted, it must give the result of
 * the plain evaluator for the same text, or be refused with the errno that the plain evaluator
 * returns. It must not read out of bounds, and must not leak memory.
 */
#include "filter/filter_test.h"
#include "filter/oracle.h"

#define RECORDS	20

struct filter_seen seen;

static void complain(const char *text, int got, int want)
{
	fprintf(stderr, "# the filter says %d, the plain evaluator %d: %s\n", got, want, text);
}

/* Match a copy of the record on the heap, so that ASAN notices an access beyond its end. */
static bool compare(const struct strobe_filter *filter, const char *text,
		    const struct filter_test_record *record)
{
	struct filter_test_record *copy = malloc(sizeof(*copy));
	int got, want;

	memcpy(copy, record, sizeof(*copy));
	got = strobe_filter_match(filter, copy);
	want = strobe_filter_plain(text, copy);
	free(copy);
	seen.beyond += want == -E2BIG;
	if (got != want && want != -E2BIG)
		complain(text, got, want);
	return got == want || want == -E2BIG;
}

struct strobe_filter *filter_oracle_create(const char *text, struct strobe_filter_error *err)
{
	char *copy = strdup(text);
	struct strobe_filter *filter;

	filter = strobe_filter_create(&strobe_filter_test_call, copy, STROBE_FILTER_ALL, err);
	free(copy);
	return filter;
}

int filter_oracle(const char *text, struct filter_gen *gen)
{
	struct filter_test_record record;
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	int i, want, bad = 0;

	strobe_filter_gen_record(gen, &record);
	filter = filter_oracle_create(text, &err);
	if (IS_ERR(filter)) {
		want = strobe_filter_plain(text, &record);
		seen.refused++;
		seen.beyond += want == -E2BIG && PTR_ERR(filter) != -E2BIG;
		if (want != PTR_ERR(filter) && want != -E2BIG) {
			complain(text, PTR_ERR(filter), want);
			return 1;
		}
		return shim_held != 0;
	}
	for (i = 0; i < RECORDS && !bad; i++) {
		bad = !compare(filter, text, &record);
		seen.records++;
		seen.matches += strobe_filter_match(filter, &record);
		strobe_filter_gen_record(gen, &record);
	}
	strobe_filter_free(filter);
	return bad || shim_held;
}
