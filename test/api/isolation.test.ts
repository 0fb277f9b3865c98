import { describe, expect } from 'vitest';
import { type Api, type Credentials, expected, plantGroup, plantUser } from '../support/api.ts';
import {
  type FilledWorld,
  inOneVersion,
  isRedirect,
  isWait,
  openFilledWorld,
  type Place,
  places,
} from '../support/filled-world.ts';
import { apiTest } from '../support/fixtures.ts';
import type { RawResponse } from '../support/http-client.ts';
import { type LawfulCall, lawful } from '../support/lawful.ts';
import { sampleOf } from '../support/sample.ts';
import { type Dump, type WatchedStore, watch } from '../support/watched-store.ts';

/*
 * Isolation of instances: for every path of the map, every method and every kind of key, no access to another's data.
 * The soak run sends all requests, other runs a sample of those with each key and method, to one version of a route.
 */

const it = apiTest({ wrap: watch })
  .extend('call', { scope: 'file' }, ({ api }) => lawful(api))
  .extend('dump', { scope: 'file' }, ({ api, store }) => dumper(api, store))
  .extend('given', { scope: 'file', auto: true }, ({ api, call }) => setUp(api, call));

const marker = 'marker-of-ours';
const userId = 7;
const onlyOurs = 8;
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const flags = ['ignore_acl', 'allow_user_create', 'allow_group_create', 'allow_anonymous_read'];

it('the records of the tests below exist', async ({ call, dump, given: { ours, theirs } }) => {
  const found = await Promise.all(
    places
      .filter((place) => isInside(place) && place.route.operations.GET !== undefined)
      .filter((place) => !isWait(place) && !isRedirect(place))
      .map(async (place) => ({
        place,
        answer: await call({ as: ours.caller(place), path: ours.path(place) }),
        other: await call({ as: theirs.caller(place), path: theirs.path(place) }),
      })),
  );

  expect(
    found.filter(({ answer: response }) => response.status !== 200).map(({ place }) => place.name),
  ).toEqual([]);
  const silent = found.filter(
    ({ place, answer: response, other }) =>
      !isOpen(place) &&
      !place.template.endsWith('/request_log/') && // shows no text of clients
      !response.text.includes(marker) &&
      (place.template.endsWith('}/') || !differsInNumbersOnly(response, other)), // an item shows its text
  );
  expect(silent.map(({ place }) => place.name)).toEqual([]);
  expect(Object.keys(await dump()).length).toBeGreaterThan(10);
  expect(JSON.stringify(await dump())).not.toContain(theirs.marker);
});

describe('keys of another instance', () => {
  const missing = [404, { detail: 'Not found.' }];
  const badKey = [403, { detail: 'No such API Key.' }];
  const forbidden = [403, { detail: 'You do not have permission to perform this action.' }];

  /** Status for an account that is not a member. */
  function closedTo({ route }: Place) {
    return route.hide ? missing : forbidden;
  }

  everyPlace(1, (place) => isInside(place) && needsKeys(place))(
    '%s is closed to them',
    async (
      [_, place],
      { call, dump, given: { ours, theirs, attempts, bodyFor, expectNothingOfOurs } },
    ) => {
      const before = await dump();

      for (const { name, as, method } of sampleOf(attempts(methods), 8)) {
        const body = bodyFor(place, method);
        const response = await call({ as, method, path: ours.path(place), body });
        const said = `${method} by ${name}`;
        expectNothingOfOurs(response, said);
        // a page of links contains no more than the documentation
        if (isForAccounts(place) && as === theirs.owner) continue;
        expect([403, 404], said).toContain(response.status);
      }

      expect(await dump()).toEqual(before);
    },
  );

  everyPlace(2, (place) => isInside(place) && !isForAccounts(place))(
    '%s says what the contract says',
    async ([_, place], { call, given: { ours, strangers } }) => {
      const account = closedTo(place);
      const apiKey = place.route.instance === 'thing' ? missing : badKey;

      for (const [name, as] of strangers) {
        const { status, body } = await call({ as, path: ours.path(place) });
        const isUserKey = name === 'a user key alone';
        const wanted = name === 'the owner' ? account : isUserKey ? badKey : apiKey;
        expect([status, body], name).toEqual(wanted);
      }
    },
  );
});

describe('our user in their instance, their user in ours', () => {
  everyPlace(3, (place) => isInside(place) && needsKeys(place))(
    '%s takes a user of another instance for nobody',
    async ([_, place], { call, dump, given: { ours, ourBareKey, theirUser } }) => {
      const before = await dump();
      const path = ours.path(place);

      for (const method of methods.slice(0, 2)) {
        const bare = await call({ as: ourBareKey, method, path });
        const mixed = await call({ as: { key: ourBareKey, user: theirUser }, method, path });
        expect([mixed.status, mixed.text]).toEqual([bare.status, bare.text]);
      }

      expect(await dump()).toEqual(before);
    },
  );

  it('has permissions in its own instance', async ({
    api,
    call,
    given: { ours, ourUser, ourBareKey },
  }) => {
    const path = `${ours.base}classes/book/objects/`;
    api.settle();

    const own = await call({ as: { key: ourBareKey, user: ourUser }, path });
    const bare = await call({ as: ourBareKey, path });

    expect([own.status, own.body.objects?.length]).toEqual([200, 5]);
    expect(bare.status).toBe(403);
  });

  everyPlace(4, (place) => isInside(place) && !isOpen(place))(
    '%s of theirs is closed to keys of ours, also with a user of theirs',
    async ([_, place], { call, given: { ours, theirs, ourBareKey, theirUser, bodyFor } }) => {
      const path = theirs.path(place);

      const keys = [ours.owner, ourBareKey, { key: ourBareKey, user: theirUser }];
      const all = keys.flatMap((as) => methods.map((method) => ({ as, method })));
      for (const { as, method } of sampleOf(all, 8)) {
        if (isForAccounts(place) && as === ours.owner) continue;
        const response = await call({ as, method, path, body: bodyFor(place, method) });
        expect([403, 404]).toContain(response.status);
      }
    },
  );
});

describe('ids and names of ours below their paths', () => {
  everyPlace(5, (place) => isInside(place) && /\{(?!instance)\w+\}/.test(place.template))(
    '%s finds none of ours',
    async ([_, place], { call, dump, given: { ours, attempts, expectNothingOfOurs } }) => {
      const before = await dump();
      const path = ours.path(place).replace('/our-shop/', '/their-shop/');

      for (const { name, as, method } of sampleOf(attempts(['GET', 'HEAD', 'OPTIONS']), 8)) {
        const response = await call({ as, method, path });
        expectNothingOfOurs(response, `${method} by ${name}`);
      }

      expect(await dump()).toEqual(before);
    },
  );

  it.for(['classes/book/objects/6/', 'api_keys/9999/', 'classes/novel/', 'classes/novel/objects/'])(
    '%s exists in one and is missing in the other',
    async (path, { call, given: { theirs } }) => {
      const response = await call({ as: theirs.owner, path: theirs.base + path });

      expect(response.status).toBe(404);
    },
  );

  it.for([
    ['a reference', { next: 4 }],
    ['an owner', { owner: onlyOurs }],
    ['a group', { group: onlyOurs }],
  ])('%s has no access to ours', async ([_, body], { given: { ours, theirs } }) => {
    const path = 'classes/book/objects/';

    const here = await ours.call(ours.owner, 'POST', path, body);
    const there = await theirs.call(theirs.owner, 'POST', path, body);

    expect([here.status, there.status]).toEqual([201, 400]);
  });

  it('a relation drops ids that exist only in ours', async ({ given: { ours, theirs } }) => {
    const path = 'classes/book/objects/';

    const here = await ours.call(ours.owner, 'POST', path, { similar: [5] });
    const there = await theirs.call(theirs.owner, 'POST', path, { similar: [5] });

    expect([here.body.similar.value, there.body.similar]).toEqual([[5], null]);
  });

  it('a value that is unique here may exist there as well', async ({ given: { ours, theirs } }) => {
    const path = 'classes/book/objects/';
    const body = { isbn: `${marker}-1` };

    const here = await ours.call(ours.owner, 'POST', path, body);
    const there = await theirs.call(theirs.owner, 'POST', path, body);

    expect([here.status, there.status]).toEqual([400, 201]);
  });
});

describe('a batch', () => {
  const paths = (ours: FilledWorld, theirs: FilledWorld) => [
    `${ours.base}classes/book/objects/`,
    `${ours.base.toUpperCase().replace('/V1.1/INSTANCES', '/v1.1/instances')}classes/`,
    `${theirs.base}../our-shop/classes/`,
    `${theirs.base}..%2Four-shop/classes/`,
    `/v1.1/instances/their-shop/../our-shop/classes/book/objects/1/`,
    `//v1.1/instances/our-shop/classes/`,
  ];

  it('in another instance has no access to ours', async ({
    dump,
    given: { ours, theirs, strangers, codesOf },
  }) => {
    const before = await dump();
    const items = paths(ours, theirs).flatMap((path) =>
      ['GET', 'POST', 'PUT', 'DELETE'].map((method) => ({ method, path, body: {} })),
    );

    for (const [name, as] of strangers) {
      for (const item of items) {
        const [code] = await codesOf(as, `${theirs.base}batch/`, [item]);
        expect([400, 403, 404], `${item.method} ${item.path} by ${name}`).toContain(code);
      }
    }

    expect(await dump()).toEqual(before);
  });

  it('of ours is closed to other callers, whatever its items are', async ({
    dump,
    given: { ours, strangers, codesOf },
  }) => {
    const before = await dump();
    const path = `${ours.base}classes/book/objects/`;
    const items = ['GET', 'POST', 'DELETE'].map((method) => ({
      method,
      path: method === 'DELETE' ? `${path}1/` : path,
    }));

    for (const [name, as] of strangers) {
      const codes = await codesOf(as, `${ours.base}batch/`, items);
      for (const code of codes) expect([403, 404], name).toContain(code);
    }

    expect(await dump()).toEqual(before);
  });
});

describe('lists above instances', () => {
  it('an account sees its own instances only', async ({ call, given: { theirs } }) => {
    const { body } = await call({ as: theirs.owner, path: '/v1.1/instances/' });

    expect(body.objects.map((each: { name: string }) => each.name)).toEqual(['their-shop']);
  });

  it('an API key sees its own instance only', async ({ call, given: { strangers } }) => {
    for (const [name, as] of strangers) {
      if (name === 'the owner' || name === 'a user key alone') continue;
      const { body } = await call({ as, path: '/v1.1/instances/' });
      expect(body.objects.map((each: { name: string }) => each.name)).toEqual(['their-shop']);
    }
  });
});

describe('reused names', () => {
  it('a reused name has no data of the previous instance', async ({
    api,
    call,
    given: { theirs },
  }) => {
    const first = await openFilledWorld(api, 'a-name', 'first-marker');
    const keys = await keysOf(first, await plantUser(first, userId));
    for (const [, as] of keys) await call({ as, path: `${first.base}classes/book/objects/` });
    expected(await api.send({ as: first.owner, method: 'DELETE', path: first.base }), 204);
    const body = { name: 'a-name' };
    expected(await api.send({ as: theirs.owner, path: '/v1.1/instances/', body }), 201);

    const closed = places.filter((each) => isInside(each) && !isForAccounts(each));
    for (const [at, [name, as]] of [...keys].entries()) {
      for (const place of inOneVersion(closed, at)) {
        const { status, text } = await call({ as, path: first.path(place) });
        expect([403, 404], `${place.name} by ${name}`).toContain(status);
        expect(text).not.toContain('first-marker');
      }
    }
    const classes = await call({ as: theirs.owner, path: `${first.base}classes/` });
    const objects = await call({ as: theirs.owner, path: `${first.base}classes/book/objects/` });
    expect(classes.body.objects.map((each: { name: string }) => each.name)).toEqual([
      'user_profile',
    ]);
    expect(objects.status).toBe(404);
  });

  it('two instances that swap names keep their data and keys', async ({ api, call }) => {
    const left = await openFilledWorld(api, 'left-name', 'left-marker');
    const right = await openFilledWorld(api, 'right-name', 'right-marker');
    const leftKey = await left.apiKey({ ignore_acl: true });
    const rightKey = await right.apiKey({ ignore_acl: true });
    const objects = 'classes/book/objects/';
    for (const [key, base] of [
      [leftKey, left.base],
      [rightKey, right.base],
    ] as const) {
      expected(await api.send({ as: key, path: base + objects }), 200);
    }
    const rename = async (as: string, from: string, new_name: string) =>
      expected(
        await api.send({ as, path: `/v1.1/instances/${from}/rename/`, body: { new_name } }),
        200,
      );

    await rename(left.owner, 'left-name', 'between');
    await rename(right.owner, 'right-name', 'left-name');
    await rename(left.owner, 'between', 'right-name');

    const seen = await Promise.all([
      call({ as: leftKey, path: right.base + objects }),
      call({ as: rightKey, path: left.base + objects }),
      call({ as: leftKey, path: left.base + objects }),
      call({ as: rightKey, path: right.base + objects }),
      call({ as: left.owner, path: left.base + objects }),
    ]);
    expect(seen.map(({ status }) => status)).toEqual([200, 200, 403, 403, 403]);
    expect(seen.slice(0, 2).map(({ body }) => body.objects[0].title)).toEqual([
      'left-marker',
      'right-marker',
    ]);
  });

  it('a reused class name has no data of the previous class', async ({ api }) => {
    const world = await openFilledWorld(api, 'classes-come', 'old-marker');
    const objects = 'classes/book/objects/';
    expected(await world.call(world.owner, 'GET', objects), 200);
    expected(await world.call(world.owner, 'DELETE', 'classes/book/'), 204);
    expected(await world.call(world.owner, 'POST', 'classes/', { name: 'book', schema: [] }), 201);

    const list = await world.call(world.owner, 'GET', objects);
    const one = await world.call(world.owner, 'GET', `${objects}1/`);

    expect([list.status, list.body.objects, one.status]).toEqual([200, [], 404]);
  });
});

async function setUp(api: Api, call: LawfulCall) {
  const theirs = await openFilledWorld(api, 'their-shop', 'marker-of-theirs');
  const ours = await openFilledWorld(api, 'our-shop', marker);
  const ourUser = await plantUser(ours, userId, [userId]);
  const ourBareKey = await ours.apiKey();
  /** Valid keys of our instance, which must not appear in responses to other callers. */
  const secrets = [ours.owner, ourUser, ourBareKey];
  const theirUser = await plantUser(theirs, userId, [userId]);
  /** Keys of the other instance, by name. */
  const strangers = await keysOf(theirs, theirUser);
  await plantUser(ours, onlyOurs);
  await plantGroup(ours, onlyOurs);
  for (let number = 2; number < 6; number++) {
    const body = { title: marker, owner: userId, group: userId, isbn: `${marker}-${number}` };
    expected(await ours.call(ours.owner, 'POST', 'classes/book/objects/', body), 201);
  }

  /** Every key of the other instance with each of these methods. */
  function attempts(each: readonly string[]) {
    return [...strangers].flatMap(([name, as]) => each.map((method) => ({ name, as, method })));
  }

  function expectNothingOfOurs({ text, headers }: RawResponse, name: string): void {
    const said = text + JSON.stringify(headers);
    const found = [marker, ...secrets].filter((secret) => said.includes(secret));
    if (found.length > 0) expect(found, name).toEqual([]); // expect takes time, and there are thousands of calls
  }

  /** A body that would change something if it were accepted. */
  function bodyFor(place: Place, method: string): object | undefined {
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return undefined;
    return { ...ours.sample(place, 'intruder'), description: 'intruder', new_name: 'taken-over' };
  }

  /** Status of each item, or of the request when it was rejected as a whole. */
  async function codesOf(as: Credentials, path: string, requests: readonly object[]) {
    const response = await call({ as, path, body: { requests } });
    expectNothingOfOurs(response, JSON.stringify(requests));
    if (response.status !== 200) return [response.status];
    return response.body.map(({ code }: { readonly code: number }) => code);
  }

  const people = { ours, theirs, strangers, ourUser, ourBareKey, theirUser };
  return { ...people, attempts, bodyFor, codesOf, expectNothingOfOurs };
}

/** All kinds of credentials of an instance: its owner, each kind of API key, and a user with each of them. */
async function keysOf(world: FilledWorld, user: string): Promise<ReadonlyMap<string, Credentials>> {
  const keys = new Map<string, Credentials>([['the owner', world.owner]]);
  const every = Object.fromEntries(flags.map((flag) => [flag, true]));
  const kinds = [{}, ...flags.map((flag) => ({ [flag]: true })), every];
  for (const kind of kinds) {
    const key = await world.apiKey(kind);
    const name = Object.keys(kind).join(' and ') || 'no flag';
    keys.set(`a key with ${name}`, key);
    keys.set(`a user and a key with ${name}`, { key, user });
  }
  keys.set('a user key alone', user);
  return keys;
}

/** Returns a function that returns all records of our instance and its owner. */
function dumper(api: Api, store: WatchedStore) {
  return async (): Promise<Dump> => {
    await api.platform.idle(); // counts follow the writes
    const found = Object.entries(await store.dump((pk) => !isTheirs(pk)));
    // watches of runs and positions of polls expire, and one run in some schedules the deletion of old traces
    const isBrief = /#(watch-run|trim-traces)#|#POLLS /;
    return Object.fromEntries(found.filter(([key]) => !isBrief.test(key)));
  };
}

function isTheirs(pk: string): boolean {
  return /^(INSTANCE#[12](#.*)?|NAME#.*their-shop|ACCOUNT#[1-3]|(EMAIL|MAILS)#.*-their(s@|-shop).*)$/.test(
    pk,
  );
}

/** Routes that match, in one version by turns, one test each. */
function everyPlace(turn: number, isWanted: (place: Place) => boolean) {
  const wanted = inOneVersion(places.filter(isWanted), turn);
  return it.for(wanted.map((place) => [place.name, place] as const));
}

function isInside({ template }: Place): boolean {
  return template.includes('{instance}');
}

/** It shows the same in all instances, or nothing but numbers of its own: a list without items would prove nothing. */
function differsInNumbersOnly(response: RawResponse, other: RawResponse): boolean {
  const textOf = ({ text }: RawResponse) =>
    text.replaceAll('their-shop', 'our-shop').replace(/\d+/g, '#');
  return textOf(response) === textOf(other) && response.body.objects?.length !== 0;
}

/** A public link replaces credentials: any caller with the link is accepted, and credentials are ignored. */
function needsKeys({ template, route }: Place): boolean {
  return !template.includes('{link}') && !route.ignoresCredentials;
}

function isOpen({ route }: Place): boolean {
  return route.access.anonymous !== undefined;
}

/** Open to every account, member or not: pages of links, and a batch, whose items are closed. */
function isForAccounts({ route }: Place): boolean {
  return route.access.account !== undefined;
}
