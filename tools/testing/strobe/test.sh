#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs the user-space tests of Strobe's ring that are built in $1, torture for
# $2 seconds each; prints TAP.

out=$1
seconds=${2:-1}
n=0
failed=0

# result NAME STATUS
result()
{
	n=$((n + 1))
	if [ "$2" = 0 ]; then
		echo "ok $n $1"
	else
		echo "not ok $n $1"
		failed=$((failed + 1))
	fi
}

# passes NAME COMMAND...
passes()
{
	name=$1
	shift
	timeout 120 "$@" >"$out/log" 2>&1
	status=$?
	[ $status = 0 ] || sed 's/^[^#]/# &/' "$out/log"
	result "$name" $status
}

# fails NAME COMMAND...: a broken ring must be noticed, in one of a few runs;
# one that never ends is
fails()
{
	name=$1
	shift
	for try in 1 2 3 4 5; do
		if ! timeout 20 "$@" >"$out/log" 2>&1; then
			result "$name" 0
			return
		fi
	done
	result "$name" 1
}

passes "unit tests" "$out/plain/ring_test"
passes "unit tests, sanitizers" "$out/asan/ring_test"
passes "unit tests of raw reading" "$out/plain/raw_test"
passes "unit tests of raw reading, sanitizers" "$out/asan/raw_test"
passes "allocation failures, sanitizers" "$out/asan/memory"
if [ -x "$out/plain/kbuffer" ]; then
	passes "read by libtraceevent" "$out/plain/kbuffer"
else
	result "read by libtraceevent # SKIP libtraceevent-dev is not installed" 0
fi
for args in "-i 0 -u 0" "-i 0 -u 0 -d" "-i 0" "-u 0" "-i 10 -s 2" "-i 40 -s 7" \
	    "-i 40 -d" "-i 40 -x" "-i 40 -x -d -c 3"; do
	passes "torture $args" "$out/plain/torture" -t "$seconds" $args
done
for args in "-i 20 -s 2" "-i 40 -x" "-i 40 -d"; do
	passes "torture $args, sanitizers" "$out/asan/torture" -t "$seconds" $args
done
for variant in wrap copy early publish; do
	fails "torture notices a ring broken by STROBE_BUSTED_$variant" \
		"$out/$variant/torture" -t 1 -i 20 -s 2
done
echo "1..$n"
exit $((failed != 0))
