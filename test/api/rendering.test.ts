import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiResponse, type Credentials, expected, plantUser } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { forbidden, isNull, noJson, notObject, required } from '../support/responses.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

/** Rendering of variables and of the responses of other endpoints; the syntax of templates is tested in test/domain. */

let user: Credentials;
let key: string;

beforeAll(async () => {
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
  await add({ title: 'Emma <i>', pages: 3, tags: ['a', 'b'], ...mine });
  await add({ title: 'The "Idiot"', pages: null, ...mine });
  expected(
    await call('POST', 'endpoints/data/', { name: 'all', class: 'book', order_by: '-title' }),
    201,
  );
  await make('hello', '<div>{{ instance }};{{ one }};{{ two }};</div>', { context: { one: 1 } });
  await make('what', '{{ action }} {{ user }} {{ response.id }}', { content_type: 'text/plain' });
  await make('all', '{{ response }}', { content_type: 'application/x-all' });
  await make('broken', '{{ response.nothing.more }}');
  await make(
    'endless',
    '{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}',
  );
  await make(
    'hungry',
    '{% set all = [] %}{% for i in range(9999) %}{{ all.append(("x" * 1000000 ~ i)|upper) }}{% endfor %}',
  );
  await make(
    'greedy',
    '{% set n = namespace(x="a") %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}',
  );
  key = await world.apiKey();
  user = { key, user: await plantUser(world, 7) };
});

const call = (method: string, path: string, body?: unknown, as: Credentials = world.owner) =>
  world.call(as, method, path, body);
const add = async (body: object) =>
  expected(await call('POST', 'classes/book/objects/', body), 201);
const make = async (name: string, content: string, more: object = {}) =>
  expected(
    await call('POST', 'snippets/templates/', {
      name,
      content,
      content_type: 'text/html',
      ...more,
    }),
    201,
  );
const render = (name: string, body: unknown = {}, as: Credentials = world.owner) =>
  call('POST', `snippets/templates/${name}/render/`, body, as);

/** The visible part of a rendered response. */
const seen = ({ status, headers, body }: ApiResponse) => ({
  status,
  type: headers.get('content-type'),
  body,
});
const html = 'text/html; charset=utf-8';
const json = 'application/json; charset=utf-8';
const text = 'text/plain; charset=utf-8';

describe('render/', () => {
  it.each([
    ['its own context', {}, '<div>blog-1;1;;</div>'],
    [
      'its own context when the one that is sent is empty',
      { context: {} },
      '<div>blog-1;1;;</div>',
    ],
    ['a context in place of its own', { context: { two: 12 } }, '<div>blog-1;;12;</div>'],
    ['a context that is sent as text', { context: '{"one": 11}' }, '<div>blog-1;11;;</div>'],
    ['names that are reserved elsewhere', { context: { instance: 'x' } }, '<div>x;;;</div>'],
  ])('uses %s', async (_, body, rendered) => {
    expect(seen(await render('hello', body))).toEqual({ status: 200, type: html, body: rendered });
  });

  it('has the action, and the user if there is one', async () => {
    const ofAll = { context: { response: { id: 1 } } };

    expect((await render('what', ofAll)).body).toBe('render  1');
    expect((await render('WHAT', ofAll, user)).body).toBe('render user-7 1');
  });

  it('cannot act in the page of the browser that shows it', async () => {
    const { headers } = await render('hello');

    expect(headers.get('content-security-policy')).toMatch(/^sandbox /);
  });

  it.each([
    ['broken', {}, "Template rendering failed: 'response' is undefined"],
    ['greedy', {}, 'Template rendering failed'],
    ['hungry', {}, 'Template rendering failed'],
    [
      'broken',
      { context: { response: {} } },
      "Template rendering failed: 'dict object' has no attribute 'nothing'",
    ],
  ])('of %s with %j fails', async (name, body, detail) => {
    expect(seen(await render(name, body))).toEqual({ status: 400, type: json, body: { detail } });
  });

  it.each([
    [{ context: null }, { context: isNull }],
    [{ context: '{' }, { context: noJson }],
    [{ context: [1] }, { context: ['Context passed in invalid format.'] }],
    [[], notObject()],
  ])('rejects %j', async (body, errors) => {
    expect(seen(await render('hello', body))).toEqual({ status: 400, type: json, body: errors });
  });

  it('stops a template that does not end, while other requests continue', async () => {
    let isOver = false;
    const endless = render('endless').finally(() => {
      isOver = true;
    });

    expect((await render('hello')).status).toBe(200);
    expect((await call('GET', 'classes/book/objects/')).status).toBe(200);
    expect(isOver).toBe(false);
    expect((await endless).body).toEqual({ detail: 'Template rendering timeout' });
    expect((await render('hello')).status).toBe(200);
  });

  it('returns its text in a batch', async () => {
    const requests = [{ method: 'POST', path: `${world.base}snippets/templates/hello/render/` }];

    const { body } = await call('POST', 'batch/', { requests });

    expect(body).toEqual([{ code: 200, content: '<div>blog-1;1;;</div>' }]);
  });
});

describe('a template that a request names', () => {
  const send = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    api.send({ as: world.owner, path: world.base + path, headers });
  const object = 'classes/book/objects/1/';

  it.each([
    [`${object}?template=what`, {}],
    [`${object}?template_response=WHAT`, {}],
    [`${object}?template=hello&template_response=what`, {}],
    [object, { 'X-Template': 'what' }],
    [object, { 'X-Template-Response': 'What' }],
    [`${object}?template_response=hello`, { 'X-Template': 'what' }],
    [`${object}?template=what`, { Accept: 'text/csv' }],
    [`${object}?template=what`, { Accept: 'text/html' }],
  ])('renders %s with %j', async (path, headers) => {
    expect(seen(await send(path, headers))).toEqual({
      status: 200,
      type: text,
      body: 'retrieve  1',
    });
  });

  it('gets the response that the request has without it', async () => {
    const plain = await send('classes/book/objects/?fields=title&page_size=1');
    const rendered = await send('classes/book/objects/?fields=title&page_size=1&template=all');

    expect(rendered.headers.get('content-type')).toBe('application/x-all; charset=utf-8');
    expect(JSON.parse(JSON.stringify(rendered.body))).toEqual(plain.body);
  });

  it('prefers its own context to that of the request', async () => {
    await make('own', '{{ title }} {{ action }}', { context: { title: 'mine' } });

    expect((await send(`${object}?template=own`)).body).toBe('mine retrieve');
  });

  it('has the user of the request', async () => {
    const { body } = await call('GET', `${object}?template=what`, undefined, user);

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
  it.each(actions)('has %s %s', async (method, path, body, status, action) => {
    const answer = await call(method, `${path}?template=what`, body);

    expect([answer.status, String(answer.body).split(' ')[0]]).toEqual([status, action]);
  });

  it('keeps a response without body', async () => {
    const { id } = await add({ title: 'gone' });

    const answer = await call('DELETE', `classes/book/objects/${id}/?template=what`);

    expect([answer.status, answer.body]).toEqual([204, '']);
  });

  const unacceptable = { detail: 'Could not satisfy the request Accept header.' };
  it.each(['nothing', 'a b', 'ŻÓŁW', 'x'.repeat(2000), '%00', '../api_keys'])(
    'must exist: %s',
    async (name) => {
      const before = expected(
        await call('GET', 'classes/book/objects/?include_count=1'),
        200,
      ).objects_count;

      const answer = await call('POST', `classes/book/objects/?template=${name}`, {
        title: 'never',
      });

      expect(seen(answer)).toEqual({ status: 406, type: json, body: unacceptable });
      const after = await call('GET', 'classes/book/objects/?include_count=1');
      expect(after.body.objects_count).toBe(before);
    },
  );

  it('does not exist after it was deleted', async () => {
    await make('short', 'x');
    expected(await call('DELETE', 'snippets/templates/short/'), 204);

    expect((await send(`${object}?template=short`)).status).toBe(406);
  });

  it.each(['snippets/', 'endpoints/', 'push_notifications/', 'push_notifications/gcm/'])(
    'is not available to %s',
    async (path) => {
      expect(seen(await send(`${path}?template=what`))).toEqual({
        status: 400,
        type: json,
        body: { detail: 'This endpoint does not support templates.' },
      });
    },
  );

  it('is ignored by a batch, and its items remain data', async () => {
    const requests = [
      { method: 'GET', path: `${world.base}classes/book/objects/1/?fields=id&template=what` },
    ];

    expect((await call('POST', 'batch/?template=what', { requests })).status).toBe(400);
    expect((await call('POST', 'batch/', { requests })).body).toEqual([
      { code: 200, content: { id: 1 } },
    ]);
  });

  it('is ignored outside of instances', async () => {
    const { status, body } = await api.send({
      as: world.owner,
      path: '/v1.1/instances/?template=nothing',
    });

    expect([status, Object.keys(body)]).toEqual([200, ['next', 'prev', 'objects']]);
  });

  it.each([
    ['GET', 'classes/book/objects/999/', undefined, 404, { detail: 'Not found.' }],
    ['POST', 'classes/', {}, 400, { name: required }],
  ])('keeps error responses: %s %s', async (method, path, body, status, errorBody) => {
    const answer = await call(method, `${path}?template=what`, body);

    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe(json);
    expect(answer.body).toMatchObject(errorBody);
  });

  it('reveals nothing to callers who may not read the data', async () => {
    for (const name of ['what', 'nothing']) {
      const answer = await api.send({ path: `${world.base}classes/?template=${name}` });
      expect([answer.status, answer.body]).toEqual([403, forbidden]);
    }
  });

  it('may fail, which is reported like any invalid request', async () => {
    expect(seen(await send(`${object}?template=broken`))).toEqual({
      status: 400,
      type: json,
      body: { detail: "Template rendering failed: 'dict object' has no attribute 'nothing'" },
    });
  });

  it('returns to HEAD the headers of GET', async () => {
    const path = `${world.base}${object}?template=what`;

    const { status, headers, body } = await api.send({ as: world.owner, method: 'HEAD', path });

    expect([status, headers.get('content-type'), body]).toEqual([200, text, '']);
  });
});

describe('predefined templates', () => {
  const list = 'endpoints/data/all/get/?template_response=';

  it('render objects as comma separated values', async () => {
    const { headers, body } = await call('GET', `${list}objects_csv`);

    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const rows = String(body).split('\n');
    expect(rows[0]).toBe('title,pages,tags');
    expect(rows).toContain('"The ""Idiot""","",""');
  });

  it('render one object by itself', async () => {
    const { body } = await call('GET', 'classes/book/objects/1/?template=objects_csv');

    expect(body).toBe('title,pages,tags\n"Emma <i>","3","[""a"",""b""]"\n');
  });

  it('render objects as a table, with their markup escaped', async () => {
    const { headers, body } = await call(
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

  it.each(['objects_csv', 'objects_html_table'])('render an empty list: %s', async (name) => {
    await world.dataClass('film', [{ name: 'items', type: 'string' }]);
    const path = `classes/film/objects/?template=${name}`;

    expect((await call('GET', path)).status).toBe(200);
    expected(await call('POST', 'classes/film/objects/', { items: 'x' }), 201);
    expect((await call('GET', path)).body).toContain('items');
    expected(await call('DELETE', 'classes/film/'), 204);
  });
});
