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

/**
 * Moves an instance into an empty one with the real commands: `export`, `import`, and `push` for what an import leaves
 * out.
 *
 * @throws Error with the output of a command that failed
 */
export async function moveInstance(from: Place, to: Place): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'groundwork-moved-'));
  const folder = join(home, 'data');
  const env = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home };
  const run = (cwd: string, args: readonly string[], { url, instance, key }: Place) => {
    const place = ['--url', url, '--instance', instance, '--key', key];
    return execute(process.execPath, [program, ...args, ...place], { cwd, env });
  };
  try {
    await run(home, ['export', folder], from);
    await run(home, ['import', folder], to);
    await run(folder, ['push'], to);
  } finally {
    await rm(home, { recursive: true });
  }
}
