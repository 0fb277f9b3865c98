import { readFileSync } from 'node:fs';
import { routes } from '../../functions/api.ts';
import { makeDocument } from '../../functions/schema/make-document.ts';
import { asHtml, type Html, html, htmlText } from '../../shared/core/pages/html.ts';

/** Where the page is in the project. */
export const pageFile = new URL('../../docs/reference/api.html', import.meta.url);

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { description?: string; content?: Content }>>;
}

interface Document {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

interface Described extends Operation {
  readonly method: string;
  readonly path: string;
}

/** Returns the page with all operations of the OpenAPI document of v1.1: one file, without scripts. */
export function htmlReference(): string {
  const document = makeDocument(routes, 'v1.1', 'openapi') as unknown as Document; // its form, of our own routes
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
<style>
${asHtml(readFileSync(new URL('reference.css', import.meta.url), 'utf8'))}</style>
<header>
<h1>All operations</h1>
<p>Every path and method of v1.1, from the <a href="README.md#openapi">OpenAPI document</a>. Find a word with the search of the browser. The rules between requests are in the <a href="README.md">reference</a>.</p>
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
  return forms.flatMap(({ schema }) => (schema?.$ref === undefined ? [] : [nameOf(schema.$ref)]));
}

function index(tag: string, operations: readonly Described[]): Html {
  const own = operations.filter(({ tags }) => tags.includes(tag));
  return html`<details><summary>${tag}</summary><ul>
${own.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>\n`)}</ul></details>
`;
}

type Schemas = Document['components']['schemas'];

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

function parameterTable(parameters: readonly Parameter[]): Html {
  return table(
    parameters.map(({ name, schema, description }) => ({
      name,
      type: typeOf(schema),
      text: description,
    })),
  );
}

function request({ requestBody }: Described, schemas: Schemas): Html | undefined {
  if (requestBody === undefined) return undefined;
  const { schema, example } = requestBody.content['application/json'] ?? {};
  const resolved = schema?.$ref === undefined ? schema : schemas[nameOf(schema.$ref)];
  const isJson = resolved?.properties === undefined;
  return html`<h4>Body</h4>
${isJson ? html`<p>Any JSON.</p>\n` : schemaTable(resolved, 'required')}${exampleOf(example)}`;
}

function responses({ responses: all }: Described): Html {
  const known = Object.entries(all).filter(([status]) => status.startsWith('2'));
  return html`<h4>Response</h4>
${known.map(
  ([status, { description, content = {} }]) =>
    html`<p><b>${status}</b> ${description} ${contentOf(content)}</p>
${exampleOf(content['application/json']?.example)}`,
)}`;
}

/** Returns the schema of JSON, and the names of other media types. */
function contentOf(content: Content): Html {
  const types = Object.entries(content).filter(([type]) => type !== 'text/html');
  const parts = types.map(([type, { schema }]) =>
    type === 'application/json' ? typeOf(schema ?? {}) : html`<code>${type}</code>`,
  );
  return html`${parts.map((part, i) => [i > 0 && ', ', part])}`;
}

function exampleOf(example: unknown): Html | undefined {
  if (example === undefined) return undefined;
  return html`<pre>${JSON.stringify(example, undefined, 2)}</pre>\n`;
}

/** Returns the table of an object's members, with a word for those that it must have. */
function schemaTable(object: Schema, word: string): Html {
  const { properties = {}, required = [], additionalProperties } = object;
  const rows = Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    note: required.includes(name) && word,
    text: textOf(schema),
  }));
  return html`${table(rows)}${additionalProperties === true && html`<p>And others.</p>\n`}`;
}

interface Row {
  readonly name: string;
  readonly type: Html;
  /** A word after the type. */
  readonly note?: string | false;
  readonly text: string;
}

function table(rows: readonly Row[]): Html {
  if (rows.length === 0) return html`<p>No fields.</p>\n`;
  return html`<dl>
${rows.map(
  ({ name, type, note, text }) =>
    html`<dt><code>${name}</code></dt><dd>${type}${note && `, ${note}`}${text !== '' && `. ${text}`}</dd>\n`,
)}</dl>
`;
}

function textOf(schema: Schema): string {
  const { description = '', minLength, maxLength, minimum, maximum } = schema;
  const limits = [
    minLength !== undefined && `At least ${minLength} characters.`,
    maxLength !== undefined && `At most ${maxLength} characters.`,
    minimum !== undefined && `From ${minimum}.`,
    maximum !== undefined && `To ${maximum}.`,
  ];
  return [description, ...limits.filter((text) => text !== false)]
    .filter((text) => text !== '')
    .join(' ');
}

function typeOf(schema: Schema): Html {
  const { $ref, type, format, items, enum: choices, properties } = schema;
  if ($ref !== undefined) {
    const name = nameOf($ref);
    return html`<a href="#${name}">${name}</a>`;
  }
  if (choices !== undefined) {
    return html`${choices.map((each, i) => [i > 0 && ' | ', html`<code>${JSON.stringify(each)}</code>`])}`;
  }
  if (type === undefined) return html`any JSON`;
  const words = typeof type === 'string' ? [type] : type;
  const inner = items !== undefined && Object.keys(items).length > 0;
  const members = Object.keys(properties ?? {});
  return html`${words.join(' or ')}${inner && html` of ${typeOf(items)}`}${
    format !== undefined && ` (${format})`
  }${members.length > 0 && ` with ${members.join(', ')}`}`;
}

function nameOf(ref: string): string {
  return ref.split('/').at(-1) ?? ref;
}
