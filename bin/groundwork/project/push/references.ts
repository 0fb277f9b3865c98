import { fieldsOf } from '../model/class-fields.ts';
import type { ProjectEntry } from '../model/members.ts';
import type { Section, SectionName } from '../model/section.ts';
import type { ProjectChange } from './plan.ts';

/** A name in an entry that stands for a record of another section. */
interface Reference {
  readonly section: SectionName;
  readonly name: string;
  /** Path of the member below the entry. */
  readonly member: string;
}

/**
 * Returns the problems of names that stand for no record.
 *
 * @param exists tells whether a record will exist after the push
 */
export function missingReferences(
  changes: readonly ProjectChange[],
  exists: (section: SectionName, name: string) => boolean,
): readonly string[] {
  return changes.flatMap(({ section, name, after }) =>
    (after === undefined ? [] : referencesOf(section, after))
      .filter((reference) => !exists(reference.section, reference.name))
      .map(
        ({ member, ...missing }) =>
          `${section.name}.${name}.${member}: there is no "${missing.name}" in ${missing.section}`,
      ),
  );
}

function referencesOf({ name, references }: Section, entry: ProjectEntry): readonly Reference[] {
  const all: Readonly<Record<string, SectionName>> = { ...references, class: 'classes' };
  const named = Object.entries(all).flatMap(([member, section]) => {
    const value = entry[member];
    return typeof value === 'string' ? [{ section, name: value, member }] : [];
  });
  return name === 'classes' ? [...named, ...targetsOf(entry)] : named;
}

function targetsOf(entry: ProjectEntry): readonly Reference[] {
  return fieldsOf(entry.fields).flatMap(({ name, target }) => {
    if (target === undefined || target === 'self' || target === 'user') return [];
    return [{ section: 'classes', name: target, member: `fields.${name}` }];
  });
}
