// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "tracefs.h"

static const char root[] = "/sys/kernel/tracing";

const char *tfs_root(void)
{
	static bool mounted;

	if (mounted)
		return root;
	if (access("/sys/kernel/tracing/trace", F_OK) &&
	    mount("nodev", root, "tracefs", 0, NULL) && errno != EBUSY) {
		perror("Bail out! cannot mount tracefs");
		exit(1);
	}
	mounted = true;
	return root;
}

static int open_va(int flags, const char *fmt, va_list ap)
{
	char path[PATH_MAX];
	int len, fd;

	len = snprintf(path, sizeof(path), "%s/", tfs_root());
	vsnprintf(path + len, sizeof(path) - len, fmt, ap);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int tfs_open(int flags, const char *fmt, ...)
{
	va_list ap;
	int fd;

	va_start(ap, fmt);
	fd = open_va(flags, fmt, ap);
	va_end(ap);
	return fd;
}

int fd_write(int fd, const char *text)
{
	size_t len = strlen(text);
	ssize_t n = write(fd, text, len);

	if (n < 0)
		return -errno;
	return n == (ssize_t)len ? 0 : -EIO;
}

int tfs_mark(int first, int n)
{
	char text[40];
	int fd = tfs_open(O_WRONLY, "trace_marker"), i;

	if (fd < 0)
		return fd;
	for (i = first; i < first + n; i++) {
		snprintf(text, sizeof(text), "number %08d of the series", i);
		if (fd_write(fd, text))
			break;
	}
	close(fd);
	return i - first - n;
}

int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int ret = fd < 0 ? -errno : fd_write(fd, text);

	if (fd >= 0)
		close(fd);
	return ret;
}

long file_number(const char *path)
{
	FILE *f = fopen(path, "r");
	long number = -1;

	if (f) {
		if (fscanf(f, "%ld", &number) != 1)
			number = -1;
		fclose(f);
	}
	return number;
}

long taint_bits(void)
{
	/* Ignore out-of-tree and unsigned modules (bits 12 and 13), and live patches (15). */
	return file_number("/proc/sys/kernel/tainted") & ~0xb000L;
}

long free_kb(void)
{
	struct sysinfo info;

	sysinfo(&info);
	return info.freeram / 1024 * info.mem_unit;
}

static int write_va(int flags, const char *text, const char *fmt, va_list ap)
{
	int fd = open_va(O_WRONLY | flags, fmt, ap);
	int ret;

	if (fd < 0)
		return fd;
	ret = fd_write(fd, text);
	close(fd);
	return ret;
}

int tfs_write(const char *text, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = write_va(O_TRUNC, text, fmt, ap);
	va_end(ap);
	return ret;
}

int tfs_append(const char *text, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = write_va(O_APPEND, text, fmt, ap);
	va_end(ap);
	return ret;
}

char *fd_text(int fd)
{
	size_t size = 65536, len = 0;
	char *text = malloc(size);
	ssize_t n;

	while (text) {
		n = read(fd, text + len, size - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN) {
			free(text);
			return NULL;
		}
		if (n <= 0) {
			text[len] = '\0';
			return text;
		}
		len += n;
		if (size - len < 8192) {
			size *= 2;
			text = realloc(text, size);
		}
	}
	return NULL;
}

static char *text_va(const char *fmt, va_list ap)
{
	int fd = open_va(O_RDONLY, fmt, ap);
	char *text;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	text = fd_text(fd);
	close(fd);
	return text;
}

char *tfs_text(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = text_va(fmt, ap);
	va_end(ap);
	return text;
}

bool tfs_is(const char *want, const char *fmt, ...)
{
	va_list ap;
	char *text;
	size_t len;
	bool same;

	va_start(ap, fmt);
	text = text_va(fmt, ap);
	va_end(ap);
	if (!text)
		return false;
	len = strlen(text);
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	same = !strcmp(text, want);
	if (!same)
		fprintf(stderr, "# %s is \"%s\", not \"%s\"\n", fmt, text, want);
	free(text);
	return same;
}

long tfs_number(const char *fmt, ...)
{
	va_list ap;
	char *text;
	long n;

	va_start(ap, fmt);
	text = text_va(fmt, ap);
	va_end(ap);
	if (!text)
		return -errno;
	n = atol(text);
	free(text);
	return n;
}

static bool next_dir(DIR *dir, char name[256])
{
	struct dirent *d;

	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.' || d->d_type != DT_DIR)
			continue;
		snprintf(name, sizeof(d->d_name), "%s", d->d_name);
		return true;
	}
	return false;
}

bool event_dirs_next(struct event_dirs *dirs)
{
	char path[PATH_MAX];

	if (!dirs->top) {
		snprintf(path, sizeof(path), "%s/events", tfs_root());
		dirs->top = opendir(path);
	}
	while (dirs->top) {
		if (dirs->dir && next_dir(dirs->dir, dirs->name))
			return true;
		if (dirs->dir)
			closedir(dirs->dir);
		dirs->dir = NULL;
		if (!next_dir(dirs->top, dirs->system))
			break;
		snprintf(path, sizeof(path), "%s/events/%s", tfs_root(),
			 dirs->system);
		dirs->dir = opendir(path);
	}
	if (dirs->top)
		closedir(dirs->top);
	dirs->top = NULL;
	return false;
}

/* The options that tfs_reset() sets. A kernel may lack some of them. */
static const struct {
	const char *name;
	const char *initial;
} options[] = {
	{ "annotate", "1" },	{ "context-info", "1" },
	{ "fields", "0" },	{ "hash-ptr", "1" },
	{ "irq-info", "1" },	{ "latency-format", "0" },
	{ "markers", "1" },	{ "overwrite", "1" },
	{ "pause-on-trace", "0" }, { "record-cmd", "1" },
	{ "record-tgid", "0" },	{ "raw", "0" },
	{ "hex", "0" },		{ "bin", "0" },
	{ "verbose", "0" },	{ "event-fork", "0" },
	{ "sym-addr", "0" },	{ "sym-offset", "0" },
	{ "stacktrace", "0" },	{ "trace_printk", "1" },
	{ "disable_on_free", "0" }, { "block", "0" },
	{ "print-parent", "1" }, { "userstacktrace", "0" },
	{ "sym-userobj", "0" },
};

void tfs_reset(void)
{
	unsigned int i;
	int fd;

	tfs_write("0", "tracing_on");
	tfs_write("nop", "current_tracer");
	tfs_write("0", "events/enable");
	for (i = 0; i < ARRAY_SIZE(options); i++)
		tfs_write(options[i].initial, "options/%s", options[i].name);
	tfs_write("local", "trace_clock");
	tfs_write("1408", "buffer_size_kb");
	fd = tfs_open(O_WRONLY | O_TRUNC, "trace");
	if (fd >= 0)
		close(fd);
	tfs_write("1", "tracing_on");
}

/*
 * A record reads "   comm-pid   [cpu] flags  ts: event: text". With record-tgid,
 * "(tgid)" is before the CPU. comm may contain anything, so search for "[cpu] ".
 */
static bool parse_line(const char *start, int len, struct trace_line *line)
{
	char buf[512];
	char *cpu, *dash, *p;
	int n = 0, comm_len;

	if (len >= (int)sizeof(buf))
		len = sizeof(buf) - 1;
	memcpy(buf, start, len);
	buf[len] = '\0';
	if (buf[0] == '#')
		return false;

	for (cpu = strstr(buf, " ["); cpu; cpu = strstr(cpu + 1, " [")) {
		if (sscanf(cpu, " [%d] %n", &line->cpu, &n) == 1 && n)
			break;
	}
	if (!cpu)
		return false;
	p = cpu + n;
	*cpu = '\0';

	dash = strrchr(buf, '-');
	if (!dash || !isdigit(dash[1]))
		return false;
	line->pid = atoi(dash + 1);
	*dash = '\0';
	comm_len = snprintf(line->comm, sizeof(line->comm), "%s",
			    buf + strspn(buf, " "));
	if (comm_len >= (int)sizeof(line->comm))
		return false;

	/* With the option irq-info, the flags are before the time. */
	n = strcspn(p, " ");
	line->flags[0] = '\0';
	if (n && p[n - 1] != ':') {
		snprintf(line->flags, sizeof(line->flags), "%.*s", n, p);
		p += n;
		p += strspn(p, " ");
	}

	line->ts = 0;
	for (; isdigit(*p) || *p == '.'; p++) {
		if (*p != '.')
			line->ts = line->ts * 10 + *p - '0';
	}
	if (p[0] != ':' || p[1] != ' ')
		return false;
	p += 2;
	n = strcspn(p, ":( ");
	snprintf(line->event, sizeof(line->event), "%.*s", n, p);
	p += n;
	if (*p == ':')
		p++;
	if (*p == ' ')
		p++;
	line->text = start + (p - buf);
	return true;
}

bool trace_next(const char **pos, struct trace_line *line)
{
	while (**pos) {
		const char *start = *pos;
		int len = strcspn(start, "\n");
		bool is_record = parse_line(start, len, line);

		*pos = start + len + (start[len] == '\n');
		if (is_record) {
			line->text_len = start + len - line->text;
			return true;
		}
	}
	return false;
}

bool line_has(const struct trace_line *line, const char *part)
{
	return memmem(line->text, line->text_len, part, strlen(part));
}

bool line_number(const struct trace_line *line, const char *key, long *value)
{
	const char *p = line->text;
	const char *end = p + line->text_len;
	size_t len = strlen(key);

	while ((p = memmem(p, end - p, key, len))) {
		if (p == line->text || p[-1] == ' ' || p[-1] == '(') {
			*value = strtol(p + len, NULL, 0);
			return true;
		}
		p += len;
	}
	return false;
}

int trace_count(const char *text, const char *event, int pid, const char *part)
{
	struct trace_line line;
	int n = 0;

	while (trace_next(&text, &line)) {
		if (event && strcmp(line.event, event))
			continue;
		if (pid && line.pid != pid)
			continue;
		if (part && !line_has(&line, part))
			continue;
		n++;
	}
	return n;
}

long buffer_kb_shown(long kb)
{
	char *text = tfs_text("events/header_page"), *p;
	long data = 4096, pages;

	p = text ? strstr(text, " data;") : NULL;
	p = p ? strstr(p, "size:") : NULL;
	if (p)
		data = atol(p + 5);
	free(text);
	pages = (kb * 1024 + data - 1) / data;
	return (pages < 2 ? 2 : pages) * data / 1024;
}

int trace_stats(int cpu, struct trace_stats *stats)
{
	char *text = tfs_text("per_cpu/cpu%d/stats", cpu);
	const struct {
		const char *key;
		long *value;
	} fields[] = {
		{ "entries: ",		&stats->entries },
		{ "overrun: ",		&stats->overrun },
		{ "commit overrun: ",	&stats->commit_overrun },
		{ "bytes: ",		&stats->bytes },
		{ "dropped events: ",	&stats->dropped },
		{ "read events: ",	&stats->read },
	};
	unsigned int i;
	char *line;
	int found = 0;

	if (!text)
		return -errno;
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		for (i = 0; i < ARRAY_SIZE(fields); i++) {
			size_t len = strlen(fields[i].key);

			if (strncmp(line, fields[i].key, len))
				continue;
			*fields[i].value = atol(line + len);
			found |= 1 << i;
		}
	}
	free(text);
	return found == 0x3f ? 0 : -EINVAL;
}

int pin_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

int cpus_online(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

void cpus_set_others(bool online)
{
	char path[64];
	int cpu, fd;

	for (cpu = 1; ; cpu++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/online", cpu);
		fd = open(path, O_WRONLY);
		if (fd < 0)
			return;
		fd_write(fd, online ? "1" : "0");
		close(fd);
	}
}

/* Not sysconf(_SC_NPROCESSORS_CONF): it counts the CPUs that the firmware shows. */
int cpus_possible(void)
{
	int n = 0;
	int fd;

	while ((fd = tfs_open(O_RDONLY, "per_cpu/cpu%d/stats", n)) >= 0) {
		close(fd);
		n++;
	}
	return n;
}

bool wait_asleep(int pid)
{
	char path[64], state;
	int tries;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (tries = 0; tries < 1000; tries++) {
		f = fopen(path, "r");
		if (!f)
			return false;
		state = '?';
		if (fscanf(f, "%*d %*[^)]) %c", &state) != 1)
			state = '?';
		fclose(f);
		if (state == 'S' || state == 'D')
			return true;
		if (state == 'Z')
			return false;
		usleep(10000);
	}
	return false;
}

bool has_symbol(const char *name)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "grep -q ' %s$' /proc/kallsyms", name);
	return !system(command);
}

bool is_strobe(void)
{
	static int known = -1;

	if (known < 0)
		known = has_symbol("strobe_event_commit");
	return known;
}

bool has_kasan(void)
{
	static int known = -1;

	if (known < 0)
		known = has_symbol("kasan_report");
	return known;
}

int instance_make(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/instances/%s", tfs_root(), name);
	return mkdir(path, 0750) ? -errno : 0;
}

int instance_remove(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/instances/%s", tfs_root(), name);
	return rmdir(path) ? -errno : 0;
}

bool tfs_exists(const char *fmt, ...)
{
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/", tfs_root());
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path + len, sizeof(path) - len, fmt, ap);
	va_end(ap);
	return !access(path, F_OK);
}

int trace_marks(const char *instance, const char *part)
{
	char *text = tfs_text("%s/trace", instance);
	int n = text ? trace_count(text, "tracing_mark_write", 0, part) : -1;

	free(text);
	return n;
}
