// SPDX-License-Identifier: GPL-2.0
/*
 * Random filters, sound and damaged, on random records: compiled and interpreted, each
 * says what the plain evaluator says; nothing is read that is not there, and nothing is
 * leaked. And each allocation of making one fails once.
 * usage: fuzz [-s SEED] [-n FILTERS]
 */
#include <getopt.h>

#include "filter/filter_test.h"

#define RECORDS	20

static const char of_each_kind[] =
	"name ~ '*x?' && (mask & CPUS{0-1} || ip.function == filter_plain ) || ptr == 'x'";

/* Of its exact size on the heap, so that a look beyond its end is noticed. */
static bool compare(const struct strobe_filter *filter, const struct filter_tree *tree,
		    const struct filter_test_record *record)
{
	struct filter_test_record *copy = malloc(sizeof(*copy));
	bool values[64], ret;

	memcpy(copy, record, sizeof(*copy));
	ret = strobe_filter_match(filter, copy) == filter_plain(tree, copy, values);
	free(copy);
	return ret;
}

/* The text on the heap, too. */
static struct strobe_filter *create(const char *text, struct strobe_filter_error *err)
{
	char *copy = strdup(text);
	struct strobe_filter *filter = strobe_filter_create(&filter_test_call, copy, err);

	free(copy);
	return filter;
}

static int fuzz_one(struct filter_gen *gen, unsigned long *matches)
{
	struct filter_test_record record;
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	struct filter_tree tree;
	int i, bad = 0;

	filter_gen_text(gen, 16);
	if (filter_gen_random(gen, 2))
		filter_gen_damage(gen);
	filter = create(gen->text, &err);
	if (IS_ERR(filter))
		return shim_held != 0;
	if (filter_parse(&filter_test_call, gen->text, &tree, &err))
		return 1;
	for (i = 0; i < RECORDS && tree.nr_terms <= 64; i++) {
		filter_gen_record(gen, &record);
		bad += !compare(filter, &tree, &record);
		*matches += strobe_filter_match(filter, &record);
	}
	filter_data_free(tree.data);
	filter_tree_free(&tree);
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
	unsigned long seed = 1, filters = 100000, n, matches = 0;
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
	if (fail_each(of_each_kind)) {
		fprintf(stderr, "# an allocation that failed\n");
		return 1;
	}
	for (n = 0; n < filters; n++) {
		gen.state = seed + n + 0x9e3779b97f4a7c15;
		filter_gen_random(&gen, 2);
		if (fuzz_one(&gen, &matches)) {
			fprintf(stderr, "# seed %lu: %s\n", seed + n, gen.text);
			return 1;
		}
	}
	printf("# %lu filters, %lu records match\n", filters, matches);
	return matches < filters;
}
