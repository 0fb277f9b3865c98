"""Counts and kills the descendants of this process. Linux only."""
import ctypes
import os
import resource
import signal
import time

PAGE = resource.getpagesize()
SET_DEATH_SIGNAL, SET_DUMPABLE, SET_SUBREAPER = 1, 4, 36  # of prctl

_prctl = ctypes.CDLL(None).prctl


def adopt_orphans():
    """Makes this process the parent of orphaned descendants. Returns False if the kernel refuses it."""
    return _prctl(SET_SUBREAPER, 1, 0, 0, 0) == 0


def hide():
    """Hides environment, memory and descriptors of this process from other processes of the same user.

    Returns False if the kernel refuses it.
    """
    return _prctl(SET_DUMPABLE, 0, 0, 0, 0) == 0


def end_with_parent():
    """Makes the system kill this process when its parent ends. Undoes `hide`."""
    _prctl(SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    _prctl(SET_DUMPABLE, 1, 0, 0, 0)


def resident_sizes():
    """Returns the resident bytes of each descendant by its id."""
    parents, sizes = {}, {}
    for name in os.listdir('/proc'):
        if not name.isdecimal():
            continue
        try:
            with open(f'/proc/{name}/stat', 'rb') as file:
                fields = file.read().rpartition(b') ')[2].split()
        except OSError:
            continue  # the process has ended
        parents[int(name)], sizes[int(name)] = int(fields[1]), int(fields[21]) * PAGE
    return {pid: size for pid, size in sizes.items() if _is_descendant(pid, parents)}


def descriptors(pids):
    """Counts the open descriptors of these processes."""
    count = 0
    for pid in pids:
        try:
            count += len(os.listdir(f'/proc/{pid}/fd'))
        except OSError:
            pass  # the process has ended, or is executing another program
    return count


def _is_descendant(pid, parents):
    ancestor = parents[pid]
    while ancestor in parents and ancestor != os.getpid():
        ancestor = parents[ancestor]
    return ancestor == os.getpid()


def kill_descendants(seconds=2):
    """Kills all descendants. Exits if some are left after `seconds`."""
    deadline = time.monotonic() + seconds
    while _has_children():
        for pid in resident_sizes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # the process has ended
        if time.monotonic() > deadline:
            os._exit(1)
        time.sleep(0.001)


def _has_children():
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
        return True
    except ChildProcessError:
        return False
