import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { programBundle } from '../../../../runtimes/child-bundle.mjs';

// Plain JavaScript, because bin/bundle.mjs imports it untransformed; bundle-child.d.mts declares its types.

export const childPrograms = ['templates', 'certificates', 'pictures'];

export async function bundleChild(root, name) {
  const file = `${root}.build/${name}-program.cjs`;
  const record = `${root}.build/${name}-program.json`;
  if (isFresh(root, file, record)) return file;
  const { build, stop } = await import('esbuild');
  mkdirSync(`${root}.build`, { recursive: true });
  try {
    const { outputFiles, metafile } = await build({
      ...programBundle,
      absWorkingDir: root,
      entryPoints: [`shared/runtimes/${name}/program.ts`],
      write: false,
      metafile: true,
    });
    const inputs = Object.keys(metafile.inputs);
    const [{ contents }] = outputFiles;
    replace(file, contents);
    replace(record, JSON.stringify({ inputs, digest: digestOf(root, [...inputs, file]) }));
  } finally {
    await stop(); // otherwise its process stays as long as the server runs
  }
  return file;
}

function isFresh(root, file, record) {
  try {
    const { inputs, digest } = JSON.parse(readFileSync(record, 'utf8'));
    return digest === digestOf(root, [...inputs, file]);
  } catch {
    return false; // missing or damaged files are built again
  }
}

/** Returns a digest of contents. No times: layers of container images change them. */
function digestOf(root, paths) {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(readFileSync(path.startsWith('/') ? path : root + path));
  return hash.digest('hex');
}

/** Replaces a file atomically, because another server may be starting the program. */
function replace(path, content) {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(draft, content);
  renameSync(draft, path);
}
