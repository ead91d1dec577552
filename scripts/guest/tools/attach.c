// SPDX-License-Identifier: GPL-2.0
/*
 * Load the BPF programs of a file, attach each to what the name of its section says, and pin
 * the links into a directory of bpffs, which keeps them attached: attach FILE DIRECTORY
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int failed(const char *what, const char *name)
{
	fprintf(stderr, "%s %s: %s\n", what, name, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	struct bpf_program *program;
	struct bpf_object *object;
	struct bpf_link *link;
	char path[4096];

	if (argc != 3) {
		fprintf(stderr, "usage: attach FILE DIRECTORY\n");
		return 2;
	}
	object = bpf_object__open_file(argv[1], NULL);
	if (!object || bpf_object__load(object))
		return failed("cannot load", argv[1]);
	if (mkdir(argv[2], 0700))
		return failed("cannot make", argv[2]);
	bpf_object__for_each_program(program, object) {
		link = bpf_program__attach(program);
		if (!link)
			return failed("cannot attach", bpf_program__name(program));
		snprintf(path, sizeof(path), "%s/%s", argv[2], bpf_program__name(program));
		if (bpf_link__pin(link, path))
			return failed("cannot pin", path);
	}
	return 0;
}
