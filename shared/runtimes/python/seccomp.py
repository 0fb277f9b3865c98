"""Calls of the system that no script needs, closed for this process and all below it. Linux alone."""
import ctypes
import errno
import struct

X86_64, AARCH64 = 0xC000003E, 0xC00000B7
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # of the filter's own language
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16
X32 = 0x40000000  # another numbering of the same calls
NAMESPACES = 0x7E020000  # flags of clone
FAMILIES = (2, 10, 16)  # IPv4, IPv6, and netlink, which looks up addresses; sockets of this machine are not among them
SET_SECCOMP, SET_NO_NEW_PRIVILEGES, FILTER = 22, 38, 2  # of prctl

CLONE = {X86_64: 56, AARCH64: 220}
SOCKET = {X86_64: 41, AARCH64: 198}
CLONE3 = 435  # its flags cannot be seen; who finds it missing takes clone
NEW_NUMBERS = (425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442)  # io_uring, mounts, pidfd_getfd
REFUSED = {
    # ptrace, process_vm_readv and _writev, unshare, setns, mount, umount2, pivot_root, chroot, open_by_handle_at,
    # bpf, perf_event_open, userfaultfd, keyctl, add_key, request_key
    X86_64: (101, 310, 311, 272, 308, 165, 166, 155, 161, 304, 321, 298, 323, 250, 248, 249),
    AARCH64: (117, 270, 271, 97, 268, 40, 39, 41, 51, 265, 280, 241, 282, 219, 217, 218),
}


def close_calls():
    """From now on these calls are refused. Where the system has no such filters, nothing happens."""
    code = b''.join(struct.pack('HBBI', *each) for each in _program())
    held = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = [('length', ctypes.c_ushort), ('code', ctypes.c_void_p)]

    program = Program(len(code) // 8, ctypes.addressof(held))
    prctl = ctypes.CDLL(None).prctl
    prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    prctl(SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0)


def _program():
    """Instructions, each `(code, steps if true, steps if false, value)`."""
    program = [(LOAD, 0, 0, ARCHITECTURE_AT)]
    for architecture in REFUSED:
        rules = _rules(architecture)
        program += [(EQUAL, 0, len(rules), architecture), *rules]
    return [*program, _refuse(errno.ENOSYS)]


def _rules(architecture):
    """Ends in an answer, whatever the call."""
    rules = [(LOAD, 0, 0, NUMBER_AT), (AT_LEAST, 0, 1, X32), _refuse(errno.ENOSYS)]
    for number in REFUSED[architecture] + NEW_NUMBERS:
        rules += [(EQUAL, 0, 1, number), _refuse(errno.EPERM)]
    rules += [(EQUAL, 0, 1, CLONE3), _refuse(errno.ENOSYS)]
    rules += [(EQUAL, 0, 4, CLONE[architecture]), (LOAD, 0, 0, FIRST_ARGUMENT_AT)]
    rules += [(ANY_BIT, 0, 1, NAMESPACES), _refuse(errno.EPERM), (RETURN, 0, 0, ALLOW)]
    rules += [(EQUAL, 1, 0, SOCKET[architecture]), (RETURN, 0, 0, ALLOW), (LOAD, 0, 0, FIRST_ARGUMENT_AT)]
    for family in FAMILIES:
        rules += [(EQUAL, 0, 1, family), (RETURN, 0, 0, ALLOW)]
    return [*rules, _refuse(errno.EACCES)]


def _refuse(error):
    return RETURN, 0, 0, REFUSE | error
