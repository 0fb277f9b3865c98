import { describe, expect } from 'vitest';
import { expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
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
import { instanceId } from '../support/stored-records.ts';
import { type WatchedStore, watch } from '../support/watched-store.ts';

/** The records of script endpoints; their runs are in script-endpoint-runs.test.ts. */

const it = newWorldTest('blog', { wrap: watch }).extend('blog', ({ world }) => setUp(world));

describe('a script endpoint', () => {
  it('is created with a name and a script', async ({ blog }) => {
    const { status, body } = await blog.ask('POST', '', { name: ' Greet-Me ', script: 1 });

    expect(status).toBe(201);
    expect(body).toEqual({
      name: 'greet-me',
      description: '',
      public: false,
      script: 1,
      public_link: newKey,
      links: blog.linksOf('greet-me', body.public_link),
    });
    expect((await blog.ask('GET', 'GREET-me/')).body).toEqual(body);
    expect((await blog.ask('GET', '')).body).toEqual({ next: null, prev: null, objects: [body] });
  });

  it('is created with all of its fields, by a form', async ({ blog }) => {
    const sent = { name: 'a', script: '1', description: 'd', public: 'true', public_link: 'mine' };

    const { body } = await blog.ask('POST', '', new URLSearchParams(sent));

    expect(body).toMatchObject({ name: 'a', script: 1, description: 'd', public: true });
    expect(body.public_link).toEqual(newKey);
  });

  it('has a unique link', async ({ blog }) => {
    const links = [await blog.make('a'), await blog.make('b')].map((made) => made.public_link);
    await blog.ask('DELETE', 'a/');
    links.push((await blog.make('a')).public_link);

    expect(new Set(links).size).toBe(3);
  });

  it('is changed in part by PATCH; PUT requires the script and keeps the rest', async ({
    blog,
  }) => {
    const made = await blog.make('a', { description: 'd', public: true });
    await blog.makeScript();

    const patched = await blog.ask('PATCH', 'a/', { name: 'b', public: false });
    const replaced = await blog.ask('PUT', 'a/', { name: 'c', script: 2, public_link: 'x' });
    const refused = await blog.ask('PUT', 'a/', { public: true });

    expect(patched.body).toEqual({ ...made, public: false });
    const links = blog.linksOf('a', made.public_link, 2);
    expect(replaced.body).toEqual({ ...made, public: false, script: 2, links });
    expect([refused.status, refused.body]).toEqual([400, { script: required }]);
    expect((await blog.ask('GET', 'a/')).body).toEqual(replaced.body);
  });

  it('is deleted, and its name is free', async ({ blog }) => {
    await blog.make('a', { description: 'old' });

    const removed = await blog.ask('DELETE', 'a/');

    expect([removed.status, removed.body]).toEqual([204, '']);
    for (const [method, path] of [
      ['GET', 'a/'],
      ['GET', 'a/run/'],
      ['POST', 'a/reset_link/'],
    ] as const) {
      expect([path, (await blog.ask(method, path)).body]).toEqual([path, missing]);
    }
    const traces = await blog.ask('GET', 'a/traces/');
    expect(traces.body).toEqual({ detail: 'Script Endpoint was not found.' });
    expect((await blog.ask('GET', '')).body.objects).toEqual([]);
    expect((await blog.make('a')).description).toBe('');
  });

  it('is a webhook of a codebox in version 1', async ({ api, blog }) => {
    const path = `/v1/instances/${blog.instance}/webhooks/`;
    const as = blog.owner;

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
        codebox: `/v1/instances/${blog.instance}/codeboxes/1/`,
        'public-link': `/v1/instances/${blog.instance}/webhooks/p/${body.public_link}/`,
        traces: `${self}traces/`,
      },
    });
    expect(wrong.body).toEqual({ codebox: noPk(7) });
    expect(moved.body).toEqual(body);
    expect((await blog.ask('GET', 'a/')).body.script).toBe(1);
  });
});

describe('a public link', () => {
  it('is another one after a reset, without any other change', async ({ blog }) => {
    const made = await blog.make('a', { public: true });

    const { status, body } = await blog.ask('POST', 'a/reset_link/');

    expect(status).toBe(200);
    expect(body.public_link).toEqual(newKey);
    expect(body.public_link).not.toBe(made.public_link);
    expect(body).toEqual({
      ...made,
      public_link: body.public_link,
      links: blog.linksOf('a', body.public_link),
    });
    expect((await blog.ask('GET', 'a/')).body).toEqual(body);
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

  it.for(rows)('%s of %j', async ([field, value, messages], { blog }) => {
    const { status, body } = await blog.ask('POST', '', { name: 'a', script: 1, [field]: value });

    expect([status, body]).toEqual([400, { [field]: messages }]);
    expect((await blog.ask('GET', '')).body.objects).toEqual([]);
  });

  it('all errors are reported together, except for a taken name', async ({ blog }) => {
    await blog.make('a');

    const wrong = await blog.ask('POST', '', { name: 'a', script: 7, public: 'x' });
    const again = await blog.ask('POST', '', { name: 'A', script: 1 });

    expect(Object.keys(wrong.body).sort()).toEqual(['public', 'script']);
    expect([again.status, again.body]).toEqual([400, { name: taken }]);
  });

  it('of two at the same time with one name one is created', async ({ blog }) => {
    const responses = await Promise.all(
      ['a', 'A'].map((name) => blog.ask('POST', '', { name, script: 1 })),
    );

    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect((await blog.ask('GET', '')).body.objects).toHaveLength(1);
  });
});

describe('a rename', () => {
  it('keeps everything except name and links, the public link too', async ({ blog }) => {
    const made = await blog.make('a', { description: 'd', public: true });

    const { status, body } = await blog.ask('POST', 'a/rename/', { new_name: ' B ' });

    expect([status, body]).toEqual([
      200,
      { ...made, name: 'b', links: blog.linksOf('b', made.public_link) },
    ]);
    expect((await blog.ask('GET', 'a/')).status).toBe(404);
    expect((await blog.ask('GET', '')).body.objects).toEqual([body]);
  });

  it.for<[body: unknown, message: string]>([
    [{}, 'This field may not be null.'],
    [{ new_name: 'B' }, 'This field must be unique.'],
    [{ new_name: '1b' }, 'Value has to start with a letter.'],
  ])('with %j is rejected', async ([body, message], { blog }) => {
    await blog.make('a');
    await blog.make('b');

    const refused = await blog.ask('POST', 'a/rename/', body);

    expect([refused.status, refused.body]).toEqual([400, { new_name: [message] }]);
  });
});

describe('with its script', () => {
  it('it is deleted at once, and its name is free', async ({ blog }) => {
    const { public_link } = await blog.make('a', { public: true });
    await blog.makeScript();
    const other = await blog.make('b', { script: 2 });

    expected(await blog.own('DELETE', 'snippets/scripts/1/'), 204);

    const statuses = await Promise.all([
      ...['a/', 'a/run/', 'a/traces/', `p/${public_link}/`].map((path) => blog.ask('GET', path)),
      ...['a/reset_link/', 'a/run/'].map((path) => blog.ask('POST', path)),
      blog.ask('PATCH', 'a/', {}),
      blog.ask('DELETE', 'a/'),
      blog.ask('POST', 'a/rename/', { new_name: 'c' }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual(statuses.map(() => 404));
    expect((await blog.ask('GET', '')).body.objects).toEqual([other]);
    const again = expected(await blog.ask('POST', '', { name: 'a', script: 2 }), 201);
    expect((await blog.ask('GET', '')).body.objects).toEqual([other, again]);
  });

  it('it is deleted with its runs, and a new one with its name stays', async ({
    api,
    store,
    blog,
  }) => {
    await blog.make('a');
    await blog.make('b');
    expected(await blog.ask('GET', 'a/run/'), 200);
    expected(await blog.ask('GET', 'b/run/'), 200);
    await blog.makeScript();
    expected(await blog.own('DELETE', 'snippets/scripts/1/'), 204);
    const again = expected(await blog.ask('POST', '', { name: 'a', script: 2 }), 201);

    await api.platform.idle();

    expect((await blog.ask('GET', '')).body.objects).toEqual([again]);
    expect((await blog.ask('GET', 'a/')).body).toEqual(again);
    expect(await kept(store, blog)).toEqual(['SCRIPTENDPOINT#a', 'SCRIPTENDPOINTROW#0000000003']);
  });

  it('deleted separately, its runs are deleted too', async ({ api, store, blog }) => {
    await blog.make('a');
    expected(await blog.ask('GET', 'a/run/'), 200);

    expected(await blog.ask('DELETE', 'a/'), 204);
    await api.platform.idle();

    expect(await kept(store, blog)).toEqual([]);
  });
});

it('the list is paged in the order of creation, and filtered by name prefix', async ({
  api,
  blog,
}) => {
  for (const name of ['e', 'd', 'c', 'db', 'a']) await blog.make(name);
  await blog.ask('DELETE', 'c/');

  const first = await blog.ask('GET', '?page_size=2');
  const second = await api.send({ as: blog.owner, path: first.body.next });
  const backwards = await blog.ask('GET', '?ordering=desc');
  const filtered = await blog.ask('GET', '?name__startswith=d');

  const pages = [first, second, backwards, filtered].map((page) => column(page, 'name').join());
  expect(pages).toEqual(['e,d', 'db,a', 'a,db,d,e', 'd,db']);
});

/** Makes a script, and adds to an instance the requests of endpoints. */
async function setUp(world: World) {
  const { base, own } = world;
  const ask = (method: string, path: string, body?: unknown) =>
    own(method, `endpoints/scripts/${path}`, body);
  const source = { runtime_name: 'nodejs_v6', source: 'console.log("ran")' };
  const makeScript = () => world.create('snippets/scripts/', source);
  await makeScript();
  return {
    ...world,
    ask,
    makeScript,
    make: async (name: string, more: object = {}) =>
      expected(await ask('POST', '', { name, script: 1, ...more }), 201),
    linksOf: (name: string, publicLink: string, script = 1) => {
      const self = `${base}endpoints/scripts/${name}/`;
      return {
        self,
        run: `${self}run/`,
        'reset-link': `${self}reset_link/`,
        script: `${base}snippets/scripts/${script}/`,
        'public-link': `${base}sockets/endpoints/scripts/p/${publicLink}/`,
        traces: `${self}traces/`,
      };
    },
  };
}

/** Returns the stored records of endpoints and their runs. */
async function kept(store: WatchedStore, { instance }: World): Promise<readonly string[]> {
  const scope = await instanceId(store, instance);
  const found = Object.keys(await store.dump((pk) => pk.startsWith(`INSTANCE#${scope}`)));
  const isOfEndpoints = (key: string) => /SCRIPTENDPOINT|#TRACES#endpoint/.test(key);
  return found.filter(isOfEndpoints).map((key) => key.replace(/^.* /, ''));
}
