# SPDX-License-Identifier: GPL-2.0
"""Do a little of all that tools trace: files, disks, processes, threads, sockets, signals ..."""
import ctypes
import gc
import mmap
import os
import pty
import shutil
import signal
import socket
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
PAGE = 4096


def files(where):
    os.makedirs(os.path.join(where, "dir"))
    first, second = (os.path.join(where, name) for name in ("first", "second"))
    with open(first, "w+b") as stream:
        stream.write(bytes(64 * PAGE))
        stream.flush()
        os.fsync(stream.fileno())
        os.fdatasync(stream.fileno())
        with mmap.mmap(stream.fileno(), PAGE) as mapped:
            mapped[0] = 1
            mapped.flush()
    with open(first, "rb") as stream:
        stream.read()
    try:
        os.stat(os.path.join(where, "none"))
    except FileNotFoundError:
        pass
    os.statvfs(where)
    os.rename(first, second)
    os.unlink(second)
    shutil.rmtree(where)
    os.sync()


def disk(device):
    stream = os.open(device, os.O_RDWR | os.O_DIRECT)
    block = mmap.mmap(-1, 16 * PAGE)
    for _ in range(4):
        os.readv(stream, [block])
    os.pwritev(stream, [block], 0)
    os.fsync(stream)
    os.close(stream)


def mounts(where):
    os.mkdir(where)
    LIBC.mount(b"none", where.encode(), b"tmpfs", 0, None)
    LIBC.umount2(where.encode(), 0)
    os.rmdir(where)


def processes():
    for _ in range(3):
        os.waitpid(os.posix_spawn("/bin/true", ["true"], os.environ), 0)
    os.kill(os.getpid(), 0)
    signal.signal(signal.SIGUSR1, lambda *_: None)
    os.kill(os.getpid(), signal.SIGUSR1)
    os.setuid(os.getuid())
    LIBC.setfsuid(0)
    for _ in range(3):
        thread = threading.Thread(target=time.sleep, args=(0.01,))
        thread.start()
        thread.join()
    memory = LIBC.shmget(0, PAGE, 0o1600)
    LIBC.shmat.restype = ctypes.c_void_p
    LIBC.shmdt(ctypes.c_void_p(LIBC.shmat(memory, None, 0)))
    LIBC.shmctl(memory, 0, None)
    gc.collect()


def sockets():
    socket.getaddrinfo("localhost", 80)
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    peer, _ = server.accept()
    for _ in range(10):
        client.sendall(bytes(1000))
        peer.recv(10000)
    client.close()
    peer.close()
    server.close()
    # Nobody listens there.
    try:
        socket.create_connection(("127.0.0.1", 9))
    except ConnectionRefusedError:
        pass
    one, other = socket.socketpair()
    socket.send_fds(one, [b"text"], [0])
    socket.recv_fds(other, 10, 1)


def shell():
    """A line that an interactive shell reads"""
    pid, stream = pty.fork()
    if not pid:
        os.execv("/bin/bash", ["bash", "--norc", "-i"])
    os.write(stream, b"exit\n")
    try:
        while os.read(stream, PAGE):
            pass
    except OSError:
        pass
    os.waitpid(pid, 0)


files("/tmp/work")
disk("/dev/loop0")
mounts("/tmp/mounted")
processes()
sockets()
shell()
