import type { ContentsPath, PageContents } from '../../../shared/core/routing/page-hints.ts';
import { isJsonObject, type Json } from '../../../shared/values/json/json.ts';
import { groupBy } from '../group.ts';

/** The page with all operations of v1.1, from the page of the schema. */
const reference = '../../docs/api/';

const whole = [
  ['?format=json', 'JSON'],
  ['?format=openapi', 'OpenAPI 3.1'],
  [reference, 'All operations of v1.1'],
] as const;

/**
 * Returns the table of contents of an interface document: paths by family, with links to the details of each operation.
 * That of the original service names neither families nor operations.
 */
export function documentContents(document: unknown): PageContents | undefined {
  if (Array.isArray(document)) {
    return { whole, sections: document.flatMap((each) => sectionOf(each, originalPath)) };
  }
  if (!isJsonObject(document) || !Array.isArray(document.resources)) return undefined;
  const families = groupBy(document.resources, (each) => textOf(each, 'family'));
  return {
    whole,
    sections: [...families].map(([family, resources]) => ({
      name: family.replaceAll('-', ' ').replace(/^api\b/, 'API'),
      paths: resources.flatMap((each) => sectionOf(each, ownPath)).flatMap(({ paths }) => paths),
    })),
  };
}

/** Returns a resource with its endpoints. */
function sectionOf(
  resource: Json,
  toPath: (endpoint: Json) => ContentsPath,
): PageContents['sections'] {
  const endpoints = isJsonObject(resource) ? resource.endpoints : undefined;
  if (!isJsonObject(endpoints)) return [];
  return [{ name: textOf(resource, 'name'), paths: Object.values(endpoints).map(toPath) }];
}

function ownPath(endpoint: Json): ContentsPath {
  const methods = isJsonObject(endpoint) && isJsonObject(endpoint.methods) ? endpoint.methods : {};
  return {
    path: textOf(endpoint, 'path'),
    methods: Object.entries(methods).map(([method, operation]) => ({
      method,
      summary: textOf(operation, 'description'),
      details: `${reference}#${textOf(operation, 'operation')}`,
    })),
  };
}

function originalPath(endpoint: Json): ContentsPath {
  const methods = isJsonObject(endpoint) && Array.isArray(endpoint.methods) ? endpoint.methods : [];
  return {
    path: textOf(endpoint, 'path'),
    methods: methods.map((method) => ({
      method: String(method).toUpperCase(),
      summary: '',
      details: undefined,
    })),
  };
}

function textOf(object: Json | undefined, member: string): string {
  const value = isJsonObject(object) ? object[member] : undefined;
  return typeof value === 'string' ? value : '';
}
