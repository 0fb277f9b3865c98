import { writeJson } from '../store/exact-json.ts';
import type { Write } from '../store/store.ts';
import { createItem } from '../store/writes.ts';
import { objectEntity } from '../table/entities/classes.ts';
import { objectIndexes } from '../table/object-indexes.ts';
import type { ObjectData } from '../table/records/records.ts';
import { timestamp } from '../values/timestamp.ts';
import { fileRecords } from './files/object-files.ts';
import { channelEvent, objectChannelFields } from './object-channel.ts';
import {
  type FoundRecords,
  lookUp,
  type ParsedObjectBody,
  type ParsedSystemFields,
  parseObjectBody,
  valuesToStore,
} from './object-checks.ts';
import { eventWrites } from './object-events.ts';
import { groupErrors, mayNameOwner, ownerOfNew } from './object-rules.ts';
import type { SaveCall } from './save-call.ts';
import {
  commitPlans,
  FailedSave,
  growthOf,
  type SavedObject,
  type SavePlan,
  savePlan,
} from './save-object.ts';
import { uniqueWrites } from './unique-values.ts';

/** An object to create. */
export interface NewObject {
  /** Reserved for it. */
  readonly id: number;
  /** Parses the system fields of its body. Throws ApiError 400. */
  readonly parse: () => ParsedSystemFields;
  /** Its owner if that is fixed, regardless of actor and body. */
  readonly owner?: number;
}

/**
 * Creates an object (docs/reference/objects.md#create).
 *
 * @throws ApiError 400 with the messages of every field that failed
 */
export function createObject(call: SaveCall, created: NewObject): Promise<SavedObject> {
  return createObjects(call, [created])[0] as Promise<SavedObject>; // one for each
}

/**
 * Creates objects of one class, each as {@link createObject} does: they are checked and committed together, with one
 * step of reads, and one error does not concern the others.
 *
 * @returns one promise for each object, in their order
 */
export function createObjects(
  call: SaveCall,
  all: readonly NewObject[],
): readonly Promise<SavedObject>[] {
  const committing = planCreates(call, all).then((plans) => commitPlans(call, plans));
  return all.map((_, at) => committing.then((saved) => saved[at] as Promise<SavedObject>)); // one for each
}

/**
 * Plans the creation of an object, after all checks.
 *
 * @throws ApiError 400 with the messages of every field that failed
 */
export async function planCreate(call: SaveCall, created: NewObject): Promise<SavePlan> {
  const [plan] = await planCreates(call, [created]);
  if (plan instanceof FailedSave) throw plan.error;
  return plan as SavePlan; // one for each
}

/** Plans the creation of objects, each as far as it is valid. */
async function planCreates(
  call: SaveCall,
  all: readonly NewObject[],
): Promise<readonly (SavePlan | FailedSave)[]> {
  const parsed = all.map((created) => attempt(() => parseNew(call, created)));
  const bodies = parsed.flatMap((each) => (each instanceof FailedSave ? [] : [each.body]));
  const found = await lookUp(call, bodies);
  return parsed.map((each) =>
    each instanceof FailedSave ? each : attempt(() => planNew(call, each, found.get(each.body))),
  );
}

function attempt<Result>(run: () => Result): Result | FailedSave {
  try {
    return run();
  } catch (error) {
    return new FailedSave(error);
  }
}

/** A new object whose body is parsed. */
interface ParsedNew {
  readonly id: number;
  readonly owner: number | undefined;
  readonly body: ParsedObjectBody;
}

function parseNew(call: SaveCall, { id, parse, owner }: NewObject): ParsedNew {
  const { actor } = call;
  const whole = parse();
  const input = owner === undefined && mayNameOwner(actor) ? whole : withoutOwner(whole);
  const rules = [groupErrors(actor, null, input.values)];
  return { id, owner, body: parseObjectBody(call, { input, current: undefined, rules }) };
}

/** Drops the owner, valid or not, from the body of an actor that may not set it. */
function withoutOwner(input: ParsedSystemFields): ParsedSystemFields {
  const { owner: _, ...values } = input.values;
  const { owner: __, ...errors } = input.errors ?? {};
  return { ...input, values, errors };
}

function planNew(call: SaveCall, parsed: ParsedNew, found: FoundRecords | undefined): SavePlan {
  const { values, added } = valuesToStore(call, parsed.body, found);
  const channel = found?.channel;
  const data = newObjectData(call, parsed, { values, channel });
  const more = channelEvent(call, { channel, after: data });
  return planPut(call, { data, added, more, events: () => eventWrites(call, { after: data }) });
}

/** @throws ApiError as {@link objectChannelFields} */
function newObjectData(
  { actor, platform, compiled }: SaveCall,
  { id, owner, body: { input } }: ParsedNew,
  { values, channel }: Pick<ObjectData, 'values'> & Pick<FoundRecords, 'channel'>,
): ObjectData {
  const named = objectChannelFields(actor, input.values, channel);
  const now = timestamp(platform.clock.micros());
  const { group = null, owner_permissions = 'full' } = input.values;
  const { group_permissions = 'none', other_permissions = 'none' } = input.values;
  // a plain literal: spreads cost more than the rest of the function
  return {
    id,
    created_at: now,
    updated_at: now,
    revision: 1,
    owner: owner ?? ownerOfNew(actor, input.values),
    owner_permissions,
    group,
    group_permissions,
    other_permissions,
    channel: named.channel,
    channel_room: named.channel_room,
    epoch: compiled.epoch,
    values,
    ...(channel && { channelNumber: channel.row }),
  };
}

/**
 * Plans the put of a new object, with its unique values and files.
 *
 * @param object.more further writes of its transaction
 */
export function planPut(
  call: SaveCall,
  {
    data,
    added,
    more,
    events,
  }: Pick<SavePlan, 'data' | 'added' | 'events'> & { readonly more: readonly Write[] },
): SavePlan {
  const { instance, classNumber, compiled } = call;
  const key = objectEntity.key(instance, classNumber, data.id);
  const text = writeJson(data);
  const put = { text, ...createItem(objectEntity, key, data, objectIndexes(compiled, data)) };
  const unique = uniqueWrites(call, { id: data.id, before: {}, after: data.values });
  return savePlan(call, {
    data,
    text,
    writes: [put, ...unique, ...fileRecords(call, added, data.id), ...more],
    added,
    growth: growthOf(call, { after: data }, added),
    events,
  });
}
