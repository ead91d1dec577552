// SPDX-License-Identifier: GPL-2.0
/*
 * The modes and owners of the files of tracefs, and how the mount options gid=,
 * uid= and mode= change them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

#define SOME_GID 2345
#define SOME_UID 1234

static int remount(const char *options)
{
	return mount("tracing", tfs_root(), "tracefs", MS_REMOUNT, options) ? -errno : 0;
}

FIXTURE(modes)
{
};

FIXTURE_SETUP(modes)
{
	tfs_reset();
}

FIXTURE_TEARDOWN(modes)
{
	remount("uid=0,gid=0,mode=700");
}

static const struct {
	const char *path;
	mode_t mode;
} files[] = {
	{ "README",				0440 },
	{ "available_events",			0440 },
	{ "available_tracers",			0440 },
	{ "buffer_size_kb",			0640 },
	{ "buffer_subbuf_size_kb",		0640 },
	{ "buffer_total_size_kb",		0440 },
	{ "current_tracer",			0640 },
	{ "events/enable",			0640 },
	{ "events/header_event",		0440 },
	{ "events/header_page",			0440 },
	{ "events/sched/enable",		0640 },
	{ "events/sched/sched_switch/enable",	0640 },
	{ "events/sched/sched_switch/format",	0440 },
	{ "events/sched/sched_switch/id",	0440 },
	{ "events/ftrace/print/format",		0440 },
	{ "options/overwrite",			0640 },
	{ "per_cpu/cpu0/buffer_size_kb",	0640 },
	{ "per_cpu/cpu0/stats",			0440 },
	{ "per_cpu/cpu0/trace",			0640 },
	{ "per_cpu/cpu0/trace_pipe",		0440 },
	{ "per_cpu/cpu0/trace_pipe_raw",	0440 },
	{ "printk_formats",			0440 },
	{ "saved_cmdlines",			0440 },
	{ "saved_cmdlines_size",		0640 },
	{ "saved_tgids",			0440 },
	{ "set_event",				0640 },
	{ "trace",				0640 },
	{ "trace_clock",			0640 },
	{ "trace_marker",			0220 },
	{ "trace_options",			0640 },
	{ "trace_pipe",				0440 },
	{ "tracing_on",				0640 },
};

static const struct {
	const char *path;
	mode_t mode;
} dirs[] = {
	{ "events",				0755 },
	{ "events/sched",			0755 },
	{ "events/sched/sched_switch",		0755 },
	{ "options",				0750 },
	{ "per_cpu",				0750 },
	{ "per_cpu/cpu0",			0750 },
};

static int stat_file(const char *file, struct stat *st)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", tfs_root(), file);
	return stat(path, st) ? -errno : 0;
}

TEST_F(modes, files_and_dirs)
{
	struct stat st;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ASSERT_EQ(0, stat_file(files[i].path, &st)) {
			TH_LOG("%s", files[i].path);
		}
		EXPECT_EQ(S_IFREG | files[i].mode, st.st_mode) {
			TH_LOG("%s has mode %o", files[i].path, st.st_mode);
		}
		EXPECT_EQ(0, st.st_uid);
		EXPECT_EQ(0, st.st_gid);
	}
	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		ASSERT_EQ(0, stat_file(dirs[i].path, &st));
		EXPECT_EQ(S_IFDIR | dirs[i].mode, st.st_mode) {
			TH_LOG("%s has mode %o", dirs[i].path, st.st_mode);
		}
	}
}

/* No file has mode bits for others. */
static int others_allowed;
static unsigned long files_seen;

static int look_at(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	if (type == FTW_D)
		return 0;
	files_seen++;
	if (type != FTW_F || (st->st_mode & 07007)) {
		if (!others_allowed++)
			fprintf(stderr, "# %s has mode %o\n", path, st->st_mode);
	}
	return 0;
}

TEST_F_TIMEOUT(modes, others_get_nothing, 200)
{
	ASSERT_EQ(0, nftw(tfs_root(), look_at, 16, FTW_PHYS));
	EXPECT_LT(1000, files_seen);
	EXPECT_EQ(0, others_allowed);
}

TEST_F(modes, remount_owner)
{
	struct stat st;
	unsigned int i;

	ASSERT_EQ(0, remount("gid=2345"));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ASSERT_EQ(0, stat_file(files[i].path, &st));
		EXPECT_EQ(SOME_GID, st.st_gid) {
			TH_LOG("%s has group %d", files[i].path, st.st_gid);
		}
		EXPECT_EQ(0, st.st_uid);
		EXPECT_EQ(S_IFREG | files[i].mode, st.st_mode);
	}
	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		ASSERT_EQ(0, stat_file(dirs[i].path, &st));
		EXPECT_EQ(SOME_GID, st.st_gid) {
			TH_LOG("%s has group %d", dirs[i].path, st.st_gid);
		}
	}
	ASSERT_EQ(0, stat_file("", &st));
	EXPECT_EQ(SOME_GID, st.st_gid);

	ASSERT_EQ(0, remount("uid=1234,gid=0"));
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ASSERT_EQ(0, stat_file(files[i].path, &st));
		EXPECT_EQ(0, st.st_gid);
		EXPECT_EQ(SOME_UID, st.st_uid) {
			TH_LOG("%s has owner %d", files[i].path, st.st_uid);
		}
	}
}

/* Open the file as an unprivileged task: 0, or the positive errno. */
static int open_as_user(const char *file, int flags)
{
	int child, status, fd;

	tfs_root();
	child = fork();
	if (!child) {
		if (setgroups(0, NULL) || setgid(SOME_GID) || setuid(SOME_UID))
			_exit(255);
		fd = tfs_open(flags, "%s", file);
		_exit(fd < 0 ? -fd : 0);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

TEST_F(modes, access_of_a_group)
{
	EXPECT_EQ(EACCES, open_as_user("README", O_RDONLY));
	ASSERT_EQ(0, remount("mode=755"));
	EXPECT_EQ(EACCES, open_as_user("README", O_RDONLY));
	EXPECT_EQ(EACCES, open_as_user("events/sched/enable", O_RDONLY));
	ASSERT_EQ(0, remount("mode=755,gid=2345"));
	EXPECT_EQ(0, open_as_user("README", O_RDONLY));
	EXPECT_EQ(0, open_as_user("trace", O_RDONLY));
	EXPECT_EQ(0, open_as_user("events/sched/enable", O_RDONLY));
	EXPECT_EQ(0, open_as_user("events/sched/sched_switch/format", O_RDONLY));
	EXPECT_EQ(0, open_as_user("trace_marker", O_WRONLY));
	EXPECT_EQ(EACCES, open_as_user("trace_marker", O_RDONLY));
	EXPECT_EQ(EACCES, open_as_user("trace", O_WRONLY | O_TRUNC));
	EXPECT_EQ(EACCES, open_as_user("events/sched/enable", O_WRONLY));
	EXPECT_EQ(EACCES, open_as_user("tracing_on", O_WRONLY));
}

/* A file keeps its own mode and owner when its dentry and inode are reclaimed. */
TEST_F(modes, chmod_and_chown)
{
	static const char * const some[] = {
		"tracing_on", "events/sched/sched_switch/enable",
	};
	char path[PATH_MAX];
	struct stat st;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(some); i++) {
		snprintf(path, sizeof(path), "%s/%s", tfs_root(), some[i]);
		ASSERT_EQ(0, chmod(path, 0600));
		ASSERT_EQ(0, chown(path, SOME_UID, SOME_GID));
	}
	/* Reclaim unused dentries and inodes. */
	file_write("/proc/sys/vm/drop_caches", "2");
	for (i = 0; i < ARRAY_SIZE(some); i++) {
		ASSERT_EQ(0, stat_file(some[i], &st));
		EXPECT_EQ(S_IFREG | 0600, st.st_mode);
		EXPECT_EQ(SOME_UID, st.st_uid);
		EXPECT_EQ(SOME_GID, st.st_gid);
		snprintf(path, sizeof(path), "%s/%s", tfs_root(), some[i]);
		EXPECT_EQ(0, chmod(path, 0640));
		EXPECT_EQ(0, chown(path, 0, 0));
	}
}

TEST_F(modes, refuses)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/newfile", tfs_root());
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	EXPECT_EQ(-1, fd);
	EXPECT_NE(0, mkdir(path, 0700));
	snprintf(path, sizeof(path), "%s/trace", tfs_root());
	EXPECT_NE(0, unlink(path));
	snprintf(path, sizeof(path), "%s/events/sched", tfs_root());
	EXPECT_NE(0, rmdir(path));
	EXPECT_EQ(-EINVAL, remount("mode=999"));
	EXPECT_EQ(-EINVAL, remount("gid=nogroup"));
	EXPECT_TRUE(tfs_is("1", "tracing_on"));
}

TEST_HARNESS_MAIN
