import { afterAll, describe, expect, test } from 'vitest';
import { appendPackages } from '../../shared/runtimes/python-packages.ts';
import { boxedPythonHosts } from './box-hosts.ts';
import { pythonHosts } from './python-hosts.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const files = new Map([
  ['greetings/__init__.py', bytes("from greetings.words import hello\nNAME = 'żółw'\n")],
  [
    'greetings/words.py',
    bytes(
      "def hello(who):\n    if not who:\n        raise ValueError('nobody')\n    return 'hello ' + who\n",
    ),
  ],
  ['greetings/data.txt', bytes('x'.repeat(5000))],
  ['json.py', bytes("raise RuntimeError('not the standard library')\n")],
  [
    'greetings-1.2.dist-info/METADATA',
    bytes('Metadata-Version: 2.1\nName: greetings\nVersion: 1.2\n'),
  ],
]);
const pack = (source: string) => appendPackages(source, ['greetings', 'json'], files);
const end = '# end of groundwork packages\n';

const cases = [
  {
    name: 'a package is imported, and its data are files',
    source: pack(
      "import greetings, os\nprint(greetings.hello('ada'), greetings.NAME)\nprint(len(open(os.path.join(os.path.dirname(greetings.__file__), 'data.txt')).read()))\n",
    ),
    expected: { status: 'success', stdout: 'hello ada żółw\n5000', stderr: '' },
  },
  {
    name: 'its metadata is found before it is imported',
    source: pack("from importlib.metadata import version\nprint(version('greetings'))"),
    expected: { status: 'success', stdout: '1.2', stderr: '' },
  },
  {
    name: 'nothing is unpacked without an import, and the standard library is first',
    source: pack('import json, os\nprint(json.dumps([1]), os.listdir(os.environ["TMPDIR"]))\n'),
    expected: { status: 'success', stdout: '[1] []', stderr: '' },
  },
  {
    name: 'a package is before the folders of others in sys.path',
    source: pack(
      "import sys\nsys.path.append('/operator')\nimport greetings\nown = [at for at, each in enumerate(sys.path) if '/.packages-' in each]\nprint(own[0] < sys.path.index('/operator'), 'lib-dynload' in sys.path[own[0] - 1] or own[0])\n",
    ),
    expected: { status: 'success', stdout: expect.stringMatching(/^True (True|\d)$/), stderr: '' },
  },
  {
    name: 'a traceback has the lines of the script and of the package',
    source: pack("import greetings\n\ngreetings.hello('')"),
    expected: {
      status: 'failure',
      stdout: '',
      stderr: expect.stringMatching(
        /^Traceback[^\n]*\n {2}File "main.py", line 3, in <module>\n {4}greetings.hello\(''\)\n[\s\S]*words.py", line 3, in hello\n {4}raise ValueError\('nobody'\)\n(.*\n)?ValueError: nobody$/,
      ),
    },
  },
  {
    name: 'the words of the format in a text are a text',
    source: `a = '''\n# groundwork packages 1 8 os\n# AAAA\n${end}'''\nprint(len(a))\n`,
    expected: { status: 'success', stdout: '66', stderr: '' },
  },
  {
    name: 'packages that were cut are named as the reason',
    source: pack('import greetings\n').replace(/\n# .{20}/, '\n# '),
    expected: {
      status: 'failure',
      stdout: '',
      stderr:
        'ImportError: the packages at the end of the source are broken: push the script again',
    },
  },
  {
    name: 'so are packages with other characters',
    source: pack('import greetings\n')
      .replace(/(\n# )UEsD/, '$1AAAA')
      .replace(/.{8}(\n# end)/, 'AAAAAAAA$1'),
    expected: {
      status: 'failure',
      stdout: '',
      stderr: expect.stringContaining(
        'ImportError: the packages at the end of the source are broken',
      ),
    },
  },
  {
    name: 'a path out of the folder is not unpacked',
    source: appendPackages('import evil\n', ['evil'], new Map([['../evil.py', bytes('')]])),
    expected: {
      status: 'failure',
      stdout: '',
      stderr: expect.stringContaining("'../evil.py' is not a path in them"),
    },
  },
];

describe.each([...new Map([...pythonHosts, ...boxedPythonHosts])])('in %s', (_name, open) => {
  const host = open();
  afterAll(() => host.close());

  test.each(cases)('$name', async ({ source, expected }) => {
    const results = [await host.run({ source }), await host.run({ source }, 2)];

    expect(results).toMatchObject([expected, expected]);
  });
});
