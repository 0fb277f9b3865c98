import { describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import type { Credentials, World } from '../support/api.ts';
import { plantUser } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { sendRaw } from '../support/http-client.ts';

/*
 * With all settings of users off, each of their paths gets the response of a path that does not exist, or the one that it
 * had before there were settings. The paths are those of the map.
 */

const families = ['user-accounts', 'user-redirects'];
const own = routes.filter(({ family = '' }) => families.includes(family));
const off = routes.filter(({ exists }) => exists !== undefined);

const unknown = (segment: string) => 'n'.repeat(segment.length);

/**
 * Paths below the instance, each with one of the same length that does not exist, or, for those that were log-ins by
 * services, with another of them.
 */
const paths = off.map(({ paths: { 'v1.1': path = '' }, otherwise }) => {
  const below = path.replace('/instances/{instance}/', '');
  const segments = below
    .replace('{id}', '7')
    .replace(/\{\w+\}/g, 'github')
    .split('/');
  const kept = otherwise === undefined ? 1 : 2; // `user/`, or `user/auth/`
  const other = segments.map((segment, at) => (at < kept ? segment : unknown(segment)));
  return [segments.join('/'), other.join('/')] as const;
});

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const key56 = 'ab'.repeat(28);
const json = { 'Content-Type': 'application/json' };
const bodies = [
  undefined,
  { body: '{"email":"ann@example.com","password":"secret","code":"123456"}', headers: json },
  { body: '{"email":', headers: json },
  { body: '{"_method":"GET"}', headers: { 'Content-Type': 'text/plain' } },
  { body: JSON.stringify({ text: 'x'.repeat(100_000) }), headers: json },
];
const accepts = ['application/json', 'text/html'];
const writes = ['POST', 'PUT', 'PATCH'];

const it = worldTest().extend('callers', { scope: 'file' }, async ({ world }) => {
  const key = await world.apiKey({ allow_user_create: true });
  const user = await plantUser(world, 7, []);
  return [
    undefined,
    'no key',
    key56,
    `${key56}${'0'.repeat(8)}`,
    world.owner,
    key,
    { key, user },
    user,
  ] satisfies readonly Credentials[];
});

function callsOf(as: Credentials): readonly object[] {
  return methods.flatMap((method) =>
    bodies.slice(0, writes.includes(method) ? undefined : 1).flatMap((sent) =>
      accepts.map((Accept) => ({
        as,
        method,
        body: sent?.body,
        headers: { ...sent?.headers, Accept },
      })),
    ),
  );
}

/** Returns where two long texts begin to differ. */
function differenceOf(one: string, other: string): string {
  const at = [...one].findIndex((character, index) => character !== other[index]);
  return `${one.slice(at - 60, at + 60)} | ${other.slice(at - 60, at + 60)}`;
}

/** Returns a response without what differs each time, and without the path. */
async function responseTo({ api, base }: World, path: string, call: object): Promise<string> {
  const { status, headers, text } = await sendRaw(api.url, { ...call, path: base + path });
  const { date: _, 'x-request-id': __, ...others } = headers;
  const segments = path.split('/').filter((segment) => segment !== '');
  let shown = JSON.stringify([status, others, text]);
  for (let at = segments.length; at > 1; at -= 1) {
    const until = segments.slice(0, at).join('/');
    shown = shown.replaceAll(until, '<path>').replaceAll(`>${segments[at - 1]}<`, '><');
  }
  return shown;
}

describe('with everything off', () => {
  it('the settings decide on each path of these families', () => {
    expect(own.filter(({ exists }) => exists === undefined)).toEqual([]);
    expect(own.filter(({ paths: { v1 } }) => v1 !== undefined)).toEqual([]);
    expect(off.length).toBeGreaterThan(0);
  });

  it.for(paths)('%s is as %s', { timeout: 60_000 }, async ([path, other], { world, callers }) => {
    for (const call of callers.flatMap(callsOf)) {
      const [found, expected] = [
        await responseTo(world, path, call),
        await responseTo(world, other, call),
      ];
      if (found !== expected) {
        expect.fail(
          `${path} ${JSON.stringify(call).slice(0, 300)}: ${differenceOf(found, expected)}`,
        );
      }
    }
  });

  it.for(paths)('%s without its last slash is as well', async ([path, other], { world }) => {
    const as = world.owner;
    expect(await responseTo(world, path.slice(0, -1), { as })).toBe(
      await responseTo(world, other.slice(0, -1), { as }),
    );
  });
});
