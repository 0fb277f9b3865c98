import type { Turn } from './step.ts';

/** Schemas with fields of the same names, and values for them, by tenant and thing. */
const schemas = [
  [
    { types: ['integer', 'text', 'string'], values: [7, '8', '9'] },
    { types: ['string', 'integer', 'text'], values: ['7', 8, 'public'] },
  ],
  [
    { types: ['float', 'array', 'object'], values: [7.5, ['8'], { f: 9 }] },
    {
      types: ['boolean', 'object', 'geopoint'],
      values: [true, { g: 8 }, { latitude: 1, longitude: 2 }],
    },
  ],
];

const fieldNames = ['f', 'g', 'h'];

/** Returns the schema of a class, and values of an object. */
export function classOf({ tenant, at }: Pick<Turn, 'tenant' | 'at'>) {
  const { types = [], values = [] } = schemas[tenant]?.[at] ?? {};
  return {
    schema: fieldNames.map((name, n) => ({
      name,
      type: types[n],
      ...(n === 0 && { filter_index: true, order_index: true }),
    })),
    values: Object.fromEntries(fieldNames.map((name, n) => [name, values[n]])),
  };
}

export const values = (turn: Turn) => classOf(turn).values;
export const profile = ({ tenant }: Turn) => classOf({ tenant, at: 0 });

/** Queries of the lists of all classes; one suits only some. */
export const queries = [
  '',
  '?query={"f":{"_eq":"7"}}',
  '?query={"f":{"_exists":true}}&order_by=-f',
];
