import { createHash } from 'node:crypto';
import type { FieldDefinition } from '../../../../shared/classes/rules/field-types.ts';
import { fieldsOf, keepsValues } from '../model/class-fields.ts';
import type { ProjectEntry } from '../model/members.ts';
import type { Section, SectionName } from '../model/section.ts';
import { sections } from '../model/sections.ts';
import { defaultsOf, differingMembers, isInitial, type ProjectState } from '../model/state.ts';
import { withSecretNames } from '../model/user-members.ts';

/** A difference between a project and an instance. */
export interface ProjectChange {
  readonly section: Section;
  readonly name: string;
  /** What a push does about it; `reset` gives a record that cannot be deleted its first form. */
  readonly action: 'create' | 'update' | 'replace' | 'delete' | 'reset';
  /** Members that differ. */
  readonly members: readonly string[];
  /** The entry of the instance. */
  readonly before?: ProjectEntry;
  /** The entry of the project. */
  readonly after?: ProjectEntry;
}

/** Returns the differences between a project and an instance, in the order of sections. */
export function changesBetween(
  project: ProjectState,
  instance: ProjectState,
  names: ReadonlySet<SectionName>,
): readonly ProjectChange[] {
  const known = withSecretNames(instance, project);
  return sections
    .filter(({ name }) => names.has(name))
    .flatMap((section) => {
      const wanted = project.get(section.name) ?? new Map<string, ProjectEntry>();
      const found = known.get(section.name) ?? new Map<string, ProjectEntry>();
      const written = [...wanted].flatMap(([name, after]) =>
        writeOf(section, name, { before: found.get(name), after }),
      );
      const removed = [...found].flatMap(([name, before]) =>
        wanted.has(name) ? [] : removalOf(section, name, before),
      );
      return [...written, ...removed];
    });
}

function writeOf(
  section: Section,
  name: string,
  { before, after }: { readonly before: ProjectEntry | undefined; readonly after: ProjectEntry },
): readonly ProjectChange[] {
  if (before === undefined) {
    return [{ section, name, action: 'create', members: Object.keys(after), after }];
  }
  const members = differingMembers(before, after);
  if (members.length === 0) return [];
  const isFixed = members.some((member) => section.members[member]?.isFixed);
  return [{ section, name, action: isFixed ? 'replace' : 'update', members, before, after }];
}

function removalOf(section: Section, name: string, before: ProjectEntry): readonly ProjectChange[] {
  if (isInitial(section, name, before)) return [];
  const isKept = section.isSettings || Object.hasOwn(section.builtIn, name);
  if (!isKept) return [{ section, name, action: 'delete', members: [], before }];
  const after = defaultsOf(section, name);
  return [
    { section, name, action: 'reset', members: differingMembers(before, after), before, after },
  ];
}

/** Checks whether a change happens only with `--prune`. */
export function isRemoval({ action }: ProjectChange): boolean {
  return action === 'delete' || action === 'reset' || action === 'replace';
}

/** Returns names of fields whose values an update of a class deletes. */
export function lostFields({ section, before, after }: ProjectChange): readonly string[] {
  if (section.name !== 'classes' || before === undefined || after === undefined) return [];
  const kept = fieldsOf(after.fields);
  return fieldsOf(before.fields)
    .filter((field) => !kept.some((each) => each.name === field.name && keepsValues(field, each)))
    .map(({ name }) => name);
}

/** Describes a change in a few words. */
export function describeChange({ section, action, members, before, after }: ProjectChange): string {
  if (action === 'delete' || action === 'create') return '';
  return members
    .map((member) => {
      const [old, next] = [before?.[member], after?.[member]];
      if (section.name === 'classes' && member === 'fields') {
        return describeFields(fieldsOf(old), fieldsOf(next));
      }
      return member === 'source' ? `source ${digest(old)} -> ${digest(next)}` : member;
    })
    .join(', ');
}

function describeFields(
  before: readonly FieldDefinition[],
  after: readonly FieldDefinition[],
): string {
  const find = (fields: readonly FieldDefinition[], name: string) =>
    JSON.stringify(fields.find((field) => field.name === name));
  const names = [...new Set([...before, ...after].map(({ name }) => name))];
  const parts = names.flatMap((name) => {
    const [old, next] = [find(before, name), find(after, name)];
    if (old === next) return [];
    return old === undefined ? [`+${name}`] : next === undefined ? [`-${name}`] : [`~${name}`];
  });
  return parts.length > 0 ? `fields ${parts.join(' ')}` : 'order of fields';
}

function digest(source: unknown): string {
  return createHash('sha256').update(String(source)).digest('hex').slice(0, 8);
}
