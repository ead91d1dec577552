/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events for event_test.c that use every macro an event header may use. No include
 * guard and no <trace/define_trace.h>: the test includes this once for each pass.
 */
TRACE_DEFINE_ENUM(EVENT_TEST_RED);
TRACE_DEFINE_ENUM(EVENT_TEST_MINUS);
TRACE_DEFINE_ENUM(ETX);
TRACE_DEFINE_SIZEOF(event_test_pair_t);

DECLARE_EVENT_CLASS(event_test_plain,

	TP_PROTO(int cpu, u8 byte, struct event_test_pair *pair, const char *comm),

	TP_ARGS(__perf_count(cpu), byte, pair, comm),

	TP_STRUCT__entry(
		__field(u8, byte)
		__field_ext(int, cpu, FILTER_CPU)
		__field_struct(struct event_test_pair, pair)
		__field_struct_ext(event_test_pair_t, other, FILTER_OTHER)
		__field(bool, flag)
		__field(unsigned long __attribute__((may_alias)), addr)
		__array(char, comm, EVENT_TEST_LEN)
		__array(s16, halves, 3)
	),

	TP_fast_assign(
		__entry->byte = byte;
		__entry->cpu = cpu;
		__entry->pair = *pair;
		__entry->other = *pair;
		__entry->flag = byte & 1;
		__entry->addr = -1UL;
		strscpy(__entry->comm, comm);
		__entry->halves[0] = 1;
		__entry->halves[1] = -2;
		__entry->halves[2] = 3;
	),

	TP_printk("cpu=%d%% byte=%u pair=%d,%lld flag=%d comm=%s addr=%lx halves=%s color=%s "
		  "bits=%s more=%s size=%zu",
		  __entry->cpu, __entry->byte, __entry->pair.a, __entry->other.b,
		  __entry->flag, __entry->comm, __entry->addr,
		  __print_array(__entry->halves, 3, sizeof(s16)),
		  __print_symbolic(__entry->byte, { EVENT_TEST_RED, "RED" },
				   { EVENT_TEST_MINUS, "MINUS EVENT_TEST_RED" },
				   { ETX, "ETX" }),
		  __print_flags(__entry->byte, "|", { 1, "one" }, { 2, "two" }),
		  __print_flags_u64(__entry->addr, NULL, { 1, "one" }, { ~1UL, "rest" }),
		  sizeof(event_test_pair_t))
);

DEFINE_EVENT(event_test_plain, event_test_plain,
	TP_PROTO(int cpu, u8 byte, struct event_test_pair *pair, const char *comm),
	TP_ARGS(cpu, byte, pair, comm)
);

TRACE_EVENT(event_test_dynamic,

	TP_PROTO(const char *text, const char *part, int len, const unsigned long *bits,
		 const struct cpumask *mask, const struct sockaddr *addr,
		 struct va_format *vaf),

	TP_ARGS(text, part, len, bits, mask, addr, vaf),

	TP_STRUCT__entry(
		__string(text, text)
		__string_len(part, part, len)
		__vstring(msg, vaf->fmt, vaf->va)
		__dynamic_array(u16, halves, len)
		__bitmask(bits, 70)
		__cpumask(mask)
		__sockaddr(addr, sizeof(*addr))
		__field(u8, tail)
	),

	TP_fast_assign(
		u16 *halves = __get_dynamic_array(halves);
		int i;

		__assign_str(text);
		__assign_str(part);
		__assign_vstr(msg, vaf->fmt, vaf->va);
		for (i = 0; i < __get_dynamic_array_len(halves) / sizeof(*halves); i++)
			halves[i] = i + 1;
		bitmap_copy((unsigned long *)__get_bitmask(bits), bits, 70);
		cpumask_copy((struct cpumask *)__get_cpumask(mask), mask);
		__assign_sockaddr(addr, addr, sizeof(*addr));
		__entry->tail = 0xaa;
	),

	TP_printk("text=%s part=%s msg=%s halves=%s bits=%s mask=%d family=%d tail=%x buf=%s",
		  __get_str(text), __get_str(part), __get_str(msg),
		  __print_dynamic_array(halves, sizeof(u16)),
		  __get_bitmask(bits), !!*__get_cpumask(mask),
		  __get_sockaddr(addr)->sa_family, __entry->tail,
		  strcpy(__get_buf(4), "buf"))
);

/* Names of fields may be macros. */
#define event_test_bits bits
#define event_test_mask mask

TRACE_EVENT(event_test_rel,

	TP_PROTO(const char *text, const char *part, int len, const unsigned long *bits,
		 const struct cpumask *mask, const struct sockaddr *addr),

	TP_ARGS(text, part, len, bits, mask, addr),

	TP_STRUCT__entry(
		__rel_string(text, text)
		__field(u8, head)
		__rel_string_len(part, (const u8 *)part, len)
		__rel_dynamic_array(u8, bytes, len)
		__rel_bitmask(event_test_bits, 70)
		__rel_cpumask(event_test_mask)
		__rel_sockaddr(addr, sizeof(*addr))
	),

	TP_fast_assign(
		__assign_rel_str(text);
		__entry->head = 0x55;
		__assign_rel_str(part);
		memset(__get_rel_dynamic_array(bytes), 0xc3, __get_rel_dynamic_array_len(bytes));
		__assign_rel_bitmask(event_test_bits, bits, 70);
		__assign_rel_cpumask(event_test_mask, cpumask_bits(mask));
		__assign_rel_sockaddr(addr, addr, sizeof(*addr));
	),

	TP_printk("text=%s head=%x part=%s bytes=%s hex=%s bits=%s mask=%d family=%d",
		  __get_rel_str(text), __entry->head, __get_rel_str(part),
		  __print_hex(__get_rel_dynamic_array(bytes), __get_rel_dynamic_array_len(bytes)),
		  __print_hex_str(__get_rel_dynamic_array(bytes),
				  __get_rel_dynamic_array_len(bytes)),
		  __get_rel_bitmask(event_test_bits), !!*__get_rel_cpumask(event_test_mask),
		  __get_rel_sockaddr(addr)->sa_family)
);

/* A dynamic field of length 0 here has the address of the record's end. */
TRACE_EVENT(event_test_empty,

	TP_PROTO(u64 head, const struct sockaddr *addr, int len, const char *name, int name_len),

	TP_ARGS(head, addr, len, name, name_len),

	TP_STRUCT__entry(
		__field(u64, head)
		__sockaddr(addr, len)
		__dynamic_array(char, name, name_len)
		__field(int, name_len)
	),

	TP_fast_assign(
		__entry->head = head;
		__entry->name_len = name_len;
		__assign_sockaddr(addr, addr, len);
		memcpy(__get_dynamic_array(name), name, name_len);
	),

	TP_printk("addr=%pISpc name=%.*s", __get_sockaddr(addr), __entry->name_len,
		  (char *)__get_dynamic_array(name))
);

/* The record holds a pointer to a string, and a pointer that is only shown. */
DECLARE_EVENT_CLASS(event_test_pointer_class,

	TP_PROTO(u64 time, const char *name, const void *where),

	TP_ARGS(time, name, where),

	TP_STRUCT__entry(
		__field(const void *, where)
		__field(const char *, name)
		__field(u64, time)
	),

	TP_fast_assign(
		__entry->where = where;
		__entry->name = name;
		__entry->time = time;
	),

	TP_printk("%-*d|%llu.%06u %% where=%p %.3s", 3, 7,
		  __print_ns_to_secs(__entry->time), __print_ns_without_secs(__entry->time),
		  __entry->where, __entry->name)
);

DEFINE_EVENT(event_test_pointer_class, event_test_pointer,
	TP_PROTO(u64 time, const char *name, const void *where),
	TP_ARGS(time, name, where)
);

DEFINE_EVENT_PRINT(event_test_pointer_class, event_test_other_print,
	TP_PROTO(u64 time, const char *name, const void *where),
	TP_ARGS(time, name, where),
	TP_printk("time=%llu%s", __entry->time,
		  __print_hex_dump(" ", DUMP_PREFIX_NONE, 16, 1, &__entry->time, 4, false))
);

DEFINE_EVENT_CONDITION(event_test_pointer_class, event_test_condition,
	TP_PROTO(u64 time, const char *name, const void *where),
	TP_ARGS(time, name, where),
	TP_CONDITION(time)
);

/* Pointers in arrays, and an array whose length is recorded in a field. */
TRACE_EVENT(event_test_many,

	TP_PROTO(const char *one, const char *two, const char *three, int len),

	TP_ARGS(one, two, three, len),

	TP_STRUCT__entry(
		__array(const char *, names, 2)
		__dynamic_array(const char *, more, 1)
		__field(int, len)
		__array(u8, bytes, 4)
	),

	TP_fast_assign(
		const char **more = __get_dynamic_array(more);

		__entry->names[0] = one;
		__entry->names[1] = two;
		put_unaligned(three, more);
		__entry->len = len;
		memcpy(__entry->bytes, "\1\2\3\4", 4);
	),

	TP_printk("%s %s %s %s %s %s", __entry->names[0], __entry->names[1],
		  get_unaligned((const char **)__get_dynamic_array(more)),
		  __print_hex(__entry->bytes, __entry->len),
		  __print_array(__entry->bytes, __entry->len, 1),
		  __print_hex_str(__entry->names[0], 2))
);

TRACE_EVENT_FLAGS(event_test_pointer, TRACE_EVENT_FL_CAP_ANY)
TRACE_EVENT_PERF_PERM(event_test_pointer, 0)
