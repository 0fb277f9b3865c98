import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { RuntimeFiles } from '../shared/runtimes/package.ts';

const folder = fileURLToPath(new URL('../shared/runtimes/node', import.meta.url));
const runnerFiles = ['runner.cjs', 'context.cjs', 'lockdown.cjs'];

/** The files of the Node runtime that lie in each script's function, its supervisor bundled. */
export function nodeRuntimeFiles(): RuntimeFiles {
  const { outputFiles } = buildSync({
    entryPoints: [`${folder}/lambda.ts`],
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'error',
  });
  const runner = runnerFiles.map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]);
  return { 'index.mjs': outputFiles[0]?.text ?? '', ...Object.fromEntries(runner) };
}
