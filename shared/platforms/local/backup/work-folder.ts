import { chown, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { codeOf } from '../../../values/caught.ts';
import { replaceFile } from '../files/atomic-file.ts';
import { lockFolder } from '../files/folder-lock.ts';
import { StartError } from '../server/start-error.ts';

/* The folder `backup` of a data folder: one backup at a time is made in it, and it remembers the last ones. */

const lastFile = 'last.json';

const lastSchema = v.object({
  success: v.optional(v.object({ at: v.string(), name: v.string() })),
  failure: v.optional(v.object({ at: v.string(), reason: v.string() })),
});

/** The last backups to a target: times in ISO format. A failure that a success followed is not kept. */
export type LastBackups = v.InferOutput<typeof lastSchema>;

/**
 * Runs `use` with the path of a new folder on the disk of a data folder, which is removed afterwards.
 *
 * @throws StartError while another process does
 */
export async function withDraft<Result>(
  folder: string,
  use: (draft: string) => Promise<Result>,
): Promise<Result> {
  const work = await makeWorkFolder(folder);
  const release = await lockFolder(work).catch((cause: unknown) => {
    if (!(cause instanceof StartError)) throw cause;
    throw new StartError('another backup is being made', { cause });
  });
  const draft = join(work, 'draft');
  try {
    await rm(draft, { recursive: true, force: true }); // of a process that was killed
    return await use(join(draft, 'data'));
  } finally {
    await rm(draft, { recursive: true, force: true });
    await release();
  }
}

/** Creates the folder if it is absent. Its owner is that of the data, also when an administrator makes a backup. */
async function makeWorkFolder(folder: string): Promise<string> {
  const work = join(folder, 'backup');
  const created = await mkdir(work, { recursive: true, mode: 0o700 });
  if (created !== undefined && process.getuid?.() === 0) {
    const { uid, gid } = await stat(folder);
    await chown(work, uid, gid);
  }
  return work;
}

/** Reads what is remembered of the last backups of a data folder; nothing when it is not readable. */
export async function readLastBackups(folder: string): Promise<LastBackups> {
  try {
    const parsed = v.safeParse(lastSchema, JSON.parse(await readFile(lastPath(folder), 'utf8')));
    return parsed.success ? parsed.output : {};
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
    return {};
  }
}

/** Remembers the last backups of a data folder. */
export async function writeLastBackups(folder: string, last: LastBackups): Promise<void> {
  await makeWorkFolder(folder);
  await replaceFile(lastPath(folder), `${JSON.stringify(last)}\n`);
}

function lastPath(folder: string): string {
  return join(folder, 'backup', lastFile);
}
