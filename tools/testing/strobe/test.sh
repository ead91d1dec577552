#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs the user-space tests of Strobe's ring that are built in OUT; prints TAP.
# usage: test.sh OUT [-t SECONDS | -n EVENTS]
#
# Each torture takes SECONDS (default: 2) or EVENTS; under ThreadSanitizer, which
# is some thirty times slower, the same time, or a thirtieth of the events.

. "$(dirname "$0")/ktap.sh"

out=$1
limit="${2:--t} ${3:-2}"
slow=$limit
time=120
if [ "$2" = -n ]; then
	slow="-n $(($3 / 30))"
	time=86400
fi
: >"$out/figures"

# passes NAME COMMAND...
passes()
{
	name=$1
	shift
	timeout "$time" "$@" >"$out/log" 2>&1
	status=$?
	[ $status = 0 ] || sed 's/^[^#]/# &/' "$out/log"
	grep '^# [0-9]* events in' "$out/log" >>"$out/figures"
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
passes "unit tests of swapping" "$out/plain/swap_test"
passes "unit tests of swapping, sanitizers" "$out/asan/swap_test"
passes "unit tests of regions" "$out/plain/region_test"
passes "unit tests of regions, sanitizers" "$out/asan/region_test"
passes "crashes at each instruction" "$out/plain/crash" -n 2
fails "crashes: what is told too early is noticed" "$out/plain/crash" -b
passes "allocation failures, sanitizers" "$out/asan/memory"
if [ -x "$out/plain/kbuffer" ]; then
	passes "read by libtraceevent" "$out/plain/kbuffer"
else
	result "read by libtraceevent # SKIP libtraceevent-dev is not installed" 0
fi

passes "damaged sub-buffers" "$out/plain/fuzz" -s 1 -n 200000
passes "damaged sub-buffers, sanitizers" "$out/asan/fuzz" -s 200001 -n 200000
for variant in bound left; do
	fails "damaged sub-buffers: STROBE_BUSTED_$variant is noticed" \
		"$out/$variant/fuzz" -n 200000
done

passes "unit tests of filters, sanitizers" "$out/filter/filter_test"
passes "random and damaged filters, sanitizers" "$out/filter/fuzz" -s 1 -n 100000
fails "filters: STROBE_BUSTED_FILTER is noticed" "$out/filter/busted" -n 100000

passes "no line of the cache is written by two CPUs" "$out/lines/lines"
fails "lines that CPUs share are noticed" "$out/lines/lines" -b

for args in "-i 0 -u 0" "-i 0 -u 0 -d" "-i 0" "-u 0" "-i 10 -s 2" "-i 40 -s 7" \
	    "-i 40 -d" "-i 40 -x" "-i 40 -x -d -c 3" "-i 0 -u 0 -x -s 9"; do
	passes "torture $args" "$out/plain/torture" $limit $args
done
for args in "-i 20 -s 2" "-i 40 -x" "-i 40 -d"; do
	passes "torture $args, sanitizers" "$out/asan/torture" $limit $args
done
# The second one is strict: nothing is read that may be overwritten meanwhile.
for args in "-i 40" "-i 0 -d -w -k" "-i 20 -s 2" "-i 40 -x -c 3"; do
	passes "torture $args, ThreadSanitizer" "$out/tsan/torture" $slow $args
done

for variant in wrap copy early publish; do
	fails "torture notices a ring broken by STROBE_BUSTED_$variant" \
		"$out/$variant/torture" -t 1 -i 20 -s 2
done
for order in release acquire claim start; do
	fails "ThreadSanitizer notices what lacks $order" \
		"$out/tsan/torture" -t 1 -i 40 -x -b $order
done
awk '{ events += $2; seconds += $5 }
     END { printf "# %d events, %.0f s of torture\n", events, seconds }' "$out/figures"
finish
