import { backupPauseMs, isBackedUp } from '../../instances/active-backup.ts';
import { type JobContext, type JobType, newJob } from '../../jobs/jobs.ts';
import { maintain } from '../../jobs/maintain.ts';
import type { Platform } from '../../ports/ports.ts';
import type { Put } from '../../store/store.ts';
import { deleteIfExists } from '../../store/writes.ts';
import { fileEntity } from '../../table/entities/classes.ts';
import { scriptSourceEntity } from '../../table/entities/scripts.ts';
import {
  areaOf,
  classOfFile,
  dataOwner,
  type FileArea,
  type FileKey,
  type FileOwner,
  ForeignFile,
  folderOf,
  readFileKey,
  readKeyOf,
  storedKeyOf,
  thumbPrefix,
} from '../../values/file-keys.ts';
import type { JsonObject } from '../../values/json/json.ts';

/** Files to delete, of objects or of scripts of one instance. */
export interface FileRemoval {
  /** Data id. */
  readonly instance: number;
  readonly keys: readonly FileKey[];
}

/** Returns the write of the job that deletes files. Due at once, or at `due` (epoch milliseconds). */
export function removal(
  platform: Pick<Platform, 'clock' | 'ids'>,
  { instance, keys }: FileRemoval,
  due?: number,
): Put {
  return newJob(platform, removeFiles, { instance, keys }, due);
}

/**
 * Deletes files that no record refers to. A job with a text that is not the key of such a file of its instance deletes
 * nothing: it fails, which is logged, and remains.
 */
export const removeFiles: JobType = {
  name: 'remove-files',
  step: async (context, task) => {
    const { instance, keys } = await readTask(context, task);
    if (keys.length === 0) return 'done';
    if (await isBackedUp(context, instance)) return { task, afterMs: backupPauseMs };
    const { thumbs, isAll } = await thumbsOf(context, instance, keys);
    await context.files.remove(dataOwner(instance), [...keys, ...thumbs]);
    for (let at = 0; at < thumbs.length; at += writesAtOnce) {
      const some = thumbs.slice(at, at + writesAtOnce);
      await maintain(
        context,
        some.map((key) => deleteIfExists(fileEntity.key(instance, classOfFile(key), key))),
      );
    }
    return isAll ? 'done' : { task };
  },
};

const writesAtOnce = 100;

/** Returns the smaller pictures of files of objects: at most a hundred of each, and whether these are all. */
async function thumbsOf({ store }: JobContext, instance: number, keys: readonly FileKey[]) {
  const originals = keys.filter((key) => ['public', 'private'].includes(areaOf(key)));
  const pages = await Promise.all(
    originals.map((key) =>
      fileEntity.list(store, [instance, classOfFile(key)], {
        lower: { key: thumbPrefix(key), inclusive: true },
        upper: { key: `${thumbPrefix(key)}~`, inclusive: false },
        limit: writesAtOnce,
      }),
    ),
  );
  const found = pages.flatMap(({ items }) => items.map(({ key: { sk } }) => sk));
  return {
    thumbs: found.map((sk) => storedKeyOf(dataOwner(instance), 'thumbs', sk)),
    isAll: pages.every(({ last }) => last === undefined),
  };
}

/** Reads a stored task. Jobs of releases before 0.1.1 have keys alone. */
async function readTask(context: JobContext, task: JsonObject): Promise<FileRemoval> {
  const { instance, keys: texts } = task;
  if (!Array.isArray(texts)) throw new ForeignFile('a job without keys');
  if (instance === undefined) return readOldTask(context, texts);
  if (typeof instance !== 'number') throw new ForeignFile('a job without instance');
  return { instance, keys: readKeys(dataOwner(instance), texts) };
}

const areas: readonly FileArea[] = ['public', 'private', 'thumbs', 'scripts'];

function readKeys(owner: FileOwner, texts: readonly unknown[]): readonly FileKey[] {
  return texts.map((text) => {
    const known = typeof text === 'string' ? text : '';
    const key = areas.map((area) => readKeyOf(owner, area, known)).find((found) => found);
    if (key === undefined) throw new ForeignFile('a job that deletes files');
    return key;
  });
}

/** Reads keys whose instance is not known: they are of one, and no record refers to their files. */
async function readOldTask(context: JobContext, texts: readonly unknown[]): Promise<FileRemoval> {
  const [first] = texts;
  if (first === undefined) return { instance: 0, keys: [] };
  const key = readFileKey(String(first));
  const owner = key && folderOf(key).owner;
  if (owner?.kind !== 'data') throw new ForeignFile('an old job that deletes files');
  const keys = readKeys(owner, texts);
  const used = await Promise.all(keys.map((each) => isUsed(context, owner.id, each)));
  if (used.includes(true)) throw new ForeignFile('an old job that deletes a file in use');
  return { instance: owner.id, keys };
}

/** Checks whether a record refers to a file of objects or scripts. */
async function isUsed({ store }: JobContext, instance: number, key: FileKey): Promise<boolean> {
  const { area, numbers } = folderOf(key);
  const [number = 0] = numbers; // of its class or script
  if (area === 'scripts') {
    return (await scriptSourceEntity.read(store, instance, number))?.data.file === key;
  }
  return (await fileEntity.read(store, instance, number, key)) !== undefined;
}
