"""The runner of Python scripts: a process that runs one script repeatedly, each time in a new child process.

It communicates with its supervisor over a socket, one JSON value per line; see ../runner-process.ts. The children are
created before their runs are known and have neither that socket nor the mark of the run, so a script cannot forge a
report. A script may be able to kill the runner, which affects only its own runs.

Arguments: the descriptor of the socket; the only folder that a script may write to, which is emptied before each run;
the maximum memory of all processes of a run together, in megabytes; then, in any order, `alone` if a run must not create
processes, because the runner could not kill them, `offline` without a network, `boxed` in a box, `root` if the runner is
started as root, and `packages=` with the folder of the operator's packages.
"""
import contextlib
import json
import mmap
import os
import resource
import select
import signal
import socket
import sys
import time
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import calls  # noqa: E402
import context  # noqa: E402
import family  # noqa: E402
import landlock  # noqa: E402
import pairs  # noqa: E402
import privileges  # noqa: E402
import seccomp  # noqa: E402

del sys.path[0]
for each in (calls, context, family, landlock, pairs, privileges, seccomp):
    del sys.modules[each.__name__]  # scripts must not import them

MEGABYTE = 2**20
LIBRARIES = 32 * MEGABYTE  # per process, not included in its data limit
MAX_ADDRESSES = 8192 * MEGABYTE  # address space: page tables use 2 MB per gigabyte
MAX_RESPONSE = 4 * MEGABYTE  # bytes of JSON; longer responses are always too large
LENGTH_SIZE = 8  # bytes before a response
RESULT_SIZE = LENGTH_SIZE + MAX_RESPONSE + 1
MEASURES = {'orphans': family.adopt_orphans, 'hiding': family.hide}  # by the names of what fails without them
MAX_PROCESSES = 64
MAX_DESCRIPTORS = 256  # of all processes of a run; socket buffers are not included in any process's memory
CHECK_SECONDS = 0.025  # interval of the checks of memory and descriptors
GRACE_SECONDS = 0.5  # time after its limit in which a child may end by itself

run_code = seccomp.compile_rules(seccomp.run_rules())  # once: each run installs them
fork_code = seccomp.compile_rules(seccomp.fork_rules())


def main(control, temporary, max_bytes, properties):
    enter_sandbox(temporary, properties)
    refused = [name for name, take in MEASURES.items() if not take()] + seccomp.install_base()
    context.open_process(properties)
    limit_memory(max_bytes - LIBRARIES)
    delete_content(temporary)
    with os.fdopen(control, 'rb') as lines:
        child = Child(None, control, properties)
        send(control, {'ready': True, 'refused': refused} if refused else {'ready': True})
        script = read_run(lines, child, max_bytes, temporary)
        while script is not None:
            script = precompile(script)
            child = Child(script, control, properties)
            script = read_run(lines, child, max_bytes, temporary)


def enter_sandbox(temporary, properties):
    """Gives up root, and restricts files where nothing else does inside a box."""
    if 'root' in properties:
        privileges.leave_root()
    if 'boxed' in properties:
        landlock.hold_box(temporary)


def read_run(lines, child, max_bytes, temporary):
    """Executes and reports the next run. Returns the script, or None after the last run.

    This is a separate function, so that the next child inherits no data of the run.
    """
    line = lines.readline()
    if not line:
        return None
    run = json.loads(line)
    mark = run.pop('mark')
    script = run.pop('source', child.script)
    report = child.run(script, run, max_bytes)
    if not has_emptied(temporary):
        report['isReusable'] = False
    send(lines.fileno(), {'mark': mark, **report})
    return script


class Child:
    """A process that waits for one run and executes it."""

    def __init__(self, script, control, properties):
        self.script = script
        self.is_alone = 'alone' in properties
        self.has_network = 'offline' not in properties
        self.has_ended = False
        self.result = make_result()
        self.channel, channel = socket.socketpair()
        self.pid = os.fork()
        if self.pid != 0:
            channel.close()
            return
        try:
            os.close(control)
            self.channel.close()
            self._execute(channel)
        finally:
            os._exit(1)

    def _execute(self, channel):
        """Executes the run in the child process. Never returns."""
        family.end_with_parent()
        if not self.is_alone:
            os.setsid()
        send_listener(channel, filter_calls(self.is_alone, self.has_network))
        script_context = context.Context()
        with channel, channel.makefile('rb') as stream:
            run = json.loads(stream.read())
        exit_code, response = script_context.run(run.pop('source', self.script), run)
        if response is not None:
            write_result(self.result, response)
        os._exit(exit_code)

    def run(self, script, run, max_bytes):
        """Sends the run to the child, kills its descendants at the end, and returns the report."""
        deadline = time.monotonic() + run['timeoutMs'] / 1000
        inputs = run if script is self.script else {**run, 'source': script}
        listener = receive_listener(self.channel)
        try:
            self.channel.sendall(json.dumps(inputs).encode())
        except ConnectionError:
            pass  # the child has ended; its status has the reason
        self.channel.close()
        with open_events(self.pid, listener) as events:
            exit_code = self._wait(deadline, max_bytes, events, listener)
            self._kill()
        response = read_result(self.result)
        self.result.close()
        report = {'exitCode': exit_code, 'isReusable': True}
        if exit_code != 0:
            return report
        if len(response) > MAX_RESPONSE:
            report['isTooBig'] = True
        elif response:
            report['response'] = response.decode('utf-8', 'replace')
        return report

    def _wait(self, deadline, max_bytes, events, listener):
        """Waits until the child ends or exceeds a limit. Returns the exit code."""
        next_check = 0
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == self.pid:
                self.has_ended = True
                return exit_code_of(status, deadline)
            if pid != 0:
                continue  # a descendant of the child
            has_forked = (listener, select.EPOLLIN) in events.poll(CHECK_SECONDS)
            now = time.monotonic()
            if now > deadline + GRACE_SECONDS:
                return context.TIMEOUT_CODE
            if self.is_alone or not has_forked and now < next_check:
                continue
            exceeded = exceeded_limit(max_bytes, has_forked)
            if exceeded is not None:
                self._kill()
                print_error(exceeded)
                return 1
            if has_forked:
                seccomp.permit_fork(listener)
            next_check = time.monotonic() + CHECK_SECONDS

    def _kill(self):
        """Kills the child and its descendants. A fork during this waits for its permission until it is killed."""
        if not self.is_alone:
            family.kill_descendants()
        elif not self.has_ended:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.has_ended = True


def filter_calls(is_alone, has_network):
    """Installs the filter of a run. Returns the listener of its forks; None if it cannot fork.

    Without a listener, a run cannot fork: an endless series of forks is faster than counting and killing processes.
    """
    listener = None if is_alone else seccomp.install_listener(run_code + fork_code)
    if listener is None:
        rules = seccomp.process_rules(os.getpid())
        if is_alone:
            rules += seccomp.in_flight_rules(has_network)
            socket.socketpair = pairs.connect_pair if has_network else socket.socketpair
        seccomp.install_filter(run_code + seccomp.compile_rules(rules))
    return listener


def send_listener(channel, listener):
    """Sends the listener to the runner, and closes it here, so that a script cannot permit its own forks."""
    if listener is None:
        channel.send(b'-')
        return
    socket.send_fds(channel, [b'+'], [listener])
    os.close(listener)


def receive_listener(channel):
    """Returns the descriptor of the listener, or None."""
    _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
    return descriptors[0] if descriptors else None


@contextlib.contextmanager
def open_events(pid, listener):
    """Opens and closes a poll for the end of a process and, with a listener, for its forks."""
    with contextlib.ExitStack() as stack, select.epoll() as events:
        for descriptor in (open_process(pid), listener):
            if descriptor is not None:
                stack.callback(os.close, descriptor)
                events.register(descriptor, select.EPOLLIN)
        yield events


def open_process(pid):
    """Returns a descriptor that is readable when a process has ended, or None on Linux before 5.3."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def exit_code_of(status, deadline):
    """Returns the exit code of a child that has ended."""
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    if time.monotonic() > deadline:
        return context.TIMEOUT_CODE  # killed by the alarm after the script removed its handler
    number = os.WTERMSIG(status)
    print_error(f'The run was ended by signal {number}: {signal.strsignal(number)}.')
    return 128 + number


def exceeded_limit(max_bytes, is_forking):
    """Checks processes, memory and descriptors of the run. Returns the exceeded limit as text, or None."""
    sizes = family.resident_sizes()
    if len(sizes) + is_forking > MAX_PROCESSES:
        return f'The run has started more than {MAX_PROCESSES} processes.'
    if sum(sizes.values()) > max_bytes:
        return f'The run has used more memory than {max_bytes // MEGABYTE} MiB.'
    if len(sizes) > 1 and family.descriptors(sizes) > MAX_DESCRIPTORS:
        return f'The run has opened more than {MAX_DESCRIPTORS} files and sockets.'
    return None


def make_result():
    """Creates shared memory for one response. It needs no file, for which Lambda may refuse the calls or have no space."""
    return mmap.mmap(-1, RESULT_SIZE)


def write_result(result, response):
    """Writes a response, truncated to the length that is read."""
    data = response.encode()[:MAX_RESPONSE + 1]
    result[:LENGTH_SIZE + len(data)] = len(data).to_bytes(LENGTH_SIZE, 'big') + data


def read_result(result):
    """Returns the response, empty without one. It is untrusted, because a script can write there too."""
    length = int.from_bytes(result[:LENGTH_SIZE], 'big')
    return result[LENGTH_SIZE:LENGTH_SIZE + min(length, MAX_RESPONSE + 1)]


def precompile(script):
    """Compiles a script for its next run. Returns the source if the compiler raises or warns."""
    if not isinstance(script, str):
        return script
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter('always')
        try:
            code = context.compile_source(script)
        except Exception:
            return script
    return script if warned else code


def limit_memory(data_bytes):
    """Limits the memory of each process; above the limit, Python raises MemoryError."""
    limit(resource.RLIMIT_DATA, data_bytes)
    limit(resource.RLIMIT_AS, MAX_ADDRESSES)


def limit(resource_kind, maximum):
    _, hard = resource.getrlimit(resource_kind)
    value = maximum if hard == resource.RLIM_INFINITY else min(maximum, hard)
    resource.setrlimit(resource_kind, (value, value))


def has_emptied(folder):
    """Deletes the files of the run. Returns False if some are left: too deep, or in a folder that it cannot list.

    The supervisor deletes them after the end of this process.
    """
    try:
        delete_content(folder)
    except (OSError, RecursionError):
        return False
    return True


def delete_content(folder):
    """Deletes the files of the last run."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            os.chmod(entry.path, 0o700)
            delete_content(entry.path)
            os.rmdir(entry.path)
        else:
            os.unlink(entry.path)


def print_error(message):
    try:
        write_all(2, f'{message}\n'.encode())
    except OSError:
        pass  # the script has closed standard error


def send(control, message):
    write_all(control, f'{json.dumps(message)}\n'.encode())


def write_all(descriptor, data):
    """Writes all data. Waits while the pipe is full."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view):]
        except BlockingIOError:
            time.sleep(0.001)


if __name__ == '__main__':
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]) * MEGABYTE, sys.argv[4:])
