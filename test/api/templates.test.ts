import { describe, expect } from 'vitest';
import { type Credentials, expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import {
  blank,
  column,
  isNull,
  missing,
  noJson,
  required,
  taken,
  tooLong,
} from '../support/responses.ts';

/** The records of templates; their rendering is in rendering.test.ts. */

const it = newWorldTest('blog');

const plain = { content: '<p>{{ one }}</p>', content_type: 'text/html' };
const predefined = ['objects_html_table', 'objects_csv'];

describe('a template', () => {
  it('is created with a name, a content and its type', async ({ world }) => {
    const { status, body } = await call(world, 'POST', '', { name: ' My-Page ', ...plain });

    const made = { name: 'my-page', ...plain, context: {}, description: '' };
    expect([status, body]).toEqual([201, { ...made, links: linksOf(world, 'my-page') }]);
    expect((await call(world, 'GET', 'MY-page/')).body).toEqual(body);
    expect(await names(world)).toEqual([...predefined, 'my-page']);
  });

  it('is created with all of its fields, white space around its content trimmed', async ({
    world,
  }) => {
    const sent = {
      name: 'a',
      content_type: 'application/vnd.api+json',
      description: 'd',
      context: { one: 1, list: ['a'], 'any key': { a: null } },
    };

    const { body } = await call(world, 'POST', '', { ...sent, content: '\n {{ one }} \n' });

    expect(body).toEqual({ ...sent, content: '{{ one }}', links: linksOf(world, 'a') });
  });

  it('is changed in part by PATCH; PUT empties the context and keeps the rest', async ({
    world,
  }) => {
    await make(world, 'a', { context: { one: 1 }, description: 'd' });

    const patched = await call(world, 'PATCH', 'a/', { content: 'x', name: 'b' });
    const refused = await call(world, 'PUT', 'a/', { description: 'e' });
    const replaced = await call(world, 'PUT', 'a/', { content: 'y', content_type: 'text/plain' });

    const links = linksOf(world, 'a');
    const before = { name: 'a', content_type: 'text/html', description: 'd', links };
    expect(patched.body).toEqual({ ...before, content: 'x', context: { one: 1 } });
    expect([refused.status, refused.body]).toEqual([
      400,
      { content: required, content_type: required },
    ]);
    const after = { ...before, content: 'y', content_type: 'text/plain', context: {} };
    expect(replaced.body).toEqual(after);
    expect((await call(world, 'GET', 'a/')).body).toEqual(after);
  });

  it('is deleted, and its name is free', async ({ world }) => {
    await make(world, 'a', { description: 'old' });

    const removed = await call(world, 'DELETE', 'a/');

    expect([removed.status, removed.body]).toEqual([204, '']);
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      expect((await call(world, method, 'a/', method === 'PATCH' ? {} : undefined)).body).toEqual(
        missing,
      );
    }
    expect((await make(world, 'a')).description).toBe('');
    expect(await names(world)).toEqual([...predefined, 'a']);
  });

  it('is listed by name prefix and in pages', async ({ api, world }) => {
    for (const name of ['b', 'ob', 'a']) await make(world, name);

    const first = await call(world, 'GET', '?page_size=3');
    const second = await api.send({ as: world.owner, path: first.body.next });

    expect(column(first, 'name')).toEqual([...predefined, 'b']);
    expect(column(second, 'name')).toEqual(['ob', 'a']);
    expect(await names(world, '?name__startswith=o')).toEqual([...predefined, 'ob']);
    expect(await names(world, '?ordering=desc&page_size=4')).toEqual([
      'a',
      'ob',
      'b',
      'objects_csv',
    ]);
    expect(await names(world, '?direction=1&last_pk=1&page_size=2')).toEqual(['objects_csv', 'b']);
  });
});

describe('rejected values', () => {
  const type = 'Not a valid content_type.';
  const rows: readonly [field: string, value: unknown, messages: readonly string[]][] = [
    ['name', 'a b', ['Enter a valid value consisting of letters, numbers, underscores, hyphens.']],
    ['name', 'a'.repeat(65), ['Ensure this value has at most 64 characters (it has 65).']],
    ['name', 'objects_csv', taken],
    ['content', ' \n ', blank],
    ['content', null, isNull],
    ['content', 'a'.repeat(65_537), tooLong(65_536)],
    ['content', '{{ one', ['expected variable end']],
    ['content', '{% foo %}', ['unknown block tag: foo (line 1, column 4)']],
    ['content', '{{ one|foo }}', ["no filter named 'foo' (line 1, column 8)"]],
    ['content_type', 'html', [type]],
    ['content_type', 'text/html; charset=utf-8', [type]],
    ['content_type', 'te2xt/html', [type]],
    ['content_type', `text/${'a-'.repeat(120)}!`, [type]],
    ['content_type', `text/${'a'.repeat(251)}`, tooLong(255)],
    ['context', null, isNull],
    ['context', '{', noJson],
    ['context', 7, ['Context passed in invalid format.']],
    ['context', { response: 1 }, ['Reserved key "response" used.']],
    ['context', { Action: 1 }, ['Reserved key "Action" used.']],
    ['context', { ['k'.repeat(129)]: 1 }, ['Too long key defined (exceeds 128).']],
    ['context', { k: 'a'.repeat(4097) }, ['Too long value defined for key k (exceeds 4096).']],
    [
      'context',
      Object.fromEntries([...Array(33).keys()].map((n) => [`f${n}`, 1])),
      ['Too many keys defined (exceeds 32).'],
    ],
    ['description', 'a'.repeat(257), tooLong(256)],
  ];

  it.for(rows)('%s of %j', async ([field, value, messages], { world }) => {
    const { status, body } = await call(world, 'POST', '', { name: 'a', ...plain, [field]: value });

    expect([status, body]).toEqual([400, { [field]: messages }]);
    expect(await names(world)).toEqual(predefined);
  });

  it('name, content and type are required', async ({ world }) => {
    const { status, body } = await call(world, 'POST', '', {});

    expect([status, body]).toEqual([
      400,
      { name: required, content: required, content_type: required },
    ]);
  });

  it('all errors are reported together', async ({ world }) => {
    const { body } = await call(world, 'POST', '', { name: '-', content: '{{', context: [] });

    expect(Object.keys(body).sort()).toEqual(['content', 'content_type', 'context', 'name']);
  });

  it('a change that cannot be parsed is not applied', async ({ world }) => {
    const made = await make(world, 'a');

    const { status, body } = await call(world, 'PATCH', 'a/', { content: '{% if %}' });

    expect([status, Object.keys(body)]).toEqual([400, ['content']]);
    expect((await call(world, 'GET', 'a/')).body).toEqual(made);
  });
});

describe('a rename', () => {
  it('keeps everything except name and links, including the list position', async ({ world }) => {
    const made = await make(world, 'a', { description: 'd' });
    await make(world, 'c');

    const { status, body } = await call(world, 'POST', 'a/rename/', { new_name: ' B ' });

    expect([status, body]).toEqual([200, { ...made, name: 'b', links: linksOf(world, 'b') }]);
    expect((await call(world, 'GET', 'a/')).status).toBe(404);
    expect(await names(world)).toEqual([...predefined, 'b', 'c']);
  });

  it.for([
    [{}, isNull],
    [{ new_name: 'b' }, taken],
    [{ new_name: 'objects_csv' }, taken],
    [{ new_name: '1' }, ['Value has to start with a letter.']],
  ] as const)('with %j is rejected', async ([body, messages], { world }) => {
    for (const name of ['a', 'b']) await make(world, name);

    const refused = await call(world, 'POST', 'a/rename/', body);

    expect([refused.status, refused.body]).toEqual([400, { new_name: messages }]);
  });
});

describe('a predefined template', () => {
  it('exists from the beginning', async ({ world }) => {
    const table = expected(await call(world, 'GET', 'objects_html_table/'), 200);
    const csv = expected(await call(world, 'GET', 'objects_csv/'), 200);

    expect(table).toMatchObject({
      content_type: 'text/html',
      links: linksOf(world, 'objects_html_table'),
    });
    expect(table.context).toMatchObject({
      table_classes: '',
      tr_header_classes: '',
      th_header_classes: '',
      tr_row_classes: '',
      td_row_classes: '',
    });
    expect(csv).toMatchObject({
      content_type: 'text/csv',
      context: { newline: '\n', delimiter: ',' },
    });
  });

  it('can be sent back as it is', async ({ world }) => {
    for (const name of predefined) {
      const shown = expected(await call(world, 'GET', `${name}/`), 200);
      expect(expected(await call(world, 'PUT', `${name}/`, shown), 200)).toEqual(shown);
    }
    expect(await names(world)).toEqual(predefined);
  });

  it('is changed like any other, at its list position', async ({ world }) => {
    const { context } = expected(await call(world, 'GET', 'objects_csv/'), 200);

    const changed = await call(world, 'PATCH', 'objects_csv/', {
      context: { ...context, delimiter: ';' },
    });

    expect(changed.body.context.delimiter).toBe(';');
    expect((await call(world, 'GET', 'objects_csv/')).body).toEqual(changed.body);
    expect(await names(world)).toEqual(predefined);
  });

  it('keeps both of two concurrent changes', async ({ world }) => {
    const responses = await Promise.all([
      call(world, 'PATCH', 'objects_csv/', { content: 'x' }),
      call(world, 'PATCH', 'objects_csv/', { description: 'mine' }),
    ]);

    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    const { content, description } = (await call(world, 'GET', 'objects_csv/')).body;
    expect({ content, description }).toEqual({ content: 'x', description: 'mine' });
  });

  it.for([false, true] as const)(
    'is deleted permanently (changed before: %s)',
    async (isChanged, { world }) => {
      if (isChanged)
        expected(await call(world, 'PATCH', 'objects_csv/', { description: 'd' }), 200);

      expect((await call(world, 'DELETE', 'objects_csv/')).status).toBe(204);

      for (const method of ['GET', 'DELETE', 'PATCH']) {
        const { status } = await call(
          world,
          method,
          'objects_csv/',
          method === 'PATCH' ? {} : undefined,
        );
        expect([method, status]).toEqual([method, 404]);
      }
      expect((await call(world, 'POST', 'objects_csv/render/', {})).status).toBe(404);
      expect(await names(world)).toEqual(['objects_html_table']);
    },
  );

  it('leaves its name to another one, which is deleted permanently as well', async ({ world }) => {
    expected(await call(world, 'DELETE', 'objects_csv/'), 204);
    await make(world, 'z');

    const made = await make(world, 'objects_csv');

    expect((await call(world, 'GET', 'objects_csv/')).body).toEqual(made);
    expect(await names(world)).toEqual(['objects_html_table', 'z', 'objects_csv']);
    expected(await call(world, 'DELETE', 'objects_csv/'), 204);
    expect(await names(world)).toEqual(['objects_html_table', 'z']);
  });

  it('is renamed, keeps its list position, and frees its name', async ({ world }) => {
    const renamed = expected(
      await call(world, 'POST', 'objects_html_table/rename/', { new_name: 'a' }),
      200,
    );
    await make(world, 'b');
    await make(world, 'objects_html_table');

    expect(renamed).toMatchObject({ name: 'a', content_type: 'text/html' });
    expect(await names(world)).toEqual(['a', 'objects_csv', 'b', 'objects_html_table']);
    expected(await call(world, 'DELETE', 'objects_html_table/'), 204);
    expect(await names(world)).toEqual(['a', 'objects_csv', 'b']);
  });
});

const call = (
  world: World,
  method: string,
  path: string,
  body?: unknown,
  as: Credentials = world.owner,
) => world.call(as, method, `snippets/templates/${path}`, body);

const make = async (world: World, name: string, more: object = {}) =>
  expected(await call(world, 'POST', '', { name, ...plain, ...more }), 201);

function linksOf(world: World, name: string) {
  const self = `${world.base}snippets/templates/${name}/`;
  return { self, rename: `${self}rename/` };
}

const names = async (world: World, query = '') => column(await call(world, 'GET', query), 'name');
