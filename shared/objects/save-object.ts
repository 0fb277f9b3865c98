import { compiledClass } from '../classes/compiled-classes.ts';
import { type CompiledClass, changedFields } from '../classes/rules/compiled-class.ts';
import { commitEach, commitUnique, uniqueError } from '../store/commit.ts';
import { jsonBytes } from '../store/exact-json.ts';
import type { Stored, Write } from '../store/store.ts';
import { deleteItem, updateItem } from '../store/writes.ts';
import { classEntity, uniqueEntity } from '../table/entities/classes.ts';
import { objectIndexes } from '../table/object-indexes.ts';
import type { ObjectData } from '../table/records/records.ts';
import { type Growth, isGrowing, withRoom } from '../usage/quotas.ts';
import { type ApiError, invalid, revisionMismatch } from '../values/errors/errors.ts';
import { messages } from '../values/errors/messages.ts';
import { timestamp } from '../values/timestamp.ts';
import { type AddedFile, dropFiles, fileRecords, withFiles } from './files/object-files.ts';
import { channelEvent, channelOfObject } from './object-channel.ts';
import { checkedValues, type ObjectInput, type SaveCall } from './object-checks.ts';
import { eventWrites } from './object-events.ts';
import { cappedRights, groupErrors, ownerErrors } from './object-rules.ts';
import { fieldOf, uniqueWrites } from './unique-values.ts';

/** The object after a save. */
export interface SavedObject {
  readonly data: ObjectData;
  /** JSON of the data of a new object, of which store and response are made. */
  readonly text?: string | undefined;
}

/** Planned save, to be committed alone or together with other writes. */
export interface PlannedSave extends SavedObject {
  /** Empty when nothing changes. */
  readonly writes: readonly Write[];
  /** Files to store first: commit inside {@link withPlan}. */
  readonly added: readonly AddedFile[];
  readonly growth: Growth;
  /**
   * Returns writes by which triggers notice the save; only for a save by a client. Also of an update that changes
   * nothing.
   */
  readonly events: () => Promise<readonly Write[]> | readonly Write[];
  /** Returns the error if this write finds its unique value taken; undefined for another write, or a write conflict. */
  readonly conflictError: (write: Write) => ApiError | undefined;
}

/** Completes a planned save of an object of the class. */
export function planned(
  { instance, class: { data: place } }: SaveCall,
  compiled: CompiledClass,
  save: Omit<PlannedSave, 'conflictError'>,
): PlannedSave {
  const conflictError = ({ key }: Write) => {
    const pk = uniqueEntity.partition(instance, place.number);
    return key.pk === pk ? uniqueClash(compiled, key.sk) : undefined;
  };
  const { data, text, writes, added, growth, events } = save;
  return { data, text, writes, added, growth, events, conflictError };
}

/**
 * Commits a save.
 *
 * @throws ApiError 400 when a unique value is taken, or as {@link withPlan}; ConditionFailed on a write conflict
 */
export async function commitPlan(call: SaveCall, plan: PlannedSave): Promise<SavedObject> {
  const writes = [...plan.writes, ...(await plan.events())];
  if (writes.length === 0) return plan;
  await withPlan(call, plan, (fileWrites) =>
    commitUnique(call, [...writes, ...fileWrites], plan.conflictError),
  );
  return plan;
}

/**
 * Commits saves of one class, each as {@link commitPlan} does and independently of the others; those that only write
 * together.
 *
 * @returns one promise for each, in their order
 */
export function commitPlans(
  call: SaveCall,
  plans: readonly PlannedSave[],
): readonly Promise<SavedObject>[] {
  const isWrite = ({ added, growth }: PlannedSave) =>
    added.length === 0 && !isGrowing(growth) && call.class.data.triggers === undefined;
  if (!plans.every(isWrite)) return plans.map((plan) => commitPlan(call, plan));
  const committing = commitEach(
    call,
    plans.map(({ writes }) => writes),
  );
  return plans.map((plan, at) =>
    // one promise for each
    (committing[at] as Promise<void>).then(
      () => plan,
      (error: unknown) => {
        throw uniqueError(error, plan.writes, plan.conflictError);
      },
    ),
  );
}

/**
 * Commits a save after checking the quotas of the instance and storing the new files.
 *
 * @throws ApiError 400 when a quota is exceeded, or a file to copy does not exist; any error of `commit`
 */
export function withPlan<Result>(
  call: Pick<SaveCall, 'platform' | 'instance'>,
  { added, growth }: Pick<PlannedSave, 'added' | 'growth'>,
  commit: (fileWrites: readonly Write[]) => Promise<Result>,
): Promise<Result> {
  return withRoom(call, growth, () => withFiles(call, added, commit));
}

/**
 * Merges a body into an object as it was read; an update that changes nothing does not write the object
 * (docs/reference/objects.md#updates).
 *
 * @throws ApiError 400 with the messages of every field that failed, or for a revision other than the expected one
 * @throws ConditionFailed when the object was changed after it was read
 */
export async function updateObject(
  call: SaveCall,
  current: Stored<ObjectData>,
  input: ObjectInput,
): Promise<SavedObject> {
  return commitPlan(call, await planUpdate(call, current, input));
}

/**
 * Plans the update of an object, after all checks.
 *
 * @throws ApiError 400 with the messages of every field that failed, or for a revision other than the expected one
 */
export async function planUpdate(
  asked: SaveCall,
  current: Stored<ObjectData>,
  input: ObjectInput,
): Promise<PlannedSave> {
  const call = await withClassOf(asked, current.data);
  const compiled = compiledClass(call.caches, call.class);
  const before = current.data;
  const { values, added } = await checkedValues(call, compiled, {
    input,
    current: before,
    rules: [
      ownerErrors(call.actor, call.class.data.name, before, input.values),
      groupErrors(call.actor, before.group, input.values),
    ],
  });
  const { expected_revision = 0, owner = before.owner, group = before.group } = input.values;
  if (expected_revision !== 0 && expected_revision !== before.revision) {
    throw revisionMismatch(expected_revision, before.revision);
  }
  const channel = await channelOfObject(call, before);
  const rights = cappedRights(call.actor, before, input.values);
  const merged: ObjectData = { ...before, ...rights, owner, group, values };
  if (!isChanged(compiled, before, merged)) {
    return planNothing(call, current);
  }
  const data: ObjectData = {
    ...merged,
    revision: before.revision + 1,
    updated_at: timestamp(call.platform.clock.micros()),
    epoch: compiled.epoch,
  };
  const unique = uniqueWrites(call, compiled, {
    id: data.id,
    before: before.values,
    after: values,
  });
  const put = updateItem(current, data, objectIndexes(compiled, data));
  const place = placeOf(call);
  const dropped = dropFiles(place, call.class.data, { before: before.values, after: values });
  const event = channelEvent(call, { compiled, channel, before, after: data });
  const writes = [put, ...unique, ...fileRecords(place, added), ...dropped, ...event];
  const growth = growthOf(call, { before, after: data }, added);
  const events = () => eventWrites(call, { before: current, after: data });
  return planned(call, compiled, { data, writes, added, growth, events });
}

/** Plans the update of an object that leaves it as it is. */
export function planNothing(call: SaveCall, current: Stored<ObjectData>): PlannedSave {
  const { data } = current;
  const events = () => eventWrites(call, { before: current, after: data });
  const save = { data, writes: [], added: [], growth: {}, events };
  return planned(call, compiledClass(call.caches, call.class), save);
}

/** Returns the class of the files of a save. */
export function placeOf({ platform, instance, class: { data } }: SaveCall) {
  return { platform, instance, classNumber: data.number };
}

/** Returns the growth of the instance's data by a save, as far as it has a quota. */
export function growthOf(
  { platform: { quotas } }: SaveCall,
  objects: { readonly before?: ObjectData; readonly after: ObjectData },
  added: readonly AddedFile[],
): Growth {
  const { before, after } = objects;
  const files = added.reduce((sum, { bytes }) => sum + bytes, 0);
  if (!quotas.isLimited('objects')) return { files };
  const bytesBefore = before === undefined ? 0 : jsonBytes(before);
  return { files, objects: jsonBytes(after) - bytesBefore };
}

/** Deletes an object as it was read, frees its unique values, and publishes the deletion in its channel. */
export async function removeObject(call: SaveCall, current: Stored<ObjectData>): Promise<void> {
  const compiled = compiledClass(call.caches, call.class);
  const channel = await channelOfObject(call, current.data);
  const plan = await planRemove(call, current);
  const event = channelEvent(call, { compiled, channel, before: current.data });
  await commitPlan(call, { ...plan, writes: [...plan.writes, ...event] });
}

/** Plans the deletion of an object, without a message in its channel. */
export async function planRemove(
  asked: SaveCall,
  current: Stored<ObjectData>,
): Promise<PlannedSave> {
  const call = await withClassOf(asked, current.data);
  const compiled = compiledClass(call.caches, call.class);
  const { id, values } = current.data;
  const unique = uniqueWrites(call, compiled, { id, before: values, after: {} });
  const dropped = dropFiles(placeOf(call), call.class.data, { before: values, after: {} });
  const writes = [deleteItem(current), ...unique, ...dropped];
  const events = () => eventWrites(call, { before: current });
  return planned(call, compiled, { data: current.data, writes, added: [], growth: {}, events });
}

/**
 * Reads the class again if the object has a later epoch than the class. Otherwise a request that was overtaken would
 * lose the object's newest unique values and index keys.
 */
async function withClassOf(call: SaveCall, { epoch }: ObjectData): Promise<SaveCall> {
  if (epoch <= call.class.data.epoch) return call;
  const found = await classEntity.read(call.platform.store, call.instance, call.class.data.name);
  return found?.data.number === call.class.data.number ? { ...call, class: found } : call;
}

function uniqueClash(compiled: CompiledClass, sortKey: string) {
  const field = fieldOf(compiled, sortKey);
  return field && invalid({ [field.name]: [messages.unique] });
}

function isChanged(compiled: CompiledClass, before: ObjectData, after: ObjectData): boolean {
  return (
    before.owner !== after.owner ||
    before.group !== after.group ||
    before.owner_permissions !== after.owner_permissions ||
    before.group_permissions !== after.group_permissions ||
    before.other_permissions !== after.other_permissions ||
    changedFields(compiled, before.values, after.values).length > 0
  );
}
