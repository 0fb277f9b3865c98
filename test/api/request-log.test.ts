import { describe, expect } from 'vitest';
import { keyParameters } from '../../shared/core/http/message.ts';
import { type Call, type Credentials, expected, openWorld, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

const it = worldTest().extend('log', { scope: 'file' }, ({ world }) => setUp(world));
const objects = '/v1.1/instances/blog-1/classes/book/objects/';
const requests = (base = '/v1.1/instances/blog-1/') => `${base}request_log/`;

describe('a record', () => {
  it('has route, ids, names of parameters, status, sizes and caller', async ({ api, log }) => {
    const path = `${objects}?page_size=2&fields=id&secret-name=x&fields=title`;
    const { headers } = await api.send({ as: log.key, path });

    const [record] = await log.newest(1);

    expect(record).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/),
      request_id: headers.get('x-request-id'),
      method: 'GET',
      route: '/v1.1/instances/{instance}/classes/{class}/objects/',
      ids: { class: 'book' },
      parameters: ['page_size', 'fields', 'other'],
      status: 200,
      duration_ms: expect.any(Number),
      request_bytes: 0,
      response_bytes: Number(headers.get('content-length')),
      caller: 'api_key',
      caller_id: 1,
    });
  });

  it.for<[string, (log: Log) => Credentials, object]>([
    ['account', ({ owner }) => owner, { caller: 'account', caller_id: 1 }],
    ['api key', ({ key }) => key, { caller: 'api_key', caller_id: 1 }],
    ['user', ({ key, userKey }) => ({ key, user: userKey }), { caller: 'user', caller_id: 1 }],
    ['nobody', () => undefined, { caller: 'anonymous', caller_id: null }],
  ])('has the kind and the id of the caller: %s', async ([_, as, caller], { api, log }) => {
    await api.send({ as: as(log), method: 'PATCH', path: `${objects}77/`, body: { title: 'x' } });

    const [record] = await log.newest(1);

    expect(record).toMatchObject({ ...caller, method: 'PATCH', ids: { class: 'book', id: '77' } });
  });

  it('has no caller when the key was rejected after its instance was found', async ({
    api,
    log,
  }) => {
    const { id, api_key } = expected(await log.own('POST', 'api_keys/', {}), 201);
    await log.own('DELETE', `api_keys/${id}/`);
    await api.send({ as: api_key, path: objects });

    expect(await log.newest(1)).toMatchObject([{ status: 403, caller: null, caller_id: null }]);
  });

  it('is found by the id that a run has of its request, where it is asked for', async ({
    api,
    log,
  }) => {
    await makeEndpoint(log, 'found', 'console.log(1)');
    for (const run of ['endpoints/scripts/found/', 'snippets/scripts/1/']) {
      expected(await log.own('POST', `${run}run/`, {}), 200);
      await api.platform.idle();
      const traces = `${run}traces/`;
      const { objects: plain } = expected(await log.own('GET', traces), 200);
      const asked = `${traces}${plain[0].id}/?fields=id,request_id`;
      const { request_id } = expected(await log.own('GET', asked), 200);

      const [record] = (await log.readPage(`request_id=${request_id}`)).objects;

      expect(plain[0]).not.toHaveProperty('request_id');
      expect(record?.route).toMatch(/\/run\/$/);
    }
  });

  it('stands for a batch as one request', async ({ log }) => {
    const [before] = await log.newest(1);
    const items = [{ method: 'GET', path: objects }];
    await log.call(log.key, 'POST', 'batch/', { requests: items });

    const [batch, next] = await log.newest(2);

    expect(batch?.route).toBe('/v1.1/instances/{instance}/batch/');
    expect(next).toEqual(before);
  });

  it('is not made of a request outside of instances, of an unknown path or a forged key', async ({
    api,
    log,
  }) => {
    const [before] = await log.newest(1);
    await api.send({ as: log.owner, path: '/v1.1/instances/' });
    await api.send({ as: log.owner, path: `${log.base}nothing/` });
    await api.send({ as: 'f'.repeat(56), path: objects });

    expect(await log.newest(1)).toEqual([before]);
  });
});

describe('a list of requests', () => {
  it('leads from page to page, the newest first, and back', async ({ api, log }) => {
    for (let at = 1; at <= 5; at += 1) await api.send({ as: log.key, path: `${objects}${at}/` });
    const filter = 'route=/v1.1/instances/{instance}/classes/{class}/objects/{id}/&method=get';
    const idsOf = ({ objects: shown }: { objects: readonly Shown[] }) =>
      shown.map(({ ids }) => ids.id);

    const first = await log.readPage(`page_size=2&${filter}`);
    const second = await log.follow(first.next);
    const third = await log.follow(second.next);
    const back = await log.follow(third.prev);

    expect([first, second, third, back].map(idsOf)).toEqual([
      ['5', '4'],
      ['3', '2'],
      ['1'],
      ['3', '2'],
    ]);
    expect([first.prev, third.next]).toEqual([null, null]);
    expect(idsOf(await log.readPage(`${filter}&ordering=asc`))).toEqual(['1', '2', '3', '4', '5']);
  });

  it('is filtered by several methods', async ({ api, log }) => {
    const path = `${objects}77/`;
    await api.send({ as: log.key, method: 'PATCH', path, body: { title: 'x' } });
    await api.send({ as: log.key, path });
    await api.send({ as: log.key, method: 'DELETE', path });

    const { objects: shown } = await log.readPage('method=patch,DELETE&page_size=2');

    expect(shown.map(({ method }) => method)).toEqual(['DELETE', 'PATCH']);
  });

  it('is filtered by status, errors, request id and time', async ({ api, log }) => {
    const { headers } = await api.send({ as: log.key, path: `${objects}404/` });
    const id = headers.get('x-request-id');
    await api.send({ as: log.key, path: objects });
    const [good, bad] = await log.newest(2);

    const found = await Promise.all(
      [
        `request_id=${id}`,
        'status=4xx&page_size=1',
        'errors=true&page_size=1',
        `since=${bad?.time}&until=${bad?.time}`,
        `until=${bad?.time}&page_size=1`,
      ].map(async (query) => (await log.readPage(query)).objects),
    );

    expect(good?.status).toBe(200);
    expect(found).toEqual(found.map(() => [bad]));
    expect((await log.readPage(`status=5xx`)).objects).toEqual([]);
    expect((await log.readPage('until=2001-01-01T00:00:00Z')).objects).toEqual([]);
    expect((await log.readPage('since=2999-01-01T00:00:00Z')).objects).toEqual([]);
  });

  it.for([
    ['status=404', { status: 'Incorrect value.' }],
    ['method=GET,', { method: 'Incorrect value.' }],
    ['method=GET%20', { method: 'Incorrect value.' }],
    ['route=%22%7D%20%7C%7C%20%7B', { route: 'Incorrect value.' }],
    ['request_id=%22', { request_id: 'Incorrect value.' }],
    ['since=yesterday', { since: 'Enter a valid datetime.' }],
    ['until=2026-13-01T00:00:00Z', { until: 'Enter a valid datetime.' }],
    ['direction=1&last_pk=1', { detail: 'Incorrect page parameter provided.' }],
    ['page_size=x', { detail: 'Incorrect page parameter provided.' }],
  ])('rejects %s', async ([query, body], { api, log }) => {
    const response = await api.send({ as: log.owner, path: `${requests()}?${query}` });

    expect(response).toMatchObject({ status: 400, body });
  });

  it('has the form of every list: fields, empty pages, and 405 in a batch', async ({ log }) => {
    const shown = await log.readPage('fields=status&page_size=1&status=2xx');
    const path = requests();
    const batch = await log.own('POST', 'batch/', {
      requests: [{ method: 'GET', path }],
    });

    expect(shown.objects).toEqual([{ status: 200 }]);
    expect(await log.readPage('page_size=0')).toEqual({ next: null, prev: null, objects: [] });
    expect(batch.body[0].code).toBe(405);
  });
});

describe('the log of an instance', () => {
  it('is for its owner and members with role full alone', async ({ api, log }) => {
    const other = await openWorld(api, 'shop-1');
    const callers: readonly Credentials[] = [
      await joinAs(log, 'full'),
      await joinAs(log, 'write'),
      await joinAs(log, 'read'),
      other.owner,
      log.key,
      { key: log.key, user: log.userKey },
      undefined,
    ];

    const statuses = [];
    for (const as of callers) statuses.push((await api.send({ as, path: requests() })).status);

    expect(statuses).toEqual([200, 403, 403, 403, 403, 403, 403]);
  });

  it('has only its own requests', async ({ api }) => {
    const { base, owner } = await openWorld(api, 'shop-2');
    await api.send({ as: owner, path: `${base}classes/` });

    const { body } = await api.send({ as: owner, path: requests(base) });

    const routes = body.objects.map(({ route }: Shown) => route);
    expect(routes).toEqual(['/v1.1/instances/{instance}/classes/']);
  });

  it('ends with the instance: a later one of the same name begins with none', async ({ api }) => {
    const { base, owner } = await openWorld(api, 'shop-3');
    await api.send({ as: owner, path: `${base}classes/` });
    expected(await api.send({ as: owner, method: 'DELETE', path: base }), 204);
    const body = { name: 'shop-3' };
    expected(await api.send({ as: owner, path: '/v1.1/instances/', body }), 201);

    const { body: page } = await api.send({ as: owner, path: requests(base) });

    expect(page.objects).toEqual([]);
  });
});

describe('no credential', () => {
  it('is in a record, wherever it was sent', async ({ api, log }) => {
    const { base, owner, key, userKey } = log;
    const { public_link: link } = await makeEndpoint(log, 'hello', 'console.log(1)', {
      public: true,
    });
    const script = `${base}endpoints/scripts/`;
    const device = 'device-token-0123456789';
    const form = new URLSearchParams({ _api_key: key, _user_key: userKey, title: 'pa55word' });
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const calls: Call[] = [
      ...keyParameters.map((name) => ({ path: `${objects}?${name}=${key}` })),
      { path: `${objects}?api_key=${key}&user_key=${userKey}` },
      { path: `${objects}?${key}=1&pa55word`, as: key },
      { path: objects, headers: { Authorization: `Token ${key}`, 'X-USER-KEY': userKey } },
      { path: objects, body: form.toString(), headers: type },
      { path: objects, body: { _api_key: key, title: 'pa55word' } },
      { path: `${script}p/${link}/` },
      { path: `${script}p/${link}/hello/` },
      { path: `/v1/instances/blog-1/webhooks/p/${link}/` },
      { path: `/v1/instances/blog-1/webhooks/p/${link}/hello/` },
      { path: `${base}classes/${key}/objects/`, as: key },
      { path: `${base}classes/${userKey}/objects/${link}/`, as: key },
      { path: `${base}endpoints/scripts/${owner}/`, as: owner },
      { path: `${base}push_notifications/gcm/devices/${device}/`, as: key },
      {
        path: `${base}user/auth/`,
        as: key,
        body: { username: 'ann', password: 'pa55word' },
      },
      { path: `${base}?api_key=${owner}` },
      { path: objects, as: key, headers: { 'User-Agent': 'pa55word', Cookie: 'pa55word' } },
    ];
    const before = (await log.readPage('page_size=100')).objects.length;
    for (const call of calls) await api.send(call);

    const { body } = await log.readRaw('page_size=100');

    expect(body.objects.length - before).toBeGreaterThan(12);
    const secrets = [key, userKey, owner, link, device, 'pa55word'];
    const text = JSON.stringify(body.objects).toLowerCase();
    expect(secrets.filter((secret) => text.includes(secret.toLowerCase()))).toEqual([]);
    expect(text).toContain('/endpoints/scripts/p/{link}/');
  });

  it('a hostile query costs a record of bounded size', async ({ api, log }) => {
    const names = Array.from({ length: 500 }, (_, at) => `n${at}=%00%09`).join('&');
    await api.send({ as: log.key, path: `${objects}?${names}` });

    expect(await log.newest(1)).toMatchObject([{ parameters: ['other'] }]);
  });
});

async function setUp(world: World) {
  const { api, owner } = world;
  const readRaw = async (query: string) => {
    const response = await api.send({ as: owner, path: `${requests()}?${query}` });
    expected(response, 200);
    return response;
  };
  /** Returns a page of the log, with the reads of the log. */
  const readPage = async (query = ''): Promise<Page> => (await readRaw(query)).body;
  const key = await world.apiKey({ ignore_acl: true });
  await world.dataClass('book', [{ name: 'title', type: 'string' }]);
  const { user_key } = await world.create('users/', { username: 'ann', password: 'p' });
  return {
    ...world,
    key,
    userKey: user_key as string,
    readRaw,
    readPage,
    follow: async (link: string | null): Promise<Page> =>
      (await api.send({ as: owner, path: link ?? '' })).body,
    /** Returns the newest records that are no reads of the log. */
    newest: async (count: number): Promise<readonly Shown[]> =>
      (await readPage()).objects.filter((record) => !isLog(record)).slice(0, count),
  };
}

type Log = Awaited<ReturnType<typeof setUp>>;

interface Page {
  readonly next: string | null;
  readonly prev: string | null;
  readonly objects: readonly Shown[];
}

/** A record as responses show it. */
interface Shown {
  readonly time: string;
  readonly request_id: string;
  readonly method: string;
  readonly route: string;
  readonly ids: Readonly<Record<string, string>>;
  readonly parameters: readonly string[];
  readonly status: number;
  readonly caller: string | null;
  readonly caller_id: number | null;
}

const isLog = ({ route }: Shown) => route.endsWith('/request_log/');
