# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2317 # check calls the functions
# The cases of the kernel's selftests/bpf about tracepoints.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh
cd /tmp/tools/bpf || exit 1

# one WHAT: a case, or a subtest of one
one() {
	./test_progs -v -t "$1" >/tmp/cases 2>&1
	ret=$?
	same "$(sed -n 's/^#[0-9/]* *\(.*:\(OK\|FAIL\|SKIP\)\)$/\1/p' /tmp/cases)"
	grep -v '^libbpf: .*: found\|^processed' /tmp/cases | tail -n 50
	grep -q "^#[0-9/]* *$1:OK" /tmp/cases && [ $ret = 0 ]
}

while read -r name; do
	case $name in
	bpf_cookie)
		for part in tracepoint perf_event tp_btf raw_tp; do
			check "selftests/bpf: $name/$part" one "$name/$part"
		done
		;;
	*) check "selftests/bpf: $name" one "$name" ;;
	esac
done <../built
while read -r name why; do
	echo "@@ case selftests/bpf: $name"
	printf '@@ same\n@@ said\ncannot be built: %s\n@@ status 1\n' "$why"
done <../unbuilt
