import type { Escape } from './escapes.ts';

const prelude = `
import ctypes, fcntl, os, pathlib, resource, signal, socket, stat, struct, subprocess, sys, tempfile
libc = ctypes.CDLL(None, use_errno=True)
def must(result):
    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
def write_back(path):
    with open(path, 'r+b', 0) as file:
        value = file.read()
        file.seek(0)
        return file.write(value) > 0
def read(path):
    try:
        return pathlib.Path(path).read_bytes()
    except OSError:
        return b''
def attempt(name):
    def make(code):
        try:
            outcome = 'ESCAPED' if code() else 'held'
        except (Exception, SystemExit) as error:
            outcome = f'held {type(error).__name__}'
        print(f'{name}: {outcome}', flush=True)
    return make
`;

/** Returns a script that makes the attempts in order, and prints the outcome of each. */
export function toScript(attempts: readonly Escape[]): string {
  const functions = attempts.map(
    ({ name, code }) => `@attempt(${JSON.stringify(name)})
def _():
${code.replace(/^/gm, '    ')}
`,
  );
  return `${prelude}${functions.join('')}`;
}

const secret = "b'a secret of the host'";

/** Attempts that must fail. */
export const pythonEscapes: readonly Escape[] = [
  { name: 'reads /etc/passwd', code: "return b'root' in read('/etc/passwd')" },
  {
    name: "reads a file of the host's",
    code: "return len(open(ARGS['file'], 'rb').read()) > 0",
  },
  {
    name: "reads a server's data",
    code: "return len(open(ARGS['dataFile'], 'rb').read()) > 0",
  },
  {
    name: "changes the mode of a file of the host's",
    code: "was = os.stat(ARGS['file']).st_mode\nos.chmod(ARGS['file'], was ^ 0o111)\nreturn os.stat(ARGS['file']).st_mode != was",
  },
  {
    name: "changes the times of a file of the host's",
    code: "os.utime(ARGS['file'], (1, 1))\nreturn os.stat(ARGS['file']).st_mtime == 1",
  },
  {
    name: "truncates a file of the host's",
    code: "os.truncate(ARGS['file'], 1 << 20)\nreturn True",
  },
  {
    name: "watches a folder of the host's",
    code: "return must(libc.inotify_add_watch(must(libc.inotify_init()), os.fsencode(os.path.dirname(ARGS['file'])), 0x100)) >= 0",
  },
  {
    name: "reads a file of the host's with system calls",
    code: "return must(libc.open(os.fsencode(ARGS['file']), os.O_RDONLY)) >= 0",
  },
  {
    name: "reads a file of the host's through a child process",
    code: "return subprocess.run(['cat', ARGS['file']], capture_output=True).returncode == 0",
  },
  {
    name: "reads a file of the host's through a shell",
    code: "return os.system('cat \"' + ARGS['file'] + '\" > out 2> err') == 0",
  },
  {
    name: "reads a file of the host's through the folder of a process",
    code: "return any(read(f'/proc/{pid}/{link}' + ARGS['file']) for pid in ['self', os.getppid(), 1] for link in ['root', 'cwd/../../../..'])",
  },
  {
    name: "reads a file of the host's that its parent has open",
    code: "return any(read(f'/proc/{os.getppid()}/fd/{fd}') for fd in range(9, 12))",
  },
  {
    name: "reads a file of the host's by a link to it",
    code: "os.link(ARGS['file'], 'link')\nreturn len(read('link')) > 0",
  },
  {
    name: "writes into a folder of the host's",
    code: "other = ARGS['file'] + '.other'\nopen(other, 'w').close()\nos.unlink(other)\nreturn True",
  },
  {
    name: 'finds another folder to write to',
    code: "def write(folder):\n    try:\n        with tempfile.TemporaryFile(dir=folder) as file:\n            return file.write(b'x') == 1\n    except OSError:\n        return False\nfor folder in (os.path.dirname(ARGS['file']), '/dev/shm', '/var/tmp', '/dev', '/', '/etc', '/usr/lib', '/usr/share', '/home', '/root', '/run', '/var', '/opt', '/srv', '/mnt'):\n    if write(folder): return True\nreturn os.environ['TMPDIR'] != '/tmp' and write('/tmp')",
  },
  {
    name: "finds the host's secret in its environment",
    code: `return ${secret} in b''.join(os.environb.values())`,
  },
  {
    name: "finds the host's secret in any visible process",
    code: `return any(${secret} in read(f'/proc/{pid}/{name}') for pid in filter(str.isdecimal, os.listdir('/proc')) for name in ('environ', 'cmdline'))`,
  },
  {
    name: "finds the host's secret from a child process",
    code: `return ${secret} in subprocess.run('env; cat /proc/[0-9]*/environ', shell=True, capture_output=True).stdout`,
  },
  {
    name: 'detects a process of the host',
    code: "return str(ARGS['pid']) in os.listdir('/proc')",
  },
  {
    name: 'signals a process of the host',
    code: "os.kill(ARGS['pid'], 0)\nreturn True",
  },
  {
    name: 'signals a process of the host from a child process',
    code: "return subprocess.run(['sh', '-c', f'kill -0 {ARGS[\"pid\"]}'], stderr=subprocess.DEVNULL).returncode == 0",
  },
  {
    name: "changes a process's priority",
    code: "who = os.PRIO_PROCESS, ARGS['pid']\nos.setpriority(*who, os.getpriority(*who))\nreturn True",
  },
  {
    name: "changes a process's limits",
    code: "return len(resource.prlimit(ARGS['pid'], resource.RLIMIT_CORE)) == 2",
  },
  {
    name: "reads the links of its parent's descriptors",
    code: "folder = f'/proc/{os.getppid()}/fd'\nreturn any(os.readlink(f'{folder}/{fd}') for fd in os.listdir(folder))",
  },
  {
    name: 'reads the memory of its parent',
    needsTracing: true,
    code: "parent = f'/proc/{os.getppid()}'\nstart = int(open(f'{parent}/maps').read().partition('-')[0], 16)\nwith open(f'{parent}/mem', 'rb', 0) as memory:\n    memory.seek(start)\n    return len(memory.read(16)) == 16",
  },
  {
    name: 'traces its parent',
    needsTracing: true,
    code: 'must(libc.ptrace(16, os.getppid(), 0, 0))\nos.waitpid(os.getppid(), 0x40000000)\nreturn libc.ptrace(17, os.getppid(), 0, 0) == 0',
  },
  {
    name: 'takes a descriptor from its parent',
    needsTracing: true,
    code: 'process = must(libc.syscall(434, os.getppid(), 0))\nreturn any(libc.syscall(438, process, fd, 0) >= 0 for fd in range(12))',
  },
  {
    name: 'has descriptors of the host',
    code: "for fd in range(3, 64):\n    try:\n        found = os.readlink(f'/proc/self/fd/{fd}')\n        if os.path.exists(found) or stat.S_ISSOCK(os.fstat(fd).st_mode): return True\n    except OSError:\n        pass",
  },
  {
    name: 'connects to a socket in the file system',
    code: "socket.socket(socket.AF_UNIX).connect(ARGS['socket'])\nreturn True",
  },
  {
    name: 'connects to an abstract socket',
    code: "socket.socket(socket.AF_UNIX).connect(ARGS['abstractSocket'].ljust(108, chr(0)))\nreturn True",
  },
  {
    name: 'connects to an abstract socket from a child process',
    code: "code = 'import socket, sys; socket.socket(socket.AF_UNIX).connect((chr(0) + sys.argv[1]).ljust(108, chr(0)))'\nreturn subprocess.run([sys.executable, '-I', '-c', code, ARGS['abstractSocket'][1:]], stderr=subprocess.DEVNULL).returncode == 0",
  },
  {
    name: 'becomes root of a user namespace',
    code: 'return must(libc.unshare(0x10000000)) == 0',
  },
  ...['kernel/core_pattern', 'fs/lease-break-time', 'kernel/hostname'].map((name) => ({
    name: `writes ${name} of the kernel`,
    needsRoot: true as const,
    code: `return write_back('/proc/sys/${name}')`,
  })),
  {
    name: 'sets its priority when memory runs out',
    code: "return write_back('/proc/self/oom_score_adj')",
  },
  {
    name: 'sets the priority of a child process when memory runs out',
    code: "return subprocess.run(['sh', '-c', 'read x < /proc/self/oom_score_adj && echo $x > /proc/self/oom_score_adj'], stderr=subprocess.DEVNULL).returncode == 0",
  },
  {
    name: 'takes a lease on a file',
    code: "with open('lease', 'w'): pass\nfile = os.open('lease', os.O_RDONLY)\nfcntl.fcntl(file, 1024, fcntl.F_WRLCK)\nreturn fcntl.fcntl(file, 1024, fcntl.F_UNLCK) == 0",
  },
  {
    name: 'takes leases on files that others execute',
    needsRoot: true,
    code: "for name in filter(None, (getattr(each, '__file__', None) for each in list(sys.modules.values()))):\n    try:\n        file = os.open(name, os.O_RDONLY)\n        fcntl.fcntl(file, 1024, fcntl.F_RDLCK)\n        return fcntl.fcntl(file, 1024, fcntl.F_UNLCK) == 0\n    except OSError:\n        pass",
  },
  {
    name: 'is notified of changes in a folder',
    code: "signal.signal(signal.SIGIO, signal.SIG_IGN)\nreturn fcntl.fcntl(os.open('.', os.O_RDONLY), 1026, 1) == 0",
  },
  {
    name: "changes a file's flags",
    code: "file = os.open('flags', os.O_CREAT | os.O_RDONLY)\nflags = ctypes.c_long(8)\nreturn must(libc.ioctl(file, 0x40086602, ctypes.byref(flags))) == 0",
  },
  {
    name: 'lists the connections of all programs',
    code: "request = struct.pack('=LHHLL', 72, 20, 0x301, 0, 0) + struct.pack('=BBBBI', 2, 6, 0, 0, 0xFFFFFFFF) + bytes(48)\nwith socket.socket(16, socket.SOCK_RAW, 4) as diagnosis:\n    diagnosis.send(request)\n    return len(diagnosis.recv(9999)) >= 16",
  },
  {
    name: 'has a further table of descriptors',
    code: 'return must(libc.syscall(436, 900, 901, 2)) == 0',
  },
  {
    name: 'has a thread with its own table of descriptors',
    code: 'stack = ctypes.create_string_buffer(65536)\nfunction = ctypes.cast(libc.getpid, ctypes.c_void_p)\ntop = ctypes.c_void_p((ctypes.addressof(stack) + 65536) & ~15)\nthread = must(libc.clone(function, top, 0x10B00, None))\nsignal.setitimer(signal.ITIMER_REAL, 0)\nreturn thread > 0',
  },
  {
    name: 'regains dropped privileges',
    code: "status = read('/proc/self/status').decode()\nreturn 'NoNewPrivs:\\t0' in status",
  },
];
