#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Searches the models of the ring (ring.pml), of the time of its records (time.pml), of
# waiting for records (wait.pml), of swapping rings (swap.pml) and of what a crash leaves of a
# persistent ring (region.pml) for errors with SPIN, and the barriers (fences.cpp) with Relacy;
# checks that these are those of the engine (lint.sh); prints KTAP.
# usage: test.sh [DIRECTORY]	works in DIRECTORY, which is made; default: model
#				in $BUILD, or in ./build
# With DEEP=1 in the environment, waiting is searched with more records, which takes 4 GB of
# memory and some eight minutes.
#
# The algorithm as it is has none, whatever comes between; of those that lack a
# step or a barrier, each has one.

models=$(cd "$(dirname "$0")" && pwd)
. "$models/../ktap.sh"
repo=$models/../../../..
. "$models/lint.sh"
model=$models/ring.pml
# Partial order reduction does not know of 'provided'.
reduce=-DNOREDUCE
depth=10000
out=${1:-${BUILD:-build}/model}
# A search uses its memory at random: large pages make it faster.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1

# search NAME OPTIMIZE -D...: leaves what was found in $out/NAME/log
search()
{
	dir=$out/$1
	optimize=$2
	shift 2
	rm -rf "$dir"
	mkdir -p "$dir"
	(
		cd "$dir" || exit
		spin -a "$@" "$model" &&
			gcc "$optimize" -w -DSAFETY $reduce pan.c -o pan &&
			timeout 900 ./pan -m"$depth" -w22 && echo "the search came to its end"
	) >"$dir/log" 2>&1
}

# complain NAME: show the log of NAME, and how to see the steps
complain()
{
	sed 's/^/# /' "$out/$1/log"
	echo "# in $out/$1: spin -k *.trail -t -p -g -l, with the same -D, $model"
}

# searched LOG: all was searched, without an error
searched()
{
	grep -q 'errors: 0$' "$1" && grep -qx 'the search came to its end' "$1" &&
		! grep -q 'max search depth too small\|Search not completed\|out of memory' "$1"
}

# holds NAME -D...: the search comes to its end and finds nothing
holds()
{
	name=$1
	shift
	search "$name" -O2 "$@"
	searched "$out/$name/log"
	status=$?
	[ $status = 0 ] || complain "$name"
	sed -n 's/^ *\([0-9]*\) states, stored.*/# \1 states/p' "$out/$name/log"
	result "$name: no error ($*)" $status
}

# breaks ERROR PREFIX OPTIONS VARIANT...: the error of each variant, PREFIX_VARIANT, is this one.
# ERROR is a part of SPIN's message: of an assertion, or that a process waits for ever.
breaks()
{
	error=$1
	prefix=$2
	options=$3
	shift 3
	for variant; do
		name=$prefix$variant
		# shellcheck disable=SC2086 # words
		search "$name" -O0 $options "-DBUSTED_$variant"
		grep '^pan:1: ' "$out/$name/log" | sed 's/^/# /'
		grep '^pan:1: ' "$out/$name/log" | grep -qF "$error"
		status=$?
		[ $status = 0 ] || complain "$name"
		result "$name: an error is found ($options -DBUSTED_$variant)" $status
	done
}

# Lines of the model, and of what it includes, that no search came to. Lines of #ifdef may
# hide here.
unreached()
{
	for name in $sound; do
		sed -n 's,.*/\([a-z_]*\.pml\):\([0-9]*\)\, state.*,\1 \2,p' "$out/$name/log" |
			sort -u
	done | sort | uniq -c | awk -v all="$(echo "$sound" | wc -w)" '
		$1 == all { print $2, $3 }' | while read -r file line; do
		sed -n "${line}p" "$models/$file" | grep -qx '}' ||
			echo "# not reached: line $line of $file"
	done
}

if ! command -v spin >/dev/null; then
	echo 'spin is not installed'
	exit 4
fi

echo 'KTAP version 1'
sound='overwrite flip discard give_up discard_give_up padded slots discard_slots'
sound="$sound steps steps_give_up"
holds overwrite -DTASK=2 -DIRQ=2 -DNMI=1
holds flip -DTASK=2 -DIRQ=2 -DNMI=1 -DFLIP
holds discard -DTASK=2 -DIRQ=2 -DNMI=1 -DDISCARD
holds give_up -DTASK=2 -DIRQ=1 -DNMI=1 -DGIVE_UP
holds discard_give_up -DTASK=2 -DIRQ=1 -DNMI=1 -DDISCARD -DGIVE_UP
# A record fits after another one, in the same slot.
holds padded -DTASK=2 -DIRQ=2 -DNMI=0 -DGIVE_UP -DLIMIT=3
holds slots -DTASK=3 -DIRQ=2 -DNMI=0 -DSLOTS=3
holds discard_slots -DTASK=3 -DIRQ=2 -DNMI=0 -DDISCARD -DSLOTS=3
holds steps -DTASK=1 -DIRQ=1 -DNMI=1 -DWAITERS -DFINE
holds steps_give_up -DTASK=1 -DIRQ=1 -DNMI=1 -DDISCARD -DGIVE_UP -DFINE

missed=$(unreached)
[ -z "$missed" ] || echo "$missed"
[ -z "$missed" ]
result "each line of the model is reached" $?

three='-DTASK=2 -DIRQ=2 -DNMI=1'
padded='-DTASK=2 -DIRQ=2 -DNMI=0 -DGIVE_UP -DLIMIT=3'
discarded='-DTASK=2 -DIRQ=2 -DNMI=0 -DDISCARD -DGIVE_UP -DLIMIT=3'
# The numbers of records do not add up.
breaks 'reserved==' '' "$three" WRAP EARLY TAKE MARK
breaks 'reserved==' '' "$padded" REWIND COUNT LOWER LEFT
breaks 'reserved==' DISCARD_ "$discarded" REWIND COUNT LOWER LEFT
breaks 'reserved==' SLOTS_ '-DTASK=3 -DIRQ=2 -DNMI=0 -DDISCARD -DSLOTS=3' MARK
# Records are left unread.
breaks '!(unread)' '' "$three" COPY SWAP
# A record is not committed although no writer is inside.
breaks 'committed==state' '' "$three" PUBLISH LATE
# The reader finds another record than the next one.
breaks 'n==next' '' "$three" NEST CROSSED
# What is committed goes back.
breaks '>=(committed' '' "$three" RAISE
# A writer enters the sub-buffer that the reader holds.
breaks 'subbuf!=hand' '' "$three" CLAIM

# One that is cut in its depth is none.
depth=20
search cut -O0 -DTASK=1 -DIRQ=1 -DNMI=0
! searched "$out/cut/log"
result "a search that is not complete is noticed" $?
depth=10000

model=$models/time.pml
sound='forward back nested'
holds forward -DTASK=2 -DIRQ=1 -DNMI=0 -DGIVE_UP -DCHANGES=3
holds back -DTASK=2 -DIRQ=1 -DNMI=0 -DBACK -DCHANGES=3
holds nested -DTASK=1 -DIRQ=1 -DNMI=1 -DBACK -DGIVE_UP -DCHANGES=1

missed=$(unreached)
[ -z "$missed" ] || echo "$missed"
[ -z "$missed" ]
result "each line of the model of time is reached" $?

nested='-DTASK=1 -DIRQ=1 -DNMI=1 -DCHANGES=2'
two='-DTASK=2 -DIRQ=1 -DNMI=0 -DGIVE_UP -DCHANGES=2'
breaks 'time==read' TIME_ "$nested" WORD VOUCH NESTED AHEAD
breaks 'assertion violated 0' TIME_ "$nested" ORDER
breaks 'last_ts==time' TIME_ "$nested" KEEP
breaks 'time==read' TIME_ "$two" REST LAST LOWER
breaks 'last_ts==time' TIME_ "$two" TOLD EXTEND
breaks 'n==(state' TIME_ "$two" COUNT

model=$models/wait.pml
reduce=
sound='any poll kinds level soon'
if [ -n "${DEEP:-}" ]; then
	holds any -DRECORDS=3
	holds poll -DRECORDS=3 -DPOLL
	holds kinds -DRECORDS=2 -DPOLL -DKINDS
else
	# With one record, a waiter that lacks the step KINDS still wakes; nohz_kinds has two.
	holds any -DRECORDS=2
	holds poll -DRECORDS=2 -DPOLL
	holds kinds -DRECORDS=1 -DPOLL -DKINDS
fi
holds level -DRECORDS=3 -DFULL
holds soon -DRECORDS=2 -DFULL -DFIRST=1

missed=$(unreached)
[ -z "$missed" ] || echo "$missed"
[ -z "$missed" ]
result "each line of the model of waiting is reached" $?

# Each variant makes a waiter miss its wake-up, and never wake again.
asleep='invalid end state'
breaks "$asleep" WAIT_ '-DRECORDS=3' RECHECK AGAIN CLEAR QUEUE LOOK
breaks "$asleep" WAIT_EDGE_ '-DRECORDS=3 -DPOLL' RECHECK AGAIN CLEAR LOOK POLL POLLED
# Its error takes three records; the search comes to most of the states before.
[ -z "${DEEP:-}" ] || breaks "$asleep" WAIT_EDGE_ '-DRECORDS=3 -DPOLL' LATE
breaks "$asleep" WAIT_EDGE_ '-DRECORDS=2 -DPOLL -DKINDS' KINDS
breaks "$asleep" WAIT_ '-DRECORDS=2 -DFULL' MIN
breaks "$asleep" WAIT_LEVEL_ '-DRECORDS=3 -DFULL' AGAIN

# A CPU of nohz_full: the timer
sound='nohz nohz_poll nohz_kinds nohz_level'
holds nohz -DRECORDS=3 -DNOHZ
holds nohz_poll -DRECORDS=3 -DNOHZ -DPOLL
holds nohz_kinds -DRECORDS=2 -DNOHZ -DPOLL -DKINDS
holds nohz_level -DRECORDS=3 -DNOHZ -DFULL

missed=$(unreached)
[ -z "$missed" ] || echo "$missed"
[ -z "$missed" ]
result "each line of the model of waiting for a nohz_full CPU is reached" $?

breaks "$asleep" WAIT_NOHZ_ '-DRECORDS=3 -DNOHZ' RECHECK QUEUE LOOK STOP FLAG
breaks "$asleep" WAIT_NOHZ_EDGE_ '-DRECORDS=3 -DNOHZ -DPOLL' RECHECK LOOK POLL STOP FLAG ARM
breaks "$asleep" WAIT_NOHZ_LEVEL_ '-DRECORDS=3 -DNOHZ -DFULL' STOP FLAG

model=$models/swap.pml
depth=100000
sound='stop set both one one_set reshape'
holds stop -DRECORDS=1 -DSWAPS=2 -DSTOPS=1 -DSETS=0
holds set -DRECORDS=1 -DSWAPS=2 -DSTOPS=0 -DSETS=2
holds both -DRECORDS=1 -DSWAPS=1 -DSTOPS=1 -DSETS=1
# Swaps of a single CPU
holds one -DRECORDS=1 -DSWAPS=2 -DSTOPS=1 -DSETS=0 -DONES=1
holds one_set -DRECORDS=1 -DSWAPS=0 -DSTOPS=0 -DSETS=2 -DONES=1
# A reader without a lock
holds reshape -DRECORDS=1 -DSWAPS=1 -DSTOPS=1 -DSETS=0 -DLOOKS=1

missed=$(unreached)
[ -z "$missed" ] || echo "$missed"
[ -z "$missed" ]
result "each line of the model of swapping is reached" $?

stopped='-DRECORDS=1 -DSWAPS=2 -DSTOPS=1 -DSETS=0'
set='-DRECORDS=1 -DSWAPS=2 -DSTOPS=0 -DSETS=2'
one='-DRECORDS=1 -DSWAPS=2 -DSTOPS=0 -DSETS=0 -DONES=1'
# A writer records, or does not, against the setting.
breaks 'recorded' SWAP_ "$stopped" PIN HOLD
breaks 'recorded' SWAP_ "$set" AHEAD BEHIND SPREAD KEPT
# A writer is inside a ring while it is changed.
breaks 'inside[percpu' SWAP_ "$stopped" GRACE AGAIN
# The rings of the CPUs are not those that are swapped.
breaks 'percpu[0]==x' SWAP_CPU_ "$one" ONE_PIN ONE_SETTLE
# A writer records in a stopped ring.
breaks '!(stopped[' SWAP_CPU_ "$one" ONE_STOP
breaks '!(stopped[' SWAP_ '-DRECORDS=1 -DSWAPS=0 -DSTOPS=1 -DSETS=0' STOP
# A writer is inside a ring while it is swapped.
breaks '!(inside[x])' SWAP_CPU_ "$one" GRACE
# A reader looks at freed memory.
breaks 'freed!=store' SWAP_ '-DRECORDS=1 -DSWAPS=0 -DSTOPS=1 -DSETS=0 -DLOOKS=1' FREE

model=$models/region.pml
sound='kept longer resets'
holds kept -DRECORDS=5 -DRESETS=1
holds longer -DRECORDS=6 -DRESETS=0 -DSLOTS=3
holds resets -DRECORDS=2 -DRESETS=2

missed=$(unreached)
[ -z "$missed" ] || echo "$missed"
[ -z "$missed" ]
result "each line of the model of a crash is reached" $?

crash='-DRECORDS=6 -DRESETS=1'
# The next kernel finds another record than the next one.
breaks ']==next' REGION_ "$crash" COMMIT CLAIM
# The header does not tell which kernel made it.
breaks '==memory[' REGION_ "$crash" MAGIC HEADER
# A sequence between others is missing.
breaks '==(seq+2)' REGION_ "$crash" CLOSE EMPTY
# A record that the reader has consumed is missing.
breaks 'consumed<=next' REGION_ "$crash" LEAVE
# The newest records are missing.
breaks 'held&&(next==' REGION_ "$crash" WRAP

# fence NAME BARRIER...: no error, and one without each of the barriers
fence()
{
	name=$1
	shift
	timeout 900 "$out/fences" "$name" >"$out/fence.$name" 2>&1
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$out/fence.$name"
	sed -n 's/^iterations: \(.*\)/# \1 interleavings/p' "$out/fence.$name"
	result "barriers: $name: no error" $status
	for barrier; do
		timeout 900 "$out/fences" "$name" "$barrier" >"$out/fence.$name" 2>&1
		status=$?
		[ $status = 1 ] || sed 's/^/# /' "$out/fence.$name"
		[ $status = 1 ]
		result "barriers: $name: an error is found without $barrier" $?
	done
}

g++ -std=c++17 -O2 -w -o "$out/fences" "$models/fences.cpp" >"$out/fences.log" 2>&1
status=$?
[ $status = 0 ] || sed 's/^/# /' "$out/fences.log"
result "barriers: the tests compile" $status
"$out/fences" >"$out/fences.list"
while read -r line; do
	# shellcheck disable=SC2086 # words
	fence $line
done <"$out/fences.list"

lint
finish
