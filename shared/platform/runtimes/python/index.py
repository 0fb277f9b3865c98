"""The supervisor of a Python script in Lambda: the handler of the script's own function.

It lies in the function's zip beside the runner, the source and the version, and does what ../runner-process.ts does on
one machine, by the same protocol. Events and answers are those of ../node/lambda.ts.
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
START_SECONDS = 10  # a runner that is not ready by then never will be
GRACE_SECONDS = 1.5  # a runner ends its runs by itself before
MAX_MEGABYTES = 320
OWN_MEGABYTES = 64  # of the function's memory, for Lambda's runtime, this supervisor and the runner
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
        self.control, theirs = socket.socketpair()
        arguments = [str(theirs.fileno()), TEMPORARY, str(_max_megabytes())]
        self.process = subprocess.Popen(
            [sys.executable, '-I', '-S', '-B', '-X', 'utf8', f'{folder}/runner.py', *arguments],
            cwd=TEMPORARY,
            env=VARIABLES,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        self.knows_script = False
        Conversation(self.control, b'', lambda message: 'ready' in message).hold(START_SECONDS)

    def is_reusable(self):
        """Whether it may run the script again. False once it has ended."""
        return self.process.poll() is None

    def run(self, event):
        """Has it run the script. Gives the function's answer."""
        mark = os.urandom(16).hex()
        line = self._describe(mark, event)
        executed_at, started = time.time(), time.monotonic()
        talk = Conversation(self.control, line, lambda message: message.get('mark') == mark)
        outputs = [Output(each) for each in (self.process.stdout, self.process.stderr)]
        talk.hold(event['timeoutMs'] / 1000 + GRACE_SECONDS, outputs)
        duration = time.monotonic() - started
        report = talk.message or {}
        is_open = not any(each.has_ended for each in outputs)
        if not talk.is_whole or not is_open or report.get('isReusable') is not True:
            self._end()
        answer = {
            'executedAtMs': int(executed_at * 1000),
            'durationMs': round(duration * 1000),
            'exitCode': report.get('exitCode', self._exit_code()),
            'isTimedOut': talk.is_late,
            'isCut': talk.is_cut or report.get('isTooBig') is True,
            'stdout': outputs[0].text(),
            'stderr': outputs[1].text(),
        }
        return {**answer, 'response': report['response']} if 'response' in report else answer

    def _describe(self, mark, event):
        line = {'mark': mark, 'timeoutMs': event['timeoutMs']}
        for name in ('args', 'config', 'meta'):
            line[name] = json.dumps(event[name])
        if not self.knows_script:
            with open(f'{folder}/main.py', encoding='utf-8', newline='') as file:
                line['source'] = file.read()
        self.knows_script = True
        return f'{json.dumps(line)}\n'.encode()

    def _exit_code(self):
        """None while it lives, and when a signal has ended it."""
        code = self.process.returncode
        return None if code is None or code < 0 else code

    def _end(self):
        """Ends it, and all that it has started."""
        self.process.kill()
        self.process.wait()
        family.end()
        for each in (self.control, self.process.stdout, self.process.stderr):
            each.close()


def handler(event, _context):
    """Runs the script, by the runner of its last run where that is fit for it."""
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
family.keep_below()
family.hide()
runner = Runner()
