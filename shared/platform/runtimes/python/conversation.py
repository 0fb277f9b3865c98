"""What a supervisor says to a runner, and hears from it until all is said."""
import json
import os
import selectors
import time

MAX_OUTPUT = 524_288  # bytes of both streams
MAX_RECEIVED = 16 * 2**20  # bytes; a report is smaller
DRAIN_SECONDS = 0.5  # what comes later than that after a report is no longer waited for


class Output:
    """What comes from one stream during a run."""

    def __init__(self, stream):
        self.stream = stream
        self.data = bytearray()
        self.has_ended = False

    def read(self):
        """Reads what there is. True while there may be more."""
        part = os.read(self.stream.fileno(), 65_536)
        self.data += part
        self.has_ended = part == b''
        return not self.has_ended

    def text(self):
        """All of it; bytes that are no UTF-8 become U+FFFD."""
        return self.data.decode('utf-8', 'replace')


class Conversation:
    """One line to a runner, and the one message that answers it.

    After `hold`: `message`, a dict, or None without one; `is_late`: none came in time; `is_cut`: there was more output
    than may be, and no more was read; `is_whole`: the message came, and all output that was written before it was read.
    """

    def __init__(self, control, line, is_wanted):
        self.control = control
        self.line = memoryview(line)
        self.is_wanted = is_wanted
        self.received = bytearray()
        self.message = None
        self.has_heard = False
        self.is_late = self.is_cut = self.is_whole = False

    def hold(self, seconds, outputs=()):
        """Holds it until all is said, or for `seconds`."""
        until = time.monotonic() + seconds
        streams = [each.stream for each in outputs]
        with selectors.DefaultSelector() as selector, self.control.dup() as sender:
            sender.setblocking(False)
            selector.register(sender, selectors.EVENT_WRITE, self._speak)
            selector.register(self.control, selectors.EVENT_READ, self._hear)
            for each in outputs:
                selector.register(each.stream, selectors.EVENT_READ, each.read)
            while time.monotonic() < until and not (self.is_whole or self.is_cut):
                had_heard = self.has_heard
                ready = selector.select(0 if had_heard else until - time.monotonic())
                for key, _ in ready:
                    if not key.data():
                        selector.unregister(key.fileobj)
                if self.has_heard and not had_heard:
                    until = min(until, time.monotonic() + DRAIN_SECONDS)
                self.is_cut = sum(len(each.data) for each in outputs) > MAX_OUTPUT
                self.is_whole = had_heard and not any(key.fileobj in streams for key, _ in ready)
        self.is_late = not self.has_heard and not self.is_cut

    def _speak(self):
        try:
            self.line = self.line[self.control.send(self.line):]
        except OSError:
            return False  # it has ended: we shall hear
        return len(self.line) > 0

    def _hear(self):
        part = self.control.recv(65_536)
        self.received += part
        if b'\n' in part:
            *lines, rest = self.received.split(b'\n')
            self.received = rest
            for message in map(_parse, lines):
                if message is not None and self.is_wanted(message):
                    self.message = message
        is_over = part == b'' or len(self.received) > MAX_RECEIVED
        self.has_heard = is_over or self.message is not None
        return not self.has_heard


def _parse(line):
    """A message, or None: a runner may be made to say anything."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None
