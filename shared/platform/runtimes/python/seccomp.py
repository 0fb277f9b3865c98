"""System call filters, which apply permanently to this process and its descendants. Linux only."""
import ctypes
import errno
import fcntl
import os
import re
import struct

# Opcodes and constants of the filter language.
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, RETURN_ERROR, ASK = 0x7FFF0000, 0x00050000, 0x7FC00000
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16
SET_NO_NEW_PRIVILEGES = 38  # of prctl
SET_FILTER, NEW_LISTENER = 1, 8  # of seccomp
RECEIVE, SEND, REQUEST_BYTES, PERMIT = 0xC0502100, 0xC0182101, 80, 1  # of ioctl, for a listener

X32 = 0x40000000  # another numbering of the same calls
NAMESPACES = 0x7E020000  # flags of clone
THREAD = 0x00010000  # a flag of clone
FAMILIES = (2, 10, 16)  # IPv4, IPv6, and netlink, which looks up addresses; Unix sockets are excluded
TRUNCATE, WRITING = 0o1000, 0o3  # flags of open
SET_OWNER, SET_OWNER_BY_KIND, SET_PIPE_SIZE = 8, 15, 1031  # of fcntl
IOCTL_OWNERS = (0x8901, 0x8902)
SOCKET_LEVEL, BUFFER_SIZES = 1, (7, 8, 32, 33)  # of setsockopt
SET_DEATH_SIGNAL, SET_DUMPABLE = 1, 4  # of prctl
OWN_PROCESS = 0  # PRIO_PROCESS of setpriority
SUCCESS = 0  # as an error number: the call does nothing and returns success

ARCHITECTURES = {'x86_64': 0xC000003E, 'aarch64': 0xC00000B7}

# Numbers on x86_64 and aarch64.
NUMBERS = {
    'add_key': (248, 217),
    'bpf': (321, 280),
    'chmod': (90, None),
    'chown': (92, None),
    'chroot': (161, 51),
    'clone': (56, 220),
    'clone3': (435, 435),
    'fanotify_init': (300, 262),
    'fchmod': (91, 52),
    'fchmodat': (268, 53),
    'fchmodat2': (452, 452),
    'fchown': (93, 55),
    'fchownat': (260, 54),
    'fcntl': (72, 25),
    'file_setattr': (469, 469),
    'fork': (57, None),
    'fremovexattr': (199, 16),
    'fsconfig': (431, 431),
    'fsetxattr': (190, 7),
    'fsmount': (432, 432),
    'fsopen': (430, 430),
    'fspick': (433, 433),
    'futimesat': (261, None),
    'inotify_init': (253, None),
    'inotify_init1': (294, 26),
    'io_uring_enter': (426, 426),
    'io_uring_register': (427, 427),
    'io_uring_setup': (425, 425),
    'ioctl': (16, 29),
    'ioprio_set': (251, 30),
    'kcmp': (312, 272),
    'keyctl': (250, 219),
    'kill': (62, 129),
    'lchown': (94, None),
    'lremovexattr': (198, 15),
    'lsetxattr': (189, 6),
    'memfd_create': (319, 279),
    'memfd_secret': (447, 447),
    'migrate_pages': (256, 238),
    'mount': (165, 40),
    'mount_setattr': (442, 442),
    'move_mount': (429, 429),
    'move_pages': (279, 239),
    'mq_open': (240, 180),
    'msgget': (68, 186),
    'open': (2, None),
    'open_by_handle_at': (304, 265),
    'open_tree': (428, 428),
    'openat': (257, 56),
    'openat2': (437, 437),
    'perf_event_open': (298, 241),
    'pidfd_getfd': (438, 438),
    'pidfd_open': (434, 434),
    'pidfd_send_signal': (424, 424),
    'pivot_root': (155, 41),
    'prctl': (157, 167),
    'prlimit64': (302, 261),
    'process_madvise': (440, 440),
    'process_mrelease': (448, 448),
    'process_vm_readv': (310, 270),
    'process_vm_writev': (311, 271),
    'ptrace': (101, 117),
    'removexattr': (197, 14),
    'removexattrat': (466, 466),
    'request_key': (249, 218),
    'rt_sigqueueinfo': (129, 138),
    'rt_tgsigqueueinfo': (297, 240),
    'sched_setaffinity': (203, 122),
    'sched_setattr': (314, 274),
    'sched_setparam': (142, 118),
    'sched_setscheduler': (144, 119),
    'seccomp': (317, 277),
    'semget': (64, 190),
    'setns': (308, 268),
    'setpgid': (109, 154),
    'setpriority': (141, 140),
    'setsid': (112, 157),
    'setsockopt': (54, 208),
    'setxattr': (188, 5),
    'setxattrat': (463, 463),
    'shmget': (29, 194),
    'socket': (41, 198),
    'syslog': (103, 116),
    'tgkill': (234, 131),
    'tkill': (200, 130),
    'truncate': (76, 45),
    'umount2': (166, 39),
    'unshare': (272, 97),
    'userfaultfd': (323, 282),
    'utime': (132, None),
    'utimensat': (280, 88),
    'utimes': (235, None),
    'vfork': (58, None),
    'vmsplice': (278, 75),
}


def _argument_is(at, value):
    return at, EQUAL, value, True


def _argument_is_not(at, value):
    return at, EQUAL, value, False


def _rules(error, names, *tests):
    """Returns one rule per call: it fails with `error` if all tests of its arguments are true.

    Without an error, it waits for the listener.
    """
    return [(name, error, tests) for name in names.split()]


def base_rules():
    """Returns rules for calls that scripts never need."""
    return [
        *_rules(errno.EPERM, 'ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd perf_event_open'),
        *_rules(errno.EPERM, 'unshare setns mount umount2 pivot_root chroot open_tree move_mount fsopen'),
        *_rules(errno.EPERM, 'fsconfig fsmount fspick mount_setattr open_by_handle_at syslog'),
        *_rules(errno.EPERM, 'bpf userfaultfd keyctl add_key request_key'),
        *_rules(errno.EPERM, 'io_uring_setup io_uring_enter io_uring_register'),
        *_rules(errno.ENOSYS, 'clone3'),  # a filter cannot read its flags; programs fall back to clone
        *_rules(errno.EPERM, 'clone', (0, ANY_BIT, NAMESPACES, True)),
        *_rules(errno.EACCES, 'socket', *[_argument_is_not(0, family) for family in FAMILIES]),
    ]


def memory_rules():
    """Returns rules for memory outside the resident size of processes, and for hiding open descriptors."""
    is_socket = _argument_is(1, SOCKET_LEVEL)
    sizes = [_rules(SUCCESS, 'setsockopt', is_socket, _argument_is(2, size)) for size in BUFFER_SIZES]
    return [
        *_rules(errno.ENOSYS, 'memfd_create memfd_secret shmget msgget semget mq_open vmsplice'),
        *_rules(errno.EPERM, 'fcntl', _argument_is(1, SET_PIPE_SIZE)),
        *_rules(errno.EPERM, 'prctl', _argument_is(0, SET_DUMPABLE)),
        *[rule for rules in sizes for rule in rules],
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
        *_rules(errno.EACCES, 'inotify_init inotify_init1 fanotify_init truncate'),
        *_rules(errno.EACCES, 'open', *[(1, *test) for test in truncates]),
        *_rules(errno.EACCES, 'openat', *[(2, *test) for test in truncates]),
        *_rules(errno.ENOSYS, 'openat2'),  # a filter cannot read its flags
    ]


def process_rules(pid):
    """Returns rules for creating and accessing other processes. The process `pid` may signal itself."""
    other = [_argument_is_not(0, 0), _argument_is_not(0, pid)]
    owners = [_rules(errno.EPERM, 'ioctl', _argument_is(1, request)) for request in IOCTL_OWNERS]
    return [
        *_rules(errno.EPERM, 'fork vfork'),
        *_rules(errno.EPERM, 'clone', (0, ANY_BIT, THREAD, False)),
        *_rules(errno.EPERM, 'setsid setpgid pidfd_open pidfd_send_signal process_madvise process_mrelease'),
        *_rules(errno.EPERM, 'kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo', _argument_is_not(0, pid)),
        *_rules(errno.EPERM, 'prlimit64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler', *other),
        *_rules(errno.EPERM, 'move_pages migrate_pages', *other),
        *_rules(errno.EPERM, 'setpriority ioprio_set', _argument_is_not(1, 0), _argument_is_not(1, pid)),
        *_rules(errno.EPERM, 'setpriority', _argument_is_not(0, OWN_PROCESS)),
        *_rules(errno.EPERM, 'fcntl', _argument_is(1, SET_OWNER)),
        *_rules(errno.EPERM, 'fcntl', _argument_is(1, SET_OWNER_BY_KIND)),
        *[rule for rules in owners for rule in rules],
        *_rules(errno.EPERM, 'prctl', _argument_is(0, SET_DEATH_SIGNAL)),
    ]


def network_rules():
    """Returns rules for sockets of all kinds except connected pairs."""
    return _rules(errno.EACCES, 'socket')


def fork_rules():
    """Returns rules for creating processes, which have to be permitted by the listener. Threads need no permission."""
    return _rules(None, 'fork vfork') + _rules(None, 'clone', (0, ANY_BIT, THREAD, False))


def install_filter(rules):
    """Installs a filter for these rules, where the system supports filters."""
    _install(rules, 0)


def install_listener(rules):
    """Installs a filter with `fork_rules`. Returns the descriptor of its listener, or None on Linux before 5.5.

    A process that forks waits until `permit_fork`. It gets ENOSYS when the listener is closed.
    """
    release = [int(digits) for digits in re.findall(r'\d+', os.uname().release)[:2]]
    listener = _install(rules, NEW_LISTENER) if release >= [5, 5] else -1
    return None if listener == -1 else listener


def permit_fork(listener):
    """Permits the next fork that waits."""
    request = bytearray(REQUEST_BYTES)
    try:
        fcntl.ioctl(listener, RECEIVE, request)
        fcntl.ioctl(listener, SEND, struct.pack('QqiI', int.from_bytes(request[:8], 'little'), 0, 0, PERMIT))
    except OSError:
        pass  # the process has ended, or a signal has interrupted its wait


def _install(rules, flags):
    """Returns what the system call returns, -1 on failure."""
    machine = os.uname().machine
    if machine not in ARCHITECTURES:
        return -1
    code = b''.join(struct.pack('HBBI', *each) for each in _program(machine, rules))
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = [('length', ctypes.c_ushort), ('code', ctypes.c_void_p)]

    program = Program(len(code) // 8, ctypes.addressof(buffer))
    library = ctypes.CDLL(None)
    library.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    number = NUMBERS['seccomp'][list(ARCHITECTURES).index(machine)]
    return library.syscall(number, SET_FILTER, flags, ctypes.byref(program))


def _program(machine, rules):
    """Returns instructions, each `(code, steps if true, steps if false, value)`."""
    at = list(ARCHITECTURES).index(machine)
    program = [
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (EQUAL, 1, 0, ARCHITECTURES[machine]),
        _return_error(errno.ENOSYS),
        (LOAD, 0, 0, NUMBER_AT),
        (AT_LEAST, 0, 1, X32),
        _return_error(errno.ENOSYS),
    ]
    for name, error, tests in rules:
        number = NUMBERS[name][at]
        if number is not None:
            program += _instructions(number, error, tests)
    return [*program, (RETURN, 0, 0, ALLOW)]


def _instructions(number, error, tests):
    """Returns the instructions of one rule. They end with the call number loaded, unless the rule applies."""
    body = [(RETURN, 0, 0, ASK) if error is None else _return_error(error)]
    for argument, code, value, expected in reversed(tests):
        steps = (0, len(body)) if expected else (len(body), 0)
        body = [(LOAD, 0, 0, ARGUMENTS_AT + 8 * argument), (code, *steps, value), *body]
    body.append((LOAD, 0, 0, NUMBER_AT))
    return [(EQUAL, 0, len(body), number), *body]


def _return_error(error):
    return RETURN, 0, 0, RETURN_ERROR | error
