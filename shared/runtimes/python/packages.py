"""The packages of a script, in comment lines at the end of its source; see ../python-packages.ts. Needs only Python 3.9.

Compiling looks at the last line of the source. The packages are unpacked, into the temporary folder of the run, when one
of their modules is imported.
"""
import binascii
import importlib.machinery
import os
import re
import sys
import threading

START = '\n# groundwork packages 1 '
END = '\n# end of groundwork packages\n'
HEADER = re.compile(r'(\d{1,8}) ([\w.,]+)\n')
WIDTH = 1000  # characters of base64 in a line
MAX_FILES = 4000
MAX_BYTES = 32 * 2**20  # unpacked
BROKEN = 'the packages at the end of the source are broken: push the script again'
STANDARD = re.compile(r'(^|/)(python3\.?\d+(\.zip)?|lib-dynload)$')  # entries of `sys.path`

_packages = None  # of the script that was compiled last


def split(source):
    """Returns a source without its packages, which `install` uses. Raises ImportError when they are broken."""
    global _packages
    _packages = None
    if not source.endswith(END):
        return source
    start = source.rfind(START)
    header = HEADER.match(source, start + len(START)) if start >= 0 else None
    if header is None:
        raise ImportError(BROKEN)
    size, names = int(header[1]), header[2].split(',')
    body = source[header.end() - 1:-len(END)]
    if len(body) != size + -(-size // WIDTH) * len('\n# '):
        raise ImportError(BROKEN)
    _packages = Packages(frozenset(names), body)
    return source[:start + 1]


def install():
    """Makes the packages of the compiled script importable."""
    if _packages is not None:
        _packages.folder = os.environ.get('TMPDIR', '/tmp')
        sys.meta_path.insert(sys.meta_path.index(importlib.machinery.PathFinder), _packages)


class Packages:
    """A finder that finds nothing itself: it adds the packages to `sys.path` when they are needed."""

    def __init__(self, names, body):
        self.names, self.body = names, body
        self.folder = None
        self.lock = threading.RLock()

    def find_spec(self, name, path=None, target=None):
        if path is None and name in self.names:
            self.unpack()

    def find_distributions(self, _context=None):
        """Is called by `importlib.metadata`, before it looks at `sys.path`."""
        self.unpack()
        return ()

    def invalidate_caches(self):
        pass

    def unpack(self):
        with self.lock:
            if self.body is None:
                return
            body, self.body = self.body, None
            folder = os.path.join(self.folder, f'.packages-{os.getpid()}')
            os.mkdir(folder, 0o700)
            _unpack(_decode(body), folder)
            sys.path.insert(_after_standard(), folder)


def _decode(body):
    text = body.replace('\n# ', '')
    data = binascii.a2b_base64(text)
    if len(data) != len(text) // 4 * 3 - text.count('=', -2):
        raise ImportError(BROKEN)
    return data


def _unpack(data, folder):
    import io
    import zipfile
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_FILES or sum(each.file_size for each in entries) > MAX_BYTES:
                raise ImportError(f'{BROKEN}: they are too large')
            for entry in entries:
                _write(archive.read(entry), folder, entry.filename)
    except (zipfile.BadZipFile, EOFError) as error:
        raise ImportError(BROKEN) from error


def _write(content, folder, name):
    parts = name.split('/')
    if '\\' in name or '\0' in name or any(part in ('', '.', '..') for part in parts):
        raise ImportError(f'{BROKEN}: {name!r} is not a path in them')
    os.makedirs(os.path.join(folder, *parts[:-1]), exist_ok=True)
    with open(os.path.join(folder, *parts), 'xb') as file:
        file.write(content)


def _after_standard():
    """Returns the position in `sys.path` after the standard library, before packages of the operator."""
    found = [at for at, entry in enumerate(sys.path) if STANDARD.search(entry)]
    return found[-1] + 1 if found else len(sys.path)
