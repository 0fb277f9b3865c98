import { request } from 'node:http';
import { describe, expect, vi } from 'vitest';
import { type Credentials, expected, openInstance, plantUser, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { hasFile } from '../support/has-file.ts';
import { isOn } from '../support/medium.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { makeScript, makeTrigger, printedBy, printInputs } from '../support/triggers.ts';

/* Files of private fields: who gets an address, what it is good for, and that nothing else leads to the bytes. */

const clock = openMovedClock();
const it = worldTest(isOn('roles') ? {} : { clock }) // S3 has a clock of its own
  .extend('papers', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const schema = [
  { name: 'scan', type: 'file', private: true },
  { name: 'photo', type: 'file' },
];
const id = /^private\/\d+\/\d+\/[0-9a-f]{40}\.txt$/;

describe('an address', () => {
  it('gives the file for ten minutes, uncached', async ({ papers }) => {
    const { url, self } = await papers.store('secret');

    const read = await download(url);
    expect([read.status, read.text]).toEqual([200, 'secret']);
    expect(read.headers.get('cache-control')).toBe('private, no-store');
    expect(read.headers.get('content-disposition')).toContain('a.txt');
    const shown = expected(await papers.get(self), 200).scan;
    expect(shown).toEqual({ type: 'file', value: expect.stringContaining(keyIn(url)) });
    const part = await download(url, { headers: { range: 'bytes=0-2' } });
    expect([part.status, part.text]).toEqual([206, 'sec']);
    expect(part.headers.get('cache-control')).toBe('private, no-store');
  });

  it.skipIf(isOn('roles'))('ends with its time', async ({ papers }) => {
    const { url, self } = await papers.store('brief');
    clock.forward(599);
    expect((await download(url)).status).toBe(200);
    clock.forward(1);
    expect((await download(url)).status).toBe(403);
    expect((await download(expected(await papers.get(self), 200).scan.value)).status).toBe(200);
  });

  it('is for its key, method, end and secret only', async ({ papers }) => {
    const { url, key } = await papers.store('one');
    const other = await papers.store('two');
    const [address = '', query = ''] = url.split('?');
    const signed = new URLSearchParams(query);
    const changed = (name: string, value: string) => {
      const changed = new URLSearchParams(signed);
      changed.set(name, value);
      return `${address}?${changed}`;
    };
    const names = [...signed.keys()];
    const attacks = [
      address,
      `${address}?`,
      ...names.map((name) => changed(name, '2')),
      ...names.map((name) => changed(name, '')),
      changed(names.find((name) => /version/i.test(name)) ?? '', '255'),
      changed(names.find((name) => /expires/i.test(name)) ?? '', '9999999999'),
      `${url}&response-content-disposition=attachment`,
      `${url}&disposition=attachment`,
      url.replace(key, other.key),
      url.replace('.txt', ''),
      url.replace('private/', 'Private/'),
      // the same parameters, and other spellings of the same key
      ...(isOn('roles')
        ? []
        : [
            `${url}&`,
            url.replace('private/', 'private%2f'),
            url.replace('private/', '%70rivate/'),
          ]),
    ];
    for (const attack of attacks) {
      const { status, text } = await download(attack);
      expect([attack, [400, 403, 404].includes(status), text.includes('one')]).toEqual([
        attack,
        true,
        false,
      ]);
    }
    for (const prefix of ['public/../', '1/../', './', '/', '..%2ffiles/', '%2e/']) {
      const { pathname, search } = new URL(url);
      const at = pathname.replace('private/', `${prefix}private/`) + search;
      expect([at, await rawStatus(papers, at)]).not.toEqual([at, 200]);
    }
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE']) {
      expect([method, (await download(url, { method })).status]).not.toEqual([method, 200]);
    }
    expect((await download(url)).text).toBe('one');
  });

  it('is none of the public server', async ({ api, papers }) => {
    const { key } = await papers.store('hidden');
    const base = api.platform.files.address();
    const below = key.slice('private/'.length);
    const paths = [
      below,
      `public/${below}`,
      key,
      `../${key}`,
      `1/../../${key}`,
      `..%2f${key}`,
      `%2e%2e/${key}`,
      key.toUpperCase(),
    ];
    for (const each of paths) {
      const { status, text } = await download(`${base}/${each}`);
      expect([each, status >= 400, text.includes('hidden')]).toEqual([each, true, false]);
      const head = await download(`${base}/${each}`, { method: 'HEAD' });
      expect([each, head.status >= 400]).toEqual([each, true]);
    }
  });
});

describe('a response', () => {
  it('has addresses for callers who may read the object, and ids for others', async ({
    api,
    papers,
  }) => {
    const bare = await papers.apiKey();
    const body = new FormData();
    body.append('scan', new Blob(['x']), 'a.txt');
    const made = expected(
      await api.send({ as: bare, method: 'POST', path: papers.path, body }),
      201,
    );
    expect(made.scan).toEqual({ type: 'file', value: expect.stringMatching(id) });
    expect(expected(await papers.get(made.links.self), 200).scan.value).toContain('?');
  });

  it('is made for its own caller, each time', async ({ papers }) => {
    const reading = await papers.apiKey({ allow_anonymous_read: true });
    const { self, key } = await papers.store('x', { other_permissions: 'read' });
    const read = async (at: string, as?: Credentials) =>
      JSON.stringify(expected(await papers.get(at, as), 200));
    for (const at of [self, papers.path]) {
      const first = await read(at);
      clock.forward(1);
      const texts = [first, await read(at, reading), await read(at)];
      const signatures = texts.map((text) => text.split(`${key}?`)[1]?.split('"')[0]);
      const differ = new Set(signatures).size > 1 || isOn('roles'); // within a second
      expect([at, differ, signatures.includes(undefined)]).toEqual([at, true, false]);
    }
  });

  it('has them on every path of objects', async ({ papers }) => {
    await papers.create('endpoints/data/', { name: 'papers', class: 'paper' });
    await papers.dataClass('folder', [{ name: 'of', type: 'reference', target: 'paper' }]);
    const { id: paper, key, self } = await papers.store('x');
    await papers.create('classes/folder/objects/', { of: paper });
    await papers.create('endpoints/data/', { name: 'folders', class: 'folder', expand: 'of' });
    const batch = { requests: [{ method: 'GET', path: self }] };
    const responses = [
      await papers.read('endpoints/data/papers/get/?page_size=500'),
      await papers.read('endpoints/data/folders/get/'),
      await papers.read(`classes/paper/objects/${paper}/?fields=scan`),
      expected(await papers.own('POST', 'batch/', batch), 200),
      expected(await papers.patch(self, { other_permissions: 'read' }), 200),
    ];
    for (const response of responses) {
      expect(JSON.stringify(response)).toContain(`${key}?`);
    }
  });

  it('has them in profiles', async ({ api, papers }) => {
    await papers.own('PATCH', 'classes/user_profile/', {
      schema: [{ name: 'passport', type: 'file', private: true }],
    });
    const user = await papers.create('users/', { username: 'u', password: 'p' });
    const body = new FormData();
    body.append('passport', new Blob(['p']), 'p.txt');
    const own = { key: await papers.apiKey(), user: user.user_key };
    const profile = user.profile.links.self;
    const saved = expected(await api.send({ as: own, method: 'PATCH', path: profile, body }), 200);
    const shown = expected(await papers.call(own, 'GET', 'user/'), 200).profile.passport.value;
    expect((await download(saved.passport.value)).text).toBe('p');
    expect((await download(shown)).text).toBe('p');
  });
});

describe('what leaves the server by another way', () => {
  it('has the id, without a signature: messages, arguments, traces and exports', async ({
    papers,
  }) => {
    await papers.create('channels/', { name: 'papers', type: 'default' });
    await makeScript(papers, printInputs);
    const trigger = await makeTrigger(papers, { class: 'paper', signal: 'create' });
    const { key } = await papers.store('x', { channel: 'papers' });
    const printed = await printedBy(papers, trigger);
    const texts = [
      await papers.read('channels/papers/history/'),
      printed,
      await papers.read(`triggers/${trigger}/traces/`),
      await papers.read('export/?kind=objects&class=paper'),
    ].map((body) => JSON.stringify(body));
    expect([texts[0], texts[1], texts[3]].map((text) => text?.includes(`"${key}"`))).toEqual([
      true,
      true,
      true,
    ]);
    expect(texts.filter((text) => text.includes(`${key}?`))).toEqual([]);
    expected(await papers.own('DELETE', `triggers/${trigger}/`), 204);
  });
});

describe.skipIf(isOn('roles'))('a large upload', () => {
  it('is readable once it is saved, at a signed address', async ({ papers }) => {
    const opened = expected(
      await papers.own('POST', 'classes/paper/uploads/', { filename: 'a.txt' }),
      201,
    );
    const form = new FormData();
    for (const [name, value] of Object.entries(opened.fields)) form.append(name, String(value));
    form.append('file', new Blob(['large']), 'a.txt');
    expect((await download(opened.url, { method: 'POST', body: form })).status).toBe(204);
    expect((await download(`${opened.url}${opened.file}`)).status).toBe(404);
    const made = await papers.make({ scan: opened.file });
    expect(keyIn(made.scan.value)).not.toBe('');
    expect((await download(made.scan.value)).text).toBe('large');
  });
});

describe('a copy', () => {
  const bad = { scan: ['File URL is invalid.'] };

  it('of a readable file is a file of its own, private or not by its field', async ({ papers }) => {
    const { url, key, self } = await papers.store('copied');
    const again = expected(await papers.patch(self, { scan: url }), 200);
    expect(keyIn(again.scan.value)).toBe(key);
    const copy = await papers.make({ scan: key });
    expect(keyIn(copy.scan.value)).not.toBe(key);
    expect((await download(copy.scan.value)).text).toBe('copied');
    const open = await papers.make({ photo: url });
    expect(open.photo.value).not.toContain('?');
    expect((await download(open.photo.value)).text).toBe('copied');
    const closed = { scan: open.photo.value };
    const back = await papers.make(closed);
    expect((await download(back.scan.value)).text).toBe('copied');
    expect(back.scan.value).toContain('private/');
  });

  it('of what the caller may not read is refused, whatever the address', async ({
    api,
    papers,
  }) => {
    const apiKey = await papers.apiKey();
    const reader = { key: apiKey, user: await plantUser(papers, 7) };
    const { url, key, self } = await papers.store('mine');
    const create = (scan: unknown, as: Credentials) =>
      api.send({ as, path: papers.path, body: { scan } });

    for (const scan of [url, key, { type: 'file', value: url }]) {
      expect(await create(scan, reader)).toMatchObject({ status: 400, body: bad });
      expect(await create(scan, apiKey)).toMatchObject({ status: 400, body: bad });
    }
    expected(await papers.patch(self, { other_permissions: 'read' }), 200);
    expected(await create(url, reader), 201);
    expect(await create(url, apiKey)).toMatchObject({ status: 400, body: bad });
    expected(await papers.patch(self, { other_permissions: 'none' }), 200);
    expect(await create(url, reader)).toMatchObject({ status: 400, body: bad });
  });

  it('of a file of another class or instance follows the rights there', async ({ api, papers }) => {
    const { key } = await papers.store('elsewhere', { other_permissions: 'read' });
    const closed = await papers.dataClass('closed', schema, {
      other_permissions: 'create_objects',
    });
    const at = `${closed}objects/`;
    const reader = { key: await papers.apiKey(), user: await plantUser(papers, 9) };
    expected(await api.send({ as: reader, path: at, body: { scan: key } }), 201);
    expected(await papers.own('PATCH', 'classes/paper/', { other_permissions: 'none' }), 200);
    const refused = await api.send({ as: reader, path: at, body: { scan: key } });
    expect(refused).toMatchObject({ status: 400, body: bad });
    expected(
      await papers.own('PATCH', 'classes/paper/', { other_permissions: 'create_objects' }),
      200,
    );

    const foreign = await openInstance(api, 'other-1', papers.owner);
    const other = `${await foreign.dataClass('paper', schema)}objects/`;
    const stolen = await api.send({ as: papers.owner, path: other, body: { scan: key } });
    expect(stolen).toMatchObject({ status: 400, body: bad });
  });
});

describe('a switch', () => {
  it('moves the bytes to new names, and the old addresses end', async ({ api, papers }) => {
    await papers.dataClass('box', [{ name: 'f', type: 'file' }]);
    const made = [];
    for (let n = 0; n < 23; n += 1) {
      const body = new FormData();
      body.append('f', new Blob([`n${n}`]), 'a.txt');
      made.push(await papers.create('classes/box/objects/', body));
    }
    const flip = async (field: object) => {
      expected(await papers.own('PATCH', 'classes/box/', { schema: [field] }), 200);
      await api.platform.idle();
    };
    await flip({ name: 'f', type: 'file', private: true });
    const closed = (await papers.read('classes/box/objects/')).objects;
    expect((await papers.read('classes/box/')).schema).toEqual([
      { name: 'f', type: 'file', private: true },
    ]);
    for (const [n, { f, revision }] of closed.entries()) {
      expect([f.value.includes('private/'), revision]).toEqual([true, 1]);
      expect((await download(f.value)).text).toBe(`n${n}`);
      await ended(papers, made[n].f.value);
    }
    await flip({ name: 'f', type: 'file' });
    const open = (await papers.read('classes/box/objects/')).objects;
    for (const [n, { f }] of open.entries()) {
      expect(f.value).not.toMatch(/private|\?/);
      expect((await download(f.value)).text).toBe(`n${n}`);
      await ended(papers, closed[n].f.value);
    }
  });
});

describe('an end', () => {
  it('deletes the bytes: of a value, an object, a field, a class', async ({ api, papers }) => {
    const { files } = api.platform;
    await papers.dataClass('bin', schema);
    const put = async (text: string) => {
      const body = new FormData();
      body.append('scan', new Blob([text]), 'a.txt');
      const made = await papers.create('classes/bin/objects/', body);
      return { self: made.links.self, key: keyIn(made.scan.value) };
    };
    const [one, two, three] = [await put('1'), await put('2'), await put('3')];
    expected(await papers.patch(one.self, { scan: null }), 200);
    expected(await api.send({ as: papers.owner, method: 'DELETE', path: two.self }), 204);
    await api.platform.idle();
    expect([await hasFile(files, one.key), await hasFile(files, two.key)]).toEqual([false, false]);
    expect(await hasFile(files, three.key)).toBe(true);
    expected(await papers.own('PATCH', 'classes/bin/', { schema: [] }), 200);
    await api.platform.idle();
    expect(await hasFile(files, three.key)).toBe(false);
    expected(await papers.own('PATCH', 'classes/bin/', { schema }), 200);
    const four = await put('4');
    expected(await papers.own('DELETE', 'classes/bin/'), 204);
    await api.platform.idle();
    expect(await hasFile(files, four.key)).toBe(false);
  });
});

describe('the flag', () => {
  it.for<[object, RegExp]>([
    [{ name: 'f', type: 'string', private: true }, /can only consist of name, type/],
    [{ name: 'f', type: 'file', private: 'yes' }, /private.*Expected boolean/],
    [{ name: 'f', type: 'file', private: 1 }, /private.*Expected boolean/],
  ])('%o is refused', async ([field, message], { papers }) => {
    const { status, body } = await papers.own('POST', 'classes/', { name: 'bad', schema: [field] });
    expect(status).toBe(400);
    expect(JSON.stringify(body.schema)).toMatch(message);
  });

  it('that is false is absent', async ({ papers }) => {
    const field = { name: 'f', type: 'file', private: false };
    const made = await papers.create('classes/', { name: 'plain', schema: [field] });
    expect(made.schema).toEqual([{ name: 'f', type: 'file' }]);
  });
});

async function setUp(world: World) {
  const { api, owner } = world;
  const rights = { other_permissions: 'create_objects' };
  const path = `${await world.dataClass('paper', schema, rights)}objects/`;
  const make = (body: object) => world.create('classes/paper/objects/', body);
  return {
    ...world,
    path,
    make,
    /** Creates an object with a private file. */
    store: async (text: string, more: Record<string, string> = {}) => {
      const body = new FormData();
      body.append('scan', new Blob([text], { type: 'text/plain' }), 'a.txt');
      for (const [name, value] of Object.entries(more)) body.append(name, value);
      const { id, links, scan } = await make(body);
      const url: string = scan.value;
      return { id: id as number, self: links.self as string, url, key: keyIn(url) };
    },
    get: (at: string, as: Credentials = owner) => api.send({ as, path: at }),
    patch: (at: string, body: unknown) => api.send({ as: owner, method: 'PATCH', path: at, body }),
  };
}

function keyIn(text: string): string {
  return /private\/[^?]*/.exec(text)?.[0] ?? '';
}

async function download(url: string, options: RequestInit = {}) {
  const response = await fetch(url, options);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Returns the status of a GET whose path is sent as it is. */
function rawStatus({ api }: World, at: string): Promise<number | undefined> {
  const { hostname, port } = new URL(api.platform.files.address());
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: at }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}

/** Waits until an address leads to no file: another job deletes it. */
async function ended({ api }: World, url: string): Promise<void> {
  await vi.waitFor(
    async () => {
      await api.platform.idle();
      expect((await download(url)).status).toBe(404);
    },
    { timeout: 20_000, interval: 100 },
  );
}
