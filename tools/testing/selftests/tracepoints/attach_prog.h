/* SPDX-License-Identifier: GPL-2.0 */
/* BPF programs that are put together by hand, and the ways to attach them. */
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

/* What a program leaves in its map. */
struct seen {
	__u64 calls;
	__u64 val[VALUES];
};

/* bpf(2); what it returns, or -errno. So do all here that return an fd. */
int sys_bpf(int cmd, union bpf_attr *attr);
int map_create(int type, int key, int value, int entries);
int map_lookup(int map, const void *key, void *value);
int prog_load(int type, const struct bpf_insn *insns, int nr);

/* A program that is being put together; R6 is its context. */
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
/* All that comes next is only for this process, whose pid is in R0. */
void code_begin(struct code *code);
/* All that comes next is only if R0 is @value. */
void code_only_if(struct code *code, int value);
/* @reg is @map. */
void code_map(struct code *code, int reg, int map);
/* R7 is where element 0 of @map lies. */
void code_element(struct code *code, int map);
/* The end of it: as prog_load() */
int code_load(struct code *code, int type, int result);

/* One value of a context: @size is BPF_W and so on, @offset where it is. */
struct part {
	int size;
	int offset;
};

/**
 * struct spec - a program that counts its calls by this process, and looks around
 * @type: BPF_PROG_TYPE_*
 * @attach_type: BPF_PROG_LOAD's expected_attach_type; 0: none
 * @match: if not 0, only if the 8 bytes at @match_at of the context are this
 * @part:  what it keeps of the context, @parts of them
 * @func:  if not 0, this function of one argument is called with the context, and
 *	   what it returns is kept behind the parts
 * @result: what the program returns
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

/* fd is -errno if it could not be loaded. */
struct prog prog_make(const struct spec *spec);
void prog_close(struct prog *prog);
struct seen seen_by(const struct prog *prog);
__u64 calls_of(const struct prog *prog);
/* The kernel's number of it; 0 if it has none */
__u32 prog_id(int fd);

/* By BPF_LINK_CREATE, on an event of perf; by BPF_RAW_TRACEPOINT_OPEN */
int link_perf(int prog, int event, __u64 cookie);
int raw_open(int prog, const char *name, __u64 cookie);
/* @name: where the name goes that the kernel has for what the link is on */
int link_info(int fd, struct bpf_link_info *info, char *name, int len);

/* An event of perf to hang a program on; it counts on CPU 0 once it is switched on. */
int event_open(const char *system, const char *name);
int set_bpf(int event, int prog);

#endif
