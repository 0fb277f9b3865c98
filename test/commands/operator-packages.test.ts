import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { openProject } from './groundwork.ts';

/** A folder of wheels, a list of them, and the command that installs it without a network. */
function start() {
  const project = openProject();
  const wheels = join(project.folder, 'wheels');
  const data = join(project.folder, 'data');
  const list = join(project.folder, 'list.txt');
  mkdirSync(wheels);

  /** Writes a wheel, and returns its line of a list. */
  const wheel = (name: string, files: Record<string, string>, tag = 'py3-none-any') => {
    const info = `${name}-1.0.dist-info`;
    const entries = {
      ...files,
      [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n`,
      [`${info}/WHEEL`]: `Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: ${tag}\n`,
      [`${info}/RECORD`]: '',
    };
    const zip = zipSync(
      Object.fromEntries(Object.entries(entries).map(([at, text]) => [at, strToU8(text)])),
    );
    writeFileSync(join(wheels, `${name}-1.0-${tag}.whl`), zip);
    return `${name}==1.0 --hash=sha256:${createHash('sha256').update(zip).digest('hex')}\n`;
  };
  const install = (lines: string) => {
    writeFileSync(list, lines);
    const options = ['--list', list, '--wheels', wheels, '--data', data];
    return project.run('admin', 'python-packages', ...options);
  };
  const current = join(data, 'python-packages/current');
  return { ...project, wheel, install, data, current };
}

test('a set is installed from a folder of wheels, and a second one replaces it', async () => {
  const { wheel, install, current, data } = start();
  const first = wheel('first', { 'first.py': 'value = 1\n' });
  const second = wheel('second', { 'second/__init__.py': 'value = 2\n' });

  const installed = await install(first);
  const had = existsSync(join(current, 'first.py'));
  const replaced = await install(first + second);

  expect(installed).toMatchObject({ status: 0, stderr: '' });
  expect(installed.stdout).toContain('first 1.0');
  expect(installed.stdout).toContain('Restart the server');
  expect(had).toBe(true);
  expect(replaced).toMatchObject({ status: 0 });
  expect(readFileSync(join(current, 'second/__init__.py'), 'utf8')).toBe('value = 2\n');
  // a server may use the first until its end
  expect(
    readdirSync(join(data, 'python-packages')).filter((each) => each.startsWith('set-')),
  ).toHaveLength(2);
});

test.each([
  ['without a version', 'first\n', /line 1: .*exact version/],
  ['without a hash', 'first==1.0\n', /line 1: .*--hash=sha256/],
  ['with an option', '--index-url https://example.com\n', /line 1: /],
  ['of another place', 'first @ https://example.com/first.whl --hash=sha256:00\n', /line 1: /],
  ['without packages', '# none\n', /no packages/],
  ['with another hash', `first==1.0 --hash=sha256:${'0'.repeat(64)}\n`, /first/],
  ['with a missing package', `other==1.0 --hash=sha256:${'0'.repeat(64)}\n`, /other/],
])('a list %s is an error, and the set stays', async (_name, lines, message) => {
  const { wheel, install, current } = start();
  await install(wheel('first', { 'first.py': 'value = 1\n' }));

  const { status, stderr } = await install(lines);

  expect(status).toBeGreaterThan(0);
  expect(stderr).toMatch(message);
  expect(readdirSync(current)).toContain('first.py');
});

test('native packages are refused by name', async () => {
  const { wheel, install, current } = start();
  const python = execFileSync('python3', [
    '-c',
    'import sys; print("cp%d%d" % sys.version_info[:2])',
  ]);
  const abi = String(python).trim();
  const tagged = wheel('quick', { 'quick.py': '' }, `${abi}-none-any`);
  const hidden = wheel('slow', { 'slow/__init__.py': '', 'slow/_core.so': 'x' });

  const ended = [await install(tagged), await install(hidden)];

  expect(ended.map(({ status }) => status)).toEqual([1, 1]);
  expect(ended[0]?.stderr).toContain('quick-1.0-');
  expect(ended[1]?.stderr).toContain('slow/_core.so');
  expect(existsSync(current)).toBe(false);
});
