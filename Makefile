# SPDX-License-Identifier: GPL-2.0
# Strobe: everything is made below build/ (or BUILD=DIR). make help says what there is.

ENGINE ?= strobe
CONFIG ?= small
export ENGINE CONFIG
# The scripts have defaults for what is not set, which an empty variable would replace.
$(foreach name,KERNEL BUILD INITRD APPEND SMP MEM TIMEOUT LSMOD HOURS SEED,\
	$(if $($(name)),$(eval export $(name))))

setup = scripts/setup $(if $(KERNEL),,kernel-source)

.PHONY: help run test check test-debug test-tools test-distro deb tree refresh kernel boot series bisect compat fuzz bench clean

help: ## this list
	@echo 'make TARGET [VARIABLE=...]'
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile
	@echo 'Variables'
	@sed -n 's/^#@ \([A-Z]*\) /  \1\t/p' Makefile

#@ KERNEL the kernel tree to use, any 6.12.y (default: Debian's linux-source-6.12)
#@ ENGINE strobe (default) or classic, for kernel, boot and run
#@ CONFIG small (default), check, compat, debug, lockdep, rt, up, kcsan, hooks-kcsan, kcov (for fuzz), tools, bisect, or um (ARCH=um, not to be booted): for kernel, boot, fuzz and bench
#@ FLAVOUR of packages: cloud-amd64 (default), amd64, rt-amd64 of Debian, running (as this machine), distro
#@ HOURS  for fuzz: hours to run             SEED=...   the first seed (default: the time)
#@ LSMOD  for packages: a file with lsmod's output; only those modules, FLAVOUR is running by default
#@ BUILD  where everything is made (default: build)
#@ INITRD another initramfs to boot     APPEND=... more of the kernel command line
#@ T      for check: a selftest program, a KUnit suite or a file of scripts/tests.d
#@ SMP    number of CPUs (default 2)    MEM=...    memory of the guest (default 512M)

run: kernel ## build all, boot a guest and show events of a running kernel
	@scripts/boot -e $(ENGINE) -j scripts/guest/demo.sh

test: tree ## run every test; ends with 'N passed, N failed'
	@scripts/test

check: ## build what has changed and run one test: T=NAME[:CASE]
	@$(setup)
	@scripts/check "$(T)"

test-debug: tree ## the tests in kernels that check locks, memory, RCU, and for data races (hours)
	@scripts/setup tools
	@TESTS_DIR=$(CURDIR)/scripts/tests.debug scripts/test

test-tools: tree ## perf, bpftrace, bpftool, libbpf's tools, selftests/bpf on both engines (more than an hour)
	@scripts/setup tools
	@TESTS_DIR=$(CURDIR)/scripts/tests.tools scripts/test

test-distro: tree ## Debian's configuration and modules, as packages, on both engines (hours at first)
	@scripts/setup tools distro
	@TESTS_DIR=$(CURDIR)/scripts/tests.distro scripts/test

deb: tree ## installable packages of a kernel with Strobe, in build/deb (hours; see README.md)
	@scripts/setup distro
	@scripts/deb $(ENGINE) $(FLAVOUR)

tree: ## the whole kernel tree in build/linux: source, our files, patches
	@$(setup)
	@scripts/tree

refresh: ## (developers) take edits of upstream files in build/linux into patches/
	@scripts/refresh

kernel: tree ## the kernel, in build/obj/ENGINE
	@scripts/kernel $(ENGINE) $(CONFIG)

boot: kernel ## boot it in QEMU: a shell on a terminal, else up and off
	@scripts/boot -e $(ENGINE)

series: tree ## the patch series as mails for git am, in build/series
	@scripts/series

bisect: ## build a small kernel after each patch of the series
	@$(setup)
	@scripts/bisect

compat: tree ## compare all formats and texts of both engines, in kernels with all events
	@scripts/compare compat
	@scripts/render compat

# Unless another one is asked for.
ifeq ($(origin CONFIG),file)
fuzz: CONFIG = kcov
endif
fuzz: tree ## random use of tracefs, perf and BPF in guests, for HOURS (1), from SEED on; before it, the parsers alone
	@scripts/setup tools
	@$(MAKE) -C tools/testing/strobe OUT=$(abspath $(or $(BUILD),build))/ring \
		SECONDS=$$(echo "$${HOURS:-1}" | awk '{ print int($$1 * 180) + 1 }') cover
	@scripts/tracefuzz run

bench: tree ## instructions an event, both engines side by side; CONFIG=tools: hooks of functions, too
	@[ $(CONFIG) != tools ] || scripts/setup tools
	@scripts/kernel classic $(CONFIG)
	@scripts/kernel strobe $(CONFIG)
	@[ $(CONFIG) != small ] || { scripts/kernel classic um && scripts/kernel strobe um; }
	@scripts/bench

clean: ## remove everything that was made
	rm -rf '$(or $(BUILD),build)'
