import * as v from 'valibot';
import { fieldTypes } from '../../../shared/classes/rules/field-types.ts';
import { listItems } from '../../../shared/clients/client.ts';
import { at, joinPaths, type RequestPath } from '../../../shared/values/text/request-path.ts';
import type { InstanceConnection } from '../settings.ts';

/* A server that is not ours, or broken, must not write code into a project: these are the only texts that it can. */

const className = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]*$/i), v.maxLength(64));
const fieldName = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]*$/i), v.maxLength(64));
const recordName = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_-]*$/i), v.maxLength(64));
const fieldNames = v.nullable(v.pipe(v.string(), v.regex(/^[\w, ]*$/), v.maxLength(300)));

const field = v.object({
  name: fieldName,
  type: v.picklist(fieldTypes),
  target: v.optional(className),
  filter_index: v.optional(v.boolean()),
  order_index: v.optional(v.boolean()),
});

const classRecord = v.object({ name: className, schema: v.array(field) });

const dataEndpoint = v.object({
  name: recordName,
  class: className,
  excluded_fields: fieldNames,
  expand: fieldNames,
});

const scriptEndpoint = v.object({
  name: recordName,
  public: v.boolean(),
  public_link: v.pipe(v.string(), v.regex(/^[\w-]+$/), v.maxLength(100)),
});

const channel = v.object({
  name: recordName,
  type: v.picklist(['default', 'separate_rooms']),
});

/** A field of a class, as far as types depend on it. */
export type FieldRecord = v.InferOutput<typeof field>;
/** A class, as the server shows it. */
export type InstanceClass = v.InferOutput<typeof classRecord>;
/** A data endpoint, as the server shows it. */
export type DataEndpointRecord = v.InferOutput<typeof dataEndpoint>;

/** What a typed client knows of an instance. */
export interface InstanceSchema {
  readonly name: string;
  readonly classes: readonly InstanceClass[];
  readonly endpoints: readonly DataEndpointRecord[];
  readonly scripts: readonly v.InferOutput<typeof scriptEndpoint>[];
  readonly channels: readonly v.InferOutput<typeof channel>[];
}

/**
 * Reads what a typed client has to know of an instance.
 *
 * @throws Error for a response with anything else, such as a name that no class can have
 */
export async function readInstanceSchema(connection: InstanceConnection): Promise<InstanceSchema> {
  const [classes, endpoints, scripts, channels] = await Promise.all([
    readList(connection, at`classes/`, classRecord),
    readList(connection, at`endpoints/data/`, dataEndpoint),
    readList(connection, at`endpoints/scripts/`, scriptEndpoint),
    readList(connection, at`channels/`, channel),
  ]);
  const lost = endpoints.find((one) => !classes.some(({ name }) => name === one.class));
  if (lost !== undefined) throw new Error(invalidText('class', lost.class, 'endpoints/data/'));
  return { name: connection.instance, classes, endpoints, scripts, channels };
}

async function readList<Schema extends v.GenericSchema>(
  { send, base }: InstanceConnection,
  path: RequestPath,
  schema: Schema,
): Promise<readonly v.InferOutput<Schema>[]> {
  const records: v.InferOutput<Schema>[] = [];
  for await (const item of listItems<unknown>(send, joinPaths(base, path))) {
    const read = v.safeParse(schema, item);
    if (!read.success) throw new Error(messageOf(path, item, read.issues[0]));
    records.push(read.output);
  }
  return records;
}

const shownCharacters = 100;

function messageOf(path: string, item: unknown, issue: v.BaseIssue<unknown>): string {
  const member = v.getDotPath(issue);
  const value = (member === null ? undefined : issue.input) ?? item;
  return invalidText(member ?? 'a record', value, path);
}

function invalidText(what: string, value: unknown, path: string): string {
  const shown = (JSON.stringify(value) ?? '').slice(0, shownCharacters);
  return `the server has responded with ${what} ${shown} in ${path}, which is not valid`;
}
