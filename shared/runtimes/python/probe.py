"""Tries accesses that must fail in a sandbox, and prints those that succeed as JSON.

Arguments: a host process id; the folder that a script may write to; then `boxed` in a box, and `root` if the probe is
started as root. In a box, the probe restricts itself like a runner.
"""
import json
import os
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import landlock  # noqa: E402
import privileges  # noqa: E402
import seccomp  # noqa: E402


def read(path):
    with open(path, 'rb') as file:
        file.read(1)


def make_process():
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def open_setting():
    os.close(os.open('/proc/sys/fs/lease-break-time', os.O_WRONLY))


def write_back(path):
    """Writes what the file contains."""
    with open(path, 'r+b', 0) as file:
        value = file.read()
        file.seek(0)
        file.write(value)


def be_root(properties):
    """Succeeds if one of this process's users is root.

    Where root has made the sandbox, a user of this process may also be root for the namespace around its own. An
    ordinary user makes two namespaces, and has the number of root in one of them.
    """
    users = {*os.getresuid(), *os.getresgid()}
    if 'root' in properties:
        with open('/proc/self/uid_map', encoding='ascii') as file:
            ranges = [[int(each) for each in line.split()] for line in file]
        users |= {user - first + start for first, start, count in ranges for user in users if 0 <= user - first < count}
    if 0 not in users:
        raise PermissionError


def main(pid, temporary, properties):
    if 'root' in properties:
        privileges.leave_root()
    if 'boxed' in properties:
        landlock.hold_box(temporary)
        seccomp.install_base(seccomp.run_rules())
    open(os.path.join(temporary, 'probe'), 'w').close()  # otherwise no script could run
    attempts = {
        'files': lambda: read('/etc/passwd'),
        'environments': lambda: read(f'/proc/{pid}/environ'),
        'root': lambda: be_root(properties),
        'kernel settings': open_setting,
        'memory priority': lambda: write_back('/proc/self/oom_score_adj'),
        'signals': lambda: os.kill(pid, 0),
        'processes': make_process,
        'memory': lambda: os.memfd_create('memory'),
        'sockets of this machine': lambda: socket.socket(socket.AF_UNIX),
    }
    if 'boxed' in properties:
        del attempts['processes']  # they end with the box
    print(json.dumps([name for name, attempt in attempts.items() if succeeds(attempt)]))


def succeeds(attempt):
    try:
        attempt()
        return True
    except OSError:
        return False


main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
