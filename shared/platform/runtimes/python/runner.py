"""The runner of Python scripts: a process that runs one script, again and again, each time in a child of its own.

It speaks with its supervisor over a socket, one JSON value a line; see ../runner-process.ts. The children are made
before their runs are known and have neither that socket nor the mark of the run, so that a script cannot speak for the
runner. It may be able to end it: to its own harm only.

Arguments: the descriptor of the socket; the one folder that a script may write to, which is emptied; the most
megabytes that all processes of a run may take together; `alone` where a run must not make processes, because nothing
here would end them.
"""
import fcntl
import json
import os
import resource
import signal
import sys
import time
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import context  # noqa: E402
import family  # noqa: E402
import seccomp  # noqa: E402

del sys.path[0]
for each in (context, family, seccomp):
    del sys.modules[each.__name__]  # no script shall import them

MEGABYTE = 2**20
LIBRARIES = 32 * MEGABYTE  # of a process, which its limit of data does not count
MAX_ADDRESSES = 8192 * MEGABYTE  # tables of addresses take memory too: 2 MB for each gigabyte
MAX_RESPONSE = 4 * MEGABYTE  # bytes of JSON; more is too much by any count
LENGTH_SIZE = 8  # bytes in front of a response
RESULT_SIZE = LENGTH_SIZE + MAX_RESPONSE + 1
ADD_SEALS, SEAL_SEALS, SEAL_SHRINKING, SEAL_GROWING = 1033, 1, 2, 4  # of fcntl
MAX_PROCESSES = 64
MAX_DESCRIPTORS = 256  # of all processes of a run: buffers of sockets are memory that no process is counted for
LOOK_SECONDS = 0.025  # how often memory and processes are counted
GRACE_SECONDS = 0.5  # how long after its time a child may take to end by itself


def main(control, temporary, max_bytes, is_alone):
    family.keep_below()
    family.hide()
    seccomp.close_calls(seccomp.everywhere())
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])  # taken from the queue instead
    limit_memory(max_bytes - LIBRARIES)
    empty(temporary)
    with os.fdopen(control, 'rb') as lines:
        child = Child(None, control, is_alone)
        say(control, {'ready': True})
        script = read_run(lines, child, max_bytes)
        while script is not None:
            empty(temporary)
            script = precompile(script)
            child = Child(script, control, is_alone)
            script = read_run(lines, child, max_bytes)


def read_run(lines, child, max_bytes):
    """Has the next run done and reports. Gives the script, or None when there are no more runs.

    A function of its own, so that nothing of a run is left where the next child begins.
    """
    line = lines.readline()
    if not line:
        return None
    run = json.loads(line)
    mark = run.pop('mark')
    script = run.pop('source', child.script)
    say(lines.fileno(), {'mark': mark, **child.run(script, run, max_bytes)})
    return script


class Child:
    """A process for one run, which waits for it."""

    def __init__(self, script, control, is_alone):
        self.script = script
        self.is_alone = is_alone
        self.has_ended = False
        self.result = make_result()
        given, self.given = os.pipe()
        self.pid = os.fork()
        if self.pid != 0:
            os.close(given)
            return
        try:
            os.close(control)
            os.close(self.given)
            self._live(given)
        finally:
            os._exit(1)

    def _live(self, given):
        """The life of the child."""
        family.depend_on_parent()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        rules = seccomp.memory()
        if self.is_alone:
            rules += seccomp.alone(os.getpid())
        else:
            os.setsid()
        seccomp.close_calls(rules)
        this = context.Context()
        with os.fdopen(given, 'rb') as stream:
            run = json.loads(stream.read())
        exit_code, response = this.run(run.pop('source', self.script), run)
        if response is not None:
            write_result(self.result, response)
        os._exit(exit_code)

    def run(self, script, run, max_bytes):
        """Has it run, and ends all that it has started. Gives what there is to report."""
        deadline = time.monotonic() + run['timeoutMs'] / 1000
        given = run if script is self.script else {**run, 'source': script}
        try:
            write_all(self.given, json.dumps(given).encode())
        except BrokenPipeError:
            pass  # it has ended: its status says how
        os.close(self.given)
        exit_code = self._wait(deadline, max_bytes)
        self._end()
        response = read_result(self.result)
        os.close(self.result)
        report = {'exitCode': exit_code, 'isReusable': True}
        if exit_code != 0:
            return report
        if len(response) > MAX_RESPONSE:
            report['isTooBig'] = True
        elif response:
            report['response'] = response.decode('utf-8', 'replace')
        return report

    def _wait(self, deadline, max_bytes):
        """Waits for its end, and sees to it. Gives the exit code."""
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == self.pid:
                self.has_ended = True
                return judge(status, deadline)
            if pid != 0:
                continue  # something that it had started
            signal.sigtimedwait([signal.SIGCHLD], LOOK_SECONDS)
            if time.monotonic() > deadline + GRACE_SECONDS:
                return context.TIMEOUT_CODE
            complaint = None if self.is_alone else complain(max_bytes)
            if complaint is not None:
                self._end()
                tell(complaint)
                return 1

    def _end(self):
        """Ends all that it has started, and itself."""
        if not self.is_alone:
            family.end()
        elif not self.has_ended:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.has_ended = True


def judge(status, deadline):
    """The exit code of a child that has ended."""
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    if time.monotonic() > deadline:
        return context.TIMEOUT_CODE  # by the alarm, which the script no longer listened to
    number = os.WTERMSIG(status)
    tell(f'The run was ended by signal {number}: {signal.strsignal(number)}.')
    return 128 + number


def complain(max_bytes):
    """What is wrong with the memory, processes and descriptors of the run; None when all is well."""
    sizes = family.sizes()
    if len(sizes) > MAX_PROCESSES:
        return f'The run has started more than {MAX_PROCESSES} processes.'
    if sum(sizes.values()) > max_bytes:
        return f'The run has used more memory than {max_bytes // MEGABYTE} MiB.'
    if len(sizes) > 1 and family.descriptors(sizes) > MAX_DESCRIPTORS:
        return f'The run has opened more than {MAX_DESCRIPTORS} files and sockets.'
    return None


def make_result():
    """A piece of memory for one response, which nothing makes larger. Gives its descriptor."""
    result = os.memfd_create('result', os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.truncate(result, RESULT_SIZE)
    fcntl.fcntl(result, ADD_SEALS, SEAL_SEALS | SEAL_SHRINKING | SEAL_GROWING)
    return result


def write_result(result, response):
    """Writes as much of a response as is read."""
    data = response.encode()[:MAX_RESPONSE + 1]
    os.pwrite(result, len(data).to_bytes(LENGTH_SIZE, 'big') + data, 0)


def read_result(result):
    """The response, empty without one. It may be anything: a script can write there too."""
    length = int.from_bytes(os.pread(result, LENGTH_SIZE, 0), 'big')
    return os.pread(result, min(length, MAX_RESPONSE + 1), LENGTH_SIZE)


def precompile(script):
    """The code of a script for its next run; its source where the compiler has something to say about it."""
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
    """Limits what each process may take; beyond, Python says MemoryError."""
    limit(resource.RLIMIT_DATA, data_bytes)
    limit(resource.RLIMIT_AS, MAX_ADDRESSES)


def limit(what, most):
    _, hard = resource.getrlimit(what)
    value = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (value, value))


def empty(folder):
    """Files of one run are gone in the next."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            os.chmod(entry.path, 0o700)
            empty(entry.path)
            os.rmdir(entry.path)
        else:
            os.unlink(entry.path)


def tell(complaint):
    try:
        write_all(2, f'{complaint}\n'.encode())
    except OSError:
        pass  # the script has shut it: nobody would read it


def say(control, message):
    write_all(control, f'{json.dumps(message)}\n'.encode())


def write_all(descriptor, data):
    """Writes all of it, waiting while the reader is behind."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view):]
        except BlockingIOError:
            time.sleep(0.001)


if __name__ == '__main__':
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]) * MEGABYTE, 'alone' in sys.argv[4:])
