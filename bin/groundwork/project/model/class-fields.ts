import * as v from 'valibot';
import {
  type ClassFieldType,
  definitionKeys,
  type FieldDefinition,
  fieldTypes,
} from '../../../../shared/classes/rules/field-types.ts';
import { areThumbSizes, isThumbSize } from '../../../../shared/classes/rules/thumb-sizes.ts';
import { isJsonObject } from '../../../../shared/values/json/json.ts';

/** Words of the short form, and the flags that they set. Sizes of pictures are words as well: `file 300x0`. */
const words = {
  unique: 'unique',
  filtered: 'filter_index',
  ordered: 'order_index',
  private: 'private',
} as const;

type Flags = Pick<
  FieldDefinition,
  'unique' | 'filter_index' | 'order_index' | 'private' | 'thumbs'
>;

/** Reads the fields of a class: a map from names to the short form (`reference user filtered`) or the long form. */
export const fieldsSchema = v.pipe(
  v.unknown(),
  v.rawTransform<unknown, readonly FieldDefinition[]>(({ dataset, addIssue, NEVER }) => {
    const input = dataset.value;
    if (!isJsonObject(input)) {
      addIssue({ message: 'is not a map from names to types' });
      return NEVER;
    }
    return Object.entries(input).map(([key, value]) => {
      const field = readField(key, value);
      if (typeof field !== 'string') return field;
      addIssue({
        message: field,
        path: [{ type: 'object', origin: 'value', input, key, value }],
      });
      return NEVER;
    });
  }),
);

/** Returns the field, or the message of an error. */
function readField(name: string, value: unknown): FieldDefinition | string {
  if (typeof value === 'string') return readShort(name, value);
  if (!isJsonObject(value)) return 'is neither a text such as "string filtered" nor a map';
  const { type, target, thumbs, ...flags } = value;
  const isText = typeof type === 'string' && (target === undefined || typeof target === 'string');
  if (!isText) return 'needs a type, as text';
  const wrong = Object.entries(flags).find(([, flag]) => typeof flag !== 'boolean');
  if (wrong !== undefined) return `${wrong[0]} is not true or false`;
  if (thumbs !== undefined && !areThumbSizes(thumbs)) {
    return 'thumbs is not a list of at most 8 different sizes, such as 300x200 or 300x0';
  }
  return normalField({
    ...flags,
    name,
    type,
    ...(target !== undefined && { target }),
    ...(thumbs !== undefined && { thumbs }),
  });
}

function readShort(name: string, text: string): FieldDefinition | string {
  const [type = '', ...others] = text.trim().toLowerCase().split(/\s+/);
  const target = isReference(type) ? others.shift() : undefined;
  const thumbs = others.filter(isThumbSize);
  const unknown = others.find((word) => !isWord(word) && !isThumbSize(word));
  if (unknown !== undefined && typeNamed(type) !== undefined) {
    return `"${unknown}" is none of ${Object.keys(words).join(', ')}`;
  }
  if (!areThumbSizes(thumbs)) return 'has more than 8 sizes of pictures, or one of them twice';
  const flags = Object.fromEntries(others.filter(isWord).map((word) => [words[word], true]));
  return normalField({ ...flags, name, type, thumbs, ...(target !== undefined && { target }) });
}

function typeNamed(text: string): ClassFieldType | undefined {
  return fieldTypes.find((type) => type === text.toLowerCase());
}

function isWord(text: string): text is keyof typeof words {
  return Object.hasOwn(words, text);
}

function isReference(type: string): boolean {
  return type === 'reference' || type === 'relation';
}

/** A definition as clients write it. */
interface Written extends Pick<Flags, 'unique' | 'thumbs'> {
  readonly name: string;
  readonly type: string;
  readonly target?: string;
  readonly filter_index?: boolean;
  readonly order_index?: boolean;
  readonly private?: boolean;
}

/**
 * Returns a definition in one form, so that equal fields compare equal: flags only where they are true, the target in
 * lower case. Returns a message where the definition makes no sense.
 */
export function normalField(written: Written): FieldDefinition | string {
  const type = typeNamed(written.type);
  if (type === undefined) return `"${written.type}" is none of the types ${fieldTypes.join(', ')}`;
  const target = written.target?.toLowerCase();
  if (isReference(type) && !target) return `a ${type} needs its target: "${type} self"`;
  const field = { ...flagsOf(written), name: written.name, type, ...(target && { target }) };
  const { thumbs, ...others } = written;
  const unknown = Object.keys({ ...others, ...field }).find((key) => !isKey(type, key));
  return unknown === undefined ? field : `a field of type ${type} has no ${unknown}`;
}

function isKey(type: ClassFieldType, key: string): boolean {
  return definitionKeys[type].includes(key);
}

/** A unique field has an index for filters. */
function flagsOf(written: Written): Flags {
  const { unique, filter_index, order_index, private: isPrivate, thumbs = [] } = written;
  return {
    ...(unique && { unique: true }),
    ...((unique || filter_index) && { filter_index: true }),
    ...(order_index && { order_index: true }),
    ...(isPrivate && { private: true }),
    ...(thumbs.length > 0 && { thumbs }),
  };
}

/** Returns the fields of a schema in the form of {@link normalField}. */
export function fieldsOf(schema: unknown): readonly FieldDefinition[] {
  const written = schema as readonly Written[]; // of a record, or an entry that was checked
  return written.map((each) => {
    const field = normalField(each);
    if (typeof field === 'string') throw new Error(`${each.name}: ${field}`);
    return field;
  });
}

/** Returns fields as a map in the short form. */
export function shortFields(schema: readonly FieldDefinition[]): Readonly<Record<string, string>> {
  return Object.fromEntries(schema.map((field) => [field.name, shortForm(field)]));
}

function shortForm(field: FieldDefinition): string {
  const { type, target, unique, filter_index, order_index } = field;
  const parts = [
    type,
    target,
    unique && 'unique',
    filter_index && !unique && 'filtered',
    order_index && 'ordered',
    field.private && 'private',
    ...(field.thumbs ?? []),
  ];
  return parts.filter((part) => part).join(' ');
}

/** Checks whether two definitions keep the same values: name, type and target decide. */
export function keepsValues(before: FieldDefinition, after: FieldDefinition): boolean {
  return before.type === after.type && before.target === after.target;
}
