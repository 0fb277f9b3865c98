import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, isScalar, parseDocument, visit } from 'yaml';
import { UsageError } from '../../operator/terminal.ts';
import type { Entry } from './members.ts';
import { ProjectError, parseProject } from './parse.ts';
import { type NoSource, readSources, type ScriptSource } from './script-source.ts';
import type { SectionName } from './section.ts';
import { sections } from './sections.ts';
import type { State } from './state.ts';

/** Name of the project file. */
export const projectFile = 'groundwork.yml';

/** A project: the file, and the scripts beside it. */
export interface Project {
  readonly folder: string;
  /** Content of the project file, with comments. */
  readonly document: Document;
  /** Entries of the file, with the sources of scripts. */
  readonly state: State;
  /** Files of scripts by name of the script. */
  readonly files: ReadonlyMap<string, ScriptFile>;
  /** Sections that the file describes; it has nothing to say about others. */
  readonly managed: ReadonlySet<SectionName>;
}

/** The file of a script. */
export interface ScriptFile {
  readonly path: string;
  readonly read: ScriptSource | NoSource;
}

/**
 * Reads the project in a folder.
 *
 * @returns undefined when there is none
 * @throws ProjectError
 */
export async function readProject(folder: string): Promise<Project | undefined> {
  const path = join(folder, projectFile);
  if (!existsSync(path)) return undefined;
  const document = parseYaml(readFileSync(path, 'utf8'), projectFile);
  const managed = new Set(sections.map(({ name }) => name));
  return openProject(folder, {
    document,
    managed,
    state: parseProject(document.toJS(), projectFile),
  });
}

/** Opens a project without content. */
export function emptyProject(folder: string): Project {
  const managed = new Set(sections.map(({ name }) => name));
  return {
    folder,
    document: new Document({}),
    state: parseProject({}, projectFile),
    files: new Map(),
    managed,
  };
}

/** Parses YAML; keys become texts. */
function parseYaml(text: string, file: string): Document {
  const document = parseDocument(text);
  const { errors } = document;
  if (errors.length > 0) {
    throw new ProjectError(
      file,
      errors.map(({ message }) => message),
    );
  }
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key)) key.value = String(key.value);
    },
  });
  return document;
}

async function openProject(
  folder: string,
  { document, managed, state }: Pick<Project, 'document' | 'managed' | 'state'>,
): Promise<Project> {
  const entries = [...(state.get('scripts') ?? [])];
  const paths = entries.map(([, { file }]) => String(file));
  const sources = await readSources(folder, paths);
  const files = new Map<string, ScriptFile>();
  const scripts = new Map<string, Entry>();
  for (const [at, [name, { file: _file, ...entry }]] of entries.entries()) {
    const [path = '', read = { problem: 'it was not read' }] = [paths[at], sources[at]];
    files.set(name, { path, read });
    scripts.set(name, { ...entry, source: 'source' in read ? read.source : undefined });
  }
  return { folder, document, managed, files, state: new Map(state).set('scripts', scripts) };
}

/**
 * Returns the sections that a push or a comparison looks at.
 *
 * @throws UsageError for the name of a section that does not exist
 */
export function wantedSections({ managed }: Project, only?: string): ReadonlySet<SectionName> {
  if (only === undefined) return managed;
  const wanted = only.split(',').map((name) => name.trim());
  const all = sections.map(({ name }) => name);
  const unknown = wanted.find((name) => !all.some((each) => each === name));
  if (unknown !== undefined) {
    throw new UsageError(`${unknown} is none of the sections ${all.join(', ')}`);
  }
  return new Set(all.filter((name) => wanted.includes(name) && managed.has(name)));
}

/**
 * Reads the project in a folder, whose scripts all have a source.
 *
 * @throws Error without a project, ProjectError for one that makes no sense
 */
export async function currentProject(folder: string): Promise<Project> {
  const project = await readProject(folder);
  if (project === undefined)
    throw new Error(`there is no ${projectFile}: groundwork pull writes one`);
  const problems = [...project.files].flatMap(([name, { read }]) =>
    'problem' in read ? [`scripts.${name}.file: ${read.problem}`] : [],
  );
  if (problems.length > 0) throw new ProjectError(projectFile, problems);
  return project;
}
