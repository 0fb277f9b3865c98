import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { afterAll, expect, test } from 'vitest';
import { api } from '../../functions/api.ts';
import { GroundworkStack } from '../../lib/groundwork-stack.ts';
import { readDeploymentSettings } from '../../lib/settings.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const flags = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')).context;
const folder = mkdtempSync(join(tmpdir(), 'groundwork-synth-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** Synthesises the stack with all assets, as the CDK's command does; returns the content of all files by their paths. */
function synthesised(name: string): ReadonlyMap<string, string> {
  const out = join(folder, name);
  execFileSync(process.execPath, ['--import', 'tsx', 'bin/app.ts'], {
    cwd: root,
    stdio: 'ignore',
    env: { CDK_OUTDIR: out, CDK_CONTEXT_JSON: JSON.stringify(flags) },
  });
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(out, path)).isFile())
    .map((path): [string, string] => [path, readFileSync(join(out, path), 'base64')]);
  return new Map(files);
}

test('the checks of the CDK itself find no fault in the template', { timeout: 120_000 }, () => {
  const context = { ...flags, 'aws:cdk:bundling-stacks': [] };
  const app = new App({ outdir: join(folder, 'checked'), context });
  const settings = readDeploymentSettings(app.node);
  new GroundworkStack(app, `Groundwork-${settings.stage}`, settings);

  expect(() => app.synth()).not.toThrow();
});

test('template and assets are the same bytes when they are made twice', {
  timeout: 300_000,
}, () => {
  const [first, second] = [synthesised('first'), synthesised('second')];

  const bundles = [...first.keys()].filter((path) => /^asset\..*index\.mjs$/.test(path));
  expect(bundles.length).toBe(api.length + 3); // background, console, script runs
  expect([...second.keys()]).toEqual([...first.keys()]);
  expect([...first].filter(([path, bytes]) => second.get(path) !== bytes)).toEqual([]);
});
