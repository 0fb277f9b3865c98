import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import type { LogEntry } from '../../shared/ports/ports.ts';
import { type Api, openWorld, plantUser, startApi } from '../support/api.ts';
import {
  type Client,
  connect,
  connectOwner,
  errorOf,
  fieldsOf,
  run,
} from '../support/client-calls.ts';
import { apiTest } from '../support/fixtures.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { time } from '../support/responses.ts';

/*
 * The client library of the original service, unmodified, against the local server: one block for each of its models.
 * The results are those of existing programs that use it.
 */

const notAllowed = 'You do not have permission to perform this action.';

const it = apiTest({ settings: { maxInstances: 100 } })
  // a connection with an account key, whose requests are sent to `blog-1` by default
  .extend('client', { scope: 'file', auto: true }, ({ api }) => connectOwner(api))
  .extend('founder', { scope: 'file' }, ({ api }) => connectNew(api, 'instances@example.org'))
  .extend('lister', { scope: 'file' }, ({ api }) => openPages(api))
  .extend('chapters', { scope: 'file' }, ({ client }) => writeChapters(client))
  .extend('films', { scope: 'file' }, ({ client }) => makeFilms(client))
  .extend('newUser', { scope: 'file' }, ({ client }) => userFactory(client))
  .extend('newEndpoint', { scope: 'file' }, ({ client }) => openEndpoints(client));

describe('a client that exceeds the rate limit', () => {
  it('waits as long as required, and retries by itself', async () => {
    const clock = openMovedClock();
    let hurried = 0;
    const log = (entry: LogEntry) => {
      if (entry.status !== 429) return;
      hurried += 1;
      clock.forward(1); // the second that the client waits for
    };
    const busy = await startApi({ clock, settings: { instanceRate: 60 }, log });
    onTestFinished(() => busy.close());
    const { owner: accountKey, instance: instanceName } = await openWorld(busy);
    const eager = connect(busy.url, { accountKey, defaults: { instanceName } });
    for (let n = 0; n < 60; n += 1) await run(eager.Class.please().list());

    const began = performance.now();
    const classes = await run(eager.Class.please().list());
    const waitedMs = performance.now() - began;

    expect([names(classes), hurried]).toEqual([['user_profile'], 1]);
    expect(waitedMs).toBeGreaterThan(900); // the required wait is one second
  });
});

describe('connection', () => {
  it('sends requests to its base URL only', async ({ api, client }) => {
    const moved = connect('http://nowhere.invalid', { accountKey: client.getAccountKey() });
    moved.setBaseUrl(api.url);

    const instances = await run(moved.Instance.please().list());

    expect(moved.getBaseUrl()).toBe(api.url);
    expect(names(instances)).toContain('blog-1');
  });

  it('is rejected without a key, and with an invalid one', async ({ api }) => {
    const nobody = await errorOf(connect(api.url).Instance.please().list());
    const stranger = await errorOf(
      connect(api.url, { accountKey: 'abc' }).Instance.please().list(),
    );

    expect(nobody).toEqual(refused(403, notAllowed));
    expect(stranger).toEqual(refused(403, 'No such API Key.'));
  });

  it.for<[string, object]>([
    ['a social token', { socialToken: 'token-of-a-network' }],
    ['a user key', { userKey: 'key-of-a-user' }],
  ])('%s together with the account key changes nothing', async ([_, more], { api, client }) => {
    const both = connect(api.url, { accountKey: client.getAccountKey(), ...more });

    const account = await run(both.Account.getUserDetails());

    expect(account.email).toBe('owner-of-blog-1@example.com');
  });

  it('a social token alone does not authenticate', async ({ api }) => {
    const told = await errorOf(connect(api.url, { socialToken: 'x' }).Account.getUserDetails());

    expect(told).toEqual(refused(403, 'No such API Key.'));
  });

  it('uses the instance that it is set to', async ({ api, client }) => {
    const { defaults, accountKey } = client;
    const moved = connect(api.url, { accountKey, defaults: { ...defaults, instanceName: 'none' } });
    const before = await errorOf(moved.Class.please().list());

    moved.setInstanceName('blog-1');
    const after = await run(moved.Class.please().list());

    expect(before).toEqual(refused(404, 'Instance was not found.'));
    expect(names(after)).toContain('user_profile');
  });

  it('an API key replaces the account key', async ({ api, client }) => {
    const { apiKey } = await withApiKey(client);
    const both = connect(api.url, { apiKey, accountKey: client.getAccountKey() });

    const [instance] = await run(both.Instance.please().list());
    const account = await errorOf(both.Account.getUserDetails());

    expect(instance).toMatchObject({ name: 'blog-1', role: 'api_key' });
    expect(account).toEqual(refused(403, notAllowed));
  });

  it('`then` and `await` on a query set send the request', async ({ client }) => {
    const raw: Client = await new Promise((resolve) => {
      client.Instance.please()
        .list()
        .then((_: Client, body: Client) => resolve(body));
    });
    const awaited = await client.Instance.please().get({ name: 'blog-1' });

    expect(raw).toMatchObject({ next: null, prev: null });
    expect(awaited.name).toBe('blog-1');
  });

  it('`catch` receives a failure', async ({ client }) => {
    const status = await client.Instance.please()
      .get({ name: 'missing' })
      .then(() => 200)
      .catch((error: Client) => error.status);

    expect(status).toBe(404);
  });
});

describe('Monitor', () => {
  it('finds the server at its bare base URL', async ({ client }) => {
    const links = await run(client.Monitor.request());

    expect(links).toEqual({ links: { v1: '/v1/', 'v1.1': '/v1.1/' } });
  });

  it('reports when the server becomes reachable and unreachable', async () => {
    const server = await startApi();
    const { Monitor } = connect(server.url);
    Monitor.timeout = 5; // milliseconds between two requests
    const connected = heard(Monitor, 'connected');
    const disconnected = heard(Monitor, 'disconnected');

    Monitor.startMonitoring();
    await connected;
    await server.close();
    const error = await disconnected;
    Monitor.stopMonitoring();

    expect(error.code).toMatch(/^ECONN/); // refused, or reset during a request
  });
});

describe('Account', () => {
  const account = {
    id: expect.any(Number),
    email: '',
    first_name: '',
    last_name: '',
    is_active: false,
    has_password: true,
    metadata: {},
  };

  it('registers, logs in, and uses the key from then on', async ({ api }) => {
    const connection = connect(api.url);
    const { Account } = connection;
    const made = await run(
      Account.register({ email: 'Ann@Example.org', password: 'secret', first_name: 'Ann' }),
    );

    const logged = await run(Account.login({ email: 'ann@example.org', password: 'secret' }));
    const details = await run(Account.getUserDetails());

    const expected = { ...account, email: 'ann@example.org', first_name: 'Ann' };
    expect(made).toEqual({ ...expected, account_key: expect.stringMatching(/^[0-9a-f]+$/) });
    expect(logged).toEqual(made);
    expect(details).toEqual(expected);
    expect(connection.getAccountKey()).toBe(made.account_key);
  });

  it('logs in without changing the key of the connection', async ({ api }) => {
    const connection = await connectNew(api, 'bob@example.org');
    connection.setAccountKey(null);

    const { account_key } = await run(
      connection.Account.login({ email: 'bob@example.org', password: 'secret' }, false),
    );

    expect(account_key).toMatch(/^[0-9a-f]+$/);
    expect(connection.getAccountKey()).toBeNull();
  });

  it('changes names and metadata', async ({ api }) => {
    const { Account } = await connectNew(api, 'cleo@example.org');
    const changes = { email: 'cleo@example.org', last_name: 'Lee', metadata: { theme: 'dark' } };

    const changed = await run(Account.update(changes));
    const details = await run(Account.getUserDetails());

    expect(changed).toEqual({ ...account, ...changes });
    expect(details).toEqual(changed);
  });

  it('resets its key: the old one is invalid', async ({ api }) => {
    const connection = await connectNew(api, 'dan@example.org');
    const { Account } = connection;
    const old = connection.getAccountKey();

    const { account_key, email } = await run(Account.resetKey());
    const before = await errorOf(Account.getUserDetails());
    connection.setAccountKey(account_key);
    const after = await run(Account.getUserDetails());

    expect(account_key).not.toBe(old);
    expect(before).toEqual(refused(403, 'No such API Key.'));
    expect(after.email).toBe(email);
  });

  it('changes its password and keeps its key', async ({ api }) => {
    const { Account } = await connectNew(api, 'eve@example.org');
    const login = { email: 'eve@example.org' };

    const changed = await run(
      Account.changePassword({ current_password: 'secret', new_password: 'better' }),
    );
    const old = await errorOf(Account.login({ ...login, password: 'secret' }));
    const logged = await run(Account.login({ ...login, password: 'better' }, false));

    expect(changed).toEqual({});
    expect(old).toEqual(refused(401, 'Invalid password.'));
    expect(logged.account_key).toBe(Account.getConfig().getAccountKey());
  });

  it.for<[string, (account: Client) => Client, number, string]>([
    [
      'a registration without password',
      (a) => a.register({ email: 'x@example.org' }),
      400,
      '"password" This field is required.',
    ],
    [
      'a registration of a taken address',
      (a) => a.register({ email: 'OWNER-OF-blog-1@example.com', password: 'x' }),
      400,
      '"email" This field must be unique.',
    ],
    [
      'a log-in of nobody',
      (a) => a.login({ email: 'nobody@example.org', password: 'x' }),
      401,
      'Invalid email.',
    ],
    [
      'an update without address',
      (a) => a.update({ first_name: 'Ann' }),
      400,
      '"email" This field is required.',
    ],
    [
      'an update to no address',
      (a) => a.update({ email: 'nowhere' }),
      400,
      '"email" Enter a valid email address.',
    ],
    [
      'a change with a wrong password',
      (a) => a.changePassword({ current_password: 'x', new_password: 'y' }),
      400,
      '"current_password" Invalid password.',
    ],
    [
      'a first password where there is one',
      (a) => a.setPassword('x'),
      400,
      '"password" Admin already has password.',
    ],
  ])('%s is rejected', async ([_, call, status, message], { client }) => {
    const told = await errorOf(call(client.Account));

    expect(told).toEqual(refused(status, message));
  });
});

describe('Instance', () => {
  const make = (founder: Client, name: string, more = {}) =>
    run(founder.Instance.please().create({ name, ...more }));

  it('is created and read again', async ({ founder }) => {
    const made = await make(founder, 'Shop-1', { description: 'demo', metadata: { color: 'red' } });
    const read = await run(founder.Instance.please().get({ name: 'shop-1' }));

    expect(fieldsOf(made)).toEqual({
      name: 'shop-1',
      description: 'demo',
      role: 'full',
      location: 'local',
      owner: expect.objectContaining({ email: 'instances@example.org' }),
      metadata: { color: 'red' },
      links: expect.objectContaining({
        self: '/v1.1/instances/shop-1/',
        api_keys: '/v1.1/instances/shop-1/api_keys/',
        classes: '/v1.1/instances/shop-1/classes/',
      }),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(made.created_at).toBeInstanceOf(Date);
    expect(Math.abs(Date.now() - made.created_at.getTime())).toBeLessThan(60_000);
    expect(made.isNew()).toBe(false);
    expect(fieldsOf(read)).toEqual(fieldsOf(made));
  });

  it('a new model is created when it is saved, and updated when it is saved again', async ({
    founder,
  }) => {
    const model = founder.Instance({ name: 'saved-1' });

    const made = await run(model.save());
    made.description = 'second';
    made.metadata = { step: 2 };
    const saved = await run(made.save());

    expect(model.isNew()).toBe(true);
    expect(saved).toMatchObject({ description: 'second', metadata: { step: 2 } });
    expect(fieldsOf(saved).created_at).toEqual(fieldsOf(made).created_at);
  });

  it('is updated by name', async ({ founder }) => {
    await make(founder, 'updated-1', { metadata: { kept: 1 } });

    const updated = await run(
      founder.Instance.please().update({ name: 'updated-1' }, { description: 'new' }),
    );

    expect(updated).toMatchObject({ description: 'new', metadata: { kept: 1 } });
  });

  it('is found or created, and updated or created', async ({ founder }) => {
    const please = () => founder.Instance.please();

    const made = await run(please().getOrCreate({ name: 'either-1' }, { description: 'first' }));
    const had = await run(please().getOrCreate({ name: 'either-1' }, { description: 'second' }));
    const changed = await run(please().updateOrCreate({ name: 'either-1' }, { description: 'b' }));
    const other = await run(
      please().updateOrCreate({ name: 'either-2' }, { description: 'b' }, { description: 'c' }),
    );

    const all = [made, had, changed, other].map(({ description }) => description);
    expect(all).toEqual(['first', 'first', 'b', 'c']);
  });

  it('is renamed by its model and by name: the old name is free at once', async ({ founder }) => {
    const model = await make(founder, 'before-1');

    const first = await run(model.rename({ new_name: 'between-1' }));
    const second = await run(
      founder.Instance.please().rename({ name: 'between-1' }, { new_name: 'After-1' }),
    );
    const old = await errorOf(founder.Instance.please().get({ name: 'between-1' }));
    const same = await run(second.rename());

    expect(first.name).toBe('between-1');
    expect(fieldsOf(same)).toMatchObject({ name: 'after-1', links: second.links });
    expect(second.links.self).toBe('/v1.1/instances/after-1/');
    expect(old).toEqual(refused(404, 'Not found.'));
  });

  it('is deleted by its model and by name', async ({ founder }) => {
    const model = await make(founder, 'gone-1');
    await make(founder, 'gone-2');

    await run(model.delete());
    await run(founder.Instance.please().delete({ name: 'gone-2' }));
    const again = await errorOf(model.delete());
    const inside = await errorOf(model.classes().list());

    expect(again).toEqual(refused(404, 'Not found.'));
    expect(inside).toEqual(refused(404, 'Instance was not found.'));
  });

  it('links to its contents', async ({ founder }) => {
    const model = await make(founder, 'holder-1');
    await run(founder.ApiKey.please().create({ instanceName: 'holder-1', description: 'one' }));

    const keys = await run(model.apiKeys().list());
    const classes = await run(model.classes().list());

    expect(Array.from(keys, (key: Client) => key.description)).toEqual(['one']);
    expect(names(classes)).toEqual(['user_profile']);
  });

  it.for<[string, object, unknown]>([
    ['a taken name', { name: 'blog-1' }, '"name" This field must be unique.'],
    ['a reserved name', { name: 'admin' }, expect.stringContaining('Unable to use that value.')],
    ['a name with two hyphens', { name: 'a--bcd' }, '"name" Double hyphens are reserved.'],
    [
      'a long description',
      { name: 'wordy-1', description: 'x'.repeat(257) },
      '"description" Ensure this field has no more than 256 characters.',
    ],
  ])('%s is rejected', async ([_, attributes, message], { founder }) => {
    const told = await errorOf(founder.Instance.please().create(attributes));

    expect(told).toEqual({ ...refused(400, ''), message });
  });

  it('a name that is too short is rejected by the client itself', async ({ founder }) => {
    const told = await errorOf(founder.Instance.please().create({ name: 'abc' }));

    expect(told.name).toBe('ValidationError');
  });

  it('an instance of others is not found', async ({ founder }) => {
    const told = await errorOf(founder.Instance.please().get({ name: 'blog-1' }));
    const inside = await errorOf(founder.Class.please().list({ instanceName: 'blog-1' }));

    expect(told).toEqual(refused(404, 'Not found.'));
    expect(inside).toEqual(refused(403, notAllowed));
  });

  describe('lists', () => {
    it('are paged forth and back', async ({ lister }) => {
      const first = await run(lister.Instance.please().pageSize(2).list());
      const second = await run(first.next());
      const back = await run(second.prev());

      expect([first, second, back].map(names)).toEqual([
        ['page-1', 'page-2'],
        ['page-3'],
        ['page-1', 'page-2'],
      ]);
      expect([first.hasPrev(), first.hasNext(), second.hasNext()]).toEqual([false, true, false]);
    });

    it('are read from the last to the first', async ({ lister }) => {
      const first = await run(lister.Instance.please().ordering('desc').pageSize(2).list());
      const second = await run(first.next());

      expect([first, second].map(names)).toEqual([['page-3', 'page-2'], ['page-1']]);
    });

    it.for([1, 2, 3, 100])('are complete in pages of %i', async (pageSize, { lister }) => {
      const all = await everything(lister.Instance.please(), {}, pageSize);

      expect(names(all)).toEqual(['page-1', 'page-2', 'page-3']);
    });

    it('keep their filter by name from page to page', async ({ lister }) => {
      const filter = { name__startswith: 'page-' };
      await run(lister.Instance.please().create({ name: 'other-page' }));

      const all = await everything(lister.Instance.please(), {}, 1, filter);
      await run(lister.Instance.please().delete({ name: 'other-page' }));

      expect(names(all)).toEqual(['page-1', 'page-2', 'page-3']);
    });

    it('return the first, a choice of fields, and the raw response', async ({ lister }) => {
      const first = await run(lister.Instance.please().first());
      const chosen = await run(lister.Instance.please().list().fields(['name', 'role']).raw());
      const left = await run(lister.Instance.please().list().excludedFields(['owner']).raw());

      expect(first.name).toBe('page-1');
      expect(chosen).toEqual({
        next: null,
        prev: null,
        objects: ['page-1', 'page-2', 'page-3'].map((name) => ({ name, role: 'full' })),
      });
      expect(left.objects[0]).toHaveProperty('links');
      expect(left.objects[0]).not.toHaveProperty('owner');
    });
  });
});

describe('ApiKey', () => {
  const flags = {
    ignore_acl: false,
    allow_user_create: false,
    allow_group_create: false,
    allow_anonymous_read: false,
  };

  it('is created without values, and with all flags', async ({ client }) => {
    const plain = await run(client.ApiKey.please().create());
    const mighty = await run(client.ApiKey.please().create({ description: 'all', ...all(true) }));

    const path = `/v1.1/instances/blog-1/api_keys/${plain.id}/`;
    expect(fieldsOf(plain)).toEqual({
      instanceName: 'blog-1',
      id: expect.any(Number),
      description: '',
      ...flags,
      api_key: expect.stringMatching(/^[0-9a-f]+$/),
      links: { self: path, reset_key: `${path}reset_key/` },
      created_at: expect.any(String),
    });
    expect(mighty).toMatchObject({ description: 'all', ...all(true) });
  });

  const all = (value: boolean) =>
    Object.fromEntries(Object.keys(flags).map((name) => [name, value]));

  it('is read, listed, updated and saved', async ({ client }) => {
    const made = await run(client.ApiKey.please().create({ allow_user_create: true }));
    const { id } = made;

    const read = await run(client.ApiKey.please().get({ id }));
    const updated = await run(client.ApiKey.please().update({ id }, { description: 'new' }));
    updated.ignore_acl = true;
    const saved = await run(updated.save());
    const listed = await run(client.ApiKey.please().list());

    expect(fieldsOf(read)).toEqual(fieldsOf(made));
    expect(fieldsOf(saved)).toEqual({ ...fieldsOf(made), description: 'new', ignore_acl: true });
    expect(fieldsOf(listed.at(-1))).toEqual(fieldsOf(saved));
  });

  it('is reset by its model and by id: the old text is invalid', async ({ api, client }) => {
    const made = await run(client.ApiKey.please().create());
    const holder = connect(api.url, { apiKey: made.api_key });

    const raw = await run(made.reset());
    const model = await run(client.ApiKey.please().reset({ id: made.id }));
    const old = await errorOf(holder.Instance.please().list());
    holder.setApiKey(model.api_key);
    const now = await run(holder.Instance.please().list());

    expect(new Set([made.api_key, raw.api_key, model.api_key]).size).toBe(3);
    expect(raw).toMatchObject({ id: made.id, created_at: time });
    expect(old).toEqual(refused(403, 'No such API Key.'));
    expect(names(now)).toEqual(['blog-1']);
  });

  it('is deleted: it is invalid', async ({ api, client }) => {
    const made = await run(client.ApiKey.please().create());

    await run(made.delete());
    const again = await errorOf(client.ApiKey.please().delete({ id: made.id }));
    const used = await errorOf(connect(api.url, { apiKey: made.api_key }).Instance.please().list());

    expect(again).toEqual(refused(404, 'Not found.'));
    expect(used).toEqual(refused(403, 'No such API Key.'));
  });

  it('sees itself and no other key, and changes none', async ({ client }) => {
    const holder = await withApiKey(client, { ignore_acl: true });
    const { id } = await run(client.ApiKey.please().create());

    const [self, ...others] = await run(holder.ApiKey.please().list());
    const other = await errorOf(holder.ApiKey.please().get({ id }));
    const made = await errorOf(holder.ApiKey.please().create());
    const reset = await errorOf(self.reset());

    expect(self.api_key).toBe(holder.getApiKey());
    expect(others).toEqual([]);
    expect(other).toEqual(refused(404, 'Not found.'));
    expect([made, reset]).toEqual([refused(403, notAllowed), refused(403, notAllowed)]);
  });

  it('is valid for its own instance only', async ({ client }) => {
    const holder = await withApiKey(client, { ignore_acl: true });
    await run(client.Instance.please().create({ name: 'locked-1' }));

    const itself = await errorOf(holder.Instance.please().get({ name: 'locked-1' }));
    const inside = await errorOf(holder.Class.please().list({ instanceName: 'locked-1' }));

    expect(itself).toEqual(refused(404, 'Not found.'));
    expect(inside).toEqual(refused(403, 'No such API Key.'));
  });

  it('a flag that is no boolean is rejected', async ({ client }) => {
    const { id } = await run(client.ApiKey.please().create());

    const told = await errorOf(client.ApiKey.please().update({ id }, { ignore_acl: 'maybe' }));

    expect(told).toEqual(refused(400, '"ignore_acl" "maybe" is not a valid boolean.'));
  });
});

describe('Class', () => {
  const schema = [
    { name: 'title', type: 'string', filter_index: true, order_index: true },
    { name: 'isbn', type: 'string', unique: true, filter_index: true },
    { name: 'parent', type: 'reference', target: 'self' },
  ];

  const make = (client: Client, name: string, more = {}) =>
    run(client.Class.please().create({ name, schema, ...more }));

  it('is created, read and listed', async ({ client }) => {
    const made = await make(client, 'Class_Made', { description: 'demo' });
    const read = await run(client.Class.please().get({ name: 'CLASS_made' }));
    const listed = await run(client.Class.please().list());

    const path = '/v1.1/instances/blog-1/classes/class_made/';
    expect(fieldsOf(made)).toEqual({
      instanceName: 'blog-1',
      name: 'class_made',
      description: 'demo',
      schema,
      status: 'ready',
      objects_count: 0,
      revision: 1,
      group: null,
      metadata: {},
      group_permissions: 'create_objects',
      other_permissions: 'create_objects',
      links: { self: path, objects: `${path}objects/` },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(fieldsOf(read)).toEqual(fieldsOf(made));
    expect(names(listed)).toEqual(expect.arrayContaining(['user_profile', 'class_made']));
  });

  it('is saved whole: all values are kept, the schema changes', async ({ client }) => {
    const made = await make(client, 'class_saved', {
      other_permissions: 'read',
      group_permissions: 'none',
      metadata: { a: 1 },
    });

    const same = await run(made.save());
    same.schema = [...same.schema, { name: 'pages', type: 'integer' }];
    const saved = await run(same.save());

    const { updated_at: _, ...kept } = fieldsOf(made);
    expect(fieldsOf(same)).toMatchObject({ ...kept, schema: expect.any(Array) });
    expect(fieldsOf(saved)).toMatchObject({ ...kept, schema: same.schema, revision: 2 });
  });

  it('is updated by name, in part', async ({ client }) => {
    await make(client, 'class_updated', { description: 'old' });

    const updated = await run(
      client.Class.please().update({ name: 'class_updated' }, { other_permissions: 'none' }),
    );

    expect(updated).toMatchObject({ other_permissions: 'none', description: 'old', schema });
  });

  it('is deleted with its objects, and its name is free at once', async ({ client }) => {
    const made = await make(client, 'class_gone');
    await run(client.DataObject.please().create({ className: 'class_gone', title: 'old' }));

    await run(made.delete());
    const missing = await errorOf(client.Class.please().get({ name: 'class_gone' }));
    const inside = await errorOf(made.dataobjects().list());
    await make(client, 'class_gone');
    const objects = await run(client.DataObject.please().list({ className: 'class_gone' }));

    expect(missing).toEqual(refused(404, 'Not found.'));
    expect(inside).toEqual(refused(404, 'Class was not found.'));
    expect(ids(objects)).toEqual([]);
  });

  it('links to its objects', async ({ client }) => {
    const made = await make(client, 'class_holder');
    await run(client.DataObject.please().create({ className: 'class_holder', title: 'one' }));

    const objects = await run(made.dataobjects().list());

    expect(Array.from(objects, (object: Client) => object.title)).toEqual(['one']);
  });

  it('is not changed if the revision differs from the expected one', async ({ client }) => {
    await make(client, 'class_moved');

    const told = await errorOf(
      client.Class.please().update({ name: 'class_moved' }, { expected_revision: 7 }),
    );

    const message = '"expected_revision" Revision mismatch. Expected 7, got 1.';
    expect(told).toEqual(refused(400, message));
  });

  it.for<[string, object, string]>([
    [
      'a reserved field name',
      { name: 'refused', schema: [{ name: 'id', type: 'string' }] },
      '"schema" Error processing field definition "id" #0: Field name "id" is reserved.',
    ],
    [
      'an unknown target',
      { name: 'refused', schema: [{ name: 'a', type: 'reference', target: 'nothing' }] },
      '"schema" Error processing field definition "a" #0: Class specified by target is missing.',
    ],
    [
      'a name with a hyphen',
      { name: 're-fused' },
      '"name" Enter a valid value consisting of letters, numbers, underscores.',
    ],
    ['a taken name', { name: 'user_profile' }, '"name" This field must be unique.'],
  ])('%s is rejected', async ([_, attributes, message], { client }) => {
    const told = await errorOf(client.Class.please().create(attributes));

    expect(told).toEqual(refused(400, message));
  });

  it('the class of profiles cannot be deleted', async ({ client }) => {
    const told = await errorOf(client.Class.please().delete({ name: 'user_profile' }));

    expect(told).toEqual(refused(403, notAllowed));
  });

  it('an API key reads the classes that are open to others, and changes none', async ({
    client,
  }) => {
    await make(client, 'class_open', { other_permissions: 'read' });
    await make(client, 'class_hidden', { other_permissions: 'none' });
    const holder = await withApiKey(client);
    const mighty = await withApiKey(client, { ignore_acl: true });

    const open = await run(holder.Class.please().get({ name: 'class_open' }));
    const hidden = await errorOf(holder.Class.please().get({ name: 'class_hidden' }));
    const seen = await run(mighty.Class.please().get({ name: 'class_hidden' }));
    const written = await errorOf(mighty.Class.please().create({ name: 'class_by_key' }));

    expect(open.schema).toEqual(schema);
    expect(hidden).toEqual(refused(404, 'Not found.'));
    expect(seen.schema).toEqual(schema);
    expect(written).toEqual(refused(403, notAllowed));
  });
});

describe('DataObject', () => {
  const className = 'book';
  const empty = {
    title: null,
    text: null,
    pages: null,
    price: null,
    sold: null,
    published: null,
    tags: null,
    extra: null,
    place: null,
    cover: null,
    sequel: null,
    authors: null,
  };
  const system = {
    owner: null,
    owner_permissions: 'full',
    group: null,
    group_permissions: 'none',
    other_permissions: 'none',
    channel: null,
    channel_room: null,
  };

  it.beforeAll(async ({ client }) => {
    await run(client.Class.please().create({ name: 'author', schema: [] }));
    await run(
      client.Class.please().create({
        name: className,
        schema: [
          { name: 'title', type: 'string' },
          { name: 'text', type: 'text' },
          { name: 'pages', type: 'integer' },
          { name: 'price', type: 'float' },
          { name: 'sold', type: 'boolean' },
          { name: 'published', type: 'datetime' },
          { name: 'tags', type: 'array' },
          { name: 'extra', type: 'object' },
          { name: 'place', type: 'geopoint' },
          { name: 'cover', type: 'file' },
          { name: 'sequel', type: 'reference', target: 'self' },
          { name: 'authors', type: 'relation', target: 'author' },
        ],
      }),
    );
  });

  const make = (client: Client, values: object = {}) =>
    run(client.DataObject.please().create({ className, ...values }));
  const author = (client: Client) =>
    run(client.DataObject.please().create({ className: 'author' }));
  const get = (client: Client, id: number) =>
    run(client.DataObject.please().get({ className, id }));

  it('is created empty', async ({ client }) => {
    const made = await make(client);

    expect(fieldsOf(made)).toEqual({
      instanceName: 'blog-1',
      className,
      id: expect.any(Number),
      revision: 1,
      ...system,
      ...empty,
      links: { self: `/v1.1/instances/blog-1/classes/book/objects/${made.id}/` },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  it('is created with values of all types, read, and saved as it was read', async ({ client }) => {
    const [sequel, one, two] = [await make(client), await author(client), await author(client)];
    const values = {
      title: 'Dünen',
      text: 'Es war …',
      pages: 412,
      price: 7.5,
      sold: false,
      tags: ['a', 1, true],
      extra: { deep: [{ er: null }] },
    };

    const made = await make(client, {
      ...values,
      published: new Date('2001-05-06T07:08:09.010Z'),
      place: { longitude: 13.4, latitude: 52.5 },
      sequel: sequel.id,
      authors: [two.id, one.id],
    });
    const read = await get(client, made.id);
    const saved = await run(read.save());

    expect(fieldsOf(made)).toMatchObject({
      ...values,
      published: { type: 'datetime', value: '2001-05-06T07:08:09.010000Z' },
      place: { type: 'geopoint', longitude: 13.4, latitude: 52.5 },
      sequel: { type: 'reference', target: 'self', value: sequel.id },
      authors: { type: 'relation', target: 'author', value: [one.id, two.id] },
    });
    expect(fieldsOf(read)).toEqual(fieldsOf(made));
    expect(fieldsOf(saved)).toEqual(fieldsOf(made)); // nothing changed: not even the revision
  });

  it('is changed by its model and by id', async ({ client }) => {
    const made = await make(client, { title: 'one', pages: 1 });

    made.title = 'two';
    const saved = await run(made.save());
    const updated = await run(
      client.DataObject.please().update(
        { className, id: made.id },
        { pages: null, other_permissions: 'read' },
      ),
    );

    expect(saved).toMatchObject({ title: 'two', pages: 1, revision: 2 });
    expect(updated).toMatchObject({
      title: 'two',
      pages: null,
      other_permissions: 'read',
      revision: 3,
    });
    expect(updated.updated_at.getTime()).toBeGreaterThanOrEqual(saved.updated_at.getTime());
  });

  describe('with a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'groundwork-client-'));
    const onDisk = join(folder, 'wave.png');
    beforeAll(() => writeFileSync(onDisk, 'a picture'));
    afterAll(() => rmSync(folder, { recursive: true }));

    async function download(api: Api, model: Client) {
      expect(model.cover).toEqual({ type: 'file', value: expect.stringContaining(api.url) });
      const response = await fetch(model.cover.value);
      return [response.status, response.headers.get('content-type'), await response.text()];
    }

    it.for<[string, () => unknown, RegExp, string]>([
      ['a buffer', () => Buffer.from('a picture'), /\/[0-9a-f]{40}$/, 'application/octet-stream'],
      ['a stream', () => createReadStream(onDisk), /\.png$/, 'image/png'],
      ['the path of a file', () => onDisk, /\.png$/, 'image/png'],
    ])(
      'from %s it is created among other values, and read',
      async ([_, content, name, type], { api, client }) => {
        const made = await make(client, { title: 'Wave', pages: 3, cover: client.file(content()) });
        const read = await get(client, made.id);

        expect(made).toMatchObject({ title: 'Wave', pages: 3 });
        expect(made.cover.value).toMatch(name);
        expect(read.cover).toEqual(made.cover);
        expect(await download(api, read)).toEqual([200, type, 'a picture']);
      },
    );

    it('it is replaced, kept by a save of other values, copied, and deleted', async ({
      api,
      client,
    }) => {
      const cover = () => client.file(createReadStream(onDisk));
      const made = await make(client, { title: 'one', cover: cover() });

      const replaced = await run(
        client.DataObject.please().update(
          { className, id: made.id },
          { cover: client.file(Buffer.from('another')) },
        ),
      );
      replaced.title = 'two';
      const saved = await run(replaced.save());
      const copy = await make(client, { cover: saved.cover.value });
      const emptied = await run(
        client.DataObject.please().update({ className, id: made.id }, { cover: null }),
      );
      await api.platform.idle();
      const gone = await Promise.all([made, saved].map((each) => fetch(each.cover.value)));

      expect([replaced.title, saved.title, saved.cover]).toEqual(['two', 'two', replaced.cover]);
      expect(saved.revision).toBe(3);
      expect(await download(api, copy)).toEqual([200, 'application/octet-stream', 'another']);
      expect(emptied.cover).toBeNull();
      expect(gone.map(({ status }) => status)).toEqual([404, 404]);
    });

    it('it is deleted with its object', async ({ api, client }) => {
      const made = await make(client, { cover: client.file(createReadStream(onDisk)) });

      await run(made.delete());
      await api.platform.idle();

      expect((await fetch(made.cover.value)).status).toBe(404);
    });

    it('its errors are reported by field', async ({ client }) => {
      const told = await errorOf(
        client.DataObject.please().create({ className, cover: client.file(Buffer.from('')) }),
      );

      expect(told).toEqual(refused(400, '"cover" The submitted file is empty.'));
    });
  });

  it.for<[string, object, object, object]>([
    ['increment', { pages: 2 }, { pages: 3 }, { pages: 5 }],
    ['increment', {}, { pages: -3 }, { pages: -3 }],
    ['increment', { price: 1.5 }, { price: 0.25 }, { price: 1.75 }],
    ['add', { tags: ['a'] }, { tags: ['a', 'b'] }, { tags: ['a', 'a', 'b'] }],
    ['addUnique', { tags: ['a'] }, { tags: ['a', 'b'] }, { tags: ['a', 'b'] }],
    ['remove', { tags: ['a', 'b', 'a'] }, { tags: ['a'] }, { tags: ['b'] }],
  ])('%s on the server: %j and %j', async ([operator, values, operand, expected], { client }) => {
    const { id } = await make(client, values);

    const changed = await run(client.DataObject.please()[operator]({ className, id }, operand));

    expect(changed).toMatchObject({ ...expected, revision: 2 });
  });

  it('gains and loses relations on the server', async ({ client }) => {
    const [one, two] = [(await author(client)).id, (await author(client)).id];
    const { id } = await make(client, { authors: [one] });
    const please = () => client.DataObject.please();

    const added = await run(please().add({ className, id }, { authors: [two] }));
    const removed = await run(please().remove({ className, id }, { authors: [one] }));

    expect(added.authors.value).toEqual([one, two]);
    expect(removed.authors.value).toEqual([two]);
  });

  it('is changed by the methods of its model', async ({ client }) => {
    const [one, two] = [(await author(client)).id, (await author(client)).id];
    const made = await make(client, { tags: ['a'], authors: [one], pages: 2 });

    const tags = [
      (await run(made.add('tags', ['a', 'b']))).tags,
      (await run(made.remove('tags', ['a']))).tags,
      (await run(made.addUnique('tags', ['b', 'c']))).tags,
    ];
    const related = await run(made.add('authors', [two]));
    const parted = await run(related.remove('authors', [one]));
    const raised = await run(parted.increment('pages', 3));

    expect(tags).toEqual([['a', 'a', 'b'], ['b'], ['b', 'c']]);
    expect(parted.authors.value).toEqual([two]);
    expect(raised.pages).toBe(7); // 2 + (2 + 3): this version of the client adds the old value twice
    expect(raised.revision).toBe(7);
  });

  it('gets related objects only for relations', async ({ client }) => {
    const made = await make(client, { tags: ['a'] });

    const told = await errorOf(made.getRelatedObjects('tags'));

    expect(told).toEqual({ name: 'Error', message: 'The tags is not a relation.' });
  });

  it('is found or created', async ({ client }) => {
    const { id } = await make(client, { title: 'had' });
    const please = () => client.DataObject.please();

    const had = await run(please().getOrCreate({ className, id }, { title: 'new' }));
    const made = await run(please().updateOrCreate({ className, id: 987_654 }, {}, { title: 'x' }));

    expect([had.id, had.title]).toEqual([id, 'had']);
    expect([made.id === 987_654, made.title]).toEqual([false, 'x']);
  });

  it('is deleted by its model and by id', async ({ client }) => {
    const [one, two] = [await make(client), await make(client)];

    await run(one.delete());
    await run(client.DataObject.please().delete({ className, id: two.id }));
    const again = await errorOf(two.delete());
    const read = await errorOf(client.DataObject.please().get({ className, id: one.id }));

    expect([again, read]).toEqual([refused(404, 'Not found.'), refused(404, 'Not found.')]);
  });

  it.for(['abc', '0', '-1', '99999999999'])('is not found by the id %s', async (id, { client }) => {
    const told = await errorOf(client.DataObject.please().get({ className, id }));

    expect(told).toEqual(refused(404, 'Not found.'));
  });

  it('is not changed if the revision differs from the expected one', async ({ client }) => {
    const { id } = await make(client, { title: 'first' });
    const change = (expected_revision: number) =>
      client.DataObject.please().update({ className, id }, { title: 'second', expected_revision });

    const stale = await errorOf(change(7));
    const fresh = await run(change(1));

    const message = '"expected_revision" Revision mismatch. Expected 7, got 1.';
    expect(stale).toEqual(refused(400, message));
    expect(fresh).toMatchObject({ title: 'second', revision: 2 });
  });

  it('errors of all fields are reported together', async ({ client }) => {
    const told = await errorOf(
      client.DataObject.please().create({ className, pages: 'many', tags: 'none', title: {} }),
    );

    expect({ ...told, message: told.message.split('\n').sort() }).toEqual({
      ...refused(400, ''),
      message: [
        '"pages" A valid integer is required.',
        '"tags" Not a valid array.',
        '"title" Not a valid string.',
      ],
    });
  });

  it('invalid permissions are rejected by the client itself', async ({ client }) => {
    const told = await errorOf(
      client.DataObject.please().create({ className, other_permissions: 'some' }),
    );

    expect(told.name).toBe('ValidationError');
  });

  describe('lists', () => {
    const list = { className: 'chapter' };
    it('are paged forth and back, with their choice of fields', async ({ client, chapters }) => {
      const please = client.DataObject.please().list(list).pageSize(2).fields(['id', 'title']);

      const first = await run(please);
      const second = await run(first.next());
      const third = await run(second.next());
      const back = await run(third.prev());

      expect([first, second, third, back].map(ids)).toEqual([
        chapters.slice(0, 2),
        chapters.slice(2, 4),
        chapters.slice(4),
        chapters.slice(2, 4),
      ]);
      expect([first.hasPrev(), third.hasPrev(), third.hasNext()]).toEqual([false, true, false]);
      expect(third[0].toJSON()).toEqual({
        instanceName: 'blog-1',
        className: 'chapter',
        id: chapters[4],
        title: 'e',
      });
    });

    it.for([1, 2, 5, 100])(
      'are complete in pages of %i',
      async (pageSize, { client, chapters }) => {
        const objects = await everything(client.DataObject.please(), list, pageSize);

        expect(ids(objects)).toEqual(chapters);
      },
    );

    it('omit fields', async ({ client, chapters }) => {
      const please = client.DataObject.please().list(list).pageSize(1);

      const page = await run(please.excludedFields(['links', 'pages', 'created_at']).raw());

      const [object] = page.objects;
      expect(object).toEqual({
        ...system,
        id: chapters[0],
        revision: 1,
        title: 'a',
        updated_at: time,
      });
    });

    it('return the first, or none of an empty class', async ({ client, chapters }) => {
      const first = await run(client.DataObject.please().first(list));
      await run(client.Class.please().create({ name: 'chapter_none' }));
      const none = await run(client.DataObject.please().first({ className: 'chapter_none' }));

      expect(first.id).toBe(chapters[0]);
      expect(none).toBeUndefined();
    });

    it('reject an invalid page size', async ({ client }) => {
      const told = await errorOf(client.DataObject.please().list(list).pageSize('x'));

      expect(told).toEqual(refused(400, 'Incorrect page parameter provided.'));
    });
  });

  describe('queries', () => {
    const list = { className: 'film' };
    const please = (client: Client) => client.DataObject.please().list(list);
    it('filter', async ({ client, films }) => {
      const [, ben] = films.people;

      const found = await Promise.all(
        [
          please(client).filter({ year: { _eq: 1999 }, title: { _gt: 'b' } }),
          please(client).filter({ title: { _in: ['a', 'd'] } }),
          please(client).is('director', { name: { _startswith: 'A' } }),
          please(client).contains('cast', [ben]),
          please(client).near({
            place: { latitude: 52, longitude: 13, distance_in_kilometers: 100 },
          }),
        ].map((query) => run(query)),
      );

      expect(found.map(ids)).toEqual([
        films.pick(2),
        films.pick(1, 3),
        films.pick(0),
        films.pick(0),
        films.pick(1),
      ]);
    });

    it('order, and keep order and filter from page to page', async ({ client, films }) => {
      const filter = { title: { _neq: 'a' } };
      const first = await run(please(client).filter(filter).orderBy('-year').pageSize(2));
      const second = await run(first.next());
      const back = await run(second.prev());

      // null is the last one, and so the first one downwards
      expect([first, second, back].map(ids)).toEqual([
        films.pick(3, 2),
        films.pick(0),
        films.pick(3, 2),
      ]);
    });

    it.for<[number, number]>([
      [1, 4],
      [2, 2],
      [4, 1],
    ])(
      'are complete in pages of %i, and none is empty',
      async ([pageSize, pages], { api, client }) => {
        const from = api.logged.length;

        const all = await everything(client.DataObject.please(), list, pageSize);

        expect(all).toHaveLength(4);
        const requests = api.logged.slice(from).filter(({ message }) => message === 'request');
        expect(requests).toHaveLength(pages);
      },
    );

    it('order all pages', async ({ client, films }) => {
      const all = await everything(client.DataObject.please(), list, 1, { order_by: 'year' });

      expect(ids(all)).toEqual(films.pick(0, 2, 1, 3));
    });

    it('count', async ({ client }) => {
      const counted = await run(
        please(client)
          .filter({ year: { _eq: 1999 } })
          .pageSize(0)
          .count(),
      );

      expect(counted).toEqual({ next: null, prev: null, objects: [], objects_count: 2 });
    });

    it('return related objects', async ({ client, films }) => {
      const film = await run(client.DataObject.please().get({ ...list, id: films.ids[0] }));

      const related = await run(film.getRelatedObjects('cast'));

      expect(ids(related)).toEqual(films.people.slice(1));
      expect(names(related)).toEqual(['Ben', 'Cid']);
    });

    it('are rejected with their errors', async ({ client }) => {
      const told = await errorOf(please(client).filter({ runtime: { _eq: 1 } }));

      expect(told).toMatchObject({ status: 400, message: expect.stringContaining('runtime') });
    });
  });

  describe('with an API key', () => {
    const open = { className: 'note' };

    it.beforeAll(async ({ client }) => {
      const schema = [{ name: 'title', type: 'string' }];
      await run(client.Class.please().create({ name: 'note', schema }));
    });

    it('is created by a bare key, but not read', async ({ client }) => {
      const holder = await withApiKey(client);

      const made = await run(holder.DataObject.please().create({ ...open, title: 'by a key' }));
      const listed = await errorOf(holder.DataObject.please().list(open));
      const read = await errorOf(holder.DataObject.please().get({ ...open, id: made.id }));

      expect(made).toMatchObject({ title: 'by a key', owner: null });
      expect([listed, read]).toEqual([refused(403, notAllowed), refused(403, notAllowed)]);
    });

    it('is read by others with allow_anonymous_read', async ({ client }) => {
      const holder = await withApiKey(client, { allow_anonymous_read: true });
      const please = () => client.DataObject.please();
      const shown = await run(please().create({ ...open, other_permissions: 'read' }));
      const hidden = await run(please().create(open));

      const listed = await run(holder.DataObject.please().list(open));
      const told = await errorOf(holder.DataObject.please().get({ ...open, id: hidden.id }));

      expect(ids(listed)).toContain(shown.id);
      expect(ids(listed)).not.toContain(hidden.id);
      expect(told).toEqual(refused(404, 'Not found.'));
    });

    it('is accessible with ignore_acl', async ({ client }) => {
      const holder = await withApiKey(client, { ignore_acl: true });
      const made = await run(client.DataObject.please().create({ ...open, title: 'private' }));

      const read = await run(holder.DataObject.please().get({ ...open, id: made.id }));
      read.title = 'changed';
      const saved = await run(read.save());
      await run(saved.delete());

      expect(saved).toMatchObject({ id: made.id, title: 'changed', revision: 2 });
    });

    it('an invalid user key keeps the rights of the API key', async ({ client }) => {
      const holder = await withApiKey(client, {}, { userKey: 'of-nobody' });

      const made = await run(holder.DataObject.please().create(open));

      expect(made.owner).toBeNull();
    });

    it('belongs to the user whose key was sent', async ({ api, client }) => {
      const world = { api, instance: 'blog-1' } as Parameters<typeof plantUser>[0]; // the only part of it that is read
      const holder = await withApiKey(client, {}, { userKey: await plantUser(world, 7007) });
      const other = await withApiKey(client, {}, { userKey: await plantUser(world, 7008) });

      const made = await run(holder.DataObject.please().create({ ...open, title: 'mine' }));
      made.title = 'still mine';
      const saved = await run(made.save());
      const listed = await run(holder.DataObject.please().list(open));
      const told = await errorOf(other.DataObject.please().get({ ...open, id: made.id }));

      expect([made.owner, made.links.owner]).toEqual([7007, '/v1.1/instances/blog-1/users/7007/']);
      expect(saved).toMatchObject({ owner: 7007, owner_permissions: 'full', title: 'still mine' });
      expect(ids(listed)).toContain(made.id);
      expect(told).toEqual(refused(404, 'Not found.'));
    });
  });
});

describe('BatchManager', () => {
  const className = 'batched';

  it.beforeAll(async ({ client }) => {
    await run(
      client.Class.please().create({
        name: className,
        schema: [{ name: 'title', type: 'string' }],
      }),
    );
  });

  it('creates, changes and deletes objects in one request', async ({ client }) => {
    const made = await run(client.DataObject({ className, title: 'one' }).save());
    const gone = await run(client.DataObject({ className, title: 'two' }).save());
    made.title = 'changed';
    const manager = client.BatchManager();
    manager.addObjects(
      { object: client.DataObject({ className, title: 'three' }), action: 'create' },
      { object: made, action: 'update' },
      { object: gone, action: 'delete' },
      { object: gone, action: 'delete' },
    );

    const entries = await run(manager.batch());

    expect(entries).toEqual([
      { code: 201, content: expect.objectContaining({ id: gone.id + 1, title: 'three' }) },
      { code: 200, content: expect.objectContaining({ id: made.id, title: 'changed' }) },
      { code: 204 },
      { code: 404, content: { detail: 'Not found.' } },
    ]);
  });

  it('creates ten objects, with consecutive ids', async ({ client }) => {
    const objects = Array.from({ length: 10 }, (_, at) =>
      client.DataObject({ className, title: `${at}` }),
    );
    const before = await run(client.DataObject({ className, title: 'before' }).save());

    const entries = await run(client.BatchManager().addObjectsFromArray(objects, 'create').batch());

    expect(entries.map(({ content }: Client) => content.id - before.id)).toEqual(
      objects.map((_, at) => at + 1),
    );
  });
});

describe('User and Group', () => {
  const grouped = (client: Client, label = 'Editors'): Promise<Client> =>
    run(client.Group({ label }).save());

  it('a user is created, read, changed, listed and deleted', async ({ client, newUser }) => {
    const made = await newUser({ profile: { other_permissions: 'read' } });
    const read = await run(client.User.please().get({ id: made.id }));
    read.username = 'dummyTest';
    read.password = 'another';
    const saved = await run(read.save());
    const updated = await run(client.User.please().update({ id: made.id }, { username: 'Again' }));
    const listed = await run(client.User.please().list());
    await run(saved.delete());
    const told = await errorOf(client.User.please().get({ id: made.id }));

    expect(made.user_key).toMatch(/^[0-9a-f]+$/);
    expect(read.profile.other_permissions).toBe('read');
    expect([saved.username, updated.username]).toEqual(['dummyTest', 'Again']);
    expect(ids(listed)).toContain(made.id);
    expect(told).toEqual(refused(404, 'Not found.'));
  });

  it('reports errors of a user', async ({ client, newUser }) => {
    const { username } = await newUser();

    const told = await errorOf(client.User.please().create({ username, password: 'p' }));

    expect(told).toEqual(refused(400, '"username" This field must be unique.'));
  });

  it('a user registers, logs in, and is the caller from then on', async ({ client }) => {
    const app = await withApiKey(client, { allow_user_create: true });
    await run(app.User.please().create({ username: 'Visitor', password: 'p' }));

    const wrong = await errorOf(app.User.please().login({}, { username: 'x', password: 'p' }));
    const found = await run(app.User.please().login({}, { username: 'visitor', password: 'p' }));
    const self = await run(app.User.please().get({ id: found.id }));
    const changed = await run(
      app.User.please().update({ id: found.id }, { profile: { other_permissions: 'read' } }),
    );

    expect(wrong).toEqual(refused(401, 'Invalid username.'));
    expect(app.getUserKey()).toBe(found.user_key);
    expect([self.id, changed.profile.other_permissions]).toEqual([found.id, 'read']);
  });

  it('a key that was reset is another one', async ({ newUser }) => {
    const made = await newUser();

    const reset = await run(made.resetKey());

    expect(reset.user_key).toMatch(/^[0-9a-f]+$/);
    expect(reset.user_key).not.toBe(made.user_key);
  });

  it('a group is created, read, changed, listed and deleted', async ({ client }) => {
    const made = await grouped(client);
    const read = await run(client.Group.please().get({ id: made.id }));
    read.description = 'Who edit';
    const saved = await run(read.save());
    const listed = await run(client.Group.please().list());
    await run(saved.delete());
    const told = await errorOf(client.Group.please().get({ id: made.id }));

    expect([read.label, saved.description]).toEqual(['Editors', 'Who edit']);
    expect(ids(listed)).toContain(made.id);
    expect(told).toEqual(refused(404, 'Not found.'));
  });

  it('memberships from the side of the user', async ({ client, newUser }) => {
    const [user, group] = [await newUser(), await grouped(client, 'A')];

    const added = await run(user.addGroup({ group: group.id }));
    const listed = await run(user.getGroups());
    const one = await run(user.getGroup({ id: group.id }));
    const again = await errorOf(user.addGroup({ group: group.id }));
    await run(user.deleteGroup({ id: group.id }));
    const after = await run(user.getGroups());

    expect([added.id, one.label, ids(listed)]).toEqual([group.id, 'A', [group.id]]);
    expect(again).toEqual(refused(400, 'User is already a part of that group.'));
    expect(ids(after)).toEqual([]);
  });

  it('memberships from the side of the group', async ({ client, newUser }) => {
    const [user, group] = [await newUser(), await grouped(client, 'B')];

    const added = await run(group.addUser({ user: user.id }));
    const listed = await run(group.users());
    const one = await run(group.getUserDetails({ user: user.id }));
    await run(group.deleteUser({ user: user.id }));
    const after = await run(group.users());

    expect([added.id, one.username, ids(listed)]).toEqual([user.id, user.username, [user.id]]);
    expect(ids(after)).toEqual([]);
  });
});

describe('DataEndpoint', () => {
  it('is created, read, changed, listed, renamed and deleted', async ({ client, newEndpoint }) => {
    const endpoint = await newEndpoint({ query: { title: { _eq: 'a' } }, page_size: 5 });
    const { name } = endpoint;
    const read = await run(client.DataEndpoint.please().get({ name }));
    const updated = await run(client.DataEndpoint.please().update({ name }, { page_size: 6 }));
    const listed = await run(client.DataEndpoint.please().list());
    const renamed = await run(read.rename({ new_name: `${name}-now` }));
    await run(client.DataEndpoint.please().delete({ name: renamed.name }));
    const told = await errorOf(client.DataEndpoint.please().get({ name: renamed.name }));

    expect([read.class, read.query]).toEqual(['viewed', { title: { _eq: 'a' } }]);
    expect([updated.page_size, renamed.name]).toEqual([6, `${name}-now`]);
    expect(names(listed)).toContain(name);
    expect(told).toEqual(refused(404, 'Not found.'));
  });

  it('returns data objects, page by page, with their references', async ({
    client,
    newEndpoint,
  }) => {
    const { name } = await newEndpoint({ order_by: '-title', page_size: 1, expand: 'next' });

    const first = await run(client.DataEndpoint.please().fetchData({ name }));
    const second = await run(first.next());

    expect(first.map(({ title }: Client) => title)).toEqual(['b']);
    expect(first[0].next.title).toBe('a');
    expect(second.map(({ title }: Client) => title)).toEqual(['a']);
  });

  it('accepts a filter and a cache key, and clears a cache that does not exist', async ({
    newEndpoint,
  }) => {
    const endpoint = await newEndpoint();

    const found = await run(endpoint.fetchData('a key', { title: { _eq: 'b' } }));
    await run(endpoint.clearCache());

    expect(found.map(({ title }: Client) => title)).toEqual(['b']);
  });

  it('creates data objects', async ({ newEndpoint }) => {
    const endpoint = await newEndpoint();

    const object = await run(endpoint.createDataObject({ title: 'c' }));

    expect([object.title, object.revision]).toEqual(['c', 1]);
  });

  it('reports errors', async ({ client }) => {
    const told = await errorOf(client.DataEndpoint({ name: 'view-x', class: 'nothing' }).save());

    expect(told).toEqual(refused(400, '"class" Object with name=nothing does not exist.'));
  });
});

/** The HTTP error response in the client's form. */
function refused(status: number, message: string) {
  return { name: 'RequestError', message, status };
}

/** A connection like `client` with an API key in place of the account key. */
async function withApiKey(client: Client, flags: object = {}, more: object = {}): Promise<Client> {
  const { api_key } = await run(client.ApiKey.please().create(flags));
  return connect(client.getBaseUrl(), {
    apiKey: api_key,
    defaults: { instanceName: client.getInstanceName() },
    ...more,
  });
}

function names(models: readonly Client[]): unknown[] {
  return Array.from(models, ({ name }) => name);
}

function ids(models: readonly Client[]): unknown[] {
  return Array.from(models, ({ id }) => id);
}

/** Waits until the client's emitter emits this event. */
function heard(emitter: Client, event: string): Promise<Client> {
  return new Promise((resolve) => emitter.on(event, resolve));
}

/** Reads all pages of a query set's list through the client. */
async function everything(
  query: Client,
  properties: object,
  pageSize: number,
  filter: object = {},
): Promise<Client> {
  const all = query.all(properties, { page_size: pageSize, ...filter }, false);
  const stopped = heard(all, 'stop');
  all.start();
  return stopped;
}

/** Opens a connection with the key of a new account, without default instance. */
async function connectNew({ url }: Api, email: string): Promise<Client> {
  const connection = connect(url);
  const { account_key } = await run(connection.Account.register({ email, password: 'secret' }));
  connection.setAccountKey(account_key);
  return connection;
}

/** Opens a connection with the key of an account that has the instances `page-1` to `page-3`. */
async function openPages(api: Api): Promise<Client> {
  const lister = await connectNew(api, 'pages@example.org');
  const models = ['page-1', 'page-2', 'page-3'].map((name) => lister.Instance({ name }));
  await run(lister.Instance.please().bulkCreate(models));
  return lister;
}

async function writeChapters(client: Client): Promise<readonly unknown[]> {
  const className = 'chapter';
  const schema = [
    { name: 'title', type: 'string' },
    { name: 'pages', type: 'integer' },
  ];
  await run(client.Class.please().create({ name: className, schema }));
  const models = ['a', 'b', 'c', 'd', 'e'].map((title) =>
    client.DataObject({ className, title, pages: 1 }),
  );
  return ids(await run(client.DataObject.please().bulkCreate(models)));
}

/** Makes four films, by year 1999, 1999, 2001 and none. */
async function makeFilms(client: Client) {
  const index = { filter_index: true, order_index: true };
  await run(
    client.Class.please().create({
      name: 'person',
      schema: [{ name: 'name', type: 'string', ...index }],
    }),
  );
  await run(
    client.Class.please().create({
      name: 'film',
      schema: [
        { name: 'title', type: 'string', ...index },
        { name: 'year', type: 'integer', ...index },
        { name: 'place', type: 'geopoint', filter_index: true },
        { name: 'director', type: 'reference', target: 'person', filter_index: true },
        { name: 'cast', type: 'relation', target: 'person', filter_index: true },
      ],
    }),
  );
  const make = async (className: string, values: object): Promise<number> =>
    (await run(client.DataObject.please().create({ className, ...values }))).id;
  const people: number[] = [];
  for (const name of ['Ann', 'Ben', 'Cid']) people.push(await make('person', { name }));
  const [ann, ben, cid] = people;
  const films: number[] = [];
  for (const values of [
    { title: 'b', year: 1999, director: ann, cast: [ben, cid] },
    { title: 'a', year: 2001, director: ben, place: { latitude: 52.5, longitude: 13.4 } },
    { title: 'c', year: 1999, cast: [ann], place: { latitude: 48.9, longitude: 2.4 } },
    { title: 'd' },
  ]) {
    films.push(await make('film', values));
  }
  return { ids: films, people, pick: (...places: number[]) => places.map((at) => films[at]) };
}

/** Returns a function that creates users with names of their own. */
function userFactory(client: Client) {
  let count = 0;
  return (more: object = {}): Promise<Client> => {
    count += 1;
    const user = { username: `client-${count}`, password: 'a password', ...more };
    return run(client.User.please().create(user));
  };
}

/** Makes a class with objects; returns a function that creates data endpoints of it. */
async function openEndpoints(client: Client) {
  const className = 'viewed';
  const schema = [
    { name: 'title', type: 'string', filter_index: true, order_index: true },
    { name: 'next', type: 'reference', target: 'self' },
  ];
  await run(client.Class.please().create({ name: className, schema }));
  const first = await run(client.DataObject({ className, title: 'a' }).save());
  await run(client.DataObject({ className, title: 'b', next: first.id }).save());
  let count = 0;
  return (more: object = {}): Promise<Client> => {
    count += 1;
    return run(client.DataEndpoint({ name: `view-${count}`, class: className, ...more }).save());
  };
}
