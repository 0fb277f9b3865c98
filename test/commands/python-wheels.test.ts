import { type Zippable, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { formatLock, parseLock } from '../../bin/groundwork/project/files/python/lock.ts';
import { parseRequirements } from '../../bin/groundwork/project/files/python/requirements.ts';
import {
  maxUnpackedBytes,
  maxWheelBytes,
  maxWheelFiles,
  readWheel,
  topModules,
} from '../../bin/groundwork/project/files/python/wheel.ts';

const locked = { name: 'words', version: '1.0', hash: '0'.repeat(64) };
const some = new Uint8Array([35]);
const read = (files: Zippable) => readWheel(locked, zipSync(files));

const many = Object.fromEntries(
  Array.from({ length: maxWheelFiles + 1 }, (_, at) => [`words/f${at}.py`, some]),
);

test.each<[string, Zippable, string]>([
  ['a path above', { '../x.py': some }, 'has a path that leaves its folder: ../x.py'],
  ['an absolute path', { '/etc/x': some }, 'has a path that leaves its folder: /etc/x'],
  ['a path of Windows', { 'a\\..\\x': some }, 'has a path that leaves its folder: a\\..\\x'],
  ['a drive', { 'C:x': some }, 'has a path that leaves its folder: C:x'],
  [
    'a symbolic link',
    { 'words/link': [some, { os: 3, attrs: 0o120777 << 16 }] },
    'has a symbolic link: words/link',
  ],
  ['too many files', many, `has more than ${maxWheelFiles} files`],
  [
    'a bomb',
    { 'words.py': new Uint8Array(maxUnpackedBytes + 1) },
    `has more than ${maxUnpackedBytes} bytes unpacked`,
  ],
])('a wheel with %s is refused by name', (_name, files, reason) => {
  expect(() => read(files)).toThrow(`the wheel of words 1.0 ${reason}`);
});

test('a wheel that is too large, or no zip, is refused by name', () => {
  const large = new Uint8Array(maxWheelBytes + 1);

  expect(() => readWheel(locked, large)).toThrow(`words 1.0 has more than ${maxWheelBytes} bytes`);
  expect(() => readWheel(locked, some)).toThrow('the wheel of words 1.0 cannot be read');
});

test('a file that is not compressed counts with its bytes, whatever it declares', () => {
  const content = Buffer.from(
    zipSync({ 'a.py': [new Uint8Array(5_000_000), { level: 0 }], 'b.py': some }),
  );
  const [one, other] = [content.indexOf('PK\x01\x02'), content.lastIndexOf('PK\x01\x02')];
  const entry = content.subarray(one, other);
  entry.writeUInt32LE(0, 24); // its size
  const end = content.subarray(content.lastIndexOf('PK\x05\x06'));
  const entries = ['c.py', 'd.py', 'e.py', 'f.py'].map((name) => {
    const copy = Buffer.from(entry);
    copy.write(name, 46);
    return copy;
  });
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt16LE(entries.length, 8);
  const bomb = Buffer.concat([content.subarray(0, one), ...entries, end]);

  expect(() => readWheel(locked, bomb)).toThrow(`has more than ${maxUnpackedBytes} bytes unpacked`);
});

test('a wheel gives what an installation puts beside modules', () => {
  const files = read({
    'words/__init__.py': some,
    'words/py.typed': some,
    'one.py': some,
    'words-1.0.dist-info/METADATA': some,
    'words-1.0.dist-info/RECORD': some,
    'words-1.0.data/purelib/two.py': some,
    'words-1.0.data/scripts/run.py': some,
  });

  expect([...files.keys()].toSorted()).toEqual([
    'one.py',
    'two.py',
    'words-1.0.dist-info/METADATA',
    'words/__init__.py',
    'words/py.typed',
  ]);
  expect(topModules(files)).toEqual(['one', 'two', 'words']);
});

test('requirements are names with extras, versions and markers', () => {
  const lines = [
    'requests',
    'requests[socks, use_chardet] >=2.1,<3 # why',
    'a.b-c==1.*',
    "x (>=1) ; python_version < '3.12' and extra == 'y'",
  ];

  const found = parseRequirements(`# all\r\n\n${lines.join('\r\n')}`, 'r.txt');

  expect(found).toEqual([lines[0], 'requests[socks, use_chardet] >=2.1,<3', lines[2], lines[3]]);
});

test('a lock file is read as it was written, and another one is an error with its line', () => {
  const lock = { requirements: 'a'.repeat(64), packages: [locked] };
  const text = formatLock(lock);

  expect(parseLock(text, 'x.lock')).toEqual(lock);
  expect(() => parseLock(`${text}other\n`, 'x.lock')).toThrow('x.lock, line 3 is not what');
  expect(() => parseLock('words==1\n', 'x.lock')).toThrow('x.lock, line 1 is not what');
});

test.each([
  ['\r', 'x;python_version>"3"\r--no-binary x'],
  ['\v', 'x;python_version>"3"\v-e .'],
  ['\u2028', 'x\u2028==1'],
])('requirements have no line end of pip alone: %j', (_end, line) => {
  expect(() => parseRequirements(`x\n${line}\n`, 'r.txt')).toThrow('r.txt, line 2: x');
});

test('a long line of requirements takes no long time', () => {
  const startMs = performance.now();

  for (const part of [' ', '1', 'a ', '=='])
    expect(() => parseRequirements(`a==1${part.repeat(20_000)}?`, 'r.txt')).toThrow('line 1');

  expect(performance.now() - startMs).toBeLessThan(2000);
});

test('an option is no package of a lock file', () => {
  const text = formatLock({ requirements: 'a'.repeat(64), packages: [{ ...locked, name: '-r' }] });

  expect(() => parseLock(text, 'x.lock')).toThrow('x.lock, line 2 is not what');
});
