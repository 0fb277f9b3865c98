/** Programs with one mistake: name, text, part of the error. */
export const wrongSnippets: readonly (readonly [name: string, text: string, error: string])[] = [
  [
    'a misspelt field of an object',
    'const book = await db.book.get(1); export const x = book.tilte;',
    "Property 'tilte' does not exist",
  ],
  ['a misspelt field of an input', "await db.book.create({ tilte: 'x' }); export {};", "'tilte'"],
  [
    'a misspelt field of an update',
    "await db.book.update(1, { tilte: 'x' }); export {};",
    "'tilte'",
  ],
  [
    'a misspelt field in where',
    'await db.book.list({ where: { yaer: { _gt: 1 } } }); export {};',
    "'yaer'",
  ],
  ['a misspelt option', "await db.book.list({ order: '-year' }); export {};", "'order'"],
  ['a misspelt field to read', "await db.book.list({ fields: ['tilte'] }); export {};", '"tilte"'],
  [
    'a field that was not read',
    "const { objects } = await db.book.list({ fields: ['year'] }); export const x = objects[0]?.title;",
    "Property 'title' does not exist",
  ],
  [
    'a field without index in where',
    'await db.book.list({ where: { pages: { _gt: 1 } } }); export {};',
    "'pages'",
  ],
  [
    'a field without index in orderBy',
    "await db.book.list({ orderBy: 'pages' }); export {};",
    '"pages"',
  ],
  [
    'a filter index in orderBy',
    "await db.book.list({ orderBy: '-rating' }); export {};",
    '"-rating"',
  ],
  [
    'a lookup of another type',
    "await db.book.list({ where: { year: { _startswith: '1' } } }); export {};",
    "'_startswith'",
  ],
  [
    'an unknown lookup',
    "await db.book.list({ where: { title: { _is: 'x' } } }); export {};",
    "'_is'",
  ],
  [
    'a lookup with a value of another type',
    "await db.book.list({ where: { year: { _gt: '1950' } } }); export {};",
    "Type 'string' is not assignable",
  ],
  [
    'a value in place of lookups',
    'await db.book.list({ where: { year: 1950 } }); export {};',
    'number',
  ],
  [
    'null in a lookup',
    'await db.book.list({ where: { title: { _eq: null } } }); export {};',
    'null',
  ],
  [
    'a misspelt field in a nested query',
    "await db.book.list({ where: { author: { _is: { nmae: { _eq: 'x' } } } } }); export {};",
    "'nmae'",
  ],
  [
    'a nested query in a nested one',
    'await db.book.list({ where: { sequels: { _is: { author: { _is: {} } } } } }); export {};',
    "'_is'",
  ],
  [
    'the owner in a query of users',
    'await db.book.list({ where: { reader: { _is: { owner: { _eq: 1 } } } } }); export {};',
    "'owner'",
  ],
  ['a value of another type', 'await db.book.create({ year: true }); export {};', "'boolean'"],
  ['a read-only field', 'await db.book.create({ id: 7 }); export {};', "'id'"],
  [
    'an operator in a create',
    'await db.book.create({ year: { _increment: 1 } }); export {};',
    '_increment',
  ],
  [
    'an operator of another type',
    "await db.book.update(1, { year: { _add: 'x' } }); export {};",
    "'_add'",
  ],
  [
    'a reference to another class',
    "await db.book.create({ author: { type: 'reference', target: 'book', value: 1 } }); export {};",
    '"book"',
  ],
  ['a text in place of an id', "await db.book.get('1'); export {};", "'string'"],
  ['a value that may be null', 'export const x = (await db.book.get(1)).title.length;', 'possibly'],
  ['a class that the instance does not have', 'await db.boook.list(); export {};', "'boook'"],
  ['a profile without its user', 'await db.user_profile.create({}); export {};', "'create'"],
  ['a script endpoint that does not exist', "await db.run('greed'); export {};", '"greed"'],
  [
    'a data endpoint that does not exist',
    "await db.endpoints['old-books'].list(); export {};",
    'old-books',
  ],
  [
    'a field that a data endpoint excludes',
    "const { objects } = await db.endpoints['new-books'].list(); export const x = objects[0]?.extra;",
    "'extra'",
  ],
  ['a channel with rooms without a room', "db.subscribe('default'); export {};", '"default"'],
  ['a channel that does not exist', "db.subscribe('newz'); export {};", 'newz'],
  [
    'a misspelt setting',
    "createClient({ url: '', instance: '', apikey: '' }); export {};",
    "'apikey'",
  ],
  ['a log-in without a password', "await db.login({ username: 'ada' }); export {};", "'password'"],
];

const values = {
  text: 'x',
  number: 1,
  boolean: true,
  time: '2026-01-02T03:04:05Z',
  texts: ['x'],
  numbers: [1],
  booleans: [true],
  times: ['2026-01-02T03:04:05Z'],
  point: { longitude: 1, latitude: 2, distance_in_kilometers: 3 },
  query: { id: { _gt: 0 } },
};

/** A value of the kind of each field that has an index. */
const operands = {
  title: [values.text, values.texts],
  isbn: [values.text, values.texts],
  year: [values.number, values.numbers],
  rating: [values.number, values.numbers],
  lent: [values.boolean, values.booleans],
  published: [values.time, values.times],
  author: [values.number, values.numbers],
  reader: [values.number, values.numbers],
  sequels: [values.number, values.numbers],
  tags: [values.text, values.texts],
  shelf: [values.point, [values.point]],
  id: [values.number, values.numbers],
  created_at: [values.time, values.times],
  updated_at: [values.time, values.times],
  revision: [values.number, values.numbers],
  owner: [values.number, values.numbers],
  group: [values.number, values.numbers],
  channel: [values.text, values.texts],
  channel_room: [values.text, values.texts],
  // without an index
  summary: [values.text, values.texts],
  pages: [values.number, values.numbers],
  cover: [values.text, values.texts],
  extra: [values.query, [values.query]],
  owner_permissions: [values.text, values.texts],
} as const;

const single = ['_eq', '_neq', '_gt', '_gte', '_lt', '_lte'];
const texts = [
  '_startswith',
  '_endswith',
  '_like',
  '_istartswith',
  '_iendswith',
  '_icontains',
  '_ilike',
  '_ieq',
];

/** Returns each lookup of each field, with a value of the field's kind. */
export function lookups() {
  return Object.entries(operands).flatMap(([field, [one, many]]) => [
    ...single.map((lookup) => ({ field, lookup, value: one })),
    ...texts.map((lookup) => ({ field, lookup, value: values.text })),
    ...['_in', '_nin'].map((lookup) => ({ field, lookup, value: many })),
    { field, lookup: '_contains', value: values.text },
    { field, lookup: '_contains', value: many },
    { field, lookup: '_exists', value: true },
    { field, lookup: '_is', value: values.query },
    { field, lookup: '_near', value: values.point },
    { field, lookup: '_foo', value: one },
  ]);
}
