// SPDX-License-Identifier: GPL-2.0
/* Run a command, and print what tasks execute, wait for, signal and exit with meanwhile. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tp-watch.h"
#include "tp-watch.skel.h"

static int show(void *context, void *data, size_t size)
{
	const struct watch_event *event = data;

	(void)context;
	if (size < sizeof(*event))
		return 0;
	switch (event->what) {
	case WATCHED_EXEC:
		printf("%d is now %s\n", event->pid, event->text);
		break;
	case WATCHED_WAIT:
		if (event->number)
			printf("%d %s waits for %d\n", event->pid, event->text, event->number);
		else
			printf("%d %s waits for anybody\n", event->pid, event->text);
		break;
	case WATCHED_EXIT:
		printf("%d %s ends with %#x\n", event->pid, event->text, event->number);
		break;
	case WATCHED_KILL:
		printf("%d %s sends signal %d\n", event->pid, event->text, event->number);
		break;
	}
	return 0;
}

/* Run @command, and print events until it exits. */
static int run(char **command, struct ring_buffer *events)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0)
		return -errno;
	do {
		ring_buffer__poll(events, 50);
	} while (!waitpid(pid, &status, WNOHANG));
	ring_buffer__consume(events);
	return 0;
}

int main(int argc, char **argv)
{
	struct ring_buffer *events = NULL;
	struct tp_watch *watch;
	int ret;

	if (argc < 2) {
		fprintf(stderr, "usage: tp-watch COMMAND...\n");
		return 2;
	}
	watch = tp_watch__open();
	if (!watch) {
		fprintf(stderr, "tp-watch: %s\n", strerror(errno));
		return 1;
	}
	watch->rodata->watcher = getpid();
	ret = tp_watch__load(watch);
	if (!ret)
		ret = tp_watch__attach(watch);
	if (!ret) {
		events = ring_buffer__new(bpf_map__fd(watch->maps.events), show, NULL, NULL);
		ret = events ? run(argv + 1, events) : -errno;
	}
	if (ret)
		fprintf(stderr, "tp-watch: %s\n", strerror(-ret));
	else if (watch->bss->lost)
		printf("%lu more are lost\n", watch->bss->lost);
	ring_buffer__free(events);
	tp_watch__destroy(watch);
	return ret ? 1 : 0;
}
