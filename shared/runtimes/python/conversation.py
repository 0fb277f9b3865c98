"""The communication of a supervisor with a runner during one run."""
import json
import os
import selectors
import time

MAX_OUTPUT = 524_288  # bytes of both streams
MAX_RECEIVED = 16 * 2**20  # bytes; a report is smaller
DRAIN_SECONDS = 0.5  # maximum wait for output after the report


class Output:
    """The output of one stream during a run."""

    def __init__(self, stream):
        self.stream = stream
        self.data = bytearray()
        self.has_ended = False

    def read(self):
        """Reads available data. Returns False at the end of the stream."""
        part = os.read(self.stream.fileno(), 65_536)
        self.data += part
        self.has_ended = part == b''
        return not self.has_ended

    def text(self):
        """Returns the output; invalid UTF-8 becomes U+FFFD."""
        return self.data.decode('utf-8', 'replace')


class Conversation:
    """One line to a runner, and the message that replies to it.

    After `run`: `message` is a dict, or None without a reply; `is_late` is True if no message arrived in time;
    `is_cut` if the output exceeded its limit and was read no further; `is_whole` if the message arrived and all output
    before it was read.
    """

    def __init__(self, control, line, is_reply):
        self.control = control
        self.line = memoryview(line)
        self.is_reply = is_reply
        self.received = bytearray()
        self.message = None
        self.is_finished = False
        self.is_late = self.is_cut = self.is_whole = False

    def run(self, seconds, outputs=()):
        """Sends the line and reads until the reply and the output are complete, at most for `seconds`."""
        deadline = time.monotonic() + seconds
        streams = [each.stream for each in outputs]
        with selectors.DefaultSelector() as selector, self.control.dup() as sender:
            sender.setblocking(False)
            selector.register(sender, selectors.EVENT_WRITE, self._send)
            selector.register(self.control, selectors.EVENT_READ, self._receive)
            for each in outputs:
                selector.register(each.stream, selectors.EVENT_READ, each.read)
            while time.monotonic() < deadline and not (self.is_whole or self.is_cut):
                was_finished = self.is_finished
                ready = selector.select(0 if was_finished else deadline - time.monotonic())
                for key, _ in ready:
                    if not key.data():
                        selector.unregister(key.fileobj)
                if self.is_finished and not was_finished:
                    deadline = min(deadline, time.monotonic() + DRAIN_SECONDS)
                self.is_cut = sum(len(each.data) for each in outputs) > MAX_OUTPUT
                self.is_whole = was_finished and not any(key.fileobj in streams for key, _ in ready)
        self.is_late = not self.is_finished and not self.is_cut

    def _send(self):
        try:
            self.line = self.line[self.control.send(self.line):]
        except OSError:
            return False  # the runner has ended, which the read detects
        return len(self.line) > 0

    def _receive(self):
        part = self.control.recv(65_536)
        self.received += part
        if b'\n' in part:
            *lines, rest = self.received.split(b'\n')
            self.received = rest
            for message in map(_parse, lines):
                if message is not None and self.is_reply(message):
                    self.message = message
        is_closed = part == b'' or len(self.received) > MAX_RECEIVED
        self.is_finished = is_closed or self.message is not None
        return not self.is_finished


def _parse(line):
    """Parses a message. Returns None for invalid ones, which a script can make a runner send."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None
