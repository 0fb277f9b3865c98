import fc from 'fast-check';

/*
 * Values for the fields of a class in the ways that clients write them, and the equality of the interface
 * (docs/reference/objects.md#values): what a value may come back as.
 */

/** The fields of the class of kept values, without references. */
export const keptSchema = [
  { name: 'title', type: 'string' },
  { name: 'body', type: 'text' },
  { name: 'count', type: 'integer' },
  { name: 'weight', type: 'float' },
  { name: 'done', type: 'boolean' },
  { name: 'at', type: 'datetime' },
  { name: 'tags', type: 'array' },
  { name: 'extra', type: 'object' },
  { name: 'place', type: 'geopoint' },
] as const;

/** A field of the class. */
export type KeptField = (typeof keptSchema)[number]['name'];
/** JSON texts by the names of their fields: not parsed, so that each digit is as it was generated. */
export type Given = Partial<Record<KeptField, string>>;

const oddities = [
  '\ufeff',
  '\u0000',
  '\ufffd',
  'e\u0301',
  'é',
  '\u{1f600}',
  '\u{1f468}\u200d\u{1f469}',
  '\u202e',
  '\u05d0\u200f',
  '\u2028',
  '\u2029',
  '\u0085',
  '\r\n',
  '\n',
  '\r',
  '\t',
  ' ',
  '\u00a0',
  '"',
  "'",
  '\\',
  '\\u0041',
  ',',
  ';',
  '=',
  '&',
  '+',
  '%41',
  '--XX',
  '{"a":1}',
  '[]',
  'null',
  '\uffff',
  '\ue000',
  '\u{10ffff}',
];
const piece = fc.oneof(fc.constantFrom(...oddities), fc.string({ unit: 'binary', maxLength: 3 }));

/** Text of all kinds of characters, well-formed. */
export const anyText = fc.oneof(
  fc.array(piece, { maxLength: 5 }).map((all) => all.join('').toWellFormed()),
  fc.constantFrom('', ' ', '0', '-0', '1e400', '9007199254740993', '2024-02-30T00:00:00Z'),
);

const cutText = anyText.map((text) => `${JSON.stringify(text).slice(0, -1)}\\ud83d"`);
const numbers = [
  '0',
  '-0',
  '1.0',
  '-0.0',
  '1e2',
  '1E+2',
  '1e21',
  '1e400',
  '-1e400',
  '5e-324',
  '1e-400',
  '0.1',
  '0.30000000000000004',
  '0.1234567890123456789',
  '2147483647',
  '2147483648',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '1234567890123456789012345678901234567890',
  '100000000000000000000000',
];
const numberText = fc.oneof(
  fc.constantFrom(...numbers),
  fc.integer().map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => JSON.stringify(each)),
);
const textToken = fc.oneof(
  { weight: 12, arbitrary: anyText.map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: cutText },
);
const leaf = fc.oneof(textToken, numberText, fc.constantFrom('true', 'false', 'null'));
const oddName = fc.oneof(
  fc.constantFrom('', '__proto__', 'constructor', 'a.b', '.', '..', '$ref', 'toJSON', '1', 'type'),
  anyText,
);

function asObject(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
}

const members = (value: fc.Arbitrary<string>) =>
  fc.uniqueArray(fc.tuple(oddName, value), { maxLength: 3, selector: ([name]) => name });
const { any } = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('any'), { maxLength: 3 }).map((all) => `[${all.join()}]`),
    members(tie('any')).map(asObject),
  ),
}));

const two = (each: number) => String(each).padStart(2, '0');
const date = fc
  .tuple(
    fc.integer({ min: 0, max: 9999 }),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 31 }),
    fc.integer({ min: 0, max: 24 }),
    fc.stringMatching(/^(\.\d{1,7})?$/),
    fc.constantFrom('Z', 'Z', 'Z', '', '+00', '+05:30', '-0800'),
  )
  .map(([year, month, day, hour, fraction, zone]) => {
    const digits = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
    return `${digits}T${two(hour)}:59:07${fraction}${zone}`;
  });
const degrees = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }).map((each) => JSON.stringify(each)),
  numberText,
);

/** What a client may send for each field: mostly of its type. */
const tokens: Readonly<Record<KeptField, fc.Arbitrary<string>>> = {
  title: fc.oneof(textToken, numberText),
  body: fc.oneof(textToken, numberText),
  count: numberText,
  weight: numberText,
  done: fc.constantFrom('true', 'false', '1', '0', '"true"', '"no"', '"maybe"', 'null'),
  at: date.map((text) => JSON.stringify(text)),
  tags: fc.array(leaf, { maxLength: 4 }).map((all) => `[${all.join()}]`),
  extra: members(any).map(asObject),
  place: fc
    .tuple(degrees, degrees)
    .map(([longitude, latitude]) => `{"longitude":${longitude},"latitude":${latitude}}`),
};
const mixed = Object.fromEntries(
  keptSchema.map(({ name }) => [
    name,
    fc.oneof({ weight: 9, arbitrary: tokens[name] }, { weight: 1, arbitrary: any }),
  ]),
) as Record<KeptField, fc.Arbitrary<string>>; // one for each field

/** Bodies with one to three fields: with more, one of them is nearly always refused. */
export const anyBody: fc.Arbitrary<Given> = fc
  .subarray(
    keptSchema.map(({ name }) => name),
    { minLength: 1, maxLength: 3 },
  )
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, mixed[name]]))));

/** Writes a body of JSON. */
export function bodyOf(given: Given): string {
  return asObject(Object.entries(given));
}

/** Returns what a form or a cell has for a JSON text: text as it is, all else as JSON. */
export function cellOf(token: string): string {
  return token.startsWith('"') ? String(JSON.parse(token)) : token;
}

/**
 * Writes JSON in one form, in which equal values are equal texts: integers with all digits, other numbers as doubles,
 * members by name. Throws for a number that no double can be.
 */
export function canonical(json: string): string {
  const tagged = json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.]*(?:e[-+]?\d+)?/gi, (token) =>
    token.startsWith('"') ? token : JSON.stringify({ '#': numberOf(token) }),
  );
  return sorted(JSON.parse(tagged));
}

function numberOf(token: string): string {
  if (/^-?\d+$/.test(token)) return token === '-0' ? '0' : token;
  const double = Number(token);
  if (!Number.isFinite(double)) throw new Error(`${token} was accepted`);
  // an integer of a double is written with its digits by one, with an exponent by another
  return Number.isInteger(double) ? String(BigInt(double)) : String(double);
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${sorted(each)}`).join()}}`;
}

/** Returns in canonical form how an accepted value is shown, by the rules of its type. */
export function shownAs(field: KeptField, token: string, isCell = false): string {
  const type = keptSchema.find(({ name }) => name === field)?.type;
  const isText = token.startsWith('"') || isCell;
  if (type === 'string' || type === 'text') {
    if (isText) return JSON.stringify(cellOf(token));
    return token === 'null' ? 'null' : textOfNumber(token);
  }
  // a number of a boolean counts as its value, however it is written; a text only as a word
  const text = type === 'boolean' && !isText ? String(JSON.parse(token)) : cellOf(token);
  return text === 'null' || text === '' ? 'null' : shownValue(type, text);
}

function shownValue(type: string | undefined, text: string): string {
  switch (type) {
    case 'boolean':
      if (/^null$/i.test(text)) return 'null';
      return String(/^(1|t|y|yes|true|on)$/i.test(text));
    case 'integer':
    case 'float':
      return canonical(String(numberIn(text) + 0));
    case 'datetime':
      return canonical(JSON.stringify({ type, value: sixDigits(text) }));
    case 'geopoint':
      return pointOf(text);
    default:
      return canonical(text);
  }
}

function numberIn(text: string): number {
  return text === 'true' || text === 'false' ? Number(text === 'true') : Number(text);
}

/** A number in a text field has the digits as written, or those of the shortest double. */
function textOfNumber(token: string): string {
  const double = Number(token);
  const isExact = /^-?[\d.]{16,}$/.test(token) && String(double) !== token;
  if (isExact && token.replace(/\D/g, '').length > 15) return JSON.stringify(token);
  return `#${double}`;
}

/** The same instant with six digits of fraction. Throws for one that does not exist, or has more digits. */
function sixDigits(text: string): string {
  const [, whole = '', fraction = '', zone = 'Z'] =
    /^(.{19})(?:\.(\d{1,6})0*)?(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(text) ?? [];
  const iso = (ms: number) => new Date(ms).toISOString().slice(0, 19);
  if (iso(Date.parse(`${whole}Z`)) !== whole) throw new Error(`${text} was accepted`);
  const offset = zone.length === 3 ? `${zone}:00` : zone.replace(/(\d\d)(\d\d)$/, '$1:$2');
  return `${iso(Date.parse(whole + offset))}.${fraction.padEnd(6, '0')}Z`;
}

function pointOf(text: string): string {
  const { longitude, latitude } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const [east, north] = [longitude, latitude].map((each) => Number(each) + 0);
  return canonical(JSON.stringify({ type: 'geopoint', longitude: east, latitude: north }));
}

/** Checks whether a value that is shown is the one that was given. */
export function isShown(wanted: string, shown: string): boolean {
  if (!wanted.startsWith('#')) return canonical(shown) === wanted;
  return shown.startsWith('"') && Number(JSON.parse(shown)) === Number(wanted.slice(1));
}
