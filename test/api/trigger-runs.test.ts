import { describe, expect } from 'vitest';
import { expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { makeScript, makeTrigger, printedBy, printInputs } from '../support/triggers.ts';

/** Which changes run scripts, and what the scripts get. Order and bounds are in trigger-order.test.ts. */

/** A token is `<id> <e-mail>`. */
const social = async (token: string) => {
  const [id = '', email] = token.split(' ');
  return { id, email, first_name: '', last_name: '' };
};

const it = newWorldTest('shop', { social: { facebook: social, github: social } }).extend(
  'given',
  { auto: true },
  ({ world }) => setUp(world),
);

describe('a script gets', () => {
  it('a new object, as responses have it', async ({ api, world }) => {
    const trigger = await makeTrigger(world, { signal: 'create' });
    const { id } = await makeBook(world);

    const made = await makeBook(world, { title: 'b', next: id, at: '2024-05-01T09:00:00.5Z' });

    expect(made.next).toEqual({ type: 'reference', target: 'self', value: id });
    expect((await printedBy(world, trigger)).at(-1)).toEqual([
      inArguments(made),
      {
        executed_by: 'trigger',
        executor: trigger,
        event: { source: 'dataobject', class: 'book' },
        signal: 'create',
        changes: null,
        instance: world.instance,
        api_url: api.url,
        api_host: new URL(api.url).host,
        async: 0,
      },
    ]);
  });

  it('an object after its update, with the names of changed fields', async ({ api, world }) => {
    const trigger = await makeTrigger(world, { signal: 'update' });
    const { links } = await makeBook(world, { title: 'a', pages: 1 });
    const body = { title: 'b', pages: 1, other_permissions: 'read' };

    const changed = expected(
      await api.send({ as: world.owner, path: links.self, body, method: 'PATCH' }),
      200,
    );

    const [[args, meta] = []] = await printedBy(world, trigger);
    expect(args).toEqual(inArguments(changed));
    expect(meta).toMatchObject({ executor: trigger, signal: 'update' });
    expect([...meta.changes].sort()).toEqual([
      'other_permissions',
      'revision',
      'title',
      'updated_at',
    ]);
  });

  it('an object that an update left as it was, without names', async ({ api, world }) => {
    const trigger = await makeTrigger(world, { signal: 'update' });
    const { links, ...made } = await makeBook(world);

    for (const body of [{}, { title: 'a' }]) {
      expected(await api.send({ as: world.owner, path: links.self, body, method: 'PATCH' }), 200);
    }

    const printed = await printedBy(world, trigger);
    expect(printed.map(([args, meta]) => [args, meta.changes])).toEqual([
      [made, []],
      [made, []],
    ]);
  });

  it('the last state of a deleted object', async ({ api, world }) => {
    const trigger = await makeTrigger(world, { signal: 'delete' });
    const { links, ...made } = await makeBook(world);

    expected(await api.send({ as: world.owner, path: links.self, method: 'DELETE' }), 204);

    const [[args, meta] = []] = await printedBy(world, trigger);
    expect(args).toEqual(made);
    expect([meta.signal, meta.changes]).toEqual(['delete', null]);
  });

  it('a large object, in each of several runs', async ({ world }) => {
    await world.dataClass('page', [{ name: 'text', type: 'text' }]);
    const made = [1, 2, 3].map(() => makeTrigger(world, { signal: 'create', class: 'page' }));
    const triggers = await Promise.all(made);
    const body = { text: '"'.repeat(30_000) }; // 60 KB as JSON: in a file

    expected(await call(world, 'POST', 'classes/page/objects/', body), 201);

    for (const trigger of triggers) {
      expect(await printedBy(world, trigger)).toMatchObject([[body, { executor: trigger }]]);
    }
  });
});

describe('triggers see', () => {
  it.for([
    ['an account key', async (world: World) => world.owner],
    ['an API key', (world: World) => world.apiKey()],
    ['an API key that ignores permissions', (world: World) => world.apiKey({ ignore_acl: true })],
  ] as const)('changes by %s', async ([_, key], { world }) => {
    await watchAll(world);
    const as = await key(world);
    const { id } = await makeBook(world, { title: 'a', other_permissions: 'full' }, as);

    for (const method of ['PATCH', 'PUT', 'POST']) {
      const body = { title: method, other_permissions: 'full' };
      expected(await call(world, method, `classes/book/objects/${id}/`, body, as), 200);
    }
    expected(await call(world, 'DELETE', `classes/book/objects/${id}/`, undefined, as), 204);

    expect(await signals(world)).toEqual(['create', 'update', 'update', 'update', 'delete']);
  });

  it('each change of a batch, in its order', async ({ world }) => {
    await watchAll(world);
    const { id } = await makeBook(world);
    const path = `${world.base}classes/book/objects/`;
    const requests = [
      { method: 'POST', path, body: { title: 'b' } },
      ...[1, 2, 3].map((pages) => ({ method: 'PATCH', path: `${path}${id}/`, body: { pages } })),
      { method: 'DELETE', path: `${path}${id}/` },
    ];

    const responses = expected(await call(world, 'POST', 'batch/', { requests }), 200);

    expect(responses.map(({ code }: { code: number }) => code)).toEqual([201, 200, 200, 200, 204]);
    const found = await all(world);
    expect(found.map(({ signal, args }) => [signal, args.pages])).toEqual([
      ['create', null],
      ['create', null],
      ['update', 1],
      ['update', 2],
      ['update', 3],
      ['delete', 3],
    ]);
  });

  it('objects that a data endpoint creates', async ({ world }) => {
    await watchAll(world);
    expected(await call(world, 'POST', 'endpoints/data/', { name: 'books', class: 'book' }), 201);

    expected(await call(world, 'POST', 'endpoints/data/books/post/', { title: 'b' }), 201);

    expect(await all(world)).toMatchObject([{ signal: 'create', args: { title: 'b' } }]);
  });

  it('changes by a script with a token', async ({ api, world }) => {
    await watchAll(world);
    const source = `
      fetch(META.api_url + '/v1.1/instances/' + META.instance + '/classes/book/objects/', {
        method: 'POST',
        headers: { 'X-API-KEY': META.token, 'Content-Type': 'application/json' },
        body: JSON.stringify({ title: 'by a script' }),
      }).then((answer) => console.log(answer.status));`;
    const script = await makeScript(world, source, { allow_full_access: true });
    expected(await call(world, 'POST', `snippets/scripts/${script}/run/`), 200);

    await api.platform.idle();

    expect(await all(world)).toMatchObject([{ signal: 'create', args: { title: 'by a script' } }]);
  });

  it('users, by their profiles', async ({ world }) => {
    await watchAll(world, 'user_profile');
    const user = { username: 'ann', password: 'p' };
    const { id, profile } = expected(await call(world, 'POST', 'users/', user), 201);
    const changes = [
      { username: 'bea' },
      { password: 'q' },
      { profile: { group_permissions: 'read' } },
      {},
    ];

    for (const body of changes) expected(await call(world, 'PATCH', `users/${id}/`, body), 200);
    expected(await call(world, 'DELETE', `users/${id}/`), 204);

    const found = await all(world);
    expect(found.map(({ signal, args, meta }) => [signal, args.id, meta.changes?.length])).toEqual([
      ['create', profile.id, undefined],
      ['update', profile.id, 0],
      ['update', profile.id, 0],
      ['update', profile.id, 3],
      ['update', profile.id, 0],
      ['delete', profile.id, undefined],
    ]);
    expect(found[0]?.args).toEqual(inArguments(profile));
    expect(found[0]?.meta.event).toEqual({ source: 'dataobject', class: 'user_profile' });
  });

  it.skipIf(isOn('roles'))('the first log-in of a user by another service', async ({ world }) => {
    await watchAll(world, 'user_profile');
    const key = await world.apiKey({ allow_user_create: true });
    const logIn = () =>
      call(world, 'POST', 'user/auth/facebook/', { access_token: 'a1 ann@example.com' }, key);

    const { profile } = expected(await logIn(), 200);
    expected(await logIn(), 200);

    expect(await all(world)).toMatchObject([{ signal: 'create', args: { id: profile.id } }]);
  });
});

describe('triggers do not see', () => {
  it('failed requests', async ({ world }) => {
    await watchAll(world);
    const { id } = await makeBook(world);
    const path = `classes/book/objects/${id}/`;

    expected(await call(world, 'PATCH', path, { pages: 'x' }), 400);
    expected(await call(world, 'PATCH', path, { title: 'b', expected_revision: 7 }), 400);
    expected(await call(world, 'DELETE', path, undefined, await world.apiKey()), 404);
    expected(await call(world, 'POST', 'classes/book/objects/', { pages: 'x' }), 400);

    expect(await signals(world)).toEqual(['create']);
  });

  it('other classes', async ({ world }) => {
    await watchAll(world);
    await world.dataClass('page', []);

    expected(await call(world, 'POST', 'classes/page/objects/', {}), 201);

    expect(await signals(world)).toEqual([]);
  });

  it('objects that are deleted with their class', async ({ api, world }) => {
    await watchAll(world);
    await makeBook(world);
    expect(await signals(world)).toEqual(['create']);

    expected(await call(world, 'DELETE', 'classes/book/'), 204);
    await api.platform.idle();
    await world.dataClass('book', []);
    await makeBook(world, {});

    expect((await call(world, 'GET', 'triggers/')).body.objects).toEqual([]);
    expect((await call(world, 'GET', 'triggers/3/traces/')).status).toBe(404);
  });

  it('objects that are deleted or changed with their owner, and back-fills', async ({
    api,
    world,
  }) => {
    await watchAll(world);
    const key = await world.apiKey();
    const user = { username: 'ann', password: 'p' };
    const { id, user_key } = expected(await call(world, 'POST', 'users/', user), 201);
    const own = { key, user: user_key };
    expected(await world.call(own, 'POST', 'classes/book/objects/', {}), 201);
    const made = await makeBook(world, { owner: id });
    const schema = [{ name: 'title', type: 'string', order_index: true }];

    expected(await call(world, 'DELETE', `users/${id}/`), 204);
    expected(await call(world, 'PATCH', 'classes/book/', { schema }), 200);
    await world.ready('book');

    const path = `classes/book/objects/${made.id}/`;
    while ((await call(world, 'GET', path)).status !== 404) await api.platform.idle();
    expect(new Set(await signals(world))).toEqual(new Set(['create']));
  });

  it('changes of the own user, of groups and memberships', async ({ world }) => {
    await watchAll(world, 'user_profile');
    const key = await world.apiKey();
    const user = { username: 'ann', password: 'p' };
    const { id, user_key } = expected(await call(world, 'POST', 'users/', user), 201);
    const group = expected(await call(world, 'POST', 'groups/', { label: 'g' }), 201);

    const changed = { username: 'bea', profile: { other_permissions: 'read' } };
    expected(await world.call({ key, user: user_key }, 'PATCH', 'user/', changed), 200);
    expected(await call(world, 'POST', `groups/${group.id}/users/`, { user: id }), 201);

    expect(await signals(world)).toEqual(['create']);
  });

  it('changes before they exist, and after they were deleted or moved', async ({ world }) => {
    await world.dataClass('page', []);
    await makeBook(world);
    const [first, second] = [
      await makeTrigger(world, { signal: 'create' }),
      await makeTrigger(world, { signal: 'create' }),
    ];
    await makeBook(world, { title: 'seen' });
    expect(await printedBy(world, first)).toMatchObject([[{ title: 'seen' }, {}]]);

    expected(await call(world, 'DELETE', `triggers/${first}/`), 204);
    expected(await call(world, 'PATCH', `triggers/${second}/`, { class: 'page' }), 200);
    await makeBook(world);
    expected(await call(world, 'PATCH', `triggers/${second}/`, { signal: 'post_update' }), 200);
    expected(await call(world, 'POST', 'classes/page/objects/', {}), 201);
    expected(
      await call(world, 'PATCH', `triggers/${second}/`, { class: 'book', signal: 'post_create' }),
      200,
    );
    await makeBook(world, { title: 'back' });

    const found = await printedBy(world, second);
    expect(found.map(([args]) => args.title)).toEqual(['seen', 'back']);
  });
});

async function setUp(world: World) {
  await world.dataClass('book', [
    { name: 'title', type: 'string' },
    { name: 'pages', type: 'integer' },
    { name: 'next', type: 'reference', target: 'self' },
    { name: 'at', type: 'datetime' },
  ]);
  await makeScript(world, printInputs);
}

const call = (world: World, method: string, path: string, body?: unknown, as = world.owner) =>
  world.call(as, method, path, body);

async function makeBook(world: World, body: object = { title: 'a' }, as?: string) {
  return expected(await call(world, 'POST', 'classes/book/objects/', body, as), 201);
}

/** Creates triggers for all signals of a class. */
async function watchAll(world: World, className = 'book'): Promise<void> {
  for (const signal of ['create', 'update', 'delete']) {
    await makeTrigger(world, { signal, class: className });
  }
}

/** Returns the signals and arguments of all runs, those of creates first. */
async function all(world: World) {
  const printed = await Promise.all([1, 2, 3].map((trigger) => printedBy(world, trigger)));
  return printed.flat().map(([args, meta]) => ({ signal: meta.signal, args, meta }));
}

const signals = async (world: World) => (await all(world)).map(({ signal }) => signal);

/** Removes what ARGS does not have. */
function inArguments({ links: _, ...shown }: object & { readonly links: unknown }) {
  return shown;
}
