import { describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createServe } from '../../shared/core/http/edge.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import type { Method, Route } from '../../shared/core/routing/route.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import type { Api } from '../support/api.ts';
import { isWait, openFilledWorld, type Place, places } from '../support/filled-world.ts';
import { apiTest } from '../support/fixtures.ts';
import { keyHeaders, sendRaw } from '../support/http-client.ts';
import { isIsolated } from '../support/lawful.ts';

/*
 * No script that is not ours runs at this origin, whose storage has the keys of the console: whatever an operation of
 * the map sends, a browser gives it an origin of its own, unless our own code has made it (docs/internals/threats.md).
 */

const it = apiTest()
  .extend('world', { scope: 'file' }, ({ api }) => openFilledWorld(api, 'blog-1', 'marker'))
  .extend('serve', { scope: 'file' }, ({ api }) => serveHostile(api));

const status = 218; // of no response of ours
const hostile: Response = {
  status,
  headers: {
    'content-SECURITY-policy': 'sandbox allow-same-origin allow-scripts',
    'X-Content-Type-Options': 'sniff',
    'Service-Worker-Allowed': '/',
  },
  content: { type: 'text/html', bytes: '<!doctype html><script>alert(1)</script>' },
};

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const calls = places.flatMap((place) =>
  (Object.keys(place.route.operations) as Method[]).map(
    (method) => [`${method} ${place.name}`, place, method] as const,
  ),
);

describe.each([
  ['as JSON', '*/*'],
  ['as a page', browser],
])('foreign content, %s', (_, accept) => {
  it.for(calls)('of %s has an origin of its own', async ([_, place, method], { world, serve }) => {
    const response = await serve({
      id: 'test',
      method,
      path: world.path(place),
      query: new URLSearchParams(),
      sourceAddress: '10.0.0.1',
      headers: { accept, ...keyHeaders(world.caller(place)) },
      body: { kind: 'bytes', bytes: new Uint8Array() },
    });

    const { 'content-security-policy': policy, ...headers } = response.headers ?? {};
    const isReached = response.status === status;
    expect(isReached).toBe(!(accept === browser && isWait(place))); // that is described
    expect(isReached ? isIsolated(policy) : isSafe(response, policy)).toBe(true);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers).not.toHaveProperty('service-worker-allowed');
  });
});

describe('a template', () => {
  const readable = places.filter(({ route }) => 'GET' in route.operations && !route.isUntemplated);
  const inInstance = (place: Place) => place.template.includes('{instance}/');

  it.for(readable.filter(inInstance).map((place) => [place.name, place] as const))(
    'of %s has an origin of its own',
    async ([_, place], { api, world }) => {
      const path = `${world.path(place)}?template=objects_html_table`;

      const { headers } = await sendRaw(api.url, { as: world.caller(place), path });

      const isPage = String(headers['content-type']).startsWith('text/html');
      if (isPage) expect(isIsolated(headers['content-security-policy'])).toBe(true);
    },
  );
});

/** Serves all operations of the map with hostile content. */
function serveHostile({ platform }: Api) {
  const dispatch = createDispatch(routes.map(asHostile), platform, { renderer: responseTemplates });
  return createServe({ ...platform, dispatch });
}

/** Returns a route whose operations run what a tenant controls. */
function asHostile(route: Route): Route {
  const operations = Object.entries(route.operations).map(([method, operation]) => [
    method,
    { ...operation, run: () => Promise.resolve(hostile) },
  ]);
  return { ...route, operations: Object.fromEntries(operations) };
}

function isSafe({ content }: Response, policy: string | undefined): boolean {
  return content?.isOwn === true && policy?.includes('unsafe') !== true;
}
