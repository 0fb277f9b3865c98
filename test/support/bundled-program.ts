import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const project = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Bundles a program of `bin/` for a file that starts it many times: each start would transform its modules again.
 *
 * @param folder an empty folder, which receives the bundle and a link to the packages
 * @returns the path of the bundle
 */
export function bundleProgram(name: string, folder: string): string {
  const outfile = join(folder, `${name}.mjs`);
  buildSync({
    entryPoints: [join(project, 'bin', `${name}.ts`)],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'error',
  });
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  return outfile;
}
