import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../functions/api.ts';
import type { Dispatch } from '../../shared/core/http/message.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { documentedPath } from '../../shared/core/routing/path-parameters.ts';
import { versions } from '../../shared/core/routing/versions.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { expected } from '../support/api.ts';
import { api, useApi } from '../support/api-fixture.ts';
import {
  type FilledWorld,
  isForPeople,
  isRedirect,
  isWait,
  openFilledWorld,
  type Place,
  places,
} from '../support/filled-world.ts';
import { keyHeaders } from '../support/http-client.ts';
import { differences, type Schema, type Schemas } from '../support/json-schema.ts';

useApi();

/*
 * The interface document is complete for every line of the map: undocumented requests are rejected, documented ones
 * work.
 */

let world: FilledWorld;
let dispatch: Dispatch;
/** Documents by version: our own, and that of OpenAPI. */
const own: Record<string, OwnDocument> = {};
const open: Record<string, OpenDocument> = {};

interface OwnDocument {
  readonly query: object;
  readonly credentials: Readonly<Record<string, readonly { in: string; name: string }[]>>;
  readonly parameters: object;
  readonly models: object;
  readonly resources: readonly { readonly endpoints: Readonly<Record<string, OwnEndpoint>> }[];
}
interface OwnEndpoint {
  readonly path: string;
  readonly properties: readonly string[];
  readonly allow: string;
  readonly methods: Readonly<Record<string, { readonly query?: object }>>;
}
interface OpenDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenOperation>>>>;
  readonly components: { readonly schemas: Schemas };
}
interface OpenOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: { 'application/json': { schema: Schema } } }>
  >;
}

beforeAll(async () => {
  world = await openFilledWorld(api, 'blog-1', 'marker');
  dispatch = createDispatch(routes, api.platform, { renderer: responseTemplates });
  for (const version of versions) {
    const path = `/${version}/schema/`;
    if (version !== 'v1') own[version] = expected(await api.send({ path }), 200); // v1 has another form
    open[version] = expected(await api.send({ path: `${path}?format=openapi` }), 200);
  }
});

function endpoints(version: string): readonly OwnEndpoint[] {
  return own[version]?.resources.flatMap((each) => Object.values(each.endpoints)) ?? [];
}

function sorted(paths: readonly (readonly [string, readonly string[]])[]) {
  return paths.map(([path, methods]) => `${path} ${methods.toSorted().join()}`).toSorted();
}

describe.each(versions)('the document of %s', (version) => {
  const inMap = sorted(
    places
      .filter((place) => place.route.isRoot || place.version === version)
      .map(({ template, route }) => [documentedPath(template), Object.keys(route.operations)]),
  );

  it.runIf(version !== 'v1')('has every route and method of the map, and no other', () => {
    const listed = endpoints(version).map(
      ({ path, methods }) => [path, Object.keys(methods)] as const,
    );

    expect(sorted(listed)).toEqual(inMap);
  });

  it('has them as OpenAPI too', () => {
    const listed = Object.entries(open[version]?.paths ?? {}).map(
      ([path, { parameters, ...own }]) => {
        const names = Object.keys(own).map((method) => method.toUpperCase());
        return [path, names] as const;
      },
    );

    expect(sorted(listed)).toEqual(inMap);
  });

  it('has a unique name for every operation', () => {
    const ids = Object.values(open[version]?.paths ?? {}).flatMap(({ parameters, ...operations }) =>
      Object.values(operations).map(({ operationId }) => operationId),
    );

    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  });

  it.runIf(version !== 'v1')('has the parameters of its paths', () => {
    const known = Object.keys(own[version]?.parameters ?? {});

    for (const { path, properties } of endpoints(version)) {
      expect([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(properties);
      for (const name of properties) expect(known).toContain(name);
    }
  });

  it('resolves every reference', () => {
    const references = JSON.stringify(open[version]).matchAll(/"\$ref":"#\/([^"]+)"/g);

    for (const [, path = ''] of references) {
      const target = path
        .split('/')
        .reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], open[version]);
      expect(target, path).toBeDefined();
    }
  });
});

const readable = places.filter(
  (place) => place.route.operations.GET !== undefined && !isWait(place),
);
const eachReadable = it.each(readable.map((place) => [place.name, place] as const));

function openOperation({ version, template }: Place, method: string): OpenOperation | undefined {
  return open[version]?.paths[documentedPath(template)]?.[method];
}

describe('responses to GET', () => {
  const shown = readable.filter((place) => !isRedirect(place) && !isForPeople(place)); // a body is an error there

  it.each(shown.map((place) => [place.name, place] as const))(
    '%s is as documented',
    async (_, place) => {
      const operation = openOperation(place, 'get');
      const path = world.path(place);

      const { status, body } = await api.send({ as: world.caller(place), path });

      const schema = operation?.responses[status]?.content?.['application/json'].schema;
      expect(schema, `${status} is not documented`).toBeDefined();
      expect(
        differences(body, schema ?? {}, open[place.version]?.components.schemas ?? {}),
      ).toEqual([]);
    },
  );
});

const patchable = places.filter(({ route }) => route.operations.PATCH !== undefined);

describe('responses to PATCH', () => {
  it.each(patchable.map((place) => [place.name, place] as const))(
    '%s is as documented',
    async (_, place) => {
      const operation = openOperation(place, 'patch');
      const path = world.path(place);

      const call = { as: world.caller(place), method: 'PATCH', path, body: {} };
      const { status, body } = await api.send(call);

      const isOwner = place.template.includes('/admins/'); // whose role nobody changes
      const name = isOwner && status === 403 ? '403' : '200';
      const schemas = open[place.version]?.components.schemas ?? {};
      const schema = operation?.responses[name]?.content?.['application/json'].schema;
      expect(String(status)).toBe(name);
      expect(differences(body, schema ?? {}, schemas)).toEqual([]);
    },
  );
});

/** Records the parameters that were sent. */
class WatchedQuery extends URLSearchParams {
  readonly asked = new Set<string>();
  override get(name: string) {
    this.asked.add(name);
    return super.get(name);
  }
  override getAll(name: string) {
    this.asked.add(name);
    return super.getAll(name);
  }
  override has(name: string) {
    this.asked.add(name);
    return super.has(name);
  }
}

describe('query parameters', () => {
  eachReadable('%s reads those that are documented, and none else', async (_, place) => {
    const { query: everywhere = {}, credentials = {} } = own['v1.1'] ?? {}; // the same for both versions
    const keys = Object.values(credentials).flatMap((each) =>
      each.filter(({ in: where }) => where === 'query').map(({ name }) => name),
    );
    const documented = openOperation(place, 'get')?.parameters?.map(({ name }) => name) ?? [];
    const query = new WatchedQuery('nothing=1');

    await dispatch({
      id: 'test',
      method: 'GET',
      path: world.path(place),
      query,
      sourceAddress: '',
      headers: keyHeaders(world.caller(place)),
      body: { kind: 'bytes', bytes: new Uint8Array() },
    });

    const special = [...query.asked].filter(
      (name) => !Object.keys(everywhere).includes(name) && !keys.includes(name),
    );
    expect(special.filter((name) => !documented.includes(name))).toEqual([]);
    const unread = documented.filter((name) => !query.asked.has(name));
    // that of the list position before a page is sent only on other pages
    expect(unread.filter((name) => name !== 'last_value')).toEqual([]);
  });
});
