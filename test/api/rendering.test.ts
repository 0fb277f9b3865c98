import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { type ApiResponse, type Credentials, expected, plantUser } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { forbidden, isNull, noJson, notObject, required } from '../support/responses.ts';

/** Rendering of variables and of the responses of other endpoints; the syntax of templates is tested in test/domain. */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const html = 'text/html; charset=utf-8';
const json = 'application/json; charset=utf-8';
const text = 'text/plain; charset=utf-8';

describe('render/', () => {
  it.for([
    ['its own context', {}, '<div>blog-1;1;;</div>'],
    [
      'its own context when the one that is sent is empty',
      { context: {} },
      '<div>blog-1;1;;</div>',
    ],
    ['a context in place of its own', { context: { two: 12 } }, '<div>blog-1;;12;</div>'],
    ['a context that is sent as text', { context: '{"one": 11}' }, '<div>blog-1;11;;</div>'],
    ['names that are reserved elsewhere', { context: { instance: 'x' } }, '<div>x;;;</div>'],
  ] as const)('uses %s', async ([_, body, rendered], { world }) => {
    expect(seen(await render(world, 'hello', body))).toEqual({
      status: 200,
      type: html,
      body: rendered,
    });
  });

  it('has the action, and the user if there is one', async ({ world, given: { user } }) => {
    const ofAll = { context: { response: { id: 1 } } };

    expect((await render(world, 'what', ofAll)).body).toBe('render  1');
    expect((await render(world, 'WHAT', ofAll, user)).body).toBe('render user-7 1');
  });

  it('cannot act in the page of the browser that shows it', async ({ world }) => {
    const { headers } = await render(world, 'hello');

    expect(headers.get('content-security-policy')).toMatch(/^sandbox /);
  });

  it.for([
    ['broken', {}, "Template rendering failed: 'response' is undefined"],
    ['greedy', {}, 'Template rendering failed'],
    ['hungry', {}, 'Template rendering failed'],
    [
      'broken',
      { context: { response: {} } },
      "Template rendering failed: 'dict object' has no attribute 'nothing'",
    ],
  ] as const)('of %s with %j fails', async ([name, body, detail], { world }) => {
    expect(seen(await render(world, name, body))).toEqual({
      status: 400,
      type: json,
      body: { detail },
    });
  });

  it.for([
    [{ context: null }, { context: isNull }],
    [{ context: '{' }, { context: noJson }],
    [{ context: [1] }, { context: ['Context passed in invalid format.'] }],
    [[], notObject()],
  ] as const)('rejects %j', async ([body, errors], { world }) => {
    expect(seen(await render(world, 'hello', body))).toEqual({
      status: 400,
      type: json,
      body: errors,
    });
  });

  it('stops a template that does not end, while other requests continue', async ({ world }) => {
    let isOver = false;
    const endless = render(world, 'endless').finally(() => {
      isOver = true;
    });

    expect((await render(world, 'hello')).status).toBe(200);
    expect((await call(world, 'GET', 'classes/book/objects/')).status).toBe(200);
    expect(isOver).toBe(false);
    expect((await endless).body).toEqual({ detail: 'Template rendering timeout' });
    expect((await render(world, 'hello')).status).toBe(200);
  });

  it('returns its text in a batch', async ({ world }) => {
    const requests = [{ method: 'POST', path: `${world.base}snippets/templates/hello/render/` }];

    const { body } = await call(world, 'POST', 'batch/', { requests });

    expect(body).toEqual([{ code: 200, content: '<div>blog-1;1;;</div>' }]);
  });
});

describe('a template that a request names', () => {
  const object = 'classes/book/objects/1/';

  it.for([
    [`${object}?template=what`, {}],
    [`${object}?template_response=WHAT`, {}],
    [`${object}?template=hello&template_response=what`, {}],
    [object, { 'X-Template': 'what' }],
    [object, { 'X-Template-Response': 'What' }],
    [`${object}?template_response=hello`, { 'X-Template': 'what' }],
    [`${object}?template=what`, { Accept: 'text/csv' }],
    [`${object}?template=what`, { Accept: 'text/html' }],
  ] as const)('renders %s with %j', async ([path, headers], { world }) => {
    expect(seen(await send(world, path, headers))).toEqual({
      status: 200,
      type: text,
      body: 'retrieve  1',
    });
  });

  it('gets the response that the request has without it', async ({ world }) => {
    const plain = await send(world, 'classes/book/objects/?fields=title&page_size=1');
    const rendered = await send(
      world,
      'classes/book/objects/?fields=title&page_size=1&template=all',
    );

    expect(rendered.headers.get('content-type')).toBe('application/x-all; charset=utf-8');
    expect(JSON.parse(JSON.stringify(rendered.body))).toEqual(plain.body);
  });

  it('prefers its own context to that of the request', async ({ world }) => {
    await make(world, 'own', '{{ title }} {{ action }}', { context: { title: 'mine' } });

    expect((await send(world, `${object}?template=own`)).body).toBe('mine retrieve');
  });

  it('has the user of the request', async ({ world, given: { user } }) => {
    const { body } = await call(world, 'GET', `${object}?template=what`, undefined, user);

    expect(body).toBe('retrieve user-7 1');
  });

  const actions: readonly (readonly [
    method: string,
    path: string,
    body: object | undefined,
    status: number,
    action: string,
  ])[] = [
    ['GET', 'classes/', undefined, 200, 'list'],
    ['GET', 'classes/book/', undefined, 200, 'retrieve'],
    ['POST', 'classes/book/objects/', { title: 'x' }, 201, 'create'],
    ['PATCH', 'classes/book/objects/1/', { pages: 4 }, 200, 'partial_update'],
    [
      'PUT',
      'classes/book/objects/1/',
      { title: 'Emma <i>', pages: 3, tags: ['a', 'b'] },
      200,
      'update',
    ],
    ['POST', 'endpoints/data/all/post/', { title: 'y' }, 201, 'create'],
    ['GET', 'endpoints/data/all/get/', undefined, 200, 'list'],
    ['GET', 'snippets/config/', undefined, 200, 'retrieve'],
    ['PUT', 'snippets/config/', { config: {} }, 200, 'update'],
    ['POST', 'snippets/templates/own/rename/', { new_name: 'own2' }, 200, 'rename'],
  ];
  it.for(actions)('has %s %s', async ([method, path, body, status, action], { world }) => {
    const response = await call(world, method, `${path}?template=what`, body);

    expect([response.status, String(response.body).split(' ')[0]]).toEqual([status, action]);
  });

  it('keeps a response without body', async ({ world }) => {
    const { id } = await add(world, { title: 'gone' });

    const response = await call(world, 'DELETE', `classes/book/objects/${id}/?template=what`);

    expect([response.status, response.body]).toEqual([204, '']);
  });

  const unacceptable = { detail: 'Could not satisfy the request Accept header.' };
  it.for(['nothing', 'a b', 'ŻÓŁW', 'x'.repeat(2000), '%00', '../api_keys'] as const)(
    'must exist: %s',
    async (name, { world }) => {
      const before = expected(
        await call(world, 'GET', 'classes/book/objects/?include_count=1'),
        200,
      ).objects_count;

      const response = await call(world, 'POST', `classes/book/objects/?template=${name}`, {
        title: 'never',
      });

      expect(seen(response)).toEqual({ status: 406, type: json, body: unacceptable });
      const after = await call(world, 'GET', 'classes/book/objects/?include_count=1');
      expect(after.body.objects_count).toBe(before);
    },
  );

  it('does not exist after it was deleted', async ({ world }) => {
    await make(world, 'short', 'x');
    expected(await call(world, 'DELETE', 'snippets/templates/short/'), 204);

    expect((await send(world, `${object}?template=short`)).status).toBe(406);
  });

  it.for(['snippets/', 'endpoints/', 'push_notifications/', 'push_notifications/gcm/'] as const)(
    'is not available to %s',
    async (path, { world }) => {
      expect(seen(await send(world, `${path}?template=what`))).toEqual({
        status: 400,
        type: json,
        body: { detail: 'This endpoint does not support templates.' },
      });
    },
  );

  it('is ignored by a batch, and its items remain data', async ({ world }) => {
    const requests = [
      { method: 'GET', path: `${world.base}classes/book/objects/1/?fields=id&template=what` },
    ];

    expect((await call(world, 'POST', 'batch/?template=what', { requests })).status).toBe(400);
    expect((await call(world, 'POST', 'batch/', { requests })).body).toEqual([
      { code: 200, content: { id: 1 } },
    ]);
  });

  it('is ignored outside of instances', async ({ api, world }) => {
    const { status, body } = await api.send({
      as: world.owner,
      path: '/v1.1/instances/?template=nothing',
    });

    expect([status, Object.keys(body)]).toEqual([200, ['next', 'prev', 'objects']]);
  });

  it.for([
    ['GET', 'classes/book/objects/999/', undefined, 404, { detail: 'Not found.' }],
    ['POST', 'classes/', {}, 400, { name: required }],
  ] as const)(
    'keeps error responses: %s %s',
    async ([method, path, body, status, errorBody], { world }) => {
      const response = await call(world, method, `${path}?template=what`, body);

      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toBe(json);
      expect(response.body).toMatchObject(errorBody);
    },
  );

  it('reveals nothing to callers who may not read the data', async ({ api, world }) => {
    for (const name of ['what', 'nothing']) {
      const response = await api.send({ path: `${world.base}classes/?template=${name}` });
      expect([response.status, response.body]).toEqual([403, forbidden]);
    }
  });

  it('may fail, which is reported like any invalid request', async ({ world }) => {
    expect(seen(await send(world, `${object}?template=broken`))).toEqual({
      status: 400,
      type: json,
      body: { detail: "Template rendering failed: 'dict object' has no attribute 'nothing'" },
    });
  });

  it('returns to HEAD the headers of GET', async ({ api, world }) => {
    const path = `${world.base}${object}?template=what`;

    const { status, headers, body } = await api.send({ as: world.owner, method: 'HEAD', path });

    expect([status, headers.get('content-type'), body]).toEqual([200, text, '']);
  });
});

describe('predefined templates', () => {
  const list = 'endpoints/data/all/get/?template_response=';

  it('render objects as comma separated values', async ({ world }) => {
    const { headers, body } = await call(world, 'GET', `${list}objects_csv`);

    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const rows = String(body).split('\n');
    expect(rows[0]).toBe('title,pages,tags');
    expect(rows).toContain('"The ""Idiot""","",""');
  });

  it('render one object by itself', async ({ world }) => {
    const { body } = await call(world, 'GET', 'classes/book/objects/1/?template=objects_csv');

    expect(body).toBe('title,pages,tags\n"Emma <i>","3","[""a"",""b""]"\n');
  });

  it('render objects as a table, with their markup escaped', async ({ world }) => {
    const { headers, body } = await call(
      world,
      'GET',
      'classes/book/objects/1/?template=objects_html_table',
    );

    expect(headers.get('content-type')).toBe(html);
    expect(body).toBe(
      [
        '<table>',
        '  <tr>',
        '    <th>title</th>',
        '    <th>pages</th>',
        '    <th>tags</th>',
        '  </tr>',
        '  <tr>',
        '    <td>Emma &lt;i&gt;</td>',
        '    <td>3</td>',
        '    <td>[&quot;a&quot;,&quot;b&quot;]</td>',
        '  </tr>',
        '</table>',
      ].join('\n'),
    );
  });

  it.for(['objects_csv', 'objects_html_table'] as const)(
    'render an empty list: %s',
    async (name, { world }) => {
      await world.dataClass('film', [{ name: 'items', type: 'string' }]);
      const path = `classes/film/objects/?template=${name}`;

      expect((await call(world, 'GET', path)).status).toBe(200);
      expected(await call(world, 'POST', 'classes/film/objects/', { items: 'x' }), 201);
      expect((await call(world, 'GET', path)).body).toContain('items');
      expected(await call(world, 'DELETE', 'classes/film/'), 204);
    },
  );
});

async function setUp(world: World) {
  await world.dataClass(
    'book',
    [
      { name: 'title', type: 'string', order_index: true },
      { name: 'pages', type: 'integer' },
      { name: 'tags', type: 'array' },
    ],
    { other_permissions: 'create_objects' },
  );
  const mine = { other_permissions: 'full' };
  await add(world, { title: 'Emma <i>', pages: 3, tags: ['a', 'b'], ...mine });
  await add(world, { title: 'The "Idiot"', pages: null, ...mine });
  expected(
    await call(world, 'POST', 'endpoints/data/', {
      name: 'all',
      class: 'book',
      order_by: '-title',
    }),
    201,
  );
  await make(world, 'hello', '<div>{{ instance }};{{ one }};{{ two }};</div>', {
    context: { one: 1 },
  });
  await make(world, 'what', '{{ action }} {{ user }} {{ response.id }}', {
    content_type: 'text/plain',
  });
  await make(world, 'all', '{{ response }}', { content_type: 'application/x-all' });
  await make(world, 'broken', '{{ response.nothing.more }}');
  await make(
    world,
    'endless',
    '{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}',
  );
  await make(
    world,
    'hungry',
    '{% set all = [] %}{% for i in range(9999) %}{{ all.append(("x" * 1000000 ~ i)|upper) }}{% endfor %}',
  );
  await make(
    world,
    'greedy',
    '{% set n = namespace(x="a") %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}',
  );
  const key = await world.apiKey();
  const user: Credentials = { key, user: await plantUser(world, 7) };
  return { user };
}

const call = (
  world: World,
  method: string,
  path: string,
  body?: unknown,
  as: Credentials = world.owner,
) => world.call(as, method, path, body);

const add = async (world: World, body: object) =>
  expected(await call(world, 'POST', 'classes/book/objects/', body), 201);

const make = async (world: World, name: string, content: string, more: object = {}) =>
  expected(
    await call(world, 'POST', 'snippets/templates/', {
      name,
      content,
      content_type: 'text/html',
      ...more,
    }),
    201,
  );

const render = (world: World, name: string, body: unknown = {}, as: Credentials = world.owner) =>
  call(world, 'POST', `snippets/templates/${name}/render/`, body, as);

/** The visible part of a rendered response. */
const seen = ({ status, headers, body }: ApiResponse) => ({
  status,
  type: headers.get('content-type'),
  body,
});

const send = (world: World, path: string, headers: Readonly<Record<string, string>> = {}) =>
  world.api.send({ as: world.owner, path: world.base + path, headers });
