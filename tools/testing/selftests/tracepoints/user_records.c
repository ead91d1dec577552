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

TEST_HARNESS_MAIN
