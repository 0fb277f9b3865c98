import { readChannels } from '../../shared/channels/channel-record.ts';
import { type CompiledClass, changedFields } from '../../shared/classes/rules/compiled-class.ts';
import { type Context, instanceOf } from '../../shared/core/family.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { planPut } from '../../shared/objects/create-object.ts';
import { type AddedFile, findSources } from '../../shared/objects/files/object-files.ts';
import { parseObjectBody, valuesToStore } from '../../shared/objects/object-checks.ts';
import type { TargetCheck } from '../../shared/objects/rules/object-values.ts';
import { type SaveCall, saveCallIn } from '../../shared/objects/save-call.ts';
import { commitPlans } from '../../shared/objects/save-object.ts';
import { fieldOf, uniqueWrites } from '../../shared/objects/unique-values.ts';
import { as, readTogether } from '../../shared/store/entity.ts';
import { objectEntity, uniqueEntity } from '../../shared/table/entities/classes.ts';
import { deletedGroupsEntity, deletedUserEntity } from '../../shared/table/entities/users.ts';
import type { ChannelData } from '../../shared/table/records/channels.ts';
import type { ObjectData } from '../../shared/table/records/records.ts';
import { ApiError } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { allSettled } from '../../shared/values/promises/all-settled.ts';
import { objectRecord } from './fields.ts';
import { transferMessages } from './messages.ts';
import { readClass } from './read-class.ts';
import {
  checkIds,
  checkPage,
  type Imported,
  type ReadRecord,
  raiseCounter,
  readRecords,
} from './record-page.ts';

/** A record of an object; what it needs is added step by step, as far as it has no errors. */
interface ObjectRecord extends ReadRecord<typeof objectRecord> {
  /** Objects that it refers to; they need not exist. */
  targets: readonly TargetCheck[];
  data?: ObjectData;
  added: readonly AddedFile[];
  /** Exists already, as it is here. */
  isStored: boolean;
}

/**
 * Imports objects of a class as they are: no trigger runs, no message is published, and what they refer to may be
 * imported later (docs/reference/transfer.md#objects).
 *
 * @param name of the class
 * @throws ApiError 400 when a record is bad, and then nothing is written
 */
export async function importObjects(
  context: Context,
  name: string,
  records: readonly JsonObject[],
): Promise<Imported> {
  const call = saveCallIn(context, instanceOf(context), await readClass(context, name));
  const { compiled } = call;
  const isField = (each: string) => compiled.fields.some((field) => field.name === each);
  return retryOnConflict(async () => {
    const page = readRecords(objectRecord, records, isField).map(
      (read): ObjectRecord => ({ ...read, targets: [], added: [], isStored: false }),
    );
    const channels = await channelsOf(call, page);
    await Promise.all(page.map((record) => settle(call, record, channels)));
    await compareStored(call, page);
    await checkDeleted(call, page);
    await checkUnique(call, page);
    const fresh = page.filter(({ isStored }) => !isStored);
    checkIds(fresh, idsIn);
    checkPage(page);
    await passAllIds(context, fresh);
    const plans = fresh.flatMap(({ data, added }) =>
      data === undefined ? [] : [planPut(call, { data, added, more: [], events: () => [] })],
    );
    await allSettled(commitPlans(call, plans));
    return { created: fresh.length, unchanged: page.length - fresh.length };
  });
}

type Channels = ReadonlyMap<string, ChannelData | undefined>;

async function channelsOf({ platform, instance }: SaveCall, page: readonly ObjectRecord[]) {
  const names = [...new Set(page.flatMap(({ values }) => values.channel?.toLowerCase() ?? []))];
  const found = await readChannels(platform.store, instance, names);
  return new Map(names.map((name, at) => [name, found[at]?.data]));
}

/** Reads the values of a record, and makes the object of it. */
async function settle(call: SaveCall, record: ObjectRecord, channels: Channels): Promise<void> {
  const { values: system, errors } = record;
  const channel = channels.get(system.channel?.toLowerCase() ?? '');
  if (channel?.type === 'separate_rooms' && !system.channel_room) {
    errors.channel_room = [messages.channelRoomRequired];
  }
  const input = { values: {}, errors: undefined, body: record.record, isForm: false };
  const body = parseObjectBody(call, { input, current: undefined, rules: [] });
  record.targets = body.parsed.targets;
  const sources = await findSources(call, body.parsed.files);
  const parsed = { ...body.parsed, targets: [] };
  try {
    const found = { targets: [], missing: {}, sources, channel: undefined };
    const { values, added } = valuesToStore(call, { ...body, parsed }, found);
    if (Object.keys(errors).length > 0) return;
    record.added = added;
    record.data = objectOf(call, { system, values, channels });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    Object.assign(errors, error.body);
  }
}

function objectOf(
  { compiled: { epoch } }: SaveCall,
  {
    system,
    values,
    channels,
  }: Pick<ObjectData, 'values'> & {
    readonly system: ObjectRecord['values'];
    readonly channels: Channels;
  },
): ObjectData {
  const channel = system.channel?.toLowerCase() ?? null;
  // the order of the members is that of every new object
  return {
    id: system.id,
    created_at: system.created_at,
    updated_at: system.updated_at,
    revision: system.revision,
    owner: system.owner,
    owner_permissions: system.owner_permissions,
    group: system.group,
    group_permissions: system.group_permissions,
    other_permissions: system.other_permissions,
    channel,
    channel_room: system.channel_room,
    epoch,
    values,
    ...(channel !== null && { channelNumber: channels.get(channel)?.row ?? null }),
  };
}

/** Finds the records that exist. One that differs is an error. */
async function compareStored(
  { platform, instance, classNumber, compiled }: SaveCall,
  page: readonly ObjectRecord[],
): Promise<void> {
  const made = page.flatMap((record) => (record.data ? [{ record, data: record.data }] : []));
  const found = await objectEntity.readAll(
    platform.store,
    made.map(({ data }) => [instance, classNumber, data.id]),
  );
  for (const [at, { record, data }] of made.entries()) {
    const stored = found[at]?.data;
    if (stored === undefined) continue;
    if (isSame(compiled, stored, data)) record.isStored = true;
    else record.errors.id = [transferMessages.differs];
  }
}

/** Adds an error for each owner and group that is being deleted: its clean-up would clear the object as well. */
async function checkDeleted(
  { platform, instance }: SaveCall,
  page: readonly ObjectRecord[],
): Promise<void> {
  const owners = [...new Set(page.flatMap(({ values }) => values.owner ?? []))];
  const found = await readTogether(platform.store, {
    users: owners.map((owner) => deletedUserEntity.at(instance, owner)),
    groups: deletedGroupsEntity.at(instance),
  });
  const users = found.users.map((user) => user?.data.user);
  for (const { values, errors } of page) {
    const { owner, group } = values;
    if (owner && users.includes(owner)) errors.owner = [transferMessages.beingDeleted];
    const isOfDeleted = group && found.groups?.data.groups.includes(group);
    if (isOfDeleted) errors.group = [transferMessages.beingDeleted];
  }
}

const compared = [
  'created_at',
  'updated_at',
  'revision',
  'owner',
  'owner_permissions',
  'group',
  'group_permissions',
  'other_permissions',
  'channel',
  'channel_room',
] as const satisfies readonly (keyof ObjectData)[];

/** Compares two objects; of files only whether they are there, since an import copies them to new addresses. */
function isSame(compiled: CompiledClass, stored: ObjectData, data: ObjectData): boolean {
  if (compared.some((name) => stored[name] !== data[name])) return false;
  return changedFields(compiled, stored.values, data.values).every(
    ({ type, storage }) =>
      type === 'file' && stored.values[storage] !== undefined && data.values[storage] !== undefined,
  );
}

/** Finds unique values that another object has, also on the same page. */
async function checkUnique(call: SaveCall, page: readonly ObjectRecord[]): Promise<void> {
  const { compiled } = call;
  if (compiled.unique.length === 0) return;
  const claims = page.flatMap((record) => {
    const { data, isStored } = record;
    if (data === undefined || isStored) return [];
    const writes = uniqueWrites(call, { id: data.id, before: {}, after: data.values });
    return writes.map(({ key }) => ({ record, key }));
  });
  if (claims.length === 0) return;
  const found = await call.platform.store.get(claims.map(({ key }) => key));
  const claimed = new Set<string>();
  for (const [at, { record, key }] of claims.entries()) {
    const isTaken = as(uniqueEntity, found[at]) !== undefined || claimed.has(key.sk);
    claimed.add(key.sk);
    const field = fieldOf(compiled, key.sk);
    if (isTaken && field) record.errors[field.name] = [messages.unique];
  }
}

function idsIn({ values: { id, owner, group }, targets }: ObjectRecord) {
  // absent where the value is wrong, which has its own error
  const system = Object.entries({ id, owner, group }).map(([name, value]) => [
    name,
    value ? [value] : [],
  ]);
  return Object.fromEntries([
    ...system,
    ...targets.map(({ field, ids }) => [field.name, ids] as const),
  ]);
}

/** Keeps later records from the ids of the objects, and of everything that they refer to. */
async function passAllIds(context: Context, fresh: readonly ObjectRecord[]): Promise<void> {
  const targets = fresh.flatMap((record) => record.targets);
  const idsOf = (isUser: boolean) =>
    targets.flatMap(({ target, ids }) => ((target.toLowerCase() === 'user') === isUser ? ids : []));
  await raiseCounter(context, 'object', [...fresh.map(({ values }) => values.id), ...idsOf(false)]);
  const owners = fresh.flatMap(({ values }) => values.owner ?? []);
  await raiseCounter(context, 'user', [...owners, ...idsOf(true)]);
  await raiseCounter(
    context,
    'group',
    fresh.flatMap(({ values }) => values.group ?? []),
  );
}
