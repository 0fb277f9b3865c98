"""System call filters, which apply permanently to this process and its descendants. Linux only."""
import ctypes
import errno
import fcntl
import os
import re
import struct

from calls import ALLOWED, NUMBERS

# Opcodes and constants of the filter language.
LOAD, EQUAL, ABOVE, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
ALLOW, RETURN_ERROR, ASK = 0x7FFF0000, 0x00050000, 0x7FC00000
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16
INSTRUCTION = struct.Struct('HBBI')
SET_NO_NEW_PRIVILEGES, GET_NO_NEW_PRIVILEGES = 38, 39  # of prctl
SET_FILTER, NEW_LISTENER = 1, 8  # of seccomp
RECEIVE, SEND, REQUEST_BYTES, PERMIT = 0xC0502100, 0xC0182101, 80, 1  # of ioctl, for a listener

X32 = 0x40000000  # another numbering of the same calls
NAMESPACES = 0x7E020000  # flags of clone
THREAD, SHARED_DESCRIPTORS = 0x00010000, 0x00000400  # flags of clone
OWN_DESCRIPTORS = 2  # a flag of close_range
INTERNET, NETLINK, UNIX = (2, 10), 16, 1  # families of sockets
FAMILIES = (*INTERNET, NETLINK)  # netlink looks up addresses
ROUTES = 0  # the protocol of netlink for addresses
UNUSUAL_TYPES = 0b1100  # the bits of all types of sockets except stream, datagram and raw, which needs a capability
PROTOCOLS = (0, 1, 6, 17, 58)  # of the internet: the default, ICMP, TCP, UDP, ICMPv6
TRUNCATE, WRITING = 0o1000, 0o3  # flags of open
HUGE_PAGES = 0x40000  # a flag of mmap
ALLOCATE, PUNCH_HOLE = 0, 3  # modes of fallocate
OWN_PROCESS = 0  # PRIO_PROCESS of setpriority
SUCCESS = 0  # as an error number: the call does nothing and returns success

SOCKET_LEVEL, BUFFER_SIZES = 1, (7, 8, 32, 33)  # of setsockopt
IP, TCP, IP6 = 0, 6, 41  # levels of setsockopt
MEMBERSHIPS = (42, 45, 46, 47)  # of multicast groups
# Options by level. Others load modules of the kernel, attach programs to sockets, or use memory.
OPTIONS = {
    SOCKET_LEVEL: (2, 3, 4, 5, 6, 9, 10, 12, 13, 15, 20, 21, 29, 35, 37, 63, 64, 65, 66, 67),
    IP: (1, 2, 6, 7, 8, 10, 11, 12, 13, 14, 24, 32, 33, 34, 35, 36, 38, 39, 40, 49, 51, *MEMBERSHIPS),
    TCP: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 17, 18, 23, 24, 25, 30, 36),
    IP6: (16, 17, 18, 19, 20, 21, 23, 24, 25, 26, 29, 49, 50, 51, 52, 62, 66, 67, 72, *MEMBERSHIPS),
}

# Commands of fcntl: F_DUPFD and F_DUPFD_CLOEXEC, F_GETFD to F_SETLKW, F_OFD_GETLK to F_OFD_SETLKW, F_GETPIPE_SZ. Leases,
# notifications, owners, seals and larger pipes affect others or the memory outside of processes.
FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)
# Commands of ioctl: nothing that changes a file of the host, or loads a module of the kernel.
IOCTL = (
    *(0x5401, 0x5402, 0x5403, 0x5404),  # TCGETS, TCSETS, TCSETSW, TCSETSF
    *(0x802C542A, 0x402C542B, 0x402C542C, 0x402C542D),  # TCGETS2, TCSETS2, TCSETSW2, TCSETSF2
    *(0x5409, 0x540A, 0x540B, 0x5425),  # TCSBRK, TCXONC, TCFLSH, TCSBRKP
    *(0x540E, 0x540F, 0x5410, 0x5422, 0x5429),  # TIOCSCTTY, TIOCGPGRP, TIOCSPGRP, TIOCNOTTY, TIOCGSID
    *(0x5413, 0x5414),  # TIOCGWINSZ, TIOCSWINSZ
    *(0x80045430, 0x40045431, 0x5441),  # TIOCGPTN, TIOCSPTLCK, TIOCGPTPEER: pseudo-terminals
    *(0x541B, 0x5411, 0x5421, 0x5451, 0x5450),  # FIONREAD, TIOCOUTQ, FIONBIO, FIOCLEX, FIONCLEX
    *(0x8905, 0x8910, 0x8912, 0x8913, 0x8915),  # SIOCATMARK, SIOCGIFNAME, SIOCGIFCONF, SIOCGIFFLAGS, SIOCGIFADDR
    *(0x891B, 0x8921, 0x8933),  # SIOCGIFNETMASK, SIOCGIFMTU, SIOCGIFINDEX
)
CLONES = (0x40049409, 0x4020940D)  # FICLONE, FICLONERANGE: programs copy when the file system cannot
# Commands of prctl that concern the process alone: names, timer slack, huge pages, and what only reads.
PRCTL = (2, 3, 7, 15, 16, 21, 23, 29, 30, 37, 38, 39, 41, 42, 51, 56, 61, 64, 0x53564D41)
SET_DEATH_SIGNAL = 1  # of prctl

ARCHITECTURES = {'x86_64': 0xC000003E, 'aarch64': 0xC00000B7}

_library = ctypes.CDLL(None)


def _argument_is(at, value):
    return at, EQUAL, value, True


def _argument_is_not(at, value):
    return at, EQUAL, value, False


def _is_none_of(at, values):
    return [_argument_is_not(at, value) for value in values]


def _rules(error, names, *tests):
    """Returns one rule per call: it fails with `error` if all tests of its arguments are true.

    Without an error, it waits for the listener.
    """
    return [(name, error, tests) for name in names.split()]


def base_rules():
    """Returns rules for calls that scripts never need. All calls that are not in `calls.ALLOWED` are absent."""
    return [
        *_rules(errno.EPERM, 'ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd perf_event_open'),
        *_rules(errno.EPERM, 'unshare setns mount umount2 pivot_root chroot open_tree move_mount fsopen'),
        *_rules(errno.EPERM, 'fsconfig fsmount fspick mount_setattr open_by_handle_at syslog'),
        *_rules(errno.EPERM, 'bpf userfaultfd keyctl add_key request_key'),
        *_rules(errno.EPERM, 'io_uring_setup io_uring_enter io_uring_register'),
        *_rules(errno.EPERM, 'clone', (0, ANY_BIT, NAMESPACES, True)),
        *_own_descriptor_rules(),
        *_rules(errno.EACCES, 'socket', *_is_none_of(0, FAMILIES)),
        *_rules(errno.EACCES, 'socket', (1, ANY_BIT, UNUSUAL_TYPES, True)),
        *_rules(errno.EACCES, 'socket', _argument_is(0, NETLINK), _argument_is_not(2, ROUTES)),
        *_rules(errno.EACCES, 'socket', *_is_none_of(2, PROTOCOLS)),
        *_rules(errno.EACCES, 'socketpair', _argument_is_not(0, UNIX)),
    ]


def _own_descriptor_rules():
    """Returns rules against threads with own tables of descriptors, which would not be counted."""
    return [
        *_rules(errno.EPERM, 'clone', (0, ANY_BIT, THREAD, True), (0, ANY_BIT, SHARED_DESCRIPTORS, False)),
        *_rules(errno.EINVAL, 'close_range', (2, ANY_BIT, OWN_DESCRIPTORS, True)),
    ]


def run_rules():
    """Returns rules for runs: commands, options, and memory outside the resident size of processes."""
    is_socket = _argument_is(1, SOCKET_LEVEL)
    return [
        *_rules(errno.ENOSYS, 'memfd_create'),
        *_rules(errno.ENOMEM, 'mmap', (3, ANY_BIT, HUGE_PAGES, True)),
        # other modes get any space at once: the maximum size of a file does not limit it, and the watch is too late
        *_rules(errno.EOPNOTSUPP, 'fallocate', *_is_none_of(1, (ALLOCATE, PUNCH_HOLE))),
        *_rules(errno.EPERM, 'seccomp'),  # a further listener could permit what this one asks
        *_rules(errno.EPERM, 'fcntl', *_is_none_of(1, FCNTL)),
        *[rule for each in CLONES for rule in _rules(errno.EOPNOTSUPP, 'ioctl', _argument_is(1, each))],
        *_rules(errno.EPERM, 'ioctl', *_is_none_of(1, IOCTL)),
        *_rules(errno.EPERM, 'prctl', *_is_none_of(0, (SET_DEATH_SIGNAL, *PRCTL))),
        *[rule for size in BUFFER_SIZES for rule in _rules(SUCCESS, 'setsockopt', is_socket, _argument_is(2, size))],
        *_rules(errno.ENOPROTOOPT, 'setsockopt', *_is_none_of(1, OPTIONS)),
        *[
            rule
            for level, options in OPTIONS.items()
            for rule in _rules(errno.ENOPROTOOPT, 'setsockopt', _argument_is(1, level), *_is_none_of(2, options))
        ],
    ]


def host_file_rules():
    """Returns rules for changing and watching files of the host by path, which Landlock does not cover.

    Changes of modes, owners and times do nothing and return success, because copying files and unpacking archives
    depend on that.
    """
    truncates = [(ANY_BIT, TRUNCATE, True), (ANY_BIT, WRITING, False)]  # needs no write permission for the file
    return [
        *_rules(SUCCESS, 'chmod fchmod fchmodat fchmodat2 chown fchown fchownat lchown'),
        *_rules(SUCCESS, 'utime utimes futimesat utimensat'),
        *_rules(errno.EOPNOTSUPP, 'setxattr lsetxattr fsetxattr setxattrat file_setattr'),
        *_rules(errno.EOPNOTSUPP, 'removexattr lremovexattr fremovexattr removexattrat'),
        *_rules(errno.EACCES, 'inotify_init inotify_init1 truncate'),
        *_rules(errno.EACCES, 'open', *[(1, *test) for test in truncates]),
        *_rules(errno.EACCES, 'openat', *[(2, *test) for test in truncates]),
        *_rules(errno.ENOSYS, 'openat2'),  # a filter cannot read its flags
    ]


def process_rules(pid):
    """Returns rules for creating and accessing other processes. The process `pid` may signal itself."""
    other = [_argument_is_not(0, 0), _argument_is_not(0, pid)]
    return [
        *_rules(errno.EPERM, 'fork vfork'),
        *_rules(errno.EPERM, 'clone', (0, ANY_BIT, THREAD, False)),
        *_rules(errno.EPERM, 'setsid setpgid pidfd_open pidfd_send_signal'),
        *_rules(errno.EPERM, 'kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo', _argument_is_not(0, pid)),
        *_rules(errno.EPERM, 'prlimit64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler', *other),
        *_rules(errno.EPERM, 'setpriority ioprio_set', _argument_is_not(1, 0), _argument_is_not(1, pid)),
        *_rules(errno.EPERM, 'setpriority', _argument_is_not(0, OWN_PROCESS)),
        *_rules(errno.EPERM, 'prctl', _argument_is(0, SET_DEATH_SIGNAL)),
    ]


def in_flight_rules(has_network):
    """Returns rules against descriptors in flight in a Unix socket: no process has them, so their files do not count.

    A filter cannot see whether a message has descriptors. With a network, scripts need messages, to look up names, and
    pairs of sockets have a substitute, see pairs.py. Without one, it is the other way round.
    """
    return _rules(errno.EACCES, 'socketpair') if has_network else _rules(errno.EACCES, 'sendmsg sendmmsg')


def network_rules():
    """Returns rules for sockets of all kinds except connected pairs."""
    return _rules(errno.EACCES, 'socket')


def fork_rules():
    """Returns rules for creating processes, which have to be permitted by the listener. Threads need no permission."""
    return _rules(None, 'fork vfork') + _rules(None, 'clone', (0, ANY_BIT, THREAD, False))


def install_base(further_rules=()):
    """Installs a filter for the base rules and others. Unknown calls are absent.

    Returns what the kernel refuses, as on Lambda: `filters`, `privileges` (to deny new ones). No filter holds then.
    """
    code = compile_rules([*base_rules(), *further_rules]) + _compile(_allow(ALLOWED))
    refused = [] if _install(code, ENOSYS, 0) != -1 else ['filters']
    return refused if _library.prctl(GET_NO_NEW_PRIVILEGES, 0, 0, 0, 0) == 1 else [*refused, 'privileges']


def install_filter(code):
    """Installs a filter for compiled rules, where the kernel does not refuse filters: `install_base` has reported it."""
    _install(code, (RETURN, 0, 0, ALLOW), 0)


def install_listener(code):
    """Installs a filter for compiled rules with `fork_rules`.

    Returns the descriptor of its listener, or None on Linux before 5.5. A process that forks waits until `permit_fork`.
    It gets ENOSYS when the listener is closed.
    """
    release = [int(digits) for digits in re.findall(r'\d+', os.uname().release)[:2]]
    listener = _install(code, (RETURN, 0, 0, ALLOW), NEW_LISTENER) if release >= [5, 5] else -1
    return None if listener == -1 else listener


def permit_fork(listener):
    """Permits the next fork that waits."""
    request = bytearray(REQUEST_BYTES)
    try:
        fcntl.ioctl(listener, RECEIVE, request)
        fcntl.ioctl(listener, SEND, struct.pack('QqiI', int.from_bytes(request[:8], 'little'), 0, 0, PERMIT))
    except OSError:
        pass  # the process has ended, or a signal has interrupted its wait


def compile_rules(rules):
    """Returns the code of rules, to which further code can be added."""
    at = _architecture()
    instructions = []
    for name, error, tests in rules:
        number = None if at is None else NUMBERS[name][at]
        if number is not None:
            instructions += _instructions(number, error, tests)
    return _compile(instructions)


def _install(code, ending, flags):
    """Installs a filter. Returns what the system call returns, -1 on failure."""
    at = _architecture()
    if at is None:
        return -1
    code = _compile(_beginning(at)) + code + _compile([ending])
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = [('length', ctypes.c_ushort), ('code', ctypes.c_void_p)]

    program = Program(len(code) // 8, ctypes.addressof(buffer))
    _library.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return _library.syscall(NUMBERS['seccomp'][at], SET_FILTER, flags, ctypes.byref(program))


def _architecture():
    """Returns the position of this machine's numbers in the tables, or None."""
    machine = os.uname().machine
    return list(ARCHITECTURES).index(machine) if machine in ARCHITECTURES else None


def _compile(instructions):
    """Returns the code of instructions, each `(code, steps if true, steps if false, value)`."""
    return b''.join([INSTRUCTION.pack(*each) for each in instructions])


def _beginning(at):
    return [
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (EQUAL, 1, 0, list(ARCHITECTURES.values())[at]),
        ENOSYS,
        (LOAD, 0, 0, NUMBER_AT),
        (AT_LEAST, 0, 1, X32),
        ENOSYS,
    ]


def _instructions(number, error, tests):
    """Returns the instructions of one rule. They end with the call number loaded, unless the rule applies."""
    body = [(RETURN, 0, 0, ASK) if error is None else _return_error(error)]
    for at in reversed(range(len(tests))):
        argument, code, value, expected = tests[at]
        steps = (0, len(body)) if expected else (len(body), 0)
        body.insert(0, (code, *steps, value))
        if at == 0 or tests[at - 1][0] != argument:
            body.insert(0, (LOAD, 0, 0, ARGUMENTS_AT + 8 * argument))
    body.append((LOAD, 0, 0, NUMBER_AT))
    return [(EQUAL, 0, len(body), number), *body]


def _allow(names):
    """Returns instructions that allow these calls, by ranges of their numbers."""
    at = _architecture()
    numbers = {NUMBERS[name][at] for name in names if at is not None and NUMBERS[name][at] is not None}
    firsts = sorted(each for each in numbers if each - 1 not in numbers)
    lasts = sorted(each for each in numbers if each + 1 not in numbers)
    ranges = zip(firsts, lasts)
    return [
        step
        for first, last in ranges
        for step in ((AT_LEAST, 0, 2, first), (ABOVE, 1, 0, last), (RETURN, 0, 0, ALLOW))
    ]


def _return_error(error):
    return RETURN, 0, 0, RETURN_ERROR | error


ENOSYS = _return_error(errno.ENOSYS)
