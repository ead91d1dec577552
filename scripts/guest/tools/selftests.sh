# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2317 # check calls the functions
# The cases of the kernel's selftests/bpf about tracepoints and hooks of functions, and those
# of selftests/hid.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh
cd /tmp/tools/bpf || exit 1

# one WHAT: run a case, or a subtest of one
one() {
	./test_progs -v -a "$1" >/tmp/cases 2>&1
	ret=$?
	same "$(sed -n 's/^#[0-9/]* *\(.*:\(OK\|FAIL\|SKIP\)\)$/\1/p' /tmp/cases)"
	grep -v '^libbpf: .*: found\|^processed' /tmp/cases | tail -n 50
	grep -q "^#[0-9/]* *$1:OK" /tmp/cases && [ $ret = 0 ]
}

# hid WHAT: run a test of programs that see and change the reports of an input device
hid() {
	./hid_bpf -t "$1" >/tmp/cases 2>&1
	ret=$?
	tail -n 50 /tmp/cases
	return $ret
}

while read -r name; do
	# Of some cases run only some parts.
	case $name in
	# The file system of the guest does not give up its pages.
	build_id) parts='nofault-paged-in sleepable' ;;
	# Its last part needs a CPU with shadow stacks.
	uprobe_syscall) parts='uretprobe_regs_equal uretprobe_regs_change uretprobe_syscall_call' ;;
	# Its last part starts many threads, for which an emulator is too slow.
	task_local_storage) parts='sys_enter_exit exit_creds recursion' ;;
	# Those that attach programs to programs
	tailcalls)
		parts='tailcall_bpf2bpf_fentry tailcall_bpf2bpf_fexit tailcall_bpf2bpf_fentry_fexit
			tailcall_bpf2bpf_fentry_entry tailcall_bpf2bpf_hierarchy_fentry
			tailcall_bpf2bpf_hierarchy_fexit tailcall_bpf2bpf_hierarchy_fentry_fexit
			tailcall_bpf2bpf_hierarchy_fentry_entry tailcall_freplace tailcall_bpf2bpf_freplace'
		;;
	test_lsm) parts='lsm_basic lsm_tailcall' ;;
	fexit_bpf2bpf)
		parts='target_no_callees target_yes_callees func_replace func_replace_verify
			func_sockmap_update func_replace_return_code func_map_prog_compatibility
			func_replace_unreliable func_replace_multi fmod_ret_freplace
			func_replace_global_func fentry_to_cgroup_bpf func_replace_progmap'
		;;
	lsm_cgroup) parts='functional nonvoid' ;;
	uprobe_multi_test)
		# The bench_* attach to 50,000 functions, for which an emulator is too slow.
		parts='skel_api attach_api_pattern attach_api_syms link_api attach_api_fails
			attach_uprobe_fails consumers filter_fork filter_clone_vm'
		;;
	*) parts= ;;
	esac
	# A test has the name of its file, mostly.
	tests=$name
	case $name in
	recursive_attach) tests='recursive_fentry fentry_attach_btf_presence' ;;
	test_bpf_syscall_macro) tests=bpf_syscall_macro ;;
	esac
	for test in $tests; do
		[ -n "$parts" ] || check "selftests/bpf: $test" one "$test"
	done
	for part in $parts; do
		check "selftests/bpf: $name/$part" one "$name/$part"
	done
done <../built
while read -r name why; do
	echo "@@ case selftests/bpf: $name"
	printf '@@ same\n@@ said\ncannot be built: %s\n@@ status 1\n' "$why"
done <../unbuilt
mount -t bpf bpf /sys/fs/bpf
for name in $(./hid_bpf -l 2>&1 | sed -n '3,$s/.* //p'); do
	check "selftests/hid: $name" hid "$name"
done
