"""Connected pairs of sockets where the sandbox refuses those of the system. `asyncio` needs one for each loop."""
import errno
import os
import socket


def connect_pair(family=None, type=socket.SOCK_STREAM, proto=0):  # noqa: A002, as in `socket.socketpair`
    """Returns two sockets that are connected through the loopback interface."""
    if family not in (None, socket.AF_UNIX, socket.AF_INET) or type & 0xF != socket.SOCK_STREAM:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with socket.create_server(('127.0.0.1', 0), backlog=1) as server:
        first = socket.create_connection(server.getsockname())
        second, address = server.accept()
    if address != first.getsockname():  # another program was faster
        first.close()
        second.close()
        raise ConnectionAbortedError(errno.ECONNABORTED, os.strerror(errno.ECONNABORTED))
    for each in (first, second):
        each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return first, second
