import * as v from 'valibot';
import type { Fields } from '../../../../shared/core/routing/forms.ts';
import { messages } from '../../../../shared/values/errors/messages.ts';
import type { RequestPath } from '../../../../shared/values/text/request-path.ts';
import { text, type ValueSchema } from '../../../../shared/values/values.ts';
import { type Member, type NamedMembers, type ProjectEntry, writableMembers } from './members.ts';

/** Names of the sections of a project file. */
export type SectionName =
  | 'instance'
  | 'config'
  | 'groups'
  | 'classes'
  | 'channels'
  | 'templates'
  | 'scripts'
  | 'script_endpoints'
  | 'data_endpoints'
  | 'triggers'
  | 'schedules'
  | 'api_keys'
  | 'push'
  | 'users';

/** A section of a project file: the records of one list of the interface, or the settings at one path. */
export interface Section {
  readonly name: SectionName;
  /** Path below the instance, with its last slash. */
  readonly path: RequestPath;
  /** One record that always exists. */
  readonly isSettings: boolean;
  readonly members: NamedMembers;
  /** Members of records that are in files of their own. */
  readonly inFiles: readonly string[];
  /** Member of a body that has the name of the entry. */
  readonly nameMember: string;
  readonly nameSchema: ValueSchema<string>;
  /** Member by which paths find a record. */
  readonly key: 'name' | 'id';
  /** Members with the id of a record of another section, which entries name. */
  readonly references: Readonly<Record<string, SectionName>>;
  /** Records that every instance has, with the members in which they differ from a new one. */
  readonly builtIn: Readonly<Record<string, ProjectEntry>>;
  /** Returns the name of a record, or the empty text. */
  readonly nameOf: (record: ProjectEntry) => string;
  /** Converts a record whose members differ from those of entries. */
  readonly fromRecord: (record: ProjectEntry) => ProjectEntry;
  /** Converts an entry back. */
  readonly toBody: (entry: ProjectEntry) => ProjectEntry;
  /** Converts what the file has for an entry into its members. */
  readonly fromFile: (given: ProjectEntry, name: string) => ProjectEntry;
  /** Converts the members without those that have their default. */
  readonly toFile: (shown: ProjectEntry, name: string) => ProjectEntry;
}

const same = (entry: ProjectEntry): ProjectEntry => entry;

/** Describes the list of a resource with these fields. Its records are known by `nameMember`. */
export function listSection(
  name: SectionName,
  path: RequestPath,
  { fields, nameMember = 'name', ...own }: Partial<Section> & { readonly fields: Fields },
): Section {
  const { [nameMember]: named, ...members } = writableMembers(fields);
  return {
    name,
    path,
    nameMember,
    isSettings: false,
    inFiles: [],
    references: {},
    builtIn: {},
    nameSchema: v.pipe(named?.schema ?? text(), v.string(), v.nonEmpty(messages.blank)),
    key: nameMember === 'name' ? 'name' : 'id',
    nameOf: (record) => String(record[nameMember] ?? ''),
    fromRecord: same,
    toBody: same,
    fromFile: same,
    toFile: same,
    ...own,
    members: withNames(own.members ?? members, own.references ?? {}),
  };
}

/** Describes settings at one path. */
export function settingsSection(
  name: SectionName,
  path: RequestPath,
  members: NamedMembers,
): Section {
  const nameOf = () => name;
  return { ...listSection(name, path, { fields: {} }), members, isSettings: true, nameOf };
}

function withNames(members: NamedMembers, references: Section['references']): NamedMembers {
  const named = Object.entries(members).map(([name, member]) => {
    if (Object.hasOwn(references, name)) return [name, referenceTo(member)] as const;
    return [name, name === 'class' ? classMember(member) : member] as const;
  });
  return Object.fromEntries(named);
}

/** A member that names a record of another section; it has the id of a record without name. */
function referenceTo({ schema: _schema, ...member }: Member): Member {
  const named = v.union([v.number(), v.pipe(v.string(), v.nonEmpty())], 'is no name');
  const schema: ValueSchema<unknown> = v.pipe(v.unknown(), named);
  return { ...member, schema: member.initial === null ? v.nullable(schema) : schema };
}

/** Names of classes are compared in lower case. */
function classMember({ schema, ...member }: Member): Member {
  return { ...member, schema: v.pipe(schema, v.string(), v.toLowerCase()) };
}
