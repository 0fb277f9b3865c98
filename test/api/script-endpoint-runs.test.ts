import { describe, expect } from 'vitest';
import { keyText, parseKey } from '../../shared/values/keys/credentials.ts';
import { sendElsewhere } from '../support/another-process.ts';
import type { World } from '../support/api.ts';
import { type ApiResponse, expected, openWorld } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { missing, time } from '../support/responses.ts';
import { type MadeEndpoint, makeEndpoint } from '../support/script-endpoint.ts';

/** Runs of script endpoints; their records are in script-endpoints.test.ts. */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const json = { 'Content-Type': 'application/json' };

describe('a run', () => {
  it('returns its outcome, without links', async ({ world }) => {
    await makeEndpoint(world, 'hello', 'console.log("hi " + ARGS.POST.who + "\\n")');

    const first = await run(world, 'hello', { body: { who: 'Ann' } });
    const second = await run(world, 'hello', { body: { who: 'Ben' } });

    expect([first.status, first.body]).toEqual([200, plain('hi Ann')]);
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(second.body).toEqual(plain('hi Ben'));
    expect(second.body.id).toBeGreaterThan(first.body.id);
    expect(Number.isInteger(first.body.duration)).toBe(true);
  });

  it.for<[name: string, source: string, status: string, stderr: string]>([
    ['throws', 'throw new Error("no luck")', 'failure', 'no luck'],
    ['rejects', 'Promise.reject(new Error("no luck"))', 'failure', 'no luck'],
    ['is-no-script', 'what is this', 'failure', 'SyntaxError'],
    ['spins', 'for (;;);', 'timeout', ''],
    ['waits', 'setTimeout(() => {}, 60000)', 'timeout', ''],
  ])('that %s is a 200 as well, and never has its response', async ([...row], { world }) => {
    const [name, source, status, stderr] = row;
    const respond = 'console.log("so far"); setResponse(new HttpResponse(201, "{}"));';
    await makeEndpoint(world, name, `${respond}\n${source}`, { config: { timeout: 3 } });

    const response = await run(world, name, { body: {} });

    expect([response.status, response.body]).toEqual([
      200,
      { ...plain(''), status, result: expect.anything() },
    ]);
    expect(response.body.result.stderr).toContain(stderr);
    expect(response.body.result.response).toBeUndefined();
  });

  it('has the current version of the script', async ({ world }) => {
    const { script } = await makeEndpoint(world, 'changing', 'console.log(1)');
    const first = await run(world, 'changing');
    const source = 'console.log(2, CONFIG.word)';
    const change = { source, config: { word: 'new' } };
    expected(await world.own('PATCH', `snippets/scripts/${script}/`, change), 200);

    const second = await run(world, 'changing');
    const other = await makeEndpoint(world, 'other', 'console.log(3)');
    const moved = { script: other.script };
    expected(await world.own('PATCH', 'endpoints/scripts/changing/', moved), 200);

    expect(
      [first, second, await run(world, 'changing')].map(({ body }) => body.result.stdout),
    ).toEqual(['1', '2 new', '3']);
  });

  it('that scripts start in turn is blocked beyond the eighth, and has no output', async ({
    api,
    world,
  }) => {
    const { secrets } = api.platform;
    const source = 'console.log(META.token)';
    await makeEndpoint(world, 'caller', source, { config: { allow_full_access: true } });
    const claims = parseKey((await run(world, 'caller')).body.result.stdout)?.claims;
    if (claims?.kind !== 'script') throw new Error('the script got no token');
    const { secret } = await secrets.current();
    const key = keyText({ ...claims, depth: 8 }, secret);

    const response = await api.send({ as: key, path: at(world, 'echo/run/') });

    const { id, executed_at, ...rest } = expected(response, 200);
    expect(rest).toEqual({
      status: 'blocked',
      duration: null,
      result: { stdout: '', stderr: '' },
    });
    expect([Number.isInteger(id), executed_at]).toEqual([true, time]);
  });

  // it sends the request to a dispatch of its own
  it.skipIf(isOn('roles'))(
    'that exceeds the waiting time gets a 408, and continues to its end',
    async ({ api, world }) => {
      await makeEndpoint(world, 'slow', 'setTimeout(() => console.log("late"), 200)');
      const runs = { ...api.platform.runs, maxWaitMs: 20 };
      const call = { method: 'GET', path: at(world, 'slow/run/'), key: world.owner };

      const { status, body } = await sendElsewhere({ ...api.platform, runs }, call);
      await runs.idle();

      expect([status, body]).toEqual([408, { detail: 'Script took too much time.' }]);
      const { objects } = await world.read('endpoints/scripts/slow/traces/');
      expect(objects).toMatchObject([{ status: 'success', result: { stdout: 'late' } }]);
    },
  );
});

describe('ARGS', () => {
  it('of a GET are the parameters, the last of each, without keys', async ({ world }) => {
    const query =
      '?a=1&a=2&b=&api_key=x&apikey=x&user_key=x&userkey=x&cache_key=c&GET=g&_api_key=y';

    const { ARGS } = seen(await run(world, 'echo', {}, query));

    const GET = { a: '2', b: '', cache_key: 'c', GET: 'g', _api_key: 'y' };
    expect(ARGS).toEqual({ a: '2', b: '', cache_key: 'c', _api_key: 'y', GET, POST: {} });
  });

  it('of a POST are parameters and body; a parameter takes precedence over a member of the same name', async ({
    world,
  }) => {
    const body = { a: '2', who: 'Ann', GET: 1, _api_key: 'x', _user_key: 'y', list: [1, null] };

    const { ARGS } = seen(await run(world, 'echo', { body }, '?a=1&POST=p'));

    const POST = { a: '2', who: 'Ann', GET: 1, list: [1, null] };
    const GET = { a: '1', POST: 'p' };
    expect(ARGS).toEqual({ a: '1', who: 'Ann', list: [1, null], GET, POST });
  });

  it('of a list are for POST only', async ({ world }) => {
    const { ARGS } = seen(await run(world, 'echo', { body: [1, { a: 2 }] }, '?b=3'));

    expect(ARGS).toEqual({ b: '3', GET: { b: '3' }, POST: [1, { a: 2 }] });
  });

  it('contain only what was sent', async ({ world }) => {
    const body = '{"__proto__": {"polluted": 1}, "constructor": 2}';
    const { ARGS } = seen(await run(world, 'echo', { body, headers: json }, '?__proto__=3'));

    expect(Object.entries(ARGS.POST)).toEqual([
      ['__proto__', { polluted: 1 }],
      ['constructor', 2],
    ]);
    expect(Object.hasOwn(ARGS, 'polluted') || 'polluted' in ARGS).toBe(false);
  });
});

describe('a body', () => {
  const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const textType = { 'Content-Type': 'text/plain' };
  const file = (bytes: Uint8Array<ArrayBuffer>) => {
    const form = new FormData();
    form.set('word', 'w');
    form.set('note', new Blob([bytes]), 'note.txt');
    return form;
  };
  const good: readonly [string, unknown, Readonly<Record<string, string>>, unknown][] = [
    ['an object', '{"a": 1}', json, { a: 1 }],
    ['nothing', '', json, {}],
    ['nothing of an unknown type', '', { 'Content-Type': 'image/png' }, {}],
    ['JSON as plain text', '{"a": 1}', textType, { a: 1 }],
    ['a form', 'a=1&a=2&b=x+y&_api_key=x', formType, { a: '2', b: 'x y' }],
    [
      'a form with _method, which is a word like any other',
      '_method=GET',
      formType,
      { _method: 'GET' },
    ],
    ['JSON in JSON', '"{\\"a\\": 1}"', json, { a: 1 }],
    ['a list in JSON', '"[1]"', json, [1]],
    ['an empty text', '""', json, {}],
    ['a file', file(new TextEncoder().encode('Ä\n')), {}, { word: 'w', note: 'Ä\n' }],
    ['an empty list', '[]', json, []],
  ];
  it.for(good)('of %s', async ([_, body, headers, POST], { world }) => {
    const { ARGS } = seen(await run(world, 'echo', { body, headers }));

    expect(ARGS.POST).toEqual(POST);
  });

  const invalid = { non_field_errors: ['Payload passed in invalid format.'] };
  const bad: readonly [string, unknown, Readonly<Record<string, string>>, number, unknown][] = [
    ['null', 'null', json, 400, { POST: ['This field may not be null.'] }],
    ['a number', '7', json, 400, invalid],
    ['a boolean', 'true', textType, 400, invalid],
    ['a number in JSON', '"7"', json, 400, invalid],
    ['a text', '"hello"', json, 400, { POST: ['Not a valid JSON string.'] }],
    ['no JSON', '{', json, 400, { detail: expect.stringMatching(/^JSON parse error - /) }],
    [
      'a picture',
      'x',
      { 'Content-Type': 'image/png' },
      415,
      { detail: 'Unsupported media type "image/png" in request.' },
    ],
    [
      'a file that is no text',
      file(new Uint8Array([0xff, 0xfe])),
      {},
      400,
      { detail: 'Unsupported payload provided that cannot be serialized.' },
    ],
  ];
  it.for(bad)(
    'of %s is rejected',
    async ([_, body, headers, status, errorBody], { api, world, given: { echo } }) => {
      const own = await run(world, 'echo', { body, headers });
      const open = await api.send({ path: at(world, `p/${echo.public_link}/`), body, headers });

      expect([own, open].map((response) => [response.status, response.body])).toEqual([
        [status, errorBody],
        [status, errorBody],
      ]);
    },
  );

  it('of 512 kB is accepted, and one byte more is rejected, before any other check', async ({
    api,
    world,
    given: { echo },
  }) => {
    const whole = JSON.stringify({ a: 'x'.repeat(524_288 - 8) });
    const path = at(world, 'nowhere/run/');

    const fits = await run(world, 'echo', { body: whole, headers: json });
    const own = await api.send({ as: 'nobody', path, body: `${whole} `, headers: json });
    const open = await api.send({
      path: at(world, `p/${echo.public_link}/`),
      body: `${whole} `,
      headers: json,
    });

    expect(fits.body.status).toBe('failure'); // the script prints its arguments twice
    const tooLarge = { detail: 'Request size limit exceeded (524288).' };
    expect([own, open].map(({ status, body }) => [status, body])).toEqual([
      [413, tooLarge],
      [413, tooLarge],
    ]);
  });

  it('of plain text may have GET as method of the request', async ({ api, world }) => {
    const body = JSON.stringify({ _method: 'GET', _api_key: world.owner, a: 1 });

    const response = await api.send({ path: at(world, 'echo/run/'), body, headers: textType });

    const { ARGS, META } = seen(response);
    expect(ARGS).toEqual({ a: '1', GET: { a: '1' }, POST: {} });
    expect(META.request.REQUEST_METHOD).toBe('GET');
  });
});

describe('META', () => {
  const headers = {
    'X-Own-Header': 'own',
    'User-Agent': 'tests',
    Cookie: 'a=1; b=2',
    Via: 'proxy',
    'X-Forwarded-For': '198.51.100.7, 10.0.0.1',
    'X-Amzn-Trace-Id': 't',
    'X-User-Key': 'u',
  };
  const request = {
    PATH_INFO: expect.any(String),
    REQUEST_METHOD: 'POST',
    REMOTE_ADDR: '198.51.100.7',
    HTTP_HOST: expect.any(String),
    HTTP_X_OWN_HEADER: 'own',
    HTTP_USER_AGENT: 'tests',
    HTTP_COOKIE: 'a=1; b=2',
  };
  /** Headers that every HTTP client adds. */
  const added = ['ACCEPT', 'ACCEPT_ENCODING', 'ACCEPT_LANGUAGE', 'SEC_FETCH_MODE'];

  function withoutAdded(meta: Readonly<Record<string, unknown>>) {
    const names = added.map((name) => `HTTP_${name}`);
    return Object.fromEntries(Object.entries(meta).filter(([name]) => !names.includes(name)));
  }

  it('contains the caller and the request, and no key', async ({ world }) => {
    const { META } = seen(await run(world, 'echo', { body: {}, headers }, '?secret=1'));

    const { request: call, ...others } = META;
    expect(others).toEqual({
      executed_by: 'webhook',
      executor: 'echo',
      instance: 'blog-1',
      async: 0,
      metadata: {},
      api_url: expect.stringMatching(/^https?:../),
      api_host: expect.stringMatching(/^[a-z0-9.-]+(:\d+)?$/),
      admin: { id: 1, email: 'owner-of-blog-1@example.com' },
    });
    expect(withoutAdded(call)).toEqual({ ...request, PATH_INFO: at(world, 'echo/run/') });
    expect(JSON.stringify(META)).not.toContain(world.owner);
  });

  it('contains no caller for a public link', async ({ api, world, given: { echo } }) => {
    const path = at(world, `p/${echo.public_link}/`);

    const { META } = seen(await api.send({ as: world.owner, path, headers }));

    expect(META).not.toHaveProperty('admin');
    expect(META.request.PATH_INFO).toBe(path);
  });

  it('is in the trace, and so are the arguments', async ({ world }) => {
    const response = expected(
      await run(world, 'echo', { body: { who: 'Ann' }, headers }, '?lang=en'),
      200,
    );

    const trace = await world.own('GET', `endpoints/scripts/echo/traces/${response.id}/`);

    const { META } = JSON.parse(response.result.stdout);
    expect(trace.body).toEqual({
      ...response,
      meta: META.request,
      args: { GET: { lang: 'en' }, POST: { who: 'Ann' } },
      links: { self: at(world, `echo/traces/${response.id}/`) },
    });
    expect(withoutAdded(trace.body.meta)).toEqual({
      ...request,
      PATH_INFO: at(world, 'echo/run/'),
    });
  });
});

describe('a custom response', () => {
  const respond = (...args: readonly unknown[]) =>
    `setResponse(new HttpResponse(${args.map((arg) => JSON.stringify(arg)).join()}));`;
  const connection = {
    Connection: 'upgrade',
    'Content-Length': '99',
    'Transfer-Encoding': 'gzip',
    'Keep-Alive': 'x',
    Upgrade: 'h2c',
    'X-Own': 'kept',
  };
  const others = { NEL: '{}', 'Report-To': '{}', 'Clear-Site-Data': '"*"', 'X-Request-Id': 'mine' };
  const first = respond(201, 'first');
  const last = respond(202, 'last', 'text/plain');
  const json = 'application/json';
  const plain = 'text/plain';
  const latin = 'text/plain; charset=latin1';
  const elsewhere = { Location: 'https://example.com/x' };
  it.for<
    [
      name: string,
      source: string,
      status: number,
      type: string | null,
      text: string,
      headers?: Readonly<Record<string, string | null>>,
    ]
  >([
    [
      'with everything',
      respond(201, '<p>Ä</p>', 'text/html', { 'X-Own': 'own' }),
      201,
      'text/html',
      '<p>Ä</p>',
      { 'x-own': 'own', 'x-content-type-options': 'nosniff' },
    ],
    ['of defaults', 'setResponse(new HttpResponse())', 200, json, ''],
    ['of an object', respond(404, { a: [1] }), 404, json, '{"a":[1]}'],
    ['that is text, not quoted', respond(200, 'just so', latin), 200, latin, 'just so'],
    [
      'that leads elsewhere',
      respond(302, '', plain, elsewhere),
      302,
      plain,
      '',
      { location: elsewhere.Location },
    ],
    [
      'whose headers say another type',
      respond(200, 'a,b', plain, { 'Content-Type': 'text/csv' }),
      200,
      'text/csv',
      'a,b',
    ],
    [
      'with headers of the connection',
      respond(200, 'x', plain, connection),
      200,
      plain,
      'x',
      { 'content-length': '1', 'transfer-encoding': null, upgrade: null, 'x-own': 'kept' },
    ],
    [
      'with headers that speak for others',
      respond(200, 'x', plain, others),
      200,
      plain,
      'x',
      {
        nel: null,
        'report-to': null,
        'clear-site-data': null,
        'x-request-id': expect.not.stringMatching('mine'),
      },
    ],
    ['without content', respond(204, 'not sent'), 204, null, ''],
    [
      'of a server error',
      respond(503, 'later', plain, { 'Retry-After': '7' }),
      503,
      plain,
      'later',
      { 'retry-after': '7' },
    ],
    ['set twice', first + last, 202, plain, 'last'],
  ])('%s', async ([name, source, status, type, text, headers = {}], { api, world }) => {
    const { public_link } = await makeEndpoint(world, name.replace(/[ ,]+/g, '-'), source, {
      public: true,
    });

    const response = await fetch(api.url + at(world, `p/${public_link}/`), {
      redirect: 'manual',
      headers: { Origin: 'https://app.example', Accept: 'text/html,*/*;q=0.8' },
    });

    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      status,
      type,
      text,
    ]);
    const told = Object.keys(headers).map((header) => [header, response.headers.get(header)]);
    expect(Object.fromEntries(told)).toEqual(headers);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('that is a page has an origin of its own', async ({ world }) => {
    const script = '<script>document.cookie</script>';
    const own = { 'Content-Security-Policy': "img-src 'none'" };
    await makeEndpoint(world, 'page', respond(200, script, 'text/html', own));

    const { body, headers } = await run(world, 'page', { headers: { Accept: 'text/html' } });

    expect(body).toBe(script);
    expect(headers.get('content-security-policy')).toMatch(/^img-src 'none', sandbox /);
  });

  it.for([
    ['taken back', `${respond(201, 'x')} setResponse(null);`],
    ['that announces another', respond(102, 'x')],
  ] as const)('%s is ignored', async ([name, source], { world }) => {
    await makeEndpoint(world, name.replace(/ /g, '-'), source);

    const { status, body } = await run(world, name.replace(/ /g, '-'));

    expect([status, body]).toMatchObject([200, { status: 'success', result: { stdout: '' } }]);
  });

  it('is in the trace', async ({ world }) => {
    await makeEndpoint(world, 'traced', respond(201, 'x', 'text/plain', { 'X-Own': '1' }));

    await run(world, 'traced');
    const { objects } = (await world.own('GET', 'endpoints/scripts/traced/traces/')).body;

    const response = {
      status: 201,
      content_type: 'text/plain',
      content: 'x',
      headers: { 'X-Own': '1' },
    };
    expect(objects).toMatchObject([{ result: { stdout: '', stderr: '', response } }]);
  });
});

describe('a public link', () => {
  it('runs the script in every form, by GET and by POST', async ({
    api,
    world,
    given: { echo },
  }) => {
    for (const path of forms(world, echo.public_link)) {
      const get = seen(await api.send({ path: `${path}?a=1&api_key=x` }));
      const post = seen(await api.send({ path: `${path}?a=1`, body: { b: 2 } }));

      expect([get.ARGS, post.ARGS]).toEqual([
        { a: '1', GET: { a: '1' }, POST: {} },
        { a: '1', b: 2, GET: { a: '1' }, POST: { b: 2 } },
      ]);
    }
  });

  it.for<[string, Readonly<Record<string, string>>, string]>([
    ['a forged key', { 'X-API-KEY': `02${'0'.repeat(54)}` }, ''],
    ['what is no key', { Authorization: 'token none' }, ''],
    ['a key in its query', {}, '?api_key=none&user_key=none'],
  ])('ignores %s', async ([_, headers, query], { api, world, given: { echo } }) => {
    const { status } = await api.send({
      path: at(world, `p/${echo.public_link}/${query}`),
      headers,
    });

    expect(status).toBe(200);
  });

  it('is invalid when it is closed or reset, and valid again as it was', async ({ world }) => {
    const { public_link: link } = await makeEndpoint(world, 'door', 'console.log(1)', {
      public: true,
    });
    const as = (path: string, body: object) =>
      world.own(path === 'door/' ? 'PATCH' : 'POST', `endpoints/scripts/${path}`, body);
    const counts = [await statuses(world, link)];

    expected(await as('door/', { public: false }), 200);
    counts.push(await statuses(world, link));
    expected(await as('door/', { public: true }), 200);
    counts.push(await statuses(world, link));
    expected(await as('door/rename/', { new_name: 'gate' }), 200);
    counts.push(await statuses(world, link));
    const { public_link: next } = expected(await as('gate/reset_link/', {}), 200);
    counts.push(await statuses(world, link), await statuses(world, next));
    expected(await world.own('DELETE', 'endpoints/scripts/gate/'), 204);
    counts.push(await statuses(world, next));

    expect(counts.map((each) => [...new Set(each)])).toEqual([
      [200],
      [404],
      [200],
      [200],
      [404],
      [200],
      [404],
    ]);
  });

  it('that is unknown, or of another endpoint or another instance, is a 404', async ({
    api,
    world,
    given: { echo },
  }) => {
    const other = await openWorld(api, 'blog-2');
    const { public_link: theirs } = await makeEndpoint(other, 'echo', '', { public: true });
    const last = echo.public_link.endsWith('0') ? '1' : '0';
    const links = [
      theirs,
      echo.public_link.slice(0, -1) + last,
      '0'.repeat(56),
      'a'.repeat(40),
      'nonsense',
      world.owner,
    ];

    for (const link of links) {
      for (const body of [undefined, {}]) {
        const response = await api.send({ path: at(world, `p/${link}/`), body });
        expect([link, response.status, response.body]).toEqual([link, 404, missing]);
      }
    }
  });

  it('is not in the log, nor is the content of the request', async ({
    api,
    world,
    given: { echo },
  }) => {
    const body = { word: 'secret-word' };

    await api.send({ path: at(world, `p/${echo.public_link}/?word=secret-query`), body });

    const log = JSON.stringify(api.logged);
    expect(['secret-', echo.public_link].filter((secret) => log.includes(secret))).toEqual([]);
    expect(log).toContain(at(world, 'p/(key)/'));
  });
});

it('an endpoint may have the name of the path segment before public links', async ({
  api,
  world,
}) => {
  const { public_link } = await makeEndpoint(world, 'p', 'console.log("p")', { public: true });
  const get = (path: string) => api.send({ as: world.owner, path: at(world, path) });

  const own = await get('p/run/');
  const open = await get(`p/${public_link}/`);
  const record = await get('p/');
  const traces = await get('p/traces/');
  const trace = await get(`p/traces/${own.body.id}/`);
  const reset = await api.send({
    as: world.owner,
    method: 'POST',
    path: at(world, 'p/reset_link/'),
  });

  expect([own.body, open.body]).toEqual([plain('p'), plain('p')]);
  expect(record.body.name).toBe('p');
  expect(traces.body.objects).toHaveLength(2);
  expect(trace.body.id).toBe(own.body.id);
  expect(reset.body.public_link).not.toBe(public_link);
});

describe('in a batch', () => {
  it('runs are executed in order, separately', async ({ api, world }) => {
    const open = { public: true };
    const respond = (status: number, content: string) =>
      `setResponse(new HttpResponse(${status}, ${JSON.stringify(content)}))`;
    const made = await makeEndpoint(world, 'made', respond(201, '{"a":[1]}'), open);
    await makeEndpoint(world, 'words', respond(202, 'just words'));
    await makeEndpoint(world, 'silent', respond(200, ''));
    const item = (method: string, path: string, body?: object) => ({ method, path, body });
    const requests = [
      item('POST', at(world, 'echo/run/?a=1'), { b: 2 }),
      item('GET', at(world, `p/${made.public_link}/`)),
      item('POST', at(world, 'words/run/'), {}),
      item('POST', at(world, 'silent/run/'), {}),
      item('GET', at(world, 'nowhere/run/')),
    ].map(({ body, ...rest }) => ({ ...rest, ...(body && { body }) }));
    const path = `${world.base}batch/`;
    const headers = { 'User-Agent': 'tests', 'X-Own': 'own', 'X-Forwarded-For': '198.51.100.7' };

    const response = await api.send({ as: world.owner, path, body: { requests }, headers });

    const [first, ...others] = expected(response, 200);
    expect(others).toEqual([
      { code: 201, content: { a: [1] } },
      { code: 202, content: 'just words' },
      { code: 200 },
      { code: 404, content: missing },
    ]);
    expect(first).toEqual({ code: 200, content: plain(expect.any(String) as unknown as string) });
    const { ARGS, META } = JSON.parse(first.content.result.stdout);
    expect(ARGS).toEqual({ a: '1', b: 2, GET: { a: '1' }, POST: { b: 2 } });
    expect(META.request).toEqual({
      PATH_INFO: at(world, 'echo/run/'),
      REQUEST_METHOD: 'POST',
      REMOTE_ADDR: '198.51.100.7',
      HTTP_USER_AGENT: 'tests',
    });
  });
});

describe('isolation', () => {
  it('no data of one script or instance is visible in another', async ({ api, world }) => {
    const other = await openWorld(api, 'blog-3');
    const source =
      'globalThis.count = (globalThis.count ?? 0) + 1; process.env.MARK ??= "of this";';
    const look =
      'console.log(typeof globalThis.count, process.env.MARK, Object.keys(CONFIG).join())';
    await world.own('PATCH', 'snippets/config/', { config: { ours: 1 } });
    await makeEndpoint(world, 'leaves', `${source} console.log(count)`);
    await makeEndpoint(world, 'looks', look);
    await makeEndpoint(other, 'looks', look);

    const own = [await run(world, 'leaves'), await run(world, 'leaves'), await run(world, 'looks')];
    const theirs = await other.own('GET', 'endpoints/scripts/looks/run/');

    expect([...own, theirs].map(({ body }) => body.result.stdout)).toEqual([
      '1',
      '1',
      'undefined undefined ours',
      'undefined undefined ',
    ]);
  });
});

describe('use', () => {
  // each function counts for itself
  it.skipIf(isOn('roles'))('is counted by run, in a batch as well', async ({ api }) => {
    const other = await openWorld(api, 'blog-4');
    await makeEndpoint(other, 'quick', 'console.log(1)');
    const path = `${other.base}endpoints/scripts/quick/run/`;
    const requests = [1, 2].map(() => ({ method: 'GET', path }));

    expected(await api.send({ as: other.owner, path }), 200);
    expected(await other.own('POST', 'batch/', { requests }), 200);
    await api.platform.meter.flush();

    const used = '/v1.1/usage/daily/?source=run&instance=blog-4';
    const { objects } = expected(await api.send({ as: other.owner, path: used }), 200);
    expect(objects).toMatchObject([{ instance: 'blog-4', source: 'run', value: 3 }]);
  });
});

describe('a run that names a template', () => {
  const response = ({ status, headers, body }: ApiResponse) => [
    status,
    headers.get('content-type'),
    body,
  ];
  let own: MadeEndpoint;

  it.beforeAll(async ({ world }) => {
    await make(world, 'shown', '{{ action }} {{ response.status }} {{ response.result.stdout }}');
    await make(world, 'content', '<{{ response.result.response.content }}>');
    await make(world, 'broken', '{{ response.nothing.more }}');
    await makeEndpoint(world, 'said', 'console.log("hi")');
    const source = 'setResponse(new HttpResponse(201, "made", "text/plain"))';
    own = await makeEndpoint(world, 'own', source, { public: true });
  });

  it('is rendered by it, in its type as it is', async ({ world }) => {
    expect(response(await run(world, 'said', {}, '?template=shown'))).toEqual([
      200,
      'text/x-run',
      'script success hi',
    ]);
  });

  it('keeps the status of its own response, whose content the template has', async ({
    api,
    world,
  }) => {
    const headers = { 'X-Template-Response': 'content' };
    const path = at(world, `p/${own.public_link}/`);

    expect(response(await run(world, 'own', { headers }))).toEqual([201, 'text/x-run', '<made>']);
    expect(response(await api.send({ path, headers }))).toEqual([201, 'text/x-run', '<made>']);
  });

  it('that fails has a plain error message', async ({ world }) => {
    expect(response(await run(world, 'said', {}, '?template_response=broken'))).toEqual([
      400,
      'application/json; charset=utf-8',
      "Template rendering failed: 'dict object' has no attribute 'nothing'",
    ]);
  });

  it('does not run when the template does not exist', async ({ world }) => {
    const before = await world.read('endpoints/scripts/said/traces/');

    expect((await run(world, 'said', {}, '?template=nothing')).status).toBe(406);

    const after = await world.own('GET', 'endpoints/scripts/said/traces/');
    expect(after.body).toEqual(before);
  });
});

async function setUp(world: World) {
  const echo: MadeEndpoint = await makeEndpoint(
    world,
    'echo',
    'console.log(JSON.stringify({ ARGS, CONFIG, META }))',
    {
      public: true,
    },
  );
  return { echo };
}

const at = (world: World, path: string) => `${world.base}endpoints/scripts/${path}`;

const run = (
  world: World,
  name: string,
  more: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
  query = '',
) => world.api.send({ as: world.owner, path: at(world, `${name}/run/${query}`), ...more });

/** The input of a run of `echo`. */
function seen(response: ApiResponse) {
  return JSON.parse(expected(response, 200).result.stdout);
}

const plain = (stdout: string) => ({
  id: expect.any(Number),
  status: 'success',
  executed_at: time,
  duration: expect.any(Number),
  result: { stdout, stderr: '' },
});

const forms = (world: World, link: string) => [
  at(world, `p/${link}/`),
  at(world, `p/${link}/echo/`),
  at(world, `p/${link.toUpperCase()}/any%20thing/`),
  `${world.base}sockets/endpoints/scripts/p/${link}/`,
  `${world.base}sockets/endpoints/scripts/p/${link}/echo/`,
  `/v1/instances/blog-1/webhooks/p/${link}/`,
  `/v1/instances/blog-1/webhooks/p/${link}/echo/`,
];

const statuses = async (world: World, link: string) =>
  Promise.all(forms(world, link).map(async (path) => (await world.api.send({ path })).status));

const make = async (world: World, name: string, content: string) => {
  const template = { name, content, content_type: 'text/x-run' };
  await world.create('snippets/templates/', template);
};
