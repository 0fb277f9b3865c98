import { buildIndexes, type ChangedIndexes } from '../../shared/classes/build-indexes.ts';
import { readIgnoredTargets, readSchema } from '../../shared/classes/rules/class-schema.ts';
import {
  isSameSchema,
  planStorage,
  type StoragePlan,
} from '../../shared/classes/rules/class-storage.ts';
import type { FieldDefinition } from '../../shared/classes/rules/field-types.ts';
import { type ClassPermission, profileClass } from '../../shared/classes/rules/permissions.ts';
import { type Body, bodyObject, type Input, readInput } from '../../shared/core/resource/input.ts';
import type { Update } from '../../shared/core/resource/lists/list-resource.ts';
import { instanceOf } from '../../shared/core/resource/place.ts';
import type { Context } from '../../shared/core/resource/route.ts';
import { clearClass } from '../../shared/instances/clear-partitions.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { clearFiles, type RetiredFiles } from '../../shared/objects/clear-files.ts';
import { commit, commitUnique } from '../../shared/store/commit.ts';
import {
  as,
  classCountEntity,
  classEntity,
  classMetadataEntity,
  classNumbersEntity,
  groupEntity,
  objectEntity,
} from '../../shared/store/entities.ts';
import type { ClassData, ClassNumbersData } from '../../shared/store/records/records.ts';
import type { Stored, Write } from '../../shared/store/store.ts';
import { erase, insert, store as put, remove, replace } from '../../shared/store/writes.ts';
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
import { classFields } from './fields.ts';

/** A class joined with its free data. */
export interface ClassView {
  readonly data: ClassData;
  readonly metadata: JsonObject;
  /** Number of its objects. */
  readonly objects: number;
}

/** Values of a valid body of a class; unchanged ones are absent. */
interface Draft {
  readonly name: string;
  readonly description?: string;
  readonly schema?: readonly FieldDefinition[];
  readonly group?: number | null;
  readonly group_permissions?: ClassPermission;
  readonly other_permissions?: ClassPermission;
  readonly metadata?: JsonObject;
  readonly expected_revision?: number;
}

/** Creates a class; the list of names and numbers keeps their count within its limit. */
export async function createClass(context: Context, body: Body): Promise<ClassView> {
  const input = readInput(classFields, body, 'create');
  return retryOnConflict(async () => {
    const around = await readAround(context, undefined, input);
    const { numbers } = around;
    const draft = checked({ input, body, current: [], around });
    if (Object.hasOwn(numbers.data.numbers, draft.name)) throw nameTaken();
    checkCount(context, numbers.data);
    const { metadata = {} } = draft;
    const data = newClass(context, draft, numbers.data.last + 1);
    const classWrite = insert(classEntity, classEntity.key(instanceOf(context), data.name), data);
    await commitUnique(
      context,
      [
        classWrite,
        replace(numbers, withClass(numbers.data, data)),
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
  const { name, description = '', schema = [], group = null } = draft;
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
    group_permissions: draft.group_permissions ?? 'create_objects',
    other_permissions: draft.other_permissions ?? 'create_objects',
    created_at: now,
    updated_at: now,
  };
}

/**
 * Changes a class: fields that keep name, type and target keep their values
 * (docs/reference/classes.md#changing-a-schema).
 */
export async function updateClass(
  context: Context,
  { current, body, mode }: Update<ClassData>,
): Promise<ClassView> {
  refuseMigrating(current.data);
  const input = readInput(classFields, body, mode);
  const around = await readAround(context, current.data, input);
  const draft = checked({ input, body, current: current.data.schema, around });
  const { metadata, schema, expected_revision = 0, ...changes } = draft;
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
    replace(current, data),
    ...(metadata === undefined ? [] : metadataWrites(context, data.name, metadata)),
    // Of an empty class too: a request that read it before may still create an object.
    ...(hasNewIndexes ? [newJob(context.platform, buildIndexes, indexTask(context, data))] : []),
    ...fileWork(context, current.data, data),
  ]);
  return { data, metadata: metadata ?? around.metadata, objects: around.objects };
}

function refuseMigrating({ status }: ClassData): void {
  if (status === 'migrating') {
    throw invalid({ non_field_errors: [dataMessages.classMigrating] }, 'state_conflict');
  }
}

async function hasNoObjects(context: Context, { number }: ClassData): Promise<boolean> {
  const { pk } = objectEntity.key(instanceOf(context), number, 0);
  return (await context.platform.store.query({ pk, limit: 1 })).items.length === 0;
}

function indexTask(context: Context, { name, number, epoch }: ClassData): ChangedIndexes {
  return { instance: instanceOf(context), className: name, classNumber: number, epoch };
}

/** Starts the deletion of files of the fields that a change removes. */
function fileWork(context: Context, before: ClassData, { retiredFiles = [], ...data }: ClassData) {
  const names = retiredFiles.filter((name) => !before.retiredFiles?.includes(name));
  if (names.length === 0) return [];
  const { name: className, number: classNumber } = data;
  const task: RetiredFiles = { instance: instanceOf(context), className, classNumber, names };
  return [newJob(context.platform, clearFiles, task)];
}

function schemaChanges(current: ClassData, schema: readonly FieldDefinition[]): Partial<ClassData> {
  if (isSameSchema(current.schema, schema)) return {};
  const revision = current.revision + 1;
  const { storage, pairs, retiredSlots, slotsChanged } = planStorage(current, schema, revision);
  const epoch = current.epoch + (slotsChanged ? 1 : 0);
  const unfilledSlots = unfilled(current, { storage, pairs });
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
function unfilled(
  { storage: before, unfilledSlots = [] }: ClassData,
  { storage: after, pairs }: Pick<StoragePlan, 'storage' | 'pairs'>,
): readonly number[] {
  const ofFields = after.flatMap(({ storage, slot }) => {
    if (slot === undefined) return [];
    const isOld = before.some((old) => old.slot === slot && old.storage === storage);
    return isOld && !unfilledSlots.includes(slot) ? [] : [slot];
  });
  const ofPairs = pairs.map(({ slot }) => slot).filter((slot) => unfilledSlots.includes(slot));
  return [...ofFields, ...ofPairs];
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
    remove(current),
    replace(numbers, { ...numbers.data, numbers: others }),
    erase(key),
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
  input?: Input,
): Promise<Around> {
  const { platform, params } = context;
  const instance = instanceOf(context);
  const group = input?.values.group;
  if (current !== undefined) await platform.changes.settled();
  const [numbersItem, metadata, count, groupItem] = await platform.store.get([
    classNumbersEntity.key(params.instance ?? ''),
    classMetadataEntity.key(instance, current?.name ?? ''),
    classCountEntity.key(instance, current?.number ?? 0),
    ...(typeof group === 'number' ? [groupEntity.key(instance, group)] : []),
  ]);
  const numbers = as(classNumbersEntity, numbersItem);
  if (numbers === undefined) throw parentNotFound('Instance'); // deleted or renamed since
  return {
    numbers,
    metadata: as(classMetadataEntity, metadata)?.data.metadata ?? {},
    objects: as(classCountEntity, count)?.data.count ?? 0,
    hasGroup: groupItem !== undefined,
  };
}

interface Unchecked {
  readonly input: Input;
  readonly body: Body;
  readonly current: readonly FieldDefinition[];
  readonly around: Around;
}

/**
 * Checks values that depend on other records, and throws the messages of all failed fields together.
 *
 * @throws ApiError 400
 */
function checked({ input, body, current, around }: Unchecked): Draft {
  const { schema: rawSchema, ...values } = input.values;
  const errors: Record<string, FieldErrors[string]> = { ...input.errors };
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
  if (typeof values.group === 'number' && !around.hasGroup) {
    errors.group = [messages.noSuchPk(values.group)];
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return { ...(values as unknown as Draft), ...(schema && { schema }) }; // validated
}

function metadataWrites(context: Context, name: string, metadata: JsonObject): Write[] {
  return [
    put(classMetadataEntity, classMetadataEntity.key(instanceOf(context), name), { metadata }),
  ];
}
