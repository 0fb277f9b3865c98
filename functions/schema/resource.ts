import { queryValue } from '../../shared/core/http/message.ts';
import { cachedBodies, markConstant } from '../../shared/core/http/response-cache.ts';
import { endpointRoute, open } from '../../shared/core/resource/endpoint.ts';
import type { Context, Family, Route } from '../../shared/core/resource/route.ts';
import type { Version } from '../../shared/core/resource/versions.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { type Description, describe } from './describe.ts';
import { toDocument } from './document.ts';
import { grants } from './grants.ts';
import { toOpenApi } from './openapi.ts';

const openApi = 'openapi';

/** Documents by the routes that they describe: a process builds each one once, at its first request. */
const documents = new WeakMap<readonly Route[], Map<string, JsonObject>>();

function documentFor({ routes, version, request }: Context): JsonObject {
  const isOpenApi = queryValue(request.query, 'format') === openApi;
  const known = documents.get(routes) ?? new Map<string, JsonObject>();
  documents.set(routes, known);
  const name = `${version} ${isOpenApi}`;
  const document = known.get(name) ?? makeDocument(routes, version, isOpenApi);
  known.set(name, document);
  return document;
}

/** Builds a document for the response cache, as a constant body: it is public, each form is built once. */
function makeDocument(routes: readonly Route[], version: Version, isOpenApi: boolean): JsonObject {
  const cached = cachedBodies(
    { form: routes, list: '/schema/' },
    { of: (description: Description) => description, make: isOpenApi ? toOpenApi : toDocument },
  );
  return markConstant(cached(describe(routes, version)));
}

/**
 * The interface document: everything that this deployment serves, derived from its own routes
 * (docs/reference/README.md#openapi).
 */
export const schema: Family = {
  name: 'schema',
  grants,
  routes: [
    endpointRoute({
      name: 'Schema',
      operationNames: {
        GET: {
          id: 'getSchema',
          summary: 'Get the schema of the interface',
          description:
            'Returns every path, method, parameter, field, access right and response of the interface.',
        },
      },
      description: 'Every path, method, parameter, field, right and response of the interface.',
      path: '/schema/',
      access: open,
      formats: [openApi],
      operations: {
        GET: {
          right: 'G',
          parameters: {
            format: {
              type: 'string',
              description:
                'Format of the document: OpenAPI 3.1 (`openapi`), a native JSON format (`json`), or HTML (`html`).',
              choices: [openApi, 'json', 'html'],
            },
          },
          run: (context) => Promise.resolve({ status: 200, body: documentFor(context) }),
        },
      },
    }),
  ],
};
