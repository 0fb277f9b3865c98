import { type Document, isMap } from 'yaml';
import { isJsonObject } from '../../../../shared/values/json/json.ts';
import { parseProject } from '../model/parse.ts';
import type { Section } from '../model/section.ts';
import { sections } from '../model/sections.ts';
import {
  differingMembers,
  type Entries,
  isInitial,
  type ProjectState,
  shownEntry,
} from '../model/state.ts';
import { projectFile } from './project.ts';

/** Path of a node in the document. */
type Path = readonly string[];

/**
 * Updates a document to describe another state. Nodes that are right already stay as they are, with their comments.
 *
 * @returns whether it has changed
 */
export function mergeState(document: Document, before: ProjectState, after: ProjectState): boolean {
  if (!isMap(document.contents)) document.contents = document.createNode({});
  const isChanged = sections
    .map((section) => mergeSection(document, section, { before, after }))
    .includes(true);
  if (isChanged) replaceWrong(document, after);
  return isChanged;
}

interface States {
  readonly before: ProjectState;
  readonly after: ProjectState;
}

function mergeSection(document: Document, section: Section, { before, after }: States): boolean {
  const old = entriesOf(before, section);
  const next = entriesOf(after, section);
  const gone = [...old.keys()].filter((name) => !next.has(name));
  const changed = [...next].filter(([name, entry]) => {
    const known = old.get(name);
    return known === undefined ? !isInitial(section, name, entry) : !isEqual(known, entry);
  });
  for (const name of gone) document.deleteIn(pathOf(section, name));
  for (const [name, entry] of changed) {
    const known = old.get(name);
    if (!isMap(document.get(section.name))) document.set(section.name, document.createNode({}));
    mergeValue(document, pathOf(section, name), {
      old: known && shownEntry(section, name, known),
      next: shownEntry(section, name, entry),
    });
  }
  const isChanged = gone.length + changed.length > 0;
  const node = document.get(section.name);
  if (isChanged && isMap(node) && node.items.length === 0) document.delete(section.name);
  return isChanged;
}

function entriesOf(state: ProjectState, { name }: Section): Entries {
  return state.get(name) ?? new Map();
}

function isEqual(one: Readonly<Record<string, unknown>>, other: typeof one): boolean {
  return differingMembers(one, other).length === 0;
}

function pathOf({ name: section, isSettings }: Section, name: string): Path {
  return isSettings ? [section] : [section, name];
}

interface Values {
  readonly old: unknown;
  readonly next: unknown;
}

function mergeValue(document: Document, path: Path, { old, next }: Values): void {
  if (JSON.stringify(old) === JSON.stringify(next)) return;
  if (!isJsonObject(old) || !isJsonObject(next) || !isMap(document.getIn(path))) {
    document.setIn(path, document.createNode(next));
    return;
  }
  for (const key of Object.keys(old)) {
    if (!Object.hasOwn(next, key)) document.deleteIn([...path, key]);
  }
  for (const [key, value] of Object.entries(next)) {
    mergeValue(document, [...path, key], { old: old[key], next: value });
  }
}

/** Replaces entries that mean something else after the merge, such as fields in another order. */
function replaceWrong(document: Document, after: ProjectState): void {
  const merged = parseProject(document.toJS(), projectFile);
  for (const section of sections) {
    for (const [name, entry] of entriesOf(after, section)) {
      const found = entriesOf(merged, section).get(name);
      if (found === undefined || isEqual(found, entry)) continue;
      const shown = shownEntry(section, name, entry);
      document.setIn(pathOf(section, name), document.createNode(shown));
    }
  }
}
