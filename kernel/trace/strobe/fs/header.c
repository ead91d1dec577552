// SPDX-License-Identifier: GPL-2.0
/*
 * events/header_page and events/header_event: the layout of sub-buffers and record
 * headers, for tools that parse the data of trace_pipe_raw.
 */
#include <linux/compiler.h>
#include <linux/overflow.h>
#include <linux/seq_file.h>

#include "fs/fs.h"
#include "ring/format.h"

static void show_page_field(struct seq_file *m, const char *decl,
			    size_t offset, size_t size, bool is_signed)
{
	seq_printf(m, "\tfield: %s;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n",
		   decl, offset, size, is_signed);
}

static int header_page_show(struct seq_file *m, void *unused)
{
	const struct fs_view *view = m->private;
	const struct strobe_subbuf *subbuf;
	const size_t head = STROBE_SUBBUF_HEADER;

	seq_printf(m, "\tfield: u64 timestamp;\toffset:0;\tsize:%zu;\tsigned:%d;\n",
		   sizeof(subbuf->time_stamp), is_signed_type(u64));
	show_page_field(m, "local_t commit", offsetof(struct strobe_subbuf, commit),
			sizeof(subbuf->commit), is_signed_type(long));
	/* ABI: stands for the flags of lost records in the upper bits of commit. */
	show_page_field(m, "int overwrite", offsetof(struct strobe_subbuf, commit),
			1, is_signed_type(long));
	show_page_field(m, "char data", head,
			strobe_ring_subbuf_bytes(view->tr->ring) - head,
			is_signed_type(char));
	return 0;
}

STROBE_FS_SHOW(header_page, NULL);

static int header_event_show(struct seq_file *m, void *unused)
{
	seq_printf(m,
		   "# compressed entry header\n"
		   "\ttype_len    :%5d bits\n\ttime_delta  :%5d bits\n"
		   "\tarray       :%5zu bits\n\n"
		   "\tpadding     : type == %d\n\ttime_extend : type == %d\n"
		   "\ttime_stamp : type == %d\n\tdata max type_len  == %d\n",
		   32 - STROBE_RECORD_DELTA_BITS, STROBE_RECORD_DELTA_BITS,
		   BITS_PER_BYTE * sizeof_field(struct strobe_record, array[0]),
		   STROBE_RECORD_PADDING, STROBE_RECORD_TIME_EXTEND,
		   STROBE_RECORD_TIME_STAMP, STROBE_RECORD_DATA_MAX);
	return 0;
}

STROBE_FS_SHOW(header_event, NULL);
