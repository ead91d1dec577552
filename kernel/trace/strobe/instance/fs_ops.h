/* SPDX-License-Identifier: GPL-2.0 */
/* Internal to instance/: calling the callbacks of fs/; see struct instance_fs_ops. */
#ifndef _STROBE_INSTANCE_FS_OPS_H
#define _STROBE_INSTANCE_FS_OPS_H

struct trace_array;
struct trace_event_file;

int fs_event_file_added(struct trace_event_file *file);
void fs_event_file_removed(struct trace_event_file *file);
int fs_instance_added(struct trace_array *tr);
void fs_instance_removed(struct trace_array *tr);

int instance_make_ring(struct trace_array *tr, size_t bytes);

#endif /* _STROBE_INSTANCE_FS_OPS_H */
