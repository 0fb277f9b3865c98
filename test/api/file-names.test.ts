import { describe, expect } from 'vitest';
import { dataOwner } from '../../shared/values/file-keys.ts';
import { keyOfUrl } from '../../shared/values/files/file-addresses.ts';
import type { World } from '../support/api.ts';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { dataIdOf } from '../support/moved-store.ts';

/** The name of a file at its download (docs/reference/objects.md#files). */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const zurich = `inline; filename="Z_rich.txt"; filename*=UTF-8''Z%C3%BCrich.txt`;

describe('the name of a file', () => {
  it('is that of its part, in responses to GET and HEAD', async ({ given: { upload } }) => {
    const url = await upload('filename="Zürich.txt"');

    expect(url).toMatch(/\/[0-9a-f]{40}\.txt$/);
    expect(await dispositionOf(url)).toBe(zurich);
    expect(await dispositionOf(url, 'HEAD')).toBe(zurich);
  });

  it('is that of a data endpoint', async ({ world, given: { upload } }) => {
    const url = await upload('filename="Zürich.txt"', `${world.base}endpoints/data/papers/post/`);

    expect(await dispositionOf(url)).toBe(zurich);
  });

  it('is kept by a copy', async ({ world, given: { upload } }) => {
    const scan = await upload('filename="Zürich.txt"');
    const copy = await world.own('POST', 'classes/paper/objects/', { scan });

    expect(await dispositionOf(expected(copy, 201).scan.value)).toBe(zurich);
  });

  it.skipIf(isOn('roles'))(
    'is that of the request for the form of a large upload',
    async ({ world }) => {
      const filename = 'C:\\fakepath\\Zürich.txt';
      const body = { filename, content_type: 'text/plain; charset=iso-8859-1' };
      const opened = await world.own('POST', 'classes/paper/uploads/', body);
      const { url, fields, file } = expected(opened, 201);
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
      form.append('file', new Blob(['text']), 'another name');
      await fetch(url, { method: 'POST', body: form });
      const saved = await world.own('POST', 'classes/paper/objects/', { scan: file });

      const { value } = expected(saved, 201).scan;
      expect(await dispositionOf(value)).toBe(zurich);
      expect((await fetch(value)).headers.get('content-type')).toBe(
        'text/plain; charset=iso-8859-1',
      );
    },
  );

  it.for([
    [
      'with an end of a header',
      `filename*=UTF-8''a%0D%0ASet-Cookie:%20b=c.txt`,
      'aSet-Cookie: b=c.txt',
    ],
    ['with quotes', 'filename="a\\"; filename=\\"b.txt"', 'a"; filename="b.txt'],
    ['with a way out', `filename*=UTF-8''..%2F..%2Fb.txt`, 'b.txt'],
    ['with backslashes', `filename*=UTF-8''..%5C..%5Cb.txt`, 'b.txt'],
    ['that runs from right to left', `filename*=UTF-8''a%E2%80%AEtxt.exe`, 'atxt.exe'],
    ['with characters of no width', `filename*=UTF-8''a%E2%80%8Db.txt`, 'a\u200db.txt'],
    ['of 1,900 bytes', `filename="${'a'.repeat(1900)}.txt"`, `${'a'.repeat(251)}.txt`],
  ] as const)('%s changes no other header', async ([_, parameter, name], { given: { upload } }) => {
    const header = (await dispositionOf(await upload(parameter))) ?? '';

    const [, encoded = ''] = /; filename\*=UTF-8''([^;]*)$/.exec(header) ?? [];
    expect(header).toMatch(/^[a-z]+; filename="[^"\\]*"; filename\*=[\x21-\x7e]*$/);
    expect(decodeURIComponent(encoded)).toBe(name);
  });

  it('is absent for a file that was stored without one', async ({ api, given: { upload } }) => {
    const url = await upload('filename="a.txt"');
    const key = keyOfUrl(api.platform.files.address(), url);
    if (key === undefined) throw new Error('not a file');
    const content = { bytes: Buffer.from('old'), contentType: 'text/plain' };
    await api.platform.files.put(dataOwner(dataIdOf(1)), key, content);

    expect(await dispositionOf(url)).toBe('inline');
  });
});

it('a backup and its restore keep the name', async ({ api, world, given: { upload } }) => {
  const url = await upload('filename="Zürich.txt"');
  const ended = async (at: string): Promise<string> => {
    for (;;) {
      const { status } = await world.read(at);
      if (!['scheduled', 'running', 'uploading'].includes(status)) return status;
      await api.platform.idle();
    }
  };
  const made = await world.create('backups/full/', {});
  await ended(`backups/full/${made.id}/`);
  const restored = await world.own('POST', 'restores/', { backup: made.id });
  expect(await ended(`restores/${expected(restored, 201).id}/`)).toBe('success');

  const { objects } = await world.read('classes/paper/objects/');
  const urls = objects.map((each: { scan: { value: string } }) => each.scan.value);
  expect(urls).not.toContain(url);
  const names = await Promise.all(urls.map((each: string) => dispositionOf(each)));
  expect(names).toContain(zurich);
});

async function setUp(world: World) {
  const { api } = world;
  /** Uploads a file in a multipart body whose head is as it is, and returns its address. */
  async function upload(parameter: string, at = `${path}objects/`): Promise<string> {
    const head = Buffer.from(`content-disposition: form-data; name="scan"; ${parameter}`);
    const parts = ['--XX\r\n', head, '\r\ncontent-type: text/plain; charset=utf-8\r\n\r\n'];
    const body = Buffer.concat([...parts, 'text\r\n--XX--\r\n'].map((part) => Buffer.from(part)));
    const headers = { 'Content-Type': 'multipart/form-data; boundary=XX' };
    const made = await api.send({ as: world.owner, method: 'POST', path: at, headers, body });
    return expected(made, 201).scan.value;
  }
  const path = await world.dataClass('paper', [{ name: 'scan', type: 'file' }]);
  await world.own('POST', 'endpoints/data/', { name: 'papers', class: 'paper' });
  return { upload };
}

async function dispositionOf(url: string, method = 'GET') {
  const response = await fetch(url, { method });
  await response.text();
  expect(response.status).toBe(200);
  return response.headers.get('content-disposition');
}
