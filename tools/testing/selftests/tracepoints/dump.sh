#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The dump of the buffer to the console, as after a crash (here by sysrq-z), and
# trace_printk() of a module.

. "$(dirname "$0")/lib.sh"

reset
key="marked for the dump $$"

dump_shows_records() {
	[ -w /proc/sysrq-trigger ] || return
	for n in 1 2 3; do echo "$key $n" >trace_marker; done
	echo 1 >/proc/sys/kernel/sysrq
	dmesg -c >/dev/null
	echo z >/proc/sysrq-trigger
	dmesg | grep -q 'Dumping ftrace buffer:' || return
	for n in 1 2 3; do
		[ "$(dmesg | grep -c "tracing_mark_write: $key $n$")" = 1 ] || return
	done
}

# New records must not disturb the dump.
dump_stops_recording() {
	[ "$(cat tracing_on)" = 0 ]
}

dump_again_prints_nothing() {
	dmesg -c >/dev/null
	echo z >/proc/sysrq-trigger
	dmesg | grep -q 'Dumping ftrace buffer:' && fails sh -c "dmesg | grep '$key'"
}

recording_again() {
	echo 1 >tracing_on
	echo "$key again" >trace_marker || return
	grep -q "tracing_mark_write: $key again" trace
}

# allocated: record an allocation, and print its address as trace shows it. A shell allocates
# something when it opens a file.
allocated() {
	echo >trace
	sh -c 'cd events/kmem/kmem_cache_alloc && echo "common_pid == $$" >filter &&
		echo 1 >enable && read -r stat </proc/self/stat; echo 0 >enable; echo 0 >filter'
	sed -n 's/.* kmem_cache_alloc: .* ptr=\([^ ]*\) .*/\1/p' trace | head -n 1
}

# dump_has ADDRESS
dump_has() {
	dmesg -c >/dev/null
	echo z >/proc/sysrq-trigger
	echo 1 >tracing_on
	dmesg | grep -q " kmem_cache_alloc: .* ptr=$1 " ||
		{ echo "no $1:"; dmesg | grep ' kmem_cache_alloc: '; return 1; }
}

# Addresses are hashed, as in trace, unless the option is off.
dump_hashes_addresses() {
	hashed=$(allocated)
	case $hashed in
	'' | ffff[89a-f]*) echo "trace shows '$hashed'"; return 1 ;;
	esac
	dump_has "$hashed" || return
	echo 0 >options/hash-ptr
	address=$(allocated)
	hash_status=0
	case $address in
	ffff[89a-f]*) dump_has "$address" || hash_status=1 ;;
	*) echo "trace shows '$address'"; hash_status=1 ;;
	esac
	echo 1 >options/hash-ptr
	return $hash_status
}

dump_of_nothing() {
	echo >trace
	dmesg -c >/dev/null
	echo z >/proc/sysrq-trigger
	echo 1 >tracing_on
	dmesg | grep -q '(ftrace buffer empty)'
}

printk_recorded() {
	modprobe trace-printk || return
	for text in 'static string that will use trace_bputs' \
		'dynamic string that will use trace_puts' \
		'static string that will use trace_bprintk()' \
		'dynamic string that will use trace_printk'; do
		grep -q ": This is a $text" trace ||
			{ echo "no $text"; return 1; }
	done
	[ "$(grep -c 'trace_printk_irq_work: (irq) This is a .* string' trace)" = 4 ]
}

# Tools that read binary records need the formats.
formats_listed() {
	grep -q '^0x[0-9a-f]* : "This is a %s that will use trace_bprintk()\\n"$' printk_formats
}

# Option fields shows what a pointer to a format leads to. Classic knows no such fields.
fields_of_formats() {
	echo 1 >options/fields
	grep -q 'bprint: .*fmt=(0x[0-9a-f]*:This is a %s that will use trace_bprintk()) ' trace
	fields_status=$?
	echo 0 >options/fields
	return $fields_status
}

records_outlive_module() {
	rmmod trace-printk &&
		grep -q 'This is a static string that will use trace_bprintk()' trace
}

# Option stacktrace adds a stack to each record; userstacktrace is for events alone.
printk_stacks() {
	echo >trace
	echo 1 >options/stacktrace
	echo 1 >options/userstacktrace
	modprobe trace-printk
	echo 0 >options/userstacktrace
	echo 0 >options/stacktrace
	rmmod trace-printk
	[ "$(grep -c '<stack trace>' trace)" = 8 ] && fails grep '<user stack' trace
}

check "the dump shows what was recorded" dump_shows_records
check "the dump stops recording" dump_stops_recording
check "a second dump does not repeat it" dump_again_prints_nothing
check "recording goes on when switched on" recording_again
check "the dump of an empty buffer" dump_of_nothing
echo >trace
check_module trace-printk "trace_printk of a module" printk_recorded
check_module trace-printk "its formats are listed" formats_listed
if is_strobe; then
	check_module trace-printk "option fields shows its formats" fields_of_formats
else
	ktap_test_skip "option fields shows its formats: classic knows no fields of bprint"
fi
check_module trace-printk "its records outlive it" records_outlive_module
check_module trace-printk "stacks beside its records" printk_stacks
check "the dump hashes addresses as the option says" dump_hashes_addresses
reset
ktap_set_plan 11
ktap_finished
