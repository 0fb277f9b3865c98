import { beforeAll, describe, expect, it, test } from 'vitest';
import { api as families, routes } from '../../functions/api.ts';
import { createServe } from '../../shared/core/http/edge.ts';
import type { Dispatch, Request } from '../../shared/core/http/message.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { lazyRoutes } from '../../shared/core/routing/lazy-routes.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { api } from '../support/api-fixture.ts';
import { useWorld, world } from '../support/world-fixture.ts';

/*
 * The whole map on AWS: families are loaded at their first request, and responses do not depend on it.
 */

useWorld();

beforeAll(() => world.dataClass('book', [{ name: 'title', type: 'string' }]));

/** The family whose code cannot be loaded at present. */
let broken: string | undefined;

function serveWith(served: Parameters<typeof createDispatch>[0]): Dispatch {
  return createServe({
    ...api.platform,
    dispatch: createDispatch(served, api.platform, { renderer: responseTemplates }),
  });
}

/** A process that has loaded no family. */
function startProcess(): Dispatch {
  const lazy = families.map((family) => ({
    paths: family.routes,
    load: async () => {
      if (family.name === broken) throw new Error(`no code of ${family.name}`);
      return family;
    },
  }));
  return serveWith(lazyRoutes(lazy));
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

function requestOf({ method = 'GET', path, headers, body }: Omit<Row, 'name' | 'status'>): Request {
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
  it.each(rows)('to $name', async ({ status, ...row }) => {
    const request = requestOf(row);

    const response = await startProcess()(request);

    expect(response.status).toBe(status);
    expect(response).toEqual(await serveWith(routes)(request));
  });

  it('to a batch of several families', async () => {
    const items = ['classes/', 'users/', 'users/1/', 'nothing/', 'batch/', 'api_keys/?fields=id'];
    const paths = items.map((path) => ({ method: 'GET', path: world.base + path }));
    const wrong = { method: 'PUT', path: `${world.base}classes/` };
    const request = requestOf({
      method: 'POST',
      path: 'batch/',
      body: { requests: [...paths, wrong] },
    });

    const response = await startProcess()(request);

    expect(response).toEqual(await serveWith(routes)(request));
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

  test.each<Omit<Row, 'status'>>([
    { name: 'request', path: 'classes/' },
    { name: 'request without the last slash', path: 'classes' },
    { name: 'overridden method', method: 'POST', path: 'classes/', headers: text, body: {} },
    {
      name: 'batch, none of whose items runs',
      method: 'POST',
      path: 'batch/',
      get body() {
        const items = [create, { method: 'GET', path: 'classes/' }];
        return { requests: items.map((item) => ({ ...item, path: world.base + item.path })) };
      },
    },
  ])('is a server error of a $name, logged once, and is loaded later', async (row) => {
    const serve = startProcess();
    const before = api.logged.length;
    const request = requestOf(row);
    const list = requestOf({ path: create.path });
    const earlier = await serve(list);

    broken = 'classes';
    const response = await serve(request);
    broken = undefined;

    expect(response.status).toBe(500);
    const errors = api.logged.slice(before).filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([{ requestId: 'test', message: 'request failed' }]);
    expect(JSON.stringify(errors)).toContain('no code of classes');
    expect(await serve(list)).toEqual(earlier);
    expect((await serve(request)).status).not.toBe(500);
  });
});
