// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the cost of control: enabling and disabling all events, reading all formats,
 * creating, listing and removing an instance. The output has the form that scripts/bench
 * expects. Under QEMU's -icount shift=0 ticks are instructions; the results are in thousands.
 *
 * usage: control      in the tracing directory
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

/* Instances of which the memory is measured */
#define MANY	32

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

/* Kilobytes of the kernel's slab and per-CPU memory */
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
	check(nftw(name, just_look, 16, FTW_PHYS), name);
	result("instance.kb_when_listed", slab_kb() - before, 1);
	ticks = __rdtsc();
	check(rmdir(name), name);
	ticks = __rdtsc() - ticks;
	result("instance.rmdir.k", ticks, 1000);
}

/* One alone may fit into what has been allocated for others. */
static void many_instances(void)
{
	char name[32];
	long before = slab_kb();
	int i;

	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "instances/many%d", i);
		check(mkdir(name, 0700), name);
	}
	result("instance.kb", slab_kb() - before, MANY);
	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "instances/many%d", i);
		check(rmdir(name), name);
	}
}

int main(void)
{
	/* Read them once before measuring: the first access may do more work. */
	formats(NULL);
	formats("formats.k");
	put("all_events.enable.k", "events/enable", "1");
	/* Disabling it waits for its thread, which sleeps for long: keep it out of the result. */
	put(NULL, "events/benchmark/enable", "0");
	put("all_events.disable.k", "events/enable", "0");
	check(mkdir("instances/warm", 0700) || rmdir("instances/warm"), "instances/warm");
	many_instances();
	one_instance("instances/bench");
	return 0;
}
