import { firstGeneration } from '../accounts/keys.ts';
import { backupPauseMs, isBackedUp } from '../instances/active-backup.ts';
import type { JobContext, StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { waitWhileSuspended } from '../jobs/while-suspended.ts';
import { writeEach } from '../store/commit.ts';
import type { Put } from '../store/store.ts';
import { putItem } from '../store/writes.ts';
import { dataOfName } from '../table/data-ids.ts';
import { classCountEntity, classEntity, classFileCountEntity } from '../table/entities/classes.ts';
import { fileNamedBy } from '../table/kinds.ts';
import type { Keyed } from '../table/records/records.ts';
import {
  archivedFileKey,
  archiveFiles,
  dataOwner,
  type FileFolder,
  movedFileKey,
  readFileKey,
} from '../values/file-keys.ts';
import { type ArchivedItem, readChunk, readManifest } from './archive.ts';
import { keepKeys } from './keep-keys.ts';
import { moveCredentials } from './move-credentials.ts';
import { addClass, addSums, moveItem, putsOf, type RestoreTarget } from './restore-items.ts';
import {
  changeRestore,
  type DataPointers,
  dataOf,
  giveUp,
  keepsKeys,
  type RestoreTask,
  readPointers,
  setClosed,
} from './restore-state.ts';
import { highestIds, raiseCounters } from './restored-ids.ts';
import { resumeData, switchData } from './switch-data.ts';

export type { RestoreTask } from './restore-state.ts';

const writesAtOnce = 100;
const copiesAtOnce = 16;
const closePauseMs = 1000;
const maxClosedMicros = 600_000_000; // then the instance opens again, with the contents that it had

/**
 * Restores a backup: fills a fresh data id from the archive, a chunk in each step, while requests use the contents of
 * before; closes the instance to writes, waits for the end of those that have begun in it, and switches to the new contents
 * in one transaction. Each step may run twice.
 */
export const restoreBackup = waitWhileSuspended({
  name: 'restore-backup',
  step: async (context, stored) => {
    const task = stored as RestoreTask; // as stored
    const found = await readPointers(context, task.instance);
    if (found === undefined) return giveUp(context, task, 'aborted', 'Instance was removed.');
    // checked before all else: what the instance uses is never given up
    if (dataOfName(found.pointer.data) === dataOf(task)) return resumeData(context, task);
    const { since } = task;
    const isLate = since !== undefined && context.clock.micros() - since > maxClosedMicros;
    if (isLate) {
      return giveUp(context, task, 'error', 'Contents could not be replaced.');
    }
    switch (task.phase) {
      case 'fill':
        return fill(context, task, found);
      case 'close':
        return close(context, task);
      case 'keys':
        return keys(context, task);
      case 'switch':
        return switchData(context, task, found);
    }
  },
});

/** Puts the items of a chunk under the new data id, and copies their files. */
async function fill(
  context: JobContext,
  task: RestoreTask,
  found: DataPointers,
): Promise<StepResult> {
  const archive = archiveFiles(task.account, task.backup);
  const manifest = await readManifest(context.files, archive);
  if (manifest === undefined) return giveUp(context, task, 'error', 'Invalid file.');
  if (task.chunk === 0) await changeRestore(context, task, { status: 'running' });
  if (task.chunk === manifest.chunks) {
    await putCounts(context, task);
    if (!keepsKeys(task, found)) await raiseCounters(context, task.instance, task.ids ?? {});
    return { task: { ...task, phase: 'close' } };
  }
  const archived = await readChunk(context.files, archive, task.chunk);
  if (archived === undefined) return giveUp(context, task, 'error', 'Invalid file.');
  const { items, hasLost } = await moveCredentials(context, task, archived);
  const newKey = keepsKeys(task, found) ? undefined : await newKeys(context);
  const puts = await putItems(context, { data: dataOf(task), newKey }, items);
  await copyFiles(context, { archive, data: dataOf(task) }, items);
  const counts = addSums(task.counts, puts);
  const ids = highestIds(task.ids ?? {}, puts);
  const lost = hasLost && { hasLostCredentials: true as const };
  return { task: { ...task, chunk: task.chunk + 1, counts, ids, ...lost } };
}

/** Returns a function that returns the key of another new record each time. */
async function newKeys({ secrets, ids }: JobContext): Promise<() => Keyed> {
  const secret_version = (await secrets.current()).version;
  return () => ({ secret_version, generation: firstGeneration(ids) });
}

async function putItems(
  context: JobContext,
  { data, newKey }: Pick<RestoreTarget, 'data' | 'newKey'>,
  items: readonly ArchivedItem[],
): Promise<readonly Put[]> {
  const { store, ids, files } = context;
  const classes: RestoreTarget['classes'] = new Map();
  const target: RestoreTarget = {
    data,
    filesAt: files.address,
    classes,
    newKey,
    platform: context,
  };
  for (const item of await classEntity.listAll(store, [data])) addClass(target, item.data);
  const moved = items.map((item) => moveItem(data, item));
  for (const item of moved) if (classEntity.matches(item)) addClass(target, item.data);
  const puts = moved.flatMap((item) => putsOf(target, item));
  const change = { actor: {}, cause: 'maintenance', depth: 0 } as const;
  for (let at = 0; at < puts.length; at += writesAtOnce) {
    const some = puts.slice(at, at + writesAtOnce);
    const transactions = some.map((put) => ({ id: ids.random(), change, writes: [put] }));
    await Promise.all(writeEach(store, transactions));
  }
  return puts;
}

/** Copies the files that items refer to. */
async function copyFiles(
  { files, log }: JobContext,
  { archive, data }: { readonly archive: FileFolder; readonly data: number },
  items: readonly ArchivedItem[],
): Promise<void> {
  const keys = items.flatMap(filesOf);
  for (let at = 0; at < keys.length; at += copiesAtOnce) {
    await Promise.all(
      keys.slice(at, at + copiesAtOnce).map(async (text) => {
        const key = readFileKey(text);
        const copy = key && archivedFileKey(archive, key);
        const moved = key && movedFileKey(key, data);
        if (copy === undefined || moved === undefined) {
          log({ level: 'error', message: 'a backup names a file by a text that is no key' });
          return;
        }
        const to = { owner: dataOwner(data), key: moved };
        await files.copy({ owner: archive.owner, key: copy }, to);
      }),
    );
  }
}

function filesOf([, sk, kind, data]: ArchivedItem): readonly string[] {
  const file = fileNamedBy({ kind, key: { sk }, data });
  return file === undefined ? [] : [file];
}

/** Puts the counts of classes, which nothing else counts: the puts of a restore are in no change feed. */
async function putCounts(context: JobContext, task: RestoreTask): Promise<void> {
  const data = dataOf(task);
  for (const [name, { objects, bytes, files, fileBytes }] of Object.entries(task.counts)) {
    const number = Number(name);
    await maintain(context, [
      putItem(classCountEntity, classCountEntity.key(data, number), {
        count: objects,
        bytes,
        position: '',
      }),
      putItem(classFileCountEntity, classFileCountEntity.key(data, number), {
        count: files,
        bytes: fileBytes,
        position: '',
      }),
    ]);
  }
}

/** Closes the instance to requests that may write, once no backup reads its contents. */
async function close(context: JobContext, task: RestoreTask): Promise<StepResult> {
  if (await isBackedUp(context, task.instance)) return { task, afterMs: backupPauseMs };
  await setClosed(context, task.instance, true);
  return { task: { ...task, phase: 'keys', since: context.clock.micros() } };
}

/** Waits for the end of its requests that began before the instance was closed, then keeps the keys that are valid. */
async function keys(context: JobContext, task: RestoreTask): Promise<StepResult> {
  const { since = 0 } = task;
  if (!(await context.endedBefore(since, task.instance))) return { task, afterMs: closePauseMs };
  if (await isBackedUp(context, task.instance)) return { task, afterMs: closePauseMs };
  return keepKeys(context, task);
}
