import { compileClass } from '../../classes/rules/compiled-class.ts';
import { backupPauseMs, isBackedUp } from '../../instances/active-backup.ts';
import { afterRequests, type JobContext, type JobType } from '../../jobs/jobs.ts';
import { maintain } from '../../jobs/maintain.ts';
import type { Stored } from '../../store/store.ts';
import { checkUnchanged, deleteIfExists, updateItem } from '../../store/writes.ts';
import { classEntity, fileEntity, objectEntity } from '../../table/entities/classes.ts';
import { objectIndexes } from '../../table/object-indexes.ts';
import type { ClassData, ObjectData } from '../../table/records/records.ts';
import {
  areaOf,
  dataOwner,
  type FileKey,
  newFileKey,
  objectFiles,
  privateFiles,
} from '../../values/file-keys.ts';
import { allSettled } from '../../values/promises/all-settled.ts';
import { fileKeysIn, fileRecords, withStored } from './object-files.ts';
import { removal } from './remove-files.ts';

/** A class with a file field that has become private or public. */
export type SwitchedFiles = {
  readonly instance: number;
  readonly className: string;
  readonly classNumber: number;
};

type Progress = SwitchedFiles & {
  /** Sort key of the last object that was read. */
  readonly last?: string;
};

const stepSize = 20;

/**
 * Moves the files of a class to where its fields want them now, public or private, under new names: the old addresses
 * end. It starts after the end of all requests that may have stored a file by the schema of before. The objects do not
 * change for clients, nor do their revisions.
 */
export const moveFiles: JobType = {
  name: 'move-files',
  step: afterRequests<Progress>(async (context, task) => {
    const { instance, className, classNumber } = task;
    if (await isBackedUp(context, instance)) return { task, afterMs: backupPauseMs };
    const current = await classEntity.read(context.store, instance, className);
    if (current?.data.number !== classNumber) return 'done'; // deleted in the meantime, with all its files
    const { items, last } = await objectEntity.list(context.store, [instance, classNumber], {
      after: task.last,
      limit: stepSize,
    });
    // a write conflict repeats the step, with the class and the objects as they are then
    await allSettled(items.map((object) => moveOfObject(context, { instance, current }, object)));
    return last === undefined ? 'done' : { task: { ...task, last } };
  }),
};

interface Scope {
  readonly instance: number;
  readonly current: Stored<ClassData>;
}

/** A file of a field, and its place by the schema. */
interface Move {
  readonly storage: string;
  readonly from: FileKey;
  readonly key: FileKey;
}

async function moveOfObject(context: JobContext, scope: Scope, object: Stored<ObjectData>) {
  const { instance } = scope;
  const moves = movesOf(context, scope, object.data);
  if (moves.length === 0) return;
  const owner = dataOwner(instance);
  const moved: (Move & { readonly bytes: number })[] = [];
  await withStored(
    { platform: context, instance },
    {
      keys: moves.map(({ key }) => key),
      store: () =>
        allSettled(
          moves.map(async (move) => {
            const bytes = await context.files.size(owner, move.from);
            const isCopied = await context.files.copy(
              { owner, key: move.from },
              { owner, key: move.key },
            );
            if (isCopied && bytes !== undefined) moved.push({ ...move, bytes });
          }),
        ),
      commit: (fileWrites) =>
        maintain(context, [...writesOf(context, scope, { object, moved }), ...fileWrites]),
    },
  );
}

/** Returns the files that are not where the schema wants them. */
function movesOf(
  context: JobContext,
  { instance, current: { data } }: Scope,
  { values }: ObjectData,
): readonly Move[] {
  const { number: classNumber, schema, storage } = data;
  const scope = { platform: context, instance, classNumber };
  return storage.flatMap(({ storage: name }, at) => {
    const field = schema[at];
    if (field?.type !== 'file') return [];
    const folder = (field.private ? privateFiles : objectFiles)(instance, classNumber);
    return fileKeysIn(scope, values, [name])
      .filter((from) => areaOf(from) !== folder.area)
      .map((from) => ({ storage: name, from, key: newFileKey(folder, context.ids, from) }));
  });
}

/** Returns the writes of an object with moved files; a lost file stays as it is. */
function writesOf(
  context: JobContext,
  { instance, current }: Scope,
  {
    object,
    moved,
  }: {
    readonly object: Stored<ObjectData>;
    readonly moved: readonly (Move & { readonly bytes: number })[];
  },
) {
  const classNumber = current.data.number;
  const compiled = compileClass(current.data, context.files.address);
  const keys = Object.fromEntries(moved.map(({ storage, key }) => [storage, key]));
  const values = { ...object.data.values, ...keys };
  const data: ObjectData = { ...object.data, epoch: compiled.epoch, values };
  const old = moved.map(({ from }) => from);
  return [
    checkUnchanged(current), // a later switch has a job of its own, which must come after this write
    updateItem(object, data, objectIndexes(compiled, data)),
    ...fileRecords({ instance, classNumber }, moved, data.id),
    ...old.map((key) => deleteIfExists(fileEntity.key(instance, classNumber, key))),
    ...(old.length > 0 ? [removal(context, { instance, keys: old })] : []),
  ];
}
