import { randomBytes } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { programBundle, programFile } from '../runtimes/templates/bundle.ts';

const source = fileURLToPath(new URL('../runtimes/templates/program.ts', import.meta.url));
const folder = fileURLToPath(new URL('../../.build/', import.meta.url));
let bundle: Promise<string> | undefined;

/** Path of the program that renders templates, bundled once in a process, for its first template: in about 0.1 s. */
export function templateProgram(): Promise<string> {
  bundle ??= build();
  return bundle;
}

async function build(): Promise<string> {
  const { build } = await import('esbuild');
  await mkdir(folder, { recursive: true });
  const file = folder + programFile;
  const draft = `${folder}${randomBytes(8).toString('hex')}.cjs`;
  await build({ ...programBundle, entryPoints: [source], outfile: draft });
  await rename(draft, file); // never half a file: another server may start its program now
  return file;
}
