"""Executes a program restricted by Landlock: it can access only the given paths. Requires Linux 5.13 or later.

Arguments: the rules as JSON, then the program with its arguments. The JSON is an object:

- `programs`, `readable`, `writable`: paths; a folder includes its content, missing paths are ignored
- `hasNetwork`: whether the program may create internet sockets
- `isAlone`: whether the program may neither create nor signal other processes
- `isRoot`: whether the program is started as root, and will become another user itself
- `maxVersion`: the newest version of Landlock's interface to use, for tests; the system's version when absent
"""
import ctypes
import json
import os
import struct
import sys

if __name__ == '__main__':
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import privileges  # noqa: E402
import seccomp  # noqa: E402

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
MACHINES = ('x86_64', 'aarch64')
GET_VERSION, PATH_BENEATH = 1, 1
SET_NO_NEW_PRIVILEGES = 38  # of prctl

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
READ = READ_FILE | READ_DIR
ALL = (1 << 16) - 1
ALL_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}  # since these versions
SINCE_RENAMES, SINCE_NETWORK, SINCE_SCOPES = 2, 4, 6
BIND_AND_CONNECT, SOCKETS_AND_SIGNALS = 3, 3

DEVICES = ('/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom')
# Data about the machine and the process itself that libraries read.
SYSTEM_DATA = (
    *('/proc/self', '/proc/meminfo', '/proc/cpuinfo', '/proc/stat', '/proc/uptime', '/proc/loadavg'),
    *('/proc/sys/vm/overcommit_memory', '/sys/devices/system/cpu'),
)

TERMINALS = ('/dev/ptmx', '/dev/pts', '/dev/tty')

_libc = ctypes.CDLL(None, use_errno=True)


def main(description, program, *arguments):
    options = json.loads(description)
    version = min(_version(), options.get('maxVersion', 99))
    _call(_libc.prctl, SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _restrict(version, _allowed_paths(options), options['hasNetwork'])
    privileges.drop_capabilities(privileges.TO_LEAVE_ROOT if options.get('isRoot') else ())
    rules = seccomp.host_file_rules()
    if not options['hasNetwork']:
        rules += seccomp.network_rules()
    if options['isAlone']:
        rules += [*seccomp.run_rules(), *seccomp.process_rules(os.getpid())]
        rules += seccomp.in_flight_rules(options['hasNetwork'])
    seccomp.install_base(rules)
    os.environ.pop('LC_CTYPE', None)  # set by Python itself
    try:
        os.execv(program, [program, *arguments])
    except OSError as error:
        sys.exit(f'{program}: {error.strerror}')


def hold_box(temporary):
    """Restricts this process and its descendants in a box, where the kernel supports it; otherwise the box alone holds.

    Everything in a box may be read, and nothing but the temporary folder may be written: neither `/proc`, whose files
    belong to the process, nor `/sys`. The first version denies renaming between folders, which scripts need.
    """
    version = _libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), GET_VERSION)
    if os.uname().machine not in MACHINES or version < SINCE_RENAMES:
        return
    _call(_libc.prctl, SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    terminal = READ_FILE | WRITE_FILE | IOCTL_DEVICE
    paths = [(READ | EXECUTE, ['/']), (ALL, [temporary]), (READ_FILE | WRITE_FILE, DEVICES), (terminal, TERMINALS)]
    _restrict(version, paths, True)


def _version():
    return _system_call(CREATE_RULESET, None, ctypes.c_size_t(0), GET_VERSION)


def _allowed_paths(options):
    return [
        (READ | EXECUTE, options['programs']),
        (READ, [*options['readable'], *SYSTEM_DATA]),
        (ALL & ~EXECUTE, options['writable']),
        (READ_FILE | WRITE_FILE, DEVICES),
    ]


def _restrict(version, allowed_paths, has_network):
    """Applies the rules to this process and its descendants."""
    rights = ALL_RIGHTS[max(each for each in ALL_RIGHTS if each <= version)]
    parts = [rights]
    if version >= SINCE_NETWORK:
        parts.append(0 if has_network else BIND_AND_CONNECT)
    if version >= SINCE_SCOPES:
        parts.append(SOCKETS_AND_SIGNALS)
    handled = struct.pack(f'{len(parts)}Q', *parts)
    rules = _system_call(CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
    for allowed, paths in allowed_paths:
        for path in paths:
            _allow(rules, allowed & rights, path)
    _system_call(RESTRICT_SELF, rules, 0)
    os.close(rules)


def _allow(rules, allowed, path):
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # missing paths are ignored
    try:
        if not os.path.isdir(path):
            allowed &= FILE_RIGHTS
        _system_call(ADD_RULE, rules, PATH_BENEATH, struct.pack('=Qi', allowed, descriptor), 0)
    finally:
        os.close(descriptor)


def _system_call(number, *arguments):
    if os.uname().machine not in MACHINES:
        sys.exit('Landlock is not used on this kind of processor')
    return _call(_libc.syscall, number, *arguments)


def _call(function, *arguments):
    result = function(*arguments)
    if result < 0:
        code = ctypes.get_errno()
        sys.exit(f'Landlock does not work here: {os.strerror(code)}')
    return result


if __name__ == '__main__':
    main(*sys.argv[1:])
