#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print messages and queued requests from files of blktrace, each with its cgroup's number.

usage: blkrecords.py FILE...

Debian's blkparse does not know records with a cgroup, and ignores them.
"""
import struct
import sys

RECORD = struct.Struct("<IIQQIIIIIHH")  # struct blk_io_trace
MAGIC = 0x65617407
CGROUP, NOTIFY, WRITE = 1 << 8, 1 << 26, 1 << 17
QUEUE, MESSAGE = 1, 2

for path in sys.argv[1:]:
    with open(path, "rb") as stream:
        data = stream.read()
    at = 0
    while at < len(data):
        magic, _, _, sector, size, action, _, _, _, _, more = RECORD.unpack_from(data, at)
        if magic != MAGIC:
            sys.exit(f"{path}: no record at {at}")
        pdu = data[at + RECORD.size:at + RECORD.size + more]
        at += RECORD.size + more
        group = "none"
        if action & CGROUP:
            group = struct.unpack_from("<Q", pdu)[0]
            pdu = pdu[8:]
        if action & NOTIFY and action & 0xff == MESSAGE:
            print(f"message in cgroup {group}: {pdu.decode()}")
        elif not action & NOTIFY and action & 0xff == QUEUE:
            print(f"queued in cgroup {group}: {'W' if action & WRITE else 'R'} {sector} + {size // 512}")
