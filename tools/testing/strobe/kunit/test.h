/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of KUnit as is needed by those tests that also run in user space. Prints KTAP.
 */
#ifndef _STROBE_KUNIT_TEST_H
#define _STROBE_KUNIT_TEST_H

#include <setjmp.h>

struct kunit {
	void	*priv;
	int	failures;
	jmp_buf	abort;
	void	*allocated;
};

struct kunit_case {
	void		(*run)(struct kunit *test);
	const char	*name;
};

struct kunit_suite {
	const char		*name;
	int			(*init)(struct kunit *test);
	void			(*exit)(struct kunit *test);
	struct kunit_case	*test_cases;
};

#define KUNIT_CASE(f)	{ .run = f, .name = #f }
#define KUNIT_CASE_SLOW(f)	KUNIT_CASE(f)

static inline void *kunit_kzalloc(struct kunit *test, size_t size, int gfp)
{
	(void)gfp;
	test->allocated = shim_alloc(size);
	return test->allocated;
}

#define KUNIT_CHECK(test, cond, text, fatal) do {			\
	if (cond)							\
		break;							\
	fprintf(stderr, "    # %s:%d: %s\n", __FILE__, __LINE__, text);	\
	(test)->failures++;						\
	if (fatal)							\
		longjmp((test)->abort, 1);				\
} while (0)

#define KUNIT_COMPARE(test, a, op, b, fatal) do {			\
	typeof(a) _a = (a);						\
	typeof(b) _b = (b);						\
	char _text[300];						\
									\
	if (_a op _b)							\
		break;							\
	snprintf(_text, sizeof(_text), "%s (%lld) " #op " %s (%lld)",	\
		 #a, (long long)_a, #b, (long long)_b);			\
	KUNIT_CHECK(test, false, _text, fatal);				\
} while (0)

#define KUNIT_EXPECT_TRUE_MSG(test, cond, ...) do {			\
	char _text[3000];						\
									\
	if (cond)							\
		break;							\
	snprintf(_text, sizeof(_text), __VA_ARGS__);			\
	KUNIT_CHECK(test, false, _text, false);				\
} while (0)
#define KUNIT_FAIL(test, ...)	KUNIT_EXPECT_TRUE_MSG(test, false, __VA_ARGS__)
#define KUNIT_ASSERT_TRUE_MSG(test, cond, ...) do {			\
	KUNIT_EXPECT_TRUE_MSG(test, cond, __VA_ARGS__);			\
	KUNIT_CHECK(test, cond, #cond, true);				\
} while (0)
#define kunit_info(test, ...)		do {				\
	printf("    # " __VA_ARGS__);					\
	printf("\n");							\
} while (0)
#define kunit_skip(test, text)	longjmp((test)->abort, 1)

#define KUNIT_EXPECT_TRUE(test, x)	KUNIT_CHECK(test, x, #x, false)
#define KUNIT_EXPECT_FALSE(test, x)	KUNIT_CHECK(test, !(x), "not " #x, false)
#define KUNIT_EXPECT_NOT_NULL(test, x)	KUNIT_CHECK(test, x, #x, false)
#define KUNIT_ASSERT_TRUE(test, x)	KUNIT_CHECK(test, x, #x, true)
#define KUNIT_ASSERT_FALSE(test, x)	KUNIT_CHECK(test, !(x), "not " #x, true)
#define KUNIT_ASSERT_NOT_NULL(test, x)	KUNIT_CHECK(test, x, #x, true)
#define KUNIT_EXPECT_EQ(test, a, b)	KUNIT_COMPARE(test, a, ==, b, false)
#define KUNIT_EXPECT_LE(test, a, b)	KUNIT_COMPARE(test, a, <=, b, false)
#define KUNIT_EXPECT_LT(test, a, b)	KUNIT_COMPARE(test, a, <, b, false)
#define KUNIT_EXPECT_GT(test, a, b)	KUNIT_COMPARE(test, a, >, b, false)
#define KUNIT_ASSERT_EQ(test, a, b)	KUNIT_COMPARE(test, a, ==, b, true)
#define KUNIT_ASSERT_LE(test, a, b)	KUNIT_COMPARE(test, a, <=, b, true)
#define KUNIT_ASSERT_LT(test, a, b)	KUNIT_COMPARE(test, a, <, b, true)

static __attribute__((__noinline__)) void
kunit_run_case(struct kunit_suite *suite, struct kunit_case *c, struct kunit *test)
{
	if (setjmp(test->abort))
		return;
	if (suite->init)
		suite->init(test);
	c->run(test);
}

static inline int kunit_run(struct kunit_suite *suite)
{
	struct kunit_case *c;
	int failed = 0, n = 0;

	printf("# Subtest: %s\n", suite->name);
	for (c = suite->test_cases; c->run; c++) {
		struct kunit test = {};

		kunit_run_case(suite, c, &test);
		if (test.priv && suite->exit)
			suite->exit(&test);
		free(test.allocated);
		printf("%s %d %s\n", test.failures ? "not ok" : "ok", ++n, c->name);
		failed += !!test.failures;
	}
	printf("1..%d\n", n);
	return failed;
}

#define kunit_test_suite(suite)						\
u64 sched_clock_noinstr(void) { return 0; }				\
u64 trace_clock_local(void) { return 0; }				\
int main(void) { return !!kunit_run(&(suite)); }			\
struct kunit_suite

#endif /* _STROBE_KUNIT_TEST_H */
