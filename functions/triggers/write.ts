import {
  type Context,
  instanceOf,
  notFound,
  reservedId,
  type Update,
} from '../../shared/core/family.ts';
import {
  type Input,
  type InputMode,
  type Values,
  validValues,
} from '../../shared/core/resource/input.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { scriptErrors, toV11Names } from '../../shared/scripts/script-reference.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored, Write } from '../../shared/store/store.ts';
import { createItem, updateItem } from '../../shared/store/writes.ts';
import { classEntity } from '../../shared/table/entities/classes.ts';
import { triggerEntity } from '../../shared/table/entities/scripts.ts';
import { addId } from '../../shared/table/record-ids.ts';
import type { ClassData } from '../../shared/table/records/records.ts';
import type { TriggerData } from '../../shared/table/records/triggers.ts';
import { readGround } from '../../shared/triggers/living-triggers.ts';
import {
  planTriggerRemoval,
  triggerLimit,
  withTriggers,
} from '../../shared/triggers/remove-trigger.ts';
import type { ClassTrigger } from '../../shared/triggers/rules/signals.ts';
import type { FieldErrors } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import type { TriggerFields } from './fields.ts';

/** A trigger, without joined records. */
export type TriggerView = Pick<Stored<TriggerData>, 'data'>;

/** Creates a trigger. Its class contains it from the same transaction on. */
export async function createTrigger(
  context: Context,
  input: Input<TriggerFields, 'create'>,
): Promise<TriggerView> {
  const reading = input.read();
  const instance = instanceOf(context);
  return retryOnConflict(async () => {
    const { platform } = context;
    const [classRecord, errors] = await Promise.all([
      readClass(context, reading.values.class),
      scriptErrors(context, reading.values),
    ]);
    const draft = validValues(reading, { ...errors, ...classErrors(reading.values, classRecord) });
    if (classRecord === undefined) throw new Error('a trigger has no class');
    const now = timestamp(platform.clock.micros());
    const data: TriggerData = {
      id: reservedId(context),
      label: draft.label,
      description: draft.description,
      signal: draft.signal,
      ...bindingTo(classRecord.data),
      script: 'codebox' in draft ? draft.codebox : draft.script,
      created_at: now,
      updated_at: now,
    };
    await commit(context, [
      createItem(triggerEntity, triggerEntity.key(instance, data.id), data),
      await addId(platform.store, triggerLimit, { instance, id: data.id }),
      withTriggers(classRecord, [...(classRecord.data.triggers ?? []), entryOf(data)]),
    ]);
    return { data };
  });
}

/** Changes a trigger. Tries once. */
export async function updateTrigger(
  context: Context,
  { current, input }: Update<TriggerData, TriggerFields>,
): Promise<TriggerView> {
  const { platform } = context;
  const reading = input.read();
  const [[ground], classRecord, errors] = await Promise.all([
    readGround(platform, instanceOf(context), [current.data]),
    readClass(context, reading.values.class ?? current.data.class),
    scriptErrors(context, reading.values),
  ]);
  if (ground?.class === undefined || !ground.isLiving) throw notFound();
  const draft = validValues(reading, { ...errors, ...classErrors(reading.values, classRecord) });
  const data: TriggerData = {
    ...current.data,
    ...toV11Names(draft),
    ...(classRecord && bindingTo(classRecord.data)),
    updated_at: timestamp(platform.clock.micros()),
  };
  const moved = classRecord === undefined ? [] : moveWrites(ground.class, classRecord, data);
  await commit(context, [updateItem(current, data), ...moved]);
  return { data };
}

/** Deletes a trigger, and later its traces. */
export async function removeTrigger(context: Context, current: Stored<TriggerData>): Promise<void> {
  const { platform } = context;
  const instance = instanceOf(context);
  const [ground] = await readGround(platform, instance, [current.data]);
  if (ground?.isLiving !== true) throw notFound();
  await commit(context, await planTriggerRemoval(platform, instance, current));
}

/** Reads the class of a name. */
async function readClass(
  context: Context,
  typed: string | undefined,
): Promise<Stored<ClassData> | undefined> {
  const name = typed?.toLowerCase();
  if (!mayBeClass(name)) return undefined;
  return classEntity.read(context.platform.store, instanceOf(context), name);
}

/** Checks whether a text fits into a key. */
function mayBeClass(name: string | undefined): name is string {
  return name !== undefined && /^[a-z0-9_]{1,64}$/.test(name);
}

function bindingTo({ name, number }: ClassData): Pick<TriggerData, 'class' | 'classNumber'> {
  return { class: name, classNumber: number };
}

function entryOf({ id, signal }: TriggerData): ClassTrigger {
  return { id, signal };
}

/** Returns the writes of the classes of a changed trigger, before and after; none when nothing changes there. */
function moveWrites(
  from: Stored<ClassData>,
  to: Stored<ClassData>,
  trigger: TriggerData,
): readonly Write[] {
  const before = from.data.triggers ?? [];
  const others = before.filter(({ id }) => id !== trigger.id);
  if (from.data.number !== to.data.number) {
    const entries = [...(to.data.triggers ?? []), entryOf(trigger)];
    return [withTriggers(from, others), withTriggers(to, entries)];
  }
  const isSame = before.some(({ id, signal }) => id === trigger.id && signal === trigger.signal);
  const entries = before.map((each) => (each.id === trigger.id ? entryOf(trigger) : each));
  return isSame ? [] : [withTriggers(from, entries)];
}

/** Values of a body, some perhaps rejected. */
type Sent = Partial<Values<TriggerFields, InputMode>>;

function classErrors(
  { class: typed }: Sent,
  classRecord: Stored<ClassData> | undefined,
): FieldErrors {
  const isKnown = typed === undefined || classRecord !== undefined;
  return isKnown ? {} : { class: [messages.noSuchName(typed)] };
}
