import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import {
  column,
  isNull,
  missing,
  noChoice,
  noJson,
  rejections,
  required,
  time,
  tooLong,
} from '../support/responses.ts';

/** Records of scripts; their runs are in script-runs.test.ts. */

const it = worldTest();

const list = 'snippets/scripts/';
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
/** A config of this length as JSON. */
const sized = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });

describe('a script', () => {
  it('is created with the fields of the request, and defaults', async ({ world }) => {
    const sent = { runtime_name: 'nodejs_v6', source: ' 1\n', label: 'greet', config: { a: 1 } };

    const made = await call(world, 'POST', '', { ...sent, id: 77, version: 3, junk: true });
    const plain = await call(world, 'POST', '', { runtime_name: 'python3' });

    const self = (id: number) => `${world.base}${list}${id}/`;
    const links = (id: number) => ({
      self: self(id),
      run: `${self(id)}run/`,
      traces: `${self(id)}traces/`,
      runtimes: `${world.base}${list}runtimes/`,
    });
    const id = made.body.id;
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id,
      ...sent,
      description: '',
      created_at: time,
      updated_at: time,
      links: links(id),
    });
    expect(plain.body).toEqual({
      id: id + 1,
      runtime_name: 'python3',
      source: '',
      label: '',
      description: '',
      config: {},
      created_at: time,
      updated_at: time,
      links: links(id + 1),
    });
    expect((await call(world, 'GET', `${id}/`)).body).toEqual(made.body);
  });

  it('is changed by PATCH in the fields that are sent, by PUT also in those with a default', async ({
    world,
  }) => {
    const texts = { label: 'L', description: 'D' };
    const { at } = await make(world, { source: '1', config: { a: 1 }, ...texts });

    const patched = expected(await call(world, 'PATCH', at, { source: '2' }), 200);
    const put = expected(await call(world, 'PUT', at, { runtime_name: 'nodejs_v12' }), 200);
    const bare = await call(world, 'PUT', at, { source: '3' });

    expect(patched).toMatchObject({ source: '2', config: { a: 1 }, ...texts });
    expect(put).toMatchObject({ runtime_name: 'nodejs_v12', source: '', config: {}, ...texts });
    expect([bare.status, bare.body]).toEqual([400, { runtime_name: required }]);
    expect((await call(world, 'GET', at)).body).toEqual(put);
  });

  it('is missing after it was deleted', async ({ world }) => {
    const { at } = await make(world);

    const deleted = await call(world, 'DELETE', at);
    const others = ['GET', 'PUT', 'PATCH', 'DELETE'].map((method) =>
      call(world, method, at, undefined),
    );
    const below = await Promise.all([
      call(world, 'POST', `${at}run/`),
      call(world, 'GET', `${at}traces/`),
      call(world, 'GET', `${at}traces/1/`),
    ]);

    expect([deleted.status, deleted.body]).toEqual([204, '']);
    const noScript = { detail: 'Script was not found.' };
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(below.map(({ status, body }) => [status, body])).toEqual([
      [404, missing],
      [404, noScript],
      [404, noScript],
    ]);
  });
});

rejections(it, 'a script is rejected with', (body, world) => post(world, body), [
  ['no runtime', { runtime_name: undefined }, { runtime_name: required }],
  ...['golang', 'swift', 'php', '0', 'NODEJS', '', 'toString'].map(
    (name) =>
      [`a runtime "${name}"`, { runtime_name: name }, { runtime_name: noChoice(name) }] as const,
  ),
  ['the number of a runtime', { runtime_name: 0 }, { runtime_name: noChoice('0') }],
  [
    'nulls',
    { runtime_name: null, source: null, config: null },
    { runtime_name: isNull, source: isNull, config: isNull },
  ],
  [
    'a source of 3 MiB and a letter',
    { source: 'x'.repeat(3_145_729) },
    { source: tooLong(3_145_728) },
  ],
  ['a config that is a list', { config: [] }, { config: ['Config passed in invalid format.'] }],
  ['a config that is no JSON', { config: '{' }, { config: noJson }],
  [
    'a config of 1,025 keys',
    { config: keys(1025) },
    { config: ['Too many keys defined (exceeds 1024).'] },
  ],
  [
    'a config with a key of 65',
    { config: { ['k'.repeat(65)]: 1 } },
    { config: ['Too long key defined (exceeds 64).'] },
  ],
  [
    'a config of 262,145 bytes',
    { config: sized(262_145) },
    { config: ['Too big object defined (exceeds 262144).'] },
  ],
  [
    'long texts',
    { label: 'x'.repeat(81), description: 'x'.repeat(257) },
    { label: tooLong(80), description: tooLong(256) },
  ],
]);

it.for<[string, object]>([
  ['a source of 3 MiB', { source: 'x'.repeat(3_145_728) }],
  ['a config as text', { config: '{"a": 1}' }],
  ['an empty config as text', { config: '' }],
  ['a config of 262,144 bytes', { config: sized(262_144) }],
  ['a label of 80', { label: 'x'.repeat(80) }],
  ...['nodejs', 'nodejs_library_v0.4', 'nodejs_library_v1.0', 'nodejs_v6', 'nodejs_v8'].map(named),
  ...['nodejs_v12', 'python', 'python3', 'python_library_v4.2', 'python_library_v5.0'].map(named),
])('a script may have %s', async ([_, body], { world }) => {
  expect((await post(world, body)).status).toBe(201);
});

describe('a long source', () => {
  const long = `// ${'é'.repeat(70_000)}\u{1F600}\nconsole.log(1);\n`;
  const shownInLists = 65_536;

  it('is whole except in lists, where it is cut', async ({ world }) => {
    const { id, at } = await make(world, { source: long, label: 'long' });

    const detail = expected(await call(world, 'GET', at), 200);
    const { objects } = expected(await call(world, 'GET', '?label__startswith=long'), 200);

    expect(detail.source === long).toBe(true);
    expect(objects).toHaveLength(1);
    const mark = '\n(...truncated...)';
    expect(objects[0].id).toBe(id);
    expect(objects[0].source === long.slice(0, shownInLists - mark.length) + mark).toBe(true);
  });

  it('of the maximum length in lists is whole there, whatever its size in bytes', async ({
    world,
  }) => {
    const source = '\u{1F600}'.repeat(shownInLists);
    await make(world, { source, label: 'wide' });

    const { objects } = expected(await call(world, 'GET', '?label__startswith=wide'), 200);

    expect(objects[0].source === source).toBe(true);
  });

  it('is replaced with another, and is deleted with its script, including its file', async ({
    world,
  }) => {
    const { at } = await make(world, { source: long });
    const other = `${long}//`;

    const patched = expected(await call(world, 'PATCH', at, { source: other }), 200);
    const labelled = expected(await call(world, 'PATCH', at, { label: 'x' }), 200);
    const moved = expected(await call(world, 'PATCH', at, { runtime_name: 'nodejs_v8' }), 200);
    const small = expected(await call(world, 'PATCH', at, { source: '1' }), 200);

    for (const { source } of [patched, labelled, moved]) expect(source === other).toBe(true);
    expect([small.source, (await call(world, 'GET', at)).body.source]).toEqual(['1', '1']);
  });
});

describe('a list', () => {
  it('has scripts in their order, filtered by label prefix, and pages', async ({ api, world }) => {
    const labels = ['page a', 'other', 'page b', 'page c'];
    for (const label of labels) await make(world, { label });
    const first = await call(world, 'GET', '?label__startswith=page&page_size=2');
    const second = await api.send({ as: world.owner, path: first.body.next });

    expect(column(first, 'label')).toEqual(['page a', 'page b']);
    expect(column(second, 'label')).toEqual(['page c']);
  });
});

describe('a list of scripts that are too large for one response', () => {
  const names = Array.from({ length: 26 }, (_, n) => `bulky ${String(n).padStart(2, '0')}`);
  const source = '"'.repeat(65_000);

  it('continues with the next page, and back', async ({ world }) => {
    for (const label of names) await make(world, { label, source });
    const path = `${world.base}${list}?label__startswith=bulky`;

    const forward = await follow(world, path, 'next');
    const backward = await follow(world, `${path}&direction=0`, 'prev');
    const trimmed = await follow(world, `${path}&fields=label`, 'next');

    expect(forward.map(({ length }) => length)).toEqual([23, 3]);
    expect(forward.flat()).toEqual(names);
    expect(backward.map(({ length }) => length)).toEqual([23, 3]);
    expect(backward.toReversed().flat()).toEqual(names);
    expect(trimmed).toEqual([names]);
  });
});

describe('runtimes', () => {
  it('exclude aliases, and have their properties', async ({ world }) => {
    const { status, body } = await call(world, 'GET', 'runtimes/');

    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual([
      'nodejs_library_v0.4',
      'nodejs_library_v1.0',
      'nodejs_v6',
      'nodejs_v8',
      'nodejs_v12',
      'python_library_v4.2',
      'python_library_v5.0',
      'python3',
    ]);
    expect(body['nodejs_library_v0.4']).toEqual({
      name: 'Node.js',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      library: null,
      library_version: '0.4',
      deprecated: true,
      image: 'node',
      packages: null,
      isolation: expect.stringMatching(/^(bubblewrap|landlock|flags|lambda)$/),
    });
  });
});

function named(runtime_name: string): [string, object] {
  return [`the runtime ${runtime_name}`, { runtime_name }];
}

const call = (world: World, method: string, path = '', body?: unknown) =>
  world.own(method, list + path, body);

async function make(
  world: World,
  body: object = {},
): Promise<{ readonly id: number; readonly at: string }> {
  const { id } = expected(await call(world, 'POST', '', { runtime_name: 'nodejs', ...body }), 201);
  return { id, at: `${id}/` };
}

const post = (world: World, body: unknown) =>
  call(world, 'POST', '', { runtime_name: 'nodejs', ...(body as object) });

const follow = async (world: World, start: string, link: 'next' | 'prev') => {
  const pages: string[][] = [];
  for (let path: string | null = start; path !== null; ) {
    const { status, body } = await world.api.send({ as: world.owner, path });
    expect(status).toBe(200);
    pages.push(body.objects.map(({ label }: { label: string }) => label));
    path = body[link];
  }
  return pages;
};
