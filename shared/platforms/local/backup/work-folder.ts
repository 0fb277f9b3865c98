import { mkdir, readFile, rm } from 'node:fs/promises';
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
  const work = join(folder, 'backup');
  await mkdir(work, { recursive: true, mode: 0o700 });
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
  await mkdir(join(folder, 'backup'), { recursive: true, mode: 0o700 });
  await replaceFile(lastPath(folder), `${JSON.stringify(last)}\n`);
}

function lastPath(folder: string): string {
  return join(folder, 'backup', lastFile);
}
