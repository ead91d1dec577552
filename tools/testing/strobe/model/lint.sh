# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Checks that the engine's barriers have labels and tests, and that its numbered steps stand in
# the models. For test.sh, which sets $models, $repo and $out, and lists the tests of fences.cpp
# in $out/fences.list.

ring=$repo/kernel/trace/strobe/ring

# clean NAME TEXT: the test NAME succeeds if TEXT, what was found, is empty
clean()
{
	[ -z "$2" ] || echo "$2"
	[ -z "$2" ]
	result "$1" $?
}

# places FILE...: 'LABEL PRIMITIVE FILE:LINE' for each call of a primitive that orders memory, and
# for each label of its comment's first clause that has one. The comment is on the line, or just
# before it.
#
# Barriers, functions with the order acquire or release, and atomic read-modify-writes that return
# a value need a comment with a label. Without one, '-' is printed. If the comment says of a
# read-modify-write that it orders nothing, 'nothing' is printed. Functions with the suffix _local
# or _relaxed need none. Neither do locks, refcount_t and rcu_assign_pointer(): these order what
# their documentation says.
#
# A dependency, a grace period, a seqcount or a change of code has no primitive of its own: what
# provides it is counted if its comment has a label, or that of the function whose first statement
# it is.
places()
{
	awk '
	BEGIN {
		atomic = "atomic(64|_long)?_"
		value = "(fetch_[a-z]+|[a-z]+_return|xchg|(try_)?cmpxchg|[a-z]+_and_test"
		value = value "|add_negative|add_unless|inc_not_zero|(inc|dec)_(if|unless)_[a-z]+)"
		rmw = atomic value "|(try_)?cmpxchg(64)?|xchg|test_and_(set|clear|change)_bit"
		order = "(" atomic "[a-z_]+|(try_)?cmpxchg(64)?|xchg)_(acquire|release)"
		order = order "|(test_and_set|clear)_bit_(un)?lock"
		smp = "smp_(mb|rmb|wmb|store_mb|store_release|load_acquire|cond_load_acquire)"
		smp = smp "|smp_(acquire__after_ctrl_dep|mb__(before|after)_[a-z]+)"
		other = "READ_ONCE|synchronize_rcu(_expedited)?|get_state_synchronize_rcu"
		other = other "|poll_state_synchronize_rcu|__static_call_update"
		other = other "|raw_(read_seqcount|write_seqcount_(begin|end))|read_seqcount_retry"
		rmw = "^(" rmw ")$"
		must = "^(" order "|" smp ")$"
		other = "^(" other ")$"
		label = "[A-Z_]+:[A-Z]([^A-Za-z0-9_]|$)"
	}
	# The first clause with a label has those of this place, without those that it pairs with.
	function clause(text,	part) {
		while (match(text, /[:.;]( |$)/)) {
			part = substr(text, 1, RSTART)
			if (part ~ label)
				return part
			text = substr(text, RSTART + RLENGTH)
		}
		return text
	}
	function found(primitive, where,	text, name, seen, n) {
		text = clause(primitive ~ other ? doc " " said : said)
		while (match(text, label)) {
			name = substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
			match(name, /:[A-Z]/)
			name = substr(name, 1, RSTART + 1)
			if (!((name) in seen)) {
				print name, primitive, where
				n++
			}
			seen[name] = 1
		}
		if (n || primitive ~ other)
			return
		if (primitive ~ rmw && said ~ /orders nothing/)
			print "nothing", primitive, where
		else
			print "-", primitive, where
	}
	FNR == 1 { inside = 0; said = doc = "" }
	{
		rest = $0
		code = note = ""
		while (rest != "") {
			at = index(rest, inside ? "*/" : "/*")
			part = at ? substr(rest, 1, at - 1) : rest
			rest = at ? substr(rest, at + 2) : ""
			if (inside)
				note = note " " part
			else
				code = code " " part
			if (at)
				inside = !inside
		}
		said = said " " note
		rest = code
		while (match(rest, /[A-Za-z0-9_]+\(/)) {
			call = substr(rest, RSTART, RLENGTH - 1)
			rest = substr(rest, RSTART + RLENGTH)
			if (call ~ rmw || call ~ must || call ~ other)
				found(call, FILENAME ":" FNR)
		}
		if (code ~ /^ [A-Za-z_{]/)
			doc = doc said
		else if (code ~ /[^ \t\\]/)
			doc = ""
		if (code ~ /[^ \t\\]/ || $0 == "")
			said = ""
	}' "$@"
}

# counted: from places on stdin, 'LABEL PRIMITIVE NUMBER'
counted()
{
	cut -d' ' -f1,2 | LC_ALL=C sort | uniq -c | awk '{ print $2, $3, $1 }'
}

# uncounted PLACES: how the file of places differs from the list of barriers
uncounted()
{
	counted <"$1" >"$out/counted"
	diff "$out/expected" "$out/counted" | sed -n 's/^< /# expected: /p; s/^> /# found: /p'
}

# A barrier that is deleted, or replaced by a weaker function, changes the number of places,
# although its comment may stay.
lint_places()
{
	# shellcheck disable=SC2046 # no path of these has a space
	places $(cat "$out/files") >"$out/places"
	clean "barriers: each one has a label" "$(sed -n 's/^-/# no label:/p' "$out/places")"
	sed '/^#/d; /^$/d' "$models/barriers" >"$out/expected"
	clean "barriers: their number is that of the list" "$(uncounted "$out/places")"

	# Without their comments, all are noticed, but for those that need none.
	xargs cat <"$out/files" | sed 's/[A-Z_]*:[A-Z]\>/it/g; s/orders nothing/is here/' \
		>"$out/without.c"
	places "$out/without.c" | grep -c '^-' >"$out/noticed"
	need_none='READ_ONCE\|[_a-z]*_rcu[_a-z]*\|[_a-z]*seqcount[_a-z]*\|__static_call_update'
	grep -v "^[^ ]* \($need_none\) " "$out/places" |
		cut -d' ' -f3 | sort -u | wc -l | cmp -s - "$out/noticed"
	result "barriers: those without a label are noticed" $?

	unseen=$(cut -d' ' -f2,3 "$out/places" | sort -u | while read -r primitive place; do
		file=${place%:*}
		line=${place##*:}
		# shellcheck disable=SC2094 # the file is another one
		sed "${line}s/\<$primitive(/left_out(/" "$file" >"$out/without.c"
		{
			grep -v " $file:" "$out/places"
			places "$out/without.c"
		} >"$out/without.places"
		[ -n "$(uncounted "$out/without.places")" ] || echo "# $primitive, $place"
	done)
	clean "barriers: each one that is left out beside its comment is noticed" "$unseen"
}

# untested MODEL: labels that are neither in fences.cpp nor in MODEL. fences.cpp says why PROBES:A
# is not.
untested()
{
	while read -r barrier; do
		grep -qw "$barrier" "$out/fences.list" "$1" || [ "$barrier" = PROBES:A ] ||
			echo "# in no test: $barrier"
	done <"$out/barriers"
}

# stale FILE WHAT: labels of FILE that no primitive has
stale()
{
	cut -d' ' -f1 "$out/places" | sort -u >"$out/labels"
	grep -oh '\<[A-Z_]\+:[A-Z]\>' "$1" | sort -u | grep -vxFf "$out/labels" |
		sed "s/^/# of no primitive, but in $2: /"
}

# A label is in the tests, at a primitive, and in the list of write.c if it is the ring's.
lint_labels()
{
	xargs grep -oh '\<[A-Z_]\+:[A-Z]\>' <"$out/files" | sort -u >"$out/barriers"
	clean "barriers: each one of the engine is in a test" "$(
		untested "$models/region.pml"
		[ "$(wc -l <"$out/barriers")" -ge 53 ] || echo '# too few labels'
	)"
	[ "$(untested /dev/null | sort -u)" = "$(printf '# in no test: REGION:%s\n' A B)" ]
	result "barriers: one that is in no test is noticed" $?

	sed -n 's/^ \*\t\([A-Z_]*:[A-Z]\)\t\{0,1\} .*/\1/p' "$ring/write.c" |
		sort -u >"$out/listed"
	clean "barriers: each one of the ring is in the list of write.c" "$(
		grep -oh '\<[A-Z_]\+:[A-Z]\>' "$ring"/*.[ch] | sort -u |
			grep -vxFf "$out/listed" | sed 's/^/# not in the list of write.c: /'
		[ "$(wc -l <"$out/listed")" -ge 27 ] || echo '# the list is too short'
	)"

	clean "barriers: each label stands at a primitive" "$(
		stale "$out/barriers" 'comments'
		stale "$out/fences.list" fences.cpp
		stale "$models/region.pml" region.pml
	)"
	echo 'GONE:A LEAVE:A' >"$out/gone"
	[ "$(stale "$out/gone" it)" = '# of no primitive, but in it: GONE:A' ]
	result "barriers: a label of no primitive is noticed" $?
}

# numbers: steps like R4 on stdin
numbers()
{
	grep -ow '[A-Z][0-9]' | sort -u
}

# top FILE...: the comment at the top of each
top()
{
	for file; do
		sed '/^ \*\//q' "$file"
	done
}

# described FILE...: the steps of the lists in these comments
described()
{
	top "$@" | grep -o '\<[A-Z][0-9]  '
}

# modelled FILE...: the steps that comments begin with, but for those at the top
modelled()
{
	for file; do
		sed '1,/^ \*\//d' "$file"
	done | grep -o '/\* [A-Z][0-9]\>[^.:*]*'
}

# missing STEPS FILE: those of the file STEPS that do not stand in FILE
missing()
{
	while read -r step; do
		grep -qw "$step" "$2" || echo "# ${1##*/}: $step"
	done <"$1"
}

# unnoticed STEPS FILE: the steps whose lack in FILE would not be noticed
unnoticed()
{
	while read -r step; do
		grep -vw "$step" "$2" >"$out/without"
		missing "$1" "$out/without" | grep -qw "$step" || echo "# ${1##*/}: $step"
	done <"$1"
}

# compare_steps NAME: the steps of $out/NAME.code stand in $out/NAME.model, and those of
# $out/NAME.steps, which the model mentions, in $out/NAME.source
compare_steps()
{
	missing "$out/$1.code" "$out/$1.model" >>"$out/missed"
	missing "$out/$1.steps" "$out/$1.source" >>"$out/missed"
	unnoticed "$out/$1.code" "$out/$1.model" >>"$out/unnoticed"
	unnoticed "$out/$1.steps" "$out/$1.source" >>"$out/unnoticed"
	cat "$out/$1.code" "$out/$1.steps" >>"$out/compared"
}

# model NAME MODEL...: collect what compare_steps needs of the models
model()
{
	name=$1
	shift
	modelled "$@" >"$out/$name.model"
	cat "$@" | numbers >"$out/$name.steps"
}

# Each step that a comment of a source mentions stands at a step of its model. Each step that a
# model mentions is described at the top of a source.
lint_steps()
{
	: >"$out/missed"
	: >"$out/unnoticed"
	: >"$out/compared"

	model ring "$models/ring.pml" "$models/ring_reader.pml"
	cat "$ring"/write.[ch] "$ring/read.c" "$ring/internal.h" | numbers >"$out/ring.code"
	described "$ring/write.c" "$ring/read.c" >"$out/ring.source"
	compare_steps ring

	model wait "$models/wait.pml"
	numbers <"$ring/wait.c" >"$out/wait.code"
	described "$ring/wait.c" >"$out/wait.source"
	compare_steps wait

	model swap "$models/swap.pml"
	cat "$ring/swap.c" "$ring/reshape.c" | numbers >"$out/swap.code"
	described "$ring/swap.c" "$ring/reshape.c" >"$out/swap.source"
	compare_steps swap

	# Neither the commit nor the next slot is in the model of time.
	model time "$models/time.pml"
	described "$ring/write.c" >"$out/time.source"
	top "$ring/write.c" | sed -n '/^ \* Reservation$/,/^ \* Commit$/p
		/^ \* A record given up$/,/^ \* ABA$/p' | numbers | grep -v '[CX]' >"$out/time.code"
	compare_steps time

	# What is modelled there has no numbers in region.c.
	model region "$models/region.pml"
	: >"$out/region.code"
	described "$ring/write.c" >"$out/region.source"
	compare_steps region

	[ "$(wc -l <"$out/compared")" -ge 119 ] || echo '# too few steps' >>"$out/missed"
	clean "steps: each one of write.c, read.c, wait.c, swap.c, reshape.c is in a model" \
		"$(cat "$out/missed")"
	clean "steps: one that is in no model, or in no source, is noticed" \
		"$(cat "$out/unnoticed")"
}

# unknown FILE...: functions that are named there, and that the ring does not have
unknown()
{
	grep -oh '\<strobe_[a-z0-9_]\+()' "$@" | sort -u | while read -r function; do
		grep -q "^\([a-zA-Z_].*\)\{0,1\}\<${function%()}(" "$ring"/*.[ch] ||
			echo "# unknown: $function"
	done
}

lint_functions()
{
	clean "models: the functions that they name exist" \
		"$(unknown "$models"/*.pml "$models/fences.cpp")"
	echo 'strobe_ring_gone(), strobe_ring_swap()' >"$out/gone"
	[ "$(unknown "$out/gone")" = '# unknown: strobe_ring_gone()' ]
	result "models: a function that does not exist is noticed" $?
}

lint()
{
	# The engine's own files, without its tests
	find "$repo/kernel/trace/strobe" "$repo/include" -name '*.[ch]' ! -name '*_test.c' \
		! -path '*/torture/*' ! -path '*/bench/*' >"$out/files"
	lint_places
	lint_labels
	lint_steps
	lint_functions
}
