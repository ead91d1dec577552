# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Shared by the cases. A case is a function. Its output to descriptor 3 has to be the same with
# both engines; its other output is shown if it fails.

cd /tmp || exit 1
# shellcheck disable=SC2034 # used by the scripts that read this file
tracing=/sys/kernel/tracing

# check NAME COMMAND...
check() {
	label=$1
	shift
	: >/tmp/same
	"$@" >/tmp/said 2>&1 3>/tmp/same
	status=$?
	echo "@@ case $label"
	echo "@@ same"
	cat /tmp/same
	echo "@@ said"
	[ $status = 0 ] || tail -n 60 /tmp/said
	echo "@@ status $status"
}

# has COUNT PATTERN FILE: at least so many lines match
has() {
	found=$(grep -c -e "$2" "$3")
	[ "$found" -ge "$1" ] && return
	echo "$found lines, not $1, with '$2' in $3:"
	head -n 40 "$3"
	return 1
}

# await COMMAND...: repeat it until it succeeds, for a minute at most
await() {
	turns=0
	until "$@"; do
		turns=$((turns + 1))
		[ $turns -lt 300 ] || { echo "never true: $*"; return 1; }
		sleep 0.2
	done
}

# Does the function have a hook?
hooked() { grep -q "^$1 " "$tracing/enabled_functions"; }
unhooked() { ! hooked "$1"; }

# The kernel found no bad page, and had neither an oops nor a warning (bits 5, 7, 9).
untainted() { [ $(($(cat /proc/sys/kernel/tainted) & 0x2a0)) = 0 ]; }

# same WORDS: output that has to be the same with both engines
same() { echo "$*" >&3; }

# Each true is a process: one fork, one exec, one exit.
spawn() {
	i=0
	while [ $i -lt "$1" ]; do
		/bin/true
		i=$((i + 1))
	done
}

# traffic COUNT: send packets of a known size through the loopback device, each of which is
# answered
traffic() { busybox ping -q -c "$1" -i 0.05 -s 100 127.0.0.1; }

# Send a known signal, and open a known file.
busy_calls() {
	kill -0 $$
	cat /etc/hostname
}

# Fire events of the module tp-events of samples/tracepoints.
write_events() {
	for text in red 'a green line' x; do
		echo "$text" >/proc/tracepoint-events
	done
}

# start FILE COMMAND...: run it in the background with its output in FILE, and wait for the
# first output, which a tool prints when it is attached
start() {
	out=$1
	shift
	: >"$out"
	stdbuf -oL "$@" >"$out" 2>"$out.bad" &
	started=$!
	turns=0
	while [ ! -s "$out" ]; do
		turns=$((turns + 1))
		if ! kill -0 $started 2>/dev/null || [ $turns -gt 300 ]; then
			cat "$out.bad"
			kill $started 2>/dev/null
			return 1
		fi
		sleep 0.1
	done
}

# listening PORT: wait until a process that was just started listens on PORT
listening() {
	turns=0
	port=$(printf ':%04X 0*:0000 0A' "$1")
	until grep -q "$port" /proc/net/tcp /proc/net/tcp6; do
		turns=$((turns + 1))
		[ $turns -lt 100 ] || return
		sleep 0.1
	done
}

# finish [PATTERN FILE]: stop the command of start when FILE matches, or after ten seconds
finish() {
	turns=0
	while [ -n "${1:-}" ] && ! grep -q -e "$1" "$2" && [ $turns -lt 100 ]; do
		turns=$((turns + 1))
		sleep 0.1
	done
	kill -INT "$started" 2>/dev/null
	wait "$started" 2>/dev/null
	:
}

# trace PROGRAM COMMAND...: run a bpftrace program while the command runs; its output goes to
# the file traced
trace() {
	program=$1
	shift
	bpftrace -e "$program" -c "$*" >traced 2>bad && return
	cat traced bad
	return 1
}

# bcc's tools, which compile against the headers of the distribution's kernel, and print by
# Python.
bcc_headers() {
	headers=usr/src/linux-headers-$(uname -r)
	[ -e "/$headers" ] || ln -s "$(sed 's,/lib/modules/.*,,' /tmp/tools/modules)/$headers" /usr/src/
	export PYTHONUNBUFFERED=1
}

# bcc READY TOOL...: start it, and wait until it prints READY. start would not wait long enough
# for the compiler.
bcc() {
	bcc_headers
	ready=$1
	shift
	# The output of an earlier tool may have READY, too.
	rm -f out
	"$@" >out 2>bad &
	tool=$!
	await grep -q "$ready" out
}
bcc_end() {
	kill "$tool"
	wait "$tool" 2>/dev/null
	grep -v warning bad | tail -n 5
}
