import { expect } from 'vitest';
import { expected } from '../support/api.ts';
import { type FilledWorld, openFilledWorld } from '../support/filled-world.ts';
import { apiTest } from '../support/fixtures.ts';

/*
 * One of every resource is created; then operations on devices, messages, traces and script endpoints of version 1 succeed,
 * which no other file of the suite on roles does. That suite demands each operation (vitest.roles.config.ts).
 */

const it = apiTest().extend('world', { scope: 'file' }, async ({ api }) => {
  const world = await openFilledWorld(api, 'blog-1', 'marker');
  await api.platform.idle(); // runs have ended
  return world;
});

const scripts = '/v1/instances/blog-1/webhooks/';
const traces = (kind: string) => `/v1.1/instances/blog-1/${kind}/1/traces/`;
const push = (provider: string, list = 'devices') =>
  `/v1.1/instances/blog-1/push_notifications/${provider}/${list}/`;

it.for([
  ['GET', scripts, '', undefined, 200],
  ['PATCH', scripts, '', { description: 'new' }, 200],
  ['POST', scripts, 'reset_link/', {}, 200],
  ['POST', scripts, 'rename/', { new_name: 'renamed' }, 200],
  ['DELETE', scripts, '', undefined, 204],
  ...['triggers', 'schedules'].flatMap((kind) => [
    ['GET', traces(kind), '', undefined, 200] as const,
    ['POST', traces(kind), 'retry/', undefined, 200] as const,
  ]),
  ...(
    [
      ['gcm', { environment: 'development', data: { a: 1 } }],
      ['apns', { environment: 'production', aps: { alert: 'a' } }],
    ] as const
  ).flatMap(([provider, content]) => [
    ['GET', push(provider), '', undefined, 200] as const,
    ['GET', push(provider, 'messages'), '', undefined, 200] as const,
    ['PATCH', push(provider), '', { label: 'new' }, 200] as const,
    ['PUT', push(provider), '', { label: 'newer' }, 200] as const,
    ['POST', push(provider), 'send_message/', { content }, 200] as const,
    ['DELETE', push(provider), '', undefined, 204] as const,
  ]),
] as const)('%s %s{item}/%s', async ([method, list, action, body, status], { api, world }) => {
  const path = `${await firstIn(world, list)}${action}`;

  const response = await api.send({ as: world.owner, method, path, body });

  expect(response.status, JSON.stringify(response.body)).toBe(status);
});

/** Returns the path of the first item of a list, by the name that its paths have. */
async function firstIn({ api, owner }: FilledWorld, list: string): Promise<string> {
  const { objects } = expected(await api.send({ as: owner, path: list }), 200);
  return objects[0].links.self;
}
