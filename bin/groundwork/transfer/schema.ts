import { allItems } from '../../../shared/clients/client.ts';
import { isSameJson } from '../../../shared/values/json/json-values.ts';
import { below } from '../../../shared/values/text/request-path.ts';
import { untilReady } from '../class-status.ts';
import type { ProjectFiles } from '../project-files.ts';
import type { InstanceConnection } from '../settings.ts';

/** A field of a class, as the interface shows it. */
export interface SchemaField {
  readonly name: string;
  readonly type: string;
  readonly target?: string;
}

/** A class, as the interface shows it. */
export interface SchemaClass {
  readonly name: string;
  readonly schema: readonly SchemaField[];
  readonly group: number | null;
  readonly status?: string;
  readonly objects_count: number;
}

interface SchemaChannel {
  readonly name: string;
  readonly group: number | null;
}

/** The configuration that objects depend on. */
export interface Schema {
  readonly classes: readonly SchemaClass[];
  readonly channels: readonly SchemaChannel[];
}

const fileName = 'schema.jsonl';

/** Reads the schema of an instance. */
export async function fetchSchema({ send, base }: InstanceConnection): Promise<Schema> {
  return {
    classes: await allItems<SchemaClass>(send, below(base)`classes/`),
    channels: await allItems<SchemaChannel>(send, below(base)`channels/`),
  };
}

/** Writes the schema of an export. */
export function writeSchema(files: ProjectFiles, { classes, channels }: Schema): void {
  const lines = [
    ...classes.map((each) => ({ kind: 'class', ...each })),
    ...channels.map((each) => ({ kind: 'channel', ...each })),
  ];
  files.write(fileName, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

type SchemaLine =
  | ({ readonly kind: 'class' } & SchemaClass)
  | ({ readonly kind: 'channel' } & SchemaChannel);

/**
 * Reads the schema of an export.
 *
 * @throws Error when there is none
 */
export function readSchemaFile(files: ProjectFiles): Schema {
  const text = files.readText(fileName);
  if (text === undefined) throw new Error(`there is no ${fileName} in ${files.folder}`);
  const lines = text.split('\n').filter((line) => line !== '');
  const all = lines.map((line) => JSON.parse(line) as SchemaLine); // as written
  return {
    classes: all.filter((each) => each.kind === 'class'),
    channels: all.filter((each) => each.kind === 'channel'),
  };
}

/**
 * Creates the classes and channels of an export in an instance, and adds fields to classes that exist.
 *
 * @param mapGroup returns the id that a group of the export has there
 * @throws Error when a field exists with another type
 */
export async function applySchema(
  { send, base }: InstanceConnection,
  { classes, channels }: Schema,
  mapGroup: (group: number | null) => number | null,
): Promise<void> {
  const there = await fetchSchema({ send, base } as InstanceConnection);
  const names = classes.map(({ name }) => name);
  for (const { objects_count: _, ...each } of classes) {
    const path = below(base)`classes/`;
    const current = there.classes.find(({ name }) => name === each.name);
    const group = mapGroup(each.group);
    if (current === undefined) {
      await send({ path, body: { ...each, group, ignored_target_classes: names } });
      continue;
    }
    const missing = missingFields(each, current);
    if (missing.length === 0) continue;
    const schema = [...current.schema, ...missing];
    const body = { schema, ignored_target_classes: names };
    await send({ path: below(path)`${each.name}/`, method: 'PATCH', body });
    await untilReady(send, below(path)`${each.name}/`);
  }
  for (const each of channels) {
    if (there.channels.some(({ name }) => name === each.name)) continue;
    await send({ path: below(base)`channels/`, body: { ...each, group: mapGroup(each.group) } });
  }
}

function missingFields(
  { name, schema }: Pick<SchemaClass, 'name' | 'schema'>,
  current: SchemaClass,
) {
  return schema.filter((field) => {
    const same = current.schema.find((each) => each.name === field.name);
    if (same === undefined) return true;
    const isSame = same.type === field.type && isSameJson(same.target, field.target);
    if (!isSame) throw new Error(`the field ${field.name} of ${name} has another type there`);
    return false;
  });
}
