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
import {
  lookUp,
  type ParsedSystemFields,
  parseObjectBody,
  valuesToStore,
} from './object-checks.ts';
import { eventWrites } from './object-events.ts';
import { cappedRights, groupErrors, ownerErrors } from './object-rules.ts';
import { type SaveCall, saveCallIn } from './save-call.ts';
import { fieldOf, uniqueWrites } from './unique-values.ts';

/** The object after a save. */
export interface SavedObject {
  readonly data: ObjectData;
  /** JSON of the data of a new object, of which store and response are made. */
  readonly text?: string | undefined;
}

/** Planned save, to be committed alone or together with other writes. */
export interface SavePlan extends SavedObject {
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

/** The error of one of several saves. */
export class FailedSave {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** Returns the plan of a save of an object of the class. */
export function savePlan(
  { instance, classNumber, compiled }: SaveCall,
  { data, text, writes, added, growth, events }: Omit<SavePlan, 'conflictError'>,
): SavePlan {
  const conflictError = ({ key }: Write) => {
    const pk = uniqueEntity.partition(instance, classNumber);
    return key.pk === pk ? uniqueClash(compiled, key.sk) : undefined;
  };
  return { data, text, writes, added, growth, events, conflictError };
}

/**
 * Commits a save.
 *
 * @throws ApiError 400 when a unique value is taken, or as {@link withPlan}; ConditionFailed on a write conflict
 */
export async function commitPlan(call: SaveCall, plan: SavePlan): Promise<SavedObject> {
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
 * @returns one promise for each, in their order; that of a failed one rejects with its error
 */
export function commitPlans(
  call: SaveCall,
  plans: readonly (SavePlan | FailedSave)[],
): readonly Promise<SavedObject>[] {
  const good = plans.flatMap((plan) => (plan instanceof FailedSave ? [] : [plan]));
  const onlyWrites = ({ added, growth }: SavePlan) =>
    added.length === 0 && !isGrowing(growth) && call.class.data.triggers === undefined;
  const commits = (
    good.length > 1 && good.every(onlyWrites)
      ? commitTogether(call, good)
      : good.map((plan) => commitPlan(call, plan))
  ).values();
  return plans.map((plan) =>
    // one commit for each good one
    plan instanceof FailedSave
      ? Promise.reject(plan.error)
      : (commits.next().value as Promise<SavedObject>),
  );
}

/** Commits saves by one call of the store: a batch of 50 creates costs about a tenth less CPU time (median of 6 runs). */
function commitTogether(call: SaveCall, plans: readonly SavePlan[]) {
  const committing = commitEach(
    call,
    plans.map(({ writes }) => writes),
  );
  return plans.map(async (plan, at) => {
    try {
      await committing[at];
    } catch (error) {
      throw uniqueError(error, plan.writes, plan.conflictError);
    }
    return plan;
  });
}

/**
 * Commits a save after checking the quotas of the instance and storing the new files.
 *
 * @throws ApiError 400 when a quota is exceeded, or a file to copy does not exist; any error of `commit`
 */
export function withPlan<Result>(
  call: Pick<SaveCall, 'platform' | 'instance'>,
  { added, growth }: Pick<SavePlan, 'added' | 'growth'>,
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
  input: ParsedSystemFields,
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
  input: ParsedSystemFields,
): Promise<SavePlan> {
  const call = await withClassOf(asked, current.data);
  const { compiled, class: classRecord } = call;
  const before = current.data;
  const rules = [
    ownerErrors(call.actor, classRecord.data.name, before, input.values),
    groupErrors(call.actor, before.group, input.values),
  ];
  const body = parseObjectBody(call, { input, current: before, rules });
  const found = await lookUp(call, [body]);
  const { values, added } = valuesToStore(call, body, found.get(body));
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
  const unique = uniqueWrites(call, {
    id: data.id,
    before: before.values,
    after: values,
  });
  const put = updateItem(current, data, objectIndexes(compiled, data));
  const dropped = dropFiles(call, classRecord.data, { before: before.values, after: values });
  const event = channelEvent(call, { channel, before, after: data });
  const writes = [put, ...unique, ...fileRecords(call, added, data.id), ...dropped, ...event];
  const growth = growthOf(call, { before, after: data }, added);
  const events = () => eventWrites(call, { before: current, after: data });
  return savePlan(call, { data, writes, added, growth, events });
}

/** Plans the update of an object that leaves it as it is. */
export function planNothing(call: SaveCall, current: Stored<ObjectData>): SavePlan {
  const { data } = current;
  const events = () => eventWrites(call, { before: current, after: data });
  return savePlan(call, { data, writes: [], added: [], growth: {}, events });
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
  const channel = await channelOfObject(call, current.data);
  const plan = await planRemove(call, current);
  const event = channelEvent(call, { channel, before: current.data });
  await commitPlan(call, { ...plan, writes: [...plan.writes, ...event] });
}

/** Plans the deletion of an object, without a message in its channel. */
export async function planRemove(asked: SaveCall, current: Stored<ObjectData>): Promise<SavePlan> {
  const call = await withClassOf(asked, current.data);
  const { id, values } = current.data;
  const unique = uniqueWrites(call, { id, before: values, after: {} });
  const dropped = dropFiles(call, call.class.data, { before: values, after: {} });
  const writes = [deleteItem(current), ...unique, ...dropped];
  const events = () => eventWrites(call, { before: current });
  return savePlan(call, { data: current.data, writes, added: [], growth: {}, events });
}

/**
 * Reads the class again if the object has a later epoch than the class. Otherwise a request that was overtaken would
 * lose the object's newest unique values and index keys.
 */
async function withClassOf(call: SaveCall, { epoch }: ObjectData): Promise<SaveCall> {
  if (epoch <= call.class.data.epoch) return call;
  const found = await classEntity.read(call.platform.store, call.instance, call.class.data.name);
  return found?.data.number === call.classNumber ? saveCallIn(call, call.instance, found) : call;
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
