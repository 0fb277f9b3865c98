import { describe, expect, it } from 'vitest';
import { compileClass } from '../../shared/classes/rules/compiled-class.ts';
import type { FieldDefinition } from '../../shared/classes/rules/field-types.ts';
import { parseValues, settleTargets } from '../../shared/objects/rules/object-values.ts';
import type { Upload } from '../../shared/values/uploads.ts';

const schema: readonly FieldDefinition[] = [
  { name: 'photo', type: 'file' },
  { name: 'scan', type: 'file' },
  { name: 'title', type: 'string' },
  { name: 'count', type: 'integer' },
  { name: 'tags', type: 'array' },
  { name: 'code', type: 'string', filter_index: true, unique: true },
  { name: 'author', type: 'reference', target: 'Author' },
];

/** A class in its second revision, which adds the unique field `code`. */
const shape = {
  schema,
  storage: schema.map(({ name }) =>
    name === 'code' ? { storage: '2_code', slot: 0 } : { storage: `1_${name}` },
  ),
  revision: 2,
  epoch: 1,
};
const book = compileClass(shape, () => 'https://files.example');

const key = (letter: string) => `public/1/2/${letter.repeat(40)}.png`;
const address = (letter: string) => `https://files.example/1/2/${letter.repeat(40)}.png`;

function upload(field: string, filename = 'a.png', bytes = new Uint8Array([1])): Upload {
  return { field, filename, contentType: 'image/png', bytes };
}

/** Parses a body with files; returns the errors, the values and each new file as its field and source. */
function parseFiles(body: object, uploads: readonly Upload[], current = {}) {
  const parsed = parseValues(book, { ...body }, { current, isForm: true, uploads });
  const files = parsed.files.map(({ field, source }) => [field.name, source]);
  return { values: parsed.values, errors: parsed.errors, files };
}

describe('files sent with a body', () => {
  it('are stored for their fields and are not values yet', () => {
    const [photo, scan] = [upload('photo'), upload('scan')];

    expect(parseFiles({ title: 'a' }, [scan, photo])).toEqual({
      values: { '1_title': 'a' },
      errors: {},
      files: [
        ['photo', photo],
        ['scan', scan],
      ],
    });
  });

  it('replace text of the same field, and the last file of a field counts', () => {
    const last = upload('photo', 'last.png');

    const parsed = parseFiles({ photo: 'no address' }, [upload('photo'), last]);

    expect(parsed).toEqual({ values: {}, errors: {}, files: [['photo', last]] });
  });

  it('are ignored when no field has their name', () => {
    expect(parseFiles({}, [upload('other')])).toEqual({ values: {}, errors: {}, files: [] });
  });

  it.each<[string, Upload, object]>([
    [
      'an empty file',
      upload('photo', 'a.png', new Uint8Array()),
      { photo: ['The submitted file is empty.'] },
    ],
    [
      'a long extension',
      upload('photo', `a.${'x'.repeat(16)}`),
      { photo: ['File provided has too long extension. Max 16 characters.'] },
    ],
    ['a file for text', upload('title'), { title: ['Not a valid string.'] }],
    ['a file for a number', upload('count'), { count: ['A valid integer is required.'] }],
    ['a file for a list', upload('tags'), { tags: ['Not a valid array.'] }],
    ['a file for a reference', upload('author'), { author: ['A valid integer is required.'] }],
  ])('are rejected: %s', (_, file, errors) => {
    expect(parseFiles({}, [file])).toEqual({ values: {}, errors, files: [] });
  });
});

describe('the address of a file', () => {
  it.each<[string, unknown, object, object]>([
    ['of another file copies it', address('b'), {}, { files: [['photo', key('b')]] }],
    ['of its own file keeps it', address('a'), { '1_photo': key('a') }, { files: [] }],
    [
      'in the form of objects copies it',
      { type: 'file', value: address('b') },
      {},
      { files: [['photo', key('b')]] },
    ],
    [
      'of a large upload is its name',
      `uploads/1/2/7/${'c'.repeat(40)}.png`,
      {},
      { files: [['photo', `uploads/1/2/7/${'c'.repeat(40)}.png`]] },
    ],
  ])('%s', (_, input, values, expected) => {
    const current = { '1_photo': key('a') };

    expect(parseFiles({ photo: input }, [], current)).toEqual({ values, errors: {}, ...expected });
  });
});

describe('an update during a migration', () => {
  const migrating = () =>
    compileClass({ ...shape, status: 'migrating' }, () => 'https://files.example');

  it('keeps values of a hidden unique field, and ignores new ones', () => {
    const current = { '1_title': 'a', '2_code': 'x', '1_gone': 1, '3_newer': 1 };
    const body = { title: 'b', code: 'y' };

    const { values } = parseValues(migrating(), body, { current, isForm: false });

    expect(values).toEqual({ '1_title': 'b', '2_code': 'x', '3_newer': 1 });
  });
});

describe('a form', () => {
  it('unsets fields by empty text, indexed ones as well, and sets others', () => {
    const current = { '1_title': 'a', '1_count': 1, '2_code': 'x', '1_author': 7 };
    const body = { title: '', count: '', code: null, author: '8' };

    const { values, errors } = parseValues(book, body, { current, isForm: true });

    expect(values).toEqual({ '1_title': '', '1_author': 8 });
    expect(errors).toEqual({});
  });
});

describe('references of a body with other errors', () => {
  it('are reported together with them', () => {
    const body = { count: 'x', author: 7 };
    const parsed = parseValues(book, body, { current: undefined, isForm: false });

    const { errors } = settleTargets(parsed, [new Set()]);

    expect(errors).toEqual({
      count: ['A valid integer is required.'],
      author: ['Target with specified id does not exist.'],
    });
  });
});
