import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import {
  describePython2,
  findPython2,
  maxPython2Findings,
} from '../../shared/values/python/python2.ts';

const python = spawnSync('python3', ['--version']).status === 0;

/** Syntax of Python 2 with what is found, and the line of each; Python 3 rejects each source there. */
const rejected: readonly [what: string, line: number, source: string][] = [
  ['print statement', 1, 'print "hello"'],
  ['print statement', 3, 'import os\n\nprint os.name'],
  ['print statement', 2, 'x = """\n""";print x'],
  ['print statement', 2, 'if ARGS:\n    print "a" % 1, 2'],
  ['print statement', 1, 'if ARGS: print 1'],
  ['print statement', 2, 'try: pass\nexcept: print u"\\u00e9"'],
  ['print statement', 1, 'print not ARGS'],
  ['print statement', 1, 'print lambda: 1'],
  ['print statement', 1, 'print {"a": 1}'],
  ['print statement', 1, 'print ~1'],
  ['print statement', 1, 'print \\\n  "a"'],
  ['print statement', 2, '# -*- coding: utf-8 -*-\r\nprint None\r\n'],
  [
    'print statement',
    4,
    "s = 'it\\'s \\\nprint 1'\nt = r'\\'\nprint 'x'".replace("r'\\'\n", "r'\\''\n"),
  ],
  ['print statement', 2, 's = f"{ARGS!r:>{10}} {{x}}"\nprint s'],
  ['except X, e', 3, 'try:\n    pass\nexcept ValueError, e:\n    raise'],
  ['except X, e', 3, 'try:\n    pass\nexcept (ValueError, KeyError), e: pass'],
  ['except X, e', 3, 'try:\n    pass\nexcept socket.error, error:\n    pass'],
  ['raise E, "text"', 1, 'raise ValueError, "wrong"'],
  ['raise E, "text"', 2, 'if 1:\n    raise E, "x", tb'],
  ['exec statement', 1, 'exec "a = 1"'],
  ['exec statement', 2, 'code = ""\nexec code in {}'],
  ['backticks', 1, 'x = `1`'],
  ['operator <>', 1, 'if 1 <> 2: pass'],
  ['octal number with a leading 0', 1, 'x = 0777'],
  ['octal number with a leading 0', 2, 'import os\nos.chmod("a", 0644)'],
  ['long integer with L', 1, 'x = 10L'],
  ['long integer with L', 1, 'x = [0xFFl]'],
  ["ur'' string", 1, "x = ur'a'"],
  ['tuple as a parameter', 1, 'f = lambda (a, b): a'],
  ['tuple as a parameter', 1, 'def f(x, (a, b)): pass'],
];

test.each(rejected)('%s is found in line %i: %j', (what, line, source) => {
  expect(findPython2(source)).toEqual([{ what, line, isCertain: true }]);
});

test.skipIf(!python)('Python 3 rejects each of these sources, in that line', () => {
  const program = `
import json, sys, warnings
warnings.simplefilter('ignore')
lines = []
for source in json.load(sys.stdin):
    try:
        compile(source, 'main.py', 'exec')
        lines.append(None)
    except SyntaxError as error:
        lines.append(error.lineno)
print(json.dumps(lines), '.'.join(map(str, sys.version_info[:2])))
`;
  const input = JSON.stringify(rejected.map(([, , source]) => source));

  const { stdout } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' });

  const [, lines = '', minor = 0] = /^(.*) 3\.(\d+)$/m.exec(stdout) ?? [];
  const expected = rejected.map(([what, line]) => {
    const isAccepted = Number(minor) >= 14 && what === 'except X, e'; // e is a second class there
    return isAccepted ? null : line;
  });
  expect(JSON.parse(lines)).toEqual(expected);
});

test.each([
  'print("a")',
  'print',
  'print (1), 2',
  'print >> ARGS, 1',
  'print -1',
  'print[0]',
  'print if ARGS else exec',
  'print not in [1]',
  'print is None or print and 1',
  'x = [print for print in []]',
  'from print import print as exec',
  'f = lambda: print\nf()',
  'exec("a") in {}',
  "s = \"print 1\"; t = '''\nprint 2\n0777 `x` <> 10L\n'''",
  '# print 1',
  'x = (1,\nprint, 2)',
  'try: pass\nexcept (A, B) as e: pass',
  'try: pass\nexcept A as e: pass',
  'try: pass\nexcept A, B, C: pass',
  'raise E("a, b") from print',
  'raise E(lambda a, b: 1)',
  'raise lambda a, b: 1',
  'x = 00 + 0_0 + 0.7 + 07.5 + 07e1 + 07j + 0o777 + 1_0 + 0x1f',
  'x = rb"a" + Rb"\\"" + bR\'\\\'\'',
  'f"{x["<> `"]} 0777"',
  'f"{ \'}\' + "<>" }"',
  'f"""{x["a"]} <> {y # }"""\n}"""',
  "f'{x!r:>#10}' f'{{' f'{x:%H:%M}'",
  'def f(a, b=(1, 2), *, c: (int, str) = ((1, 2), 3)) -> g((1, 2)): pass',
  'def f[T: (int, str)](a): pass',
  'from __future__ import barry_as_FLUFL\n1 <> 2',
  'x: print = 1',
  'match print:\n  case exec: pass',
])('nothing is found in Python 3: %j', (source) => {
  expect(findPython2(source)).toEqual([]);
});

test('a second class of errors, which Python 3.14 accepts, is not certain', () => {
  const source = 'from socket import error, timeout\ntry: pass\nexcept error, timeout: pass';
  expect(findPython2(source)).toEqual([{ what: 'except X, e', line: 3, isCertain: false }]);
});

test('findings have their lines, and end at a line or a number of them', () => {
  const source = Array.from({ length: 100 }, () => 'print 0777').join('\n');

  expect(findPython2(source, 2).map(describePython2)).toEqual([
    'line 1: print statement of Python 2',
    'line 1: octal number with a leading 0 of Python 2',
    'line 2: print statement of Python 2',
    'line 2: octal number with a leading 0 of Python 2',
  ]);
  expect(findPython2(source)).toHaveLength(maxPython2Findings);
});

test('hostile texts are read in proportion to their length', () => {
  const length = 3 * 1024 * 1024;
  const units = [
    '"',
    "'",
    '"""',
    '\\',
    '\\\n',
    "f'{",
    'f"""{',
    '(',
    '[(',
    ')',
    'é',
    '0',
    'a ',
    'a,',
    '#',
    '`\n',
    'def f((',
    'print not ',
    'except a, ',
    "ur'",
    'f"""{\'',
    "'\\",
    '\r',
  ];
  for (const unit of units) {
    const text = unit.repeat(length / unit.length);
    let reads = 0;
    findPython2({
      length: text.length,
      charCodeAt: (at) => {
        reads += 1;
        return text.charCodeAt(at);
      },
      slice: (from = 0, to = text.length) => {
        reads += to - from;
        return text.slice(from, to);
      },
    });
    expect([unit, reads < 8 * length]).toEqual([unit, true]);
  }
}, 120_000);

test.skipIf(!python)(
  'nothing is found in the standard library of Python 3',
  () => {
    const program = `
import json, sysconfig, pathlib, tokenize, warnings
warnings.simplefilter('ignore')
for path in sorted(pathlib.Path(sysconfig.get_path('stdlib')).rglob('*.py')):
    if 'site-packages' in path.parts:
        continue
    try:
        with tokenize.open(path) as file:
            source = file.read()
        compile(source, str(path), 'exec')
    except (SyntaxError, UnicodeDecodeError, ValueError):
        continue
    print(json.dumps([str(path), source]))
`;
    const { stdout } = spawnSync('python3', ['-c', program], {
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    });
    const files = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as [string, string]);

    const found = files.flatMap(([path, source]) =>
      findPython2(source).map((each) => `${path}: ${describePython2(each)}`),
    );

    expect(found).toEqual([]);
    expect(files.length).toBeGreaterThan(100);
  },
  120_000,
);
