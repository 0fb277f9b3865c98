/*
 * `npm run check`: runs all checks before a commit in a fixed order, and prints nothing while they pass, except a line
 * for what is skipped.
 *
 * node .ci/check.mjs [step ...]   runs only these steps
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['bin', 'console', 'lib', 'functions', 'shared', 'test'].filter((name) =>
  existsSync(join(root, name)),
);
const commands = {
  subjects: [process.execPath, '.ci/subjects.mjs'],
  biome: ['biome', 'check', '--error-on-warnings', '.'],
  tsc: ['tsc', '--noEmit'],
  browser: ['tsc', '--noEmit', '--project', 'shared/core/pages/browser'],
  console: ['tsc', '--noEmit', '--project', 'console'],
  depcruise: ['depcruise', '--output-type', 'err', ...folders],
  knip: ['knip', '--treat-config-hints-as-errors'],
  vitest: ['vitest', 'run', '--reporter=dot', '--silent'],
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((step) => !Object.hasOwn(commands, step));
if (unknown !== undefined) fail(unknown, `unknown step; the steps are ${Object.keys(commands)}\n`);
for (const step of wanted.length > 0 ? wanted : Object.keys(commands)) check(step);

function check(step) {
  const { status, output } = run(commands[step]);
  if (status !== 0) fail(step, output);
  if (step === 'depcruise') demandModules(output);
  if (step === 'subjects') process.stdout.write(output);
}

function run([name, ...args]) {
  const color = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
  const program = isAbsolute(name) ? name : join(root, 'node_modules', '.bin', name);
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, ...color },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  return { status, output: error === undefined ? stdout + stderr : `${error.message}\n` };
}

/** Fails when the cruiser missed modules: it passes with 0 modules when it cannot read TypeScript. */
function demandModules(output) {
  const seen = Number(/\((\d+) modules,/.exec(output)?.[1] ?? 0);
  const there = folders.reduce((sum, folder) => sum + countSources(folder), 0);
  if (seen < there) fail('depcruise', `it read ${seen} of at least ${there} modules\n`);
}

function countSources(folder) {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.(tsx?|mjs)$/.test(name)).length;
}

function fail(step, output) {
  process.stdout.write(output);
  process.stderr.write(`check failed: ${step}\n`);
  process.exit(1);
}
