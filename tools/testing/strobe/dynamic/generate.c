// SPDX-License-Identifier: GPL-2.0
/* Make random definitions: mostly valid ones, some of which are damaged after that. */
#include "dynamic/definition.h"

/**
 * struct piece - a part of a text
 * @letters: sources in whose definitions it is valid
 * @text:    the part
 */
struct piece {
	const char	*letters;
	const char	*text;
};

#define EVENTS	"e"
#define USERS	"uv"
#define KERNELS	"karbfxt"
#define ALL	"karbfxtuve"
#define REGS	"karbuv"
#define PARAMS	"krfxt"
#define RETURNS	"rbxv"

static const struct piece bases[] = {
	{ REGS, "%ax" }, { REGS, "%bx" }, { REGS, "%cx" }, { REGS, "%di" }, { REGS, "%sp" },
	{ REGS, "%r15" }, { REGS, "%ss" }, { REGS, "%orig_ax" }, { REGS, "%r8" },
	{ KERNELS USERS, "$stack" }, { KERNELS USERS, "$stack0" }, { KERNELS USERS, "$stack5" },
	{ KERNELS USERS, "$stack23" }, { KERNELS USERS, "$stack24" }, { USERS, "$stack0600" },
	{ KERNELS, "$stack2048" }, { USERS, "$stack99999" },
	{ USERS, "$stack18446744073709551615" },
	{ RETURNS, "$retval" }, { RETURNS, "$retvalue" },
	{ PARAMS, "$arg1" }, { PARAMS, "$arg2" }, { PARAMS, "$arg6" }, { PARAMS, "$arg7" },
	{ PARAMS, "$arg30" }, { PARAMS, "$arg2048" }, { PARAMS, "$arg05" },
	{ KERNELS USERS, "$comm" }, { KERNELS USERS, "$COMM" }, { ALL, "\\\"\"" },
	{ ALL, "\\\"text\"" }, { ALL, "\\\"\"x(y)\"" },
	{ ALL, "\\1" }, { ALL, "\\-2" }, { ALL, "\\+3" }, { ALL, "\\0x123456789abcdef" },
	{ ALL, "\\+-077" }, { ALL, "\\18446744073709551615" }, { ALL, "\\-9223372036854775808" },
	{ KERNELS EVENTS, "@first_symbol" }, { KERNELS EVENTS, "@second.part.0+8" },
	{ KERNELS EVENTS, "@third-4" }, { KERNELS EVENTS, "@third+0x10" },
	{ KERNELS EVENTS, "@no_symbol" }, { KERNELS EVENTS, "@first_symbol+x" },
	{ USERS, "@+0" }, { USERS, "@+0x40" }, { USERS, "@+-8" }, { USERS, "@+4096" },
	{ ALL, "@0" }, { ALL, "@0xffff888000010000" }, { ALL, "@0xffff888000010123" },
	{ ALL, "@0x7f0000400000" }, { ALL, "@0x7f0000400011" }, { ALL, "@0xffffffffff600000" },
	{ ALL, "@0x8000000000000000" }, { ALL, "\\0xffff888000010040" },
	{ ALL, "\\0x7f0000400100" },
	{ EVENTS, "$nr" }, { EVENTS, "$small" }, { EVENTS, "$byte" }, { EVENTS, "$half" },
	{ EVENTS, "$name" }, { EVENTS, "$path" }, { EVENTS, "$more" }, { EVENTS, "$mask" },
	{ EVENTS, "$large" }, { EVENTS, "$text" }, { EVENTS, "$pair" }, { EVENTS, "$pad" },
	{ EVENTS, "$comm" }, { EVENTS, "$COMM" }, { EVENTS, "$name" }, { EVENTS, "$path" },
	{ EVENTS, "$more" }, { EVENTS, "$text" },
	/* Valid in no definition */
	{ "", "$arg*" }, { "", "$arg" }, { "", "$arg0" }, { "", "$arg2049" }, { "", "$arg+1" },
	{ "", "$stackx" }, { "", "$stack2049" }, { "", "$ret" }, { "", "$" }, { "", "%none" },
	{ "", "%" }, { "", "name" }, { "", "_x->y" }, { "", "@12ab" }, { "", "@+x" }, { "", "@" },
	{ "", "\\" }, { "", "\\x" }, { "", "\\\"" }, { "", "\\\"open" }, { "", "&" }, { "", "" },
	{ "", "@18446744073709551616" }, { "", "@18446744073709551616z" },
	{ "", "\\+9223372036854775808" },
	{ "", "$common_pid" }, { "", "\\--1" },
};

static const char *const offsets[] = {
	"+0", "+8", "+16", "-8", "+1", "-3", "+u0", "+u8", "-u8", "+0x10", "+-4", "++3", "+u-16",
	"+010", "+64", "+4096", "-4096", "+9223372036854775807", "-9223372036854775808", "+u+1",
	"-0", "+0", "+0", "+u0", "+2000", "-0x7fffffffffff",
};

static const char *const bad_offsets[] = {
	"+", "-", "+u", "+x", "-+1", "--1", "+uu1", "+9223372036854775808", "+0x", "+08", "+++1",
};

static const char *const types[] = {
	"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "x8", "x16", "x32", "x64", "char",
	"symbol", "string", "ustring", "symstr", "string", "ustring", "symstr", "string",
};

static const char *const bad_types[] = {
	"", "u", "u24", "strings", "b", "b1@2", "b1@2/24", "b9@0/8", "b4@5/8", "b0@0/8", "b+1@0/8",
	"%pd", "b1@/8", "b@1/8", "b2@3@4/8", "b1/2@3/8", "x128", "Char",
};

static const char *const names[] = {
	"a", "b", "arg1", "arg2", "_", "name", "x9", "common_type", "__probe_ip", "", "1x", "a.b",
	"just_thirty_two_bytes_in_a_name_", "more_than_thirty_two_bytes_in_it_", "common_tgid",
	"common_flags", "__probe_func",
};

/* What damaged texts get */
static const char *const parts[] = {
	":", "=", "(", ")", "[", "]", "$", "%", "@", "+", "-", "\\", "\"", " ", "\t", "u", "0", "1",
	"/", ".", "b", "*", "$arg", "$arg*", "0x", "99999999999999999999", "[2]", ":u8", "+0(", "))",
	":string", "comm", ":%pd", ":%pD", "~", "a=", "\n",
};

static const char *const field_types[] = {
	"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "int", "unsigned int", "short",
	"unsigned short", "char", "unsigned char", "char[20]", "unsigned char[4]", "char[0x10]",
	"struct s", "struct char[", "__data_loc char[]", "__rel_loc char[]", "__data_loc u32[]",
	"__data_loc unsigned char[]", "__rel_loc unsigned char[]", "__rel_loc cpumask_t",
	"char[1024]", "__data_loc char[]",
};

static const char *const bad_field_types[] = {
	"long", "unsigned", "char[0]", "char[1025]", "char[]", "char[12345678]", "struct __data_loc",
	"char[4]__rel_loc", "u128", "unsigned  int", "struct", "char[4", "char[-1]", "__data_loc",
	"struct a\"b", "u8%",
};

static const char *const field_parts[] = {
	";", " ", "\t", "\n", "  ", "; ", ";;", "struct ", "unsigned ", "__data_loc ", "__rel_loc ",
	"[", "]", "0", "65527", "65528", "99999999999", "-1", "%", "\"", "\\", "char", "x", "+3",
	"\x01",
};

#define PICK(array)	array[random_below(ARRAY_SIZE(array))]

/* A valid base if @good, else mostly one that is valid nowhere. */
static const char *pick_base(char letter, bool good)
{
	bool any = !good && !random_below(3);
	const struct piece *piece;

	do
		piece = &bases[random_below(ARRAY_SIZE(bases))];
	while (!any && (good ? !strchr(piece->letters, letter) : *piece->letters));
	return piece->text;
}

static u32 generate_type(char *to, bool good)
{
	u32 len, size;

	if (!good) {
		len = sprintf(to, ":%s", PICK(bad_types));
	} else if (random_below(4)) {
		len = sprintf(to, ":%s", PICK(types));
	} else {
		size = 8 << random_below(4);
		len = sprintf(to, ":b%u@%u/%u", random_below(size) + 1, random_below(size / 2),
			      size);
	}
	if (!random_below(4))
		len += sprintf(to + len, "[%u]", random_below(5) ? random_below(4) + 1 :
			       random_below(4) ? 63 + random_below(3) : random_below(68));
	return len;
}

static u32 generate_arg(char *to, char letter, bool good)
{
	u32 reads = random_below(3) ? random_below(4) : 0, len = 0, i;
	bool is_deep = !random_below(20);

	/* An expression has no room for as many longer offsets. */
	if (is_deep)
		reads = 11 + random_below(6);
	if (random_below(3))
		len = good && random_below(20) ? sprintf(to, "n%u=", random_below(1000)) :
		      sprintf(to, "%s=", PICK(names));
	for (i = 0; i < reads; i++)
		len += sprintf(to + len, "%s(", is_deep ? "+0" : good || random_below(4) ?
			       PICK(offsets) : PICK(bad_offsets));
	if (is_deep && good)
		len += sprintf(to + len, "%s", random_below(2) && !strchr(USERS, letter) ?
			       "@third" : "@0");
	else
		len += sprintf(to + len, "%s", pick_base(letter, good));
	for (i = 0; i < reads; i++)
		len += sprintf(to + len, ")%s", random_below(50) ? "" : "x");
	if (!random_below(12) && strchr(KERNELS, letter))
		return len + sprintf(to + len, ":%%p%c", random_below(2) ? 'd' : 'D');
	if (random_below(4))
		len += generate_type(to + len, good || random_below(3));
	return len;
}

static void generate_line(char letter, char text[TEXT_MAX])
{
	static const char *const first[] = {
		"p", "p:g/e", "p:e", "r3:g.e", "p:", ":", "x:g/", "p:/e", "p:g-h/1e", "e:a.b/c",
		"p:a/b.c",
	};
	static const char *const places[] = { "place", "sys/event", "s.event", "/", "a/b/c", "." };
	u32 nr = random_below(40) ? random_below(5) : random_below(135);
	u32 len = sprintf(text, "%s %s", PICK(first), PICK(places));

	if (!random_below(30))
		len = sprintf(text, "p:a%0*d/b%0*d x", 58 + random_below(6), 0,
			      58 + random_below(8), 0);
	/* Six of these are as large as a record may be. */
	if (!random_below(30)) {
		for (nr = 4 + random_below(4); nr; nr--)
			len += sprintf(text + len, " @0:x%u[64]", random_below(9) ? 64 : 32);
		nr = random_below(2);
	}
	while (nr-- && len < TEXT_MAX - 512) {
		text[len++] = " \t"[!random_below(8)];
		len += random_below(200) ? generate_arg(text + len, letter, random_below(12)) :
		       sprintf(text + len, "$arg* $arg%s", random_below(2) ? "*" : "1");
	}
}

static void generate_fields(char text[TEXT_MAX])
{
	static const char *const separators[] = { "; ", "; ", ";" };
	u32 nr = random_below(30) ? random_below(6) : random_below(150), len = 0, i;

	*text = '\0';
	for (i = 0; i < nr && len < TEXT_MAX - 256; i++) {
		const char *type = random_below(30) ? PICK(field_types) : PICK(bad_field_types);

		len += sprintf(text + len, "%s%s n%u", i ? PICK(separators) : "", type, i);
		if (has_prefix(type, "struct "))
			len += sprintf(text + len, " %u", random_below(40) ? random_below(40) :
				       random_below(66000));
	}
	if (!random_below(4))
		sprintf(text + len, "%s", random_below(2) ? ";" : "; ");
}

/* Remove, double or insert something. */
static void damage(char text[TEXT_MAX], const char *part)
{
	u32 len = strlen(text), at = random_below(len + 1);
	u32 size = min(random_below(4) ? 1U : random_below(12), len - at);
	char *rest = strdup(text + at);

	switch (random_below(4)) {
	case 0:
		sprintf(text + at, "%s", rest + size);
		break;
	case 1:
		if (len + size < TEXT_MAX)
			sprintf(text + at + size, "%s", rest);
		break;
	case 2:
		if (len)
			text[random_below(len)] = ' ' + random_below(95);
		break;
	default:
		if (len + strlen(part) < TEXT_MAX)
			sprintf(text + at, "%s%s", part, rest);
	}
	free(rest);
}

void generate(char letter, char text[TEXT_MAX])
{
	u32 damages = random_below(2) ? random_below(4) : 0;

	if (letter == 'd')
		generate_fields(text);
	else
		generate_line(letter, text);
	while (damages--)
		damage(text, letter == 'd' ? PICK(field_parts) : PICK(parts));
}
