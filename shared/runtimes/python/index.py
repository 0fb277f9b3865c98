"""The supervisor of a Python script on Lambda: the handler of the script's own function.

The function's zip contains it with the runner, the source and the version. It does the same as ../runner-process.ts on
one machine, with the same protocol. Events and results are those of ../node/lambda.ts.
"""
import json
import os
import socket
import subprocess
import sys
import time

import family
from conversation import Conversation, Output

TEMPORARY = '/tmp'
START_SECONDS = 10  # maximum wait for a runner to be ready
GRACE_SECONDS = 1.5  # the runner ends a run earlier by itself
MAX_MEGABYTES = 320
OWN_MEGABYTES = 64  # of the function's memory, reserved for Lambda's runtime, this supervisor and the runner
VARIABLES = {
    'HOME': TEMPORARY,
    'LANG': 'en_US.UTF-8',
    'PATH': '/usr/local/bin:/usr/bin:/bin',
    'PWD': TEMPORARY,
    'TMPDIR': TEMPORARY,
    'TZ': 'UTC',
}
PASSED = ('LD_LIBRARY_PATH',)  # by which Lambda's Python finds its library; the runner hides it from scripts
MAX_REASON = 2000  # characters
# What does not hold if the kernel refuses a measure of the runner, by its name.
MISSING = {
    'filters': 'system call filters: forks and memory outside of processes are limited by Lambda alone',
    'privileges': 'no new privileges: programs may gain some',
    'orphans': 'to adopt orphaned processes: they may outlive their run',
    'hiding': 'to hide the runner: scripts may read its memory',
}

folder = os.path.dirname(os.path.abspath(__file__))


class RunnerNotStarted(Exception):
    """The runner has ended before it was ready, or was not ready in time. Lambda reports the message."""


class Runner:
    """A process that runs the script, one run at a time."""

    def __init__(self):
        self.control, runner_end = socket.socketpair()
        arguments = [str(runner_end.fileno()), TEMPORARY, str(_max_megabytes())]
        if os.path.isdir(f'{folder}/packages'):
            arguments.append(f'packages={folder}/packages')
        self.process = subprocess.Popen(
            [sys.executable, '-I', '-S', '-B', '-X', 'utf8', f'{folder}/runner.py', *arguments],
            cwd=TEMPORARY,
            env={**VARIABLES, **{name: os.environ[name] for name in PASSED if name in os.environ}},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[runner_end.fileno()],
        )
        runner_end.close()
        self.has_script = False
        self.refused = self._wait_until_ready()

    def _wait_until_ready(self):
        """Returns the names of what the kernel has refused to the runner."""
        conversation, errors = Conversation(self.control, b'', lambda message: 'ready' in message), self.process.stderr
        output = Output(errors)
        conversation.run(START_SECONDS, [output])
        if conversation.message is not None:
            return conversation.message.get('refused', [])
        self._kill()
        end = f'not ready in {START_SECONDS} s' if conversation.is_late else f'exit code {self.process.returncode}'
        text = ''.join(each if each.isprintable() or each == '\n' else '\ufffd' for each in output.text().strip())
        raise RunnerNotStarted(f'The runner of scripts does not start ({end}): {text[-MAX_REASON:]}')

    def is_reusable(self):
        """Checks whether the process may run the script again. False once it has ended."""
        return self.process.poll() is None

    def run(self, event):
        """Runs the script and returns the result of the function."""
        mark = os.urandom(16).hex()
        line = self._describe(mark, event)
        executed_at, started = time.time(), time.monotonic()
        conversation = Conversation(self.control, line, lambda message: message.get('mark') == mark)
        outputs = [Output(each) for each in (self.process.stdout, self.process.stderr)]
        conversation.run(event['timeoutMs'] / 1000 + GRACE_SECONDS, outputs)
        duration = time.monotonic() - started
        report = conversation.message or {}
        is_open = not any(each.has_ended for each in outputs)
        if not conversation.is_whole or not is_open or report.get('isReusable') is not True:
            self._kill()
        result = {
            'executedAtMs': int(executed_at * 1000),
            'durationMs': round(duration * 1000),
            'exitCode': report.get('exitCode', self._exit_code()),
            'isTimedOut': conversation.is_late,
            'isCut': conversation.is_cut or report.get('isTooBig') is True,
            'stdout': outputs[0].text(),
            'stderr': outputs[1].text() + _describe_end(conversation),
        }
        return {**result, 'response': report['response']} if 'response' in report else result

    def _describe(self, mark, event):
        line = {'mark': mark, 'timeoutMs': event['timeoutMs']}
        for name in ('args', 'config', 'meta'):
            line[name] = json.dumps(event[name])
        if not self.has_script:
            with open(f'{folder}/main.py', encoding='utf-8', newline='') as file:
                line['source'] = file.read()
        self.has_script = True
        return f'{json.dumps(line)}\n'.encode()

    def _exit_code(self):
        """Returns None while the process runs, and when a signal has killed it."""
        code = self.process.returncode
        return None if code is None or code < 0 else code

    def _kill(self):
        """Kills the process and all its descendants."""
        self.process.kill()
        self.process.wait()
        family.kill_descendants()
        for each in (self.control, self.process.stdout, self.process.stderr):
            each.close()


def handler(event, _context):
    """Runs the script in the runner of its last run if that is reusable, otherwise in a new one."""
    global runner
    if event['version'] != version:
        return {'stale': True, 'version': version}
    if not runner.is_reusable():
        runner = Runner()
    result = runner.run(event)
    return {**result, 'refused': refused.pop()} if refused else result


def _describe_end(conversation):
    """Describes the end of a runner that neither reports nor was killed here."""
    if conversation.message is not None or conversation.is_late or conversation.is_cut:
        return ''
    return 'The run was killed: by the system, as when the memory of its function is used up, or by itself.\n'


def _max_megabytes():
    own = int(os.environ['AWS_LAMBDA_FUNCTION_MEMORY_SIZE']) - OWN_MEGABYTES
    return min(MAX_MEGABYTES, own)


if 'AWS_LAMBDA_FUNCTION_NAME' not in os.environ:
    raise RuntimeError(f'this is for Lambda alone: it would empty {TEMPORARY} of this machine')
with open(f'{folder}/version.json', encoding='utf-8') as file:
    version = json.load(file)['version']
family.adopt_orphans()
family.hide()
runner = Runner()
refused = [runner.refused] if runner.refused else []  # until a result has reported it: the function may log nothing
for each in runner.refused:
    print(f'The kernel refuses {MISSING[each]}.', file=sys.stderr)
