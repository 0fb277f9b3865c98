import { compiledClass } from '../classes/compiled-classes.ts';
import type { CompiledClass } from '../classes/rules/compiled-class.ts';
import { writeJson } from '../store/exact-json.ts';
import type { Write } from '../store/store.ts';
import { createItem } from '../store/writes.ts';
import { objectEntity } from '../table/entities/classes.ts';
import { objectIndexes } from '../table/object-indexes.ts';
import type { ChannelData } from '../table/records/channels.ts';
import type { ObjectData } from '../table/records/records.ts';
import { timestamp } from '../values/timestamp.ts';
import { fileRecords } from './files/object-files.ts';
import { channelErrors, channelEvent, channelFields, namedChannel } from './object-channel.ts';
import {
  lookAll,
  type ObjectInput,
  type ParsedBody,
  parsedBody,
  type SaveCall,
  type Seen,
  settledValues,
} from './object-checks.ts';
import { eventWrites } from './object-events.ts';
import { groupErrors, mayNameOwner, ownerOfNew } from './object-rules.ts';
import {
  commitPlan,
  commitPlans,
  growthOf,
  type PlannedSave,
  placeOf,
  planned,
  type SavedObject,
} from './save-object.ts';
import { uniqueWrites } from './unique-values.ts';

/**
 * Creates an object (docs/reference/objects.md#create).
 *
 * @throws ApiError 400 with the messages of every field that failed
 */
export async function createObject(call: SaveCall, created: NewObject): Promise<SavedObject> {
  return commitPlan(call, await planCreate(call, created));
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
  const creating = createTogether(call, all);
  return all.map((_, at) => creating.then((each) => each[at] as Promise<SavedObject>)); // one for each
}

async function createTogether(
  call: SaveCall,
  all: readonly NewObject[],
): Promise<readonly Promise<SavedObject>[]> {
  const compiled = compiledClass(call.caches, call.class);
  const parsed = await parseAll(call, compiled, all);
  const seen = await lookAll(
    call,
    parsed.filter(isGood).map(({ body }) => body),
  );
  const plans = parsed.map((each) =>
    isGood(each)
      ? attempt(() => planNew(call, compiled, { object: each, seen: seen.get(each.body) }))
      : each,
  );
  const commits = commitPlans(call, plans.filter(isGood)).values();
  // one commit for each plan
  const committing = () => commits.next().value as Promise<SavedObject>;
  return plans.map((plan) => (isGood(plan) ? committing() : Promise.reject(plan.error)));
}

/** The error of one of several objects. */
class Failed {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

function attempt<Result>(run: () => Result): Result | Failed {
  try {
    return run();
  } catch (error) {
    return new Failed(error);
  }
}

function isGood<Result>(result: Result | Failed): result is Result {
  return !(result instanceof Failed);
}

/** An object to create. */
export interface NewObject {
  /** Reserved for it. */
  readonly id: number;
  /** Parses the system fields of its body. Throws ApiError 400. */
  readonly sent: () => ObjectInput;
  /** Its owner if that is fixed, regardless of actor and body. */
  readonly owner?: number;
}

/**
 * Plans the creation of an object, after all checks.
 *
 * @throws ApiError 400 with the messages of every field that failed
 */
export async function planCreate(call: SaveCall, created: NewObject): Promise<PlannedSave> {
  const compiled = compiledClass(call.caches, call.class);
  const input = readNew(call, created);
  const channel = await namedChannel(call, input.values);
  const object = parseNew(call, compiled, { created, input, channel });
  const seen = await lookAll(call, [object.body]);
  return planNew(call, compiled, { object, seen: seen.get(object.body) });
}

/** A new object whose system fields are parsed. */
interface ReadObject {
  readonly created: NewObject;
  readonly input: ObjectInput;
  readonly channel: ChannelData | undefined;
}

/** A new object whose body is parsed. */
interface ParsedObject extends Pick<ReadObject, 'created' | 'channel'> {
  readonly body: ParsedBody;
}

/** Parses objects, each as far as it is valid. Waits only where one names a channel. */
async function parseAll(
  call: SaveCall,
  compiled: CompiledClass,
  all: readonly NewObject[],
): Promise<readonly (ParsedObject | Failed)[]> {
  const parsed: (ParsedObject | Failed)[] = [];
  for (const created of all) {
    const input = attempt(() => readNew(call, created));
    if (!isGood(input)) {
      parsed.push(input);
      continue;
    }
    const isInChannel = typeof input.values.channel === 'string';
    const channel = isInChannel ? await namedChannel(call, input.values) : undefined;
    parsed.push(parseNew(call, compiled, { created, input, channel }));
  }
  return parsed;
}

function readNew({ actor }: SaveCall, { sent, owner }: NewObject): ObjectInput {
  const input = sent();
  return owner === undefined && mayNameOwner(actor) ? input : withoutOwner(input);
}

function parseNew(
  call: SaveCall,
  compiled: CompiledClass,
  { created, input, channel }: ReadObject,
): ParsedObject {
  const rules = [groupErrors(call.actor, null, input.values), channelErrors(input.values, channel)];
  return { created, channel, body: parsedBody(compiled, { input, current: undefined, rules }) };
}

/** Drops the owner, valid or not, from the body of an actor that may not set it. */
function withoutOwner(input: ObjectInput): ObjectInput {
  const { owner: _, ...values } = input.values;
  const { owner: __, ...errors } = input.errors ?? {};
  return { ...input, values, errors };
}

function planNew(
  call: SaveCall,
  compiled: CompiledClass,
  { object, seen }: { readonly object: ParsedObject; readonly seen: Seen | undefined },
): PlannedSave {
  const { created, channel, body } = object;
  const { id, owner: given } = created;
  const { input } = body;
  const { values, added } = settledValues(call, compiled, { body, seen });
  const attached = channelFields(call.actor, input.values, channel);
  const now = timestamp(call.platform.clock.micros());
  const owner = given ?? ownerOfNew(call.actor, input.values);
  const { group = null, owner_permissions = 'full' } = input.values;
  const { group_permissions = 'none', other_permissions = 'none' } = input.values;
  // a plain literal: spreads cost more than the rest of the function
  const data: ObjectData = {
    id,
    created_at: now,
    updated_at: now,
    revision: 1,
    owner,
    owner_permissions,
    group,
    group_permissions,
    other_permissions,
    channel: attached.channel,
    channel_room: attached.channel_room,
    epoch: compiled.epoch,
    values,
    ...(channel && { channelNumber: channel.row }),
  };
  return plannedNew(call, compiled, {
    data,
    added,
    more: channelEvent(call, { compiled, channel, after: data }),
    events: () => eventWrites(call, { after: data }),
  });
}

/**
 * Plans the put of a new object, with its unique values and files.
 *
 * @param object.more further writes of its transaction
 */
export function plannedNew(
  call: SaveCall,
  compiled: CompiledClass,
  {
    data,
    added,
    more,
    events,
  }: Pick<PlannedSave, 'data' | 'added' | 'events'> & { readonly more: readonly Write[] },
): PlannedSave {
  const key = objectEntity.key(call.instance, call.class.data.number, data.id);
  const text = writeJson(data);
  const put = { text, ...createItem(objectEntity, key, data, objectIndexes(compiled, data)) };
  const unique = uniqueWrites(call, compiled, { id: data.id, before: {}, after: data.values });
  return planned(call, compiled, {
    data,
    text,
    writes: [put, ...unique, ...fileRecords(placeOf(call), added), ...more],
    added,
    growth: growthOf(call, { after: data }, added),
    events,
  });
}
