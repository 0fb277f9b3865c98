"""The processes below this one: counted, and ended. Linux alone."""
import ctypes
import os
import resource
import signal
import time

PAGE = resource.getpagesize()
SET_DEATH_SIGNAL, SET_DUMPABLE, SET_SUBREAPER = 1, 4, 36  # of prctl

_prctl = ctypes.CDLL(None).prctl


def keep_below():
    """From now on what our children leave behind stays below us."""
    _prctl(SET_SUBREAPER, 1, 0, 0, 0)


def hide():
    """From now on other processes of the same user read neither our environment nor our memory and descriptors."""
    _prctl(SET_DUMPABLE, 0, 0, 0, 0)


def depend_on_parent():
    """From now on this process ends when its parent does. Undoes `hide`."""
    _prctl(SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    _prctl(SET_DUMPABLE, 1, 0, 0, 0)


def sizes():
    """The bytes that each process below us holds, by its id."""
    parents, held = {}, {}
    for name in os.listdir('/proc'):
        if not name.isdecimal():
            continue
        try:
            with open(f'/proc/{name}/stat', 'rb') as file:
                fields = file.read().rpartition(b') ')[2].split()
        except OSError:
            continue  # it has ended
        parents[int(name)], held[int(name)] = int(fields[1]), int(fields[21]) * PAGE
    return {pid: size for pid, size in held.items() if _is_below(pid, parents)}


def descriptors(pids):
    """How many descriptors these processes have open, all together."""
    count = 0
    for pid in pids:
        try:
            count += len(os.listdir(f'/proc/{pid}/fd'))
        except OSError:
            pass  # it has ended, or is about to become another program
    return count


def _is_below(pid, parents):
    ancestor = parents[pid]
    while ancestor in parents and ancestor != os.getpid():
        ancestor = parents[ancestor]
    return ancestor == os.getpid()


def end(seconds=2):
    """Ends all processes below us; ends this one when they are too quick for it."""
    give_up = time.monotonic() + seconds
    while _has_children():
        for pid in sizes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has ended
        if time.monotonic() > give_up:
            os._exit(1)
        time.sleep(0.001)


def _has_children():
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
        return True
    except ChildProcessError:
        return False
