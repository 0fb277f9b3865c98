import sharp from 'sharp';
import { describe, expect, vi } from 'vitest';
import { openThumbs, type Thumbs } from '../../shared/platforms/local/pictures/thumbs.ts';
import type { Quotas } from '../../shared/ports/ports.ts';
import { classEntity, fileEntity } from '../../shared/table/entities/classes.ts';
import { keyOfUrl } from '../../shared/values/files/file-addresses.ts';
import { type Api, expected, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { hasFile, ownedKey } from '../support/has-file.ts';
import { medium } from '../support/medium.ts';
import { instanceId } from '../support/stored-records.ts';

/* Smaller pictures of files: which are made, of what, and that they end with their file. */

const it = worldTest();

const schema = [
  { name: 'photo', type: 'file', thumbs: ['100x50', '40x0', '0x30'] },
  { name: 'scan', type: 'file', private: true, thumbs: ['20x20'] },
];
const list = '/v1.1/instances/blog-1/classes/album/objects/';

it.beforeAll(({ world }) => world.dataClass('album', schema));

describe.skipIf(medium !== undefined)('a smaller picture', () => {
  it('has the size and the type of its file, and a tag of its own', async ({ world }) => {
    const { url } = await store(world, await picture('jpeg'));
    const read = await get(`${url}?thumb=100x50`);
    expect([read.status, read.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(await shapeOf(read.bytes)).toEqual(of('jpeg', 100, 50));
    expect(await shapeOf((await get(`${url}?thumb=40x0`)).bytes)).toEqual(of('jpeg', 40, 20));
    expect(await shapeOf((await get(`${url}?thumb=0x30`)).bytes)).toEqual(of('jpeg', 60, 30));

    const tag = read.headers.get('etag') ?? '';
    expect(tag).not.toBe((await get(url)).headers.get('etag'));
    const again = await get(`${url}?thumb=100x50`, { headers: { 'if-none-match': tag } });
    expect(again.status).toBe(304);
    expect((await get(`${url}?thumb=100x50`, { method: 'HEAD' })).status).toBe(200);
  });

  it.for([
    ['png', 'png'],
    ['webp', 'webp'],
    ['gif', 'png'],
    ['avif', 'heif'],
  ] as const)(
    'is made of a %s whatever type it was sent with',
    async ([type, format], { world }) => {
      const { url } = await store(world, await picture(type));
      const { bytes } = await get(`${url}?thumb=100x50`);
      expect(await shapeOf(bytes)).toEqual(of(format, 100, 50));
    },
  );

  it('has the orientation of its file, and none of its metadata', async ({ world }) => {
    const turned = sharp(await picture('jpeg')).withMetadata({ orientation: 6 });
    const bytes = await turned.withExif({ IFD0: { Copyright: 'secret' } }).toBuffer();
    expect(bytes.includes('secret')).toBe(true);
    const { url } = await store(world, bytes);
    const read = await get(`${url}?thumb=40x0`);
    expect(await shapeOf(read.bytes)).toEqual(of('jpeg', 40, 80));
    expect(read.bytes.includes('secret')).toBe(false);
  });

  it('exists in declared sizes only', async ({ world }) => {
    const { url } = await store(world, await picture('jpeg'));
    const sizes = ['100x51', '0x0', '', '100', '100x50x', '0100x50', '1e2x50', '../x', '100x50/'];
    for (const size of sizes) {
      expect([size, (await get(`${url}?thumb=${encodeURIComponent(size)}`)).status]).toEqual([
        size,
        404,
      ]);
    }
    expect((await get(`${url.replace(/[0-9a-f]{40}/, '0'.repeat(40))}?thumb=40x0`)).status).toBe(
      404,
    );
    for (const [key] of [await thumbKeysOf(world, url)]) expect(key).toBeUndefined();
  });

  it('has no address of its own', async ({ api, world }) => {
    const { url } = await store(world, await picture('jpeg'));
    await get(`${url}?thumb=40x0`);
    const [key = ''] = await thumbKeysOf(world, url);
    expect(key).toMatch(/^thumbs\/\d+\/\d+\/[0-9a-f]{40}\.jpg_40x0$/);
    for (const at of [key, key.slice('thumbs/'.length)]) {
      expect((await get(`${api.platform.files.address()}/${at}`)).status).toBe(404);
    }
    const copy = await world.own('POST', 'classes/album/objects/', { photo: key });
    expect(copy.status).toBe(400);
  });

  it('of a private file needs the signature of the file', async ({ world }) => {
    const { url } = await store(world, await picture('jpeg'), 'scan');
    const read = await get(`${url}&thumb=20x20`);
    expect([read.status, read.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(await shapeOf(read.bytes)).toEqual(of('jpeg', 20, 20));

    expect((await get(`${url}&thumb=21x20`)).status).toBe(404);
    const [address = ''] = url.split('?');
    const attacks = [
      `${address}?thumb=20x20`,
      `${url.replace(/signature=./, 'signature=')}&thumb=20x20`,
      `${address}?thumb=20x20&${url.split('?')[1]}`,
      `${url}&thumb=20x20&thumb=20x20`,
      `${url}&thumb=20x20&x=1`,
    ];
    for (const attack of attacks) expect((await get(attack)).status, attack).toBe(403);
  });

  it('is made once for parallel requests', async ({ world }) => {
    const { url } = await store(world, await picture('jpeg'));
    const all = await Promise.all(Array.from({ length: 12 }, () => get(`${url}?thumb=40x0`)));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(await thumbKeysOf(world, url)).toHaveLength(1);
  });

  it('is made again where a backup has left it out, and counted once', async ({ api, world }) => {
    const { url } = await store(world, await picture('jpeg'));
    await get(`${url}?thumb=40x0`);
    const [text = ''] = await thumbKeysOf(world, url);
    const { owner, key } = ownedKey(text);
    await api.platform.files.remove(owner, [key]);
    expect((await get(`${url}?thumb=40x0`)).status).toBe(200);
    expect(await thumbKeysOf(world, url)).toEqual([text]);
  });
});

describe.skipIf(medium !== undefined)('a smaller picture ends', () => {
  const thumbOf = async (world: World, { url }: { readonly url: string }, name?: string) => {
    expect((await get(`${url}?thumb=40x0`)).status).toBe(200);
    const [key = ''] = await thumbKeysOf(world, url, name);
    expect(await hasFile(world.api.platform.files, key)).toBe(true);
    return key;
  };

  it('with the object', async ({ api, world }) => {
    const stored = await store(world, await picture('jpeg'));
    const key = await thumbOf(world, stored);
    expected(await api.send({ as: world.owner, method: 'DELETE', path: stored.self }), 204);
    await isGone(world, key);
    expect((await get(`${stored.url}?thumb=40x0`)).status).toBe(404);
  });

  it('with the replacement of its file, which has another one', async ({ api, world }) => {
    const stored = await store(world, await picture('jpeg'));
    const key = await thumbOf(world, stored);
    const body = new FormData();
    body.append('photo', new Blob([await picture('png', 300, 300)]), 'b.png');
    const changed = await api.send({ as: world.owner, method: 'PATCH', path: stored.self, body });
    const url: string = expected(changed, 200).photo.value;
    await isGone(world, key);
    expect(await shapeOf((await get(`${url}?thumb=40x0`)).bytes)).toEqual(of('png', 40, 40));
  });

  it.for<[string, object[]]>([
    ['when its field becomes private', [{ ...schema[0], private: true }]],
    ['with its field', []],
  ])('%s', async ([title, changed], { world }) => {
    const name = title.length > 15 ? 'box_private' : 'box_removed';
    const at = `${await world.dataClass(name, schema.slice(0, 1))}objects/`;
    const key = await thumbOf(world, await store(world, await picture('jpeg'), 'photo', at), name);
    expected(await world.own('PATCH', `classes/${name}/`, { schema: changed }), 200);
    await isGone(world, key, name);
  });
});

describe.skipIf(medium !== undefined)('a smaller picture that is being made', () => {
  const openWith = (api: Api, make: () => Promise<Buffer>, more: object = {}) =>
    openThumbs({
      ...api.platform,
      ...more,
      pictures: { inTurn: (_, use) => use(), make },
    });

  const openAt = (api: Api, thumbs: Thumbs, url: string) => {
    const { owner, key } = ownedKey(keyOfUrl(api.platform.files.address(), url) ?? '');
    return thumbs.open(owner, key, '40x0');
  };

  it('is not stored when its file is deleted', async ({ api, world }) => {
    const stored = await store(world, await picture('jpeg'));
    const thumbs = openWith(api, async () => {
      expected(await api.send({ as: world.owner, method: 'DELETE', path: stored.self }), 204);
      return Buffer.from('made');
    });
    await expect(openAt(api, thumbs, stored.url)).rejects.toMatchObject({ status: 404 });
    expect(await thumbKeysOf(world, stored.url)).toEqual([]);
  });

  it('is made by the next request after a failure', async ({ api, world }) => {
    const stored = await store(world, await picture('jpeg'));
    const failing = openWith(api, () => Promise.reject(new Error('crashed')));
    await expect(openAt(api, failing, stored.url)).rejects.toThrow('crashed');
    expect(await thumbKeysOf(world, stored.url)).toEqual([]);
    expect((await get(`${stored.url}?thumb=40x0`)).status).toBe(200);
  });

  it('is not made of more than 32 MB', async ({ api, world }) => {
    const stored = await store(world, await picture('jpeg'));
    const files = { ...api.platform.files, size: async () => 32 * 2 ** 20 + 1 };
    const thumbs = openWith(api, () => Promise.reject(new Error('made')), { files });
    await expect(openAt(api, thumbs, stored.url)).rejects.toMatchObject({ status: 415 });
  });

  it('needs room in the quota of files', async ({ api, world }) => {
    const stored = await store(world, await picture('jpeg'));
    const taken: unknown[] = [];
    const quotas: Quotas = {
      isLimited: () => true,
      take: async (_, kind, bytes) => {
        taken.push([kind, bytes]);
        return { exceeded: 'full', release: () => undefined };
      },
    };
    const thumbs = openWith(api, async () => Buffer.from('made'), { quotas });
    await expect(openAt(api, thumbs, stored.url)).rejects.toMatchObject({
      status: 400,
      code: 'quota_exceeded',
    });
    expect(taken).toEqual([['files', 4]]);
    expect(await thumbKeysOf(world, stored.url)).toEqual([]);
  });
});

describe('sizes of a field', () => {
  const message =
    'Error processing field definition "f" #0: Invalid value of field "thumbs". Expected at most 8 different sizes, such as "300x200" or "300x0", of at most 2000 pixels.';
  const nine = Array.from({ length: 9 }, (_, at) => `${at + 1}x0`);
  it.for([
    [null],
    [true],
    ['100x100'],
    [{}],
    [nine],
    [['0x0']],
    [['2001x0']],
    [['0x2001']],
    [['01x1']],
    [['-1x1']],
    [['1.5x1']],
    [['100X100']],
    [['100x100', '100x100']],
    [[100]],
    [['100x100\n']],
  ])('cannot be %j', async ([thumbs], { world }) => {
    const body = { name: 'wrong', schema: [{ name: 'f', type: 'file', thumbs }] };
    expect(expected(await world.own('POST', 'classes/', body), 400)).toEqual({ schema: [message] });
  });

  it('are kept, also when they change, and a list without any is not stored', async ({ world }) => {
    const name = 'sized';
    const schemaOf = (thumbs: readonly string[]) => [{ name: 'f', type: 'file', thumbs }];
    await world.dataClass(name, schemaOf([]));
    const read = async () => expected(await world.own('GET', `classes/${name}/`), 200).schema;
    expect(await read()).toEqual([{ name: 'f', type: 'file' }]);
    for (const thumbs of [nine.slice(1), ['2000x2000'], ['0x1']]) {
      expected(await world.own('PATCH', `classes/${name}/`, { schema: schemaOf(thumbs) }), 200);
      expect(await read()).toEqual(schemaOf(thumbs));
    }
  });
});

describe.skipIf(medium !== undefined)('no smaller picture', () => {
  const gifOf = (frames: number) => {
    const head = Buffer.from(
      'GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\xff\x00',
      'latin1',
    );
    const frame = Buffer.from(
      '\x21\xf9\x04\x00\x0a\x00\x00\x00\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00',
      'latin1',
    );
    return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from(';')]);
  };

  it('is made of more than the first frame of 10,000', async ({ world }) => {
    const { url } = await store(world, gifOf(10_000));
    const read = await get(`${url}?thumb=40x0`);
    expect([read.status, (await shapeOf(read.bytes)).format]).toEqual([200, 'png']);
  });

  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"><rect width="9"/></svg>';
  const png = '\x89PNG\r\n\x1a\n';
  it.for<readonly [string, () => Buffer | Promise<Buffer>]>([
    ['a text', () => Buffer.from('no picture')],
    ['an SVG', () => Buffer.from(svg)],
    [
      'a TIFF',
      () =>
        sharp({ create: { width: 9, height: 9, ...red } })
          .tiff()
          .toBuffer(),
    ],
    ['an SVG with the head of a PNG', () => Buffer.from(png + svg, 'latin1')],
    [
      'a GIF with the head of a JPEG',
      () => Buffer.concat([Buffer.from('ffd8ff', 'hex'), gifOf(1)]),
    ],
    ['half a JPEG', async () => (await picture('jpeg', 900, 900)).subarray(0, 3000)],
    ['half a PNG', async () => (await picture('png', 900, 900)).subarray(0, 400)],
    ['100 megapixels', () => picture('png', 10_000, 10_000)],
  ])('is made of %s', async ([_, make], { world }) => {
    const { url } = await store(world, await make());
    const read = await get(`${url}?thumb=40x0`);
    expect([read.status, read.headers.get('x-error-code')]).toEqual([415, 'picture_unfit']);
    expect((await get(url)).status).toBe(200);
    expect(await thumbKeysOf(world, url)).toEqual([]);
  });
});

const red = { channels: 3, background: { r: 200, g: 30, b: 30 } } as const;
const picture = (type: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif', width = 200, height = 100) =>
  sharp({ create: { width, height, ...red } })
    .toFormat(type)
    .toBuffer();

async function store({ api, owner: as }: World, bytes: Uint8Array, field = 'photo', path = list) {
  const body = new FormData();
  body.append(field, new Blob([bytes], { type: 'image/jpeg' }), 'a.jpg');
  const made = expected(await api.send({ as, method: 'POST', path, body }), 201);
  return { url: made[field].value as string, self: made.links.self as string };
}

async function get(url: string, options: RequestInit = {}) {
  const response = await fetch(url, options);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, bytes, headers: response.headers };
}

async function shapeOf(bytes: Buffer) {
  const { format, width, height, pages, exif, icc, xmp } = await sharp(bytes).metadata();
  return { format, width, height, hasMetadata: Boolean(exif ?? icc ?? xmp), pages };
}

const of = (format: string, width: number, height: number) =>
  expect.objectContaining({ format, width, height, hasMetadata: false });

/** Returns the names of the stored pictures of a class, by the records that are counted. */
async function recordsOf(world: World, name: string) {
  const { store } = world.api.platform;
  const instance = await instanceId(store, world.instance);
  const number = (await classEntity.read(store, instance, name))?.data.number ?? 0;
  const records = await fileEntity.list(store, [instance, number], { limit: 1000 });
  return records.items.map(({ key }) => key.sk).filter((key) => key.startsWith('thumbs/'));
}

const keyOf = (url: string) => /[0-9a-f]{40}\.jpg/.exec(url)?.[0] ?? '';

async function thumbKeysOf(world: World, url: string, name = 'album') {
  return (await recordsOf(world, name)).filter((key) => key.includes(keyOf(url)));
}

/** Waits until a picture is neither stored nor counted. */
async function isGone(world: World, key: string, name = 'album') {
  const { platform } = world.api;
  await vi.waitFor(
    async () => {
      await platform.idle();
      expect(await recordsOf(world, name)).not.toContain(key);
      expect(await hasFile(platform.files, key)).toBe(false);
    },
    { timeout: 10_000, interval: 100 },
  );
}
