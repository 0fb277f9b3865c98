"""Tries all commands and options that the kernel may have, in a script. Prints those that reach the kernel as JSON.

All calls are made without a descriptor, so that they have no effect where the filter permits them."""
import ctypes
import errno
import json
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
FCNTL, IOCTL, PRCTL, SETSOCKOPT, SOCKET, SOCKETPAIR = {
    'x86_64': (72, 16, 157, 54, 41, 53),
    'aarch64': (25, 29, 167, 208, 198, 199),
}[platform.machine()]
NOTHING = -1


def error_of(*call):
    """Returns the name of the error; None for success."""
    result = libc.syscall(*call)
    if result < 0:
        return errno.errorcode.get(ctypes.get_errno(), '?')
    if call[0] == SOCKET:
        os.close(result)
    return None


def reached(calls, *refusals):
    """Returns the descriptions of those calls that fail with another error, or succeed."""
    return [description for description, call in calls if error_of(*call) not in refusals]


def ioctl_commands():
    """Yields all commands of the old form, and those of the new form with usual kinds and sizes."""
    yield from range(0x10000)
    for kind in (0x12, 0x54, 0x58, 0x66, 0x6D, 0x6E, 0x76, 0x89, 0x94, 0xB7, 0xF5):
        for number in range(256):
            for size in (1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 56, 60, 64, 80, 96, 128, 256, 512, 1024, 4096):
                for direction in (1, 2, 3):
                    yield direction << 30 | size << 16 | kind << 8 | number


families = [family for family in range(64) if error_of(SOCKET, family, 2, 0) != 'EACCES']
internet = [(kind, protocol) for kind in range(1, 11) for protocol in range(300)]
calls = {'absent': ARGS['absent'], 'refused': ARGS['refused']}
print(json.dumps({
    'fcntl': reached([(each, (FCNTL, NOTHING, each, 0)) for each in range(5000)], 'EPERM'),
    'ioctl': reached(((each, (IOCTL, NOTHING, each, 0)) for each in ioctl_commands()), 'EPERM'),
    'prctl': reached([(each, (PRCTL, each, 0, 0, 0, 0)) for each in range(300)], 'EPERM'),
    'options': reached(
        [((level, each), (SETSOCKOPT, NOTHING, level, each, 0, 0)) for level in range(300) for each in range(300)],
        'ENOPROTOOPT',
    ),
    'families': families,
    'netlink': reached([(each, (SOCKET, 16, 3, each)) for each in range(64)], 'EACCES'),
    'internet': reached([(each, (SOCKET, 2, *each)) for each in internet], 'EACCES'),
    'pairs': reached([(each, (SOCKETPAIR, each, 1, 0, 0)) for each in range(64)], 'EACCES'),
    'absent': reached(
        [(name, (number, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING)) for name, number in calls['absent']], 'ENOSYS',
    ),
    'refused': reached(
        [(name, (number, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING)) for name, number in calls['refused']], 'EPERM',
    ),
}))
