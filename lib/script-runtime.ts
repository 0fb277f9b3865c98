import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { RuntimeFiles } from '../shared/platform/runtimes/package.ts';
import type { ScriptRuntime } from '../shared/scripts/script-runner.ts';

const folder = fileURLToPath(new URL('../shared/platform/runtimes', import.meta.url));
const nodeRunner = ['runner.cjs', 'context.cjs', 'leave-root.cjs', 'lockdown.cjs', 'write-all.cjs'];
const pythonFiles = [
  'index.py',
  'conversation.py',
  'runner.py',
  'context.py',
  'family.py',
  'calls.py',
  'landlock.py',
  'packages.py',
  'pairs.py',
  'privileges.py',
  'seccomp.py',
];

/** Returns the files of the Node runtime for each script's function, with the bundled supervisor. */
export function nodeRuntimeFiles(): RuntimeFiles {
  const { outputFiles } = buildSync({
    entryPoints: [`${folder}/node/lambda.ts`],
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'error',
  });
  return { 'index.mjs': outputFiles[0]?.text ?? '', ...readFiles('node', nodeRunner) };
}

/** Returns the files of the Python runtime for each script's function. The handler is `index.handler`. */
export function pythonRuntimeFiles(): RuntimeFiles {
  return readFiles('python', pythonFiles);
}

function readFiles(runtime: ScriptRuntime, names: readonly string[]): RuntimeFiles {
  const read = (name: string) => readFileSync(`${folder}/${runtime}/${name}`, 'utf8');
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}
