import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { bundleClient } from '../shared/platforms/local/scripts/commands/bundle-client.mjs';
import { currentSet } from '../shared/platforms/local/scripts/commands/python-set.ts';
import type { ScriptRuntime } from '../shared/ports/script-runner.ts';
import { packFolder, type RuntimeFiles } from '../shared/runtimes/package.ts';

const folder = fileURLToPath(new URL('../shared/runtimes', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
/** Maximum bytes of all files of a set on AWS: each function of a Python script contains it. */
const maxPackageBytes = 16 * 2 ** 20;
/** End of the names of modules that are compiled for Lambda's Python. */
const lambdaCode = '.cpython-314.pyc';
const nodeRunner = [
  'runner.cjs',
  'context.cjs',
  'leave-root.cjs',
  'lockdown.cjs',
  'packages.cjs',
  'write-all.cjs',
];
const pythonFiles = [
  'index.py',
  'conversation.py',
  'runner.py',
  'context.py',
  'family.py',
  'calls.py',
  'landlock.py',
  'operator_packages.py',
  'packages.py',
  'pairs.py',
  'privileges.py',
  'seccomp.py',
];

/** Returns the files of the Node runtime for each script's function, with the bundled supervisor and client. */
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
  return {
    'index.mjs': outputFiles[0]?.text ?? '',
    'syncano.txt': bundleClient(root, buildSync),
    ...readFiles('node', nodeRunner),
  };
}

/**
 * Returns the files of the Python runtime for each script's function. The handler is `index.handler`.
 *
 * @param packages folder with the operator's set of packages, such as `.groundwork/python-packages`
 * @throws Error when it has no set, or one that is too large
 */
export function pythonRuntimeFiles(packages?: string): RuntimeFiles {
  const files = readFiles('python', pythonFiles);
  return packages === undefined ? files : { ...files, 'packages/': readPackages(packages) };
}

/** Reads a set of packages, without the code that was compiled for other versions of Python. */
function readPackages(packages: string): string {
  const set = join(packages, currentSet);
  if (!existsSync(set)) {
    throw new Error(`${packages} has no set of packages: groundwork admin python-packages`);
  }
  const files: Record<string, Uint8Array> = {};
  let bytes = 0;
  for (const entry of readdirSync(set, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    if (entry.name.endsWith('.pyc') && !entry.name.endsWith(lambdaCode)) continue;
    const path = join(entry.parentPath, entry.name);
    const content = readFileSync(path);
    files[relative(set, path)] = content;
    bytes += content.byteLength;
  }
  if (bytes > maxPackageBytes) {
    throw new Error(
      `${packages} has ${bytes} bytes, and a function takes up to ${maxPackageBytes}`,
    );
  }
  return packFolder(files);
}

function readFiles(runtime: ScriptRuntime, names: readonly string[]): RuntimeFiles {
  const read = (name: string) => readFileSync(`${folder}/${runtime}/${name}`, 'utf8');
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}
