import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest();

const pretty = 'application/json; indent=2';
/** Words for which the documentation has a term of the field. */
const avoided =
  /\b(answer\w*|calls?|called|refus\w+|faults?|w(hat|ho|hich)ever|anybody|nobody|somebody|beside|anew|meanwhile|tells?|says?|stands?|goes|capitals|small letters|begins so|nothing)\b/i;

describe('the interface document', () => {
  it('describes a list with its parameters, fields and permissions', async ({ api, world }) => {
    const document = await documentOf(api, '/v1.1/schema/');
    const form = await world.own('OPTIONS', 'api_keys/');

    expect(resourceOf(document, 'Api Key')).toMatchObject({
      family: 'api-keys',
      description: 'Manage API keys available for given instance.',
      endpoints: {
        list: {
          path: '/v1.1/instances/{instance_name}/api_keys/',
          properties: ['instance_name'],
          allow: 'GET, POST, HEAD, OPTIONS',
          methods: {
            GET: {
              operation: 'listApiKeys',
              description: 'List API keys',
              auth: ['account_key', 'api_key'],
              access: ['owner', 'full', 'apiKey'],
              query: {
                page_size: { type: 'integer', required: false, min_value: 0 },
                direction: { type: 'string', required: false, choices: ['0', '1'] },
                last_pk: { type: 'integer', required: false, min_value: 0, max_value: 2147483647 },
                ordering: { choices: ['asc', 'desc'] },
                fields: { type: 'string' },
                excluded_fields: { type: 'string' },
              },
              response: { 200: 'page of ApiKey' },
              errors: [400, 403, 404],
            },
            POST: {
              auth: ['account_key'],
              access: ['owner', 'full'],
              fields: form.body.actions.POST,
              response: { 201: 'ApiKey' },
              errors: [400, 403, 404],
            },
          },
        },
        detail: { methods: { DELETE: { response: { 204: null }, errors: [403, 404] } } },
        reset_key: { methods: { POST: { response: { 200: 'ApiKey' } } } },
      },
    });
    expect(document.models.ApiKey).toEqual(form.body.actions.POST);
  });

  it('describes the fields of responses, which are not all fields of requests', async ({ api }) => {
    const { models } = await documentOf(api, '/v1.1/schema/');

    expect(Object.keys(models.User)).not.toContain('password');
    expect(Object.keys(models.Class)).not.toContain('expected_revision');
    expect(Object.keys(models.AccountWithKey)).toContain('account_key');
  });

  it('describes which operations need no credentials, and for whom they act', async ({ api }) => {
    const document = await documentOf(api, '/v1.1/schema/');
    const authOf = (name: string, endpoint: string, method: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: the document is looked into
      (resourceOf(document, name) as any).endpoints[endpoint].methods[method].auth;

    expect(authOf('Auth', 'endpoint', 'POST')).toEqual([]);
    expect(authOf('Schema', 'endpoint', 'GET')).toEqual([]);
    expect(authOf('Own User', 'endpoint', 'GET')).toEqual(['user_key']);
    expect(authOf('Data Object', 'list', 'GET')).toEqual(['account_key', 'api_key', 'user_key']);
  });

  it('describes the format of path parameters', async ({ api }) => {
    const { parameters } = await documentOf(api, '/v1.1/schema/');

    expect(parameters).toMatchObject({
      instance_name: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
      class_name: { type: 'string', pattern: '^[A-Za-z0-9_]{1,64}$' },
      id: { type: 'integer', pattern: '^\\d{1,10}$' },
    });
  });

  it('is the same text each time, and indented on request', async ({ api }) => {
    const get = async (accept: string) =>
      (await fetch(`${api.url}/v1.1/schema/`, { headers: { Accept: accept } })).text();

    const [first, again, indented] = [await get('*/*'), await get('*/*'), await get(pretty)];

    expect(again).toBe(first);
    expect(indented).not.toBe(first);
    expect(JSON.parse(indented)).toEqual(JSON.parse(first));
  });
});

describe.each(['v1.1', 'v1'])('as OpenAPI, of %s', (version) => {
  it('is valid', async ({ api }) => {
    const document = await documentOf(api, `/${version}/schema/?format=openapi`);

    const validator = new Validator();
    const { valid, errors } = await validator.validate(document);

    expect([valid, errors]).toEqual([true, undefined]);
    expect(validator.version).toBe('3.1');
  });

  it('has the terms of the field', async ({ api }) => {
    const document = await documentOf(api, `/${version}/schema/?format=openapi`);

    const odd = [...new Set(textsOf(document))].filter((text) => avoided.test(text));

    expect(odd).toEqual([]);
  });

  it('links the response of a creation to the operations on the item', async ({ api }) => {
    const { paths } = await documentOf(api, `/${version}/schema/?format=openapi`);
    const list = paths[`/${version}/instances/{instance_name}/classes/`];

    const { links } = list.post.responses['201'];

    const parameters = {
      instance_name: '$request.path.instance_name',
      class_name: '$response.body#/name',
    };
    expect(links.getClass).toEqual({ operationId: 'getClass', parameters });
    expect(Object.keys(links)).toEqual(
      expect.arrayContaining(['updateClass', 'deleteClass', 'listDataObjects', 'createDataObject']),
    );
    expect(Object.keys(links)).not.toContain('getDataObject'); // of another item
  });

  it('describes the media types of bodies', async ({ api }) => {
    const { paths, components } = await documentOf(api, `/${version}/schema/?format=openapi`);
    const instance = `/${version}/instances/{instance_name}/`;
    const { post } = paths[`${instance}classes/{class_name}/objects/`];

    expect(Object.keys(post.requestBody.content)).toEqual([
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'text/plain',
    ]);
    expect(Object.keys(post.responses['201'].content)).toEqual(['application/json']);
    const { content } = paths[`${instance}classes/`].post.requestBody;
    expect(components.schemas.CreateClassBody.properties.schema.type).toBe('array');
    expect(content['multipart/form-data'].schema.$ref).toBe('#/components/schemas/CreateClassForm');
    expect(components.schemas.CreateClassForm.properties.schema.type).toBe('string'); // JSON
    const run = Object.values(paths)
      .map((each) => (each as typeof post).post)
      .find((each) => each?.operationId === 'runScriptEndpoint');
    expect(Object.keys(run.responses['200'].content)).toContain('*/*');
    const ofRun = run.responses['200'].content['application/json'].schema;
    expect(ofRun.anyOf).toEqual([{ $ref: '#/components/schemas/ScriptRunResult' }, {}]); // a script's own JSON
    expect(Object.keys(run.responses.default.content)).toEqual(['*/*']);
  });

  it('lists a page only where there is no JSON, so that no generated type is one or a text', async ({
    api,
  }) => {
    const { info, paths, components } = await documentOf(api, `/${version}/schema/?format=openapi`);
    const operations = Object.values<Record<string, OpenOperation>>(paths).flatMap(
      ({ parameters: _, ...own }) => Object.values(own),
    );
    const responses = [components as Pick<OpenOperation, 'responses'>, ...operations].flatMap(
      (each) => Object.values(each.responses),
    );
    const types = responses.map(({ content }) => Object.keys(content ?? {}).join());

    expect(types).toContain('application/json');
    expect(types.filter((each) => each !== 'text/html' && each.includes('html'))).toEqual([]);
    expect(info.description).toContain('text/html');
    const [format] = paths[`/${version}/schema/`].get.parameters;
    expect(format.schema.enum).toEqual(['openapi', 'json']);
  });

  it('describes what is not always in a response, and capitals in names', async ({ api }) => {
    const { paths, components } = await documentOf(api, `/${version}/schema/?format=openapi`);
    const operations = Object.values(paths).flatMap((each) => Object.values(each as object));
    const statusesOf = (id: string) =>
      Object.keys(operations.find(({ operationId }) => operationId === id).responses);

    expect(statusesOf('pollMessage')).toEqual(expect.arrayContaining(['200', '204']));
    expect(components.schemas.PolledMessage.properties).not.toHaveProperty('links');
    expect(statusesOf('clearDataEndpointCache')).not.toContain('200');
    expect(components.schemas.Invitation.required).not.toContain('key'); // for managers only
    expect(new RegExp(components.parameters.class_name.schema.pattern).test('Book')).toBe(true);
  });

  it('describes each parameter and its callers', async ({ api }) => {
    const { paths, components } = await documentOf(api, `/${version}/schema/?format=openapi`);
    const operations = Object.values<Record<string, OpenOperation>>(paths).flatMap(
      ({ parameters: _, ...own }) => Object.values(own),
    );
    const described = [
      ...Object.values<Described>(components.parameters),
      ...operations.flatMap((each) => each.parameters ?? []),
    ];

    expect(described.filter(({ description = '' }) => !/^[A-Z].*\.$/.test(description))).toEqual(
      [],
    );
    expect(operations.filter((each) => !each.description.includes('Allowed callers: '))).toEqual(
      [],
    );
  });

  it('has security, tags by family, and types that suit a client', async ({ api }) => {
    const document = await documentOf(api, `/${version}/schema/?format=openapi`);
    const { paths, components, servers } = document;
    const objects = paths[`/${version}/instances/{instance_name}/classes/{class_name}/objects/`];

    expect(servers).toEqual([{ url: api.platform.apiUrl() }]);
    expect(new URL(servers[0].url).origin).toBe(api.url);
    expect(Object.keys(components.securitySchemes)).toEqual([
      'apiKeyHeader',
      'apiKeyQuery',
      'authorization',
      'userKey',
      'userKeyQuery',
    ]);
    expect(objects.get).toMatchObject({
      operationId: 'listDataObjects',
      tags: ['objects'],
      security: [
        { apiKeyHeader: [] },
        { apiKeyQuery: [] },
        { authorization: [] },
        ...['apiKeyHeader', 'apiKeyQuery', 'authorization'].flatMap((key) => [
          { [key]: [], userKey: [] },
          { [key]: [], userKeyQuery: [] },
        ]),
      ],
      parameters: expect.arrayContaining([
        expect.objectContaining({ name: 'query', in: 'query', schema: { type: 'string' } }),
        expect.objectContaining({ name: 'include_count', schema: { type: 'boolean' } }),
      ]),
    });
    expect(components.schemas.DataObject).toMatchObject({
      properties: { owner: { type: ['integer', 'null'] }, created_at: { format: 'date-time' } },
      additionalProperties: true,
    });
    expect(components.schemas.CreateInstanceBody).toMatchObject({
      properties: { name: { type: 'string', minLength: 5, maxLength: 64 } },
      required: ['name'],
    });
    expect(components.schemas.UpdateInstanceBody).not.toHaveProperty('required');
    expect(components.schemas.ReplaceInstanceBody.properties).not.toHaveProperty('name');
  });
});

describe('/schema/', () => {
  it.for([
    ['is rejected with a bad key', { path: '/v1.1/schema/', as: 'bad' }, 403, 'No such API Key.'],
    [
      'is not written to',
      { path: '/v1.1/schema/', method: 'POST' },
      405,
      'Method "POST" not allowed.',
    ],
    ['has no other forms', { path: '/v1.1/schema/?format=yaml' }, 404, 'Not found.'],
    ['alone is there as OpenAPI', { path: '/v1.1/?format=openapi' }, 404, 'Not found.'],
  ] as const)('%s', async ([_, call, wanted, detail], { api }) => {
    const { status, body } = await api.send(call);

    expect([status, body]).toEqual([wanted, { detail }]);
  });
});

const documentOf = async (api: Api, path: string) => expected(await api.send({ path }), 200);

function resourceOf(document: { readonly resources: readonly { name: string }[] }, name: string) {
  return document.resources.find((each) => each.name === name);
}

interface Described {
  readonly description?: string;
}

interface OpenOperation {
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
  readonly description: string;
  readonly parameters?: readonly Described[];
}

/** All titles, summaries and descriptions of a document; those that OPTIONS shows too cannot change. */
function textsOf(part: unknown): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) => {
    const isText = typeof value === 'string' && /^(title|summary|description)$/.test(name);
    return isText ? (frozen.includes(value) ? [] : [value]) : textsOf(value);
  });
}

const frozen = ['Whether the e-mail address has been confirmed. It blocks nothing.'];
