"""Executes a program restricted by Landlock: it can access only the given paths. Requires Linux 5.13 or later.

Arguments: the rules as JSON, then the program with its arguments. The JSON is an object:

- `programs`, `readable`, `writable`: paths; a folder includes its content, missing paths are ignored
- `hasNetwork`: whether the program may create internet sockets
- `isAlone`: whether the program may neither create nor signal other processes
- `maxVersion`: the newest version of Landlock's interface to use, for tests; the system's version when absent
"""
import ctypes
import json
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import seccomp  # noqa: E402

CREATE_RULESET, ADD_RULE, RESTRICT_SELF, SET_CAPABILITIES = range(4)
NUMBERS = {'x86_64': (444, 445, 446, 126), 'aarch64': (444, 445, 446, 91)}
GET_VERSION, PATH_BENEATH = 1, 1
SET_NO_NEW_PRIVILEGES, DROP_BOUNDING = 38, 24  # of prctl
CAPABILITIES_VERSION = 0x20080522
LAST_CAPABILITY = 63

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
READ = READ_FILE | READ_DIR
ALL_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}  # since these versions
SINCE_NETWORK, SINCE_SCOPES = 4, 6
BIND_AND_CONNECT, SOCKETS_AND_SIGNALS = 3, 3

DEVICES = ('/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom')
# Data about the machine and the process itself that libraries read.
SYSTEM_DATA = (
    *('/proc/self', '/proc/meminfo', '/proc/cpuinfo', '/proc/stat', '/proc/uptime', '/proc/loadavg'),
    *('/proc/sys/vm/overcommit_memory', '/sys/devices/system/cpu'),
)

_libc = ctypes.CDLL(None, use_errno=True)


def main(description, program, *arguments):
    options = json.loads(description)
    version = min(_version(), options.get('maxVersion', 99))
    _call(_libc.prctl, SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _restrict(version, options)
    _drop_capabilities()
    rules = [*seccomp.base_rules(), *seccomp.host_file_rules()]
    if not options['hasNetwork']:
        rules += seccomp.network_rules()
    if options['isAlone']:
        rules += [*seccomp.memory_rules(), *seccomp.process_rules(os.getpid())]
    seccomp.install_filter(rules)
    os.environ.pop('LC_CTYPE', None)  # set by Python itself
    try:
        os.execv(program, [program, *arguments])
    except OSError as error:
        sys.exit(f'{program}: {error.strerror}')


def _version():
    return _system_call(CREATE_RULESET, None, ctypes.c_size_t(0), GET_VERSION)


def _restrict(version, options):
    """Applies the rules to this process and its descendants."""
    rights = ALL_RIGHTS[max(each for each in ALL_RIGHTS if each <= version)]
    parts = [rights]
    if version >= SINCE_NETWORK:
        parts.append(0 if options['hasNetwork'] else BIND_AND_CONNECT)
    if version >= SINCE_SCOPES:
        parts.append(SOCKETS_AND_SIGNALS)
    handled = struct.pack(f'{len(parts)}Q', *parts)
    rules = _system_call(CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
    for allowed, paths in [
        (READ | EXECUTE, options['programs']),
        (READ, [*options['readable'], *SYSTEM_DATA]),
        (rights & ~EXECUTE, options['writable']),
        (READ_FILE | WRITE_FILE, DEVICES),
    ]:
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


def _drop_capabilities():
    """Drops all capabilities, so that root is restricted like other users."""
    for capability in range(LAST_CAPABILITY + 1):
        _libc.prctl(DROP_BOUNDING, capability, 0, 0, 0)  # fails for unknown capabilities and without permission
    _system_call(SET_CAPABILITIES, struct.pack('Ii', CAPABILITIES_VERSION, 0), bytes(24))


def _system_call(name, *arguments):
    numbers = NUMBERS.get(os.uname().machine)
    if numbers is None:
        sys.exit('Landlock is not used on this kind of processor')
    return _call(_libc.syscall, numbers[name], *arguments)


def _call(function, *arguments):
    result = function(*arguments)
    if result < 0:
        code = ctypes.get_errno()
        sys.exit(f'Landlock does not work here: {os.strerror(code)}')
    return result


if __name__ == '__main__':
    main(*sys.argv[1:])
