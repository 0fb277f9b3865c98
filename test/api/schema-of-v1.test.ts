import { describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { type Api, expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

/*
 * The schema of v1 as the Ruby library reads it when it connects: it makes a class for each entry, with an attribute
 * for each field of the list, and finds the class of a link by the path that it leads to.
 */

const it = worldTest().extend('entries', { scope: 'file' }, ({ api }) => readEntries(api));

describe('the schema of v1', () => {
  it('is an array of resources with their endpoints', async ({ api, world, entries }) => {
    const { body: list } = await api.send({
      as: world.owner,
      method: 'OPTIONS',
      path: `/v1/instances/${world.instance}/classes/`,
    });

    expect(Array.isArray(entries)).toBe(true);
    expect(entryOf(entries, 'Class')).toEqual({
      name: 'Class',
      endpoints: {
        list: {
          methods: ['post', 'get'],
          path: '/v1/instances/{instance_name}/classes/',
          properties: ['instance_name'],
          fields: list.actions.POST,
        },
        detail: {
          methods: ['put', 'get', 'patch', 'delete'],
          path: '/v1/instances/{instance_name}/classes/{name}/',
          properties: ['instance_name', 'name'],
          fields: expect.objectContaining({ name: expect.objectContaining({ read_only: true }) }),
        },
      },
    });
  });

  it('has every route and method of v1, each once', ({ entries }) => {
    const ofMap = routes.flatMap(({ paths: { v1: path }, operations }) => {
      const methods = Object.keys(operations).map((method) => method.toLowerCase());
      return path === undefined || methods.length === 0
        ? []
        : [`${path.replace(/\{\w+\}/g, '{}')} ${methods.toSorted()}`];
    });
    const listed = endpoints(entries).map(
      ([, { path, methods }]) =>
        `${path.slice('/v1'.length).replace(/\{\w+\}/g, '{}')} ${methods.toSorted()}`,
    );

    expect(listed.toSorted()).toEqual(ofMap.toSorted());
  });

  it('has every list and every item of v1 under these names', ({ entries }) => {
    const counted = (kind: string) =>
      routes.filter((each) => each.kind === kind && each.paths.v1 !== undefined).length;

    const named = (wanted: string) => endpoints(entries).filter(([name]) => name === wanted).length;

    expect(named('detail')).toBe(counted('detail'));
    expect(named('list')).toBe(counted('list') + 1); // that of runtimes, which is a page of ours
  });

  it('has the names and paths of the original service', ({ entries }) => {
    const pathOf = (name: string, endpoint: string) =>
      entryOf(entries, name)?.endpoints[endpoint]?.path;
    const instance = '/v1/instances/{instance_name}/';

    expect(
      [
        pathOf('Instance', 'detail'),
        pathOf('Object', 'detail'),
        pathOf('CodeBox', 'list'),
        pathOf('CodeBox', 'run'),
        pathOf('CodeBoxTrace', 'detail'),
        pathOf('Runtime', 'list'),
        pathOf('Webhook', 'run'),
        pathOf('WebhookPublicView', 'run'),
        pathOf('ScheduleTrace', 'list'),
        pathOf('AccountView', 'account'),
        pathOf('AdminInvitation', 'detail'),
      ].map((path) => path?.replace(instance, '')),
    ).toEqual([
      '/v1/instances/{name}/',
      'classes/{class_name}/objects/{id}/',
      'codeboxes/',
      'codeboxes/{id}/run/',
      'codeboxes/{codebox_id}/traces/{id}/',
      'codeboxes/runtimes/',
      'webhooks/{name}/run/',
      'webhooks/p/{public_link}/',
      'schedules/{schedule_id}/traces/',
      '/v1/account/',
      '/v1/account/invitations/{id}/',
    ]);
  });

  it('has names that are names of classes in Ruby, each once', ({ entries }) => {
    const names = entries.map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name))).toEqual([]);
    expect(names).not.toContain('Base'); // classes of the library
    expect(names).not.toContain('Collection');
    expect(names).not.toContain('Paths');
  });

  it('names the parameters of a path in order, and those of the list again for its item', ({
    entries,
  }) => {
    for (const { name, endpoints: own } of entries) {
      const inList = own.list?.properties ?? [];
      for (const { path, properties } of Object.values(own)) {
        expect([...path.matchAll(/\{(\w+)\}/g)].map(([, each]) => each)).toEqual(properties);
        expect(new Set(properties).size, path).toBe(properties.length);
        expect(properties.slice(0, inList.length), name).toEqual(inList);
      }
      const key = own.detail?.properties.at(-1);
      if (key !== undefined && key !== 'id') expect(own.list?.fields, name).toHaveProperty(key);
    }
  });

  it('describes each field, with at least one choice where it has choices', ({ entries }) => {
    const fields = endpoints(entries).flatMap(([, { path, fields: own }]) =>
      Object.entries(own).map(([name, field]) => [`${path} ${name}`, field] as const),
    );

    expect(fields.length).toBeGreaterThan(500);
    for (const [at, { type, required, read_only, choices }] of fields) {
      expect([typeof type, typeof required, typeof read_only], at).toEqual([
        'string',
        'boolean',
        'boolean',
      ]);
      if (type === 'choice') expect(choices?.length, at).toBeGreaterThan(0);
    }
  });

  it('has names and types of links in every list that has links', ({ entries }) => {
    const links = entries.flatMap((each) => each.endpoints.list?.fields.links ?? []);

    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((each) => each.type !== 'links' || !each.links?.length)).toEqual([]);
  });

  it('has fields of v1', ({ entries }) => {
    expect(entryOf(entries, 'Webhook')?.endpoints.list?.fields).toHaveProperty('codebox');
    expect(entryOf(entries, 'Webhook')?.endpoints.list?.fields).not.toHaveProperty('script');
    const names = entryOf(entries, 'Instance')?.endpoints.list?.fields.links?.links?.map(
      ({ name }) => name,
    );
    expect(names).toContain('codeboxes');
    expect(names).not.toContain('snippets');
  });

  it('has a list for each link of the type list', async ({ api, world, entries }) => {
    const path = `/v1/instances/${world.instance}/`;
    const { links } = expected(await api.send({ as: world.owner, path }), 200);
    const ofInstance = entryOf(entries, 'Instance')?.endpoints.list?.fields.links?.links ?? [];
    const lists = entries.flatMap(({ endpoints: { list } }) =>
      list === undefined ? [] : [new RegExp(`^${list.path.replace(/\{\w+\}/g, '[^/]+')}$`)],
    );

    const lost = ofInstance.filter(
      ({ name, type }) => type === 'list' && !lists.some((list) => list.test(links[name])),
    );

    const ofLinks = ['backups', 'push_notification']; // pages of links
    expect(lost.map(({ name }) => name).toSorted()).toEqual(ofLinks);
  });

  it('needs no key, is OpenAPI on request, and a page in a browser', async ({ api }) => {
    const accept = { headers: { Accept: 'text/html' } };
    const page = await fetch(`${api.url}/v1/schema/`, accept);
    const open = await api.send({ path: '/v1/schema/?format=openapi' });

    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
    expect(await page.text()).toContain('CodeBoxTrace');
    expect(open.body.openapi).toBe('3.1.0');
  });
});

async function readEntries(api: Api): Promise<readonly Entry[]> {
  return expected(await api.send({ path: '/v1/schema/' }), 200);
}

function entryOf(entries: readonly Entry[], name: string): Entry | undefined {
  return entries.find((each) => each.name === name);
}

function endpoints(entries: readonly Entry[]) {
  return entries.flatMap((each) => Object.entries(each.endpoints));
}

interface Field {
  readonly type: string;
  readonly required: boolean;
  readonly read_only: boolean;
  readonly choices?: readonly { readonly value: string }[];
  readonly links?: readonly { readonly name: string; readonly type: string }[];
}
interface Endpoint {
  readonly methods: readonly string[];
  readonly path: string;
  readonly properties: readonly string[];
  readonly fields: Readonly<Record<string, Field>>;
}
interface Entry {
  readonly name: string;
  readonly endpoints: Readonly<Record<string, Endpoint>>;
}
