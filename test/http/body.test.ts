import { describe, expect, test } from 'vitest';
import { parseBody } from '../../shared/core/http/body/body.ts';
import type { Request } from '../../shared/core/http/message.ts';

const requestOf = (type: string | undefined, body: string | Uint8Array): Request => ({
  id: 'r1',
  method: 'POST',
  path: '/',
  query: new URLSearchParams(),
  headers: type === undefined ? {} : { 'content-type': type },
  body: { kind: 'bytes', bytes: typeof body === 'string' ? Buffer.from(body) : body },
  sourceAddress: '127.0.0.1',
});
const parse = (type: string | undefined, body: string | Uint8Array) =>
  parseBody(requestOf(type, body));
const json = (value: unknown) => ({ value, form: false, files: [] });
const form = (value: unknown) => ({ value, form: true, files: [] });

const formType = 'application/x-www-form-urlencoded';

describe('accepted bodies', () => {
  test.each([
    ['JSON', 'application/json', '{"a": [1, null, "ü"]}', json({ a: [1, null, 'ü'] })],
    ['JSON with a type in capitals', 'Application/JSON', '[1]', json([1])],
    ['a JSON scalar', 'application/json', '7', json(7)],
    ['JSON null', 'application/json', 'null', json(null)],
    ['JSON after a byte order mark', 'application/json', '\ufeff{}', json({})],
    ['text that holds JSON', 'text/plain;charset=UTF-8', '{"a":1}', json({ a: 1 })],
    ['a body without type', undefined, '{"a":1}', json({ a: 1 })],
    ['latin-1', 'application/json; charset=latin1', Buffer.from('"\xfc"', 'latin1'), json('ü')],
    ...[
      'application/vnd.github+json',
      'application/CloudEvents+JSON; charset=utf-8',
      'application/problem+json',
      'text/json',
      'application/csp-report',
    ].map((type): [string, string, string, unknown] => [
      `JSON as ${type}`,
      type,
      '{"a":1}',
      json({ a: 1 }),
    ]),
    ['a quoted charset', 'application/json; charset="UTF-8"', '"ü"', json('ü')],
    ['UTF-16', 'text/plain; charset=utf-16le', Buffer.from('"ü"', 'utf16le'), json('ü')],
    ['nothing as JSON', 'application/json', '', json({})],
    ['nothing as a form', formType, '', json({})],
    ['nothing as multipart', 'multipart/form-data', '', json({})],
    ['nothing as an unknown type', 'image/png', '', json({})],
    ['a form', formType, 'a=1&b=x+y%C3%BC&c=', form({ a: '1', b: 'x yü', c: '' })],
    [
      'a form with a mark in a value',
      formType,
      'a=%EF%BB%BF1&b=\ufeff2',
      form({ a: '\ufeff1', b: '\ufeff2' }),
    ],
    ['a form with JSON as a value', formType, 'a={"b":1}', form({ a: '{"b":1}' })],
    ['a form with an odd key among others', formType, 'a=1&{=2', form({ a: '1', '{': '2' })],
    ['a form that repeats a key', formType, 'a=1&a=2', form({ a: '2' })],
    ['a form in latin-1', `${formType}; charset=latin1`, 'a=%FC&b', form({ a: 'ü', b: '' })],
    ['an escaped lone surrogate', 'application/json', '"a\\ud800z"', json('a\ud800z')],
    ['one in a key', 'application/json', '{"\\uDC00":1}', json({ '\udc00': 1 })],
    ['two halves in the wrong order', 'application/json', '"\\udc00\\ud800"', json('\udc00\ud800')],
    ['a pair of surrogates', 'application/json', '"\\ud83d\\ude00"', json('😀')],
    ['a backslash before ud800', 'application/json', '"\\\\ud800"', json('\\ud800')],
    ['200 levels', 'application/json', '['.repeat(200) + ']'.repeat(200), expect.anything()],
    ['brackets in strings', 'application/json', `"${'[\\"'.repeat(300)}"`, json('["'.repeat(300))],
  ])('%s', async (_name, type, body, expected) => {
    const parsed = await parse(type, body);

    expect(parsed).toEqual(expected);
  });

  test('a key named __proto__ is plain data', async () => {
    const text = '{"__proto__":{"admin":true}}';

    const parsed = await parse('application/json', text);

    expect(JSON.stringify(parsed.value)).toBe(text);
    expect(Object.hasOwn(parsed.value as object, '__proto__')).toBe(true);
  });

  test('a form key named __proto__ is plain data', async () => {
    const parsed = await parse(formType, '__proto__=1');

    expect(JSON.stringify(parsed.value)).toBe('{"__proto__":"1"}');
  });

  test('a value from a batch is used as it is', async () => {
    const request = { ...requestOf('image/png', ''), body: { kind: 'json', value: [1] } as const };

    expect(await parseBody(request)).toEqual(json([1]));
  });
});

describe('rejected bodies', () => {
  const looksLikeJson = {
    detail: 'the body looks like JSON: send Content-Type: application/json',
  };
  type Row = readonly [name: string, type: string, body: string, status: number, told: object];
  const parseError = (reason: string) => ({ detail: `JSON parse error - ${reason}` });
  const noText = (field: string) => ({
    detail: `Form parse error - the value of "${field}" is not valid utf-8`,
  });
  test.each<Row>([
    ['malformed', 'application/json', '{"a" 1}', 400, parseError('invalid JSON at position 5')],
    ['cut off', 'application/json', '{"a":', 400, parseError('invalid JSON')],
    ['no UTF-8', 'application/json', '"\xff"', 400, parseError('the body is not valid utf-8')],
    ['overlong', 'text/plain', '"\xc0\x80"', 400, parseError('the body is not valid utf-8')],
    ['charset', 'application/json; charset=x', '{}', 400, parseError('unknown charset')],
    [
      '201 levels',
      'application/json',
      '['.repeat(201) + ']'.repeat(201),
      400,
      parseError('more than 200 levels'),
    ],
    [
      '201 levels after a string that ends in backslashes',
      'application/json',
      `["\\\\\\\\",${'['.repeat(200)}${']'.repeat(201)}`,
      400,
      parseError('more than 200 levels'),
    ],
    ['deep', 'application/json', '{"a":'.repeat(1e5), 400, parseError('more than 200 levels')],
    ['an object as a form', formType, '{"title": "a=b"}', 400, looksLikeJson],
    ['a list as a form', formType, ' [1]', 400, looksLikeJson],
    ['an escaped object as a form', formType, '%7B%22a%22%3A1%7D', 400, looksLikeJson],
    ['one in latin-1', `${formType}; charset=latin1`, '{"a":"\xfc"}', 400, looksLikeJson],
    ['a form with an escape that is no text', formType, 'a=1&title=caf%E9', 400, noText('title')],
    ['a form with a byte that is no text', formType, 'title=caf\xe9', 400, noText('title')],
    ['a form with a cut letter', formType, 'title=%C3', 400, noText('title')],
    [
      'a form with a name that is no text',
      formType,
      '%E9=1',
      400,
      { detail: 'Form parse error - a name is not valid utf-8' },
    ],
    ...['application/xml; v=1', 'text/html', 'application/json2', 'a/b/c+json'].map((type): Row => {
      const detail = `Unsupported media type "${type}" in request.`;
      return [type, type, 'x', 415, { detail }];
    }),
  ])('%s', async (_name, type, body, status, expected) => {
    const thrown = await parse(type, Buffer.from(body, 'latin1')).catch((error) => error);

    expect({ status: thrown.status, body: thrown.body }).toEqual({ status, body: expected });
  });
});

describe('bodies that are no text, as arguments of a script', () => {
  const lenient = (type: string, body: Uint8Array) => parseBody(requestOf(type, body), true);

  test.each([
    ['a form', formType, 'a=caf%E9', { a: 'caf\ufffd' }],
    ['JSON', 'application/json', '{"a":"caf\xe9"}', { a: 'caf\ufffd' }],
    [
      'a part',
      'multipart/form-data; boundary=XX',
      '--XX\r\ncontent-disposition: form-data; name="a"\r\n\r\ncaf\xe9\r\n--XX--\r\n',
      { a: 'caf\ufffd' },
    ],
  ])('%s starts the run, which is told', async (_name, type, body, value) => {
    const parsed = await lenient(type, Buffer.from(body, 'latin1'));

    expect({ value: parsed.value, isReplaced: parsed.isReplaced }).toEqual({
      value,
      isReplaced: true,
    });
  });

  test('text is not marked', async () => {
    const parsed = await lenient(formType, Buffer.from('a=%C3%A9&b=%EF%BF%BD'));

    expect(parsed).toEqual({ value: { a: 'é', b: '\ufffd' }, form: true, files: [] });
  });
});

describe('compressed bodies', () => {
  test.each(['gzip', 'br', 'x-unknown'])('%s is 415', async (coding) => {
    const request = requestOf('application/json', '{}');
    const headers = { ...request.headers, 'content-encoding': coding };

    const thrown = await parseBody({ ...request, headers }).catch((error) => error);

    expect([thrown.status, thrown.body]).toEqual([
      415,
      { detail: `Unsupported content encoding "${coding}" in request.` },
    ]);
  });

  test('identity is no compression', async () => {
    const request = requestOf('application/json', '{"a":1}');
    const headers = { ...request.headers, 'content-encoding': 'identity' };

    expect((await parseBody({ ...request, headers })).value).toEqual({ a: 1 });
  });
});

describe('multipart', () => {
  const type = 'multipart/form-data; boundary=XX';
  const part = (head: string, content: string) =>
    `--XX\r\ncontent-disposition: form-data; ${head}\r\n\r\n${content}\r\n`;

  test('fields, files and repeated names', async () => {
    const body = [
      part('name="a"', 'one'),
      part('name="a"', 'zwö'),
      part('name="__proto__"', 'x'),
      part('name="photo"; filename="C:\\dir\\ü.png"\r\ncontent-type: image/PNG', '\u0000\u0001'),
      part('name="none"; filename=""', ''),
      '--XX--\r\n',
    ].join('');

    const parsed = await parse(type, body);

    expect(JSON.stringify(parsed.value)).toBe('{"a":"zwö","__proto__":"x"}');
    expect(parsed.form).toBe(true);
    expect(parsed.files).toEqual([
      { field: 'photo', filename: 'ü.png', contentType: 'image/PNG', bytes: Buffer.from([0, 1]) },
    ]);
  });

  test.each([
    ['text in the charset of its part', 'caf\xe9', 'text/plain; charset=latin1', 'café'],
    ['text in UTF-16', 'c\0a\0', 'text/plain; charset=utf-16le', 'ca'],
    ['text without charset', 'caf\xc3\xa9', 'text/plain', 'café'],
  ])('%s', async (_name, content, contentType, text) => {
    const head = `name="a"\r\ncontent-type: ${contentType}`;

    const parsed = await parse(type, Buffer.from(`${part(head, content)}--XX--`, 'latin1'));

    expect(parsed.value).toEqual({ a: text });
  });

  test.each([
    ['the value of "a" is not valid utf-8', 'name="a"', 'caf\xe9'],
    ['a name of a part is not valid utf-8', 'name="caf\xe9"', 'x'],
    ['a name of a part is not valid utf-8', 'name="a"; filename="\xe9.txt"', 'x'],
  ])('%s: %s', async (reason, head, content) => {
    const thrown = await parse(type, Buffer.from(`${part(head, content)}--XX--`, 'latin1')).catch(
      (error) => error,
    );

    expect([thrown.status, thrown.body]).toEqual([
      400,
      { detail: `Multipart form parse error - ${reason}` },
    ]);
  });

  test.each([
    ['filename="a \\"b\\".txt"', 'a "b".txt'],
    ['filename="C:\\dir\\a.txt"', 'a.txt'],
    ['filename="../../a.txt"', 'a.txt'],
    ['filename=".."', ''],
    ['filename=plain.txt', 'plain.txt'],
    ['filename="a.txt"; filename*=UTF-8\'\'%e2%82%ac.txt', '€.txt'],
    ["filename*=iso-8859-1'en'%A3.txt", '£.txt'],
  ])('a file with %s', async (head, filename) => {
    const parsed = await parse(type, `${part(`name="f"; ${head}`, 'x')}--XX--`);

    expect(parsed.files?.map((file) => file.filename)).toEqual(filename === '' ? [] : [filename]);
  });

  test('a file of a megabyte arrives whole', async () => {
    const content = 'x'.repeat(1_000_000);

    const parsed = await parse(type, `${part('name="f"; filename="f"', content)}--XX--`);

    expect(parsed.files?.[0]?.bytes.byteLength).toBe(1_000_000);
  });

  test.each([
    ['cut off in a field', type, '--XX\r\ncontent-disposition: form-data; name="a"\r\n\r\non'],
    ['cut off in a file', type, part('name="a"; filename="f"', 'on')],
    ['cut off in a header', type, '--XX\r\ncontent-dispo'],
    ['without any part', type, 'hello'],
    ['without a boundary', 'multipart/form-data', '--XX--'],
    ['with an endless boundary', `multipart/form-data; boundary=${'X'.repeat(300)}`, '--XX--'],
    ['with too many parts', type, `${part('name="a"', '').repeat(1001)}--XX--`],
  ])('%s is rejected', async (_name, contentType, body) => {
    const thrown = await parse(contentType, body).catch((error) => error);

    expect(thrown.status).toBe(400);
    expect(thrown.body.detail).toMatch(/^Multipart form parse error - ./);
  });
});
