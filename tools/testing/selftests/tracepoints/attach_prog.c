// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach.h"
#include "attach_prog.h"

int sys_bpf(int cmd, union bpf_attr *attr)
{
	int ret = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

int map_create(int type, int key, int value, int entries)
{
	union bpf_attr attr = {
		.map_type = type,
		.key_size = key,
		.value_size = value,
		.max_entries = entries,
	};

	return sys_bpf(BPF_MAP_CREATE, &attr);
}

int map_lookup(int map, const void *key, void *value)
{
	union bpf_attr attr = {
		.map_fd = map,
		.key = (__u64)(unsigned long)key,
		.value = (__u64)(unsigned long)value,
	};

	return sys_bpf(BPF_MAP_LOOKUP_ELEM, &attr);
}

int map_update(int map, int key, int value)
{
	union bpf_attr attr = {
		.map_fd = map,
		.key = (__u64)(unsigned long)&key,
		.value = (__u64)(unsigned long)&value,
	};

	return sys_bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static int prog_load_as(int type, int attach_type, const struct bpf_insn *insns, int nr)
{
	union bpf_attr attr = {
		.prog_type = type,
		.expected_attach_type = attach_type,
		.insns = (__u64)(unsigned long)insns,
		.insn_cnt = nr,
		.license = (__u64)(unsigned long)"GPL",
	};

	return sys_bpf(BPF_PROG_LOAD, &attr);
}

int prog_load(int type, const struct bpf_insn *insns, int nr)
{
	return prog_load_as(type, 0, insns, nr);
}

struct prog prog_counting(int type)
{
	const struct spec spec = { .type = type, .result = 1 };

	return prog_make(&spec);
}

void prog_close(struct prog *prog)
{
	close(prog->fd);
	close(prog->map);
}

void code_append(struct code *code, const struct bpf_insn *insn, int nr)
{
	assert(code->nr + nr <= (int)(sizeof(code->insn) / sizeof(*insn)));
	memcpy(&code->insn[code->nr], insn, nr * sizeof(*insn));
	code->nr += nr;
}

/* Append a jump to the end, taken if the comparison @op of R0 with @value holds. */
static void code_skip(struct code *code, int op, int value)
{
	assert(code->skips < (int)(sizeof(code->skip) / sizeof(*code->skip)));
	code->skip[code->skips++] = code->nr;
	code_put(code, JUMP_IMM(op, 0, value, 0));
}

void code_only_if(struct code *code, int value)
{
	code_skip(code, BPF_JNE, value);
}

void code_begin(struct code *code)
{
	code->nr = 0;
	code->skips = 0;
	code->attach_type = 0;
	code_put(code, MOV_REG(6, 1), CALL(BPF_FUNC_get_current_pid_tgid),
		 ALU_IMM(BPF_RSH, 0, 32));
	code_only_if(code, getpid());
}

void code_map(struct code *code, int reg, int map)
{
	code_put(code, INSN(BPF_LD | BPF_DW | BPF_IMM, reg, BPF_PSEUDO_MAP_FD, 0, map),
		 INSN(0, 0, 0, 0, 0));
}

void code_element(struct code *code, int map)
{
	code_put(code, STORE_IMM(BPF_W, 10, -4, 0), MOV_REG(2, 10), ALU_IMM(BPF_ADD, 2, -4));
	code_map(code, 1, map);
	code_put(code, CALL(BPF_FUNC_map_lookup_elem));
	code_skip(code, BPF_JEQ, 0);
	code_put(code, MOV_REG(7, 0));
}

int code_load(struct code *code, int type, int result)
{
	while (code->skips) {
		int at = code->skip[--code->skips];

		code->insn[at].off = code->nr - at - 1;
	}
	code_put(code, MOV_IMM(0, result), EXIT());
	return prog_load_as(type, code->attach_type, code->insn, code->nr);
}

struct prog prog_make(const struct spec *spec)
{
	struct prog prog = { .map = map_create(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct seen), 1) };
	struct code code;
	int i;

	code_begin(&code);
	code.attach_type = spec->attach_type;
	if (spec->match) {
		code_put(&code, LOAD(BPF_DW, 0, 6, spec->match_at));
		code_only_if(&code, spec->match);
	}
	code_element(&code, prog.map);
	code_put(&code, MOV_IMM(1, 1), ATOMIC_ADD(7, 1, 0));
	for (i = 0; i < spec->parts; i++)
		code_put(&code, LOAD(spec->part[i].size, 1, 6, spec->part[i].offset),
			 STORE(BPF_DW, 7, 1, offsetof(struct seen, val[i])));
	if (spec->func)
		code_put(&code, MOV_REG(1, 6), CALL(spec->func),
			 STORE(BPF_DW, 7, 0, offsetof(struct seen, val[i])));
	prog.fd = code_load(&code, spec->type, spec->result);
	return prog;
}

struct seen seen_by(const struct prog *prog)
{
	struct seen seen = { .calls = -1 };
	__u32 key = 0;

	map_lookup(prog->map, &key, &seen);
	return seen;
}

__u64 calls_of(const struct prog *prog)
{
	return seen_by(prog).calls;
}

__u32 prog_id(int fd)
{
	struct bpf_prog_info info = { };
	union bpf_attr attr = {
		.info = {
			.bpf_fd = fd,
			.info_len = sizeof(info),
			.info = (__u64)(unsigned long)&info,
		},
	};

	return sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) ? 0 : info.id;
}

int link_info(int fd, struct bpf_link_info *info, char *name, int len)
{
	union bpf_attr attr = {
		.info = {
			.bpf_fd = fd,
			.info_len = sizeof(*info),
			.info = (__u64)(unsigned long)info,
		},
	};
	int ret;

	memset(info, 0, sizeof(*info));
	ret = sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	if (ret)
		return ret;
	if (info->type == BPF_LINK_TYPE_PERF_EVENT) {
		info->perf_event.tracepoint.tp_name = (__u64)(unsigned long)name;
		info->perf_event.tracepoint.name_len = len;
	} else {
		info->raw_tracepoint.tp_name = (__u64)(unsigned long)name;
		info->raw_tracepoint.tp_name_len = len;
	}
	return sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

int task_fd_query(int pid, int fd, union bpf_attr *attr, const void *name, int len)
{
	memset(attr, 0, sizeof(*attr));
	attr->task_fd_query.pid = pid;
	attr->task_fd_query.fd = fd;
	attr->task_fd_query.buf = (__u64)(unsigned long)name;
	attr->task_fd_query.buf_len = len;
	return sys_bpf(BPF_TASK_FD_QUERY, attr);
}

int link_perf(int prog, int event, __u64 cookie)
{
	union bpf_attr attr = {
		.link_create = {
			.prog_fd = prog,
			.target_fd = event,
			.attach_type = BPF_PERF_EVENT,
			.perf_event.bpf_cookie = cookie,
		},
	};

	return sys_bpf(BPF_LINK_CREATE, &attr);
}

int raw_open(int prog, const char *name, __u64 cookie)
{
	union bpf_attr attr = {
		.raw_tracepoint = {
			.name = (__u64)(unsigned long)name,
			.prog_fd = prog,
			.cookie = cookie,
		},
	};

	return sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

int event_open(const char *system, const char *name)
{
	struct perf_event_attr attr = attach_attr(system, name, 0);

	return attach_open(&attr, -1, 0);
}

int set_bpf(int event, int prog)
{
	return ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) < 0 ? -errno : 0;
}
