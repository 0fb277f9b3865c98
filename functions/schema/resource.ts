import { type Context, endpointRoute, type Family, type Route } from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import { keepText, markConstant } from '../../shared/core/http/response-cache.ts';
import { open } from '../../shared/core/resource/endpoint.ts';
import type { Version } from '../../shared/core/routing/versions.ts';
import type { DocumentFormat } from './built-documents.ts';
import { grants } from './grants.ts';
import type { InterfaceDocument } from './make-document.ts';

const openApi = 'openapi';

/** Documents by the routes that they describe: a process makes each one once, at its first request. */
const documents = new WeakMap<readonly Route[], Map<string, Promise<InterfaceDocument>>>();

async function documentFor(context: Context): Promise<InterfaceDocument> {
  const { version, request } = context;
  const routes = await context.routes();
  const format = queryValue(request.query, 'format') === openApi ? openApi : 'json';
  const known = documents.get(routes) ?? new Map<string, Promise<InterfaceDocument>>();
  documents.set(routes, known);
  const name = `${version} ${format}`;
  const document = known.get(name) ?? openDocument(routes, version, format);
  known.set(name, document);
  return document;
}

/** Opens a document for the response cache, as a constant body: it is public. Built ones are only read. */
async function openDocument(
  routes: readonly Route[],
  version: Version,
  format: DocumentFormat,
): Promise<InterfaceDocument> {
  const { builtDocument } = await import('./built-documents.ts'); // a megabyte, where it has any
  const built = builtDocument(version, format);
  if (built !== undefined) return toConstant(JSON.parse(built) as InterfaceDocument, built); // of our own build
  const { makeDocument } = await import('./make-document.ts'); // few processes need it
  const made = makeDocument(routes, version, format);
  return toConstant(made, JSON.stringify(made));
}

function toConstant(document: InterfaceDocument, text: string): InterfaceDocument {
  keepText(document, text);
  return markConstant(Object.freeze(document));
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
                'Format of the document: OpenAPI 3.1 (`openapi`), a native JSON format (`json`), which in v1 is an array of resources, or HTML (`html`).',
              choices: [openApi, 'json', 'html'],
            },
          },
          run: async (context) => ({ status: 200, body: await documentFor(context) }),
        },
      },
    }),
  ],
};
