import type { JsonObject } from '../../shared/domain/json.ts';
import { queryValue } from '../../shared/http/message.ts';
import { endpointRoute, open } from '../../shared/resource/endpoint.ts';
import type { Context, Family, Route, Version } from '../../shared/resource/route.ts';
import { describe } from './describe.ts';
import { toDocument } from './document.ts';
import { toOpenApi } from './openapi.ts';

const openApi = 'openapi';

/** A document, and its text, which is made once. */
interface Prepared {
  readonly body: JsonObject;
  readonly json: string;
}

/** Documents by what they describe: a process makes each of them once, when it is first asked for. */
const prepared = new WeakMap<readonly Route[], Map<string, Prepared>>();

function documentFor({ routes, version, request }: Context): Prepared {
  const isOpenApi = queryValue(request.query, 'format') === openApi;
  const documents = prepared.get(routes) ?? new Map<string, Prepared>();
  prepared.set(routes, documents);
  const name = `${version} ${isOpenApi}`;
  const document = documents.get(name) ?? prepare(routes, version, isOpenApi);
  documents.set(name, document);
  return document;
}

function prepare(routes: readonly Route[], version: Version, isOpenApi: boolean): Prepared {
  const description = describe(routes, version);
  const body = isOpenApi ? toOpenApi(description) : toDocument(description);
  return { body, json: JSON.stringify(body) };
}

/** The interface document: everything that this deployment serves, as its own values say (reference: schema). */
export const schema: Family = {
  name: 'schema',
  routes: [
    endpointRoute({
      name: 'Schema',
      description: 'Every path, method, parameter, field, right and answer of the interface.',
      path: '/schema/',
      access: open,
      formats: [openApi],
      operations: {
        GET: {
          right: 'G',
          parameters: {
            format: {
              type: 'string',
              description: 'The form of the document: that of OpenAPI 3.1, or one of its own.',
              choices: [openApi, 'json', 'html'],
            },
          },
          run: (context) => Promise.resolve({ status: 200, ...documentFor(context) }),
        },
      },
    }),
  ],
};
