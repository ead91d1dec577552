// SPDX-License-Identifier: GPL-2.0
/* Run a virtual machine that writes to a port COUNT times, and halts: vm COUNT */
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define MEMORY	0x10000
#define START	0x1000

/* again: out %al, $0x10; dec %cx; jnz again; hlt */
static const unsigned char code[] = { 0xe6, 0x10, 0x49, 0x75, 0xfb, 0xf4 };

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int set_up(int vm, int cpu, int count)
{
	struct kvm_sregs sregs;
	struct kvm_regs regs = { .rip = START, .rcx = count, .rflags = 2 };
	struct kvm_userspace_memory_region region = { .memory_size = MEMORY };
	void *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		return fail("mmap");
	memcpy(memory + START, code, sizeof(code));
	region.userspace_addr = (unsigned long)memory;
	if (ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region))
		return fail("memory");
	if (ioctl(cpu, KVM_GET_SREGS, &sregs))
		return fail("get sregs");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	if (ioctl(cpu, KVM_SET_SREGS, &sregs) || ioctl(cpu, KVM_SET_REGS, &regs))
		return fail("set registers");
	return 0;
}

int main(int argc, char **argv)
{
	int kvm = open("/dev/kvm", O_RDWR), count = argc > 1 ? atoi(argv[1]) : 1, exits = 0;
	int vm = kvm < 0 ? -1 : ioctl(kvm, KVM_CREATE_VM, 0);
	int cpu = vm < 0 ? -1 : ioctl(vm, KVM_CREATE_VCPU, 0);
	struct kvm_run *run;

	if (cpu < 0)
		return fail("/dev/kvm");
	run = mmap(NULL, ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), PROT_READ | PROT_WRITE, MAP_SHARED,
		   cpu, 0);
	if (run == MAP_FAILED)
		return fail("mmap");
	if (set_up(vm, cpu, count))
		return 1;
	for (;;) {
		if (ioctl(cpu, KVM_RUN, 0))
			return fail("run");
		if (run->exit_reason == KVM_EXIT_HLT)
			break;
		if (run->exit_reason != KVM_EXIT_IO) {
			fprintf(stderr, "exit with reason %u\n", run->exit_reason);
			return 1;
		}
		exits++;
	}
	printf("%d exits\n", exits);
	return exits != count;
}
