import type { ScriptRuntime } from '../../shared/ports/script-runner.ts';

/** A script that makes its folder hard to delete, or hides files in it. */
export interface FolderAttack {
  readonly name: string;
  readonly runtime: ScriptRuntime;
  readonly source: string;
}

const deepPython = (depth: number) => `
import os
for n in range(${depth}):
    os.mkdir('d' * 100)
    os.chdir('d' * 100)
open('f', 'w').close()`;

/** Renames a deep tree to the end of another one: the path of its last folder is longer than PATH_MAX. */
const deepJavaScript = `
const fs = require('fs');
const path = Array(19).fill('d'.repeat(200)).join('/');
fs.mkdirSync('a/' + path, { recursive: true });
for (let n = 0; n < 3; n++) {
  fs.mkdirSync('b/' + path, { recursive: true });
  fs.renameSync('a', 'b/' + path + '/c');
  fs.renameSync('b', 'a');
}`;

/** Scripts whose folder a plain recursive deletion cannot delete, as root or as another user. */
export const stubbornFolders: readonly FolderAttack[] = [
  {
    name: 'a file in a folder that cannot be listed',
    runtime: 'node',
    source: "const fs = require('fs'); fs.mkdirSync('x', 0o300); fs.writeFileSync('x/f', 'a')",
  },
  {
    name: 'the same from Python',
    runtime: 'python',
    source: "import os\nos.mkdir('x', 0o300)\nopen('x/f', 'w').write('a')",
  },
  {
    name: 'folders of all modes in each other',
    runtime: 'node',
    source: `const fs = require('fs');
      for (const first of [0o300, 0o200, 0o100, 0o500, 0]) {
        fs.mkdirSync('m' + first, 0o300);
        for (const second of [0o300, 0o500, 0]) {
          fs.mkdirSync('m' + first + '/n' + second, second);
          if (second === 0o300) fs.writeFileSync('m' + first + '/n' + second + '/f', 'a');
        }
        try { fs.chmodSync('m' + first, first); } catch {}
      }`,
  },
  { name: 'folders deeper than the longest path', runtime: 'node', source: deepJavaScript },
  { name: 'the same from Python by chdir', runtime: 'python', source: deepPython(300) },
  {
    name: 'folders much deeper, each of which cannot be listed',
    runtime: 'python',
    source: `
import os
for n in range(1000):
    os.mkdir('d', 0o300)
    os.chdir('d')
for n in range(100):
    open(str(n), 'w').close()`,
  },
  {
    name: 'links to folders outside of it',
    runtime: 'python',
    source: `
import os
os.mkdir('x', 0o300)
os.symlink('/usr', 'x/usr')
os.symlink('..', 'x/up')
os.symlink('x', 'loop')
os.mkfifo('x/pipe')`,
  },
];

/** Writes 800 MB, 10 MB at a time with a pause, and a dot on standard output for each megabyte. */
const fillJavaScript = (open: string) => `
const fs = require('fs');
const bytes = Buffer.alloc(1e7, 1);
let n = 0;
const timer = setInterval(() => {
  if (++n > 80) return clearInterval(timer);
  ${open}
  process.stdout.write('.'.repeat(10));
}, 10);`;

const fillPython = (prepare: string, write: string) => `
import ctypes, mmap, os, sys, time
data = b'1' * 10**7
${prepare}
for n in range(80):
    ${write}
    print('.' * 10, end='', flush=True)
    time.sleep(0.01)`;

/** Maps files 60,000 times under a long name, and removes them: what the kernel says about it has more than 50 MB. */
export const manyMappings = `
import ctypes, os, time
path = '/'.join(['d' * 200] * 5)
os.makedirs(path)
file = os.open(path + '/f', os.O_RDWR | os.O_CREAT)
os.ftruncate(file, 16384)
os.unlink(path + '/f')
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
base = libc.mmap(None, 4096 * 60000, 0, 0x22, -1, 0)
for n in range(60000):
    assert libc.mmap(base + 4096 * n, 4096, 1, 0x11, file, 8192 * (n % 2)) == base + 4096 * n
print('mapped', flush=True)
time.sleep(5)`;

/** Allocates 1 GB for an empty file at once, which no maximum size of a file limits. */
export const allocations = [1, 0x11].map(
  (mode) => `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.fallocate.argtypes = [ctypes.c_int] * 2 + [ctypes.c_long] * 2
with open('f', 'wb') as file:
    libc.fallocate(file.fileno(), ${mode}, 0, 10**9)
    print(os.fstat(file.fileno()).st_blocks, os.strerror(ctypes.get_errno()), flush=True)`,
);

/** Scripts that write 800 MB into files which are hard to find. */
export const hiddenFiles: readonly FolderAttack[] = [
  {
    name: 'in a folder that cannot be listed',
    runtime: 'node',
    source: `require('fs').mkdirSync('x', 0o300);${fillJavaScript("fs.writeFileSync('x/' + n, bytes);")}`,
  },
  {
    name: 'in folders that cannot be entered from outside',
    runtime: 'python',
    source: fillPython(
      "os.mkdir('x', 0o300)\nos.mkdir('x/y', 0o300)",
      "open(f'x/y/{n}', 'wb').write(data)",
    ),
  },
  {
    name: 'below a path that is too long',
    runtime: 'node',
    source: `const path = Array(19).fill('d'.repeat(200)).join('/');
      ${fillJavaScript(`
        for (const tree of ['a/', 'b/']) fs.mkdirSync(tree + path, { recursive: true });
        fs.writeFileSync('a/' + path + '/f', bytes);
        fs.renameSync('a', 'b/' + path + '/c');
        fs.renameSync('b', 'z' + n);`)}`,
  },
  {
    name: 'below a path that is too long, from Python',
    runtime: 'python',
    source: `${deepPython(300)}\n${fillPython('', "open(str(n), 'wb').write(data)")}`,
  },
  {
    name: 'in removed files that are open',
    runtime: 'python',
    source: fillPython(
      'files = []',
      "files.append(open('f', 'wb')); os.unlink('f'); files[-1].write(data)",
    ),
  },
  {
    name: 'in removed files that are mapped but not open',
    runtime: 'python',
    source: fillPython(
      `
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
def hide(n):
    with open('f', 'w+b') as file:
        file.write(data)
        file.flush()
        assert libc.mmap(None, ctypes.c_size_t(4096), 1, 1, file.fileno(), ctypes.c_long(0)) != 2**64 - 1
    os.unlink('f')`,
      'hide(n)',
    ),
  },
];
