# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Shared by the shell scripts: paths, messages, the build lock.

repo=$(cd "$(dirname "$0")" &&
	until [ -f scripts/lib.sh ]; do [ "$PWD" != / ] && cd .. || exit 1; done && pwd) ||
	{ echo "$0: it has to lie in Strobe's repository" >&2; exit 1; }
# shellcheck disable=SC2034 # used by the scripts that read this file
build=${BUILD:-$repo/build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
export BUILD="$build"
# Keep the options and variables of the repo's make from the kernel's make.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
# The compiler lists an object's headers for kbuild; CCACHE_DEPEND makes ccache use
# that list, not a preprocessor run. Paths below build/ are hashed as relative ones,
# so that another clone finds the same objects.
export CCACHE_DIR="${CCACHE_DIR:-${HOME:-$build}/.cache/ccache}" CCACHE_DEPEND=1 CCACHE_BASEDIR="$build"

say() { printf '%s: %s\n' "${0##*/}" "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# waiting COMMAND...: run it; scripts/test does not count the time as the test's
waiting() {
	[ -z "${STROBE_WAITS:-}" ] || echo "+ $(date +%s.%N)" >>"$STROBE_WAITS"
	"$@"
	[ -z "${STROBE_WAITS:-}" ] || echo "- $(date +%s.%N)" >>"$STROBE_WAITS"
}

# build_lock: lock the build directory exclusively for the rest of this script.
build_lock() {
	[ "${STROBE_LOCKED:-}" = "$build" ] && return
	mkdir -p "$build"
	exec 9>"$build/.lock"
	flock -n 9 || { say "waiting for others to be done in $build"; waiting flock 9; }
	export STROBE_LOCKED="$build"
}

# build_use NAME: for the rest of this script, lock the tree against changes, and
# NAME (a directory that the script makes) exclusively.
build_use() {
	mkdir -p "$build"
	if [ "${STROBE_LOCKED:-}" != "$build" ]; then
		exec 9>"$build/.lock"
		flock -sn 9 || { say "waiting for others to be done in $build"; waiting flock -s 9; }
	fi
	exec 8>"$build/.lock-$1"
	flock -n 8 || { say "waiting for another build of $1"; waiting flock 8; }
}

# changed_since STAMP DIR...: print a source file below DIR that is newer than STAMP
changed_since() {
	stamp=$1
	shift
	find "$@" \( -path '*/linux/tools/testing' -o -path '*/linux/Documentation' \) -prune \
		-o -type f ! -name '.*' -newer "$stamp" -print -quit
}

# newer_source OBJECTS: print a source file that is newer than the kernel in OBJECTS; nothing
# if the kernel is current, or is not in build/obj, where scripts/kernel builds
newer_source() {
	case $1 in
	"$build"/obj/*) ;;
	*) return ;;
	esac
	if [ ! -f "$1/.built" ]; then
		echo "$1/.built, which is missing"
		return
	fi
	newer=$(changed_since "$1/.built" "$build/linux")
	[ -n "$newer" ] || newer=$(changed_since "$build/tree/read" "$repo/include" \
		"$repo/kernel" "$repo/samples" "$repo/patches" 2>&1)
	echo "$newer"
}

# guest_tool PROGRAM ROOT: copy it, and the libraries that it needs, to a guest's files
guest_tool() {
	mkdir -p "$2/bin"
	cp "$1" "$2/bin/"
	ldd "$1" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' |
		while read -r library; do
			mkdir -p "$2/${library%/*}"
			cp "$library" "$2/$library"
		done
}

# guest_kernel ENGINE [CONFIG]: options of scripts/boot, for the kernel of make kernel, or for the
# one that scripts/deb packaged
guest_kernel() {
	if [ -z "${2:-}" ]; then
		echo "-e $1"
		return
	fi
	unpacked=$("$repo/scripts/unpack" "$1" "$2") || return
	echo "-k $(echo "$unpacked" | tail -n 1)/guest"
}
