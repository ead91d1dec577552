// SPDX-License-Identifier: GPL-2.0
/*
 * Random filters, sound and damaged, on random records: compiled and interpreted, each
 * says what the plain evaluator says of the same text, or is refused with the errno that it
 * names; nothing is read that is not there, and nothing is leaked. And each allocation of
 * making one fails once.
 * usage: fuzz [-s SEED] [-n FILTERS]; the seed is random, and printed
 */
#include <getopt.h>
#include <sys/random.h>

#include "filter/filter_test.h"

#define RECORDS	20

static const char of_each_kind[] =
	"name ~ '*x?' && (mask & CPUS{0-1} || ip.function == filter_plain ) || ptr == 'x'";

static void complain(const char *text, int got, int want)
{
	fprintf(stderr, "# the filter says %d, the plain evaluator %d: %s\n", got, want, text);
}

/* Of its exact size on the heap, so that a look beyond its end is noticed. */
static bool compare(const struct strobe_filter *filter, const char *text,
		    const struct filter_test_record *record)
{
	struct filter_test_record *copy = malloc(sizeof(*copy));
	int got, want;

	memcpy(copy, record, sizeof(*copy));
	got = strobe_filter_match(filter, copy);
	want = filter_plain(text, copy);
	free(copy);
	if (got != want && want != -E2BIG)
		complain(text, got, want);
	return got == want || want == -E2BIG;
}

/* The text on the heap, too. */
static struct strobe_filter *create(const char *text, struct strobe_filter_error *err)
{
	char *copy = strdup(text);
	struct strobe_filter *filter;

	filter = strobe_filter_create(&filter_test_call, copy, STROBE_FILTER_ALL, err);
	free(copy);
	return filter;
}

/* Counts of what has been seen, so that a run that shows nothing is noticed. */
static struct {
	unsigned long matches, refused, records;
} seen;

static int fuzz_one(struct filter_gen *gen)
{
	struct filter_test_record record;
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	int i, want, bad = 0;

	filter_gen_text(gen, 16);
	if (filter_gen_random(gen, 2))
		filter_gen_damage(gen);
	filter_gen_record(gen, &record);
	filter = create(gen->text, &err);
	if (IS_ERR(filter)) {
		want = filter_plain(gen->text, &record);
		seen.refused++;
		if (want != PTR_ERR(filter) && want != -E2BIG) {
			complain(gen->text, PTR_ERR(filter), want);
			return 1;
		}
		return shim_held != 0;
	}
	for (i = 0; i < RECORDS && !bad; i++) {
		bad = !compare(filter, gen->text, &record);
		seen.records++;
		seen.matches += strobe_filter_match(filter, &record);
		filter_gen_record(gen, &record);
	}
	strobe_filter_free(filter);
	return bad || shim_held;
}

/* Returns 0 if every allocation has been made to fail, and was. */
static int fail_each(const char *text)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	long n;

	for (n = 1; ; n++) {
		shim_fail_at = n;
		filter = create(text, &err);
		if (!IS_ERR(filter))
			break;
		if (PTR_ERR(filter) != -ENOMEM || shim_held) {
			fprintf(stderr, "# allocation %ld: %ld, %ld held\n", n, PTR_ERR(filter),
				shim_held);
			return 1;
		}
	}
	n = shim_fail_at ? n : 0;
	shim_fail_at = 0;
	strobe_filter_free(filter);
	return n < 8 || shim_held;
}

int main(int argc, char **argv)
{
	unsigned long seed = 0, filters = 100000, n;
	struct filter_gen gen;
	int c;

	while ((c = getopt(argc, argv, "s:n:")) != -1) {
		if (c == 's')
			seed = strtoul(optarg, NULL, 0);
		else if (c == 'n')
			filters = strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	/* Another one each time; what fails says which. */
	if (!seed && getrandom(&seed, sizeof(seed) / 2, 0) < 0)
		return 2;
	printf("# seed %lu\n", seed);
	if (fail_each(of_each_kind)) {
		fprintf(stderr, "# an allocation that failed\n");
		return 1;
	}
	for (n = 0; n < filters; n++) {
		gen.state = seed + n + 0x9e3779b97f4a7c15;
		filter_gen_random(&gen, 2);
		if (fuzz_one(&gen)) {
			fprintf(stderr, "# seed %lu: %s\n", seed + n, gen.text);
			return 1;
		}
	}
	printf("# %lu filters, %lu refused, %lu of %lu records match\n", filters, seen.refused,
	       seen.matches, seen.records);
	return seen.matches < seen.records / 4 || seen.matches > seen.records / 4 * 3 ||
	       seen.refused < filters / 8;
}
