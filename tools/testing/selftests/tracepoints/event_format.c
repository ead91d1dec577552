// SPDX-License-Identifier: GPL-2.0
/*
 * The files format and id of every event, header_page and header_event are
 * well-formed, so that parsers of binary records, such as libtraceevent, can
 * rely on them.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>

#include "../kselftest_harness.h"
#include "tracefs.h"

#define FIELDS_MAX 64
#define IDS_MAX 65536

struct field {
	char type[128];
	char name[64];
	long count;		/* elements of an array; 0: no array; -1: not a number */
	long offset, size, is_signed;
};

struct format {
	const char *fault;	/* the fault that was found, or NULL */
	char name[128];
	long id;
	int nr_common, nr;
	struct field fields[FIELDS_MAX];
	const char *print;	/* the text after "print fmt: " */
};

static const struct field common[] = {
	{ "unsigned short",	"common_type",		0, 0, 2, 0 },
	{ "unsigned char",	"common_flags",		0, 2, 1, 0 },
	{ "unsigned char",	"common_preempt_count",	0, 3, 1, 0 },
	{ "int",		"common_pid",		0, 4, 4, 1 },
};

static const struct {
	const char *type;
	int size;
	int is_signed;		/* -1: either */
} types[] = {
	{ "char",		1, -1 },
	{ "signed char",	1, 1 },
	{ "unsigned char",	1, 0 },
	{ "u8",			1, 0 },
	{ "__u8",		1, 0 },
	{ "bool",		1, 0 },
	{ "short",		2, 1 },
	{ "unsigned short",	2, 0 },
	{ "u16",		2, 0 },
	{ "__u16",		2, 0 },
	{ "int",		4, 1 },
	{ "unsigned int",	4, 0 },
	{ "unsigned",		4, 0 },
	{ "u32",		4, 0 },
	{ "__u32",		4, 0 },
	{ "pid_t",		4, 1 },
	{ "long",		8, 1 },
	{ "unsigned long",	8, 0 },
	{ "long long",		8, 1 },
	{ "unsigned long long",	8, 0 },
	{ "s64",		8, 1 },
	{ "u64",		8, 0 },
	{ "__u64",		8, 0 },
	{ "size_t",		8, 0 },
};

/* "TYPE NAME" or "TYPE NAME[COUNT]"; the name is the last word. */
static bool parse_declaration(char *text, struct field *f)
{
	char *end = text + strlen(text);
	char *bracket = NULL, *name;

	f->count = 0;
	if (end > text && end[-1] == ']') {
		bracket = strrchr(text, '[');
		if (!bracket)
			return false;
		/* This is not "__data_loc char[] name", whose brackets belong to the type. */
		f->count = strtol(bracket + 1, NULL, 0);
		*bracket = '\0';
	}
	name = strrchr(text, ' ');
	if (!name || name == text || !name[1])
		return false;
	*name++ = '\0';
	snprintf(f->type, sizeof(f->type), "%s", text);
	snprintf(f->name, sizeof(f->name), "%s", name);
	if (bracket && !f->count)
		f->count = -1;	/* the length is the name of a constant */
	return isalpha(name[0]) || name[0] == '_';
}

/* "\tfield:DECLARATION;\toffset:N;\tsize:N;\tsigned:N;" */
static bool parse_field(const char *line, int len, struct field *f)
{
	char buf[300], *semi;
	int n = 0;

	if (len >= (int)sizeof(buf) || strncmp(line, "\tfield:", 7))
		return false;
	memcpy(buf, line + 7, len - 7);
	buf[len - 7] = '\0';
	semi = strstr(buf, ";\t");
	if (!semi)
		return false;
	if (sscanf(semi, ";\toffset:%ld;\tsize:%ld;\tsigned:%ld;%n",
		   &f->offset, &f->size, &f->is_signed, &n) != 3 || semi[n])
		return false;
	*semi = '\0';
	return parse_declaration(buf, f);
}

static const char *parse_fields(const char *p, struct format *fmt)
{
	bool is_common = true;
	int len;

	for (; strncmp(p, "\nprint fmt: ", 12); p += len + 1) {
		len = strcspn(p, "\n");
		if (!p[len])
			return NULL;
		if (!len && is_common) {
			is_common = false;
			fmt->nr_common = fmt->nr;
			continue;
		}
		if (fmt->nr == FIELDS_MAX ||
		    !parse_field(p, len, &fmt->fields[fmt->nr]))
			return NULL;
		fmt->nr++;
	}
	if (is_common)
		fmt->nr_common = fmt->nr;
	return p + 12;
}

static void format_parse(const char *text, struct format *fmt)
{
	const char *p = text;
	int n = 0;

	memset(fmt, 0, sizeof(*fmt));
	if (sscanf(p, "name: %127s\nID: %ld\nformat:%n", fmt->name, &fmt->id, &n) != 2 ||
	    !n || p[n] != '\n') {
		fmt->fault = "no name or ID";
		return;
	}
	fmt->print = parse_fields(p + n + 1, fmt);
	if (!fmt->print)
		fmt->fault = "fields can't be parsed";
}

static const struct field *find_field(const struct format *fmt, const char *name,
				      size_t len)
{
	int i;

	for (i = 0; i < fmt->nr; i++) {
		if (strlen(fmt->fields[i].name) == len &&
		    !memcmp(fmt->fields[i].name, name, len))
			return &fmt->fields[i];
	}
	return NULL;
}

/* Fields are in order and do not overlap; a gap is no wider than alignment needs. */
static void check_layout(struct format *fmt)
{
	long end = 0;
	int i;

	for (i = 0; i < fmt->nr; i++) {
		const struct field *f = &fmt->fields[i];

		if (f->offset < end)
			fmt->fault = "fields overlap";
		else if (f->offset - end >= 8)
			fmt->fault = "a hole between fields";
		else if (f->size < 0 || (!f->size && f->count >= 0))
			fmt->fault = "a field without size";
		else if (f->is_signed != 0 && f->is_signed != 1)
			fmt->fault = "signed is neither 0 nor 1";
		else if (find_field(fmt, f->name, strlen(f->name)) != f)
			fmt->fault = "two fields of a name";
		end = f->offset + f->size;
	}
}

static void check_common(struct format *fmt)
{
	unsigned int i;

	if (fmt->nr_common != ARRAY_SIZE(common)) {
		fmt->fault = "not four common fields";
		return;
	}
	for (i = 0; i < ARRAY_SIZE(common); i++) {
		if (memcmp(&common[i].count, &fmt->fields[i].count,
			   sizeof(long) * 4) ||
		    strcmp(common[i].type, fmt->fields[i].type) ||
		    strcmp(common[i].name, fmt->fields[i].name))
			fmt->fault = "a common field is not as it should be";
	}
}

static void check_type(struct format *fmt, const struct field *f)
{
	size_t len = strlen(f->type);
	unsigned int i;

	if (strstr(f->type, "__data_loc ") || strstr(f->type, "__rel_loc ")) {
		if (f->size != 4)
			fmt->fault = "a locator that is not of 4 bytes";
		return;
	}
	if (len && f->type[len - 1] == '*') {
		if (f->size != 8 * (f->count > 0 ? f->count : 1) && f->count >= 0)
			fmt->fault = "a pointer that is not of 8 bytes";
		return;
	}
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (strcmp(types[i].type, f->type))
			continue;
		if (f->count >= 0 &&
		    f->size != types[i].size * (f->count ? f->count : 1))
			fmt->fault = "the size is not that of the type";
		if (types[i].is_signed >= 0 && f->is_signed != types[i].is_signed)
			fmt->fault = "the sign is not that of the type";
	}
}

/* An argument of a system call is an unsigned long, the size of a register. */
static void check_syscall_argument(struct format *fmt, const struct field *f)
{
	if (strcmp(f->name, "__syscall_nr") && strcmp(f->name, "ret") &&
	    (f->size != 8 || f->is_signed))
		fmt->fault = "an argument that is not an unsigned long";
}

/*
 * Step over the string literal that *@pos points to. Newlines in it are not
 * escaped.
 */
static bool skip_literal(const char **pos)
{
	const char *p = *pos + 1;

	for (; *p != '"'; p++) {
		if (*p == '\\')
			p++;
		if (!*p)
			return false;
	}
	*pos = p + 1;
	return true;
}

static size_t name_length(const char *p)
{
	const char *end = p;

	while (isalnum(*end) || *end == '_')
		end++;
	return end - p;
}

/*
 * print fmt begins with a string, every string and parenthesis is closed, and
 * it names only fields that exist.
 */
static void check_print(struct format *fmt)
{
	static const char * const getters[] = {
		"__get_str(", "__get_rel_str(", "__get_dynamic_array(",
		"__get_rel_dynamic_array(", "__get_dynamic_array_len(",
		"__get_bitmask(", "__get_cpumask(", "__get_sockaddr(",
	};
	const char *p = fmt->print;
	unsigned int i;
	int depth = 0;
	size_t len;

	if (*p != '"')
		fmt->fault = "print fmt does not begin with a string";
	while (*p && !fmt->fault) {
		if (*p == '"') {
			if (!skip_literal(&p))
				fmt->fault = "a string without an end";
			continue;
		}
		depth += (*p == '(') - (*p == ')');
		if (!strncmp(p, "REC->", 5)) {
			p += 5;
			len = name_length(p);
			/* REC->__data_loc_NAME is the locator of a dynamic field. */
			if (strncmp(p, "__data_loc_", 11) &&
			    strncmp(p, "__rel_loc_", 10) &&
			    !find_field(fmt, p, len))
				fmt->fault = "print fmt names no field";
			p += len;
			continue;
		}
		for (i = 0; i < ARRAY_SIZE(getters); i++) {
			size_t glen = strlen(getters[i]);

			if (strncmp(p, getters[i], glen))
				continue;
			len = strcspn(p + glen, ")");
			if (!find_field(fmt, p + glen, len))
				fmt->fault = "print fmt gets no field";
		}
		p++;
	}
	if (!fmt->fault && depth)
		fmt->fault = "parentheses that do not match";
	if (!fmt->fault && (p[-1] != '\n' || p[-2] == '\n'))
		fmt->fault = "not one newline at the end";
}

static void format_check(struct format *fmt, bool is_syscall)
{
	int i;

	if (fmt->fault)
		return;
	check_common(fmt);
	check_layout(fmt);
	for (i = fmt->nr_common; i < fmt->nr && !fmt->fault; i++) {
		if (is_syscall)
			check_syscall_argument(fmt, &fmt->fields[i]);
		else
			check_type(fmt, &fmt->fields[i]);
	}
	if (!fmt->fault)
		check_print(fmt);
}

/* The fault that was found in the event's files, or NULL. */
static const char *event_fault(const char *system, const char *name, char *ids)
{
	static struct format fmt;
	bool is_internal = !strcmp(system, "ftrace");
	char *text = tfs_text("events/%s/%s/format", system, name);
	long id;

	if (!text)
		return "format can't be read";
	format_parse(text, &fmt);
	format_check(&fmt, !strcmp(system, "syscalls"));
	free(text);
	if (fmt.fault)
		return fmt.fault;
	if (strcmp(fmt.name, name))
		return "the name is another";
	if (fmt.id <= 0 || fmt.id >= IDS_MAX)
		return "the ID is out of range";
	if (ids[fmt.id])
		return "the ID is that of another event";
	ids[fmt.id] = 1;
	id = tfs_number("events/%s/%s/id", system, name);
	if (id != fmt.id && !(is_internal && id == -ENOENT))
		return "id says something else";
	return NULL;
}

TEST(every_event)
{
	static char ids[IDS_MAX];
	struct event_dirs at = {};
	const char *fault;
	int events = 0;

	while (event_dirs_next(&at)) {
		fault = event_fault(at.system, at.name, ids);
		EXPECT_EQ(NULL, fault) {
			TH_LOG("%s:%s: %s", at.system, at.name, fault);
		}
		events++;
	}
	EXPECT_LT(100, events);
}

#define FIELD(declaration, offset, size, is_signed)			\
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size	\
	";\tsigned:" #is_signed ";\n"

/* Test the checks: each of these formats but the good ones has one fault. */
TEST(checks_find_faults)
{
	static const char head[] =
		"name: x\nID: 7\nformat:\n"
		FIELD("unsigned short common_type", 0, 2, 0)
		FIELD("unsigned char common_flags", 2, 1, 0)
		FIELD("unsigned char common_preempt_count", 3, 1, 0)
		FIELD("int common_pid", 4, 4, 1) "\n";
	static const struct {
		bool good;
		const char *field;
		const char *print;
	} cases[] = {
		{ true,  FIELD("int a", 8, 4, 1),	"\"%d\", REC->a" },
		{ true,  FIELD("char a[16]", 8, 16, 0),	"\"%s\", REC->a" },
		{ true,  FIELD("__data_loc char[] a", 8, 4, 0), "\"%s\", __get_str(a)" },
		/* overlap, hole, size, sign, name in print fmt, name used twice, no such string */
		{ false, FIELD("int a", 4, 4, 1),	"\"%d\", REC->a" },
		{ false, FIELD("int a", 16, 4, 1),	"\"%d\", REC->a" },
		{ false, FIELD("int a", 8, 8, 1),	"\"%d\", REC->a" },
		{ false, FIELD("int a", 8, 4, 0),	"\"%d\", REC->a" },
		{ false, FIELD("int a", 8, 4, 1),	"\"%d\", REC->b" },
		{ false, FIELD("int common_pid", 8, 4, 1), "\"%d\", REC->common_pid" },
		{ false, FIELD("__data_loc char[] a", 8, 4, 0), "\"%s\", __get_str(b)" },
		/* no string; unterminated string, parenthesis, field; declaration without type */
		{ false, FIELD("int a", 8, 4, 1),	"REC->a" },
		{ false, FIELD("int a", 8, 4, 1),	"\"%d, REC->a" },
		{ false, FIELD("int a", 8, 4, 1),	"\"%d\", (REC->a" },
		{ false, "\tfield:int a;\toffset:8;\tsize:4\n", "\"%d\", REC->a" },
		{ false, FIELD("a", 8, 4, 1),		"\"%d\", REC->a" },
	};
	static struct format fmt;
	char text[1000];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "%s%s\nprint fmt: %s\n",
			 head, cases[i].field, cases[i].print);
		format_parse(text, &fmt);
		format_check(&fmt, false);
		EXPECT_EQ(cases[i].good, !fmt.fault) {
			TH_LOG("format %u: %s", i, fmt.fault ?: "no fault found");
		}
	}
	format_parse("name: x\nID: 7\nformat:\n", &fmt);
	EXPECT_NE(NULL, fmt.fault);
}

TEST(header_page)
{
	static const struct field fields[] = {
		{ " u64",	"timestamp",	0, 0, 8, 0 },
		{ " local_t",	"commit",	0, 8, 8, 1 },
		{ " int",	"overwrite",	0, 8, 1, 1 },
		{ " char",	"data",		0, 16, 0, 0 },
	};
	char *text = tfs_text("events/header_page");
	const char *p = text;
	struct field f;
	unsigned int i;
	int len;

	ASSERT_NE(NULL, text);
	for (i = 0; i < ARRAY_SIZE(fields); i++, p += len + 1) {
		len = strcspn(p, "\n");
		ASSERT_TRUE(parse_field(p, len, &f));
		EXPECT_STREQ(fields[i].type, f.type);
		EXPECT_STREQ(fields[i].name, f.name);
		EXPECT_EQ(fields[i].offset, f.offset);
		/* Whether char is signed depends on the architecture. */
		if (strcmp(f.name, "data"))
			EXPECT_EQ(fields[i].is_signed, f.is_signed);
		/* The data fill the rest of the sub-buffer, which is a page by default. */
		EXPECT_EQ(fields[i].size ?: sysconf(_SC_PAGESIZE) - 16, f.size);
	}
	EXPECT_EQ('\0', *p);
	free(text);
}

TEST(header_event)
{
	static const char * const lines[] = {
		"# compressed entry header\n",
		"\ttype_len    :    5 bits\n",
		"\ttime_delta  :   27 bits\n",
		"\tarray       :   32 bits\n",
		"\n",
		"\tpadding     : type == 29\n",
		"\ttime_extend : type == 30\n",
		"\ttime_stamp : type == 31\n",
		"\tdata max type_len  == 28\n",
	};
	char *text = tfs_text("events/header_event");
	const char *p = text;
	unsigned int i;

	ASSERT_NE(NULL, text);
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		ASSERT_EQ(0, strncmp(lines[i], p, strlen(lines[i]))) {
			TH_LOG("no \"%s\"", lines[i]);
		}
		p += strlen(lines[i]);
	}
	EXPECT_EQ('\0', *p);
	free(text);
}

/* Writes to these files fail. */
TEST(read_only)
{
	static const char * const files[] = {
		"events/sched/sched_switch/format", "events/sched/sched_switch/id",
		"events/header_page", "events/header_event", "available_events",
	};
	unsigned int i;
	int fd, err;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		/* Root may open any file for writing, but these have no write method. */
		fd = tfs_open(O_WRONLY, "%s", files[i]);
		err = fd < 0 ? fd : fd_write(fd, "1");
		EXPECT_EQ(-EINVAL, err) {
			TH_LOG("%s", files[i]);
		}
		if (fd >= 0)
			close(fd);
	}
}

TEST_HARNESS_MAIN
