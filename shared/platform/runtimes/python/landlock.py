"""Starts a program that Landlock holds: it reads and writes what is named, and nothing else. Linux 5.13 and later.

Arguments: what it may do, as JSON, then the program with its own arguments. The JSON is an object:

- `programs`, `readable`, `writable`: paths, of folders with all that is in them; what is not there is passed over
- `hasNetwork`: whether it may make sockets of the internet protocols
- `isAlone`: whether it may neither make nor signal other processes
- `maxVersion`: the newest version of Landlock's interface to use, for tests; the system's own when absent
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
GET_VERSION, BELOW_PATH = 1, 1
SET_NO_NEW_PRIVILEGES, DROP_BOUNDING = 38, 24  # of prctl
CAPABILITIES_VERSION = 0x20080522
LAST_CAPABILITY = 63

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
READ = READ_FILE | READ_DIR
ALL_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}  # since these versions
SINCE_NETWORK, SINCE_SCOPES = 4, 6
BIND_AND_CONNECT, SOCKETS_AND_SIGNALS = 3, 3

DEVICES = ('/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom')
# What libraries ask about the machine, and a process about itself.
ABOUT = (
    *('/proc/self', '/proc/meminfo', '/proc/cpuinfo', '/proc/stat', '/proc/uptime', '/proc/loadavg'),
    *('/proc/sys/vm/overcommit_memory', '/sys/devices/system/cpu'),
)

_libc = ctypes.CDLL(None, use_errno=True)


def main(description, program, *arguments):
    given = json.loads(description)
    version = min(_version(), given.get('maxVersion', 99))
    _call(_libc.prctl, SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _enclose(version, given)
    _drop_capabilities()
    rules = [*seccomp.everywhere(), *seccomp.host_files()]
    if not given['hasNetwork']:
        rules += seccomp.no_network()
    if given['isAlone']:
        rules += [*seccomp.memory(), *seccomp.alone(os.getpid())]
    seccomp.close_calls(rules)
    os.environ.pop('LC_CTYPE', None)  # of Python's own making
    try:
        os.execv(program, [program, *arguments])
    except OSError as error:
        sys.exit(f'{program}: {error.strerror}')


def _version():
    return _system_call(CREATE_RULESET, None, ctypes.c_size_t(0), GET_VERSION)


def _enclose(version, given):
    """From now on this process and all below it are held."""
    rights = ALL_RIGHTS[max(each for each in ALL_RIGHTS if each <= version)]
    parts = [rights]
    if version >= SINCE_NETWORK:
        parts.append(0 if given['hasNetwork'] else BIND_AND_CONNECT)
    if version >= SINCE_SCOPES:
        parts.append(SOCKETS_AND_SIGNALS)
    handled = struct.pack(f'{len(parts)}Q', *parts)
    rules = _system_call(CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
    for allowed, paths in [
        (READ | EXECUTE, given['programs']),
        (READ, [*given['readable'], *ABOUT]),
        (rights & ~EXECUTE, given['writable']),
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
        return  # it is not there
    try:
        if not os.path.isdir(path):
            allowed &= OF_FILES
        _system_call(ADD_RULE, rules, BELOW_PATH, struct.pack('=Qi', allowed, descriptor), 0)
    finally:
        os.close(descriptor)


def _drop_capabilities():
    """Root without them is held as others are."""
    for capability in range(LAST_CAPABILITY + 1):
        _libc.prctl(DROP_BOUNDING, capability, 0, 0, 0)  # fails where there is no such one, or no right to
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
