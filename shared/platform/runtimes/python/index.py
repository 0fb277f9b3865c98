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

folder = os.path.dirname(os.path.abspath(__file__))


class Runner:
    """A process that runs the script, one run at a time."""

    def __init__(self):
        self.control, runner_end = socket.socketpair()
        arguments = [str(runner_end.fileno()), TEMPORARY, str(_max_megabytes())]
        self.process = subprocess.Popen(
            [sys.executable, '-I', '-S', '-B', '-X', 'utf8', f'{folder}/runner.py', *arguments],
            cwd=TEMPORARY,
            env=VARIABLES,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[runner_end.fileno()],
        )
        runner_end.close()
        self.has_script = False
        Conversation(self.control, b'', lambda message: 'ready' in message).run(START_SECONDS)

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
            'stderr': outputs[1].text(),
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
    return runner.run(event)


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
