/* SPDX-License-Identifier: GPL-2.0 */
/* For probes on a program that defines them itself; tools/testing/strobe uses this, too. */
#ifndef FILE_OFFSET_TEST_H
#define FILE_OFFSET_TEST_H

#include <elf.h>
#include <sys/auxv.h>

/* Where what is at @addr lies in the file of this program, which is linked statically */
static inline unsigned long file_offset(const void *addr)
{
	const Elf64_Phdr *seg = (const Elf64_Phdr *)getauxval(AT_PHDR);
	unsigned long nr = getauxval(AT_PHNUM), at = (unsigned long)addr;

	for (; nr--; seg++) {
		if (seg->p_type == PT_LOAD && at - seg->p_vaddr < seg->p_filesz)
			return at - seg->p_vaddr + seg->p_offset;
	}
	return 0;
}

#endif
