// SPDX-License-Identifier: GPL-2.0
/*
 * Filters that libFuzzer makes, by what they reach in the parser and the compiler. The
 * first byte chooses the records that each is tried on; the text is the rest.
 */
#include "filter/filter_test.h"
#include "filter/oracle.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct filter_gen gen = { .state = size ? data[0] + 1 : 1 };

	/* Longer ones say nothing new, and take long. */
	if (size < 1 || size >= sizeof(gen.text))
		return 0;
	memcpy(gen.text, data + 1, size - 1);
	gen.text[size - 1] = '\0';
	if (filter_oracle(gen.text, &gen))
		abort();
	return 0;
}
