# SPDX-License-Identifier: GPL-2.0
"""Send so many bytes over a vsock connection within this machine."""
import socket
import sys
import threading

COUNT = int(sys.argv[1])
LOCAL, PORT = 1, 7070


def send():
    with socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as end:
        end.connect((LOCAL, PORT))
        end.sendall(bytes(COUNT))


with socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as listener:
    listener.bind((socket.VMADDR_CID_ANY, PORT))
    listener.listen()
    sender = threading.Thread(target=send)
    sender.start()
    taken, _ = listener.accept()
    got = 0
    while more := taken.recv(65536):
        got += len(more)
    sender.join()
print(got)
sys.exit(got != COUNT)
