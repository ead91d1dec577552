// SPDX-License-Identifier: GPL-2.0
/*
 * Random filters, valid and damaged, on random records; oracle.c checks each of them. Also
 * lets each allocation of the creation of a filter fail once.
 * usage: fuzz [-s SEED] [-n FILTERS] [-f FILE] [-r]; by default the seed is random, and
 * printed. With FILE, its lines are the filters, each on records of four seeds. With -r, BPF
 * refuses to run the programs.
 */
#include <getopt.h>
#include <sys/random.h>

#include "filter/filter_test.h"
#include "filter/oracle.h"

static const char of_each_kind[] =
	"name ~ '*x?' && (mask & CPUS{0-1} || ip.function == strobe_filter_plain ) || ptr == 'x'";

/* Let each allocation fail in turn. Returns 0 if each failure gave -ENOMEM and leaked nothing. */
static int fail_each(const char *text)
{
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	long n;

	for (n = 1; ; n++) {
		shim_fail_at = n;
		filter = filter_oracle_create(text, &err);
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

/*
 * BPF returns an error instead of a program that can run. One of them means that there is no
 * memory left for native code. Returns 0 if each one is told, and nothing leaks.
 */
static int fail_to_run(void)
{
	static const struct { int bpf, told; } errors[] = {
		{ -ENOTSUPP, -ENOMEM }, { -ENOMEM, -ENOMEM }, { -EINVAL, -EINVAL },
	};
	struct strobe_filter_error err;
	struct strobe_filter *filter;
	int i, bad = 0;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		shim_runtime_error = errors[i].bpf;
		filter = filter_oracle_create(of_each_kind, &err);
		if (PTR_ERR(filter) == errors[i].told && !shim_held)
			continue;
		fprintf(stderr, "# BPF says %d: %ld, %ld held\n", errors[i].bpf, PTR_ERR(filter),
			shim_held);
		bad = 1;
	}
	shim_runtime_error = 0;
	return bad;
}

/* Has the plain evaluator judged all but one of @share checks? */
static bool judged(unsigned long share)
{
	unsigned long checks = seen.records + seen.refused;

	if (seen.beyond <= checks / share)
		return true;
	fprintf(stderr, "# the plain evaluator cannot judge %lu of %lu checks\n", seen.beyond,
		checks);
	return false;
}

/* Returns the number of failed checks of the file's filters, or -1 if the file has none. */
static int replay(const char *path)
{
	FILE *from = fopen(path, "r");
	struct filter_gen gen;
	size_t size = 0, lines = 0;
	char *line = NULL;
	int bad = 0, i;

	while (from && getline(&line, &size, from) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "# ", 2))
			continue;
		lines++;
		for (i = 1; i <= 4; i++) {
			gen.state = i;
			bad += filter_oracle(line, &gen);
		}
	}
	free(line);
	if (from)
		fclose(from);
	printf("# %zu filters, %lu of %lu checks not judged\n", lines, seen.beyond,
	       seen.records + seen.refused);
	return lines && judged(1000) ? bad : -1;
}

int main(int argc, char **argv)
{
	unsigned long seed = 0, filters = 100000, n;
	struct filter_gen gen;
	int c;

	while ((c = getopt(argc, argv, "s:n:f:r")) != -1) {
		if (c == 's')
			seed = strtoul(optarg, NULL, 0);
		else if (c == 'n')
			filters = strtoul(optarg, NULL, 0);
		else if (c == 'f')
			return replay(optarg) ? 1 : 0;
		else if (c == 'r')
			return fail_to_run();
		else
			return 2;
	}
	/* Choose another seed each time; it is printed. */
	if (!seed && getrandom(&seed, sizeof(seed) / 2, 0) < 0)
		return 2;
	printf("# seed %lu\n", seed);
	if (fail_each(of_each_kind)) {
		fprintf(stderr, "# an allocation that failed\n");
		return 1;
	}
	for (n = 0; n < filters; n++) {
		gen.state = seed + n + 0x9e3779b97f4a7c15;
		strobe_filter_gen_random(&gen, 2);
		strobe_filter_gen_text(&gen, 16);
		if (strobe_filter_gen_random(&gen, 2))
			strobe_filter_gen_damage(&gen);
		if (filter_oracle(gen.text, &gen)) {
			fprintf(stderr, "# seed %lu: %s\n", seed + n, gen.text);
			return 1;
		}
	}
	printf("# %lu filters, %lu refused, %lu of %lu records match, %lu checks not judged\n",
	       filters, seen.refused, seen.matches, seen.records, seen.beyond);
	return !judged(1000) || seen.matches < seen.records / 4 ||
	       seen.matches > seen.records / 4 * 3 || seen.refused < filters / 8;
}
