import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { describeOperations as describeRoutes } from '../../functions/schema/describe.ts';
import { endpointRoute, open, post } from '../../shared/core/resource/endpoint.ts';
import { type Api, expected } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';

const it = apiTest();

/*
 * Generated clients have a function for each operation, named by its id, and a type for each response, so a changed
 * name breaks them. operation-names.v1.1.txt freezes those that clients have. Names that follow from kind and noun need
 * no line there; another verb does.
 */

const frozen = readFileSync(new URL('operation-names.v1.1.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const verbs = new Set(frozen.map((line) => /^\S+ \S+ ([a-z]+)/.exec(line)?.[1]));

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Name of the schema of its response; empty where it has none. */
  readonly response: string;
}

/** An operation as the document describes it. */
interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>;

const operations: Record<string, readonly Operation[]> = {};
const schemas: Record<string, readonly string[]> = {};

it.beforeAll(async ({ api }) => {
  for (const version of ['v1.1', 'v1']) operations[version] = await readOperations(api, version);
});

async function readOperations(api: Api, version: string): Promise<readonly Operation[]> {
  const path = `/${version}/schema/?format=openapi`;
  const { paths, components } = expected(await api.send({ path }), 200);
  schemas[version] = Object.keys(components.schemas);
  return Object.entries<Record<string, Described>>(paths).flatMap(([at, { parameters, ...own }]) =>
    Object.entries(own).map(([method, { operationId, summary, responses }]) => ({
      method: method.toUpperCase(),
      path: at,
      operationId,
      summary,
      response: schemaOf(responses),
    })),
  );
}

/** Returns the name of the schema of a successful JSON response. */
function schemaOf(responses: Described['responses']): string {
  const [, success] = Object.entries(responses).find(([status]) => status < '300') ?? [];
  return success?.content?.['application/json']?.schema?.$ref?.split('/').at(-1) ?? '';
}

const inVersion = (version: string) => operations[version] ?? [];

it('keep what the table freezes, in its order', () => {
  const now = inVersion('v1.1').map(({ method, path, operationId, summary, response }) =>
    `${method} ${path} ${operationId}: ${summary} ${response}`.trimEnd(),
  );

  expect(now.filter((line) => frozen.includes(line))).toEqual(frozen);
});

describe.each(['v1.1', 'v1'])('in %s', (version) => {
  it('are unique, as are summaries', () => {
    const ids = inVersion(version).map(({ operationId }) => operationId);
    const summaries = inVersion(version).map(({ summary }) => summary);

    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(summaries.filter((text, at) => summaries.indexOf(text) !== at)).toEqual([]);
  });

  it('are a verb with its object, in camel case without runs of capitals', () => {
    const ids = inVersion(version).map(({ operationId }) => operationId);

    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)+$/.test(id))).toEqual([]);
    expect(ids.filter((id) => !verbs.has(id.split(/[A-Z]/)[0]))).toEqual([]);
  });

  it('have short imperative summaries', () => {
    const odd = inVersion(version).filter(({ operationId, summary }) => {
      const [first = ''] = summary.split(' ');
      return (
        !/^[A-Z][a-z]+ .*[^.]$/.test(summary) ||
        summary.length > 70 ||
        !operationId.startsWith(first.toLowerCase())
      );
    });

    expect(odd).toEqual([]);
  });
});

describe.each(['v1.1', 'v1'])('schemas in %s', (version) => {
  it('are in Pascal case without runs of capitals', () => {
    expect(schemas[version]?.filter((name) => !/^([A-Z][a-z]+)+$/.test(name))).toEqual([]);
  });

  it('have the nouns of the guides', () => {
    expect(schemas[version]).toEqual(expect.arrayContaining(['Class', 'ClassPage', 'GroupMember']));
    expect(schemas[version]?.filter((name) => /klass|keyed/i.test(name))).toEqual([]);
  });
});

it('of an action are declared with its route', () => {
  const route = endpointRoute({
    name: 'Telescope Turn',
    path: '/telescope/turn/',
    access: open,
    ...post({}, () => Promise.resolve({ status: 204 })),
  });
  const operationNames = { POST: { id: 'turnTelescope', summary: 'Turn the telescope' } };

  expect(() => describeRoutes([route], 'v1.1')).toThrow(
    'POST of Telescope Turn needs an entry in operationNames',
  );
  expect(describeRoutes([{ ...route, operationNames }], 'v1.1').operations).toMatchObject([
    { id: 'turnTelescope', summary: 'Turn the telescope', body: undefined },
  ]);
});

it('are the same in both versions', () => {
  const names = ({ operationId, summary }: Operation) => `${operationId}: ${summary}`;
  const newer = new Set(inVersion('v1.1').map(names));

  expect(
    inVersion('v1')
      .map(names)
      .filter((name) => !newer.has(name)),
  ).toEqual([]);
});

it('name resources in the words of the guides', () => {
  const all = inVersion('v1.1').map(({ operationId, summary }) => `${operationId} ${summary}`);

  expect(all.filter((text) => /klass|post[A-Z]/i.test(text.split(' ')[0] ?? ''))).toEqual([]);
  expect(all).toEqual(
    expect.arrayContaining([
      'listClasses List classes',
      'addUserToGroup Add a user to a group',
      'sendGcmMessage Send a GCM message',
    ]),
  );
});
