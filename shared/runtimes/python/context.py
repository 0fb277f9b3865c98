"""One run of a script: its globals, and its result. Requires only packages.py, and Python 3.9 or later."""
import atexit
import binascii
import builtins
import codecs
import io
import json
import linecache
import math
import os
import signal
import site
import sys
import threading
import traceback
import types

import operator_packages
import packages

for each in (operator_packages, packages):
    del sys.modules[each.__name__]  # scripts must not import it

FILE_NAME = 'main.py'  # of each script, shown in tracebacks
TIMEOUT_CODE = 124
HIDDEN = ('LD_LIBRARY_PATH',)  # Lambda's Python needs it
MAX_BYTES = 524_288  # of a response; what is longer is cut here, and judged as too long

_exit = os._exit
_own_files = (
    __file__,
    operator_packages.__file__,
    packages.__file__,
    getattr(sys.modules['__main__'], '__file__', None),
)


class HttpResponse:
    """A custom response. None stands for the default value."""

    def __init__(self, status_code=200, content='', content_type='application/json', headers=None):
        self.status_code = 200 if status_code is None else status_code
        self.content = '' if content is None else content
        self.content_type = 'application/json' if content_type is None else content_type
        self.headers = {} if headers is None else headers


class Context:
    """The globals of one run. Create one per run, before its input is known."""

    def __init__(self):
        self.response = None
        self.has_thread_failed = False
        self.module = types.ModuleType('__main__')
        self.streams = _open_stream(1), _open_stream(2)

    def run(self, script, inputs):
        """Runs a script until it and its threads have ended.

        `script` is its source or its compiled code. `inputs` has JSON in `args`, `config` and `meta`, and `timeoutMs`.
        Returns the exit code, and the JSON of the custom response or None.
        """
        self._prepare(inputs)
        _start_alarm(inputs['timeoutMs'] / 1000)
        exit_code, may_respond = self._execute(script)
        try:
            threading._shutdown()  # waits for threads that are not daemons
            atexit._run_exitfuncs()
        except BaseException as error:
            exit_code = exit_code or _fail(error)
        _flush()
        exit_code = exit_code or int(self.has_thread_failed)
        if exit_code != 0 or not may_respond or not isinstance(self.response, HttpResponse):
            return exit_code, None
        try:
            return 0, describe_response(self.response)
        except BaseException as error:
            return _fail(error), None

    def _execute(self, script):
        """Returns the exit code, and whether the run may have a custom response."""
        try:
            code = script if isinstance(script, types.CodeType) else compile_source(script)
            packages.install()
            exec(code, vars(self.module))
        except SystemExit as error:
            return _exit_code_of(error), False
        except BaseException as error:
            return _fail(error), False
        return 0, True

    def _prepare(self, inputs):
        os.environ.pop('LC_CTYPE', None)  # set by Python itself
        meta = json.loads(inputs['meta'])
        operator_packages.name_server(meta)
        sys.argv = [FILE_NAME]
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = self.streams
        sys.modules['__main__'] = self.module
        threading.excepthook = self._fail_in_thread
        site.setquit()
        site.sethelper()
        vars(self.module).update(
            __builtins__=builtins,
            __file__=FILE_NAME,
            ARGS=json.loads(inputs['args']),
            CONFIG=json.loads(inputs['config']),
            META=meta,
            HttpResponse=HttpResponse,
            set_response=self._set_response,
        )

    def _set_response(self, response=None):
        self.response = response

    def _fail_in_thread(self, args, _print=threading.excepthook):
        self.has_thread_failed = self.has_thread_failed or args.exc_type is not SystemExit
        _print(args)


HttpResponse.__module__ = '__main__'


def open_process(properties):
    """Prepares this process for its runs: adds packages, and hides variables of Python's own.

    Programs that a script starts still have the latter: one may be Python.
    """
    operator_packages.add_folder(properties)
    for name in HIDDEN:
        os.environ._data.pop(os.environ.encodekey(name), None)


def compile_source(source):
    """Compiles a script, without its packages, and registers its lines for tracebacks. Raises like `compile`."""
    source = packages.split(source[1:] if source.startswith('\ufeff') else source)
    lines = source.splitlines(True)
    linecache.cache[FILE_NAME] = len(source), None, lines, FILE_NAME
    return compile(source, FILE_NAME, 'exec', dont_inherit=True)


def describe_response(response):
    """Returns the JSON of a custom response. Raises when its content cannot be converted to JSON or text."""
    parts = {
        'status_code': response.status_code,
        **_describe_content(response.content),
        'content_type': _describe_value(response.content_type),
        'headers': _describe_headers(response.headers),
    }
    return json.dumps(parts, default=str)


def _describe_content(content):
    """Describes the content: bytes as text where they are UTF-8, which traces can show, else in base64."""
    if isinstance(content, (bytes, bytearray, memoryview)):
        data = bytes(content)[:MAX_BYTES + 1]
        try:
            return {'content': data.decode()}
        except UnicodeDecodeError:
            return {'content': binascii.b2a_base64(data, newline=False).decode(), 'encoding': 'base64'}
    return {'content': _to_json(content) if isinstance(content, (dict, list)) else str(content)}


def _to_json(content):
    try:
        return json.dumps(content, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        if 'JSON compliant' not in str(error):
            raise
        raise ValueError('NaN and Infinity are not JSON: the response cannot contain them') from None


def _describe_headers(headers):
    if not isinstance(headers, dict):
        return headers
    return {name: _describe_value(value) for name, value in headers.items()}


def _describe_value(value):
    """Describes the value of a header. NaN and Infinity become text, as JSON does not have them."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError('a header of the response has bytes: decode them')
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return [_describe_value(each) for each in value] if isinstance(value, (list, tuple)) else value


def _exit_code_of(error):
    """Returns the exit code that `sys.exit` would give."""
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) if 0 <= code <= 255 else 255
    try:
        print(code, file=sys.stderr)
    except Exception:
        pass  # not printable, or the stream is closed: the run has failed in any case
    return 1


def _fail(error):
    """Prints an uncaught error. Returns the exit code."""
    try:
        error.__traceback__ = _script_part(error.__traceback__)
        if sys.excepthook is sys.__excepthook__:
            traceback.print_exception(type(error), error, error.__traceback__)
        else:
            sys.excepthook(type(error), error, error.__traceback__)
    except BaseException:
        os.write(2, f'{type(error).__name__} that cannot be shown\n'.encode())
    return 1


def _script_part(tb):
    """Returns the traceback without the runner's frames before the script."""
    while tb is not None and tb.tb_frame.f_code.co_filename in _own_files:
        tb = tb.tb_next
    return tb


def _start_alarm(seconds):
    """Starts an alarm that ends the process at its time limit. A script can disable it."""
    if not hasattr(signal, 'setitimer'):
        return
    signal.signal(signal.SIGALRM, _end_at_timeout)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _end_at_timeout(_signal, frame):
    try:
        stack = [each for each in traceback.extract_stack(frame) if each.filename not in _own_files]
        lines = ['Time is over. Stack (most recent call last):\n', *traceback.format_list(stack)]
        _flush()
        os.write(2, ''.join(lines).encode('utf-8', 'replace'))
    finally:
        _exit(TIMEOUT_CODE)


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass  # closed or replaced by the script: there is nothing to flush


def _open_stream(descriptor):
    """Opens an unbuffered stream, so that output is visible when the script hangs or crashes."""
    raw = io.FileIO(descriptor, 'wb', closefd=False)
    return io.TextIOWrapper(raw, 'utf-8', 'groundwork.replace', '\n', write_through=True)


def _replace(error):
    return '\ufffd'.encode() * (error.end - error.start), error.end


codecs.register_error('groundwork.replace', _replace)
