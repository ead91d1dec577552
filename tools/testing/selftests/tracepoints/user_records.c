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

/* Register an event and let it go: its number, or -errno. */
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

TEST_HARNESS_MAIN
