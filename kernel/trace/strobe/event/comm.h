/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names and thread groups of tasks that appear in records.
 *
 * A record holds a pid and nothing else of its task. This cache keeps the
 * comm (and, on demand, the tgid) of the tasks that ran while events were
 * being recorded, so that readers can print them.
 */
#ifndef _STROBE_EVENT_COMM_H
#define _STROBE_EVENT_COMM_H

#include <linux/sched.h>
#include <linux/types.h>

struct strobe_ring;

/* What a recorder keeps. */
enum comm_what {
	COMM_NAMES,
	COMM_TGIDS,
	COMM_NR,
};

/**
 * struct comm_recorder - what one instance wants recorded of its tasks
 * @ring:  the ring whose growth shows that a task had something recorded
 * @users: how many times each of enum comm_what is wanted (comm_mutex)
 * @marks: each CPU's position in @ring when tasks were recorded last
 */
struct comm_recorder {
	struct strobe_ring	*ring;
	unsigned int		users[COMM_NR];
	u64 __percpu		*marks;
};

int comm_recorder_init(struct comm_recorder *rec, struct strobe_ring *ring);
void comm_recorder_destroy(struct comm_recorder *rec);
int comm_record_start(struct comm_recorder *rec, enum comm_what what);
void comm_record_stop(struct comm_recorder *rec, enum comm_what what);
void comm_recorder_forget(struct comm_recorder *rec);
void comm_record_add(struct comm_recorder *rec, enum comm_what what, int more);

/* Any context. */
void comm_lookup(int pid, char comm[TASK_COMM_LEN]);
int tgid_lookup(int pid);

/*
 * Iteration for saved_cmdlines and saved_tgids. *@pos starts at 0; each call
 * that returns true fills in one pair and leaves *@pos past it.
 */
bool comm_iter_next(unsigned int *pos, int *pid, char comm[TASK_COMM_LEN]);
bool tgid_iter_next(unsigned int *pos, int *pid, int *tgid);

unsigned int comm_cache_size(void);
int comm_cache_resize(unsigned int slots);

#endif /* _STROBE_EVENT_COMM_H */
