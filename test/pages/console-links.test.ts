import { describe, expect } from 'vitest';
import { matchPattern } from '../../console/core/place-names.ts';
import { routes } from '../../functions/api.ts';
import { placeOf } from '../../shared/core/pages/views/console-link.ts';
import { createRouter } from '../../shared/core/routing/router.ts';
import { screens } from '../console/all-screens.ts';
import {
  isForPeople,
  isRedirect,
  isRun,
  openFilledWorld,
  places,
} from '../support/filled-world.ts';
import { apiTest } from '../support/fixtures.ts';
import { sendRaw } from '../support/http-client.ts';
import { samplePaths } from '../support/sample-paths.ts';

const it = apiTest().extend('world', { scope: 'file' }, ({ api }) =>
  openFilledWorld(api, 'blog-1', 'marker'),
);

/* Each page for browsers links to the screen of the console that shows the same. */

const router = createRouter(routes);

const screenOf = (place: string) =>
  screens.find((screen) => matchPattern(screen, place) !== undefined);

function linkIn(page: string, address: string): URL {
  const [, href = ''] = /<a class="button console" rel="external" href="([^"]+)">/.exec(page) ?? [];
  return new URL(href, address);
}

describe('the place in the console', () => {
  const paths = routes.flatMap(samplePaths);

  it.each(paths)('of %s is that of a screen', (path) => {
    const place = placeOf(router(path));

    expect(screenOf(place)).toBeDefined();
    if (path.includes('/instances/some-name/')) expect(place).toMatch(/^\/i\/some-name(\/|$)/);
  });

  it('is declared for paths of the family alone', () => {
    const known = (path: string) =>
      path === '/' ||
      routes.some(({ paths: own }) => Object.values(own).some((o) => o.startsWith(path)));

    const declared = routes.flatMap(({ places: own = {} }) => Object.keys(own));

    expect(declared.filter((path) => !known(path))).toEqual([]);
  });

  it.each([
    ['/v1.1/instances/some-name/classes/book/objects/7/', '/i/some-name/data/book/7'],
    ['/v1.1/instances/some-name/classes/book/', '/i/some-name/structure/book'],
    ['/v1/instances/some-name/codeboxes/7/traces/8/', '/i/some-name/scripts/7'],
    ['/v1/instances/some-name/webhooks/greet/run/', '/i/some-name/endpoints/scripts/greet'],
    [
      '/v1.1/instances/some-name/push_notifications/gcm/devices/a:b/',
      '/i/some-name/push/gcm/a%3Ab',
    ],
    ['/v1.1/instances/some-name/classes/book/objects/x/', '/i/some-name/data/book'],
    ['/v1.1/instances/some-name/', '/i/some-name'],
    ['/v1.1/account/', '/account'],
    ['/', '/'],
  ])('of %s is %s', (path, wanted) => {
    expect(placeOf(router(path))).toBe(wanted);
  });
});

describe('a page', () => {
  it('of the first path has a link of its own', async ({ api }) => {
    const { text } = await sendRaw(api.url, { path: '/', headers: { Accept: 'text/html' } });

    expect(text).toContain('<a rel="external" href="console/">');
    expect(text).not.toContain('Open in the console');
  });

  const shown = places
    .filter(({ template }) => template !== '/')
    .filter((place) => ![isRedirect, isForPeople, isRun].some((is) => is(place)));

  it.for(shown.map((place) => [place.name, place] as const))(
    'of %s links to its screen, with a key and without',
    async ([_, place], { api, world }) => {
      const path = world.path(place);
      for (const as of [world.caller(place), undefined]) {
        const { text } = await sendRaw(api.url, { as, path, headers: { Accept: 'text/html' } });

        const { origin, pathname, hash } = linkIn(text, `${api.url}${path}`);

        expect([origin, pathname]).toEqual([api.url, '/console/']);
        expect(screenOf(hash.slice(1))).toBeDefined();
        expect(hash.startsWith('#/i/blog-1')).toBe(path.includes('/blog-1/'));
      }
    },
  );

  it.for<[string, string, string]>([
    ['an unknown path', '/v1.1/none/', ''],
    ['a path without its last slash', '/v1.1/instances/blog-1/classes', ''],
    ['a path with escapes', '/v1.1/a%2Fb/%22%3E/', ''],
    [
      'an item that does not exist',
      '/v1.1/instances/blog-1/classes/none/',
      '/i/blog-1/structure/none',
    ],
  ])('of %s links to the console', async ([_, path, place], { api, world }) => {
    const sent = { as: world.owner, path, headers: { Accept: 'text/html' } };
    for (const prefix of ['', '/tools/groundwork']) {
      const { text } = await sendRaw(api.url, sent);

      const { pathname, hash } = linkIn(text, `${api.url}${prefix}${path}`);

      expect([pathname, hash]).toEqual([`${prefix}/console/`, `#${place || '/'}`]);
    }
  });
});
