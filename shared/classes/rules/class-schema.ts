import { dataMessages } from '../../values/errors/data-messages.ts';
import { isJsonObject } from '../../values/json/json.ts';
import { readJson } from '../../values/json/json-values.ts';
import {
  characterCount,
  quoteValue,
  read,
  reject,
  type ValueResult,
} from '../../values/scalars.ts';
import {
  type ClassFieldType,
  definitionKeys,
  type FieldDefinition,
  fieldTypes,
} from './field-types.ts';
import { areThumbSizes } from './thumb-sizes.ts';

/** Data that a new schema is checked against. */
export interface SchemaContext {
  /** Current fields of the class; empty for a new class. */
  readonly current: readonly FieldDefinition[];
  /** Checks whether the instance has a class of this name, which is in lower case. */
  readonly classExists: (name: string) => boolean;
  /** Names, in lower case, that may be targets although no such class exists yet. */
  readonly ignoredTargets: ReadonlySet<string>;
}

const maxFields = 32; // docs/reference/classes.md#schema-validation
const maxIndexes = 16; // docs/reference/classes.md#schema-validation. Order and filter count each; as many as slots
const maxGeopoints = 1; // docs/reference/classes.md#schema-validation
const maxNameLength = 64; // docs/reference/classes.md#schema-format. Of fields, and of classes in old clients

/**
 * Parses the schema of a class: a list of definitions, or JSON text of one; the empty text is the empty list. Stops at
 * the first error. Definitions are normalized: type in lower case, no false flags (except a false `unique`),
 * `filter_index` with a true `unique`, keys in a fixed order (docs/reference/classes.md#schema-validation).
 */
export function readSchema(
  input: unknown,
  context: SchemaContext,
): ValueResult<readonly FieldDefinition[]> {
  const parsed = input === '' ? read([]) : readJson(input);
  if (!parsed.ok) return parsed;
  const list = parsed.value;
  if (!Array.isArray(list)) return reject(dataMessages.invalidFormat('Schema'));
  if (list.length > maxFields) return reject(dataMessages.tooManyFields(maxFields));
  if (!list.every(isJsonObject)) return reject(dataMessages.invalidFormat('Schema'));
  const fields: FieldDefinition[] = [];
  for (const [position, draft] of list.entries()) {
    const message = findProblem(draft, fields, context);
    if (message !== undefined) {
      const name = Object.hasOwn(draft, 'name') ? quoteValue(draft.name) : 'unknown';
      return reject(dataMessages.inField(name, position, message));
    }
    fields.push(clean(draft));
  }
  return read(fields);
}

/**
 * Parses the target names that `readSchema` does not check: a list of texts, or JSON text of one. Anything else is an
 * empty list (docs/reference/classes.md#schema-validation).
 */
export function readIgnoredTargets(input: unknown): ReadonlySet<string> {
  const parsed = readJson(input);
  const list: readonly unknown[] = parsed.ok && Array.isArray(parsed.value) ? parsed.value : [];
  return new Set(list.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()));
}

/** Definition as sent: any keys, any values. */
type Draft = Readonly<Record<string, unknown>>;

/** Returns the first error in a definition after the fields `before` it. */
function findProblem(
  draft: Draft,
  before: readonly FieldDefinition[],
  context: SchemaContext,
): string | undefined {
  if (!Object.hasOwn(draft, 'name') || !Object.hasOwn(draft, 'type')) {
    return dataMessages.nameAndType;
  }
  return (
    findNameProblem(draft.name) ??
    findTypeProblem(draft) ??
    findIndexProblem(draft, before, context.current) ??
    (isTargeted(typeOf(draft)) ? findTargetProblem(draft, context) : undefined)
  );
}

/**
 * Names with another meaning in an object or in a query (docs/reference/classes.md#schema-validation). Compared in
 * lower case.
 */
const reservedNames: ReadonlySet<string> = new Set([
  'id',
  'created_at',
  'updated_at',
  'revision',
  'owner',
  'owner_id',
  'owner_permissions',
  'group',
  'group_id',
  'group_permissions',
  'other_permissions',
  'channel',
  'channel_id',
  'channel_room',
  'acl',
  'expected_revision',
  'links',
  'self',
  'pk',
  'objects',
  'save',
  'delete',
  'clean',
  'store',
  'check',
]);

function findNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string') return dataMessages.fieldNameType;
  if (characterCount(name) > maxNameLength) return dataMessages.fieldNameLong(maxNameLength);
  if (name === '') return dataMessages.fieldNameShort;
  if (!/^[a-zA-Z][a-zA-Z0-9_]*$/.test(name)) return dataMessages.fieldNameCharacters(name);
  if (reservedNames.has(name.toLowerCase())) return dataMessages.fieldNameReserved(name);
  return undefined;
}

function findTypeProblem(draft: Draft): string | undefined {
  if (typeof draft.type !== 'string') return dataMessages.fieldTypeType;
  const type = typeOf(draft);
  if (!fieldTypes.includes(type)) return dataMessages.fieldTypeUnknown(fieldTypes);
  const keys = definitionKeys[type];
  const hasOther = Object.keys(draft).some((key) => !keys.includes(key));
  return hasOther ? dataMessages.fieldKeys(type, keys) : undefined;
}

/** Returns the type of a draft; it is a valid type only if findTypeProblem found no error. */
function typeOf(draft: Draft): ClassFieldType {
  return String(draft.type).toLowerCase() as ClassFieldType; // findTypeProblem checks the cast
}

function findIndexProblem(
  draft: Draft,
  before: readonly FieldDefinition[],
  current: readonly FieldDefinition[],
): string | undefined {
  const name = draft.name;
  if (typeof name === 'string' && before.some((field) => field.name === name)) {
    return dataMessages.fieldRepeated(name);
  }
  if (!isFlag(draft.order_index)) return dataMessages.indexFlag('order index');
  if (!isFlag(draft.filter_index)) return dataMessages.indexFlag('filter index');
  if (!isFlag(draft.private)) return dataMessages.privateFlag;
  if (draft.thumbs !== undefined && !areThumbSizes(draft.thumbs)) return dataMessages.thumbSizes;
  const field = clean(draft);
  const old = current.find((candidate) => candidate.name === name);
  if (field.unique && old?.type === field.type && !old.unique) return dataMessages.uniqueOnOld;
  const fields = [...before, field];
  if (fields.reduce((sum, each) => sum + indexCount(each), 0) > maxIndexes) {
    return dataMessages.tooManyIndexes(maxIndexes);
  }
  const geopoints = fields.filter((each) => each.type === 'geopoint' && each.filter_index);
  return geopoints.length > maxGeopoints ? dataMessages.tooManyGeopoints(maxGeopoints) : undefined;
}

function isFlag(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean';
}

function indexCount(field: FieldDefinition): number {
  return (field.order_index ? 1 : 0) + (field.filter_index ? 1 : 0);
}

function isTargeted(type: ClassFieldType): boolean {
  return type === 'reference' || type === 'relation';
}

function findTargetProblem(draft: Draft, context: SchemaContext): string | undefined {
  const { target } = draft;
  if (!Object.hasOwn(draft, 'target')) return dataMessages.targetMissing;
  if (typeof target !== 'string' || target === '') return dataMessages.targetEmpty;
  const name = target.toLowerCase();
  if (name === 'users') return dataMessages.targetUsers;
  if (name === 'self' || name === 'user') return undefined;
  const isKnown = context.classExists(name) || context.ignoredTargets.has(name);
  return isKnown && name.isWellFormed() && name.length <= maxNameLength
    ? undefined
    : dataMessages.targetUnknown;
}

/** Normalizes a definition for storage. */
function clean(draft: Draft): FieldDefinition {
  const isUnique = isTrue(draft.unique);
  return {
    name: String(draft.name),
    type: typeOf(draft),
    ...(draft.order_index === true ? { order_index: true } : {}),
    ...(draft.filter_index === true || isUnique ? { filter_index: true } : {}),
    ...(draft.unique === undefined ? {} : { unique: isUnique }),
    ...(draft.target === undefined ? {} : { target: String(draft.target) }),
    ...(draft.private === true ? { private: true } : {}),
    ...(areThumbSizes(draft.thumbs) && draft.thumbs.length > 0 ? { thumbs: draft.thumbs } : {}),
  };
}

/**
 * Checks truth by Python's rules: empty texts, lists and objects are false (docs/reference/classes.md#schema-format).
 */
function isTrue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return Boolean(value);
  return Object.keys(value).length > 0;
}
