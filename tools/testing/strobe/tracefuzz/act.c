// SPDX-License-Identifier: GPL-2.0
/* The verbs of actions */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act.h"

/* Files and perf events that stay open between actions */
int slots[SLOTS] = { [0 ... SLOTS - 1] = -1 };
/* Mappings and spliced pages that outlive the file which they come from */
static struct mapping {
	char *at;
	size_t size;
} mappings[SLOTS];
static int pipes[SLOTS] = { [0 ... SLOTS - 1] = -1 };
static char scratch[65536];

static int unhex(char c)
{
	return isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
}

/* As in C; "\p" is the pid of this process. */
static size_t unescape(char *to, const char *from)
{
	char *start = to;

	for (; *from; from++) {
		if (*from != '\\' || !from[1]) {
			*to++ = *from;
			continue;
		}
		switch (*++from) {
		case 'n':
			*to++ = '\n';
			break;
		case 't':
			*to++ = '\t';
			break;
		case 'p':
			to += sprintf(to, "%d", getpid());
			break;
		case 'x':
			if (!isxdigit(from[1]) || !isxdigit(from[2]))
				break;
			*to++ = unhex(from[1]) << 4 | unhex(from[2]);
			from += 2;
			break;
		default:
			*to++ = *from;
		}
	}
	*to = '\0';
	return to - start;
}

/* Split @line into @nr words, including the verb, and the text, which may be empty. */
static void parse(struct args *args, const char *line, int nr)
{
	char *at = args->line;
	int i;

	snprintf(args->line, sizeof(args->line), "%s", line);
	for (i = 0; i < nr; i++) {
		args->word[i] = at;
		at += strcspn(at, " ");
		if (*at)
			*at++ = '\0';
	}
	args->len = unescape(args->text, at);
}

long keep(int at, int fd)
{
	if (fd < 0)
		return fd;
	if (slots[at] >= 0)
		close(slots[at]);
	slots[at] = fd;
	user_forget(at);
	return 0;
}

/* write PATH MODE TEXT */
static long act_write(struct args *args)
{
	int fd = open(args->word[1], O_WRONLY | O_CLOEXEC |
		      (*args->word[2] == 't' ? O_TRUNC : *args->word[2] == 'a' ? O_APPEND : 0));
	long ret;

	if (fd < 0)
		return -errno;
	ret = or_errno(write(fd, args->text, args->len));
	close(fd);
	return ret;
}

/* Has the action written something before one of its writes was refused? */
static bool took_part;

bool act_took_part(void)
{
	return took_part;
}

/* pieces PATH SIZE TEXT: write TEXT in pieces of SIZE, without closing the file in between */
static long act_pieces(struct args *args)
{
	int fd = open(args->word[1], O_WRONLY | O_CLOEXEC);
	size_t done = 0, size = number(args, 2) ?: 1;
	long ret;

	if (fd < 0)
		return -errno;
	/* An empty text is written, too: without a write, nothing would have been accepted. */
	do {
		took_part = done;
		ret = or_errno(write(fd, args->text + done,
				     done + size < args->len ? size : args->len - done));
		done += size;
	} while (done < args->len && ret >= 0);
	close(fd);
	return ret < 0 ? ret : 0;
}

/* long PATH SIZE TEXT: write SIZE bytes at once, TEXT over and over */
static long act_long(struct args *args)
{
	int fd = open(args->word[1], O_WRONLY | O_CLOEXEC);
	size_t i, size = (unsigned int)number(args, 2) % sizeof(scratch);
	long ret;

	if (fd < 0)
		return -errno;
	for (i = 0; i < size; i++)
		scratch[i] = args->len ? args->text[i % args->len] : 'x';
	ret = or_errno(write(fd, scratch, size));
	close(fd);
	return ret;
}

/* read PATH SIZE OFFSET: read from there, then from the start */
static long act_read(struct args *args)
{
	int fd = open(args->word[1], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	long ret;

	if (fd < 0)
		return -errno;
	ret = or_errno(pread(fd, scratch, number(args, 2) % sizeof(scratch), number(args, 3)));
	if (ret == -ESPIPE || ret >= 0)
		ret = or_errno(read(fd, scratch, number(args, 2) % sizeof(scratch)));
	close(fd);
	return ret < 0 ? ret : 0;
}

char *edge(size_t before)
{
	static char *end;

	if (!end) {
		end = mmap(NULL, sizeof(scratch) + 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (end == MAP_FAILED) {
			perror("mmap");
			exit(2);
		}
		end += sizeof(scratch);
		mprotect(end, 4096, PROT_NONE);
	}
	return end - before;
}

static size_t at_most(size_t nr, size_t limit)
{
	return nr < limit ? nr : limit;
}

/* badwrite PATH BEFORE TEXT: write TEXT, of which only the first BEFORE bytes can be read */
static long act_badwrite(struct args *args)
{
	int fd = open(args->word[1], O_WRONLY | O_CLOEXEC);
	size_t before = at_most((unsigned int)number(args, 2), args->len);
	char *from = edge(before);
	long ret;

	if (fd < 0)
		return -errno;
	memcpy(from, args->text, before);
	ret = or_errno(write(fd, from, args->len + (before == args->len)));
	close(fd);
	return ret;
}

/* badread PATH BEFORE SIZE: read SIZE bytes into a buffer that only has room for BEFORE */
static long act_badread(struct args *args)
{
	int fd = open(args->word[1], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	size_t before = at_most((unsigned int)number(args, 2), sizeof(scratch));
	long ret;

	if (fd < 0)
		return -errno;
	ret = or_errno(read(fd, edge(before), at_most(number(args, 3), sizeof(scratch))));
	close(fd);
	return ret < 0 ? ret : 0;
}

/* Send this process a signal that it ignores, which fires a known number of events. */
void act_fire(int times)
{
	while (times-- > 0)
		kill(getpid(), SIGUSR1);
}

static void wake(int number)
{
	(void)number;
}

/* Interrupt this process after @first microseconds, and again and again; 0: no more */
static void set_alarm(int first)
{
	struct itimerval timer = { .it_value.tv_usec = first, .it_interval.tv_usec = first };
	/* Without SA_RESTART */
	struct sigaction action = { .sa_handler = wake };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static long splice_away(int fd, size_t size, int flags)
{
	int ends[2];
	long ret;

	if (pipe(ends))
		return -errno;
	ret = or_errno(splice(fd, NULL, ends[1], NULL, size, flags));
	close(ends[0]);
	close(ends[1]);
	return ret < 0 ? ret : 0;
}

/* Read or splice from a file, and wait for data until an alarm; a child fires events meanwhile. */
static long block(struct args *args, bool splices)
{
	int fd = open(args->word[1], O_RDONLY | O_CLOEXEC), child;
	size_t size = at_most((unsigned int)number(args, 2), sizeof(scratch));
	long ret;

	if (fd < 0)
		return -errno;
	child = fork();
	if (!child) {
		usleep(1000);
		act_fire(3);
		_exit(0);
	}
	set_alarm(20000);
	ret = splices ? splice_away(fd, size, 0) : or_errno(read(fd, scratch, size));
	set_alarm(0);
	if (child > 0)
		waitpid(child, NULL, 0);
	close(fd);
	return ret < 0 && ret != -EINTR ? ret : 0;
}

/* block PATH SIZE */
static long act_block(struct args *args)
{
	return block(args, false);
}

/* blocksplice PATH SIZE */
static long act_blocksplice(struct args *args)
{
	return block(args, true);
}

static long act_mkdir(struct args *args)
{
	return or_errno(mkdir(args->word[1], 0755));
}

static long act_rmdir(struct args *args)
{
	return or_errno(rmdir(args->word[1]));
}

/* open SLOT MODE PATH */
static long act_open(struct args *args)
{
	int flags = *args->word[2] == 'r' ? O_RDONLY : *args->word[2] == 'w' ? O_WRONLY : O_RDWR;

	return keep(slot(args), or_errno(open(args->word[3], flags | O_NONBLOCK | O_CLOEXEC)));
}

static long act_fdread(struct args *args)
{
	long ret = or_errno(read(slots[slot(args)], scratch, number(args, 2) % sizeof(scratch)));

	return ret < 0 ? ret : 0;
}

static long act_fdwrite(struct args *args)
{
	return or_errno(write(slots[slot(args)], args->text, args->len));
}

static long act_fdseek(struct args *args)
{
	long ret = or_errno(lseek(slots[slot(args)], number(args, 2), SEEK_SET));

	return ret < 0 ? ret : 0;
}

static long act_splice(struct args *args)
{
	return splice_away(slots[slot(args)], number(args, 2), SPLICE_F_NONBLOCK);
}

/* hold SLOT SIZE: splice into a pipe that stays, until the next one of this slot */
static long act_hold(struct args *args)
{
	int ends[2], at = slot(args);
	long ret;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	ret = or_errno(splice(slots[at], NULL, ends[1], NULL, number(args, 2),
			      SPLICE_F_NONBLOCK));
	close(ends[1]);
	if (pipes[at] >= 0)
		close(pipes[at]);
	pipes[at] = ends[0];
	return ret < 0 ? ret : 0;
}

/* Read a byte of each page of a mapping, and remove it. */
static void unmap(struct mapping *mapping)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	size_t i;

	for (i = 0; i < mapping->size && write(null, mapping->at + i, 1) == 1; i += 4096)
		;
	close(null);
	if (mapping->size)
		munmap(mapping->at, mapping->size);
	mapping->size = 0;
}

static long map_pages(struct mapping *mapping, int fd, int pages, int first)
{
	size_t size = (size_t)pages * 4096;

	mapping->size = 0;
	mapping->at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, (off_t)first * 4096);
	if (mapping->at == MAP_FAILED)
		return -errno;
	mapping->size = size;
	return 0;
}

/* map SLOT PAGES: map them, read a byte of each page, unmap them */
static long act_map(struct args *args)
{
	struct mapping mapping;
	long ret = map_pages(&mapping, slots[slot(args)], number(args, 2), 0);

	unmap(&mapping);
	return ret;
}

/* mmap SLOT PAGES FIRST: map them from page FIRST on, until munmap or the next one of the slot */
static long act_mmap(struct args *args)
{
	int at = slot(args);

	unmap(&mappings[at]);
	return map_pages(&mappings[at], slots[at], number(args, 2), number(args, 3));
}

static long act_munmap(struct args *args)
{
	unmap(&mappings[slot(args)]);
	return 0;
}

/* poll SLOT MILLISECONDS: with 0, it does not wait */
static long act_poll(struct args *args)
{
	struct pollfd one = { .fd = slots[slot(args)], .events = POLLIN };
	long ret = or_errno(poll(&one, 1, (unsigned int)number(args, 2) % 32));

	return ret < 0 ? ret : 0;
}

/* epoll SLOT MILLISECONDS: wait for an edge, and for the next one */
static long act_epoll(struct args *args)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int queue = epoll_create1(0), i;
	long ret;

	ret = or_errno(epoll_ctl(queue, EPOLL_CTL_ADD, slots[slot(args)], &event));
	for (i = 0; i < 2 && ret >= 0; i++)
		ret = or_errno(epoll_wait(queue, &event, 1, (unsigned int)number(args, 2) % 32));
	close(queue);
	return ret < 0 ? ret : 0;
}

static long act_close(struct args *args)
{
	int at = slot(args), fd = slots[at];

	slots[at] = -1;
	user_forget(at);
	return or_errno(close(fd));
}

static long run(const char *program, const char *arg, const char *other)
{
	int status, pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 1);
		dup2(null, 2);
		execlp(program, program, arg, other, NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return status ? -ECHILD : 0;
}

/* exec TIMES: run a program that calls the function that probes are put on */
static long act_exec(struct args *args)
{
	const char *file;
	int i;
	long ret = 0;

	dynamic_place(&file);
	for (i = 0; i < number(args, 1) % 16 && !ret; i++)
		ret = run(file, "-x", NULL);
	return ret;
}

static long act_load(struct args *args)
{
	return run("modprobe", args->word[1], NULL);
}

static long act_unload(struct args *args)
{
	return run("modprobe", "-r", args->word[1]);
}

static long act_cpu(struct args *args)
{
	int cpu = number(args, 1);
	char path[64];
	long ret;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	ret = file_put(path, args->word[2]);
	if (!ret && cpu >= 0 && cpu < CPUS && *args->word[2] == '1')
		programs_online(cpu);
	return ret;
}

/* work TIMES: fire the quiet events, and others */
static long act_work(struct args *args)
{
	int i, status, pid;

	for (i = 0; i < number(args, 1) % 64; i++) {
		pid = fork();
		if (!pid) {
			act_fire(1);
			dynamic_fire();
			prctl(PR_SET_NAME, "renamed");
			_exit(0);
		}
		waitpid(pid, &status, 0);
		getppid();
		sched_yield();
	}
	return 0;
}

/* A change may have made the number of signals negative, or too large. */
static int kill_times(int number)
{
	return number < 0 ? 0 : number % 1024;
}

/* kill TIMES: fire signal_generate, sys_enter_kill and sys_exit_kill, each TIMES */
static long act_kill(struct args *args)
{
	act_fire(kill_times(number(args, 1)));
	return 0;
}

/*
 * dump: have SysRq print the records of the top instance on the console. It consumes them, and
 * switches recording off.
 */
static long act_dump(struct args *args)
{
	return file_put("/proc/sysrq-trigger", "z");
}

static const struct verb {
	const char *name;
	int words;	/* with the verb; the text follows them */
	long (*act)(struct args *args);
} verbs[] = {
	{ "write", 3, act_write },	{ "pieces", 3, act_pieces },
	{ "long", 3, act_long },	{ "read", 4, act_read },
	{ "mkdir", 2, act_mkdir },	{ "rmdir", 2, act_rmdir },
	{ "open", 4, act_open },	{ "close", 2, act_close },
	{ "fdread", 3, act_fdread },	{ "fdwrite", 2, act_fdwrite },
	{ "fdseek", 3, act_fdseek },	{ "splice", 3, act_splice },
	{ "hold", 3, act_hold },	{ "map", 3, act_map },
	{ "mmap", 4, act_mmap },	{ "munmap", 2, act_munmap },
	{ "poll", 3, act_poll },	{ "epoll", 3, act_epoll },
	{ "perf", 4, act_perf },	{ "filter", 2, act_filter },
	{ "program", 2, act_program },	{ "bpf", 4, act_bpf },
	{ "load", 2, act_load },	{ "unload", 2, act_unload },
	{ "cpu", 3, act_cpu },		{ "work", 2, act_work },
	{ "kill", 2, act_kill },	{ "badwrite", 3, act_badwrite },
	{ "badread", 4, act_badread },	{ "block", 3, act_block },
	{ "blocksplice", 3, act_blocksplice }, { "ioctl", 4, act_ioctl },
	{ "probe", 4, act_probe },	{ "exec", 2, act_exec },
	{ "register", 6, act_register }, { "unregister", 5, act_unregister },
	{ "delete", 2, act_delete },	{ "record", 4, act_record },
	{ "memory", 2, act_memory },	{ "dump", 1, act_dump },
};

static const struct verb *verb_of(const char *line)
{
	size_t len = strcspn(line, " "), i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (strlen(verbs[i].name) == len && !strncmp(line, verbs[i].name, len))
			return &verbs[i];
	}
	return NULL;
}

void act_init(bool fails)
{
	static const struct {
		const char *file, *text;
	} settings[] = {
		{ "/sys/kernel/debug/failslab/ignore-gfp-wait", "N" },
		{ "/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N" },
		{ "/sys/kernel/debug/fail_page_alloc/min-order", "0" },
		{ "/sys/kernel/debug/failslab/verbose", "0" },
		{ "/sys/kernel/debug/fail_page_alloc/verbose", "0" },
	};
	size_t i;

	/* They run grep once, and keep the result; grep must not run while allocations fail. */
	is_strobe();
	has_kasan();
	programs_init();
	user_init();
	/* Map it before allocations fail. */
	edge(0);
	signal(SIGUSR1, SIG_IGN);
	mount("none", "/sys/kernel/debug", "debugfs", 0, NULL);
	/* Also allocations that may sleep, and those of single pages; and no messages. */
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		if (file_put(settings[i].file, settings[i].text) && fails) {
			fprintf(stderr, "no CONFIG_FAILSLAB, or no CONFIG_FAIL_PAGE_ALLOC\n");
			exit(2);
		}
	}
}

static long injected;

long act_injected(void)
{
	return injected;
}

/*
 * fail N ACTION: the Nth allocation of the action fails. Whatever the engine, kprobes.c warns if
 * ftrace.c has no memory when all probes are disarmed.
 */
static long act_failing(const char *line)
{
	char nth[16];
	char *rest, *left;
	long ret;

	snprintf(nth, sizeof(nth), "%ld", strtol(line, &rest, 10));
	if (strstr(rest, " /sys/kernel/debug/kprobes/enabled "))
		return act(rest + 1);
	file_put("/proc/self/fail-nth", nth);
	ret = act(rest + (*rest == ' '));
	left = file_text("/proc/self/fail-nth");
	injected += left && !atoi(left);
	free(left);
	file_put("/proc/self/fail-nth", "0");
	return ret;
}

long act(const char *line)
{
	const struct verb *verb = verb_of(line);
	static struct args args;

	if (!strncmp(line, "fail ", 5))
		return act_failing(line + 5);
	if (!verb) {
		fprintf(stderr, "no such action: %s\n", line);
		exit(2);
	}
	parse(&args, line, verb->words);
	took_part = false;
	return verb->act(&args);
}

/* The action without the "fail N" before it */
static const char *without_fail(const char *line)
{
	if (strncmp(line, "fail ", 5))
		return line;
	line += 5 + strcspn(line + 5, " ");
	return line + !!*line;
}

int act_words(const char *line)
{
	const char *action = without_fail(line);
	const struct verb *verb = verb_of(action);

	return verb ? verb->words + (action == line ? 0 : 2) : 0;
}

static bool has_verb(const char *line, const char *verb)
{
	const char *action = without_fail(line);
	size_t len = strlen(verb);

	return !strncmp(action, verb, len) && action[len] == ' ';
}

bool act_faults(const char *line)
{
	return has_verb(line, "badwrite");
}

bool act_truncates(const char *line)
{
	char mode = 0;

	return has_verb(line, "write") &&
	       sscanf(without_fail(line), "%*s %*s %c", &mode) == 1 && mode == 't';
}

bool act_may_fail(const char *line)
{
	return without_fail(line) != line;
}

/* Does it use the file of user events in a slot? */
static bool is_user(const char *line)
{
	return has_verb(line, "register") || has_verb(line, "unregister") ||
	       has_verb(line, "delete") || has_verb(line, "record");
}

bool act_is_write(const char *line)
{
	return has_verb(line, "write") || has_verb(line, "pieces") || has_verb(line, "long") ||
	       has_verb(line, "fdwrite") || act_faults(line) || is_user(line);
}

bool act_registers(const char *line)
{
	return has_verb(line, "register");
}

const char *act_record_event(const char *line)
{
	return user_record_event(without_fail(line));
}

const char *act_text(const char *line)
{
	static struct args args;

	if (!has_verb(line, "write") && !has_verb(line, "fdwrite"))
		return NULL;
	parse(&args, without_fail(line), verb_of(without_fail(line))->words);
	return args.text;
}

bool act_is_work(const char *line)
{
	return has_verb(line, "work") || has_verb(line, "kill") || has_verb(line, "exec") ||
	       has_verb(line, "record");
}

int act_kills(const char *line)
{
	return has_verb(line, "kill") ? kill_times(atoi(strchr(without_fail(line), ' '))) : 0;
}

/* The path in tracefs of the file that is open as @fd, or "" */
static const char *file_of(int fd)
{
	static const char top[] = "/sys/kernel/tracing/";
	static char path[PATH_MAX];
	char link[32];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	return strncmp(path, top, strlen(top)) || strstr(path, " (deleted)") ? "" :
									path + strlen(top);
}

const char *act_target(const char *line)
{
	static char path[300];
	const char *action = without_fail(line);

	if (has_verb(line, "fdwrite") || is_user(line))
		return file_of(slots[(unsigned int)atoi(strchr(action, ' ')) % SLOTS]);
	return act_is_write(line) && sscanf(action, "%*s %299s", path) == 1 ? path : "";
}

const char *act_dir(const char *path)
{
	static const char top[] = "instances/";
	static char dir[64];
	const char *name = path + strlen(top);
	int len;

	if (strncmp(path, top, strlen(top)))
		return "";
	len = strcspn(name, "/");
	if (name[len] != '/')
		return "";
	snprintf(dir, sizeof(dir), "instances/%.*s/", len, name);
	return dir;
}

void act_undo(void)
{
	int i;

	for (i = 0; i < SLOTS; i++) {
		if (slots[i] >= 0)
			close(slots[i]);
		if (pipes[i] >= 0)
			close(pipes[i]);
		slots[i] = -1;
		pipes[i] = -1;
		unmap(&mappings[i]);
		user_forget(i);
	}
	user_undo();
	if (!file_put("/sys/devices/system/cpu/cpu1/online", "1"))
		programs_online(1);
	for (i = 0; i < nr_modules; i++)
		run("modprobe", "-r", modules[i]);
}
