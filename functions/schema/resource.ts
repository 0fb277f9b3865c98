import { type Context, endpointRoute, type Family, type Route } from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import { keepText, markConstant } from '../../shared/core/http/response-cache.ts';
import { open } from '../../shared/core/resource/endpoint.ts';
import type { Version } from '../../shared/core/routing/versions.ts';
import type { DocumentFormat } from './built-documents.ts';
import { grants } from './grants.ts';
import type { InterfaceDocument } from './make-document.ts';
import { documentContents } from './reference/page-contents.ts';

const openApi = 'openapi';

/** Documents by the routes that they describe: a process makes each one once, at its first request. */
const documents = new WeakMap<readonly Route[], Map<string, Promise<InterfaceDocument>>>();

async function documentFor(context: Context): Promise<InterfaceDocument> {
  const { version, request, platform } = context;
  const routes = await context.routes();
  const url = platform.apiUrl();
  const format = queryValue(request.query, 'format') === openApi ? openApi : 'json';
  const known = documents.get(routes) ?? new Map<string, Promise<InterfaceDocument>>();
  documents.set(routes, known);
  const name = `${version} ${format} ${url}`;
  const document = known.get(name) ?? openDocument(routes, { version, format, url });
  known.set(name, document);
  return document;
}

/** A document as a deployment serves it. */
interface ServedDocument {
  readonly version: Version;
  readonly format: DocumentFormat;
  /** Address of the deployment. */
  readonly url: string;
}

/** Opens a document for the response cache, as a constant body: it is public. Built ones are only read. */
async function openDocument(
  routes: readonly Route[],
  { version, format, url }: ServedDocument,
): Promise<InterfaceDocument> {
  const { builtDocument } = await import('./built-documents.ts'); // a megabyte, where it has any
  const built = builtDocument(version, format);
  const document: InterfaceDocument = built
    ? JSON.parse(built) // of our own build
    : await newDocument(routes, version, format);
  if (format === 'json') return toConstant(document, built ?? JSON.stringify(document));
  const served = { ...document, servers: [{ url }] };
  return toConstant(served, JSON.stringify(served));
}

async function newDocument(
  routes: readonly Route[],
  version: Version,
  format: DocumentFormat,
): Promise<InterfaceDocument> {
  const { makeDocument } = await import('./make-document.ts'); // few processes need it
  return makeDocument(routes, version, format);
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
  places: { '/schema/': '/' },
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
      forms: { pageHints: () => ({ contents: documentContents }) },
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
