// SPDX-License-Identifier: GPL-2.0
/*
 * What control costs: switching all events on and off, reading all formats, making,
 * looking at, and removing an instance. For scripts/bench, in its form: under QEMU's
 * -icount shift=0 the ticks are instructions, and what is printed is thousands of them.
 *
 * usage: control      in tracefs
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <x86intrin.h>

static void result(const char *label, unsigned long long cycles, int loops)
{
	printf("%s cycles=%llu loops=%d recorded=0+0\n", label, cycles, loops);
}

static void check(int bad, const char *what)
{
	if (!bad)
		return;
	perror(what);
	exit(1);
}

static void put(const char *label, const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);
	unsigned long long ticks;

	check(fd < 0, file);
	ticks = __rdtsc();
	check(write(fd, text, strlen(text)) < 0, file);
	if (label)
		result(label, __rdtsc() - ticks, 1000);
	close(fd);
}

static int read_format(const char *path, const struct stat *stat, int kind, struct FTW *at)
{
	static char buf[65536];
	int fd;

	if (strcmp(path + at->base, "format"))
		return 0;
	fd = open(path, O_RDONLY);
	check(fd < 0, path);
	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
	return 0;
}

static int just_look(const char *path, const struct stat *stat, int kind, struct FTW *at)
{
	return 0;
}

static void formats(const char *label)
{
	unsigned long long ticks = __rdtsc();

	check(nftw("events", read_format, 16, FTW_PHYS), "events");
	if (label)
		result(label, __rdtsc() - ticks, 1000);
}

/* Kilobytes of the kernel's small memory. */
static long slab_kb(void)
{
	static const char * const keys[] = { "Slab:", "Percpu:", NULL };
	char line[128];
	unsigned int i;
	long kb = 0, n;
	FILE *f;

	usleep(200000);
	f = fopen("/proc/meminfo", "r");
	check(!f, "/proc/meminfo");
	while (fgets(line, sizeof(line), f)) {
		for (i = 0; keys[i]; i++) {
			if (!strncmp(line, keys[i], strlen(keys[i])) &&
			    sscanf(line + strlen(keys[i]), "%ld", &n) == 1)
				kb += n;
		}
	}
	fclose(f);
	return kb;
}

static void one_instance(const char *name)
{
	unsigned long long ticks;
	long before = slab_kb();

	ticks = __rdtsc();
	check(mkdir(name, 0700), name);
	ticks = __rdtsc() - ticks;
	result("instance.mkdir.k", ticks, 1000);
	result("instance.kb", slab_kb() - before, 1);
	check(nftw(name, just_look, 16, FTW_PHYS), name);
	result("instance.kb_when_listed", slab_kb() - before, 1);
	ticks = __rdtsc();
	check(rmdir(name), name);
	ticks = __rdtsc() - ticks;
	result("instance.rmdir.k", ticks, 1000);
}

int main(void)
{
	/* Once before it counts: what is done at the first touch is not counted. */
	formats(NULL);
	formats("formats.k");
	put("all_events.enable.k", "events/enable", "1");
	/* Its thread sleeps for long, and is waited for. */
	put(NULL, "events/benchmark/enable", "0");
	put("all_events.disable.k", "events/enable", "0");
	check(mkdir("instances/warm", 0700) || rmdir("instances/warm"), "instances/warm");
	one_instance("instances/bench");
	return 0;
}
