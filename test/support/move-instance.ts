import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('../../bin/groundwork.mjs', import.meta.url));
const execute = promisify(execFile);

/** An instance, and the key of the account that owns it. */
export interface Place {
  readonly url: string;
  readonly instance: string;
  readonly key: string;
}

/** Moves an instance into an empty one, by way of a temporary folder. */
export async function moveInstance(from: Place, to: Place): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'groundwork-moved-'));
  try {
    await exportInstance(from, home);
    await importInstance(home, to);
  } finally {
    await rm(home, { recursive: true });
  }
}

/**
 * Exports an instance with the real command.
 *
 * @param home a folder that exists
 * @throws Error with the output of a command that failed
 */
export async function exportInstance(from: Place, home: string): Promise<void> {
  await run(home, ['export', 'data'], from);
}

/** Imports what {@link exportInstance} has exported, and pushes the project: an import leaves out scripts and the like. */
export async function importInstance(home: string, to: Place): Promise<void> {
  await run(home, ['import', 'data'], to);
  await run(join(home, 'data'), ['push'], to);
}

async function run(folder: string, args: readonly string[], { url, instance, key }: Place) {
  const place = ['--url', url, '--instance', instance, '--key', key];
  const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder };
  await execute(process.execPath, [program, ...args, ...place], { cwd: folder, env });
}
