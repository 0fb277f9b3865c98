import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
}

/** Packages in the image: those of `npm ci --omit=dev`, without those that a step removes. */
function packagesOfImage(): readonly string[] {
  const [, removed = ''] = /cd node_modules && rm -rf (.*)/.exec(lines.join('\n')) ?? [];
  const isRemoved = (path: string) =>
    removed.split(' ').some((name) => `${path}/`.startsWith(`node_modules/${name}/`));
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  return Object.entries<Locked>(lock.packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true && !isRemoved(path))
    .map(([path]) => path)
    .filter((path) => existsSync(join(project, path))); // the others are for other systems
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

test('the image starts the server from its bundle, and its health check finds it', async () => {
  for (const name of copied) cpSync(join(project, name), join(image, name), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(image, 'node_modules'));
  const [bundling = ''] = lines.filter((line) => line.includes('npm run bundle'));
  execFileSync('sh', ['-c', bundling.replace('RUN ', '')], { cwd: image });
  rmSync(join(image, 'node_modules'));
  for (const path of [...packagesOfImage(), 'node_modules/.package-lock.json']) {
    if (existsSync(join(image, path))) continue; // is within another package
    mkdirSync(dirname(join(image, path)), { recursive: true });
    symlinkSync(join(project, path), join(image, path));
  }
  const bundles = ['serve.mjs', 'console.files.json', 'templates-program.cjs'].map((name) =>
    join(image, '.build', name),
  );
  const madeAt = bundles.map((bundle) => statSync(bundle).mtimeMs);
  const [, ...args] = commandOf('ENTRYPOINT').map((each) => each.replace('/data', `${image}/data`));

  const server = spawn(process.execPath, [...args, '--port', '0'], { cwd: image });
  let printed = '';
  server.stdout.on('data', (part) => {
    printed += part;
  });
  await expect.poll(() => printed, { timeout: 60_000 }).toMatch(/Scripts: JavaScript \w+ .*\n/);
  const port = /listens on http:\/\/0\.0\.0\.0:(\d+)\n/.exec(printed)?.[1];
  const [, ...probe] = commandOf('HEALTHCHECK').map((each) => each.replace(':3000/', `:${port}/`));
  const before = spawnSync(process.execPath, probe).status;
  server.kill('SIGTERM');
  await once(server, 'close');
  const after = spawnSync(process.execPath, probe).status;

  expect([before, after]).toEqual([0, 1]);
  expect(printed).toMatch(/Scripts: JavaScript ok /);
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

test('the image has at most 130 MB above its base, and no compilers and clients of AWS', () => {
  const debian = 25_000_000; // bubblewrap and python3, by their `Installed-Size`
  const pythonSet = 4_000_000; // requests and syncano
  const packages = packagesOfImage();
  const bytes = [...packages.map((path) => join(project, path)), join(image, '.build')]
    .concat(['bin', 'console', 'functions', 'shared'].map((name) => join(image, name)))
    .reduce((sum, folder) => sum + bytesIn(folder), debian + pythonSet);

  expect(
    packages.filter((path) => /aws-sdk|smithy|middy|esbuild|typescript|tsx/.test(path)),
  ).toEqual([]);
  expect(packages.length).toBeGreaterThan(50);
  expect(bytes).toBeGreaterThan(80_000_000);
  expect(bytes).toBeLessThan(130_000_000);
});

test('what is copied into the image is in the context of the build', () => {
  const context = readFileSync(join(project, '.dockerignore'), 'utf8').split('\n');

  expect(copied).toContain('package-lock.json');
  expect(copied.filter((name) => !context.includes(`!${name}`))).toEqual([]);
});
