// SPDX-License-Identifier: GPL-2.0
/*
 * Load the BPF programs of a file, attach each as the name of its section says, and pin the
 * links into a directory of bpffs, which keeps them attached: attach FILE DIRECTORY
 * A program session_NAME is attached to calls and returns of the system call NAME, as a
 * kprobe session, which libbpf 1.1 does not know.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SESSION		"session_"
/* As in <linux/bpf.h> since 6.10 */
#define KPROBE_SESSION	56

static bool is_session(const struct bpf_program *program)
{
	return !strncmp(bpf_program__name(program), SESSION, strlen(SESSION));
}

/* Return: 0, or -1 and errno */
static int pin_session(const struct bpf_program *program, const char *path)
{
	char symbol[64];
	const char *symbols[] = { symbol };
	union bpf_attr attr = {
		.link_create = {
			.prog_fd = bpf_program__fd(program),
			.attach_type = KPROBE_SESSION,
			.kprobe_multi = { .cnt = 1, .syms = (unsigned long)symbols },
		},
	};
	int link;

	snprintf(symbol, sizeof(symbol), "__x64_sys_%s", bpf_program__name(program) + strlen(SESSION));
	link = syscall(__NR_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	if (link < 0)
		return -1;
	return bpf_obj_pin(link, path) ? -1 : 0;
}

static int pin(const struct bpf_program *program, const char *path)
{
	struct bpf_link *link;

	if (is_session(program))
		return pin_session(program, path);
	link = bpf_program__attach(program);
	return !link || bpf_link__pin(link, path) ? -1 : 0;
}

static int failed(const char *what, const char *name)
{
	fprintf(stderr, "%s %s: %s\n", what, name, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	struct bpf_program *program;
	struct bpf_object *object;
	char path[4096];

	if (argc != 3) {
		fprintf(stderr, "usage: attach FILE DIRECTORY\n");
		return 2;
	}
	object = bpf_object__open_file(argv[1], NULL);
	if (!object)
		return failed("cannot open", argv[1]);
	bpf_object__for_each_program(program, object) {
		if (is_session(program))
			bpf_program__set_expected_attach_type(program, KPROBE_SESSION);
	}
	if (bpf_object__load(object))
		return failed("cannot load", argv[1]);
	if (mkdir(argv[2], 0700))
		return failed("cannot make", argv[2]);
	bpf_object__for_each_program(program, object) {
		snprintf(path, sizeof(path), "%s/%s", argv[2], bpf_program__name(program));
		if (pin(program, path))
			return failed("cannot attach", bpf_program__name(program));
	}
	return 0;
}
