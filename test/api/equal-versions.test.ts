import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/api.ts';
import type { Route } from '../../shared/core/routing/route.ts';
import { createRouter } from '../../shared/core/routing/router.ts';
import type { SocialProfile } from '../../shared/ports/social-verifier.ts';
import { type Api, type ApiOptions, startApi } from '../support/api.ts';
import { equalizeVersions } from '../support/equal-versions.ts';
import { type Credentials, type RawResponse, sendRaw } from '../support/http-client.ts';
import { medium } from '../support/medium.ts';
import { forgetItems, noCaches } from '../support/no-caches.ts';
import { firstNames, requestOf, type Step, type Turn } from '../support/two-of-each/step.ts';
import { steps } from '../support/two-of-each/steps.ts';
import { egress } from '../support/two-of-each/user-accounts.ts';

/*
 * A version identifies nothing by itself: all items of one transaction have the same one. So no response may change when
 * nearly all items have equal versions. The same requests, to each operation of the map, are sent to such a server and
 * to one that caches nothing, in turns that go from thing to thing and from tenant to tenant.
 */

const it = test
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('given', { scope: 'file' }, async ({}, { onCleanup }) => {
    const given = await setUp();
    onCleanup(async () => {
      await given.equal.api.close();
      await given.plain.api.close();
    });
    for (const step of steps) {
      for (const at of given.equal.turns.keys()) await compare(given, step, at);
    }
    return given;
  });

describe.runIf(medium === undefined)('a server whose items have equal versions', () => {
  it('gives the same responses as one that caches nothing', ({ given: { differences } }) => {
    expect(differences).toEqual([]);
  });

  it('is asked for each operation of the map, for two things or two tenants', ({
    given: { served },
  }) => {
    const operations = routes.flatMap((route) =>
      Object.keys(route.operations).map((method) => nameOf(method, route)),
    );

    expect(operations.filter((name) => (served.get(name)?.size ?? 0) < 2)).toEqual([]);
  });
});

async function setUp() {
  const equal = await openSide({ wrap: equalizeVersions });
  const caches = noCaches(() => `${plain.api.url}/files`);
  const plain: Side = await openSide({ wrap: forgetItems, caches });
  /** Requests with different responses, and both of these. */
  const differences: string[] = [];
  /** Turns in which an operation was successful, by its name. */
  const served = new Map<string, Set<Turn>>();
  return { equal, plain, differences, served };
}

type Given = Awaited<ReturnType<typeof setUp>>;

/** A server, and what its responses have named. */
interface Side {
  readonly api: Api;
  readonly turns: readonly Turn[];
}

async function verify(token: string): Promise<SocialProfile> {
  return { id: token, email: token, first_name: 'Kim', last_name: 'Lee' };
}

async function openSide(options: ApiOptions): Promise<Side> {
  const api = await startApi({ social: { facebook: verify }, egress, ...options });
  const turns = [0, 1].flatMap((tenant) =>
    [0, 1].map((at) => ({ tenant, at, names: firstNames(tenant, at) })),
  );
  return { api, turns };
}

/** Sends the request of a step to both servers, and compares the responses. */
async function compare(given: Given, step: Step, at: number): Promise<void> {
  const { equal, plain, differences, served } = given;
  const [turn, same] = [equal.turns[at], plain.turns[at]];
  if (turn === undefined || same === undefined || (step.isOfTenant && turn.at > 0)) return;
  const [response, wanted] = await Promise.all([send(equal, step, turn), send(plain, step, same)]);
  const [is, should] = [said(response), said(wanted)];
  const name = `${step.call}, tenant ${turn.tenant}, thing ${turn.at}`;
  if (is !== should) differences.push(`${name}\n${is}\n${should}`);
  if (wanted.status < 400) note(served, step, same);
}

async function send({ api, turns }: Side, step: Step, turn: Turn): Promise<RawResponse> {
  await step.before?.(api, turn);
  const { method, path } = requestOf(step, turn);
  const { pathname, search } = new URL(`${api.url}${path}`); // escaped
  const body = step.body?.(turn, api);
  const as = callerOf(step, turn);
  const sent = { method, path: pathname + search, as, ...(body !== undefined && { body }) };
  const response = await sendRaw(api.url, sent);
  if (method !== 'GET') await api.platform.idle();
  if (response.status < 400) {
    const { tenant } = turn;
    keep(response, step, step.isOfTenant ? turns.filter((each) => each.tenant === tenant) : [turn]);
  }
  return response;
}

function callerOf({ as = 'owner' }: Step, { names }: Turn): Credentials {
  switch (as) {
    case 'owner':
      return names.key;
    case 'guest':
      return names.guest;
    case 'app':
      return names.app;
    case 'user':
    case 'member':
    case 'visitor':
      return { key: names.app ?? '', user: names[as] ?? '' };
    case 'nobody':
      return undefined;
  }
}

function keep({ body, headers }: RawResponse, step: Step, turns: readonly Turn[]): void {
  for (const [name, value] of Object.entries(step.keep?.(body, headers) ?? {})) {
    for (const { names } of turns) names[name] = String(value);
  }
}

/** What differs in the responses of two servers, and what is put in its place. */
const differing: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time'],
  [/127\.0\.0\.1:\d+/g, 'host'],
  [/[0-9a-f]{24,}/g, 'key'],
  [/scrypt[\w$+/=]+/g, 'hash'],
  [/"policy":"[^"]+"/g, '"policy":""'],
  [/"code":"\d+\.[\w-]{43}"/g, '"code":""'], // of accounts
  [/user-[0-9a-f]{20}/g, 'user'], // names of users who have chosen none
  [/"id":\d+(?=,"proof")/g, '"id":0'], // of sessions
  [/"duration":\d+/g, '"duration":0'],
  [/(?<="source":"cbx","instance":"[\w-]+","value":)\d+/g, '0'], // seconds of scripts
  [/"size":\d+/g, '"size":0'], // of archives, which are compressed
  [/: ping\n\n/g, ''], // of streams, at intervals
];

function said({ status, headers, text }: RawResponse): string {
  const normalized = differing.reduce((rest, [found, put]) => rest.replace(found, put), text);
  return `${status} ${headers['content-type']} ${normalized}`;
}

const router = createRouter(routes);

function note(served: Map<string, Set<Turn>>, step: Step, turn: Turn): void {
  const { method, path } = requestOf(step, turn);
  const match = router(path.replace(/\?.*/, ''));
  if (match === undefined) throw new Error(`no route has the path ${path}`);
  const name = nameOf(method, match.route);
  served.set(name, (served.get(name) ?? new Set()).add(turn));
}

function nameOf(method: string, { paths }: Pick<Route, 'paths'>): string {
  return `${method} ${paths['v1.1'] ?? `/v1${paths.v1 ?? ''}`}`;
}
