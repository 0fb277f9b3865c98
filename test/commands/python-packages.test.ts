import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { reachesPackageIndex } from '../support/package-index.ts';
import { makeWheel, type TestPackage } from '../support/wheels.ts';
import { connectAnother, connectProject, expectStatus } from './project.ts';

const greetings: TestPackage = {
  name: 'greetings',
  version: '1.2',
  needs: ['old-words>=1'],
  files: { 'greetings/__init__.py': 'from old_words import hello\n' },
};
const words: TestPackage = {
  name: 'old-words',
  files: { 'old_words.py': "def hello(who):\n    return 'hello ' + who\n" },
};

const files = {
  'groundwork.yml':
    'scripts:\n  hello: { file: scripts/hello.py }\n  other: { file: scripts/other.py }\nscript_endpoints:\n  greet: { script: hello, public: true }\n',
  'scripts/hello.py': "from greetings import hello\nprint(hello(ARGS['who']))",
  'scripts/other.py': 'print(1)\n',
  'scripts/requirements.txt':
    '# what the scripts need\ngreetings >= 1, < 2 ; python_version > "3"\n',
};

/** Returns a connected project, and how pip finds the wheels of a folder instead of an index. */
async function start(packages: readonly TestPackage[], own: Readonly<Record<string, string>> = {}) {
  const project = await connectProject();
  const wheels = join(project.folder, '..', 'wheels');
  mkdirSync(wheels);
  for (const each of packages) {
    const [name, content] = makeWheel(each);
    writeFileSync(join(wheels, name), content);
  }
  const env = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels, PIP_CONFIG_FILE: '/dev/null' };
  project.write({ ...files, ...own });
  return { ...project, env, wheels, pip: (...args: string[]) => project.runWith(env, ...args) };
}

/** No pip, and no Python. */
const without = { PATH: '/nonexistent' };

test('packages are pushed with the scripts that import them, and locked', async () => {
  const { pip, runWith, read, call, changes, files: present } = await start([greetings, words]);

  const first = expectStatus(await pip('push'), 0);

  expect(first.stderr).toContain('scripts/requirements.lock was made: commit it');
  expect(read('scripts/requirements.lock')).toMatch(
    /^# Made by groundwork from requirements\.txt [0-9a-f]{64}\ngreetings==1\.2 --hash=sha256:[0-9a-f]{64}\nold-words==1\.0 --hash=sha256:[0-9a-f]{64}\n$/,
  );
  const { body } = await call('GET', 'snippets/scripts/');
  const [hello, other] = body.objects;
  expect(hello.source.startsWith(`${files['scripts/hello.py']}\n# groundwork packages 1 `)).toBe(
    true,
  );
  expect(other.source).toBe(files['scripts/other.py']);
  const greeted = await call('POST', 'endpoints/scripts/greet/run/', { who: 'ada' });
  expect(greeted.body).toMatchObject({ status: 'success', result: { stdout: 'hello ada' } });
  const before = present();
  changes();
  for (const [command, said] of [
    ['push', 'Nothing differs.\n'],
    ['diff', 'Nothing differs.\n'],
    ['pull', 'All files are up to date.\n'],
  ] as const) {
    expect(await runWith(without, command)).toEqual({ status: 0, stdout: said, stderr: '' });
  }
  expect(changes()).toEqual([]);
  expect(present()).toEqual(before);
});

test('another machine makes the same source from the lock file', async () => {
  const first = await start([greetings, words]);
  expectStatus(await first.pip('push'), 0);
  const second = await connectAnother(first, 'second');
  second.write({ ...first.files(), '.env': first.read('.env') });
  first.changes();

  const ended = await second.runWith({ ...first.env, TZ: 'Asia/Tokyo' }, 'push');

  expect(ended).toEqual({ status: 0, stdout: 'Nothing differs.\n', stderr: '' });
  expect(first.changes()).toEqual([]);
});

test('the lock file is made again when the requirements change, not when a release appears', async () => {
  const { pip, write, wheels, read } = await start([greetings, words]);
  expectStatus(await pip('push'), 0);
  const [name, content] = makeWheel({ ...greetings, version: '1.3' });
  writeFileSync(join(wheels, name), content);
  expect(await pip('push')).toEqual({ status: 0, stdout: 'Nothing differs.\n', stderr: '' });
  write({ 'scripts/requirements.txt': 'greetings\n' });

  const ended = expectStatus(await pip('push'), 0);

  expect(ended.stderr).toContain('requirements.lock was made again');
  expect(read('scripts/requirements.lock')).toContain('greetings==1.3 ');
});

test('a wheel that has changed since is not used', async () => {
  const { pip, folder, wheels } = await start([greetings, words]);
  expectStatus(await pip('push'), 0);
  const cache = join(folder, '.groundwork/wheels');
  for (const each of readdirSync(cache)) writeFileSync(join(cache, each), 'x');
  expect(await pip('push')).toMatchObject({ status: 0, stdout: 'Nothing differs.\n' });
  rmSync(cache, { recursive: true });
  const [name, content] = makeWheel({ ...words, files: { 'old_words.py': 'evil()' } });
  writeFileSync(join(wheels, name), content);

  const ended = await pip('push');

  expect(ended.status).toBe(1);
  expect(ended.stderr).toMatch(
    /pip does not get the wheels of scripts\/requirements.lock: .*HASHES/,
  );
});

const machine = arch() === 'arm64' ? 'aarch64' : 'x86_64';
const linux = `linux_${machine}`;

test('a native package is refused by name', async () => {
  const native = { name: 'native', version: '2.1', platform: linux, files: { 'native.so': '' } };
  const { pip, write, read } = await start([native, words], {
    'scripts/requirements.txt': 'native\nold-words\n',
  });

  const refused = await pip('push');

  expect(refused.stderr).toContain('native 2.1 has no pure-Python wheel');
  expect(refused.status).toBe(1);
  expect(() => read('scripts/requirements.lock')).toThrow('ENOENT');
  write({ 'scripts/requirements.txt': 'old-words\n' });
  expectStatus(await pip('push'), 0);
});

test('of a version with a native and a pure wheel, the pure one is used', async () => {
  const native = { ...words, platform: linux, files: { 'old_words.so': '' } };
  const { pip, call } = await start([greetings, native, words]);

  expectStatus(await pip('push'), 0);

  const greeted = await call('POST', 'endpoints/scripts/greet/run/', { who: 'ada' });
  expect(greeted.body).toMatchObject({ status: 'success', result: { stdout: 'hello ada' } });
});

test.each([
  'https://example.com/x.whl',
  'x @ file:///etc/passwd',
  '-e .',
  '--index-url https://example.com',
  '-r other.txt',
  './x.whl',
  'x --hash=sha256:00',
  'x ; python_version > "3" --global-option x',
  'x ; python_version > " --config-settings a=b"',
])('requirements cannot have %s', async (line) => {
  const { pip } = await start([], { 'scripts/requirements.txt': `# first\n${line}\n` });

  const ended = await pip('push');

  expect(ended.status).toBe(1);
  expect(ended.stderr).toContain(`scripts/requirements.txt, line 2: ${line} is not allowed`);
});

test('a source that a wheel asks for by its address is not built', async () => {
  const { pip, wheels, folder } = await start([]);
  const mark = join(folder, '..', 'mark');
  const source = {
    'evil-1.0/pyproject.toml':
      '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
    'evil-1.0/backend.py': `open(${JSON.stringify(mark)}, 'w').close()\n`,
  };
  const entries = Object.entries(source).map(([path, text]) => [path, strToU8(text)]);
  const archive = join(wheels, 'evil-1.0.zip');
  writeFileSync(archive, zipSync(Object.fromEntries(entries)));
  const [name, content] = makeWheel({ ...greetings, needs: [`evil @ file://${archive}`] });
  writeFileSync(join(wheels, name), content);

  const ended = await pip('push');

  expect(existsSync(mark)).toBe(false);
  expect(ended.status).toBe(1);
  expect(ended.stderr).toContain('groundwork takes wheels only, and pip would run a program');
});

test('a machine without pip, or with an old one, says what is needed', async () => {
  const { runWith, folder } = await start([]);
  const programs = join(folder, '..', 'programs');
  mkdirSync(programs);
  writeFileSync(join(programs, 'python3'), '#!/bin/sh\necho "pip 21.3 from /x (python 3.9)"\n', {
    mode: 0o755,
  });

  const [none, old] = [await runWith(without, 'push'), await runWith({ PATH: programs }, 'push')];

  expect(none.stderr).toContain('needs python3 with pip 23.0 or later: there is no python3');
  expect(old.stderr).toContain('needs pip 23.0 or later, and python3 has pip 21.3');
});

test('too large a script is refused with the sizes of its packages', async () => {
  const noise = Array.from(
    { length: 2_600_000 },
    (_, at) => (Math.imul(at + 1, 2654435761) >>> 13) & 255,
  );
  const big = {
    name: 'big',
    files: {
      'big.py': '',
      'big.bin': Uint8Array.from(noise.map((each, at) => each ^ (Math.random() * 256) ^ at)),
    },
  };
  const { pip } = await start([big, words], {
    'scripts/requirements.txt': 'big\nold-words\n',
    'scripts/hello.py': 'import big\n',
  });

  const ended = await pip('push');

  expect(ended.status).toBe(1);
  expect(ended.stderr).toMatch(
    /scripts\/hello.py has \d+ characters with its packages, and 3145728 are allowed: big \d{7} bytes, old-words \d{3} bytes/,
  );
});

const hasIndex = reachesPackageIndex('requests from PyPI');

test.runIf(hasIndex)('requests from PyPI calls the server', async () => {
  const { run, write, call, api } = await connectProject();
  write({
    'groundwork.yml': files['groundwork.yml'].replace(/ {2}other.*\n/, ''),
    'scripts/hello.py': `import requests\nprint(requests.get(ARGS['url'] + '/v1.1/').status_code)\n`,
    'scripts/requirements.txt': 'requests>=2,<3\n',
  });

  expectStatus(await run('push'), 0);

  const ended = await call('POST', 'endpoints/scripts/greet/run/', { url: api.url });
  expect(ended.body).toMatchObject({ status: 'success', result: { stdout: '200', stderr: '' } });
  expect(await run('push')).toMatchObject({ stdout: 'Nothing differs.\n' });
});
