#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs the user-space tests of Strobe's ring that are built in OUT; prints TAP.
# usage: test.sh OUT [-t SECONDS | -n EVENTS]
#
# Each torture takes SECONDS (default: 2) or EVENTS; under ThreadSanitizer, which
# is some thirty times slower, the same time, or a thirtieth of the events. With -n, each
# million of EVENTS also runs the everyday number of events through gates, of swaps, of
# wake-ups and of dumps, and of all readers mixed.

. "$(dirname "$0")/ktap.sh"

out=$1
limit="${2:--t} ${3:-2}"
slow=$limit
# Seconds after which a program is taken to hang. A slow, busy host needs far fewer.
time=600
times=1
if [ "$2" = -n ]; then
	slow="-n $(($3 / 30))"
	time=86400
	[ "$3" -lt 1000000 ] || times=$(($3 / 1000000))
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

# fails NAME STATUS TEXT COMMAND...: a broken ring must be noticed, in one of a few
# runs: the command exits with STATUS, and a line of its output matches TEXT, which is
# what the broken part leads to. It may lead to other lines as well, before that one. Such
# a run is repeated, as is one that found nothing. A command that hangs has found nothing, nor
# has one that a signal ends: a broken ring may corrupt the memory of the test.
fails()
{
	name=$1
	expect=$2
	text=$3
	shift 3
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		timeout 120 "$@" >"$out/log" 2>&1
		status=$?
		if [ $status = "$expect" ] && grep -q "$text" "$out/log"; then
			result "$name" 0
			return
		fi
		case $status in
		0 | 124 | 13? | "$expect") ;;
		*) break ;;
		esac
	done
	echo "# status $status, not $expect with \"$text\""
	head -20 "$out/log" | sed 's/^[^#]/# &/'
	result "$name" 1
}

# notices COMMAND: does fails() accept this command, if it has to exit with 1 and to print a line
# "as expected"?
notices()
{
	(fails "a control" 1 "^as expected" sh -c "$1") | grep -q '^ok'
}

notices 'echo before; echo as expected; exit 1' && ! notices 'echo as expected' &&
	! notices 'echo otherwise; exit 1' && ! notices 'echo as expected; exit 2' &&
	! notices 'echo as expected; kill -SEGV $$'
result "a fault is noticed by its own status and message only" $?

passes "unit tests of words" "$out/plain/word_test"
passes "unit tests of words, sanitizers" "$out/asan/word_test"
passes "unit tests" "$out/plain/ring_test"
passes "unit tests, sanitizers" "$out/asan/ring_test"
passes "unit tests of the checker" "$out/plain/check_test"
passes "unit tests of the checker, sanitizers" "$out/asan/check_test"
passes "unit tests of raw reading" "$out/plain/raw_test"
passes "unit tests of raw reading, sanitizers" "$out/asan/raw_test"
passes "unit tests of swapping" "$out/plain/swap_test"
passes "unit tests of swapping, sanitizers" "$out/asan/swap_test"
passes "unit tests of regions" "$out/plain/region_test"
passes "unit tests of regions, sanitizers" "$out/asan/region_test"
passes "crashes at each instruction" "$out/plain/crash" -n 2
fails "crashes: what is told too early is noticed" 1 "records: a record is not whole" \
	"$out/plain/crash" -b
fails "crashes: planted fault 'mark' is noticed" 1 "records: what is unread was not there" \
	"$out/mark/crash" -n 10
passes "allocation failures, sanitizers" "$out/asan/memory"
if [ -x "$out/plain/kbuffer" ]; then
	passes "read by libtraceevent" "$out/plain/kbuffer"
else
	result "read by libtraceevent # SKIP libtraceevent-dev is not installed" 0
fi

passes "damaged sub-buffers" "$out/plain/fuzz" -s 1 -n 200000
passes "damaged sub-buffers, sanitizers" "$out/asan/fuzz" -s 200001 -n 200000
fails "damaged sub-buffers: planted fault 'bound' is noticed" 1 "not so: walk.pos <= units" \
	"$out/bound/fuzz" -n 200000
fails "damaged sub-buffers: planted fault 'left' is noticed" 1 \
	"not so: stats.reserved == " "$out/left/fuzz" -n 200000

passes "sub-buffers that change while they are walked" "$out/plain/fuzz" -f -s 1 -n 30
passes "sub-buffers that change while they are walked, sanitizers" "$out/asan/fuzz" -f \
	-s 31 -n 15
fails "changing sub-buffers: planted fault 'header' is noticed" 1 \
	"not so: walk.pos <= walk.end && record.data" "$out/header/fuzz" -f -n 100

for args in "" "-m" "-k" "-o" "-m -o" "-k -o" "-z -m"; do
	passes "all readers mixed $args" "$out/plain/mix" $args -n $((4000 * times))
	passes "all readers mixed $args, sanitizers" "$out/asan/mix" $args \
		-s $((4000 * times + 1)) -n $((2000 * times))
done
fails "readers mixed: planted fault 'turn' is noticed" 1 \
	"mapping: 0 records, it counts [1-9]\|mapping: record [0-9]* is \(missing\|read again\)" \
	"$out/turn/mix" -m
fails "readers mixed: planted fault 'meta' is noticed" 1 \
	"mapping: record [0-9]* is \(missing\|read again\)" "$out/meta/mix" -m
fails "readers mixed: planted fault 'move' is noticed" 1 "mapping: record [0-9]* is read again" \
	"$out/move/mix" -m
fails "readers mixed: planted fault 'mark' is noticed" 1 \
	"record [0-9]* is missing\|record [0-9]* in place of [0-9]*" "$out/mark/mix" -k

passes "unit tests of filters, sanitizers" "$out/filter/filter_test"
passes "unit tests of programs, sanitizers" "$out/filter/program_test"
corpus=$(dirname "$0")/filter/corpus
passes "filters that libFuzzer found, sanitizers" "$out/filter/fuzz" -f "$corpus"
fails "filters of the corpus: planted fault 'narrow' is noticed" 1 \
	"# the filter says .* the plain evaluator" "$out/filter/narrow/fuzz" -f "$corpus"
passes "filters that BPF refuses to run, sanitizers" "$out/filter/fuzz" -r
# Other ones each time.
passes "random and damaged filters, sanitizers" "$out/filter/fuzz" -n 100000
grep '^# seed' "$out/log"
for variant in narrow precedence not signed middle digit errno; do
	fails "filters: planted fault '$variant' is noticed" 1 \
		"# the filter says .* the plain evaluator" "$out/filter/$variant/fuzz" -n 100000
done
fails "filters: the linter notices a string's length that is not tested" 1 \
	"a program has a load beyond the length that was tested" "$out/filter/length/fuzz" -n 100000

corpus=$(dirname "$0")/text/corpus
passes "texts of tracefs that libFuzzer found, sanitizers" "$out/text/text" -f "$corpus"
passes "random texts of tracefs, sanitizers" "$out/text/text" -n 200000
grep '^# seed' "$out/log"
fails "texts: spaces that are not skipped are noticed" 1 '": command$\|: inject: -22, not 0$' \
	"$out/text/text" -n 10000 -b 1
fails "texts: a string that is too long is noticed" 1 ": inject: the record is another one" \
	"$out/text/text" -n 10000 -b 2
fails "texts: a number that is too large is noticed" 1 ": count .* not -1 (-34)$" \
	"$out/text/text" -n 10000 -b 3
fails "texts: events that stay on without memory are noticed" 1 "is on, and connected 1 times" \
	"$out/text/text" -n 10000 -b 4
fails "texts: words that end elsewhere are noticed" 1 '": param or filter$' \
	"$out/text/text" -n 10000 -b 5
fails "texts: other events that are switched are noticed" 1 ": set_event: .* not -22; " \
	"$out/text/text" -n 10000 -b 6
fails "texts: a write of a word that ends elsewhere is noticed" 1 ": write: -22, not " \
	"$out/text/text" -n 10000 -b 7

corpus=$(dirname "$0")/dynamic/corpus
passes "definitions of events that libFuzzer found, sanitizers" "$out/dynamic/dynamic" -f "$corpus"
passes "random definitions of events, sanitizers" "$out/dynamic/dynamic" -n 30000
grep '^# seed' "$out/log"
fails "definitions: words that end elsewhere are noticed" 1 '": words: ' \
	"$out/dynamic/dynamic" -n 3000 -b 1
fails "definitions: a number that is too large is noticed" 1 ' not -34, "Invalid ' \
	"$out/dynamic/dynamic" -n 3000 -b 2
fails "definitions: another parenthesis is noticed" 1 '": -22, "Dereference brace is not closed"' \
	"$out/dynamic/dynamic" -n 3000 -b 3
fails "definitions: names that are mistaken are noticed" 1 \
	'": -22, "This argument name is already used"' "$out/dynamic/dynamic" -n 3000 -b 4
fails "definitions: memory that is left is noticed" 1 " allocations are left$" \
	"$out/dynamic/dynamic" -n 3000 -b 5
fails "definitions: an expansion that is cut is noticed" 1 ' not -12, ""' \
	"$out/dynamic/dynamic" -n 3000 -b 6
fails "fetch programs: another register is noticed" 1 "byte [0-9]* of the record is 0x" \
	"$out/dynamic/dynamic" -n 3000 -b 7
fails "fetch programs: a fault that is ignored is noticed" 1 "byte [0-9]* of the record is 0x" \
	"$out/dynamic/dynamic" -n 3000 -b 8
fails "fetch programs: a string that is too long is noticed" 1 \
	"SUMMARY: AddressSanitizer: heap-buffer-overflow" "$out/dynamic/dynamic" -n 3000 -b 9
fails "fetch programs: a store that is too wide is noticed" 1 \
	"SUMMARY: AddressSanitizer: heap-buffer-overflow" "$out/dynamic/dynamic" -n 3000 -b 10
fails "fields of user events: a field that is parsed otherwise is noticed" 1 \
	'": -22, not 0$\|": [0-9]* fields, ' "$out/dynamic/dynamic" -n 3000 -b 11

passes "no line of the cache is written by two CPUs" "$out/lines/lines"
fails "lines that CPUs share are noticed" 1 "written by CPUs 0x" "$out/lines/lines" -b

passes "a dump and an iterator beside changes of the shape, sanitizers" "$out/asan/dumps" \
	-n $((1500 * times))
outside='SUMMARY: AddressSanitizer: .*/ring/\(read\.c\|dump\.c\|walk\.h\):'
fails "dumps: planted fault 'store' is noticed" 1 "$outside" \
	"$out/store/dumps" -n 2000
# Each run notices these, before the random part.
fails "dumps: planted fault 'steps' is noticed" 1 "takes for ever" "$out/steps/dumps" -n 1
fails "dumps: planted fault 'from' is noticed" 1 "iterator: shows record [0-9]* after" \
	"$out/from/dumps" -n 1
fails "dumps: planted fault 'grace' is noticed" 1 "dump: a resize has ended beside it" \
	"$out/grace/dumps" -n 1

passes "swaps beside writers, readers and changes" "$out/plain/swaps" -n $((4000 * times))
passes "swaps, sanitizers" "$out/asan/swaps" -n $((1000 * times)) -s 2
# The locks of two readers are taken in either order, with shape_lock held around both.
passes "swaps, ThreadSanitizer" env TSAN_OPTIONS=detect_deadlocks=0 \
	"$out/tsan/swaps" -n $((500 * times)) -s 3
fails "swaps: planted fault 'store' is noticed in a dump beside writers" 1 "$outside" \
	"$out/store/swaps" -n 1500
fails "swaps: planted fault 'pin' is noticed" 1 "both rings are one" "$out/pin/swaps" -n 2000
fails "swaps: planted fault 'inside' is noticed" 1 "the ring was changed beside a writer" \
	"$out/inside/swaps" -n 2000
# Each run notices this one, before the random part.
fails "swaps: planted fault 'gone' is noticed" 1 "match: cpu [0-9]*: of [0-9]* records, 0 stay" \
	"$out/gone/swaps" -n 1
fails "swaps: planted fault 'drop' is noticed" 1 \
	"invariant violated: check.next - rc->origin == check.held" "$out/drop/swaps" -n 2000

passes "interrupts at each instruction" "$out/plain/interrupted"
# interrupted VARIANT TEXT
interrupted()
{
	fails "interrupts: planted fault '$1' is noticed" 1 "$2" "$out/$1/interrupted"
}
interrupted ahead "recording is o[nf]*, but an event after [0-9]* instructions of a swap"
interrupted hold "a ring that is held after [0-9]* instructions of a swap is swapped"
interrupted stamp "statistics beside a record: [0-9]* is the oldest time"
interrupted both "statistics beside a swap: [0-9]* records"
interrupted hand "a record that is seen after [0-9]* instructions wakes no reader"
interrupted level "[0-9]* sub-buffers have records after"
interrupted block "a writer goes on recording\|a writer does not record"

passes "the last record wakes a reader" "$out/plain/wake" -n $((4000 * times))
passes "the last record wakes a reader, sanitizers" "$out/asan/wake" -n $((2000 * times)) -s 2
passes "the last record wakes a reader, ThreadSanitizer" "$out/tsan/wake" \
	-n $((1000 * times)) -s 3
fails "wake-ups: planted fault 'recheck' is noticed" 1 "the reader sleeps beside a record" \
	"$out/recheck/wake" -n 20000 3000
fails "wake-ups: planted fault 'sleepers' is noticed" 1 "the reader sleeps beside a record" \
	"$out/sleepers/wake" -n 20000 3000
fails "wake-ups: planted fault 'poll' is noticed" 1 "of epoll: the reader sleeps beside a record" \
	"$out/poll/wake" -n 20000 3000
# Each run notices these two, before the random part.
fails "wake-ups: planted fault 'min' is noticed" 1 "a waiter for 2 sub-buffers sleeps beside them" \
	"$out/min/wake" -n 1 3000
fails "wake-ups: planted fault 'work' is noticed" 1 "heap-use-after-free .* in wake_up_all" \
	"$out/work/wake" -n 1 3000

passes "discarded records wake no reader" "$out/plain/discards"
passes "discarded records wake no reader, sanitizers" "$out/asan/discards"
fails "discarded records that wake a reader are noticed" 1 "a discard: 1 wake-ups, not 0" \
	"$out/plain/discards" -b

passes "the last record of a nohz_full CPU wakes a reader" "$out/plain/wake" -z \
	-n $((4000 * times))
passes "the last record of a nohz_full CPU wakes a reader, sanitizers" "$out/asan/wake" -z \
	-n $((2000 * times)) -s 2
passes "the last record of a nohz_full CPU wakes a reader, ThreadSanitizer" "$out/tsan/wake" -z \
	-n $((1000 * times)) -s 3
# Each run notices these, before the random part.
fails "wake-ups: planted fault 'disturb' is noticed" 1 \
	"the nohz_full CPU was disturbed [0-9]* times" "$out/disturb/wake" -z -n 1
fails "wake-ups: planted fault 'flag' is noticed" 1 \
	"the sleeper misses a record whose writer has cleared the flag" "$out/flag/wake" -z -n 1
fails "wake-ups: planted fault 'stop' is noticed" 1 \
	"the sleeper misses a record that comes after the timer" "$out/stop/wake" -z -n 1
fails "wake-ups: planted fault 'idle' is noticed" 1 \
	"nohz_full: the timer runs for no sleeper" "$out/idle/wake" -z -n 1
fails "wake-ups: planted fault 'arm' is noticed" 1 \
	"the sleeper misses a record after two calls of poll()" "$out/arm/wake" -z -n 1
fails "wake-ups: planted fault 'later' is noticed" 1 \
	"the sleeper misses a record while another task polls" "$out/later/wake" -z -n 1

# The fate of each event is stored, of at most 2^25.
gates=$times
[ "$gates" -le 150 ] || gates=150
for args in "" "-e -p -d" "-k" "-e -c 3 -s 9 -p"; do
	passes "events through gates $args" "$out/record/plain/torture" $args \
		-n $((200000 * gates))
done
passes "events through gates, sanitizers" "$out/record/asan/torture" -n $((50000 * gates)) -p
# The locks of two readers are taken in either order, as in swaps.
passes "events through gates, ThreadSanitizer" env TSAN_OPTIONS=detect_deadlocks=0 \
	"$out/record/tsan/torture" -n $((20000 * gates))
fails "events: planted fault 'pop' is noticed" 1 ": no record: length" "$out/record/pop/torture"
fails "events: planted fault 'verdict' is noticed" 1 "is unwanted" "$out/record/verdict/torture"
fails "events: planted fault 'claim' is noticed" 1 "the reader: \(no record: \|.* is unwanted\)" \
	"$out/record/claim/torture"
fails "events: planted fault 'regs' is noticed" 1 "registers of the event below are gone" \
	"$out/record/regs/torture"
fails "events: planted fault 'spare' is noticed" 1 "the spare ring has had" \
	"$out/record/spare/torture" -e -p -d
fails "events: planted fault 'watch' is noticed" 1 "is unwanted" \
	"$out/record/watch/torture"
fails "events: planted fault 'other' is noticed" 1 "invariant violated: rc->depth == -1" \
	"$out/record/other/torture"
fails "events: planted fault 'tap' is noticed" 1 "a tap of type\|a tap: record" \
	"$out/record/tap/torture"
fails "events: planted fault 'nested' is noticed" 1 "invariant violated: rc->depth == -1" \
	"$out/record/nested/torture"
fails "events: planted fault 'bits' is noticed" 1 "the gate of file [0-9]* is" \
	"$out/record/bits/torture" -n 1600000
# The filter was stored before the gate was changed.
for variant in gate acquire; do
	fails "events: ThreadSanitizer notices planted fault '$variant'" 66 \
		"ThreadSanitizer: data race .*/record/\(record\|deferred\)\.c" \
		env TSAN_OPTIONS="halt_on_error=1 detect_deadlocks=0" \
		"$out/record/$variant/torture" -n 40000
done

for args in "-i 0 -u 0" "-i 0 -u 0 -d" "-i 0" "-u 0" "-i 10 -s 2" "-i 40 -s 7" \
	    "-i 40 -d" "-i 40 -x" "-i 40 -x -d -c 3" "-i 0 -u 0 -x -s 9" \
	    "-i 40 -p" "-i 40 -p -x -c 3" "-i 40 -p -d"; do
	passes "torture $args" "$out/plain/torture" $limit $args
done
for args in "-i 40 -s 2" "-i 40 -x -s 3"; do
	passes "torture $args, sequences wrap" "$out/laps/torture" $limit $args
done
passes "a reader that comes back after sequences have wrapped" "$out/laps/wrapped"
fails "wrapped sequences: planted fault 'behind' is noticed" 1 \
	"wrapped: [0-9]* held, [0-9]* shown" "$out/behind/wrapped"
for args in "-i 20 -s 2" "-i 40 -x" "-i 40 -d"; do
	passes "torture $args, sanitizers" "$out/asan/torture" $limit $args
done
# The second one is strict: nothing is read that may be overwritten meanwhile.
for args in "-i 40" "-i 0 -d -w -k" "-i 20 -s 2" "-i 40 -x -c 3" "-i 40 -p"; do
	passes "torture $args, ThreadSanitizer" "$out/tsan/torture" $slow $args
done

# busted VARIANT TEXT
busted()
{
	fails "torture: planted fault '$1' is noticed" 1 "$2" \
		"$out/$1/torture" -n 4000000 -i 20 -s 2 ${3:+"$3"}
}
# Records that are overwritten before they are committed are in no count.
busted wrap "invariant violated: check.next - rc->origin == check.held"
# A copy has parts of the next record: its payload, or its time.
busted copy 'torn at\|length [0-9]*, payload\|of cpu [0-9]*, level\|time [0-9]* not in'
# The time of a sub-buffer is overwritten by a writer that has not entered it.
busted early "time [0-9]* not in [0-9]*\.\."
busted refuse "refused and not counted, with recording on" -x
busted publish "left 0x.*, committed 0x"
# A whole sub-buffer has fewer records than it counts.
busted count "meta->read is\|check_subbuf.* is"
busted last "time [0-9]* not in [0-9]*\.\."
for order in release acquire claim start; do
	fails "ThreadSanitizer notices what lacks $order" 66 "ThreadSanitizer: data race" \
		env TSAN_OPTIONS=halt_on_error=1 "$out/tsan/torture" -n 40000 -i 40 -x -b $order
done
# A writer races with the controller, which sets clocks.
fails "ThreadSanitizer notices planted fault 'clock'" 66 \
	"data race .*/ring/\(clock\.h\|control\.c:.* in strobe_ring_cpu_clock\)" \
	env TSAN_OPTIONS=halt_on_error=1 "$out/clock/torture" -n 400000 -i 40 -x
awk '{ events += $2; seconds += $5 }
     END { printf "# %d events, %.0f s of torture\n", events, seconds }' "$out/figures"
finish
