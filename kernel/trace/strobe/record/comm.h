/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names and thread groups of tasks that appear in records.
 *
 * A record identifies its task only by pid. This cache holds the comm (and, on
 * demand, the tgid) of the tasks that ran while events were being recorded, so
 * that readers can print them.
 */
#ifndef _STROBE_RECORD_COMM_H
#define _STROBE_RECORD_COMM_H

#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/types.h>

struct comm_cpu;
struct strobe_ring;

/* What a recorder saves of a task. */
enum comm_what {
	COMM_NAMES,
	COMM_TGIDS,
	COMM_NR,
};

/**
 * struct comm_recorder - saves names and thread groups for one instance
 * @ring:    the instance's ring; tasks are saved only if it has new records
 * @users:   number of users of each enum comm_what (comm_mutex)
 * @changes: changes of the ring, see comm.c: strobe_comm_change_begin()
 * @cpus:    what is known of each CPU
 */
struct comm_recorder {
	struct strobe_ring		*ring;
	unsigned int			users[COMM_NR];
	atomic64_t			changes;
	struct comm_cpu __percpu	*cpus;
};

int strobe_comm_recorder_init(struct comm_recorder *rec, struct strobe_ring *ring);
void strobe_comm_recorder_destroy(struct comm_recorder *rec);
int strobe_comm_record_start(struct comm_recorder *rec, enum comm_what what);
void strobe_comm_record_stop(struct comm_recorder *rec, enum comm_what what);
void strobe_comm_change_begin(struct comm_recorder *rec);
void strobe_comm_change_end(struct comm_recorder *rec);
void strobe_comm_record_add(struct comm_recorder *rec, enum comm_what what, int more);
void strobe_comm_save_running(enum comm_what what);

/* Any context. */
void strobe_comm_lookup(int pid, char comm[TASK_COMM_LEN]);
int strobe_tgid_lookup(int pid);

/*
 * Iteration for saved_cmdlines and saved_tgids. *@pos starts at 0; each call
 * that returns true fills in one pair and moves *@pos past it.
 */
bool strobe_comm_iter_next(unsigned int *pos, int *pid, char comm[TASK_COMM_LEN]);
bool strobe_tgid_iter_next(unsigned int *pos, int *pid, int *tgid);

unsigned int strobe_comm_cache_size(void);
int strobe_comm_cache_resize(unsigned int slots);

#endif /* _STROBE_RECORD_COMM_H */
