import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { machine } from '../scripts/python-hosts.ts';
import type { World } from '../support/api.ts';
import { type ApiResponse, expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { isOn } from '../support/medium.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

/** Numbers that a double does not give back (docs/reference/requests.md#large-numbers). */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const big = '9007199254740993';
const lost = [`The integer ${big} would lose digits: send it as text.`];
const json = { 'Content-Type': 'application/json' };
/** Decimal digits of any size. */
const digits = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.integer().map(String),
);
const leaf = fc.oneof(
  digits,
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text.toWellFormed())),
  fc.constantFrom('true', 'false', 'null'),
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all}]`),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }).map(toObject),
  ),
}));

describe('texts', () => {
  it.for([
    [big],
    ['653247040368672768'],
    ['-653247040368672768'],
    ['1234567890123456.7890'],
    ['1000000000000000000000'],
    ['1'.repeat(128)],
  ] as const)('keep the digits of %s', async ([digits], { api, world }) => {
    const body = `{"number": ${digits}, "note":${digits}}`;
    const requests = `[{"method":"POST","path":"${objects(world)}","body":${body}},{"method":"POST","path":"${objects(world)}","body":${JSON.stringify(body)}}]`;

    const made = expected(await send(world, objects(world), body), 201);
    const inBatch = expected(
      await send(world, `${world.base}batch/`, `{"requests":${requests}}`),
      200,
    );
    const found = await api.send({ as: world.owner, path: made.links.self });

    const shown = { number: digits, note: digits };
    expect(found.body).toMatchObject(shown);
    expect(inBatch).toMatchObject([
      { code: 201, content: shown },
      { code: 201, content: shown },
    ]);
  });

  it('of other resources keep them', async ({ world }) => {
    const user = `{"username":${big},"password":${big},"profile":{}}`;
    const other = `{"username":${big},"password":9007199254740992}`;

    expect(expected(await send(world, `${world.base}users/`, user), 201).username).toBe(big);
    expected(await send(world, `${world.base}user/auth/`, user), 200);
    expect((await send(world, `${world.base}user/auth/`, other)).status).toBe(401);
    const group = expected(await send(world, `${world.base}groups/`, `{"label":${big}}`), 201);
    expect(group.label).toBe(big);
  });

  it('are unique by their digits', async ({ world }) => {
    expected(await send(world, objects(world), `{"code":${big}}`), 201);
    expected(await send(world, objects(world), '{"code":9007199254740992}'), 201);

    expect((await send(world, objects(world), `{"code":"${big}"}`)).status).toBe(400);
  });

  it.skipIf(isOn('late'))('are found by their digits', async ({ api, world }) => {
    await send(world, objects(world), '{"number":9007199254740999}');
    const count = async (query: string) => {
      const path = `${objects(world)}?query=${encodeURIComponent(query)}`;
      return expected(await api.send({ as: world.owner, path }), 200).objects.length;
    };
    const body = `{"_method":"GET","query":{"number":{"_in":[9007199254740999]}}}`;

    expect(await count('{"number":{"_eq":9007199254740999}}')).toBe(1);
    expect(await count('{"number":{"_startswith":9007199254740999}}')).toBe(1);
    expect(await count('{"number":{"_eq":9007199254741000}}')).toBe(0);
    const overridden = await send(world, objects(world), body, 'POST', {
      'Content-Type': 'text/plain',
    });
    expect(expected(overridden, 200).objects).toHaveLength(1);
  });
});

describe('JSON that is kept', () => {
  it.for([
    ['data', `{"a":[{"b":${big}}]}`],
    ['data', JSON.stringify(`{"a":[{"b":${big}}]}`)],
    ['list', `[1,${big}]`],
    ['list', JSON.stringify(`[1,${big}]`)],
  ] as const)('refuses them in %s: %s', async ([name, value], { world }) => {
    const response = await send(world, objects(world), `{"${name}":${value}}`);

    expect([response.status, response.body]).toEqual([400, { [name]: lost }]);
  });

  it('refuses them in a form', async ({ api, world }) => {
    const form = new FormData();
    form.set('data', `{"a":${big}}`);
    form.set('number', big);
    const response = await fetch(api.url + objects(world), {
      method: 'POST',
      body: form,
      headers: { 'X-API-KEY': world.owner },
    });

    expect([response.status, await response.json()]).toEqual([400, { data: lost }]);
  });

  it('refuses them as ids and in numbers with bounds', async ({ world }) => {
    const body = `{"next":${big},"others":[${big}],"count":${big},"place":{"latitude":${big},"longitude":1}}`;

    const response = await send(world, objects(world), body);

    expect([response.status, response.body]).toEqual([
      400,
      {
        next: ['Target with specified id does not exist.'],
        others: [`Invalid pk "${big}" - object does not exist.`],
        count: ['Ensure this value is less than or equal to 2147483647.'],
        place: ['Not a valid geopoint.'],
      },
    ]);
  });

  it.for([
    ['metadata of an instance', 'PATCH', '', 'metadata'],
    ['configuration', 'PUT', 'snippets/config/', 'config'],
    ['metadata of a class', 'PATCH', 'classes/card/', 'metadata'],
    ['a message', 'POST', 'channels/default/publish/', 'payload'],
    ['context of a template', 'POST', 'snippets/templates/', 'context'],
    ['a stored query', 'POST', 'endpoints/data/', 'query'],
    ['a push message', 'POST', 'push_notifications/gcm/messages/', 'content'],
  ] as const)('refuses them in %s', async ([_, method, path, name], { world }) => {
    const response = await send(
      world,
      world.base + path,
      `{"${name}":{"a":{"_eq":${big}}}}`,
      method,
    );

    expect(response.status).toBe(400);
    expect(response.body[name]).toEqual(lost);
  });

  it('never removes or finds another number', async ({ api, world }) => {
    const made = expected(
      await send(world, objects(world), '{"list":[9007199254740992,"x"]}'),
      201,
    );
    const path = made.links.self;

    const removed = await send(world, path, `{"list":{"_remove":[${big}]}}`, 'PATCH');
    const added = await send(world, path, `{"list":{"_addunique":${big}}}`, 'PATCH');
    const related = await send(world, path, `{"others":{"_remove":${big}}}`, 'PATCH');
    const query = encodeURIComponent(`{"list":{"_contains":[${big}]}}`);
    const found = await api.send({ as: world.owner, path: `${objects(world)}?query=${query}` });
    const counted = encodeURIComponent(`{"count":{"_eq":${big}}}`);
    const integer = await api.send({ as: world.owner, path: `${objects(world)}?query=${counted}` });

    expect([removed.body, added.body]).toEqual([{ list: lost }, { list: lost }]);
    expect(related.status).toBe(400);
    expect([found.status, integer.status]).toEqual([400, 400]);
    expect((await api.send({ as: world.owner, path })).body.list).toEqual([2 ** 53, 'x']);
  });
});

describe('arguments of scripts', () => {
  const body = `{"id":${big},"deep":[{"price":12345678901234567.89}]}`;

  const argumentsOf = (response: ApiResponse) => expected(response, 200).result.stdout.trim();

  it('are as JSON.parse reads them in JavaScript', async ({ world }) => {
    const { links } = await makeEndpoint(world, 'js', 'console.log(JSON.stringify(ARGS.POST))');

    const run = await send(world, links.run ?? '', body);

    expect(argumentsOf(run)).toBe(JSON.stringify(JSON.parse(body)));
  });

  it.runIf(machine !== undefined)(
    'are exact in Python, and when a run is repeated',
    async ({ api, world }) => {
      const { links, script } = await makeEndpoint(world, 'py', 'print(ARGS["id"])', {
        runtime_name: 'python_library_v5.0',
        public: true,
      });
      const direct = `${world.base}snippets/scripts/${script}/run/`;
      const end = async (begun: ApiResponse) => {
        await api.platform.idle();
        return api.send({ as: world.owner, path: expected(begun, 200).links.self });
      };

      const run = await send(world, links.run ?? '', body);
      const pending = await end(await send(world, direct, `{"payload":${body}}`));
      const asText = await end(await send(world, direct, JSON.stringify({ payload: body })));
      const again = await end(await send(world, `${pending.body.links.self}retry/`, '{}'));
      const requests = `[{"method":"POST","path":"${links.run}","body":${body}}]`;
      const inBatch = await send(world, `${world.base}batch/`, `{"requests":${requests}}`);

      const all = [run, pending, asText, again].map(argumentsOf);
      expect(all).toEqual([big, big, big, big]);
      expect(expected(inBatch, 200)[0].content.result.stdout.trim()).toBe(big);
    },
  );

  it('are shown by traces with their digits', async ({ api, world }) => {
    const { links } = await makeEndpoint(world, 'traced', '');
    const { id } = expected(await send(world, links.run ?? '', body), 200);

    const url = `${api.url}${links.traces}${id}/`;
    const trace = await (await fetch(url, { headers: { 'X-API-KEY': world.owner } })).text();

    expect(trace).toContain(`"POST":{"id":${big},"deep":[{"price":12345678901234567.89}]}`);
  });

  it('and responses of scripts keep them inside a batch', async ({ api, world }) => {
    const source = `setResponse(new HttpResponse(200, '{"id":${big}}', 'application/json'))`;
    const { links } = await makeEndpoint(world, 'answer', source);
    const response = await fetch(`${api.url}${world.base}batch/`, {
      method: 'POST',
      headers: { ...json, 'X-API-KEY': world.owner },
      body: JSON.stringify({ requests: [{ method: 'POST', path: links.run, body: {} }] }),
    });

    expect(await response.text()).toBe(`[{"code":200,"content":{"id":${big}}}]`);
  });
});

describe('law', () => {
  it('JSON that a field accepts comes back equal, by the API and by a data endpoint', async ({
    api,
    world,
  }) => {
    await world.own('POST', 'endpoints/data/', { name: 'cards', class: 'card' });
    const body = fc.record(
      {
        number: fc.oneof(digits, leaf),
        note: fc.oneof(digits, leaf),
        data: fc.oneof(value, fc.dictionary(fc.string(), value, { maxKeys: 3 }).map(toObject)),
        list: fc.array(leaf, { maxLength: 4 }).map((all) => `[${all}]`),
      },
      { requiredKeys: [] },
    );
    const doors = [objects(world), `${world.base}endpoints/data/cards/post/`];
    let accepted = 0;
    const headers = { ...json, 'X-API-KEY': world.owner };

    const check = async (members: Partial<Record<string, string>>, door: string) => {
      const given = Object.entries(members) as readonly [string, string][]; // of those that are there
      const response = await fetch(api.url + door, {
        method: 'POST',
        headers,
        body: toObject(Object.fromEntries(given)),
      });
      const text = await response.text();
      if (response.status === 400) return;
      expect(response.status).toBe(201);
      const path = JSON.parse(text).links.self;
      const shown = exactly(await (await fetch(api.url + path, { headers })).text()) as object;
      for (const [name, sent] of given) {
        const isText = (name === 'number' || name === 'note') && /^[-\d]/.test(sent);
        accepted += 1;
        expect(Reflect.get(shown, name)).toEqual(isText ? sent : exactly(sent));
      }
    };
    await fc.assert(fc.asyncProperty(body, fc.constantFrom(...doors), check), { numRuns: 300 });
    expect(accepted).toBeGreaterThan(100);
  });
});

async function setUp(world: World) {
  await world.dataClass('card', [
    { name: 'number', type: 'string', filter_index: true },
    { name: 'code', type: 'string', unique: true },
    { name: 'note', type: 'text' },
    { name: 'count', type: 'integer', filter_index: true },
    { name: 'weight', type: 'float', filter_index: true },
    { name: 'data', type: 'object' },
    { name: 'list', type: 'array', filter_index: true },
    { name: 'place', type: 'geopoint' },
    { name: 'next', type: 'reference', target: 'self' },
    { name: 'others', type: 'relation', target: 'self' },
  ]);
}

function toObject(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members).map(([name, each]) => `${JSON.stringify(name)}:${each}`)}}`;
}

const objects = (world: World) => `${world.base}classes/card/objects/`;

const send = (world: World, path: string, body: string, method = 'POST', headers: object = json) =>
  world.api.send({ as: world.owner, method, path, body, headers: { ...headers } });

/** Reads JSON with integers as exact texts, which tells all of them apart. */
function exactly(text: string): unknown {
  const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.]*(?:e[-+]?\d+)?/gi, (token) =>
    token.startsWith('"') ? token : `{"number":"${token === '-0' ? '0' : token}"}`,
  );
  return JSON.parse(quoted);
}
