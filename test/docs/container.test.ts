import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

/* The steps of the Dockerfile after the installation of packages, run here: no image is built. */

const project = fileURLToPath(new URL('../..', import.meta.url));
const lines = readFileSync(join(project, 'Dockerfile'), 'utf8').replaceAll('\\\n', '').split('\n');
const copied = lines.flatMap((line) => /^COPY ([^-].*) \.\/\w*$/.exec(line)?.[1]?.split(' ') ?? []);
const commandOf = (name: string): string[] =>
  JSON.parse(lines.find((line) => line.startsWith(name))?.replace(/^[^[]*/, '') ?? '[]');
const image = mkdtempSync(join(tmpdir(), 'groundwork-image-'));

afterAll(() => rmSync(image, { recursive: true }));

test('the image starts the server from its bundle, and its health check finds it', async () => {
  for (const name of copied) cpSync(join(project, name), join(image, name), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(image, 'node_modules'));
  const [bundling = ''] = lines.filter((line) => line.includes('importBundle'));
  execFileSync('sh', ['-c', bundling.replace('RUN ', '')], { cwd: image });
  const bundles = ['serve.mjs', 'console.files.json'].map((name) => join(image, '.build', name));
  const madeAt = bundles.map((bundle) => statSync(bundle).mtimeMs);
  const [, ...args] = commandOf('ENTRYPOINT').map((each) => each.replace('/data', `${image}/data`));

  const server = spawn(process.execPath, [...args, '--port', '0'], { cwd: image });
  let printed = '';
  server.stdout.on('data', (part) => {
    printed += part;
  });
  await expect.poll(() => printed, { timeout: 60_000 }).toMatch(/listens on \S+:\d+\n/);
  const port = /listens on http:\/\/0\.0\.0\.0:(\d+)\n/.exec(printed)?.[1];
  const [, ...probe] = commandOf('HEALTHCHECK').map((each) => each.replace(':3000/', `:${port}/`));
  const before = spawnSync(process.execPath, probe).status;
  server.kill('SIGTERM');
  await once(server, 'close');
  const after = spawnSync(process.execPath, probe).status;

  expect([before, after]).toEqual([0, 1]);
  expect(bundles.map((bundle) => statSync(bundle).mtimeMs)).toEqual(madeAt);
});

test('the bundles depend only on files whose times the image has set', () => {
  const [, touched = ''] = /find (.*) -exec touch/.exec(lines.join('\n')) ?? [];
  const inputs = ['serve', 'console', 'groundwork'].flatMap((name): [string, number][] =>
    JSON.parse(readFileSync(join(image, `.build/${name}.json`), 'utf8')),
  );
  const roots = inputs.map(([path]) => path.replace(/\/.*/, ''));

  expect([...new Set(roots)].filter((name) => !touched.split(' ').includes(name))).toEqual([]);
});

test('what is copied into the image is in the context of the build', () => {
  const context = readFileSync(join(project, '.dockerignore'), 'utf8').split('\n');

  expect(copied).toContain('package-lock.json');
  expect(copied.filter((name) => !context.includes(`!${name}`))).toEqual([]);
});
