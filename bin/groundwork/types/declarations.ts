import { fieldDeclarations } from './field-declarations.ts';
import type { DataEndpointRecord, InstanceClass, InstanceSchema } from './instance-schema.ts';
import {
  inComment,
  memberName,
  nameTypes,
  propertyName,
  quoteLiteral,
  type TypeNames,
} from './type-names.ts';

/**
 * Returns the types of an instance, and `createClient`.
 *
 * @param taken names of types that the file has already
 */
export function declareInstance(schema: InstanceSchema, taken: ReadonlySet<string>): string {
  const names = nameTypes(
    schema.classes.map(({ name }) => name),
    taken,
  );
  return [
    ...schema.classes.map((record) => declareClass(record, names)),
    userQuery(names),
    declareNames(schema, names),
    declareDatabase(schema, names),
    createClient(schema),
  ].join('\n\n');
}

function declareClass({ name, schema }: InstanceClass, names: TypeNames): string {
  const type = names.get(name);
  const fields = schema.map((field) => fieldDeclarations(field, { own: name, names }));
  const changed = fields.flatMap(({ field, change }) => (change === undefined ? [] : [field]));
  const omitted = union(['channel', 'channel_room', ...changed]);
  const ordered = schema.flatMap((field) => (field.order_index ? [field.name] : []));
  const members = (of: (one: (typeof fields)[number]) => string | undefined) =>
    fields.flatMap((one) => {
      const text = of(one);
      return text === undefined ? [] : [`  readonly ${text};`];
    });
  return [
    `/** An object of the class \`${inComment(name)}\`. */`,
    ...block(`export interface ${type} extends DataObject`, [
      ...members(({ field, value }) => `${field}: ${value} | null`),
    ]),
    '',
    ...block(`export interface ${type}Input extends ObjectInput`, [
      ...members(({ field, input }) => `${field}?: ${input} | null | undefined`),
    ]),
    '',
    ...block(
      `export interface ${type}Update extends Omit<${type}Input, ${omitted}>, ObjectUpdate`,
      members(({ field, input, change }) =>
        change === undefined ? undefined : `${field}?: ${input} | ${change} | null | undefined`,
      ),
    ),
    '',
    ...block(
      `export interface ${type}Query extends ObjectQuery`,
      members(({ field, lookups }) =>
        lookups === undefined ? undefined : `${field}?: ${lookups} | undefined`,
      ),
    ),
    '',
    `export type ${type}Order = OrderBy<${union(['id', 'created_at', 'updated_at', ...ordered])}>;`,
  ].join('\n');
}

function userQuery(names: TypeNames): string {
  const profile = names.get('user_profile');
  return block(`export interface UserQuery extends Omit<${profile}Query, 'owner' | 'group'>`, [
    '  /** In lower case. */',
    '  readonly username?: TextLookups | undefined;',
  ]).join('\n');
}

function declareNames({ scripts, channels }: InstanceSchema, names: TypeNames): string {
  const channelsOf = (hasRooms: boolean) =>
    channels.filter(({ type }) => (type === 'separate_rooms') === hasRooms).map(({ name }) => name);
  return block('interface InstanceNames extends InstanceTypes', [
    `  readonly profile: ${names.get('user_profile')};`,
    `  readonly script: ${union(scripts.map(({ name }) => name))};`,
    `  readonly channel: ${union(channelsOf(false))};`,
    `  readonly roomChannel: ${union(channelsOf(true))};`,
  ]).join('\n');
}

function declareDatabase({ classes, endpoints }: InstanceSchema, names: TypeNames): string {
  const collections = classes.map(({ name }) => {
    const type = names.get(name);
    const objects = `ClassObjects<${type}, ${type}Input, ${type}Update, ${type}Query, ${type}Order>`;
    const isProfile = name === 'user_profile'; // made and deleted with its user
    const shown = isProfile ? `Omit<${objects}, 'create' | 'delete'>` : objects;
    return `  readonly ${memberName(name)}: ${shown};`;
  });
  const lists = endpoints.map((endpoint) => {
    const type = names.get(endpoint.class);
    const item = endpointItem(endpoint, classes, names);
    const list = `ObjectList<${item}, ${type}Input, ${type}Query, ${type}Order>`;
    return `    readonly ${propertyName(endpoint.name)}: ${list};`;
  });
  return [
    '/** A client of the instance. */',
    ...block('export interface Database extends InstanceClient<InstanceNames>', [
      ...collections,
      '  /** Data endpoints. */',
      ...block('  readonly endpoints:', lists),
    ]),
  ].join('\n');
}

/** Returns the type of what a data endpoint lists: without fields that it excludes, with objects that it expands. */
function endpointItem(
  { class: className, excluded_fields, expand }: DataEndpointRecord,
  classes: readonly InstanceClass[],
  names: TypeNames,
): string {
  const type = names.get(className) ?? '';
  const excluded = namesIn(excluded_fields);
  const fields = classes.find(({ name }) => name === className)?.schema ?? [];
  const expanded = namesIn(expand).flatMap((name) => {
    const field = fields.find((one) => one.name === name);
    if (field === undefined || excluded.includes(name)) return [];
    const declared = fieldDeclarations(field, { own: className, names });
    return declared.expanded === undefined ? [] : [{ ...declared, type: declared.expanded }];
  });
  const omitted = [...excluded, ...expanded.map(({ field }) => field)];
  if (omitted.length === 0) return type;
  const members = expanded.map((one) => `readonly ${one.field}: ${one.type} | ${one.value} | null`);
  const kept = `Omit<${type}, ${union(omitted)}>`;
  return members.length === 0 ? kept : `${kept} & { ${members.join('; ')} }`;
}

function namesIn(list: string | null): readonly string[] {
  return (list ?? '').split(',').filter((name) => name !== '');
}

function createClient({ classes, endpoints, scripts }: InstanceSchema): string {
  const links = scripts.filter((script) => script.public);
  return [
    ...block('const publicLinks: Readonly<Record<string, string>> =', [
      ...links.map(
        ({ name, public_link }) =>
          `  ${propertyName(name)}: ${quoteLiteral(`endpoints/scripts/p/${public_link}/`)},`,
      ),
    ]),
    '',
    '/** Connects to the instance. */',
    'export function createClient(options: ClientOptions): Database {',
    '  const instance = connect<InstanceNames>(options, publicLinks);',
    '  return {',
    '    ...instance.client,',
    ...classes.map(
      ({ name }) => `    ${memberName(name)}: instance.collection(${quoteLiteral(name)}),`,
    ),
    ...block(
      '    endpoints:',
      endpoints.map(
        (one) =>
          `      ${propertyName(one.name)}: instance.endpoint(${quoteLiteral(one.name)}, ${quoteLiteral(one.class)}),`,
      ),
    ).map((line) => line.replace(/;$/, ',')),
    '  };',
    '}',
  ].join('\n');
}

/** Returns a declaration with members, one in a line. */
function block(head: string, lines: readonly string[]): readonly string[] {
  const indent = /^ */.exec(head)?.[0] ?? '';
  const end = /[:=]$/.test(head) ? ';' : '';
  return lines.length === 0 ? [`${head} {}${end}`] : [`${head} {`, ...lines, `${indent}}${end}`];
}

function union(names: readonly string[]): string {
  return names.length === 0 ? 'never' : names.map(quoteLiteral).join(' | ');
}
