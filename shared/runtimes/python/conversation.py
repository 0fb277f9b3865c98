"""What a supervisor says to a runner, and hears from it until all is said."""
import json
import os
import selectors
import time

MAX_OUTPUT = 524_288  # bytes of both streams
MAX_RECEIVED = 16 * 2**20  # bytes; a report is smaller
DRAIN_SECONDS = 0.5  # what comes later than that after a report is no longer waited for


class Output:
    """What comes from one stream during a run, up to its mark."""

    def __init__(self, stream, mark):
        self.stream = stream
        self.mark = mark.encode()
        self.data = bytearray()
        self.is_done = False

    def read(self):
        """Reads what there is. True while there may be more."""
        part = os.read(self.stream.fileno(), 65_536)
        self.data += part
        self.is_done = part == b'' or self.data.endswith(self.mark)
        return not self.is_done

    def text(self):
        """All of it without the mark; bytes that are no UTF-8 become U+FFFD."""
        end = len(self.data) - len(self.mark) if self.data.endswith(self.mark) else len(self.data)
        return self.data[:end].decode('utf-8', 'replace')


class Conversation:
    """One line to a runner, and the one message that answers it.

    After `hold`: `message`, a dict, or None without one; `is_late`: none came in time; `is_cut`: there was more output
    than may be, and no more was read; `is_whole`: message and outputs came to their ends.
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
        budget = MAX_OUTPUT + sum(len(each.mark) for each in outputs)
        with selectors.DefaultSelector() as selector, self.control.dup() as sender:
            sender.setblocking(False)
            selector.register(sender, selectors.EVENT_WRITE, self._speak)
            selector.register(self.control, selectors.EVENT_READ, self._hear)
            for each in outputs:
                selector.register(each.stream, selectors.EVENT_READ, each.read)
            while time.monotonic() < until and not (self.is_whole or self.is_cut):
                had_heard = self.has_heard
                for key, _ in selector.select(until - time.monotonic()):
                    if not key.data():
                        selector.unregister(key.fileobj)
                if self.has_heard and not had_heard:
                    until = min(until, time.monotonic() + DRAIN_SECONDS)
                self.is_cut = sum(len(each.data) for each in outputs) > budget
                self.is_whole = self.has_heard and all(each.is_done for each in outputs)
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
