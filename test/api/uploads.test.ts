import { describe, expect, vi } from 'vitest';
import { newFileKey, uploadedFiles } from '../../shared/values/file-keys.ts';
import type { World } from '../support/api.ts';
import { type Credentials, expected, openWorld, plantUser } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { hasFile } from '../support/has-file.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { dataIdOf } from '../support/moved-store.ts';
import { abandon } from '../support/raw-socket.ts';
import { forbidden, noText, tooLarge, tooLong } from '../support/responses.ts';

/*
 * Files that are larger than a request: a form is requested, the file is posted with it directly to the storage, and
 * saved as the value of a field.
 */

const clock = openMovedClock();

const it = worldTest({ clock }).extend('given', { scope: 'file', auto: true }, ({ world }) =>
  setUp(world),
);

const schema = [{ name: 'scan', type: 'file' }];
const errors = {
  badUrl: { status: 400, body: { scan: ['File URL is invalid.'] } },
  missing: { status: 400, body: { scan: ['Existing file does not exist.'] } },
  forbidden: { status: 403, body: forbidden },
};

const users = new Map<number, string>();

describe('a form', () => {
  it('has the address for the file, its time limit, its size limit, and its later name', async ({
    api,
    given: { ask, apiKey },
  }) => {
    const now = clock.micros() / 1000;
    const opened = expected(await ask(apiKey), 201);
    const policy = JSON.parse(Buffer.from(opened.fields.policy, 'base64url').toString());

    expect(opened).toEqual({
      url: `${api.url}/files/`,
      fields: { policy: expect.any(String), signature: expect.stringMatching(/^[0-9a-f]{64}$/) },
      file: expect.stringMatching(new RegExp(`^uploads/${dataIdOf(1)}/2/0/[0-9a-f]{40}\\.mp4$`)),
      max_size: 134_217_728,
      expires_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
    });
    expect(Math.round((Date.parse(opened.expires_at) - now) / 1000)).toBe(900);
    expect([policy.maxBytes, policy.key]).toEqual([opened.max_size, opened.file]);
  });

  it.for<[string, object, string, string]>([
    ['the type of the name', { filename: 'a.mp4' }, 'video/mp4', '.mp4'],
    ['a type of its own', { filename: 'a.bin', content_type: 'audio/ogg' }, 'audio/ogg', '.bin'],
    ['no name', {}, 'application/octet-stream', ''],
    [
      'a charset',
      { content_type: 'Text/HTML; level=1; Charset="ISO-8859-2"' },
      'text/html; charset=iso-8859-2',
      '',
    ],
  ])(
    'for a file with %s',
    async ([_, asked, type, extension], { given: { open, apiKey, path, save } }) => {
      const opened = await open(apiKey, path, asked);
      await send(opened);
      const made = expected(await save(apiKey, opened.file), 201);

      expect(made.scan.value.replace(/^.*\/[0-9a-f]{40}/, '')).toBe(extension);
      expect((await download(made.scan.value)).type).toBe(type);
    },
  );

  it.for<[string, object, object]>([
    [
      'a long extension',
      { filename: 'a.abcdefghijklmnop' },
      { filename: ['File provided has too long extension. Max 16 characters.'] },
    ],
    ['no text', { filename: {} }, { filename: noText }],
    ['a long name', { filename: 'x'.repeat(256) }, { filename: tooLong(255) }],
  ])(
    'with %s as name is rejected',
    async ([_, asked, response], { given: { ask, apiKey, path } }) => {
      expect(body(await ask(apiKey, path, asked))).toEqual({ status: 400, body: response });
    },
  );
});

it.for([
  'x',
  'text/',
  'text/plain; charset=é',
  'text/plain; charset=""',
  'text/plain; charset="utf-8',
  'text/plain charset=utf-8',
  'text/html\r\nX: y',
  'text/html; charset=utf-8\r\nX: y',
  'text/html; title="é"',
  'текст/html',
] as const)(
  'a form for a file of the type %j is rejected',
  async (content_type, { given: { ask, apiKey, path } }) => {
    const { status, body } = await ask(apiKey, path, { content_type });

    expect([status, body]).toEqual([400, { content_type: ['Not a valid content_type.'] }]);
  },
);

describe('access to forms', () => {
  let closed: string;
  let readable: string;
  let keys: Readonly<Record<string, Credentials>>;
  it.beforeAll(async ({ world, given: { apiKey } }) => {
    const none = { group_permissions: 'none', other_permissions: 'none' };
    closed = await world.dataClass('closed', schema, none);
    readable = await world.dataClass('readable', schema, { ...none, other_permissions: 'read' });
    keys = {
      'the owner': world.owner,
      'a bare key': apiKey,
      'a key that ignores permissions': await world.apiKey({ ignore_acl: true }),
      'a user': { key: apiKey, user: await plantUser(world, 70) },
    };
  });

  it.for<[string, (world: World) => string, number]>([
    ['the owner', () => closed, 201],
    ['a key that ignores permissions', () => closed, 201],
    ['a bare key', () => closed, 403],
    ['a user', () => closed, 403],
    ['a bare key', () => readable, 201],
    ['a user', () => readable, 201],
    ['the owner', (world: World) => `${world.base}classes/missing/`, 404],
    ['the owner', (world: World) => `${world.base}classes/user_profile/`, 201],
  ])('%s in a class: row %#', async ([who, at, status], { world, given: { ask } }) => {
    expect((await ask(keys[who], at(world))).status).toBe(status);
  });
});

describe('a file that is posted', () => {
  it('is not readable until an object has it, and then has an address', async ({
    api,
    given: { open, apiKey, save },
  }) => {
    const opened = await open(apiKey);

    const sent = await send(opened, 'a long film');
    const hidden = await download(`${api.url}/files/${opened.file.replace('uploads/', '')}`);
    const made = expected(await save(apiKey, opened.file), 201);
    const read = await download(made.scan.value);

    expect(sent).toEqual({ status: 204, body: undefined });
    expect(hidden.status).toBe(404);
    expect(read).toEqual({ status: 200, type: 'video/mp4', text: 'a long film' });
  });

  it('can be saved again, as after a lost response: each gets a copy', async ({
    api,
    world,
    given: { open, apiKey, save },
  }) => {
    const opened = await open(apiKey);
    await send(opened);

    const first = expected(await save(apiKey, opened.file), 201);
    const second = expected(await save(apiKey, { type: 'file', value: opened.file }), 201);
    await api.send({ as: world.owner, method: 'DELETE', path: first.links.self });
    await api.platform.idle();

    expect((await download(first.scan.value)).status).toBe(404);
    expect((await download(second.scan.value)).text).toBe('a film');
  });

  it('can replace the file of an object', async ({ api, world, given: { save, open } }) => {
    const made = expected(await save(world.owner, null), 201);
    const opened = await open(world.owner);
    await send(opened);

    const changed = await api.send({
      as: world.owner,
      method: 'PATCH',
      path: made.links.self,
      body: { scan: opened.file },
    });

    expect((await download(expected(changed, 200).scan.value)).text).toBe('a film');
  });

  it('may be posted again with the same form, before it is saved', async ({
    given: { open, apiKey, save },
  }) => {
    const opened = await open(apiKey);

    await send(opened, 'one');
    await send(opened, 'two');
    const made = expected(await save(apiKey, opened.file), 201);

    expect((await download(made.scan.value)).text).toBe('two');
  });

  it.for<[string, (opened: Opened) => Opened]>([
    ['another signature', (o) => ({ ...o, fields: { ...o.fields, signature: '0'.repeat(64) } })],
    ['a signature that is none', (o) => ({ ...o, fields: { ...o.fields, signature: 'x' } })],
    [
      'another policy',
      (o) => ({
        ...o,
        fields: {
          ...o.fields,
          policy: Buffer.from(
            Buffer.from(o.fields.policy ?? '', 'base64url')
              .toString()
              .replace('134217728', '934217728'),
          ).toString('base64url'),
        },
      }),
    ],
    ['no fields', (o) => ({ ...o, fields: {} })],
  ])('with %s is rejected', async ([_, change], { given: { open, apiKey, save } }) => {
    const opened = await open(apiKey);

    const sent = await send(change(opened));

    expect(sent).toEqual(errors.forbidden);
    expect(body(await save(apiKey, opened.file))).toEqual(errors.missing);
  });

  it('too late is rejected', async ({ given: { open, apiKey } }) => {
    const opened = await open(apiKey);
    clock.forward(899);
    const intime = await send(opened);
    clock.forward(2);

    expect([intime.status, await send(opened)]).toEqual([204, errors.forbidden]);
  });

  it.for([
    [11, 413, tooLarge(10)],
    [10, 204, undefined],
    [0, 400, { detail: 'The submitted file is empty.' }],
  ] as const)(
    'of %i bytes where 10 are allowed is a %i',
    async ([bytes, status, response], { api }) => {
      const terms = { contentType: 'text/plain', maxBytes: 10, seconds: 60 };
      const folder = uploadedFiles(1, 2, undefined);
      const file = newFileKey(folder, api.platform.ids);
      const form = await api.platform.files.openUpload(folder.owner, file, terms);

      const sent = await send({ ...form, file }, 'x'.repeat(bytes));

      expect(sent).toEqual({ status, body: response });
      expect(await hasFile(api.platform.files, file)).toBe(status === 204);
    },
  );

  it('may be larger than a request', async ({ given: { open, apiKey, save } }) => {
    const opened = await open(apiKey);

    const sent = await send(opened, 'x'.repeat(12_000_000));
    const made = expected(await save(apiKey, opened.file), 201);

    expect([sent.status, (await download(made.scan.value)).text.length]).toEqual([204, 12_000_000]);
  });

  it('that is aborted is not stored, and its request ends', async ({
    api,
    given: { open, apiKey },
  }) => {
    const opened = await open(apiKey);
    const part = (name: string, more = '') =>
      `--XX\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
    const fields = Object.entries(opened.fields).map(([name, text]) => `${part(name)}${text}\r\n`);
    const head = `POST /files/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n`;
    const type = 'Content-Type: multipart/form-data; boundary=XX\r\n\r\n';
    const ended = () =>
      api.logged.filter(({ path: at, status }) => at === '/files/' && status === 400);
    const before = ended().length;

    const begin = `${head}${type}${fields.join('')}${part('file', '; filename="a"')}`;
    await abandon(api.url, `${begin}${'x'.repeat(50_000)}`);
    await vi.waitUntil(() => ended().length > before, { timeout: 30_000 });

    expect(await hasFile(api.platform.files, opened.file)).toBe(false);
  });

  it('that is missing is an error', async ({ given: { open, apiKey } }) => {
    const opened = await open(apiKey);
    const answer = { detail: expect.stringContaining('no file after the fields') };

    const form = new FormData();
    form.append('policy', opened.fields.policy ?? '');
    const response = await fetch(opened.url, { method: 'POST', body: form });

    expect([response.status, await response.json()]).toEqual([400, answer]);
  });
});

describe('saved by', () => {
  it.for<[string, (given: Given) => Promise<readonly [Credentials, Credentials]>]>([
    ['another user', async ({ user }: Given) => [await user(71), await user(72)]],
    ['a user after a caller without', async ({ apiKey, user }: Given) => [apiKey, await user(71)]],
    [
      'a caller without user after one',
      async ({ user, apiKey }: Given) => [await user(71), apiKey],
    ],
  ])('%s it is rejected', async ([_, who], { given, given: { open, save } }) => {
    const [first, second] = await who(given);
    const opened = await open(first);
    await send(opened);

    expect(body(await save(second, opened.file))).toEqual(errors.badUrl);
    expect((await save(first, opened.file)).status).toBe(201);
  });

  it('another class or another instance it is rejected', async ({
    api,
    world,
    given: { open, apiKey, save },
  }) => {
    const opened = await open(apiKey);
    await send(opened);
    const class2 = await world.dataClass('other', schema);
    const theirs = await openWorld(api, 'shop-1');
    await theirs.dataClass('paper', schema);
    const at = `${theirs.base}classes/paper/`;

    const inClass = await save(apiKey, opened.file, class2);
    const inInstance = await save(theirs.owner, opened.file, at);

    expect([body(inClass), body(inInstance)]).toEqual([errors.badUrl, errors.badUrl]);
  });

  it.for([
    ['an item of a batch it holds', (file: string) => file, 201],
    ['another name below it is refused', (file: string) => `${file}/..`, 400],
    ['the public name it is refused', (file: string) => file.replace('uploads', 'public'), 400],
  ] as const)('%s', async ([_, change, status], { world, given: { open, apiKey, path } }) => {
    const opened = await open(apiKey);
    await send(opened);
    const [response] = expected(
      await world.call(apiKey, 'POST', 'batch/', {
        requests: [
          { method: 'POST', path: `${path}objects/`, body: { scan: change(opened.file) } },
        ],
      }),
      200,
    );

    expect(response.code).toBe(status);
  });
});

async function setUp(world: World) {
  const { api } = world;
  const ask = (as: Credentials, at = path, body: unknown = { filename: 'film.mp4' }) =>
    api.send({ as, method: 'POST', path: `${at}uploads/`, body });
  const open = async (as: Credentials, at = path, body?: unknown): Promise<Opened> =>
    expected(await ask(as, at, body), 201);
  const save = (as: Credentials, scan: unknown, at = path) =>
    api.send({ as, path: `${at}objects/`, body: { scan } });
  async function user(id: number): Promise<Credentials> {
    const known = users.get(id) ?? (await plantUser(world, id));
    users.set(id, known);
    return { key: apiKey, user: known };
  }
  /** A class that every API key may add objects to. */
  const path = await world.dataClass('paper', schema);
  const apiKey = await world.apiKey();
  return { ask, apiKey, open, path, save, user };
}

type Given = Awaited<ReturnType<typeof setUp>>;

/** Response to a request for a form. */
interface Opened {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly file: string;
}

/** Posts a form as a page does: its fields, and the file last. */
async function send({ url, fields }: Opened, content: string | undefined = 'a film') {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (content !== undefined) form.append('file', new Blob([content]), 'x');
  const response = await fetch(url, { method: 'POST', body: form });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

async function download(url: string) {
  const response = await fetch(url);
  const type = response.headers.get('content-type');
  return { status: response.status, type, text: await response.text() };
}

function body({ status, body: sent }: { readonly status: number; readonly body: unknown }) {
  return { status, body: sent };
}
