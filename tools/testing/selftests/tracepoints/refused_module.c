// SPDX-License-Identifier: GPL-2.0
/*
 * usage: refused_module FILE
 *
 * Load the module in FILE so that its tracepoints are refused, and unload it. For that, its
 * license is changed to one that taints it, and its tracepoints to some of another layout: they
 * have values where the kernel expects none. Symbols that such a module may not use are left
 * undefined, so FILE's init and exit functions must not use them. The kernel must not look at
 * the tracepoints.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIGNED	"~Module signature appended~\n"
/* The first members of a tracepoint, a name and a key, are used if it is refused, too. */
#define BEGIN	24
#define OTHER	0x10

static char *file;
static size_t size;

static Elf64_Shdr *section(unsigned int nr)
{
	const Elf64_Ehdr *head = (void *)file;

	return (Elf64_Shdr *)(file + head->e_shoff) + nr;
}

/* Return: the number of the section @name; 0: there is none. */
static unsigned int find(const char *name)
{
	const Elf64_Ehdr *head = (void *)file;
	const char *names = file + section(head->e_shstrndx)->sh_offset;
	unsigned int nr;

	for (nr = 1; nr < head->e_shnum; nr++) {
		if (!strcmp(names + section(nr)->sh_name, name))
			return nr;
	}
	return 0;
}

/* Return: the value of @key in .modinfo; NULL: there is none. */
static char *info(const char *key)
{
	const Elf64_Shdr *modinfo = section(find(".modinfo"));
	char *at = file + modinfo->sh_offset, *end = at + modinfo->sh_size;

	for (; at < end; at += strlen(at) + 1) {
		if (!strncmp(at, key, strlen(key)) && at[strlen(key)] == '=')
			return at + strlen(key) + 1;
	}
	return NULL;
}

/* Does a relocation set the value at @offset of the tracepoints? */
static bool relocated(size_t offset)
{
	const Elf64_Shdr *relocs = section(find(".rela__tracepoints"));
	const Elf64_Rela *rela = (void *)(file + relocs->sh_offset);
	size_t n;

	for (n = 0; n < relocs->sh_size / sizeof(*rela); n++) {
		if (rela[n].r_offset == offset)
			return true;
	}
	return false;
}

/* Return: the number of values that were changed. */
static int change_tracepoint(const Elf64_Shdr *tracepoints, const Elf64_Sym *symbol)
{
	const uint64_t other = OTHER;
	size_t at, end = symbol->st_value + symbol->st_size;
	int nr = 0;

	for (at = symbol->st_value + BEGIN; at + sizeof(other) <= end; at += sizeof(other)) {
		if (!relocated(at)) {
			memcpy(file + tracepoints->sh_offset + at, &other, sizeof(other));
			nr++;
		}
	}
	return nr;
}

/* Return: the number of tracepoints that were changed. */
static int change_symbols(void)
{
	unsigned int tracepoints = find("__tracepoints");
	const Elf64_Shdr *symtab = section(find(".symtab"));
	Elf64_Sym *symbol = (void *)(file + symtab->sh_offset);
	size_t n;
	int nr = 0;

	/* The first symbol is none. */
	for (n = 1; n < symtab->sh_size / sizeof(*symbol); n++) {
		int type = ELF64_ST_TYPE(symbol[n].st_info);

		if (symbol[n].st_shndx == SHN_UNDEF)
			symbol[n].st_info = ELF64_ST_INFO(STB_WEAK, type);
		else if (symbol[n].st_shndx == tracepoints && type == STT_OBJECT &&
			 change_tracepoint(section(tracepoints), &symbol[n]))
			nr++;
	}
	return nr;
}

static bool read_module(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat)) {
		printf("%s: %s\n", path, strerror(errno));
		return false;
	}
	size = stat.st_size;
	file = malloc(size);
	if (!file || size <= sizeof(Elf64_Ehdr) || read(fd, file, size) != (ssize_t)size ||
	    memcmp(file, ELFMAG, SELFMAG) || !find("__tracepoints") || !find(".modinfo")) {
		printf("%s: not a module with tracepoints\n", path);
		return false;
	}
	close(fd);
	/* The signature of a module that was changed would be wrong: have none. */
	if (!memcmp(file + size - strlen(SIGNED), SIGNED, strlen(SIGNED)))
		size -= strlen(SIGNED);
	return true;
}

int main(int argc, char **argv)
{
	char *license, *name;
	int nr;

	if (argc != 2 || !read_module(argv[1]))
		return 1;
	license = info("license");
	name = info("name");
	nr = change_symbols();
	if (!license || !name || !nr) {
		printf("no license, no name, or no tracepoint is changed\n");
		return 1;
	}
	*license = 'X';
	if (syscall(SYS_init_module, file, size, "")) {
		printf("%s is not loaded: %s\n", name, strerror(errno));
		return 1;
	}
	if (syscall(SYS_delete_module, name, 0)) {
		printf("%s is not unloaded: %s\n", name, strerror(errno));
		return 1;
	}
	printf("%s had %d other tracepoints\n", name, nr);
	return 0;
}
