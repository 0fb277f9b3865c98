"""Tries what a script must not be able to do, and prints as JSON what works. Argument: a process of the host."""
import json
import os
import socket
import sys


def read(path):
    with open(path, 'rb') as file:
        file.read(1)


def make_process():
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def main(pid):
    tries = {
        'files': lambda: read('/etc/passwd'),
        'environments': lambda: read(f'/proc/{pid}/environ'),
        'signals': lambda: os.kill(pid, 0),
        'processes': make_process,
        'memory': lambda: os.memfd_create('memory'),
        'sockets of this machine': lambda: socket.socket(socket.AF_UNIX),
    }
    print(json.dumps([name for name, attempt in tries.items() if works(attempt)]))


def works(attempt):
    try:
        attempt()
        return True
    except OSError:
        return False


main(int(sys.argv[1]))
