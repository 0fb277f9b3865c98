import fc from 'fast-check';

/*
 * The expected result of a list of objects, in a second, simple form: an array, filtered and sorted. It reads objects
 * from responses, and shares no code with the tested one.
 */

// biome-ignore lint/suspicious/noExplicitAny: objects as answers show them
type Shown = any;

/** The caller of a list, as far as permissions are concerned. */
export type Caller =
  | { readonly kind: 'bypasses-acl' }
  | { readonly kind: 'bound'; readonly user?: number; readonly groups: readonly number[] };

/** One lookup of a query. */
export interface Lookup {
  readonly field: string;
  readonly lookup: string;
  readonly value: unknown;
}

/** The parameters of a list. */
export interface Question {
  readonly caller: number;
  readonly lookups: readonly Lookup[];
  readonly order: string | undefined;
  readonly pageSize: number;
}

/** Returns the expected ids in list order. */
export function expectedIds(
  all: readonly Shown[],
  caller: Caller,
  { lookups, order = 'id' }: Pick<Question, 'lookups' | 'order'>,
): readonly number[] {
  const sign = order.startsWith('-') ? -1 : 1;
  const field = order.replace('-', '');
  return all
    .filter((object) => isVisible(object, caller))
    .filter((object) => lookups.every((lookup) => fits(object, lookup, all)))
    .sort((a, b) => sign * (compare(bareValue(a, field), bareValue(b, field)) || a.id - b.id))
    .map(({ id }) => id);
}

function isVisible(object: Shown, caller: Caller): boolean {
  if (caller.kind === 'bypasses-acl' || object.other_permissions !== 'none') return true;
  if (caller.user === undefined) return false;
  return (
    (object.owner === caller.user && object.owner_permissions !== 'none') ||
    (caller.groups.includes(object.group) && object.group_permissions !== 'none')
  );
}

/** Wrapped values bare; null when not set. */
function bareValue(object: Shown, field: string): Shown {
  const value = object[field];
  const isWrapped = value !== null && typeof value === 'object' && 'value' in value;
  return isWrapped ? value.value : value;
}

function compare(a: Shown, b: Shown): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

function fits(object: Shown, { field, lookup, value }: Lookup, all: readonly Shown[]): boolean {
  const held = bareValue(object, field);
  switch (lookup) {
    case '_exists':
      return (held !== null) === value;
    case '_neq':
      return held === null || compare(held, value) !== 0;
    case '_nin':
      return held === null || !(value as Shown[]).some((one) => compare(held, one) === 0);
  }
  if (held === null) return false;
  return Array.isArray(held) || typeof held === 'object'
    ? fitsList(held, lookup, value as Shown, all)
    : fitsScalar(held, lookup, value as Shown, all);
}

function fitsList(held: Shown, lookup: string, value: Shown, all: readonly Shown[]): boolean {
  switch (lookup) {
    case '_contains':
      return value.every((member: unknown) => held.includes(member));
    case '_is':
      return idsOf(value, all).some((id) => held.includes(id));
    case '_near':
      return kilometers(held, value) <= value.distance_in_kilometers;
    default:
      throw new Error(lookup);
  }
}

function fitsScalar(held: Shown, lookup: string, value: Shown, all: readonly Shown[]): boolean {
  switch (lookup) {
    case '_eq':
      return compare(held, value) === 0;
    case '_gt':
      return compare(held, value) > 0;
    case '_gte':
      return compare(held, value) >= 0;
    case '_lt':
      return compare(held, value) < 0;
    case '_lte':
      return compare(held, value) <= 0;
    case '_in':
      return value.some((one: unknown) => compare(held, one) === 0);
    case '_is':
      return idsOf(value, all).includes(held);
    case '_ieq':
      return lower(held) === lower(value);
    case '_like':
    case '_ilike':
      return pattern(value, lookup).test(held);
    default:
      return fitsText(held, lookup, value);
  }
}

function fitsText(held: string, lookup: string, value: string): boolean {
  const [text, wanted] = lookup.startsWith('_i') ? [lower(held), lower(value)] : [held, value];
  if (lookup.endsWith('startswith')) return text.slice(0, wanted.length) === wanted;
  if (lookup.endsWith('endswith')) return text.slice(text.length - wanted.length) === wanted;
  if (lookup.endsWith('contains')) return text.indexOf(wanted) >= 0;
  throw new Error(lookup);
}

function lower(text: string): string {
  return text.toLowerCase();
}

function pattern(value: string, lookup: string): RegExp {
  const source = value.replace(/\\(.)|[%_]|[.*+?^${}()|[\]\\]/gsu, (part, escaped) => {
    if (part === '%') return '.*';
    if (part === '_') return '.';
    return (escaped ?? part).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${source}$`, lookup === '_ilike' ? 'isu' : 'su');
}

function idsOf(query: Record<string, Record<string, unknown>>, all: readonly Shown[]) {
  const lookups = Object.entries(query).flatMap(([field, one]) =>
    Object.entries(one).map(([lookup, value]) => ({ field, lookup, value })),
  );
  return expectedIds(all, { kind: 'bypasses-acl' }, { lookups, order: 'id' });
}

/** By vectors, not by haversines. */
function kilometers(a: Shown, b: Shown): number {
  const [x, y] = [vector(a), vector(b)] as const;
  const [ax = 0, ay = 0, az = 0] = x;
  const [bx = 0, by = 0, bz = 0] = y;
  const cross = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
  return 6371 * Math.atan2(cross, ax * bx + ay * by + az * bz);
}

function vector({ longitude, latitude }: Shown): readonly number[] {
  const [theta, phi] = [(longitude * Math.PI) / 180, (latitude * Math.PI) / 180] as const;
  return [Math.cos(phi) * Math.cos(theta), Math.cos(phi) * Math.sin(theta), Math.sin(phi)];
}

/** The class of the model: every type that can be filtered or ordered; 16 indexes. */
export const modelSchema = [
  { name: 'text', type: 'string', filter_index: true, order_index: true },
  { name: 'whole', type: 'integer', filter_index: true, order_index: true },
  { name: 'part', type: 'float', filter_index: true, order_index: true },
  { name: 'yes', type: 'boolean', filter_index: true, order_index: true },
  { name: 'time', type: 'datetime', filter_index: true, order_index: true },
  { name: 'other', type: 'reference', filter_index: true, order_index: true, target: 'self' },
  { name: 'list', type: 'array', filter_index: true },
  { name: 'others', type: 'relation', filter_index: true, target: 'self' },
  { name: 'place', type: 'geopoint', filter_index: true },
  { name: 'key', type: 'string', unique: true, filter_index: true },
];

const texts = [
  '',
  'a',
  'ab',
  'A',
  'Ab',
  'aB',
  'b',
  'a%b',
  '%',
  '_',
  'a_',
  '\\',
  'é',
  'Ā',
  '~',
  '"',
  '5',
  '\u0000',
  '\u0001',
  'a\u0000',
  'a\u0001b',
  '\uFFFD',
  '\u{1F600}',
  '\u{1F600}a',
  '\uD7FF',
  '\u{10FFFF}',
  '\u{10FFFF}'.repeat(128),
  'a'.repeat(128),
];
const times = [
  '0001-01-01T00:00:00.000000Z',
  '1969-12-31T23:59:59.999999Z',
  '2024-03-01T10:00:00.000123Z',
  '2024-03-01T10:00:00.000124Z',
  '9999-12-31T23:59:59.999999Z',
];
const text = fc.constantFrom(...texts);
const whole = fc.constantFrom(-2147483648, -7, -1, 0, 1, 2, 10, 2147483647);
const part = fc.constantFrom(-1e300, -2.5, -1, 0, 5e-324, 0.1, 1, 2.5, 1e21, 1.7e308);
const time = fc.constantFrom(...times);
const id = fc.integer({ min: 1, max: 60 });
const member = fc.constantFrom<unknown>('a', 'b', 1, 2, true, false, '1');
const point = fc.record({
  longitude: fc.constantFrom(-179.999, -179, -20, 0, 1, 2, 179, 179.999),
  latitude: fc.constantFrom(-80, -1, 0, 1, 50, 89.99),
});

/** Values of the fields that are no references. */
const scalars = {
  text,
  whole,
  part,
  yes: fc.boolean(),
  time,
} as const;

function some<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.option(value, { freq: 4 });
}

const permission = fc.constantFrom('none', 'none', 'read', 'full');

/** The body of an object; `back` is the distance to the earlier objects that it refers to. */
export const modelObject = fc.record({
  text: some(text),
  whole: some(whole),
  part: some(part),
  yes: some(fc.boolean()),
  time: some(time),
  list: some(fc.array(member, { maxLength: 3 })),
  place: some(point),
  other: some(fc.nat({ max: 9 })),
  others: fc.array(fc.nat({ max: 9 }), { maxLength: 3 }),
  owner: some(fc.constantFrom(1, 2)),
  group: some(fc.constantFrom(1, 2)),
  owner_permissions: permission,
  group_permissions: permission,
  other_permissions: permission,
});

const comparisons = ['_gt', '_gte', '_lt', '_lte', '_eq', '_neq'];
const textLookups = [
  '_startswith',
  '_istartswith',
  '_endswith',
  '_iendswith',
  '_contains',
  '_icontains',
  '_ieq',
  '_like',
  '_ilike',
];

function lookup(
  field: string,
  lookups: readonly string[],
  value: fc.Arbitrary<unknown>,
): fc.Arbitrary<Lookup> {
  return fc.record({ field: fc.constant(field), lookup: fc.constantFrom(...lookups), value });
}

function scalarLookup(field: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Lookup> {
  return fc.oneof(
    { weight: 3, arbitrary: lookup(field, comparisons, value) },
    lookup(field, ['_in', '_nin'], fc.array(value, { maxLength: 5 })),
    lookup(field, ['_exists'], fc.boolean()),
  );
}

const like = fc
  .array(fc.constantFrom('a', 'b', '%', '_', '\\%', '\u{1F600}', 'B'), { maxLength: 4 })
  .map((parts) => parts.join(''));

const plainLookup: fc.Arbitrary<Lookup> = fc.oneof(
  scalarLookup('id', id),
  scalarLookup('owner', fc.constantFrom(1, 2, 3)),
  scalarLookup('group', fc.constantFrom(1, 2, 3)),
  scalarLookup('revision', fc.constantFrom(1, 2)),
  lookup('channel', ['_exists'], fc.boolean()),
  ...Object.entries(scalars).map(([field, value]) => scalarLookup(field, value)),
  ...Object.entries(scalars).map(([field, value]) => scalarLookup(field, value)),
  lookup('text', textLookups.slice(0, -2), text),
  lookup('text', ['_like', '_ilike'], like),
  scalarLookup('other', id),
  scalarLookup('key', fc.nat({ max: 30 }).map(String)),
  lookup('list', ['_contains'], fc.array(member, { maxLength: 2 })),
  lookup('others', ['_contains'], fc.array(id, { maxLength: 2 })),
  lookup('others', ['_exists'], fc.boolean()),
  lookup('place', ['_exists'], fc.boolean()),
  lookup(
    'place',
    ['_near'],
    fc
      .record({ at: point, far: fc.constantFrom(0, 1, 100, 120, 400, 6000, 15_000) })
      .map(({ at, far }) => ({ ...at, distance_in_kilometers: far })),
  ),
);

const nestedLookup: fc.Arbitrary<Lookup> = fc
  .record({ field: fc.constantFrom('other', 'others'), inner: plainLookup })
  .map(({ field, inner }) => ({
    field,
    lookup: '_is',
    value: { [inner.field]: { [inner.lookup]: inner.value } },
  }));

const orders = ['id', 'created_at', 'updated_at', 'text', 'whole', 'part', 'yes', 'time', 'other'];

/** Parameters of a list; two lookups with one name on one field are sent as two copies of the query. */
export const modelQuestion = (callers: number): fc.Arbitrary<Question> =>
  fc.record({
    caller: fc.nat({ max: callers - 1 }),
    lookups: fc.oneof(
      { weight: 3, arbitrary: fc.array(plainLookup, { maxLength: 1 }) },
      { weight: 3, arbitrary: fc.array(plainLookup, { minLength: 2, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.tuple(nestedLookup) },
      { weight: 1, arbitrary: fc.tuple(nestedLookup, plainLookup) },
    ),
    order: fc.option(fc.constantFrom(...orders, ...orders.map((name) => `-${name}`)), {
      freq: 5,
      nil: undefined,
    }),
    pageSize: fc.constantFrom(1, 2, 3, 5, 7, 20, 100),
  });

/** Two fields that share a slot, and the state of the slot when lists are requested. */
export interface ModelCompositeIndex {
  readonly filter: string;
  readonly order: string;
  /** Before there are objects; when all exist; or being built for ever. */
  readonly built: 'early' | 'late' | 'never';
}

/** A composite index; fields that cannot have one never get one. */
export const modelCompositeIndex: fc.Arbitrary<ModelCompositeIndex> = fc.record({
  filter: fc.constantFrom(...Object.keys(scalars), 'other'),
  order: fc.constantFrom(...orders.slice(2)),
  built: fc.constantFrom('early', 'late', 'never'),
});

/** Parameters that a composite index serves: one value of its first field, in the order of its second. */
export const compositeIndexQuestion = (
  callers: number,
  { filter, order }: ModelCompositeIndex,
): fc.Arbitrary<Question> => {
  const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = { ...scalars, other: id };
  const value = values[filter] ?? fc.constant(null);
  return fc.record({
    caller: fc.nat({ max: callers - 1 }),
    lookups: fc
      .tuple(
        fc.oneof(
          { weight: 4, arbitrary: lookup(filter, ['_eq'], value) },
          lookup(filter, ['_in'], fc.tuple(value)),
          lookup(filter, ['_exists'], fc.constant(false)),
        ),
        fc.oneof(
          { weight: 2, arbitrary: fc.constant([]) },
          fc.tuple(plainLookup),
          ...(order in values ? [fc.tuple(scalarLookup(order, values[order] ?? id))] : []),
        ),
      )
      .map(([equal, others]) => [equal, ...others]),
    order: fc.constantFrom(order, `-${order}`),
    pageSize: fc.constantFrom(1, 2, 3, 5, 20),
  });
};
