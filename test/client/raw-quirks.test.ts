import { describe, expect } from 'vitest';
import type { Call } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { lawful } from '../support/lawful.ts';
import { time } from '../support/responses.ts';

const it = worldTest()
  .extend('call', { scope: 'file' }, ({ api }) => lawful(api))
  // path of a class with a field of each type that a form or a text may contain
  .extend('thing', { scope: 'file', auto: true }, async ({ world }) => {
    return `${await world.dataClass('thing', schema)}objects/`;
  })
  // creates a resource through the interface
  .extend('make', { scope: 'file' }, ({ world, call, thing }) => async (values: object = {}) => {
    const { status, body } = await call({ as: world.owner, path: thing, body: values });
    expect(status).toBe(201);
    return { id: body.id as number, path: body.links.self as string };
  });

/*
 * Unusual requests of client libraries of the original service, in the form on the wire: those for JavaScript (its
 * models in syncano.test.ts), Python, and the later core library of Node.
 */

const schema = [
  { name: 'title', type: 'string' },
  { name: 'count', type: 'integer' },
  { name: 'rate', type: 'float' },
  { name: 'done', type: 'boolean' },
  { name: 'due', type: 'datetime' },
  { name: 'tags', type: 'array' },
  { name: 'extra', type: 'object' },
  { name: 'place', type: 'geopoint' },
  { name: 'friend', type: 'reference', target: 'self' },
  { name: 'friends', type: 'relation', target: 'self' },
];

const jsonType = { 'Content-Type': 'application/json' };
const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };

const boundary = '--------------------------718958833772201700448067';
const multipartType = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };

describe('JavaScript under Node', () => {
  it('sends an empty JSON object along with every GET', async ({ world, call }) => {
    const path = `${world.base}api_keys/`;
    const plain = await call({ as: world.owner, path });

    const odd = await call({ as: world.owner, method: 'GET', path, body: {} });

    expect([odd.status, odd.body]).toEqual([200, plain.body]);
  });

  it('sends one along with every DELETE', async ({ world, call, make }) => {
    const { path } = await make();

    const first = await call({ as: world.owner, method: 'DELETE', path, body: {} });
    const second = await call({ as: world.owner, method: 'DELETE', path, body: {} });

    expect([first.status, second.status]).toEqual([204, 404]);
  });

  it('follows `next` with its own parameters added again', async ({ world, call }) => {
    const path = await world.dataClass('page', [{ name: 'title', type: 'string' }]);
    for (const title of ['a', 'b', 'c']) {
      await call({ as: world.owner, path: `${path}objects/`, body: { title } });
    }
    const first = await call({
      as: world.owner,
      path: `${path}objects/?page_size=2&fields=id%2Ctitle`,
    });
    const next = first.body.next.replace('?', '?fields=id%2Ctitle&');

    const doubled = await call({ as: world.owner, method: 'GET', path: next, body: {} });
    const back = await call({ as: world.owner, path: doubled.body.prev });

    expect(doubled.body.objects).toEqual([{ id: expect.any(Number), title: 'c' }]);
    expect(back.body.objects).toEqual(first.body.objects);
  });

  it('the last of a repeated parameter counts', async ({ world, call }) => {
    const path = `${world.base}classes/?page_size=x&fields=status&page_size=1&fields=name`;

    const response = await call({ as: world.owner, path });

    expect(response.body.objects).toEqual([{ name: 'user_profile' }]);
  });

  it('sends the token of a social network together with its key', async ({ world, call }) => {
    const response = await call({
      as: world.owner,
      path: '/v1.1/account/',
      headers: { Authorization: 'Token of-a-network' },
    });

    expect(response.status).toBe(200);
  });

  it('sends a whole response back, including names of paths', async ({ world, call, make }) => {
    const { path } = await make({ title: 'one', due: '2001-05-06T07:08:09.010Z', tags: [1] });
    const { body: read } = await call({ as: world.owner, path });

    const { links: _, created_at: __, updated_at: ___, ...whole } = read;
    const response = await call({
      as: world.owner,
      method: 'PATCH',
      path,
      body: { ...whole, instanceName: 'blog-1', className: 'thing' },
    });

    expect([response.status, response.body]).toEqual([200, read]);
  });

  it('sends a form if there may be a file in it', async ({ world, call, thing }) => {
    const response = await call({
      as: world.owner,
      path: thing,
      headers: multipartType,
      body: multipart({ instanceName: 'blog-1', className: 'thing', title: 'x', count: '5' }),
      method: 'POST',
    });

    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({ title: 'x', count: 5, tags: null, done: null });
  });
});

describe('JavaScript in a browser', () => {
  it('sends plain text without preflight: method and key are in the body', async ({
    world,
    call,
    make,
  }) => {
    const { id, path } = await make({ title: 'one' });
    const body = { _method: 'PATCH', _api_key: world.owner, title: 'two' };

    const response = await call({
      method: 'POST',
      path,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'text/plain' },
    });

    expect(response.body).toMatchObject({ id, title: 'two', revision: 2 });
  });

  it('reads the same way', async ({ world, call }) => {
    const body = { _method: 'GET', _api_key: world.owner };

    const response = await call({
      method: 'POST',
      path: `${world.base}classes/?fields=name`,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'text/plain;charset=UTF-8' },
    });

    expect(response.body.objects).toContainEqual({ name: 'thing' });
  });
});

describe('Python', () => {
  it.for(['token', 'Token', 'ApiKey', 'apikey', 'Bearer'])(
    'gives its key as `Authorization: %s`',
    async (word, { world, call }) => {
      const response = await call({
        path: '/v1.1/account/',
        headers: { ...jsonType, Authorization: `${word} ${world.owner}` },
      });

      expect(response.body).toMatchObject({ email: 'owner-of-blog-1@example.com' });
    },
  );

  it('names a JSON body on requests without one', async ({ world, call, make }) => {
    const { path } = await make();
    const headers = { ...jsonType, Authorization: `token ${world.owner}` };

    const read = await call({ path, headers });
    const reset = await call({
      method: 'POST',
      path: `${world.base}api_keys/`,
      headers,
    });
    const gone = await call({ method: 'DELETE', path, headers });

    expect([read.status, reset.status, gone.status]).toEqual([200, 201, 204]);
  });

  it('logs in through version 1, whose links stay in version 1', async ({ call }) => {
    const login = await call({
      path: '/v1/account/auth/',
      body: { email: 'owner-of-blog-1@example.com', password: 'a password' },
    });
    const instance = await call({ as: login.body.account_key, path: '/v1/instances/blog-1/' });

    expect(instance.body.links).toMatchObject({
      self: '/v1/instances/blog-1/',
      codeboxes: '/v1/instances/blog-1/codeboxes/',
    });
  });

  it('writes lists and objects as JSON text: classes', async ({ world, call }) => {
    const fields = [{ name: 'title', type: 'string', filter_index: true }];
    const made = await call({
      as: world.owner,
      path: `${world.base}classes/`,
      body: {
        name: 'texted',
        schema: JSON.stringify(fields),
        metadata: '{"a": 1}',
        group_permissions: 'none',
        other_permissions: 'read',
      },
    });

    const saved = await call({
      as: world.owner,
      method: 'PUT',
      path: made.body.links.self,
      body: {
        name: 'texted',
        description: 'new',
        metadata: '{"a": 2}',
        objects_count: 0,
        schema: JSON.stringify([...fields, { name: 'pages', type: 'integer' }]),
        status: 'ready',
        group_permissions: 'none',
        other_permissions: 'none',
      },
    });

    expect(made.body).toMatchObject({ schema: fields, metadata: { a: 1 }, revision: 1 });
    expect(saved.body).toMatchObject({
      description: 'new',
      metadata: { a: 2 },
      revision: 2,
      other_permissions: 'none',
      schema: [...fields, { name: 'pages', type: 'integer' }],
    });
  });

  it('the same with data objects', async ({ world, call, thing, make }) => {
    const { id } = await make();

    const response = await call({
      as: world.owner,
      path: thing,
      body: {
        tags: '["a", 1]',
        extra: '{"deep": [1]}',
        place: '{"longitude": 1, "latitude": -2}',
        friends: `[${id}]`,
        friend: id,
        due: '2016-01-02T03:04:05Z',
      },
    });

    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({
      tags: ['a', 1],
      extra: { deep: [1] },
      place: { type: 'geopoint', longitude: 1, latitude: -2 },
      friends: { type: 'relation', target: 'self', value: [id] },
      friend: { type: 'reference', target: 'self', value: id },
      due: { type: 'datetime', value: '2016-01-02T03:04:05.000000Z' },
    });
  });

  it('saves an object by POST on its own path: absent permissions are reset', async ({
    world,
    call,
    make,
  }) => {
    const { id, path } = await make({
      title: 'kept',
      count: 1,
      owner_permissions: 'read',
      other_permissions: 'write',
    });

    const response = await call({
      as: world.owner,
      method: 'POST',
      path,
      body: { count: 2, group_permissions: 'read' },
    });

    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      id,
      title: 'kept',
      count: 2,
      revision: 2,
      owner_permissions: 'full',
      group_permissions: 'read',
      other_permissions: 'none',
    });
  });

  it('reports a stale revision by its name in the body', async ({ world, call, make }) => {
    const { path } = await make({ title: 'one' });

    const response = await call({
      as: world.owner,
      method: 'POST',
      path,
      body: { title: 'two', expected_revision: 4 },
    });

    expect([response.status, response.body]).toEqual([
      400,
      { expected_revision: 'Revision mismatch. Expected 4, got 1.' },
    ]);
  });
});

describe('the core library of Node', () => {
  const whole = {
    title: 'Dünen',
    count: '5',
    rate: '1.5',
    done: 'true',
    due: '2001-05-06T07:08:09.010Z',
    tags: '["a",1,true]',
    extra: '{"a":[null]}',
    place: '{"longitude":1,"latitude":2}',
  };
  const shown = {
    title: 'Dünen',
    count: 5,
    rate: 1.5,
    done: true,
    due: { type: 'datetime', value: '2001-05-06T07:08:09.010000Z' },
    tags: ['a', 1, true],
    extra: { a: [null] },
    place: { type: 'geopoint', longitude: 1, latitude: 2 },
  };
  const nothing = {
    title: '',
    count: '',
    rate: '',
    done: '',
    due: '',
    tags: '',
    extra: '',
    place: '',
    friend: '',
    friends: '',
  };
  const cleared = {
    title: '',
    count: null,
    rate: null,
    done: null,
    due: null,
    tags: null,
    extra: null,
    place: null,
    friend: null,
    friends: null,
  };

  const forms: readonly (readonly [string, (values: Record<string, string>) => Partial<Call>])[] = [
    ['multipart', (values) => ({ headers: multipartType, body: multipart(values) })],
    ['urlencoded', (values) => ({ headers: formType, body: `${new URLSearchParams(values)}` })],
  ];

  it.for(forms)('creates through a form, %s', async ([_, form], { world, call, thing, make }) => {
    const { id } = await make();
    const values = { ...whole, friend: String(id), friends: `[${id}]` };

    const response = await call({ as: world.owner, method: 'POST', path: thing, ...form(values) });

    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({
      ...shown,
      friend: { type: 'reference', target: 'self', value: id },
      friends: { type: 'relation', target: 'self', value: [id] },
    });
  });

  it.for(forms)('clears fields by empty text, %s', async ([_, form], { world, call, make }) => {
    const { id } = await make();
    const { path } = await make({
      title: 'x',
      count: 1,
      rate: 1,
      done: true,
      due: '2001-05-06T07:08:09.010Z',
      tags: [],
      extra: {},
      place: { longitude: 1, latitude: 2 },
      friend: id,
      friends: [id],
    });

    const response = await call({ as: world.owner, method: 'PATCH', path, ...form(nothing) });

    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ ...cleared, revision: 2 });
  });

  it.for(forms)('changes by operators as text, %s', async ([_, form], { world, call, make }) => {
    const { path } = await make({ count: 5, tags: ['a'] });
    const operators = { count: '{"_increment":-2}', tags: '{"_addunique":["a","b"]}' };

    const response = await call({ as: world.owner, method: 'PATCH', path, ...form(operators) });

    expect(response.body).toMatchObject({ count: 3, tags: ['a', 'b'], revision: 2 });
  });

  it.for(forms)('flags that a form omits are false, %s', async ([_, form], { world, call }) => {
    const path = `${world.base}api_keys/`;

    const made = await call({
      as: world.owner,
      method: 'POST',
      path,
      ...form({ ignore_acl: 'true', description: '' }),
    });
    const saved = await call({
      as: world.owner,
      method: 'PUT',
      path: made.body.links.self,
      ...form({ description: 'new' }),
    });

    expect(made.body).toMatchObject({ ignore_acl: true, description: '', created_at: time });
    expect(saved.body).toMatchObject({ ignore_acl: false, description: 'new' });
  });

  it.for(forms)('creates a class through a form, %s', async ([kind, form], { world, call }) => {
    const values = { name: `formed_${kind}`, schema: JSON.stringify(schema), metadata: '' };

    const response = await call({
      as: world.owner,
      method: 'POST',
      path: `${world.base}classes/`,
      ...form(values),
    });

    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({ schema, metadata: {}, group: null });
  });
});

/** A form as the libraries for Node send it: one text part per value. */
function multipart(values: Readonly<Record<string, string>>): string {
  const parts = Object.entries(values).map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--${boundary}--\r\n`;
}
