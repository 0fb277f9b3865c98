"""Gives up the privileges of root permanently. Linux only."""
import ctypes
import os
import struct
import sys

NOBODY = 65534  # also in ../node/leave-root.cjs
SET_DEATH_SIGNAL, GET_DEATH_SIGNAL, DROP_BOUNDING = 1, 2, 24  # of prctl
SET_CAPABILITIES = {'x86_64': 126, 'aarch64': 91}
CAPABILITIES_VERSION = 0x20080522
LAST_CAPABILITY = 63
TO_LEAVE_ROOT = (6, 7)  # CAP_SETGID and CAP_SETUID: for a program that calls `leave_root`

_libc = ctypes.CDLL(None, use_errno=True)


def leave_root():
    """Makes this process one of another user of the kernel, without groups. Exits if it cannot.

    The kernel drops its capabilities with the user.
    """
    death_signal = ctypes.c_int()
    _libc.prctl(GET_DEATH_SIGNAL, ctypes.byref(death_signal), 0, 0, 0)
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError as error:
        sys.exit(f'root cannot become another user here: {error.strerror}')
    _libc.prctl(SET_DEATH_SIGNAL, death_signal, 0, 0, 0)  # reset with the user


def drop_capabilities(kept=()):
    """Drops all capabilities except some, so that root is restricted like other users."""
    for capability in range(LAST_CAPABILITY + 1):
        if capability not in kept:
            _libc.prctl(DROP_BOUNDING, capability, 0, 0, 0)  # fails for unknown capabilities and without permission
    mask = sum(1 << each for each in kept)
    number = SET_CAPABILITIES.get(os.uname().machine)
    if number is None:
        return  # Landlock is not used on it, and in a box there are none
    data = struct.pack('IIIIII', mask, mask, 0, 0, 0, 0)
    if _libc.syscall(number, struct.pack('Ii', CAPABILITIES_VERSION, 0), data) < 0:
        sys.exit(f'capabilities cannot be dropped: {os.strerror(ctypes.get_errno())}')
