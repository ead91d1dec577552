// SPDX-License-Identifier: GPL-2.0
/* Words whose bits say that events of user space are recorded, and whether they tell the truth */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/user_events.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "act.h"
#include "user_events.h"

#define PAGE	4096UL
#define WORDS	16
/*
 * Words before this one are in memory that stays. Those from it on are in the next page, which
 * "memory" changes. A page that cannot be written follows.
 */
#define FIRST_LOOSE (WORDS / 2)
/* What the bits of a word are that no event has had */
#define PATTERN	0x5a5a5a5aa5a5a5a5ULL
/* Time for events to remove themselves */
#define SETTLE_USECS 20000

static char *pages;

static uint64_t *word_at(int number)
{
	number = (unsigned int)number % WORDS;
	return (uint64_t *)(pages + number / FIRST_LOOSE * PAGE) + number % FIRST_LOOSE;
}

static char *loose_page(void)
{
	return pages + PAGE;
}

/* Bits that are registered, or were; @event: "" if its name is not known */
#define MAX_BITS (4 * MAX_BATCH)
static struct bit {
	unsigned long addr;
	unsigned int bit;
	bool on;
	char event[USER_NAME];
} bits[MAX_BITS];
static int nr_bits;
/* Bits of the words that the kernel may have changed */
static uint64_t changed[FIRST_LOOSE];

/* Events that may vanish by themselves, if nothing uses them any more */
#define MAX_MADE 16
static char made[MAX_MADE][USER_NAME];
static int nr_made;
static bool any_made;

void user_made(const char *description, unsigned int flags)
{
	any_made = true;
	if (!(flags & USER_EVENT_REG_PERSIST) && nr_made < MAX_MADE)
		snprintf(made[nr_made++], USER_NAME, "%.*s", (int)strcspn(description, " "),
			 description);
}

void user_settle(void)
{
	if (any_made)
		usleep(SETTLE_USECS);
}

bool user_may_vanish(const char *line, size_t len, bool appears)
{
	int i;

	if (!nr_made)
		return false;
	if (memmem(line, len, "user_events_status Active:", 26) ||
	    memmem(line, len, "user_events_status Busy:", 24))
		return true;
	/* The files of an event that is gone show nothing. */
	if (appears && (len < 5 || strncmp(line + len - 5, " none", 5)))
		return false;
	for (i = 0; i < nr_made; i++) {
		if (memmem(line, len, made[i], strlen(made[i])))
			return true;
	}
	return false;
}

static long map_loose_page(void)
{
	return mmap(loose_page(), PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED ? -errno : 0;
}

static void reset_words(void)
{
	int i;

	for (i = 0; i < FIRST_LOOSE; i++)
		*word_at(i) = PATTERN;
	memset(changed, 0, sizeof(changed));
	nr_bits = 0;
}

void user_init(void)
{
	pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	user_constant(false);
	reset_words();
}

unsigned long user_address(const char *where)
{
	if (isdigit(*where))
		return (unsigned long)word_at(atoi(where));
	switch (*where) {
	case 'o':
		return (unsigned long)pages + 2;
	case 'c':
		return (unsigned long)pages + 2 * PAGE;
	case 'k':
		return -4096UL;
	default:
		return 0;
	}
}

char *user_constant(bool writable)
{
	char *at = pages + 2 * PAGE;
	int prot = writable ? PROT_READ | PROT_WRITE : PROT_READ;

	/* "fail" makes one allocation fail, which may be one of the first call. */
	if (mprotect(at, PAGE, prot) && mprotect(at, PAGE, prot)) {
		perror("mprotect");
		exit(2);
	}
	return at;
}

static bool is_lasting(unsigned long addr)
{
	return addr - (unsigned long)pages < PAGE;
}

void user_bit_changes(unsigned long addr, unsigned int bit, long ret, const char *event)
{
	struct bit *at = bits;

	bit &= 0xff;
	if (is_lasting(addr) && bit < 64)
		changed[(addr - (unsigned long)pages) / sizeof(uint64_t)] |=
			1ULL << (bit + addr % sizeof(uint64_t) * 8) % 64;
	while (at < bits + nr_bits && (at->addr != addr || at->bit != bit))
		at++;
	if (at == bits + MAX_BITS || ret)
		return;
	nr_bits += at == bits + nr_bits;
	at->addr = addr;
	at->bit = bit;
	at->on = event;
	snprintf(at->event, sizeof(at->event), "%s", event ?: "");
}

/* Does user_events_status say that something uses the event? */
static bool is_used(const char *status, const char *event)
{
	size_t len = strlen(event);

	for (; status; status = strchr(status, '\n'), status += !!status) {
		if (!strncmp(status, event, len) && !strncmp(status + len, " # Used by", 10))
			return true;
		if (!*status)
			break;
	}
	return false;
}

bool user_event_is_used(const char *event)
{
	char *status = file_text("user_events_status");
	bool used = status && is_used(status, strchr(event, ':') + 1);

	free(status);
	return used;
}

/* The number of the first word that is wrong, or -1. Sets @wanted to what it has to be. */
static int wrong_word(const char *status, uint64_t *wanted, int *nr)
{
	uint64_t unknown;
	struct bit *bit;
	int i;

	*nr = 0;
	for (i = 0; i < FIRST_LOOSE; i++) {
		unsigned long from = (unsigned long)word_at(i), known = 0;

		*wanted = PATTERN & ~changed[i];
		for (bit = bits; bit < bits + nr_bits; bit++) {
			uint64_t one = 1ULL << (bit->bit + (bit->addr - from) * 8) % 64;

			if (bit->addr - from >= sizeof(uint64_t) || (bit->on && !*bit->event))
				continue;
			known |= one;
			*nr += bit->on;
			if (bit->on && is_used(status, bit->event))
				*wanted |= one;
		}
		unknown = changed[i] & ~known;
		if ((__atomic_load_n(word_at(i), __ATOMIC_RELAXED) & ~unknown) != *wanted)
			return i;
	}
	return -1;
}

bool user_bits_are_right(void)
{
	int tries, wrong = -1, nr = 0;
	uint64_t wanted = 0;
	char *status;

	if (!nr_bits)
		return true;
	/* A bit whose page is not present is written a little later. */
	for (tries = 0; tries < 100; tries++) {
		status = file_text("user_events_status");
		wrong = status ? wrong_word(status, &wanted, &nr) : -1;
		free(status);
		if (wrong < 0)
			break;
		usleep(20000);
	}
	if (nr)
		compared(CHECK_BITS);
	if (wrong < 0)
		return true;
	printf("# word %d is %llx, not %llx\n", wrong, (unsigned long long)*word_at(wrong),
	       (unsigned long long)wanted);
	return false;
}

/* memory WHAT: change the page of the last words */
long act_memory(struct args *args)
{
	char *at = loose_page();

	switch (*args->word[1]) {
	case 'u':	/* unmap */
		return or_errno(munmap(at, PAGE));
	case 'r':	/* read-only */
		return or_errno(mprotect(at, PAGE, PROT_READ));
	case 'w':	/* writable */
		return or_errno(mprotect(at, PAGE, PROT_READ | PROT_WRITE));
	case 'd':	/* drop */
		return or_errno(madvise(at, PAGE, MADV_DONTNEED));
	case 'm':	/* move, and unmap it there */
		at = mremap(at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
		return at == MAP_FAILED ? -errno : or_errno(munmap(at, PAGE));
	default:	/* new */
		return map_loose_page();
	}
}

void user_undo(void)
{
	int fd = open("user_events_data", O_RDWR | O_CLOEXEC), i;

	for (i = 0; i < nr_bits; i++) {
		struct user_unreg reg = {
			.size = sizeof(reg),
			.disable_bit = bits[i].bit,
			.disable_addr = bits[i].addr,
		};

		ioctl(fd, DIAG_IOCSUNREG, &reg);
	}
	if (fd >= 0)
		close(fd);
	if (map_loose_page()) {
		perror("mmap");
		exit(2);
	}
	reset_words();
	nr_made = 0;
	any_made = false;
}
