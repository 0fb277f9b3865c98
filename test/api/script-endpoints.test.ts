import { describe, expect } from 'vitest';
import { expected, openWorld, type World } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';

import { dataIdOf } from '../support/moved-store.ts';
import {
  column,
  isNull,
  missing,
  newKey,
  noPk,
  required,
  taken,
  tooLong,
} from '../support/responses.ts';
import { type WatchedStore, watch } from '../support/watched-store.ts';

/** The records of script endpoints; their runs are in script-endpoint-runs.test.ts. */

let store: WatchedStore;
let world: World;

const it = apiTest({
  wrap: (inner) => {
    store = watch(inner);
    return store;
  },
});

let count = 0;
it.beforeEach(async ({ api }) => {
  count += 1;
  world = await openWorld(api, `blog-${count}`);
  await makeScript();
});

const call = (method: string, path: string, body?: unknown) =>
  world.call(world.owner, method, `endpoints/scripts/${path}`, body);
const make = async (name: string, more: object = {}) =>
  expected(await call('POST', '', { name, script: 1, ...more }), 201);
const makeScript = async () =>
  expected(
    await world.call(world.owner, 'POST', 'snippets/scripts/', {
      runtime_name: 'nodejs_v6',
      source: 'console.log("ran")',
    }),
    201,
  );

function linksOf(name: string, publicLink: string, script = 1) {
  const { base } = world;
  const self = `${base}endpoints/scripts/${name}/`;
  return {
    self,
    run: `${self}run/`,
    'reset-link': `${self}reset_link/`,
    script: `${base}snippets/scripts/${script}/`,
    'public-link': `${base}sockets/endpoints/scripts/p/${publicLink}/`,
    traces: `${self}traces/`,
  };
}

describe('a script endpoint', () => {
  it('is created with a name and a script', async () => {
    const { status, body } = await call('POST', '', { name: ' Greet-Me ', script: 1 });

    expect(status).toBe(201);
    expect(body).toEqual({
      name: 'greet-me',
      description: '',
      public: false,
      script: 1,
      public_link: newKey,
      links: linksOf('greet-me', body.public_link),
    });
    expect((await call('GET', 'GREET-me/')).body).toEqual(body);
    expect((await call('GET', '')).body).toEqual({ next: null, prev: null, objects: [body] });
  });

  it('is created with all of its fields, by a form', async () => {
    const sent = { name: 'a', script: '1', description: 'd', public: 'true', public_link: 'mine' };

    const { body } = await call('POST', '', new URLSearchParams(sent));

    expect(body).toMatchObject({ name: 'a', script: 1, description: 'd', public: true });
    expect(body.public_link).toEqual(newKey);
  });

  it('has a unique link', async () => {
    const links = [await make('a'), await make('b')].map((made) => made.public_link);
    await call('DELETE', 'a/');
    links.push((await make('a')).public_link);

    expect(new Set(links).size).toBe(3);
  });

  it('is changed in part by PATCH; PUT requires the script and keeps the rest', async () => {
    const made = await make('a', { description: 'd', public: true });
    await makeScript();

    const patched = await call('PATCH', 'a/', { name: 'b', public: false });
    const replaced = await call('PUT', 'a/', { name: 'c', script: 2, public_link: 'x' });
    const refused = await call('PUT', 'a/', { public: true });

    expect(patched.body).toEqual({ ...made, public: false });
    const links = linksOf('a', made.public_link, 2);
    expect(replaced.body).toEqual({ ...made, public: false, script: 2, links });
    expect([refused.status, refused.body]).toEqual([400, { script: required }]);
    expect((await call('GET', 'a/')).body).toEqual(replaced.body);
  });

  it('is deleted, and its name is free', async () => {
    await make('a', { description: 'old' });

    const removed = await call('DELETE', 'a/');

    expect([removed.status, removed.body]).toEqual([204, '']);
    for (const [method, path] of [
      ['GET', 'a/'],
      ['GET', 'a/run/'],
      ['POST', 'a/reset_link/'],
    ] as const) {
      expect([path, (await call(method, path)).body]).toEqual([path, missing]);
    }
    const traces = await call('GET', 'a/traces/');
    expect(traces.body).toEqual({ detail: 'Script Endpoint was not found.' });
    expect((await call('GET', '')).body.objects).toEqual([]);
    expect((await make('a')).description).toBe('');
  });

  it('is a webhook of a codebox in version 1', async ({ api }) => {
    const path = `/v1/instances/${world.instance}/webhooks/`;
    const as = world.owner;

    const { body } = await api.send({ as, path, body: { name: 'a', codebox: 1 } });
    const wrong = await api.send({ as, path, body: { name: 'b', codebox: 7 } });
    const moved = await api.send({ as, path: `${path}a/`, method: 'PUT', body: { codebox: 1 } });

    const self = `${path}a/`;
    expect(body).toEqual({
      name: 'a',
      description: '',
      public: false,
      codebox: 1,
      public_link: newKey,
      links: {
        self,
        run: `${self}run/`,
        'reset-link': `${self}reset_link/`,
        codebox: `/v1/instances/${world.instance}/codeboxes/1/`,
        'public-link': `/v1/instances/${world.instance}/webhooks/p/${body.public_link}/`,
        traces: `${self}traces/`,
      },
    });
    expect(wrong.body).toEqual({ codebox: noPk(7) });
    expect(moved.body).toEqual(body);
    expect((await call('GET', 'a/')).body.script).toBe(1);
  });
});

describe('a public link', () => {
  it('is another one after a reset, without any other change', async () => {
    const made = await make('a', { public: true });

    const { status, body } = await call('POST', 'a/reset_link/');

    expect(status).toBe(200);
    expect(body.public_link).toEqual(newKey);
    expect(body.public_link).not.toBe(made.public_link);
    expect(body).toEqual({
      ...made,
      public_link: body.public_link,
      links: linksOf('a', body.public_link),
    });
    expect((await call('GET', 'a/')).body).toEqual(body);
  });
});

describe('rejected values', () => {
  const start = 'Value has to start with a letter.';
  const end = 'Value has to end with a letter or a number.';
  const characters = 'Enter a valid value consisting of letters, numbers, underscores, hyphens.';
  const long = 'Ensure this value has at most 64 characters (it has 66).';
  const rows: readonly [field: string, value: unknown, messages: readonly string[]][] = [
    ['name', undefined, required],
    ['name', '', ['This field may not be blank.']],
    ['name', `-${'a b'.repeat(21)}_-`, [start, end, long, characters]],
    ['description', 'a'.repeat(257), tooLong(256)],
    ['script', undefined, required],
    ['script', null, isNull],
    ['script', 7, noPk(7)],
    ['script', 'x', ['Incorrect type. Expected pk value, received str.']],
  ];

  it.each(rows)('%s of %j', async (field, value, messages) => {
    const { status, body } = await call('POST', '', { name: 'a', script: 1, [field]: value });

    expect([status, body]).toEqual([400, { [field]: messages }]);
    expect((await call('GET', '')).body.objects).toEqual([]);
  });

  it('all errors are reported together, except for a taken name', async () => {
    await make('a');

    const wrong = await call('POST', '', { name: 'a', script: 7, public: 'x' });
    const again = await call('POST', '', { name: 'A', script: 1 });

    expect(Object.keys(wrong.body).sort()).toEqual(['public', 'script']);
    expect([again.status, again.body]).toEqual([400, { name: taken }]);
  });

  it('of two at the same time with one name one is created', async () => {
    const answers = await Promise.all(
      ['a', 'A'].map((name) => call('POST', '', { name, script: 1 })),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect((await call('GET', '')).body.objects).toHaveLength(1);
  });
});

describe('a rename', () => {
  it('keeps everything except name and links, the public link too', async () => {
    const made = await make('a', { description: 'd', public: true });

    const { status, body } = await call('POST', 'a/rename/', { new_name: ' B ' });

    expect([status, body]).toEqual([
      200,
      { ...made, name: 'b', links: linksOf('b', made.public_link) },
    ]);
    expect((await call('GET', 'a/')).status).toBe(404);
    expect((await call('GET', '')).body.objects).toEqual([body]);
  });

  it.each<[body: unknown, message: string]>([
    [{}, 'This field may not be null.'],
    [{ new_name: 'B' }, 'This field must be unique.'],
    [{ new_name: '1b' }, 'Value has to start with a letter.'],
  ])('with %j is rejected', async (body, message) => {
    await make('a');
    await make('b');

    const refused = await call('POST', 'a/rename/', body);

    expect([refused.status, refused.body]).toEqual([400, { new_name: [message] }]);
  });
});

describe('with its script', () => {
  it('it is deleted at once, and its name is free', async () => {
    const { public_link } = await make('a', { public: true });
    await makeScript();
    const other = await make('b', { script: 2 });

    expected(await world.call(world.owner, 'DELETE', 'snippets/scripts/1/'), 204);

    const statuses = await Promise.all([
      ...['a/', 'a/run/', 'a/traces/', `p/${public_link}/`].map((path) => call('GET', path)),
      ...['a/reset_link/', 'a/run/'].map((path) => call('POST', path)),
      call('PATCH', 'a/', {}),
      call('DELETE', 'a/'),
      call('POST', 'a/rename/', { new_name: 'c' }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual(statuses.map(() => 404));
    expect((await call('GET', '')).body.objects).toEqual([other]);
    const again = expected(await call('POST', '', { name: 'a', script: 2 }), 201);
    expect((await call('GET', '')).body.objects).toEqual([other, again]);
  });

  it('it is deleted with its runs, and a new one with its name stays', async ({ api }) => {
    await make('a');
    await make('b');
    expected(await call('GET', 'a/run/'), 200);
    expected(await call('GET', 'b/run/'), 200);
    await makeScript();
    expected(await world.call(world.owner, 'DELETE', 'snippets/scripts/1/'), 204);
    const again = expected(await call('POST', '', { name: 'a', script: 2 }), 201);

    await api.platform.idle();

    expect((await call('GET', '')).body.objects).toEqual([again]);
    expect((await call('GET', 'a/')).body).toEqual(again);
    expect(await kept()).toEqual(['SCRIPTENDPOINT#a', 'SCRIPTENDPOINTROW#0000000003']);
  });

  it('deleted separately, its runs are deleted too', async ({ api }) => {
    await make('a');
    expected(await call('GET', 'a/run/'), 200);

    expected(await call('DELETE', 'a/'), 204);
    await api.platform.idle();

    expect(await kept()).toEqual([]);
  });

  /** Returns the stored records of endpoints and their runs. */
  async function kept(): Promise<readonly string[]> {
    const found = Object.keys(
      await store.dump((pk) => pk.startsWith(`INSTANCE#${dataIdOf(count)}`)),
    );
    const isOfEndpoints = (key: string) => /SCRIPTENDPOINT|#TRACES#endpoint/.test(key);
    return found.filter(isOfEndpoints).map((key) => key.replace(/^.* /, ''));
  }
});

it('the list is paged in the order of creation, and filtered by name prefix', async ({ api }) => {
  for (const name of ['e', 'd', 'c', 'db', 'a']) await make(name);
  await call('DELETE', 'c/');

  const first = await call('GET', '?page_size=2');
  const second = await api.send({ as: world.owner, path: first.body.next });
  const backwards = await call('GET', '?ordering=desc');
  const filtered = await call('GET', '?name__startswith=d');

  const pages = [first, second, backwards, filtered].map((page) => column(page, 'name').join());
  expect(pages).toEqual(['e,d', 'db,a', 'a,db,d,e', 'd,db']);
});
