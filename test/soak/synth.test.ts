import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'groundwork-synth-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** Synthesises the stack with all assets, as the CDK's command does; returns the content of all files by their paths. */
function synthesised(name: string): ReadonlyMap<string, string> {
  const out = join(folder, name);
  execFileSync(process.execPath, ['--import', 'tsx', 'bin/app.ts'], {
    cwd: root,
    env: { PATH: process.env.PATH, CDK_OUTDIR: out, CDK_CONTEXT_JSON: contextOf() },
  });
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(out, path)).isFile())
    .map((path): [string, string] => [path, readFileSync(join(out, path), 'base64')]);
  return new Map(files);
}

/** Returns the flags of cdk.json. */
function contextOf(): string {
  return JSON.stringify(JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')).context);
}

test('template and assets are the same bytes when they are made twice', {
  timeout: 300_000,
}, () => {
  const [first, second] = [synthesised('first'), synthesised('second')];

  expect([...first.keys()].filter((path) => /^asset\..*index\.mjs$/.test(path)).length).toBe(21);
  expect([...second.keys()]).toEqual([...first.keys()]);
  expect([...first].filter(([path, bytes]) => second.get(path) !== bytes)).toEqual([]);
});
