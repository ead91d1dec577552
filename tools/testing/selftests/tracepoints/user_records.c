// SPDX-License-Identifier: GPL-2.0
/* Events of user space: how their records are shown, and the numbers of the events in them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "tracefs.h"
#include "user_reg.h"

#define DIR	"events/user_events/"
#define HEAD	8	/* bytes of a record before its fields */

FIXTURE(records)
{
	int fd;
	unsigned int word;
};

FIXTURE_SETUP(records)
{
	tfs_reset();
	self->fd = user_open();
	if (self->fd == -ENOENT)
		SKIP(return, "no events of user space");
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(user_all_gone());
}

FIXTURE_TEARDOWN(records)
{
	tfs_reset();
	tfs_write("4", "buffer_subbuf_size_kb");
	close(self->fd);
}

/* Register an event and let it go: its number, or -EINVAL. */
static long number_of(unsigned int *word, const char *name, bool record)
{
	int fd = user_open(), err;
	char text[64];
	long id;

	snprintf(text, sizeof(text), "%s u32 a", name);
	err = user_reg(fd, text, word, 4, 31, 0);
	id = tfs_number(DIR "%s/id", name);
	if (!err && record)
		err = user_enable(name, true) ||
		      user_write(fd, 0, word, sizeof(*word)) != 4 + sizeof(*word) ||
		      user_enable(name, false);
	if (!err)
		err = user_unreg(fd, word, 31);
	close(fd);
	return err || !user_gone("user_events", name) ? -EINVAL : id;
}

/* Only an event that may have records keeps its number. */
TEST_F(records, numbers_of_events_without_any)
{
	long recorded, other;

	recorded = number_of(&self->word, "ur_recorded", true);
	ASSERT_LT(0, recorded);
	other = number_of(&self->word, "ur_other", false);
	ASSERT_LT(0, other);
	/* With classic, the next event gets the number at once. */
	if (is_strobe())
		EXPECT_NE(recorded, other);
	for (int i = 0; i < 5; i++)
		EXPECT_EQ(other, number_of(&self->word, "ur_other", false));
}

/* More than printf() takes as a precision */
TEST_F(records, a_text_of_40000_bytes)
{
	const unsigned int len = 40000;
	const long taint = taint_bits();
	unsigned int *fields;
	char *text;

	if (!is_strobe())
		SKIP(return, "classic warns");
	if (tfs_write("64", "buffer_subbuf_size_kb"))
		SKIP(return, "no large sub-buffers");
	fields = calloc(1, 4 + len);
	ASSERT_NE(NULL, fields);
	fields[0] = len << 16 | (HEAD + 4);
	memset(fields + 1, 'x', len - 1);
	ASSERT_EQ(0, user_reg(self->fd, "ur_long __data_loc char[] msg", &self->word, 4, 31, 0));
	ASSERT_EQ(0, user_enable("ur_long", true));
	ASSERT_EQ(8 + len, user_write(self->fd, 0, fields, 4 + len));
	text = tfs_text("trace");
	ASSERT_NE(NULL, text);
	EXPECT_EQ(1, trace_count(text, "ur_long", 0, NULL));
	EXPECT_EQ(taint, taint_bits());
	free(text);
	free(fields);
}

/* An event whose users have left is removed soon, whether or not another one is kept longer. */
TEST_F(records, beside_one_that_is_kept)
{
	unsigned int other = 0;
	int kept = user_open(), fd = user_open(), i;

	if (!is_strobe())
		SKIP(return, "classic frees an event that an event probe refers to");
	if (!tfs_exists("dynamic_events"))
		SKIP(return, "no dynamic events");
	ASSERT_EQ(0, user_reg(kept, "ue_kept u32 a", &self->word, 4, 31, 0));
	ASSERT_EQ(0, user_reg(fd, "ue_other u32 a", &other, 4, 31, 0));
	if (tfs_append("e:ue/on user_events/ue_kept a=$a", "dynamic_events"))
		SKIP(return, "no event probes");
	EXPECT_EQ(0, user_unreg(kept, &self->word, 31));
	close(kept);
	/* The engine may have looked at it by now, and look again a second later. */
	usleep(100000);
	EXPECT_EQ(0, user_unreg(fd, &other, 31));
	close(fd);
	for (i = 0; i < 60 && user_exists("user_events", "ue_other"); i++)
		usleep(10000);
	EXPECT_FALSE(user_exists("user_events", "ue_other"));
	EXPECT_TRUE(user_exists("user_events", "ue_kept"));
	EXPECT_EQ(0, tfs_append("-:ue/on", "dynamic_events"));
	EXPECT_TRUE(user_gone("user_events", "ue_kept"));
}

TEST_HARNESS_MAIN
