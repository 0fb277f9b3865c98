import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { openFilledWorld, type Place, places } from '../support/filled-world.ts';
import { hostileTest } from '../support/hostile-world.ts';
import { accepted, type LawfulCall } from '../support/lawful.ts';

/*
 * Hostile values in every query and in every field of the map, and random ones, like the rows of
 * test/api/hostile.test.ts.
 */

const it = hostileTest().extend('given', { scope: 'file', auto: true }, ({ api, call }) =>
  setUp(api, call),
);

it.afterEach(async ({ call, given: { prey } }) => {
  expect((await call({ as: prey.owner, path: prey.base })).status).toBe(200);
});

const writes = ['POST', 'PUT', 'PATCH'] as const;
type Write = (typeof writes)[number];

function takesFields({ route: { forms } }: Place): boolean {
  const fields = Object.values({ ...forms.POST, ...forms.PUT });
  return fields.some(({ writable }) => writable !== 'never');
}

const writable = places
  .filter(takesFields)
  .flatMap((place) =>
    writes
      .filter((method) => method in place.route.operations && place.version === 'v1.1')
      .map((method) => [`${method} ${place.name}`, method, place] as const),
  );

describe('queries', () => {
  const queries = [
    '__proto__=1',
    '__proto__[polluted]=1',
    'constructor=1',
    'toString=1',
    '%00=%00',
    '=',
    '&&&',
    'fields=__proto__',
    'fields=constructor,toString',
    'excluded_fields=__proto__,id',
    'fields=,',
    `fields=${'a,'.repeat(2000)}`,
    'name__startswith=%00',
    'name__startswith=%ff',
    'format=',
    ...['name', 'label', 'username'].map((name) => `${name}__startswith=${'x'.repeat(3000)}`),
    'page_size=0',
    'page_size=1e1',
    'page_size=%00',
    'page_size=9999999999999999999999',
    'last_pk=-0',
    'last_pk=0x1',
    'last_pk=1.0',
    'direction=__proto__',
    'ordering=constructor',
    'direction=1&last_pk=2147483647',
    'direction=0&last_pk=0',
    'include_count=constructor',
    'order_by=__proto__',
    'order_by=constructor',
    'order_by=-',
    'order_by=%00',
    'query=%7B%7D',
    'query={"__proto__":{"_eq":1}}',
    'query=[',
    'query=null',
    `query=${'['.repeat(5000)}`,
    'a=%',
    'api_key=',
    'user_key=__proto__',
    'template_response=constructor',
    'template=__proto__',
    'x=%ed%a0%80',
    'x=%0d%0aSet-Cookie:a',
    'page_size=%EF%BC%91',
    'last_pk=%20%201',
  ];

  it.for(
    places
      .filter(({ route }) => 'GET' in route.operations)
      .map((place) => [place.name, place] as const),
  )('%s accepts every query without a server error', async ([_, place], { world, attack }) => {
    for (const query of queries) {
      const { headers } = await attack({ path: `${world.path(place)}?${query}` });
      expect(headers).not.toHaveProperty('set-cookie');
    }
  });
});

describe('values of every field', () => {
  /** All but the one that takes a list of objects, which a form cannot have. */
  const byForms = writable.filter(([, , { template }]) => !template.endsWith('/batch/'));

  it.for(byForms)(
    '%s has the same response to a form as to JSON',
    async ([_, method, place], { api, attack, given: { prey, goodBody } }) => {
      const send = async (body: unknown) => {
        const path = prey.path(place);
        const response = await attack({ as: prey.caller(place), method, path, body });
        await api.platform.idle(); // a backup that is active excludes the next one
        return [response.status, Object.keys(response.body)];
      };

      const wanted = await send(goodBody(place));

      expect(await send(goodForm(goodBody(place), new URLSearchParams()))).toEqual(wanted);
      expect(await send(goodForm(goodBody(place), new FormData()))).toEqual(wanted);
    },
  );

  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    string: [{}, [], true, ['x']],
    slug: [{}, [], true, '9x', 'x-', 'a b'],
    'nested object': [[], 5, true, 'x', null],
    email: [{}, [], true, 'nobody', 'a@b', 'a b@example.com'],
    boolean: ['maybe', {}, [], 2, 'Yes'],
    integer: ['x', {}, [], 1.5, '1.5'],
    choice: ['furry', {}, [], 99, 'constructor', '__proto__'],
  };

  /** A channel without rooms ignores the name of one. */
  const isUnread = ({ template }: Place, name: string) =>
    template.endsWith('/publish/') && name === 'room';

  it.for(writable)(
    '%s names each field of a wrong type',
    async ([_, method, place], { attack, given: { prey, goodBody, fieldsOf } }) => {
      for (const [name, { type }] of await fieldsOf(method, place)) {
        if (isUnread(place, name)) continue;
        for (const value of wrong[type] ?? []) {
          const body = { ...goodBody(place), [name]: value };
          const response = await attack({
            as: prey.caller(place),
            method,
            path: prey.path(place),
            body,
          });
          const said = `${name}: ${JSON.stringify(value)}: ${response.text}`;
          expect(response.status, said).toBe(400);
          expect(response.body[name], said).toBeDefined();
        }
      }
    },
  );

  const values = [
    'null',
    'true',
    '0',
    '-0',
    '1e999',
    '-1e999',
    '9007199254740993',
    '2147483648',
    '1e-320',
    '-1',
    '1.5',
    '1e21',
    '""',
    '" "',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"NaN"',
    '"1e999"',
    '"null"',
    '"[]"',
    '"{}"',
    '"[1,"',
    '"\\r\\nX: y"',
    '"../../etc/passwd"',
    '"__proto__"',
    '"constructor"',
    '"hasOwnProperty"',
    `"${'x'.repeat(5000)}"`,
    '"😀"',
    '[]',
    '{}',
    '[null]',
    '[[]]',
    '[{}]',
    '[1e999]',
    '{"a":{"b":[1e999,"\\ud800"]}}',
    '{"__proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"":1}',
    '{"toString":1,"valueOf":1,"length":-1,"then":1,"toJSON":1}',
    '{"type":"x","value":{}}',
    '{"_increment":"x"}',
    '{"_increment":1e999}',
    '{"_add":[[1]]}',
    '{"_add":{"__proto__":1}}',
    `${'['.repeat(150)}${']'.repeat(150)}`,
    `[${'1,'.repeat(2000)}1]`,
    '{"\\ud800":"\\u0000"}',
  ];

  it.for(writable)(
    '%s accepts every value in each field without a server error',
    async ([_, method, place], { attack, given: { prey, goodBody, fieldsOf } }) => {
      for (const [name] of await fieldsOf(method, place)) {
        for (const value of values) {
          const rest = JSON.stringify({ ...goodBody(place), [name]: undefined });
          const comma = rest === '{}' ? '' : ',';
          const response = await attack({
            as: prey.caller(place),
            method,
            path: prey.path(place),
            headers: { 'Content-Type': 'application/json' },
            body: `${rest.slice(0, -1)}${comma}${JSON.stringify(name)}:${value}}`,
          });
          expect(response.text).not.toContain('\ufffd'); // text is refused, never replaced
        }
      }
    },
  );

  it.for(writable)(
    '%s accepts them from a form',
    async ([_, method, place], { attack, given: { prey, goodBody, fieldsOf } }) => {
      const texts = [
        '',
        ' ',
        'null',
        '[]',
        '{}',
        '1e999',
        '\0',
        '{"_increment":1e999}',
        '__proto__',
      ];
      for (const [name] of await fieldsOf(method, place)) {
        for (const text of texts) {
          const body = `__proto__=x&constructor=y&${goodForm(goodBody(place), new URLSearchParams())}`;
          await attack({
            as: prey.caller(place),
            method,
            path: prey.path(place),
            headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
            body: `${body}&${new URLSearchParams({ [name]: text })}`,
          });
        }
      }
    },
  );
});

describe('fuzz', () => {
  const key = fc.oneof(
    fc.constantFrom(
      'title',
      'pages',
      'name',
      'schema',
      'description',
      'metadata',
      'extra',
      'owner',
    ),
    fc.constantFrom('__proto__', 'constructor', 'toString', '_method', '_api_key', 'tags', 'place'),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(key, tie('any'), { maxKeys: 6 }),
    ),
  })).any;
  const parameters = { numRuns: 1000 };

  it('no body causes a server error', async ({ attack, given: { prey, goodBody } }) => {
    const target = fc.constantFrom(...writable);
    const body = fc.oneof(fc.dictionary(key, value, { maxKeys: 8 }), value);

    await fc.assert(
      fc.asyncProperty(target, body, fc.boolean(), async ([, method, place], sent, isFilled) => {
        if (isRenaming(place, sent)) return;
        const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent);
        const whole = isFilled && isObject ? { ...goodBody(place), ...sent } : sent;
        await attack({
          as: prey.caller(place),
          method,
          path: prey.path(place),
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(whole),
        });
      }),
      parameters,
    );
  });

  it('no bytes of a body cause a server error', async ({ world, attack }) => {
    const types = fc.constantFrom(
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=b',
      'application/json; charset=utf-16le',
      'application/x-www-form-urlencoded; charset=shift_jis',
    );
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom(
          '--b',
          '--b--',
          '\r\n',
          '\r\n\r\n',
          '{',
          '}',
          '"title"',
          ':',
          '%',
          '=',
          '&',
        ),
        fc.constantFrom(
          'Content-Disposition: form-data; name="title"',
          '; filename="a"',
          '\\ud800',
        ),
        fc.string({ unit: 'binary', maxLength: 6 }),
      ),
      { maxLength: 20 },
    );

    await fc.assert(
      fc.asyncProperty(
        types,
        pieces,
        fc.uint8Array({ maxLength: 8 }),
        async (type, texts, bytes) => {
          const body = Buffer.concat([Buffer.from(texts.join('')), bytes]);
          await attack({
            path: `${world.base}classes/book/objects/`,
            headers: { 'Content-Type': type },
            body,
          });
        },
      ),
      parameters,
    );
  });

  it('no path and no query cause a server error', async ({ attack }) => {
    const segment = fc.oneof(
      fc.constantFrom('v1.1', 'v1', 'instances', 'blog-1', 'classes', 'book', 'objects', '1', ''),
      fc.string({ unit: 'grapheme', maxLength: 12 }).map(encodeURIComponent),
      fc.string({ maxLength: 6 }).map((text) => text.replace(/[^!-~]|[?#]/g, '%')),
    );
    const path = fc.array(segment, { maxLength: 8 }).map((parts) => `/${parts.join('/')}/`);
    const query = fc.array(fc.tuple(key, fc.string())).map((pairs) => new URLSearchParams(pairs));
    const method = fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'PROPFIND');

    await fc.assert(
      fc.asyncProperty(method, path, query, async (verb, where, asked) => {
        await attack({ method: verb, path: `${where}?${asked}` });
      }),
      parameters,
    );
  });

  it('no header causes a server error', async ({ world, attack }) => {
    const text = fc.string({ maxLength: 40 }).map((sent) => sent.replace(/[^ -~]/g, ''));
    const names = [
      'accept',
      'accept-encoding',
      'content-type',
      'x-api-key',
      'x-user-key',
      'origin',
    ];
    const more = ['authorization', 'cookie', 'x-forwarded-for', 'access-control-request-method'];
    const name = fc.constantFrom(
      ...names,
      ...more,
      'constructor',
      'x-template',
      'content-encoding',
    );

    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, text, { maxKeys: 5 }), async (headers) => {
        await attack({ path: `${world.base}classes/book/objects/`, headers });
        await attack({ path: `${world.base}classes/book/objects/`, headers, body: '{' });
      }),
      parameters,
    );
  });
});

interface Described {
  readonly type: string;
  readonly read_only: boolean;
}

/** Fills an instance whose tests leave it unusable. */
async function setUp(api: Api, call: LawfulCall) {
  const prey = await openFilledWorld(api, 'prey-1', 'marker');
  const path = `${prey.base}classes/book/`;
  const { schema } = accepted(await call({ as: prey.owner, path }), 200);
  let count = 0;
  function goodBody(place: Place): Record<string, unknown> {
    count += 1;
    const other = otherBodies[place.template]?.(count, schema);
    const body = { ...prey.sample(place, `m${count}`), ...other };
    return place.route.kind === 'list' && 'schema' in body ? { ...body, name: `c${count}` } : body;
  }
  /** Fields of a write, including those of a class, from introspection. */
  async function fieldsOf(method: Write, place: Place): Promise<readonly [string, Described][]> {
    const { body } = await call({
      as: prey.caller(place),
      method: 'OPTIONS',
      path: prey.path(place),
    });
    const form = method === 'PATCH' ? 'PUT' : method;
    const fields: Readonly<Record<string, Described>> =
      body.actions?.[form] ?? body.actions?.PUT ?? {};
    return Object.entries(fields).filter(([, field]) => !field.read_only);
  }
  return { prey, goodBody, fieldsOf };
}

/** Valid bodies, for lists outside of instances. */
const otherBodies: Readonly<Record<string, (n: number, schema: unknown) => object>> = {
  '/v1.1/account/': () => ({ email: 'owner-of-blog-1@example.com' }),
  '/v1.1/instances/{instance}/classes/{class}/': (_, schema) => ({ schema }),
  '/v1.1/account/register/': (n) => ({ email: `n${n}@example.com`, password: 'a password' }),
  '/v1.1/account/auth/': () => ({ email: 'owner-of-blog-1@example.com', password: 'a password' }),
  '/v1.1/account/password/': () => ({ current_password: 'a password', new_password: 'a password' }),
  '/v1.1/instances/{instance}/users/{id}/': (n) => ({
    username: `u${n}`,
    password: 'p',
    profile: {},
  }),
  '/v1.1/instances/{instance}/user/': (n) => ({ username: `u${n}`, password: 'p', profile: {} }),
  '/v1.1/instances/{instance}/user/auth/': () => ({ username: 'marker', password: 'marker' }),
  '/v1.1/instances/{instance}/groups/{id}/': (n) => ({ name: `g${n}`, label: 'marker' }),
  '/v1.1/instances/{instance}/batch/': () => ({ requests: [] }),
  '/v1.1/instances/': (n) => ({ name: `instance-${n}` }),
};

function goodForm<Form extends URLSearchParams | FormData>(body: object, form: Form): Form {
  for (const [name, value] of Object.entries(body)) {
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return form;
}
/** Requests that are not part of the test, and would end it. */
function isRenaming({ template }: Place, sent: unknown): boolean {
  return template.endsWith('/rename/') && typeof sent === 'object' && sent !== null;
}
