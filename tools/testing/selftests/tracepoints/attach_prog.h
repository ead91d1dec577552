/* SPDX-License-Identifier: GPL-2.0 */
/* BPF programs that are assembled by hand, and the ways to attach them. */
#ifndef ATTACH_PROG_TEST_H
#define ATTACH_PROG_TEST_H

#include <linux/bpf.h>

#define INSN(c, d, s, o, i) \
	((struct bpf_insn) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOV_REG(d, s)		INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV_IMM(d, i)		INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ALU_IMM(op, d, i)	INSN(BPF_ALU64 | (op) | BPF_K, d, 0, 0, i)
#define LOAD(size, d, s, o)	INSN(BPF_LDX | BPF_MEM | (size), d, s, o, 0)
#define STORE(size, d, s, o)	INSN(BPF_STX | BPF_MEM | (size), d, s, o, 0)
#define STORE_IMM(size, d, o, i) INSN(BPF_ST | BPF_MEM | (size), d, 0, o, i)
#define ATOMIC_ADD(d, s, o)	INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define JUMP_IMM(op, d, i, o)	INSN(BPF_JMP | (op) | BPF_K, d, 0, o, i)
#define CALL(f)			INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT()			INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

#define VALUES 12

/* The element of its map that a program writes. */
struct seen {
	__u64 calls;
	__u64 val[VALUES];
};

/* bpf(2): its result, or -errno. All functions here that return an fd do the same. */
int sys_bpf(int cmd, union bpf_attr *attr);
int map_create(int type, int key, int value, int entries);
int map_lookup(int map, const void *key, void *value);
int map_update(int map, int key, int value);
int prog_load(int type, const struct bpf_insn *insns, int nr);

/* A program under construction; R6 holds its context. */
struct code {
	struct bpf_insn insn[96];
	int nr;
	int skip[4];
	int skips;
	int attach_type;	/* BPF_PROG_LOAD's expected_attach_type; 0: none */
};

#define code_put(code, ...) \
	code_append(code, (const struct bpf_insn[]) { __VA_ARGS__ }, \
		    sizeof((const struct bpf_insn[]) { __VA_ARGS__ }) / sizeof(struct bpf_insn))
void code_append(struct code *code, const struct bpf_insn *insn, int nr);
/* Begin a program that exits in other processes; leaves the pid of this one in R0. */
void code_begin(struct code *code);
/* Exit unless R0 is @value. */
void code_only_if(struct code *code, int value);
/* Load @map into @reg. */
void code_map(struct code *code, int reg, int map);
/* Load the address of element 0 of @map into R7. */
void code_element(struct code *code, int map);
/* Complete the program, which returns @result, and load it: an fd, or -errno. */
int code_load(struct code *code, int type, int result);

/* A value in the context: @size is BPF_B, BPF_H, BPF_W or BPF_DW. */
struct part {
	int size;
	int offset;
};

/**
 * struct spec - a program that counts its calls in this process and saves values
 * @type: BPF_PROG_TYPE_*
 * @attach_type: BPF_PROG_LOAD's expected_attach_type; 0: none
 * @match: if not 0, count only if the 8 bytes at offset @match_at of the context are @match
 * @match_at: offset in the context
 * @parts: number of values in @part
 * @part: values of the context that are saved
 * @func: if not 0, a helper that is called with the context; its return value is saved
 *	  after the parts
 * @result: return value of the program
 */
struct spec {
	int type;
	int attach_type;
	int match;
	int match_at;
	int parts;
	struct part part[VALUES];
	int func;
	int result;
};

struct prog {
	int fd;
	int map;
};

/* The fd is -errno if the program could not be loaded. */
struct prog prog_make(const struct spec *spec);
/* A program that only counts its calls, and returns 1, so that perf counts the event, too */
struct prog prog_counting(int type);
void prog_close(struct prog *prog);
struct seen seen_by(const struct prog *prog);
__u64 calls_of(const struct prog *prog);
/* The kernel's id of the program; 0 if the query fails */
__u32 prog_id(int fd);

/* Attach to a perf event by BPF_LINK_CREATE, or to a tracepoint by BPF_RAW_TRACEPOINT_OPEN. */
int link_perf(int prog, int event, __u64 cookie);
int raw_open(int prog, const char *name, __u64 cookie);
/* @name: buffer for the name of the tracepoint that the link is attached to */
int link_info(int fd, struct bpf_link_info *info, char *name, int len);
/* BPF_TASK_FD_QUERY: what the fd of process @pid is; @name gets the name of what it traces. */
int task_fd_query(int pid, int fd, union bpf_attr *attr, const void *name, int len);

/* A perf event of all tasks on CPU 0, for programs. It is opened disabled. */
int event_open(const char *system, const char *name);
int set_bpf(int event, int prog);

#endif
