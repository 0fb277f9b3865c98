import { hasLink } from '../../shared/core/resource/links.ts';
import type { QueryParameter } from '../../shared/core/routing/forms.ts';
import type { Json, JsonObject } from '../../shared/values/json/json.ts';
import { acceptedPattern } from '../../shared/values/text/path-parameters.ts';
import {
  type DescribedBody,
  type DescribedOperation,
  type Description,
  parametersOf,
} from './describe.ts';
import guideExamples from './examples.json' with { type: 'json' };
import furtherExamples from './further-examples.json' with { type: 'json' };
import { groupBy } from './group.ts';
import { objectSchema } from './json-schema.ts';
import { about, callers, errors } from './texts.ts';

/** Bodies of a request and of its response. */
interface Example {
  readonly request?: Json;
  readonly response?: Json;
}

/**
 * Examples of operations of v1.1: from the guides, whose test writes and compares them, and from other requests of
 * tests.
 */
const sources: readonly Readonly<Record<string, Example>>[] = [furtherExamples, guideExamples];

/** Responses as pages are in no list of media types: generated clients would take each response for one or a text. */
const pages =
  'Browsers, which prefer text/html to JSON, get each response and error as a page; this document describes the JSON.';

/** Returns the interface document as OpenAPI 3.1. */
export function toOpenApi(description: Description): JsonObject {
  const { version, operations } = description;
  const tags = [...new Set(operations.map(tagOf))];
  return {
    openapi: '3.1.0',
    info: { title: 'Groundwork', version: version.slice(1), description: `${about} ${pages}` },
    servers: [{ url: '/' }], // of this host, until the address of a deployment is known
    tags: tags.map((name) => ({ name })),
    paths: pathsOf(operations),
    components: {
      securitySchemes,
      schemas: schemasOf(description),
      parameters: Object.fromEntries(
        Object.entries(parametersOf(description)).map(([name, parameter]) => {
          const { type, description: text } = parameter;
          const schema =
            type === 'integer' ? { type } : { type, pattern: acceptedPattern(parameter) };
          return [name, { name, in: 'path', required: true, description: text, schema }];
        }),
      ),
      responses: Object.fromEntries(
        ['400', '403', '404'].map((status) => [status, errorResponse(status, errors[status])]),
      ),
    },
  };
}

const securitySchemes = {
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-KEY',
    description: 'An account key or an API key.',
  },
  apiKeyQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'Same as X-API-KEY, as a query parameter. Logs of proxies may contain it.',
  },
  authorization: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'Same as X-API-KEY, with the word `token` and a space before the key.',
  },
  userKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-USER-KEY',
    description: 'A user key, sent together with an API key.',
  },
  userKeyQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'user_key',
    description: 'Same as X-USER-KEY, as a query parameter.',
  },
};

function tagOf({ route }: DescribedOperation): string {
  return route.family ?? route.resource;
}

function pathsOf(operations: readonly DescribedOperation[]): JsonObject {
  const byPath = groupBy(operations, ({ path }) => path);
  return Object.fromEntries(
    [...byPath].map(([path, own]) => {
      const parameters = (own[0]?.pathParameters ?? []).map((name) => ({
        $ref: `#/components/parameters/${name}`,
      }));
      const methods = own.map((each) => [each.method.toLowerCase(), operationOf(each)]);
      return [
        path,
        { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(methods) },
      ];
    }),
  );
}

function operationOf(operation: DescribedOperation): JsonObject {
  const { id, summary, description, parameters, body, errorStatuses, runsCode } = operation;
  const query = Object.entries(parameters).map(([name, each]) => queryOf(name, each));
  return {
    operationId: id,
    summary,
    tags: [tagOf(operation)],
    description: [description, accessText(operation)].filter((text) => text !== '').join('\n\n'),
    ...(query.length > 0 && { parameters: query }),
    ...(body && { requestBody: requestOf(body, exampleOf(operation).request) }),
    responses: {
      ...successOf(operation),
      ...Object.fromEntries(
        errorStatuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
      default: runsCode
        ? { description: 'Any other error, or the response of the script.', content: anyContent }
        : errorResponse('default', 'Any other error.'),
    },
    security: securityOf(operation),
    'x-access': operation.callers,
  };
}

function accessText({ callers: who }: DescribedOperation): string {
  return `Allowed callers: ${who.map((caller) => callers[caller]).join('; ')}.`;
}

function queryOf(name: string, { type, description, choices, min, max }: QueryParameter) {
  const limits = {
    ...(choices && { enum: choices.filter((choice) => choice !== 'html') }),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
  };
  const kind = type === 'json' ? 'string' : type;
  return { name, in: 'query', description, schema: { type: kind, ...limits } };
}

const json = 'application/json';
const forms = ['application/x-www-form-urlencoded', 'multipart/form-data'];
const anyContent = { '*/*': {} };

function requestOf(body: DescribedBody, example: Json | undefined): JsonObject {
  const { name, fields, isPartial } = body;
  const schema = fields === undefined ? {} : { $ref: `#/components/schemas/${name}` };
  const form = hasFormSchema(body) ? { $ref: `#/components/schemas/${formName(name)}` } : schema;
  const isRequired = !isPartial && Object.values(fields ?? {}).some(({ required }) => required);
  const content = {
    [json]: { schema, ...(example !== undefined && { example }) },
    ...Object.fromEntries(forms.map((type) => [type, { schema: form }])),
    'text/plain': { schema: { type: 'string', description: 'The JSON as a text.' } },
  };
  return { required: isRequired, content };
}

function formName(body: string): string {
  return body.replace(/Body$/, 'Form');
}

/** Whether a form differs from JSON: it has lists and objects as text. */
function hasFormSchema({ fields = {}, ...form }: DescribedBody): boolean {
  const [sent, asForm] = (['sent', 'form'] as const).map((each) =>
    JSON.stringify(objectSchema(fields, each, form)),
  );
  return sent !== asForm;
}

const withoutBody = { description: 'Success. The response has no body.' };
const redirect = { description: 'Success. `Location` has the address to go on at.' };

const descriptions = { 200: 'Success.', 201: 'Created.', 202: 'Accepted.' };

function successOf(operation: DescribedOperation): JsonObject {
  const { response, isPage, links } = operation;
  const { status, model } = response;
  if (status === 204) return { 204: withoutBody, ...acceptedOf(operation) };
  if (status === 302 || status === 303) return { [status]: redirect };
  const name = model && (isPage ? `${model.name}Page` : model.name);
  const schema = name === undefined ? {} : { $ref: `#/components/schemas/${name}` };
  const description = isPage ? 'One page of the list.' : descriptions[status];
  const content = contentOf(operation, schema);
  return {
    [status]: { description, content, ...(links.length > 0 && { links: linksTo(links) }) },
    ...(operation.route.forms.response?.isOptional && { 204: withoutBody }),
    ...acceptedOf(operation),
  };
}

/** Returns the response to a request that sends a mail instead. */
function acceptedOf({ method, route }: DescribedOperation): JsonObject {
  if (method !== 'POST' || route.forms.response?.mayBeMail !== true) return {};
  const schema = { type: 'object', properties: { detail: { type: 'string' } } };
  const description = 'Accepted. A mail is on its way, if the address can have it.';
  return { 202: { description, content: { [json]: { schema } } } };
}

/** Returns the media types of a success: a stream's own, JSON, or that of a page that has no JSON. */
function contentOf(operation: DescribedOperation, schema: JsonObject): JsonObject {
  const { route, method, runsCode } = operation;
  if (route.operations[method]?.isForPeople) return { 'text/html': { schema: { type: 'string' } } };
  const { response: example } = exampleOf(operation);
  const [own] = route.formats?.filter((format) => format.includes('/')) ?? [];
  if (own !== undefined) return { [own]: {} };
  const isAny = route.forms.response?.isAnyType === true;
  const described = runsCode ? { anyOf: [schema, {}] } : schema; // a script may respond with JSON of its own
  const shown = { schema: described, ...(example !== undefined && { example }) };
  return { [json]: shown, ...(isAny && anyContent) };
}

/** Returns the example of an operation of v1.1; empty where there is none. */
function exampleOf({ id, path }: DescribedOperation): Example {
  return path.startsWith('/v1/') ? {} : Object.assign({}, ...sources.map((each) => each[id]));
}

/** Returns the operations on an item that was created, with the parameters of their paths. */
function linksTo(links: DescribedOperation['links']): JsonObject {
  return Object.fromEntries(
    links.map(({ id, parameters }) => [id, { operationId: id, parameters }]),
  );
}

function errorResponse(status: string, description = ''): JsonObject {
  const name = status === '400' ? 'ValidationError' : 'Error';
  const schema = { $ref: `#/components/schemas/${name}` };
  return { description, content: { [json]: { schema } } };
}

/** Returns alternative requirements; the empty one allows requests without credentials. */
function securityOf({ callers: who, route }: DescribedOperation): readonly JsonObject[] {
  if (route.ignoresCredentials) return [{}];
  const isForUsers = who.every((caller) => caller === 'user');
  const users = [{ userKey: [] }, { userKeyQuery: [] }];
  const alone = [{ apiKeyHeader: [] }, { apiKeyQuery: [] }, { authorization: [] }];
  const together = alone.flatMap((each) => users.map((user) => ({ ...each, ...user })));
  if (isForUsers) return together;
  const without = who.includes('anonymous') ? [{}] : [];
  return [...without, ...alone, ...(who.includes('user') ? together : [])];
}

function schemasOf({ version, operations, models }: Description): JsonObject {
  const paged = new Map(
    operations.flatMap(({ isPage, response: { model }, parameters }) =>
      isPage && model ? [[`${model.name}Page`, pageSchema(model.name, parameters)] as const] : [],
    ),
  );
  const sent = operations.flatMap(({ body }) =>
    body?.fields === undefined
      ? []
      : [
          [body.name, objectSchema(body.fields, 'sent', body)] as const,
          ...(hasFormSchema(body)
            ? [[formName(body.name), objectSchema(body.fields, 'form', body)] as const]
            : []),
        ],
  );
  const shown = models.map(({ name, fields, links, isOpen }) => {
    const own = links?.filter((link) => hasLink(link, version));
    return [name, objectSchema(fields, 'shown', { links: own, isOpen })] as const;
  });
  return { ...Object.fromEntries([...shown, ...paged, ...sent]), ...errorSchemas };
}

function pageSchema(name: string, parameters: DescribedOperation['parameters']): JsonObject {
  return {
    type: 'object',
    properties: {
      next: { type: ['string', 'null'] },
      prev: { type: ['string', 'null'] },
      objects: { type: 'array', items: { $ref: `#/components/schemas/${name}` } },
      ...('include_count' in parameters && { objects_count: { type: 'integer' } }),
    },
    required: ['next', 'prev', 'objects'],
  };
}

const errorSchemas = {
  Error: {
    type: 'object',
    properties: { detail: { type: 'string' } },
    additionalProperties: true,
  },
  ValidationError: {
    type: 'object',
    description: 'Messages by field, or `detail`.',
    properties: { detail: { type: 'string' } },
    additionalProperties: true,
  },
};
