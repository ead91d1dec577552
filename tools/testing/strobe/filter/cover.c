// SPDX-License-Identifier: GPL-2.0
/*
 * The libFuzzer target for the parser and the compiler of filters. The first byte of an input
 * is the seed of the records that the filter is tried on; the rest is its text.
 */
#include "filter/filter_test.h"
#include "filter/oracle.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct filter_gen gen = { .state = size ? data[0] + 1 : 1 };

	/* Longer texts take long and reach no more code. */
	if (size < 1 || size >= sizeof(gen.text))
		return 0;
	memcpy(gen.text, data + 1, size - 1);
	gen.text[size - 1] = '\0';
	if (filter_oracle(gen.text, &gen))
		abort();
	return 0;
}
