import { describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { documentedPath } from '../../shared/core/routing/path-parameters.ts';
import { versions } from '../../shared/core/routing/versions.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { type Api, expected } from '../support/api.ts';
import {
  isForPeople,
  isRedirect,
  isWait,
  openFilledWorld,
  type Place,
  places,
} from '../support/filled-world.ts';
import { apiTest } from '../support/fixtures.ts';
import { keyHeaders } from '../support/http-client.ts';
import { differences, type Schema, type Schemas } from '../support/json-schema.ts';

/*
 * The interface document is complete for every line of the map: undocumented requests are rejected, documented ones
 * work.
 */

const it = apiTest()
  .extend('world', { scope: 'file' }, ({ api }) => openFilledWorld(api, 'blog-1', 'marker'))
  .extend('dispatch', { scope: 'file' }, ({ api }) =>
    createDispatch(routes, api.platform, { renderer: responseTemplates }),
  )
  .extend('documents', { scope: 'file' }, ({ world }) => readDocuments(world.api));

function sorted(paths: readonly (readonly [string, readonly string[]])[]) {
  return paths.map(([path, methods]) => `${path} ${methods.toSorted().join()}`).toSorted();
}

describe.each(versions)('the document of %s', (version) => {
  const inMap = sorted(
    places
      .filter((place) => place.route.isRoot || place.version === version)
      .map(({ template, route }) => [documentedPath(template), Object.keys(route.operations)]),
  );

  it.runIf(version !== 'v1')(
    'has every route and method of the map, and no other',
    ({ documents: { own } }) => {
      const listed = endpoints(own[version]).map(
        ({ path, methods }) => [path, Object.keys(methods)] as const,
      );

      expect(sorted(listed)).toEqual(inMap);
    },
  );

  it('has them as OpenAPI too', ({ documents: { open } }) => {
    const listed = Object.entries(open[version]?.paths ?? {}).map(
      ([path, { parameters, ...operations }]) => {
        const names = Object.keys(operations).map((method) => method.toUpperCase());
        return [path, names] as const;
      },
    );

    expect(sorted(listed)).toEqual(inMap);
  });

  it('has a unique name for every operation', ({ documents: { open } }) => {
    const ids = Object.values(open[version]?.paths ?? {}).flatMap(({ parameters, ...operations }) =>
      Object.values(operations).map(({ operationId }) => operationId),
    );

    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  });

  it.runIf(version !== 'v1')('has the parameters of its paths', ({ documents: { own } }) => {
    const known = Object.keys(own[version]?.parameters ?? {});

    for (const { path, properties } of endpoints(own[version])) {
      expect([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(properties);
      for (const name of properties) expect(known).toContain(name);
    }
  });

  it('resolves every reference', ({ documents: { open } }) => {
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
const eachReadable = it.for(readable.map((place) => [place.name, place] as const));

describe('responses to GET', () => {
  const shown = readable.filter((place) => !isRedirect(place) && !isForPeople(place)); // a body is an error there

  it.for(shown.map((place) => [place.name, place] as const))(
    '%s is as documented',
    async ([_, place], { api, world, documents: { open } }) => {
      const operation = operationOf(open, place, 'get');
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
  it.for(patchable.map((place) => [place.name, place] as const))(
    '%s is as documented',
    async ([_, place], { api, world, documents: { open } }) => {
      const operation = operationOf(open, place, 'patch');
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

describe('query parameters', () => {
  eachReadable(
    '%s reads those that are documented, and none else',
    async ([, place], { world, dispatch, documents: { own, open } }) => {
      const { query: everywhere = {}, credentials = {} } = own['v1.1'] ?? {}; // the same for both versions
      const keys = Object.values(credentials).flatMap((each) =>
        each.filter(({ in: where }) => where === 'query').map(({ name }) => name),
      );
      const documented = operationOf(open, place, 'get')?.parameters?.map(({ name }) => name) ?? [];
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
    },
  );
});

/** Reads the documents by version: our own, and that of OpenAPI. */
async function readDocuments(api: Api) {
  const own: Record<string, OwnDocument> = {};
  const open: Record<string, OpenDocument> = {};
  for (const version of versions) {
    const path = `/${version}/schema/`;
    if (version !== 'v1') own[version] = expected(await api.send({ path }), 200); // v1 has another form
    open[version] = expected(await api.send({ path: `${path}?format=openapi` }), 200);
  }
  return { own, open };
}

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

function endpoints(own: OwnDocument | undefined): readonly OwnEndpoint[] {
  return own?.resources.flatMap((each) => Object.values(each.endpoints)) ?? [];
}

function operationOf(
  open: Readonly<Record<string, OpenDocument>>,
  { version, template }: Place,
  method: string,
): OpenOperation | undefined {
  return open[version]?.paths[documentedPath(template)]?.[method];
}

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
