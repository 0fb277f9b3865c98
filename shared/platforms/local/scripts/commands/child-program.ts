import { randomBytes } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { programBundle } from '../../../../runtimes/child-bundle.ts';

const runtimes = new URL('../../../../runtimes/', import.meta.url);
const folder = fileURLToPath(new URL('../../../../../.build/', import.meta.url));
const bundles = new Map<string, Promise<string>>();
let building: Promise<unknown> = Promise.resolve();

/**
 * Returns the path of a child process's bundled program, which is built once, at the first job, in about 0.1 s.
 *
 * @param name folder of the program below `shared/runtimes`
 */
export function childProgram(name: 'templates' | 'certificates'): Promise<string> {
  const known = bundles.get(name);
  if (known !== undefined) return known;
  const bundle = inTurn(() => build(name));
  bundles.set(name, bundle);
  bundle.catch(() => bundles.delete(name)); // the next job builds it again
  return bundle;
}

/** Builds one program at a time, because the end of a build ends the process of the bundler. */
function inTurn(build: () => Promise<string>): Promise<string> {
  const built = building.then(build);
  building = built.catch(() => {});
  return built;
}

async function build(name: string): Promise<string> {
  const { build, stop } = await import('esbuild');
  await mkdir(folder, { recursive: true });
  const source = fileURLToPath(new URL(`${name}/program.ts`, runtimes));
  const file = `${folder}${name}-program.cjs`;
  const draft = `${folder}${randomBytes(8).toString('hex')}.cjs`;
  try {
    await build({ ...programBundle, entryPoints: [source], outfile: draft });
  } finally {
    await stop(); // otherwise its process stays as long as the server runs
  }
  await rename(draft, file); // atomic, because another server may be starting the program
  return file;
}
