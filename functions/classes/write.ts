import { buildIndexes, type ChangedIndexes } from '../../shared/classes/build-indexes.ts';
import { readIgnoredTargets, readSchema } from '../../shared/classes/rules/class-schema.ts';
import {
  isSameSchema,
  planStorage,
  type StoragePlan,
} from '../../shared/classes/rules/class-storage.ts';
import type { FieldDefinition } from '../../shared/classes/rules/field-types.ts';
import { profileClass } from '../../shared/classes/rules/permissions.ts';
import { type Context, instanceOf, type Update } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import {
  bodyObject,
  type Input,
  type InputMode,
  type Values,
  validValues,
} from '../../shared/core/resource/input.ts';
import { clearClass } from '../../shared/instances/clear-partitions.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit, commitUnique } from '../../shared/store/commit.ts';
import { readTogether } from '../../shared/store/entity.ts';
import type { Stored, Write } from '../../shared/store/store.ts';
import {
  createItem,
  deleteIfExists,
  deleteItem,
  putItem,
  updateItem,
} from '../../shared/store/writes.ts';
import {
  classCountEntity,
  classEntity,
  classMetadataEntity,
  objectEntity,
} from '../../shared/table/entities/classes.ts';
import { classNumbersEntity } from '../../shared/table/entities/instances.ts';
import { groupEntity } from '../../shared/table/entities/users.ts';
import type { ClassData, ClassNumbersData } from '../../shared/table/records/records.ts';
import { dataMessages } from '../../shared/values/errors/data-messages.ts';
import {
  countExceeded,
  type FieldErrors,
  forbidden,
  invalid,
  parentNotFound,
  revisionMismatch,
} from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import type { classFields } from './fields.ts';
import { fileJobs, isPrivate } from './file-jobs.ts';

/** A class joined with its free data. */
export interface ClassView {
  readonly data: ClassData;
  readonly metadata: JsonObject;
  /** Number of its objects. */
  readonly objects: number;
}

/** Values of a new class. */
type Draft = Omit<Values<typeof classFields, 'create'>, 'schema'> & {
  readonly schema: readonly FieldDefinition[] | undefined;
};

/** Creates a class; the list of names and numbers keeps their count within its limit. */
export async function createClass(
  context: Context,
  input: Input<typeof classFields, 'create'>,
): Promise<ClassView> {
  const reading = input.read();
  return retryOnConflict(async () => {
    const around = await readAround(context, undefined, reading.values.group);
    const { numbers } = around;
    const { schema, errors } = checkValues(reading.values, {
      body: input.body,
      current: [],
      around,
    });
    const draft = { ...validValues(reading, errors), schema };
    if (Object.hasOwn(numbers.data.numbers, draft.name)) throw nameTaken();
    checkCount(context, numbers.data);
    const { metadata } = draft;
    const data = newClass(context, draft, numbers.data.last + 1);
    const classWrite = createItem(
      classEntity,
      classEntity.key(instanceOf(context), data.name),
      data,
    );
    await commitUnique(
      context,
      [
        classWrite,
        updateItem(numbers, withClass(numbers.data, data)),
        ...(Object.keys(metadata).length > 0 ? metadataWrites(context, data.name, metadata) : []),
      ],
      nameTaken,
    );
    return { data, metadata, objects: 0 };
  });
}

function nameTaken() {
  return invalid({ name: [messages.unique] });
}

function checkCount({ platform }: Context, { numbers }: ClassNumbersData): void {
  const limit = platform.settings.maxClasses;
  if (Object.keys(numbers).length >= limit) throw countExceeded('Class', limit);
}

function withClass({ numbers }: ClassNumbersData, { name, number }: ClassData): ClassNumbersData {
  return { last: number, numbers: { ...numbers, [name]: number } };
}

function newClass(context: Context, draft: Draft, number: number): ClassData {
  const now = timestamp(context.platform.clock.micros());
  const { name, description, schema = [], group, group_permissions, other_permissions } = draft;
  const { storage, retiredSlots } = planStorage(undefined, schema, 1);
  return {
    number,
    name,
    description,
    schema,
    storage,
    retiredSlots,
    group,
    epoch: 1,
    revision: 1,
    status: 'ready',
    group_permissions,
    other_permissions,
    created_at: now,
    updated_at: now,
    ...(schema.some(isPrivate) && { hasPrivateFiles: true }),
  };
}

/**
 * Changes a class: fields that keep name, type and target keep their values
 * (docs/reference/classes.md#changing-a-schema).
 */
export async function updateClass(
  context: Context,
  { current, input }: Update<ClassData, typeof classFields>,
): Promise<ClassView> {
  refuseMigrating(current.data);
  const reading = input.read();
  const around = await readAround(context, current.data, reading.values.group);
  const { body } = input;
  const { schema, errors } = checkValues(reading.values, {
    body,
    current: current.data.schema,
    around,
  });
  const draft = validValues(reading, errors);
  const { metadata, schema: _, expected_revision = 0, ...changes } = draft;
  const { revision } = current.data;
  if (expected_revision !== 0 && expected_revision !== revision) {
    throw revisionMismatch(expected_revision, revision);
  }
  const changed = schema === undefined ? {} : schemaChanges(current.data, schema);
  const hasNewIndexes = changed.epoch !== undefined && changed.epoch !== current.data.epoch;
  const isEmpty = hasNewIndexes && (await hasNoObjects(context, current.data));
  const data: ClassData = {
    ...current.data,
    ...changes,
    ...changed,
    ...(hasNewIndexes && !isEmpty && { status: 'migrating' }),
    updated_at: timestamp(context.platform.clock.micros()),
  };
  await commit(context, [
    updateItem(current, data),
    ...(metadata === undefined ? [] : metadataWrites(context, data.name, metadata)),
    // Of an empty class too: a request that read it before may still create an object.
    ...(hasNewIndexes ? [newJob(context.platform, buildIndexes, indexTask(context, data))] : []),
    ...fileJobs(context, current.data, data),
  ]);
  return { data, metadata: metadata ?? around.metadata, objects: around.objects };
}

function refuseMigrating({ status }: ClassData): void {
  if (status === 'migrating') {
    throw invalid({ non_field_errors: [dataMessages.classMigrating] }, 'state_conflict');
  }
}

async function hasNoObjects(context: Context, { number }: ClassData): Promise<boolean> {
  const { store } = context.platform;
  const { items } = await objectEntity.list(store, [instanceOf(context), number], { limit: 1 });
  return items.length === 0;
}

function indexTask(context: Context, { name, number, epoch }: ClassData): ChangedIndexes {
  return { instance: instanceOf(context), className: name, classNumber: number, epoch };
}

function schemaChanges(current: ClassData, schema: readonly FieldDefinition[]): Partial<ClassData> {
  if (isSameSchema(current.schema, schema)) return {};
  const revision = current.revision + 1;
  const { storage, pairs, retiredSlots, slotsChanged } = planStorage(current, schema, revision);
  const epoch = current.epoch + (slotsChanged ? 1 : 0);
  const unfilledSlots = unfilledSlotsOf(current, { storage, pairs });
  const retiredFiles = [...(current.retiredFiles ?? []), ...lostFiles(current, storage)];
  return {
    schema,
    revision,
    storage,
    pairs,
    retiredSlots,
    unfilledSlots,
    epoch,
    ...(retiredFiles.length > 0 && { retiredFiles }),
    ...(schema.some(isPrivate) && { hasPrivateFiles: true }),
  };
}

/** Returns storage names of the file fields that are not among those of `after`. */
function lostFiles(current: ClassData, after: ClassData['storage']): readonly string[] {
  return current.storage
    .filter((_, i) => current.schema[i]?.type === 'file')
    .map(({ storage }) => storage)
    .filter((name) => !after.some(({ storage }) => storage === name));
}

/** Returns slots without keys of existing objects: those that a field or composite index did not have before. */
function unfilledSlotsOf(
  { storage: before, unfilledSlots = [] }: ClassData,
  { storage: after, pairs }: Pick<StoragePlan, 'storage' | 'pairs'>,
): readonly number[] {
  const ofFields = after.flatMap(({ storage, slot }) => {
    if (slot === undefined) return [];
    const isOld = before.some((old) => old.slot === slot && old.storage === storage);
    return isOld && !unfilledSlots.includes(slot) ? [] : [slot];
  });
  const ofCompositeIndexes = pairs
    .map(({ slot }) => slot)
    .filter((slot) => unfilledSlots.includes(slot));
  return [...ofFields, ...ofCompositeIndexes];
}

/** Deletes a class: the transaction frees its name and makes its objects unreachable. */
export async function removeClass(context: Context, current: Stored<ClassData>): Promise<void> {
  const { name } = current.data;
  if (name === profileClass) throw forbidden('item_protected');
  refuseMigrating(current.data);
  const { numbers } = await readAround(context, current.data);
  const { [name]: _, ...others } = numbers.data.numbers;
  const key = classMetadataEntity.key(instanceOf(context), name);
  await commit(context, [
    deleteItem(current),
    updateItem(numbers, { ...numbers.data, numbers: others }),
    deleteIfExists(key),
    newJob(context.platform, clearClass, {
      instance: instanceOf(context),
      classNumber: current.data.number,
    }),
  ]);
}

/** Records that belong to a class and that its writes depend on. */
interface Around {
  readonly numbers: Stored<ClassNumbersData>;
  readonly metadata: JsonObject;
  readonly objects: number;
  /** Whether the group that the body names exists. */
  readonly hasGroup: boolean;
}

/** Reads in one step the records that belong to a class; a new class has none. */
async function readAround(
  context: Context,
  current: ClassData | undefined,
  group?: number | null,
): Promise<Around> {
  const { platform, params } = context;
  const instance = instanceOf(context);
  if (current !== undefined) await platform.changes.settled();
  const { numbers, metadata, count, groups } = await readTogether(platform.store, {
    numbers: classNumbersEntity.at(params.instance ?? ''),
    metadata: classMetadataEntity.at(instance, current?.name ?? ''),
    count: classCountEntity.at(instance, current?.number ?? 0),
    groups: typeof group === 'number' ? [groupEntity.at(instance, group)] : [],
  });
  if (numbers === undefined) throw parentNotFound('Instance'); // deleted or renamed since
  return {
    numbers,
    metadata: metadata?.data.metadata ?? {},
    objects: count?.data.count ?? 0,
    hasGroup: groups[0] !== undefined,
  };
}

interface SchemaChange {
  readonly body: Body;
  readonly current: readonly FieldDefinition[];
  readonly around: Around;
}

/** Parses the schema, and checks the values that depend on other records; returns the messages of what is wrong. */
function checkValues(
  values: Partial<Values<typeof classFields, InputMode>>,
  { body, current, around }: SchemaChange,
) {
  const { schema: rawSchema, group } = values;
  const errors: Record<string, FieldErrors[string]> = {};
  let schema: readonly FieldDefinition[] | undefined;
  if (rawSchema !== undefined) {
    const reading = readSchema(rawSchema, {
      current,
      classExists: (name) => Object.hasOwn(around.numbers.data.numbers, name),
      ignoredTargets: readIgnoredTargets(bodyObject(body).ignored_target_classes),
    });
    if (reading.ok) schema = reading.value;
    else errors.schema = reading.messages;
  }
  if (typeof group === 'number' && !around.hasGroup) errors.group = [messages.noSuchPk(group)];
  return { schema, errors };
}

function metadataWrites(context: Context, name: string, metadata: JsonObject): Write[] {
  return [
    putItem(classMetadataEntity, classMetadataEntity.key(instanceOf(context), name), { metadata }),
  ];
}
