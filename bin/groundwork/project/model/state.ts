import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { entrySchema, type ProjectEntry } from './members.ts';
import type { Section, SectionName } from './section.ts';

/** Entries by name, in order. */
export type Entries = ReadonlyMap<string, ProjectEntry>;

/** Entries of all sections: what a project file describes, or what an instance has. */
export type ProjectState = ReadonlyMap<SectionName, Entries>;

/** Returns the entry that an empty one in the file stands for; required members are absent. */
export function defaultsOf({ members, builtIn }: Section, name: string): ProjectEntry {
  const initial = builtIn[name] ?? {};
  const optional = Object.entries(members).filter(
    ([member, { initial: first }]) => first !== undefined || member in initial,
  );
  return v.parse(entrySchema(Object.fromEntries(optional), initial), {});
}

/** Checks whether an instance has this entry by itself, so that no file needs it. */
export function isInitial(section: Section, name: string, entry: ProjectEntry): boolean {
  const isExpected = section.isSettings || Object.hasOwn(section.builtIn, name);
  return isExpected && differingMembers(defaultsOf(section, name), entry).length === 0;
}

/** Returns names of the members whose values differ. */
export function differingMembers(before: ProjectEntry, after: ProjectEntry): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** Returns an entry as files show it: without members that have their default. */
export function shownEntry(section: Section, name: string, entry: ProjectEntry): ProjectEntry {
  const different = differingMembers(defaultsOf(section, name), entry);
  const members = Object.keys(section.members).filter((member) => different.includes(member));
  return section.toFile(Object.fromEntries(members.map((each) => [each, entry[each]])), name);
}
