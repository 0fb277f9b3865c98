import type { Fields, Route } from '../../shared/core/family.ts';
import { allowedMethods, describeFields } from '../../shared/core/resource/introspection.ts';
import { hasLink } from '../../shared/core/resource/links.ts';
import type { QueryParameters } from '../../shared/core/routing/forms.ts';
import type { Access } from '../../shared/values/access.ts';
import type { Json, JsonObject } from '../../shared/values/json/json.ts';
import { acceptedPattern } from '../../shared/values/text/path-parameters.ts';
import { type DescribedOperation, type Description, parametersOf } from './describe.ts';
import { groupBy } from './group.ts';
import { about, callers, commonParameters, credentials, errors } from './texts.ts';

/**
 * Returns the interface document in its own form (docs/reference/README.md#openapi): resources, their endpoints, and
 * the methods of these; fields as introspection shows them.
 */
export function toDocument(description: Description): JsonObject {
  const { version, models } = description;
  return {
    version,
    description: about,
    callers,
    credentials,
    errors,
    query: describeQuery(commonParameters),
    parameters: Object.fromEntries(
      Object.entries(parametersOf(description)).map(([name, parameter]) => [
        name,
        {
          type: parameter.type,
          pattern: acceptedPattern(parameter),
          description: parameter.description,
        },
      ]),
    ),
    models: Object.fromEntries(
      models.map(({ name, fields, links }) => [
        name,
        describeFields(
          shownFields(fields),
          links?.filter((link) => hasLink(link, version)),
        ),
      ]),
    ),
    resources: resourcesOf(description),
  };
}

function shownFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => !field.writeOnly));
}

function resourcesOf({ operations }: Description): readonly JsonObject[] {
  const byResource = groupBy(operations, ({ route }) => route.resource);
  return [...byResource].map(([name, own]): JsonObject => {
    const [first] = own;
    const byRoute = groupBy(own, ({ route }) => route);
    return {
      name,
      family: first?.route.family ?? '',
      description: first?.route.description ?? '',
      endpoints: Object.fromEntries(
        [...byRoute].map(([route, each]) => [endpointName(route), endpointOf(route, each)]),
      ),
    };
  });
}

/** Returns `list`, `detail`, the last word of an action's path, or `endpoint`. */
function endpointName({ kind, paths }: Route): string {
  if (kind === 'page') return 'endpoint';
  if (kind !== 'action') return kind;
  return Object.values(paths)[0]?.split('/').at(-2) ?? kind;
}

function endpointOf(route: Route, operations: readonly DescribedOperation[]): JsonObject {
  const [first] = operations;
  return {
    path: first?.path ?? '',
    properties: first?.pathParameters ?? [],
    allow: allowedMethods(route),
    methods: Object.fromEntries(operations.map((each) => [each.method, methodOf(each)])),
  };
}

function methodOf(operation: DescribedOperation): JsonObject {
  const { id, summary, parameters, body, errorStatuses } = operation;
  return {
    operation: id,
    description: summary,
    auth: authOf(operation),
    access: operation.callers,
    ...(Object.keys(parameters).length > 0 && { query: describeQuery(parameters) }),
    ...(body?.fields && { fields: describeFields(body.fields, body.links) }),
    ...(body?.isPartial && { partial: true }),
    response: responseOf(operation),
    errors: errorStatuses,
  };
}

function describeQuery(parameters: QueryParameters): JsonObject {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { type, description, choices, min, max }]) => [
      name,
      {
        type,
        required: false,
        description,
        ...(choices && { choices: choices as readonly Json[] }),
        ...(min !== undefined && { min_value: min }),
        ...(max !== undefined && { max_value: max }),
      },
    ]),
  );
}

/** Returns the kinds of key that are accepted; empty if none is needed. */
function authOf({ callers: who, route }: DescribedOperation): readonly string[] {
  if (who.includes('anonymous') || route.ignoresCredentials) return [];
  const kinds = who.map((caller) => keyOf[caller]);
  return [...new Set(kinds)];
}

const keyOf: Readonly<Record<keyof Access, string>> = {
  account: 'account_key',
  owner: 'account_key',
  full: 'account_key',
  write: 'account_key',
  read: 'account_key',
  apiKey: 'api_key',
  ignoreAcl: 'api_key',
  allowUserCreate: 'api_key',
  allowGroupCreate: 'api_key',
  allowAnonymousRead: 'api_key',
  user: 'user_key',
  anonymous: 'none',
};

function responseOf({ response: { status, model }, isPage }: DescribedOperation): JsonObject {
  if (status === 204) return { 204: null };
  const name = model?.name ?? 'JSON';
  return { [status]: isPage ? `page of ${name}` : name };
}
