import { describe, expect } from 'vitest';
import { api as families, routes } from '../../functions/api.ts';
import { createServe } from '../../shared/core/http/edge.ts';
import type { Dispatch, Request } from '../../shared/core/http/message.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { lazyRoutes } from '../../shared/core/routing/lazy-routes.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import type { World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

/*
 * The whole map on AWS: families are loaded at their first request, and responses do not depend on it.
 */

const it = worldTest().extend('book', { scope: 'file', auto: true }, ({ world }) =>
  world.dataClass('book', [{ name: 'title', type: 'string' }]),
);

const text = { 'content-type': 'text/plain' };
const html = { accept: 'text/html' };

const rows: readonly Row[] = [
  { name: 'the root', path: '/', status: 200 },
  { name: 'a list', path: 'classes/', status: 200 },
  { name: 'a page', path: 'classes/', headers: html, status: 200 },
  { name: 'a page of an unknown path', path: 'nothing/', headers: html, status: 404 },
  { name: 'an unknown path', path: 'nothing/', status: 404 },
  { name: 'a path without its last slash', path: 'classes', status: 404 },
  { name: 'a wrong method', method: 'DELETE', path: 'classes/', status: 405 },
  { name: 'OPTIONS', method: 'OPTIONS', path: 'classes/', status: 200 },
  { name: 'HEAD', method: 'HEAD', path: 'classes/', status: 200 },
  {
    name: 'an overridden method',
    method: 'POST',
    path: 'classes/book/objects/',
    headers: text,
    body: { _method: 'GET', fields: 'id' },
    status: 200,
  },
  { name: 'the interface document', path: '/v1.1/schema/', status: 200 },
  { name: 'its other format', path: '/v1/schema/?format=openapi', status: 200 },
];

describe('a process without loaded families responds as the whole map', () => {
  it.for(rows)('to $name', async ({ status, ...row }, { world }) => {
    const request = requestOf(world, row);

    const response = await startProcess(world)(request);

    expect(response.status).toBe(status);
    expect(response).toEqual(await serveWith(world, routes)(request));
  });

  it('to a batch of several families', async ({ world }) => {
    const items = ['classes/', 'users/', 'users/1/', 'nothing/', 'batch/', 'api_keys/?fields=id'];
    const paths = items.map((path) => ({ method: 'GET', path: world.base + path }));
    const wrong = { method: 'PUT', path: `${world.base}classes/` };
    const request = requestOf(world, {
      method: 'POST',
      path: 'batch/',
      body: { requests: [...paths, wrong] },
    });

    const response = await startProcess(world)(request);

    expect(response).toEqual(await serveWith(world, routes)(request));
    const entries: readonly { readonly code: number }[] = JSON.parse(
      String(response.content?.bytes),
    );
    expect(entries.map(({ code }) => code)).toEqual([200, 200, 404, 404, 405, 200, 405]);
  });
});

describe('a family that cannot be loaded', () => {
  const create = {
    method: 'POST',
    path: 'classes/book/objects/',
    body: { title: 'Emma' },
  };

  it.for<Omit<Row, 'status'>>([
    { name: 'request', path: 'classes/' },
    { name: 'request without the last slash', path: 'classes' },
    { name: 'overridden method', method: 'POST', path: 'classes/', headers: text, body: {} },
    {
      name: 'batch, none of whose items runs',
      method: 'POST',
      path: 'batch/',
      body: { requests: [create, { method: 'GET', path: 'classes/' }].map(whole) },
    },
  ])(
    'is a server error of a $name, logged once, and is loaded later',
    async (row, { api, world }) => {
      const broken = new Set<string>();
      const serve = startProcess(world, broken);
      const before = api.logged.length;
      const request = requestOf(world, row);
      const list = requestOf(world, { path: create.path });
      const earlier = await serve(list);

      broken.add('classes');
      const response = await serve(request);
      broken.clear();

      expect(response.status).toBe(500);
      const errors = api.logged.slice(before).filter(({ level }) => level === 'error');
      expect(errors).toMatchObject([{ requestId: 'test', message: 'request failed' }]);
      expect(JSON.stringify(errors)).toContain('no code of classes');
      expect(await serve(list)).toEqual(earlier);
      expect((await serve(request)).status).not.toBe(500);
    },
  );
});

function serveWith(world: World, served: Parameters<typeof createDispatch>[0]): Dispatch {
  const { platform } = world.api;
  const dispatch = createDispatch(served, platform, { renderer: responseTemplates });
  return createServe({ ...platform, dispatch });
}

/** A process that has loaded no family; the code of those that are broken at the time cannot be loaded. */
function startProcess(world: World, broken: ReadonlySet<string> = new Set()): Dispatch {
  const lazy = families.map((family) => ({
    paths: family.routes,
    load: async () => {
      if (broken.has(family.name)) throw new Error(`no code of ${family.name}`);
      return family;
    },
  }));
  return serveWith(world, lazyRoutes(lazy));
}

function requestOf(world: World, row: Omit<Row, 'name' | 'status'>): Request {
  const { method = 'GET', path, headers, body } = row;
  const json = { 'content-type': 'application/json' };
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const [whole = '', query] = (path.startsWith('/') ? path : world.base + path).split('?');
  return {
    id: 'test',
    method,
    path: whole,
    query: new URLSearchParams(query),
    headers: { 'x-api-key': world.owner, ...(body !== undefined && json), ...headers },
    body: { kind: 'bytes', bytes },
    sourceAddress: '127.0.0.1',
  };
}

/** An item of a batch with its whole path. */
function whole(item: { readonly path: string }) {
  return { ...item, path: `/v1.1/instances/blog-1/${item.path}` };
}

interface Row {
  readonly name: string;
  readonly method?: string;
  /** Below the instance unless it begins with a slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status: number;
}
