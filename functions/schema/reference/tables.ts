import { type Html, html } from '../../../shared/core/pages/html.ts';

/** The members of a JSON schema that the page shows. */
export interface ShownSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: ShownSchema;
  readonly properties?: Readonly<Record<string, ShownSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A parameter of a path or query. */
export interface ShownParameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: ShownSchema;
}

/** Returns the table of parameters. */
export function parameterTable(parameters: readonly ShownParameter[]): Html {
  return table(
    parameters.map(({ name, schema, description }) => ({
      name,
      type: schemaType(schema),
      text: description,
    })),
  );
}

/** Returns the table of an object's members, with a word for those that it must have. */
export function schemaTable(object: ShownSchema, word: string): Html {
  const { properties = {}, required = [], additionalProperties } = object;
  const rows = Object.entries(properties).map(([name, schema]) => ({
    name,
    type: schemaType(schema),
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

function textOf(schema: ShownSchema): string {
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

/** Returns the type of a schema in words; a reference links to its schema. */
export function schemaType(schema: ShownSchema): Html {
  const { $ref, type, format, items, enum: choices, properties } = schema;
  if ($ref !== undefined) {
    const name = schemaName($ref);
    return html`<a href="#${name}">${name}</a>`;
  }
  if (choices !== undefined) {
    return html`${choices.map((each, i) => [i > 0 && ' | ', html`<code>${JSON.stringify(each)}</code>`])}`;
  }
  if (type === undefined) return html`any JSON`;
  const words = typeof type === 'string' ? [type] : type;
  const inner = items !== undefined && Object.keys(items).length > 0;
  const members = Object.keys(properties ?? {});
  return html`${words.join(' or ')}${inner && html` of ${schemaType(items)}`}${
    format !== undefined && ` (${format})`
  }${members.length > 0 && ` with ${members.join(', ')}`}`;
}

/** Returns the name of the schema that a reference leads to. */
export function schemaName(ref: string): string {
  return ref.split('/').at(-1) ?? ref;
}
