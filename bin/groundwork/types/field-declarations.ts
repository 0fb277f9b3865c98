import type { ClassFieldType } from '../../../shared/classes/rules/field-types.ts';
import type { FieldRecord } from './instance-schema.ts';
import { quoteLiteral, type TypeNames } from './type-names.ts';

/** Types of one field, without null. */
interface FieldDeclaration {
  readonly field: string;
  /** As the field is returned. */
  readonly value: string;
  /** As it may be written. */
  readonly input: string;
  /** What an update may do in place of a new value; absent if nothing. */
  readonly change?: string;
  /** Conditions on the field; absent if it has no index. */
  readonly lookups?: string;
  /** What an endpoint returns in place of a reference. */
  readonly expanded?: string;
}

/** Where a field is. */
interface FieldOwner {
  /** Name of its class. */
  readonly own: string;
  readonly names: TypeNames;
}

/** Returns the types of a field (docs/reference/objects.md#values, docs/reference/queries.md#lookups-by-type). */
export function fieldDeclarations(field: FieldRecord, owner: FieldOwner): FieldDeclaration {
  const { lookups, ...others } = types[field.type](field, owner);
  const isFiltered = field.filter_index === true && lookups !== undefined;
  return { field: field.name, ...others, ...(isFiltered && { lookups }) };
}

type Declare = (field: FieldRecord, owner: FieldOwner) => Omit<FieldDeclaration, 'field'>;

const plain =
  (value: string, others: Partial<FieldDeclaration> = {}): Declare =>
  () => ({ value, input: value, ...others });
const number = plain('number', { change: 'NumberChange', lookups: 'ValueLookups<number>' });

const types: Readonly<Record<ClassFieldType, Declare>> = {
  string: plain('string', { lookups: 'TextLookups' }),
  text: plain('string'),
  integer: number,
  float: number,
  boolean: plain('boolean', { lookups: 'ValueLookups<boolean>' }),
  datetime: plain('DateTimeValue', {
    input: 'Date | string | DateTimeValue',
    lookups: 'DateTimeLookups',
  }),
  file: plain('FileValue', { input: 'FileInput' }),
  reference: (field, owner) => {
    const value = `ReferenceValue<${quoteLiteral(field.target ?? 'self')}>`;
    const { query, object } = targetOf(field, owner);
    return {
      value,
      input: `number | ${value}`,
      lookups: `ReferenceLookups<${query}>`,
      ...(object !== undefined && { expanded: object }),
    };
  },
  relation: (field, owner) => {
    const value = `RelationValue<${quoteLiteral(field.target ?? 'self')}>`;
    const { query, object } = targetOf(field, owner);
    return {
      value,
      input: `readonly number[] | ${value}`,
      change: 'RelationChange',
      lookups: `RelationLookups<${query}>`,
      ...(object !== undefined && { expanded: `readonly ${arrayElement(object)}[]` }),
    };
  },
  array: plain('readonly ArrayElement[]', { change: 'ArrayChange', lookups: 'ArrayLookups' }),
  object: plain('JsonObject'),
  geopoint: plain('GeoPointValue', { input: 'GeoPointInput', lookups: 'GeoLookups' }),
};

function arrayElement(type: string): string {
  return type.includes(' ') ? `(${type})` : type;
}

/** Returns the query and the objects of the target of a field; those of a class that was deleted are empty. */
function targetOf({ target = 'self' }: FieldRecord, { own, names }: FieldOwner) {
  if (target === 'user') {
    const profile = names.get('user_profile');
    return { query: 'UserQuery', object: `Omit<InstanceUser<${profile}>, 'user_key'>` };
  }
  const type = names.get(target === 'self' ? own : target.toLowerCase());
  return { query: type === undefined ? 'never' : `${type}Query`, object: type };
}
