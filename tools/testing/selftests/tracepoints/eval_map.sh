#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# eval_map lists the enums and sizes that print formats show as numbers: those of the
# kernel, and those of each loaded module with events.

. "$(dirname "$0")/lib.sh"

[ -e eval_map ] || skip_all "the kernel has no CONFIG_TRACE_EVAL_MAP_FILE"
sample=trace-events-sample
copy=$(mktemp)
trap 'rm -f "$copy"' EXIT

# Each line is 'NAME VALUE (SYSTEM)'. A name is the text of an expression.
lines_formed() {
	[ "$(wc -l <eval_map)" -gt 10 ] || return
	fails grep -vE '^[^ ].* -?[0-9]+ \([A-Za-z0-9_.-]+\)$' eval_map
}

# The values are those that a format shows instead of the name.
values_right() {
	grep -qx 'HI_SOFTIRQ 0 (irq)' eval_map &&
		grep -qx 'RCU_SOFTIRQ 9 (irq)' eval_map &&
		grep -q '{ 9, "RCU" }' events/irq/softirq_entry/format
}

# Small reads get the same bytes.
read_in_pieces() {
	dd if=eval_map of="$copy" bs=7 2>/dev/null && cmp "$copy" eval_map
}

read_only() {
	fails sh -c 'echo 1 >eval_map' &&
		[ "$(stat -c %a eval_map)" = 440 ]
}

of_module() { grep -q ' (sample-trace)$' "$1"; }

comes_with_module() {
	fails of_module eval_map || return
	modprobe $sample || return
	grep -qx 'TRACE_SAMPLE_FOO 2 (sample-trace)' eval_map &&
		grep -qx 'TRACE_SAMPLE_BAR 4 (sample-trace)' eval_map &&
		grep -qx 'TRACE_SAMPLE_ZOO 8 (sample-trace)' eval_map
}

goes_with_module() {
	rmmod $sample || return
	fails of_module eval_map &&
		grep -qx 'HI_SOFTIRQ 0 (irq)' eval_map
}

# After the module was unloaded, a reader continues with the entries that are left.
unload_half_read() {
	modprobe $sample || return
	exec 3<eval_map
	dd bs=100 count=1 of="$copy" <&3 2>/dev/null || return
	rmmod $sample || return
	cat <&3 >>"$copy"
	exec 3<&-
	grep -qx 'HI_SOFTIRQ 0 (irq)' "$copy" && fails of_module eval_map
}

check "lines are NAME VALUE (SYSTEM)" lines_formed
check "values are those of the formats" values_right
check "read in pieces" read_in_pieces
check "cannot be written" read_only
check_module $sample "a module brings its own" comes_with_module
check_module $sample "they go with it" goes_with_module
check_module $sample "a module goes while the file is half read" unload_half_read
check "the kernel did not complain" untainted
ktap_set_plan 8
ktap_finished
