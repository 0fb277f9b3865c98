import { describe, expect, vi } from 'vitest';
import { jobTypes } from '../../functions/jobs.ts';
import { runDue } from '../../shared/jobs/jobs.ts';
import type { LocalPlatform } from '../../shared/platforms/local/platform.ts';
import { ConditionFailed, type Store, type Transaction } from '../../shared/store/store.ts';
import { type Api, type Credentials, expected, openWorld, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { hasFile } from '../support/has-file.ts';
import { hasCdn, isOn } from '../support/medium.ts';
import { dataIdOf } from '../support/moved-store.ts';
import {
  forbidden,
  missing,
  noInteger,
  noMethod,
  notObject,
  taken,
  tooLarge,
} from '../support/responses.ts';

const it = worldTest({ wrap: withSabotage })
  .extend('url', { scope: 'file' }, async ({ world }) => (await withScan(world, '0123456789')).url)
  .extend('commit', ({ api, store }, { onCleanup }) => openCommit(api, store, onCleanup));
const types = [
  'string',
  'text',
  'integer',
  'float',
  'boolean',
  'datetime',
  'array',
  'object',
  'geopoint',
];
const path = '/v1.1/instances/blog-1/classes/paper/objects/';

it.beforeAll(({ world }) =>
  world.dataClass('paper', [
    { name: 'scan', type: 'file' },
    { name: 'photo', type: 'file' },
    { name: 'isbn', type: 'string', unique: true },
    ...types.map((type) => ({ name: `a_${type}`, type })),
    { name: 'a_reference', type: 'reference', target: 'self' },
    { name: 'a_relation', type: 'relation', target: 'self' },
  ]),
);

describe('an upload', () => {
  it('is stored with the object, among values of all types, and is public', async ({
    api,
    world,
  }) => {
    const made = expected(
      await post(
        world,
        form(
          { name: 'a_integer', value: '5' },
          file('scan', 'bytes \u0000 of a scan', 'Scan.TIFF', 'image/tiff'),
          { name: 'a_array', value: '["a"]' },
        ),
      ),
      201,
    );
    const read = await download(made.scan.value);

    expect(made).toMatchObject({ a_integer: 5, a_array: ['a'], photo: null });
    expect(made.scan).toEqual({
      type: 'file',
      value: expect.stringMatching(
        new RegExp(`^http://127\\.0\\.0\\.1:\\d+(/files)?/${dataIdOf(1)}/2/[0-9a-f]{40}\\.tiff$`),
      ),
    });
    expect(made.scan.value).toContain(`${api.platform.files.address()}/${dataIdOf(1)}/2/`);
    expect([read.status, read.text]).toEqual([200, 'bytes \u0000 of a scan']);
    expect(read.headers.get('content-type')).toBe('image/tiff');
  });

  it('is in every response with the object', async ({ api, world }) => {
    const { self, url } = await withScan(world);

    const one = await api.send({ as: world.owner, path: self });
    const list = await api.send({ as: world.owner, path: `${path}?fields=scan` });

    expect(one.body.scan).toEqual({ type: 'file', value: url });
    expect(list.body.objects).toContainEqual({ scan: { type: 'file', value: url } });
  });

  it('of bytes without a name is accepted too', async ({ api, world }) => {
    const part = 'content-disposition: form-data; name="scan"\r\ncontent-type:';
    const body = `--XX\r\n${part} application/octet-stream\r\n\r\nbuffer\r\n--XX--\r\n`;

    const made = await api.send({
      as: world.owner,
      path,
      body,
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=XX' },
    });
    const read = await download(expected(made, 201).scan.value);

    expect(made.body.scan.value).toMatch(/\/[0-9a-f]{40}$/);
    expect(read.text).toBe('buffer');
    expect(read.headers.get('content-type')).toBe('application/octet-stream');
  });

  const bytes = 'application/octet-stream';
  it.for([
    ['an unknown extension', 'a.xyz', '', bytes, 'attachment', '.xyz'],
    ['the type of its extension', 'a.PNG', '', 'image/png', 'inline', '.png'],
    ['a type of its own', 'a.bin', 'audio/ogg', 'audio/ogg', 'inline', '.bin'],
    ['the last of two extensions', 'a.tar.gz', '', 'application/gzip', 'attachment', '.gz'],
    ['no extension', 'README', 'text/csv', 'text/csv', 'inline', ''],
    ['a name that only begins with a dot', '.profile', '', bytes, 'attachment', ''],
    ['an extension that no address can hold', 'a.ü/.b c', 'image/png', 'image/png', 'inline', ''],
    ['a page', 'a.html', 'text/html', 'text/html', 'attachment', '.html'],
    ['a drawing that may hold a script', 'a.svg', '', 'image/svg+xml', 'attachment', '.svg'],
    ['15 letters', 'a.abcdefghijklmno', '', bytes, 'attachment', '.abcdefghijklmno'],
  ])('with %s', async ([_, filename = '', said, ...wanted], { world }) => {
    const made = expected(await post(world, form(file('scan', 'x', filename, said))), 201);
    const { headers } = await download(made.scan.value);

    const [type, disposition, extension] = wanted;
    expect(made.scan.value.replace(/^.*\/[0-9a-f]{40}/, '')).toBe(extension);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('content-disposition')).toMatch(`${disposition}; filename="`);
    if (hasCdn) expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  const notFile = 'The submitted data was not a file. Check the encoding type on the form.';
  const long = 'File provided has too long extension. Max 16 characters.';
  const none = 'Existing file does not exist.';
  const bad = 'File URL is invalid.';
  const unknown = `/${dataIdOf(1)}/2/${'0'.repeat(40)}.txt`;
  it.for<[string, (files: string, url: string) => unknown, object]>([
    ['nothing', () => form(file('scan', '')), { scan: ['The submitted file is empty.'] }],
    ['16 letters', () => form(file('scan', 'x', 'a.abcdefghijklmnop')), { scan: [long] }],
    ['a number', () => ({ scan: 5 }), { scan: [notFile] }],
    ['a list', () => ({ scan: [] }), { scan: [notFile] }],
    ['an object', () => ({ scan: { bytes: 'x' } }), { scan: [notFile] }],
    ['the text of a form', () => form({ name: 'scan', value: 'x' }), { scan: [bad] }],
    ['empty text', () => ({ scan: '' }), { scan: [bad] }],
    ['a foreign address', () => ({ scan: 'https://example.com/a.png' }), { scan: [bad] }],
    ['another place here', (_, url) => ({ scan: `${url}/v1.1/` }), { scan: [bad] }],
    ['a way out', (files) => ({ scan: `${files}/1/2/../../x` }), { scan: [bad] }],
    ['a key', () => ({ scan: `public${unknown}` }), { scan: [bad] }],
    ['a file that is not there', (files) => ({ scan: `${files}${unknown}` }), { scan: [none] }],
    [
      'an upload that is not there',
      () => ({ scan: `uploads${unknown.replace('/2/', '/2/0/')}` }),
      { scan: [none] },
    ],
    [
      'all that is wrong at once',
      () => form(file('scan', ''), file('photo', 'x'), { name: 'a_integer', value: 'x' }),
      {
        scan: ['The submitted file is empty.'],
        a_integer: noInteger,
      },
    ],
  ])('of %s is rejected', async ([_, body, response], { api, world }) => {
    const refused = await post(world, body(api.platform.files.address(), api.url));

    expect({ status: refused.status, body: refused.body }).toEqual({ status: 400, body: response });
  });

  it.for([...types.map((type) => `a_${type}`), 'a_reference', 'a_relation'])(
    'for the field %s, which has another type, is rejected',
    async (name, { world }) => {
      const refused = await post(world, form(file(name, '{"a":1}')));

      expect([refused.status, Object.keys(refused.body)]).toEqual([400, [name]]);
    },
  );

  it('for a field that the class does not have is ignored', async ({ world }) => {
    const made = await post(world, form(file('other', 'x'), file('id', 'x')));

    expect([made.status, made.body.scan]).toEqual([201, null]);
  });

  it.for<[number, number]>([
    [6_300_000, 6_291_456],
    [11_000_000, 10_485_760],
  ])('of %i bytes is rejected with the limit in the message', async ([bytes, limit], { world }) => {
    const refused = await post(world, form(file('scan', 'x'.repeat(bytes))));

    expect([refused.status, refused.body]).toEqual([413, tooLarge(limit)]);
  });

  it('of four megabytes is accepted', async ({ world }) => {
    const made = expected(await post(world, form(file('scan', 'x'.repeat(4_000_000)))), 201);

    expect((await download(made.scan.value)).text).toHaveLength(4_000_000);
  });
});

describe('a change', () => {
  it('to another file deletes the old one', async ({ world }) => {
    const { self, url } = await withScan(world, 'old');

    const changed = expected(await patch(world, self, form(file('scan', 'new', 'b.png'))), 200);

    expect(changed).toMatchObject({
      revision: 2,
      scan: { value: expect.stringMatching(/\.png$/) },
    });
    expect((await download(changed.scan.value)).text).toBe('new');
    expect((await later(world, url)).status).toBe(404);
  });

  it.for<[string, () => unknown]>([
    ['null', () => ({ scan: null })],
    ['null as it might be shown', () => ({ scan: { type: 'file', value: null } })],
    ['the empty text of a form', () => form({ name: 'scan', value: '' })],
  ])('to %s deletes the file', async ([_, body], { world }) => {
    const { self, url } = await withScan(world);

    const changed = expected(await patch(world, self, body()), 200);

    expect(changed).toMatchObject({ revision: 2, scan: null });
    expect((await later(world, url)).status).toBe(404);
  });

  it.for<[string, string, (url: string) => unknown]>([
    ['a PATCH without it', 'PATCH', () => ({ a_integer: 1 })],
    ['a PUT without it', 'PUT', () => ({ a_integer: 1 })],
    ['a POST without it', 'POST', () => form({ name: 'a_integer', value: '1' })],
    ['its own address', 'PATCH', (url) => ({ scan: url })],
    ['the form in which it is shown', 'PATCH', (url) => ({ scan: { type: 'file', value: url } })],
    [
      'that as the text of a form',
      'PATCH',
      (value) => form({ name: 'scan', value: JSON.stringify({ type: 'file', value }) }),
    ],
  ])('with %s keeps the file', async ([_, method, body], { api, world }) => {
    const { self, url } = await withScan(world);

    const changed = await api.send({ as: world.owner, method, path: self, body: body(url) });

    expect([changed.status, changed.body.scan]).toEqual([200, { type: 'file', value: url }]);
    expect((await download(url)).status).toBe(200);
  });

  it('with an empty file input keeps the file', async ({ api, world }) => {
    const { self, url } = await withScan(world);
    const head = 'content-disposition: form-data; name="scan"; filename=""';
    const type = 'content-type: application/octet-stream';

    const changed = await api.send({
      as: world.owner,
      method: 'PATCH',
      path: self,
      headers: { 'Content-Type': 'multipart/form-data; boundary=XX' },
      body: `--XX\r\n${head}\r\n${type}\r\n\r\n\r\n--XX--\r\n`,
    });

    expect([changed.status, changed.body.scan]).toEqual([200, { type: 'file', value: url }]);
  });

  it('that is rejected keeps the old file and no new one', async ({ world }) => {
    const { self, url } = await withScan(world);

    const wrong = { name: 'a_integer', value: 'x' };
    const other = { name: 'expected_revision', value: '9' };
    const refused = await patch(world, self, form(file('scan', 'x'), wrong));
    const late = await patch(world, self, form(file('scan', 'x'), other));

    expect([refused.status, late.status]).toEqual([400, 400]);
    expect((await download(url)).text).toBe('the scan');
    expect(await storedFiles(world, self)).toBe(1);
  });

  it('that deletes the object deletes its files', async ({ api, world }) => {
    const { self, url } = await withScan(world);
    const more = expected(await patch(world, self, form(file('photo', 'x'))), 200);

    await api.send({ as: world.owner, method: 'DELETE', path: self });

    expect((await later(world, url)).status).toBe(404);
    expect((await later(world, more.photo.value)).status).toBe(404);
  });
});

describe('the address of a file', () => {
  it('gives another field its own copy', async ({ api, world }) => {
    const { self, url } = await withScan(world, 'shared');

    const body = { scan: url, photo: { type: 'file', value: url } };
    const made = expected(await post(world, body), 201);
    await api.send({ as: world.owner, method: 'DELETE', path: self });

    expect(new Set([url, made.scan.value, made.photo.value]).size).toBe(3);
    expect((await download(made.scan.value)).text).toBe('shared');
    expect((await download(made.photo.value)).text).toBe('shared');
    expect((await download(made.photo.value)).headers.get('content-type')).toBe('text/plain');
    expect((await later(world, url)).status).toBe(404);
  });

  it('of another instance is not accepted', async ({ api, world }) => {
    const { url } = await withScan(world);
    const other = await openWorld(api, 'shop-1');
    const theirs = await other.dataClass('paper', [{ name: 'scan', type: 'file' }]);

    const refused = await api.send({
      as: other.owner,
      path: `${theirs}objects/`,
      body: { scan: url },
    });

    expect([refused.status, refused.body]).toEqual([400, { scan: ['File URL is invalid.'] }]);
  });
});

describe('when the commit', () => {
  it('is rejected for a name that is taken, the new file is deleted and the old one stays', async ({
    world,
    commit,
  }) => {
    expected(await post(world, { isbn: 'taken' }), 201);
    const { self, url } = await withScan(world);

    const isbn = { name: 'isbn', value: 'taken' };
    const refused = await patch(world, self, form(file('scan', 'x'), isbn));

    expect([refused.status, refused.body]).toEqual([400, { isbn: taken }]);
    expect(await commit.left()).toEqual([true, false]);
    expect((await download(url)).status).toBe(200);
  });

  it('has a write conflict, it is retried, and one file remains', async ({ world, commit }) => {
    const { self } = await withScan(world);
    commit.sabotage(() => Promise.reject(new ConditionFailed(0, undefined)));

    const changed = await patch(world, self, form(file('scan', 'again')));

    expect(changed.status).toBe(200);
    expect(await commit.left()).toEqual([false, false, true]);
    expect((await download(changed.body.scan.value)).text).toBe('again');
  });

  it('fails with an unknown outcome, the file that the object names stays', async ({
    world,
    commit,
  }) => {
    const { self } = await withScan(world);
    commit.sabotage(async (write) => {
      await write();
      throw new Error('the answer was lost');
    });

    const failed = await patch(world, self, form(file('scan', 'new')));
    const { scan } = await read(world, self);

    expect(failed.status).toBe(500);
    expect(await commit.left()).toEqual([false, true]);
    expect((await download(scan.value)).text).toBe('new');
  });

  it('never happens, as when the process is killed before it, the stored file is deleted', async ({
    api,
    world,
    commit,
  }) => {
    const { self, url } = await withScan(world);
    commit.sabotage(() => Promise.reject(new Error('killed')));

    const failed = await patch(world, self, form(file('scan', 'new')));
    await jobsOf(world.api.platform, 10);
    const isStored = await hasFile(api.platform.files, commit.stored[1] ?? '');

    expect([failed.status, isStored]).toEqual([500, true]);
    expect(await commit.left()).toEqual([true, false]);
    expect((await download(url)).status).toBe(200);
  });

  it('happens after the new file was given up, it is retried', async ({ world, commit }) => {
    const { self } = await withScan(world);
    commit.sabotage(async (write) => {
      await jobsOf(world.api.platform, 20);
      await write();
    });

    const changed = expected(await patch(world, self, form(file('scan', 'slow'))), 200);

    expect(await commit.left()).toEqual([false, false, true]);
    expect((await download(changed.scan.value)).text).toBe('slow');
  });

  // its removal is a job of the change feed
  it.skipIf(isOn('dynamodb'))(
    'has happened and the old file cannot be removed at once, it is tried again',
    async ({ api, world }) => {
      const { self, url } = await withScan(world);
      const { files } = api.platform;
      const { remove } = files;
      let tries = 0;
      const failing: typeof remove = (owner, names) => {
        tries += 1;
        return tries === 1 ? Promise.reject(new Error('no disk')) : remove(owner, names);
      };
      Object.assign(files, { remove: failing });

      const changed = await patch(world, self, form(file('scan', 'new')));
      await vi.waitUntil(async () => (await later(world, url)).status === 404, { timeout: 50_000 });
      Object.assign(files, { remove });

      expect([changed.status, (await download(changed.body.scan.value)).text]).toEqual([
        200,
        'new',
      ]);
      expect(tries).toBe(2);
    },
  );

  it('cannot start because a file cannot be stored, nothing is written and nothing remains', async ({
    api,
    world,
    commit,
  }) => {
    const { files } = api.platform;
    const { put } = files;
    let puts = 0;
    const failing: typeof put = (owner, key, content) => {
      puts += 1;
      return puts === 2 ? Promise.reject(new Error('the disk is full')) : put(owner, key, content);
    };
    Object.assign(files, { put: failing });
    const all = `${path}?page_size=0&include_count=1`;
    const before = await read(world, all);

    const failed = await post(world, form(file('scan', 'x'), file('photo', 'y')));
    Object.assign(files, { put });

    expect(failed.status).toBe(500);
    expect(await read(world, all)).toEqual(before);
    expect(await commit.left()).toEqual([false]);
  });
});

describe('with its parent', () => {
  const cases: readonly [string, (path: string) => string][] = [
    ['its class', (inside) => inside],
    ['its instance', () => ''],
  ];
  it.for(cases)('%s, a file is deleted, and no other', async ([name, target], { api, world }) => {
    const { url: other } = await withScan(world);
    const theirs = await openWorld(api, `gone-${name.slice(4)}`);
    await theirs.dataClass('paper', [{ name: 'scan', type: 'file' }]);
    const at = `${theirs.base}classes/paper/`;
    const body = form(file('scan', 'x'));
    const made = await api.send({ as: theirs.owner, path: `${at}objects/`, body });
    const { value } = expected(made, 201).scan;

    const inside = target('classes/paper/');
    expected(await theirs.call(theirs.owner, 'DELETE', inside), 204);

    expect((await later(world, value)).status).toBe(404);
    expect((await download(other)).status).toBe(200);
  });
});

// the change feed deletes these files
describe.skipIf(isOn('dynamodb'))('with the field of its class', () => {
  const schema = [
    { name: 'scan', type: 'file' },
    { name: 'photo', type: 'file' },
    { name: 'title', type: 'string' },
  ];

  /** Creates a class and its objects with both files. */
  async function started(world: World, name: string, count: number) {
    const { api } = world;
    const at = await world.dataClass(name, schema);
    const made = [];
    for (let i = 0; i < count; i += 1) {
      const body = form(file('scan', 'a scan'), file('photo', 'a photo'));
      made.push(expected(await api.send({ as: world.owner, path: `${at}objects/`, body }), 201));
    }
    return { made, change: (fields: object[]) => patch(world, at, { schema: fields }) };
  }

  const [scan, photo, title] = schema as [object, object, object];
  it.for<[string, string, object[]]>([
    ['that is removed', 'removing', [scan, title]],
    ['whose type changes', 'changing', [scan, { name: 'photo', type: 'string' }, title]],
  ])('%s, a file is deleted, and no other', async ([_, name, fields], { world }) => {
    const { made, change } = await started(world, name, 2);

    expected(await change(fields), 200);
    const gone = await Promise.all(made.map((each) => later(world, each.photo.value)));
    const kept = await Promise.all(made.map((each) => download(each.scan.value)));

    expect(gone.map(({ status }) => status)).toEqual([404, 404]);
    expect(kept.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('that is added again it is not visible, and other fields work', async ({ api, world }) => {
    const { made, change } = await started(world, 'adding', 1);

    expected(await change([scan]), 200);
    expected(await change([scan, photo]), 200);
    expected(await change([photo]), 200);
    await api.platform.idle();
    const { self } = made[0].links;
    const changed = expected(await patch(world, self, form(file('photo', 'anew'))), 200);

    expect((await later(world, changed.photo.value)).text).toBe('anew');
    expect((await later(world, made[0].scan.value)).status).toBe(404);
    expect((await later(world, made[0].photo.value)).status).toBe(404);
  });

  it('a file is deleted that a request adds, removes or deletes with its object during its removal', async ({
    api,
    world,
    store,
  }) => {
    const { made, change } = await started(world, 'racing', 3);
    const [late, changed, deleted] = made;
    let release: (value?: unknown) => void = () => undefined;
    const released = new Promise((resolve) => {
      release = resolve;
    });
    const reached = new Promise((resolve) => {
      store.sabotage(async (write) => {
        resolve(undefined);
        await released;
        await write();
      });
    });

    const held = patch(world, late.links.self, form(file('photo', 'late')));
    await reached; // it knows the class with the field
    expected(await change([scan, title]), 200);
    expected(await patch(world, changed.links.self, { title: 'changed' }), 200);
    await api.send({ as: world.owner, method: 'DELETE', path: deleted.links.self });
    release();
    const given = expected(await held, 200).photo.value;
    await vi.waitUntil(async () => (await later(world, given)).status === 404, { timeout: 50_000 });
    const gone = await Promise.all(made.map((each) => later(world, each.photo.value)));

    expect(gone.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});

describe('a download', () => {
  it('may be cached for an hour, and pages of any origin may read it', async ({ url }) => {
    const { headers } = await download(url, { Origin: 'https://app.example' });

    expect(Object.fromEntries(headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
      'content-length': '10',
      etag: expect.stringMatching(/^"[^"]+"$/),
    });
  });

  it.for<[string, number, string, string | null]>([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=-50', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=3-1', 200, '0123456789', null],
    ['bytes=0-1,4-5', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
  ])('of the range %s is a %i', async ([range, status, text, contentRange], { url }) => {
    const part = await download(url, { Range: range });

    expect(part.status).toBe(status);
    if (status === 416 && isOn('roles')) return; // S3 has a text for it
    expect([part.text, part.headers.get('content-range')]).toEqual([text, contentRange]);
  });

  it('by HEAD has the headers and no body', async ({ url }) => {
    const [get, head] = [await download(url), await download(url, {}, 'HEAD')];

    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-length', 'content-type', 'etag', 'last-modified']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  });

  it('of an unchanged file is not repeated', async ({ url }) => {
    const etag = (await download(url)).headers.get('etag') ?? '';

    const same = await download(url, { 'If-None-Match': `"x", ${etag}` });
    const part = await download(url, { Range: 'bytes=1-1', 'If-Range': etag });
    const whole = await download(url, { Range: 'bytes=1-1', 'If-Range': '"x"' });

    expect([same.status, same.text]).toEqual([304, '']);
    expect([part.status, whole.status]).toEqual([206, 200]);
  });

  // a deployment leaves both to CloudFront, and the emulated one is simpler
  it.skipIf(isOn('roles'))(
    'of an unchanged file is not repeated by its time either',
    async ({ url }) => {
      const modified = (await download(url)).headers.get('last-modified') ?? '';
      const before = new Date(Date.parse(modified) - 1000).toUTCString();
      const since = (time: string, more = {}) =>
        download(url, { 'If-Modified-Since': time, ...more });

      const responses = [
        await since(modified),
        await since(before),
        await since('no time'),
        await since(modified, { 'If-None-Match': '"x"' }), // the tag alone decides
      ];

      expect(responses.map(({ status }) => status)).toEqual([304, 200, 200, 200]);
    },
  );

  it.skipIf(isOn('roles'))('by HEAD is whole, also of a range', async ({ url }) => {
    const head = await download(url, { Range: 'bytes=3-4' }, 'HEAD');

    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10']);
    expect(head.headers.get('content-range')).toBeNull();
  });

  it.for(['DELETE', 'PUT', 'POST'])('by %s changes nothing', async (method, { url }) => {
    const refused = await download(url, {}, method);

    expect([403, 405]).toContain(refused.status);
    expect((await download(url)).text).toBe('0123456789');
  });

  // a deployment leaves it to CloudFront and to the gateway's function
  it.skipIf(isOn('roles')).for<[string, number, object]>([
    ['DELETE', 405, noMethod('DELETE')],
    ['PUT', 405, noMethod('PUT')],
    ['POST', 403, forbidden],
  ])('by %s is rejected', async ([method, status, body], { url }) => {
    const refused = await download(url, {}, method);

    expect([refused.status, JSON.parse(refused.text)]).toEqual([status, body]);
  });

  it.for([
    '/files/',
    '/files/1/',
    '/files/1/2/',
    '/files/1/2/x',
    '/files/../secrets.json',
    '/files/%2e%2e/%2e%2e/secrets.json',
    '/files/1/2/%00',
    '/files//etc/passwd',
    `/files/uploads/1/2/${'0'.repeat(40)}`,
  ])('of %s is a 404', async (at, { api }) => {
    const response = await api.send({ path: at });

    expect([response.status, response.body]).toEqual([404, missing]);
  });

  it('of a missing file is a 404', async ({ api }) => {
    const { status } = await download(`${api.platform.files.address()}/1/2/${'0'.repeat(40)}`);

    expect(status).toBe(404);
  });

  // CloudFront logs none
  it.skipIf(isOn('roles') && hasCdn)('is one line in the log, without the address', ({ api }) => {
    const lines = api.logged.filter(({ path: at }) => String(at).startsWith('/files/1/2/'));

    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter(({ path: at }) => /[0-9a-f]{40}/.test(String(at)))).toEqual([]);
  });
});

describe('a profile', () => {
  const register = (world: World, ...parts: Part[]) => world.own('POST', 'users/', form(...parts));
  const nick = (value: string) => ({ name: 'profile.nick', value });
  const avatar = (text: string) => file('profile.avatar', text, 'me.jpg');
  const named = (name: string) => [
    { name: 'username', value: name },
    { name: 'password', value: 'x' },
  ];
  it.beforeAll(async ({ world }) => {
    const schema = [
      { name: 'avatar', type: 'file' },
      { name: 'nick', type: 'string' },
      { name: 'age', type: 'integer' },
    ];
    expected(await world.own('PATCH', 'classes/user_profile/', { schema }), 200);
  });

  /** A user with an avatar. */
  const registered = async (world: World, name: string) =>
    expected(await register(world, ...named(name), avatar('face')), 201);

  it('has files like any object', async ({ world }) => {
    const user = { username: 'ann', password: 'x' };
    const made = expected(await world.own('POST', 'users/', user), 201);

    const changed = expected(
      await patch(world, made.profile.links.self, form(file('avatar', 'a face', 'me.jpg'))),
      200,
    );
    const { profile } = expected(await world.own('GET', `users/${made.id}/`), 200);
    const before = await download(changed.avatar.value);
    await world.own('DELETE', `users/${made.id}/`);

    expect(profile.avatar).toEqual(changed.avatar);
    expect([before.text, before.headers.get('content-type')]).toEqual(['a face', 'image/jpeg']);
    expect((await later(world, changed.avatar.value)).status).toBe(404);
  });

  it('is created with its user by parts of a form', async ({ world }) => {
    const parts = [nick('al'), { name: 'profile.age', value: '' }, avatar('a face')];
    const made = await register(world, ...named('bea'), ...parts);

    const { profile } = expected(made, 201);
    expect(profile).toMatchObject({ nick: 'al', age: null, owner_permissions: 'full' });
    expect((await download(profile.avatar.value)).text).toBe('a face');
  });

  it('may be JSON text and parts, and the parts take precedence', async ({ world }) => {
    const whole = { name: 'profile', value: '{"nick":"a","age":5,"other_permissions":"read"}' };
    const made = await register(world, ...named('cid'), whole, nick('b'));

    expect(expected(made, 201).profile).toMatchObject({
      nick: 'b',
      age: 5,
      avatar: null,
      other_permissions: 'read',
    });
  });

  it.for<[string, string, (self: string, world: World) => Promise<[Credentials, string]>]>([
    ['the user', 'PATCH', async (self, { owner }) => [owner, self]],
    ['the user', 'PUT', async (self, { owner }) => [owner, self]],
    ['himself', 'PATCH', async (self, world) => [await keysOf(world, self), `${world.base}user/`]],
    ['himself', 'PUT', async (self, world) => [await keysOf(world, self), `${world.base}user/`]],
  ])(
    'is changed with %s by %s and parts of a form',
    async ([who, method, where], { api, world }) => {
      const name = `dora-${who}-${method}`.replace(' ', '-');
      const { links, profile } = await registered(world, name);
      const [as, at] = await where(links.self, world);

      const changed = await api.send({
        as,
        method,
        path: at,
        body: form(...(method === 'PUT' ? named(name) : []), nick('new'), avatar('a new face')),
      });

      const after = expected(changed, 200).profile;
      const face = (await download(after.avatar.value)).text;
      expect([after.nick, face]).toEqual(['new', 'a new face']);
      expect((await later(world, profile.avatar.value)).status).toBe(404);
    },
  );

  async function keysOf(world: World, self: string) {
    const { user_key } = await read(world, self);
    return { key: await world.apiKey(), user: user_key };
  }

  it('is unchanged by a form without its fields, and by a name with a dot in JSON', async ({
    world,
  }) => {
    const { links, profile } = await registered(world, 'eve');

    await patch(world, links.self, form({ name: 'username', value: 'eva' }));
    await patch(world, links.self, { 'profile.nick': 'x' });
    const shown = await read(world, links.self);

    expect([shown.username, shown.profile]).toEqual(['eva', profile]);
  });

  it.for<[string, readonly Part[], object]>([
    ['an empty file', [avatar('')], { avatar: ['The submitted file is empty.'] }],
    ['a wrong number', [{ name: 'profile.age', value: 'x' }], { age: noInteger }],
    ['a list for a whole', [{ name: 'profile', value: '[]' }, nick('x')], notObject()],
  ])('with %s is rejected, and so is its user', async ([_, parts, response], { world }) => {
    const refused = await register(world, ...named('fay'), ...parts);

    expect([refused.status, refused.body]).toEqual([400, { profile: response }]);
  });
});

function withSabotage(store: Store) {
  let next: ((write: () => Promise<void>) => Promise<void>) | undefined;
  return {
    ...store,
    /** Replaces the next write that a client requests. */
    sabotage: (act: typeof next) => {
      next = act;
    },
    write: (transaction: Transaction) => {
      const write = () => store.write(transaction);
      if (transaction.change.cause !== 'client') return write();
      const act = next;
      next = undefined;
      return act === undefined ? write() : act(write);
    },
  };
}

interface Part {
  readonly name: string;
  readonly value: string | Blob;
  readonly filename?: string;
}

function form(...parts: readonly Part[]): FormData {
  const data = new FormData();
  for (const { name, value, filename } of parts) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, filename);
  }
  return data;
}

function file(name: string, text: string, filename = 'a.txt', type = ''): Part {
  return { name, filename, value: new Blob([text], { type }) };
}

const post = ({ api, owner }: World, body: unknown) => api.send({ as: owner, path, body });
const patch = ({ api, owner }: World, at: string, body: unknown) =>
  api.send({ as: owner, method: 'PATCH', path: at, body });

const read = async ({ api, owner }: World, at: string) =>
  expected(await api.send({ as: owner, path: at }), 200);

/** Returns the content at an address. */
async function download(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(url, { headers, method });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Returns the content at an address after all jobs of earlier requests. */
async function later({ api }: World, url: string) {
  await api.platform.idle();
  return download(url);
}

/** Runs the jobs that are due within so many minutes, as a process whose clock is ahead. */
async function jobsOf(platform: LocalPlatform, minutes: number): Promise<void> {
  const { clock } = platform;
  await platform.idle();
  const context = {
    ...platform,
    clock: { ...clock, micros: () => clock.micros() + minutes * 60_000_000 },
    settled: () => Promise.resolve(),
    endedBefore: () => Promise.resolve(true),
  };
  await runDue({ kinds: jobTypes, context, isEnding: () => false });
}

/** Creates an object with a scan; returns its path and the scan's address. */
async function withScan(world: World, text = 'the scan'): Promise<{ self: string; url: string }> {
  const made = expected(await post(world, form(file('scan', text))), 201);
  return { self: made.links.self, url: made.scan.value };
}

/** Returns the number of files of an object, each of which must exist. */
async function storedFiles(world: World, self: string): Promise<number> {
  const { scan, photo } = await read(world, self);
  const urls = [scan, photo].flatMap((each) => each?.value ?? []);
  const found = await Promise.all(urls.map((url) => download(url)));
  expect(found.map(({ status }) => status)).toEqual(urls.map(() => 200));
  return urls.length;
}

/** Records the files that are stored from now on. */
function openCommit(
  { platform }: Api,
  { sabotage }: ReturnType<typeof withSabotage>,
  onCleanup: (clean: () => void) => void,
) {
  const stored: string[] = [];
  const { put } = platform.files;
  const recording: typeof put = (owner, key, content) => {
    stored.push(key);
    return put(owner, key, content);
  };
  Object.assign(platform.files, { put: recording });
  onCleanup(() => {
    Object.assign(platform.files, { put });
  });
  /** Returns which of the stored files remain after all jobs of the next twenty minutes. */
  async function left(): Promise<readonly boolean[]> {
    await jobsOf(platform, 20);
    return Promise.all(stored.map((key) => hasFile(platform.files, key)));
  }
  return { stored, sabotage, left };
}
