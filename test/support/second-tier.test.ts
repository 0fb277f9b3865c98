import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { api, routes } from '../../functions/api.ts';
import type { Route } from '../../shared/core/routing/route.ts';
import { createRouter } from '../../shared/core/routing/router.ts';
import { journey } from './journey.ts';
import { servedByOthers } from './tiers.ts';
import { firstNames, requestOf } from './two-of-each/step.ts';
import { steps } from './two-of-each/steps.ts';

/*
 * What runs of the second tier demand at their end, by names alone: a family or operation that they would not reach
 * fails here, in the first tier.
 */

const router = createRouter(routes);

it('each operation has a step of test/support/two-of-each', () => {
  const names = { ...firstNames(0, 0), link: '0'.repeat(56) };
  const sent = steps.map((step) => {
    const { method, path } = requestOf(step, { tenant: 0, at: 0, names });
    return nameOf(method, router(path.replace(/\?.*/, ''))?.route);
  });

  expect(operations().filter((name) => !sent.includes(name))).toEqual([]);
});

it('each family has a successful step of test/support/journey', () => {
  const served = journey
    .filter(({ status }) => status < 400)
    .map(({ call }) => router(call.replace(/^\w+ /, ''))?.route.family);

  expect(api.map(({ name }) => name).filter((name) => !served.includes(name))).toEqual([]);
});

it('each family has a file of its name on roles, or is named as one of other files', () => {
  const hasFile = (name: string) => existsSync(new URL(`../api/${name}.test.ts`, import.meta.url));

  const absent = api.map(({ name }) => name).filter((name) => !hasFile(name));
  expect(absent.filter((name) => !servedByOthers.includes(name))).toEqual([]);
});

function operations(): readonly string[] {
  return routes.flatMap((route) =>
    Object.keys(route.operations).map((method) => nameOf(method, route)),
  );
}

function nameOf(method: string, route: Pick<Route, 'paths'> | undefined): string {
  return `${method} ${route?.paths['v1.1'] ?? `/v1${route?.paths.v1 ?? ''}`}`;
}
