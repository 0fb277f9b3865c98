import { asHtml, type Html, html, htmlText } from '../../../shared/core/pages/html.ts';
import { referenceStyle } from './style.ts';
import {
  parameterTable,
  type ShownParameter,
  type ShownSchema,
  schemaName,
  schemaTable,
  schemaType,
} from './tables.ts';

type Content = Readonly<
  Record<string, { readonly schema?: ShownSchema; readonly example?: unknown }>
>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly ShownParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { description?: string; content?: Content }>>;
}

/** The members of an OpenAPI document that the page shows. */
export interface ShownDocument {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, ShownSchema>>;
    readonly parameters: Readonly<Record<string, ShownParameter>>;
  };
}

interface Described extends Operation {
  readonly method: string;
  readonly path: string;
}

/** Returns the page with all operations of the OpenAPI document of v1.1: one file, without scripts. */
export function referencePage(document: ShownDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      method === 'parameters' ? [] : [{ ...operation, path, method: method.toUpperCase() }],
    ),
  );
  const { components, tags } = document;
  const bodies = new Set(operations.flatMap(bodiesOf)); // shown with their operations
  const shown = Object.entries(components.schemas).filter(([name]) => !bodies.has(name));
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Groundwork: all operations</title>
<style>${asHtml(referenceStyle)}</style>
<header>
<h1>All operations</h1>
<p>Every path and method of v1.1, from the <a href="../../v1.1/schema/?format=openapi">OpenAPI document</a>. Find a word with the search of the browser. The rules between requests are in <code>docs/reference</code> of the sources.</p>
<p>${document.info.description}</p>
</header>
<nav>
${tags.map(({ name }) => index(name, operations))}<details><summary>path parameters, members of objects</summary><ul>
<li><a href="#parameters">path parameters</a></li>
${shown.map(([name]) => html`<li><a href="#${name}">${name}</a></li>\n`)}</ul></details>
</nav>
<main>
${tags.map(({ name }) => section(name, operations, components.schemas))}<h2 id="parameters">path parameters</h2>
${parameterTable(Object.values(components.parameters))}<h2 id="members">members of objects</h2>
${shown.map(([name, schema]) => html`<h3 id="${name}">${name}</h3>\n${schemaTable(schema, 'always')}`)}</main>
</html>
`;
  return htmlText(page);
}

/** Returns the names of the schemas of a request body. */
function bodiesOf({ requestBody }: Operation): readonly string[] {
  const forms = Object.values(requestBody?.content ?? {});
  return forms.flatMap(({ schema }) =>
    schema?.$ref === undefined ? [] : [schemaName(schema.$ref)],
  );
}

function index(tag: string, operations: readonly Described[]): Html {
  const own = operations.filter(({ tags }) => tags.includes(tag));
  return html`<details><summary>${tag}</summary><ul>
${own.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>\n`)}</ul></details>
`;
}

type Schemas = ShownDocument['components']['schemas'];

function section(tag: string, operations: readonly Described[], schemas: Schemas): Html {
  const own = operations.filter(({ tags }) => tags.includes(tag));
  return html`<h2 id="${tag}">${tag}</h2>
${own.map((operation) => article(operation, schemas))}`;
}

function article(operation: Described, schemas: Schemas): Html {
  const { operationId, summary, description, method, path, parameters = [] } = operation;
  return html`<article id="${operationId}">
<h3>${summary} <a href="#${operationId}">${operationId}</a></h3>
<p class="path"><b>${method}</b> <code>${path}</code></p>
${description.split('\n\n').map((text) => html`<p>${text}</p>\n`)}${
  parameters.length > 0 && html`<h4>Query</h4>\n${parameterTable(parameters)}`
}${request(operation, schemas)}${responses(operation)}</article>
`;
}

function request({ requestBody }: Described, schemas: Schemas): Html | undefined {
  if (requestBody === undefined) return undefined;
  const { schema, example } = requestBody.content['application/json'] ?? {};
  const resolved = schema?.$ref === undefined ? schema : schemas[schemaName(schema.$ref)];
  const isJson = resolved?.properties === undefined;
  return html`<h4>Body</h4>
${isJson ? html`<p>Any JSON.</p>\n` : schemaTable(resolved, 'required')}${exampleOf(example)}`;
}

function responses({ responses: all }: Described): Html {
  const known = Object.entries(all).filter(([status]) => /^[23]/.test(status));
  return html`<h4>Response</h4>
${known.map(
  ([status, { description, content = {} }]) =>
    html`<p><b>${status}</b> ${description} ${contentOf(content)}</p>
${exampleOf(content['application/json']?.example)}`,
)}`;
}

/** Returns the schema of JSON, and the names of other media types. */
function contentOf(content: Content): Html {
  const parts = Object.entries(content).map(([type, { schema }]) =>
    type === 'application/json' ? schemaType(schema ?? {}) : html`<code>${type}</code>`,
  );
  return html`${parts.map((part, i) => [i > 0 && ', ', part])}`;
}

function exampleOf(example: unknown): Html | undefined {
  if (example === undefined) return undefined;
  return html`<pre>${JSON.stringify(example, undefined, 2)}</pre>\n`;
}
