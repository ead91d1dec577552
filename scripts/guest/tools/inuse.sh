# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2317 # check calls the functions
# Programs on functions are attached and detached in a kernel that checks itself.
# shellcheck source=scripts/guest/tools/lib.sh
. /tmp/tools/lib.sh
# shellcheck source=scripts/guest/tools/programs.sh
. /tmp/tools/programs.sh

# A program of fmod_ret is called instead of a function until it is detached, and can be
# attached again.
instead() {
	load_dummy || return
	for turn in 1 2 3; do
		programs functions || return
		! mkdir refused 2>why && has 1 'Operation not permitted' why &&
			[ "$(value refusals)" = 1 ] && mkdir allowed && rmdir allowed || return
		rm -r /sys/fs/bpf/functions
		await unhooked security_inode_mkdir && mkdir refused && rmdir refused || return
	done
	await rmmod dummy
}

# Programs are detached while the function that they replace is called.
instead_in_use() {
	load_dummy && : >in_use || return
	while [ -e in_use ]; do
		mkdir refused_$$ 2>/dev/null && rmdir refused_$$
	done &
	caller=$!
	turn=0
	while [ $turn -lt 5 ] && programs functions && await counted refusals 2>/dev/null &&
		rm -r /sys/fs/bpf/functions && await unhooked security_inode_mkdir; do
		turn=$((turn + 1))
	done
	rm in_use
	wait $caller
	[ $turn = 5 ] || failed_in $turn || return
	await rmmod dummy
}

nothing_left() {
	cat "$tracing/enabled_functions"
	[ ! -s "$tracing/enabled_functions" ]
}

check 'a program instead of a function' instead
check 'programs come and go instead of a function that runs' instead_in_use
check 'programs come and go while the functions run' functions_in_use
check 'nothing is left' nothing_left
check 'the kernel did not complain' untainted
