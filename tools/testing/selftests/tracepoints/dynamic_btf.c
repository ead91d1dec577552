// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments of dynamic events by the names and types that BTF has for a function: parameters,
 * members, "$arg*", values of functions, strings and bitfields, of the kernel and of a module.
 * The values are those that this process made the function get.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "attach.h"
#include "dynamic.h"
#include "tracefs.h"

/* attach_fire() calls __set_task_comm(struct task_struct *tsk, const char *buf, bool exec). */
#define NAMED	"__set_task_comm"

FIXTURE(btf)
{
};

FIXTURE_SETUP(btf)
{
	tfs_reset();
	ASSERT_EQ(0, dyn_clear());
	pin_to_cpu(0);
}

FIXTURE_TEARDOWN(btf)
{
	tfs_reset();
	dyn_clear();
}

/* Has one record of this process, and not more, the text? */
static bool is_recorded(const char *event, const char *part)
{
	char *text = tfs_text("trace");
	int n = text ? trace_count(text, event, getpid(), part) : -1;

	if (n != 1)
		printf("# %d of %s have '%s'\n%s\n", n, event, part, text ?: "");
	free(text);
	return n == 1;
}

static bool format_has(const char *event, const char *part)
{
	char *format = tfs_text("events/mine/%s/format", event);
	bool found = format && strstr(format, part);

	if (!found)
		printf("# format is\n%s\n", format ?: "missing");
	free(format);
	return found;
}

static bool defines(const char *line, const char *shown)
{
	return !dyn_define(line) && dyn_shows(shown ?: line);
}

TEST_F(btf, definitions)
{
	EXPECT_TRUE(defines("f:mine/a " NAMED " buf", "f:mine/a " NAMED " buf=buf"));
	EXPECT_TRUE(defines("p:mine/b " NAMED " tsk->pid n=buf:string",
			    "p:mine/b " NAMED " arg1=tsk->pid n=buf:string"));
	EXPECT_TRUE(defines("f:mine/c " NAMED " $arg*",
			    "f:mine/c " NAMED " tsk=tsk buf=buf exec=exec"));
	EXPECT_TRUE(defines("f:mine/d " NAMED " n=$comm $arg2:string x=$arg1",
			    "f:mine/d " NAMED " n=$comm buf=buf:string x=$arg1"));
	EXPECT_TRUE(defines("f:mine/e vfs_read%return $arg* $retval",
			    "f:mine/e vfs_read%return file=file buf=buf count=count pos=pos "
			    "arg5=$retval"));
	EXPECT_TRUE(defines("p:mine/f vfs_read $arg*",
			    "p:mine/f vfs_read file=file buf=buf count=count pos=pos"));
	EXPECT_TRUE(defines("t:mine/g task_rename $arg*",
			    "t:mine/g task_rename task=task comm=comm"));
	EXPECT_EQ(0, dyn_define("-:mine/c " NAMED " tsk=tsk buf=buf"));
	EXPECT_EQ(-ENOENT, dyn_define("-:mine/d " NAMED " n=$comm buf=$arg2:string"));
	EXPECT_EQ(0, dyn_define("-:mine/d " NAMED " n=$comm buf=buf:string"));
}

#define FIELD(type, name, at, size, sign) \
	"\tfield:" type " " name ";\toffset:" at ";\tsize:" size ";\tsigned:" sign ";\n"

TEST_F(btf, formats)
{
	ASSERT_EQ(0, dyn_define("f:mine/a vfs_read file count mode=file->f_mode i=file->f_flags "
				"m=file->f_inode->i_mode pos:x8 p=file->f_pos"));
	EXPECT_TRUE(format_has("a", FIELD("u64", "file", "16", "8", "0")
				    FIELD("u64", "count", "24", "8", "0")
				    FIELD("u32", "mode", "32", "4", "0")
				    FIELD("u32", "i", "36", "4", "0")
				    FIELD("u16", "m", "40", "2", "0")
				    FIELD("u8", "pos", "42", "1", "0")
				    FIELD("s64", "p", "43", "8", "1")));
	EXPECT_TRUE(format_has("a", "print fmt: \"(%lx) file=0x%Lx count=%Lu mode=%u i=%u m=%u "
				    "pos=0x%x p=%Ld\", REC->__probe_ip, REC->file, "));
	ASSERT_EQ(0, dyn_define("f:mine/b " NAMED "%return exec buf:string tsk->pid tsk->prio"));
	EXPECT_TRUE(format_has("b", FIELD("u8", "exec", "24", "1", "0")
				    FIELD("__data_loc char[]", "buf", "25", "4", "1")
				    FIELD("s32", "arg3", "29", "4", "1")));
}

/* Define and enable the same for an fprobe and for a kprobe. */
static bool both(const char *rest)
{
	char line[512];
	int ret;

	snprintf(line, sizeof(line), "f:mine/f %s", rest);
	ret = dyn_define(line);
	snprintf(line, sizeof(line), "p:mine/p %s", rest);
	return !ret && !dyn_define(line) && !dyn_enable("mine", true);
}

/* Are they recorded, once by each? */
static __printf(1, 2) bool both_have(const char *fmt, ...)
{
	char part[512];
	va_list list;

	va_start(list, fmt);
	vsnprintf(part, sizeof(part), fmt, list);
	va_end(list);
	return is_recorded("f", part) && is_recorded("p", part);
}

TEST_F(btf, members)
{
	attach_fire("before");
	ASSERT_TRUE(both(NAMED " old=tsk->comm:string buf:string exec pid=tsk->pid "
			 "up=tsk->real_parent->pid uid=tsk->cred->uid.val "
			 "leader=tsk->group_leader->comm:string"));
	attach_fire("after");
	ASSERT_EQ(0, dyn_enable("mine", false));
	EXPECT_TRUE(both_have("old=\"before\" buf=\"after\" exec=0 pid=%d up=%d uid=0 leader=",
			      getpid(), getppid()));
}

/* Read some bytes of the file from an offset on. */
static void read_file(const char *path, int bytes, int at, struct stat *st)
{
	char buf[4096];
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, st) || lseek(fd, at, SEEK_SET) < 0 || read(fd, buf, bytes) < 0)
		perror(path);
	close(fd);
}

/* Members of anonymous structures, of structures in structures, of what pointers lead to. */
TEST_F(btf, a_file)
{
	struct stat st;

	ASSERT_TRUE(both("vfs_read count len=file->f_path.dentry->d_name.len "
			 "n=file->f_path.dentry->d_name.name:string mode=file->f_inode->i_mode "
			 "ino=file->f_path.dentry->d_inode->i_ino at=+0(pos):s64"));
	read_file("/dev/zero", 1234, 0, &st);
	ASSERT_EQ(0, dyn_enable("mine", false));
	EXPECT_TRUE(both_have("count=1234 len=4 n=\"zero\" mode=%u ino=%llu at=0",
			      st.st_mode, (unsigned long long)st.st_ino));
}

TEST_F(btf, dentries)
{
	struct stat st;

	ASSERT_TRUE(both("vfs_read a=file:%pD b=file->f_path.dentry:%pd count"));
	read_file("/dev/zero", 99, 0, &st);
	ASSERT_EQ(0, dyn_enable("mine", false));
	EXPECT_TRUE(both_have("a=\"zero\" b=\"zero\" count=99"));
}

/* What a function returns, and what its parameters were. */
TEST_F(btf, a_return)
{
	struct stat st;

	ASSERT_EQ(0, dyn_define("f:mine/f vfs_read%return $arg* ret=$retval "
				"n=file->f_path.dentry->d_name.name:string"));
	ASSERT_EQ(0, dyn_define("r:mine/r vfs_read count $retval small=$retval:s16"));
	ASSERT_EQ(0, dyn_define("f:mine/name getname%return path=$retval->name:string "
				"refs=$retval->refcnt.counter same=$retval->uptr:ustring"));
	ASSERT_EQ(0, dyn_enable("mine", true));
	read_file("/dev/null", 5, 0, &st);
	read_file("/dev/zero", 77, 0, &st);
	ASSERT_EQ(0, dyn_enable("mine", false));
	EXPECT_TRUE(format_has("f", FIELD("s64", "ret", "56", "8", "1")));
	EXPECT_TRUE(is_recorded("f", "ret=77 n=\"zero\""));
	EXPECT_TRUE(is_recorded("f", "count=5 "));
	EXPECT_TRUE(is_recorded("f", "ret=0 n=\"null\""));
	EXPECT_TRUE(is_recorded("r", "count=77 arg2=77 small=77"));
	EXPECT_TRUE(is_recorded("name", "path=\"/dev/zero\" refs=1 same=\"/dev/zero\""));
}

/* A pointer to user memory, as which a type says it. */
TEST_F(btf, strings_of_user_memory)
{
	int fd = open("/dev/null", O_WRONLY);

	ASSERT_LE(0, fd);
	ASSERT_TRUE(both("vfs_write count buf:ustring"));
	ASSERT_EQ(6, write(fd, "hello", 6));
	ASSERT_EQ(0, dyn_enable("mine", false));
	close(fd);
	EXPECT_TRUE(both_have("count=6 buf=\"hello\""));
}

TEST_F(btf, bitfields)
{
	struct sched_param param = { };

	ASSERT_TRUE(both(NAMED " reset=tsk->sched_reset_on_fork io=tsk->in_execve buf:string"));
	EXPECT_TRUE(format_has("f", FIELD("u32", "reset", "16", "4", "0")
				    FIELD("u32", "io", "20", "4", "0")));
	attach_fire("off");
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &param));
	attach_fire("on");
	ASSERT_EQ(0, dyn_enable("mine", false));
	EXPECT_TRUE(both_have("reset=0 io=0 buf=\"off\""));
	EXPECT_TRUE(both_have("reset=1 io=0 buf=\"on\""));
}

/* send_signal_locked(int sig, struct kernel_siginfo *info, ..., enum pid_type type) */
TEST_F(btf, enumerations)
{
	ASSERT_TRUE(both("send_signal_locked sig type code=info->si_code "
			 "pid=info->_sifields._kill._pid"));
	EXPECT_TRUE(format_has("f", FIELD("s32", "sig", "16", "4", "1")
				    FIELD("s32", "type", "20", "4", "1")));
	ASSERT_EQ(0, kill(getpid(), SIGWINCH));
	ASSERT_EQ(0, dyn_enable("mine", false));
	/* PIDTYPE_TGID, SI_USER */
	EXPECT_TRUE(both_have("sig=28 type=1 code=0 pid=%d", getpid()));
}

TEST_F(btf, a_tracepoint)
{
	attach_fire("before");
	ASSERT_EQ(0, dyn_define("t:mine/t task_rename $arg* new=comm:string pid=task->pid "
				"old=task->comm:string"));
	EXPECT_TRUE(format_has("t", FIELD("u64", "task", "16", "8", "0")
				    FIELD("u64", "comm", "24", "8", "0")));
	ASSERT_EQ(0, dyn_enable("mine", true));
	attach_fire("after");
	ASSERT_EQ(0, dyn_enable("mine", false));
	EXPECT_TRUE(is_recorded("t", "new=\"after\" pid="));
	EXPECT_TRUE(is_recorded("t", " old=\"before\""));
}

static int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? -errno : 0;
}

TEST_F(btf, a_module)
{
	if (system("modprobe tp-events && modprobe tp-sample"))
		SKIP(return, "no modules tp-events and tp-sample");
	if (access("/sys/kernel/btf/tp_events", R_OK))
		SKIP(return, "modules have no BTF");
	ASSERT_TRUE(both("sample_open file->f_mode:u8 n=file->f_path.dentry->d_name.name:string"));
	ASSERT_EQ(0, dyn_define("t:mine/text tp_events_text $arg* t=text:string"));
	ASSERT_EQ(0, dyn_define("t:mine/names tp_events_names $arg*"));
	ASSERT_EQ(0, dyn_define("t:mine/many tp_events_many a b c d e x=b:x8 y=$arg2"));
	EXPECT_TRUE(format_has("many", FIELD("u8", "a", "16", "1", "0")
				       FIELD("s8", "b", "17", "1", "1")));
	EXPECT_TRUE(format_has("names", FIELD("s32", "colour", "16", "4", "1")));
	ASSERT_EQ(0, dyn_enable("mine", true));
	EXPECT_EQ(0, attach_fire_module("written"));
	close(open("/proc/tracepoint-sample", O_RDONLY));
	ASSERT_EQ(0, dyn_enable("mine", false));
	EXPECT_TRUE(both_have(" n=\"tracepoint-sample\""));
	EXPECT_TRUE(is_recorded("text", "writes=1 t=\"written\""));
	EXPECT_TRUE(is_recorded("names", "colour=1 flags="));
	EXPECT_TRUE(is_recorded("many", "a=129 b=-2 c=32769 d=-3 e=2147483649 x=0xfe"));
	EXPECT_EQ(0, dyn_clear());
	/* The BTF does not keep the modules. */
	EXPECT_EQ(0, unload("tp_events"));
	EXPECT_EQ(0, unload("tp_sample"));
}

static const struct dyn_bad bad_functions[] = {
	{ "f vfs_read ^hoge", -ENOENT, "This variable is not found at this probe point" },
	{ "f vfs_read a=^$arg5x", -EINVAL, "Invalid $-variable specified" },
	{ "f vfs_read ^$arg5", -ENOENT, "This variable is not found at this probe point" },
	{ "f vfs_read count ^$arg0", -EINVAL, "Invalid argument number" },
	{ "f vfs_read args=^$arg*", -EINVAL, "Invalid $-variable specified" },
	{ "f vfs_read $arg* ^$arg*", -EINVAL, "$arg* can be used only once in the parameters" },
	{ "f vfs_read $arg* count ^", -EINVAL, "This argument name is already used" },
	{ "f kfree%return ^$retval", -ENOENT, "This function returns 'void' type" },
	{ "f vfs_read%return $retval->^foo", -EINVAL, "This is not a pointer to union/structure." },
	{ "f vfs_read%return $retval.^foo", -EOPNOTSUPP,
	  "Non pointer structure/union argument is not supported." },
	{ "f vfs_read file.^f_mode", -EOPNOTSUPP,
	  "Non pointer structure/union argument is not supported." },
	{ "f vfs_read file->^foo", -ENOENT, "This field is not found." },
	{ "f vfs_read x=file->f_path.^foo:u8", -ENOENT, "This field is not found." },
	{ "f vfs_read file^-.foo", -EINVAL, "Failed to parse single hyphen. Forgot '>'?" },
	{ "f vfs_read file->f_path^-.foo", -EINVAL, "Failed to parse single hyphen. Forgot '>'?" },
	{ "f vfs_read pos->^foo", -EINVAL, "Failed to get BTF type info." },
	{ "f vfs_read file->f_mode.^foo", -EINVAL, "Failed to get BTF type info." },
	{ "f vfs_read file->f_path->^dentry", -EINVAL,
	  "This is not a pointer to union/structure." },
	{ "f vfs_read ^file:string", -EINVAL, "This type does not fit for string." },
	{ "f vfs_read a=^pos:ustring", -EINVAL, "This type does not fit for string." },
	{ "f vfs_read count:^u8[2]", -EINVAL, "String accepts only memory argument" },
	{ "t task_rename ^__data", -ENOENT, "This variable is not found at this probe point" },
	{ "t task_rename task->^foo", -ENOENT, "This field is not found." },
	{ "t task_rename $arg* ^$arg3", -ENOENT, "This variable is not found at this probe point" },
};

static const struct dyn_bad bad_kprobes[] = {
	{ "p vfs_read ^hoge", -ENOENT, "This variable is not found at this probe point" },
	{ "p vfs_read+5 ^file", -EINVAL, "BTF is not available or not supported" },
	{ "p vfs_read+5 file ^$arg*", -EINVAL, "$arg* can be used only on function entry or exit" },
	{ "r kfree ^$retval", -ENOENT, "This function returns 'void' type" },
	{ "r vfs_read $retval->^x", -EINVAL, "This is not a pointer to union/structure." },
	{ "p vfs_read file->^foo", -ENOENT, "This field is not found." },
};

TEST_F(btf, errors)
{
	unsigned int i;

	for (i = 0; i < sizeof(bad_functions) / sizeof(*bad_functions); i++)
		EXPECT_TRUE(dyn_is_refused("trace_fprobe", &bad_functions[i]));
	for (i = 0; i < sizeof(bad_kprobes) / sizeof(*bad_kprobes); i++)
		EXPECT_TRUE(dyn_is_refused("trace_kprobe", &bad_kprobes[i]));
}

/* Before the harness prints its plan. */
static void __attribute__((constructor)) skip_without_btf(void)
{
	if (dyn_readme("<argname>[->field[->field|.field...]]"))
		return;
	ksft_print_header();
	ksft_exit_skip("the kernel has no arguments by BTF\n");
}

TEST_HARNESS_MAIN
