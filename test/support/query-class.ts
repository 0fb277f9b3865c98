import { compileClass } from '../../shared/classes/rules/compiled-class.ts';
import {
  type CompositeIndex,
  type FieldDefinition,
  needsSlot,
} from '../../shared/classes/rules/field-types.ts';
import { parseQueries } from '../../shared/search/query/parse.ts';
import { ApiError } from '../../shared/values/errors/errors.ts';

const filtered = { filter_index: true } as const;
const ordered = { order_index: true } as const;

/** A class with a field of each type; filterable types are filterable. */
export const querySchema: readonly FieldDefinition[] = [
  { name: 'string', type: 'string', ...filtered, ...ordered },
  { name: 'integer', type: 'integer', ...filtered, ...ordered },
  { name: 'float', type: 'float', ...filtered },
  { name: 'boolean', type: 'boolean', ...filtered, ...ordered },
  { name: 'datetime', type: 'datetime', ...filtered, ...ordered },
  { name: 'reference', type: 'reference', target: 'Author', ...filtered },
  { name: 'array', type: 'array', ...filtered },
  { name: 'relation', type: 'relation', target: 'self', ...filtered },
  { name: 'geopoint', type: 'geopoint', ...filtered },
  { name: 'unique', type: 'string', unique: true, ...filtered },
  { name: 'text', type: 'text' },
  { name: 'file', type: 'file' },
  { name: 'object', type: 'object' },
  { name: 'plain', type: 'string' },
  { name: 'sorted', type: 'integer', ...ordered },
];

/** The class ready for use; its values are stored under the names of the fields. */
export function queryClass(
  state: {
    readonly status?: 'ready' | 'migrating';
    readonly unfilledSlots?: readonly number[];
    readonly pairs?: readonly CompositeIndex[];
  } = {},
) {
  let slot = 0;
  return compileClass(
    {
      schema: querySchema,
      storage: querySchema.map((field) => ({
        storage: field.name,
        ...(needsSlot(field) && { slot: slot++ }),
      })),
      revision: 1,
      epoch: 1,
      ...state,
    },
    () => '',
  );
}

/** Slots of the class's indexed fields. */
export const slots = {
  string: 0,
  integer: 1,
  float: 2,
  boolean: 3,
  geopoint: 6,
  unique: 7,
} as const;

/** Returns the conditions of a query. */
export function conditionsOf(query: object, compiled = queryClass()) {
  return parseQueries([JSON.stringify(query)], compiled).conditions;
}

/** Returns the error response of a function that must throw one, as status and body. */
export function errorOf(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [error.status, error.body];
  }
  throw new Error('no error');
}
