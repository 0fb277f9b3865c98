import * as v from 'valibot';
import { isJsonObject, type JsonObject } from '../../../../shared/values/json/json.ts';
import { nearestName } from '../../../../shared/values/text/nearest-name.ts';
import { entrySchema, type ProjectEntry } from './members.ts';
import type { Section, SectionName } from './section.ts';
import { sections } from './sections.ts';
import type { Entries, ProjectState } from './state.ts';
import { typesMember, typesProblems } from './types-path.ts';

/** A project file does not make sense; the message has a line for each error, with its path. */
export class ProjectError extends Error {
  constructor(file: string, problems: readonly string[]) {
    super(`${file} is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/**
 * Reads the content of a project file.
 *
 * @param file its name, for errors
 * @throws ProjectError with all errors
 */
export function parseProject(content: unknown, file: string): ProjectState {
  if (content !== null && !isJsonObject(content)) {
    throw new ProjectError(file, ['the file is not a map of sections']);
  }
  const problems: string[] = [];
  const given: JsonObject = content ?? {};
  const names = [...sections.map(({ name }) => name), typesMember];
  for (const name of Object.keys(given)) {
    const isKnown = names.some((each) => each === name);
    if (!isKnown) problems.push(`${name}: ${unknownName(name, names, 'none of the sections')}`);
  }
  const state = new Map<SectionName, Entries>();
  for (const section of sections) {
    const read = readSection(section, given[section.name] ?? {});
    state.set(section.name, read.entries);
    problems.push(...read.problems);
  }
  problems.push(...typesProblems(given, state));
  if (problems.length > 0) throw new ProjectError(file, problems);
  return state;
}

interface ReadSection {
  readonly entries: Entries;
  readonly problems: readonly string[];
}

function readSection(section: Section, given: unknown): ReadSection {
  const { name, isSettings } = section;
  if (!isJsonObject(given)) return { entries: new Map(), problems: [`${name}: is not a map`] };
  if (isSettings && Object.keys(given).length === 0) return { entries: new Map(), problems: [] };
  const records = isSettings ? [[name, given] as const] : Object.entries(given);
  const read = records.map(([key, value]) => [key, readEntry(section, key, value)] as const);
  return {
    entries: new Map(read.flatMap(([key, { entry }]) => (entry ? [[key, entry]] : []))),
    problems: read.flatMap(([, { problems }]) => problems),
  };
}

interface ReadEntry {
  readonly entry?: ProjectEntry;
  readonly problems: readonly string[];
}

function readEntry(section: Section, name: string, given: unknown): ReadEntry {
  const path = section.isSettings ? section.name : `${section.name}.${name}`;
  if (given !== null && !isJsonObject(given)) return { problems: [`${path}: is not a map`] };
  if (!section.isSettings) {
    const problem = nameProblem(section, name);
    if (problem !== undefined) return { problems: [`${path}: ${problem}`] };
  }
  const schema = entrySchema(section.members, section.builtIn[name]);
  const read = v.safeParse(schema, section.fromFile(given ?? {}, name));
  if (!read.success)
    return { problems: read.issues.map((issue) => problemOf(section, path, issue)) };
  const entry = read.output;
  const isNamed = section.nameOf({ [section.nameMember]: name, ...entry }) === name;
  if (isNamed || section.isSettings) return { entry, problems: [] };
  return { problems: [`${path}: its name or label is not "${name}"`] };
}

function nameProblem({ nameSchema }: Section, name: string): string | undefined {
  const read = v.safeParse(nameSchema, name);
  if (!read.success) return read.issues.map(({ message }) => message).join(' ');
  return read.output === name ? undefined : `the name has to be written as "${read.output}"`;
}

function problemOf(section: Section, path: string, issue: v.BaseIssue<unknown>): string {
  const inner = v.getDotPath(issue);
  const isWhole = inner === null || inner === path; // the section `config` is its only member
  return `${isWhole ? path : `${path}.${inner}`}: ${messageOf(section, issue)}`;
}

function messageOf(section: Section, issue: v.BaseIssue<unknown>): string {
  if (issue.type !== 'strict_object') return issue.message;
  return issue.expected === 'never' ? unknownMember(section, v.getDotPath(issue)) : 'is required';
}

function unknownMember({ members, inFiles }: Section, name: string | null): string {
  const known = Object.keys(members).filter((each) => !inFiles.includes(each));
  return unknownName(name ?? '', known, 'none of');
}

/** Returns the message about a name that is none of some others, with the nearest of them. */
function unknownName(name: string, known: readonly string[], none: string): string {
  const nearest = nearestName(name, known);
  const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return `is ${none} ${known.join(', ')}${meant}`;
}
