// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach.h"
#include "tracefs.h"

int attach_open(struct perf_event_attr *attr, int pid, int cpu)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

struct perf_event_attr attach_attr(const char *system, const char *name,
				   unsigned long long sample_type)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = tfs_number("events/%s/%s/id", system, name),
		.disabled = 1,
	};

	if (sample_type) {
		attr.sample_type = sample_type;
		attr.sample_period = 1;
		attr.wakeup_events = 1;
	}
	return attr;
}

int attach_counter(const char *system, const char *name)
{
	struct perf_event_attr attr = attach_attr(system, name, 0);

	attr.disabled = 0;
	return attach_open(&attr, 0, -1);
}

long long attach_count(int fd)
{
	long long count;

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		return -errno;
	return count;
}

int attach_ioctl(int fd, unsigned long request, const void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

int attach_enable(int fd, bool on)
{
	return attach_ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, NULL);
}

int attach_field(const char *system, const char *name, const char *field, int *size)
{
	char *text = tfs_text("events/%s/%s/format", system, name);
	int offset = -1, bytes = 0;
	char *line, *end, *rest;

	if (!text)
		return -1;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		end = strchr(line, ';');
		if (strncmp(line, "\tfield:", 7) || !end)
			continue;
		*end = '\0';
		/* "char newcomm[16]" */
		if (strchr(line, '[') && line[7] != '_')
			*strchr(line, '[') = '\0';
		if (!strcmp(strrchr(line, ' ') + 1, field) &&
		    sscanf(end + 1, "\toffset:%d;\tsize:%d;", &offset, &bytes) == 2)
			break;
	}
	free(text);
	if (size)
		*size = bytes;
	return offset;
}

int attach_map(struct attach_ring *ring, int fd, int pages)
{
	long page = sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	ring->page = map;
	ring->data = map + page;
	ring->size = pages * page;
	ring->tail = 0;
	return 0;
}

void attach_unmap(struct attach_ring *ring)
{
	munmap(ring->page, ring->size + sysconf(_SC_PAGESIZE));
}

static void ring_copy(struct attach_ring *ring, void *to, unsigned long long from, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		((char *)to)[i] = ring->data[(from + i) % ring->size];
}

struct perf_event_header *attach_next(struct attach_ring *ring)
{
	unsigned long long head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header *header = (void *)ring->buf;

	if (ring->tail == head)
		return NULL;
	ring_copy(ring, header, ring->tail, sizeof(*header));
	ring_copy(ring, ring->buf, ring->tail, header->size);
	ring->tail += header->size;
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	return header;
}

void attach_fire(const char *name)
{
	prctl(PR_SET_NAME, name);
}

void attach_fire_many(int times)
{
	while (times--)
		attach_fire("attach_fire");
}

int attach_fire_module(const char *text)
{
	return file_write("/proc/tracepoint-events", text);
}

/* Read kallsyms once per process: the kernel takes long to print it. */
static const char *kernel_symbols(void)
{
	static const char *text;
	int fd;

	if (text)
		return text;
	fd = open("/proc/kallsyms", O_RDONLY);
	if (fd >= 0) {
		text = fd_text(fd);
		close(fd);
	}
	return text ?: "";
}

const char *attach_function(unsigned long long addr)
{
	static char name[128];
	unsigned long long sym, best = 0;
	const char *line = kernel_symbols(), *found = "";
	char *end;

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		sym = strtoull(line, &end, 16);
		if (sym > addr || sym < best || !strchr("tTwW", end[1]))
			continue;
		best = sym;
		found = end + 3;
	}
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(found, "\t\n"), found);
	return name;
}
