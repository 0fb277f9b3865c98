import { Document, isScalar, LineCounter, parseDocument, type Scalar, visit } from 'yaml';
import { isGivenBack } from '../../../../shared/values/json/exact-number.ts';
import { UsageError } from '../../../operator/terminal.ts';
import { openFiles } from '../../project-files.ts';
import type { Terminal } from '../../terminal.ts';
import type { Entry } from '../model/members.ts';
import { ProjectError, parseProject } from '../model/parse.ts';
import type { SectionName } from '../model/section.ts';
import { sections } from '../model/sections.ts';
import type { State } from '../model/state.ts';
import { convertOldFile, oldFile } from './old-file.ts';
import { type NoSource, readSources, type ScriptSource } from './script-source.ts';

/** Name of the project file. */
export const projectFile = 'groundwork.yml';

/** A project: the file, and the scripts beside it. */
export interface Project {
  readonly folder: string;
  /** Name of the file that describes it; absent if there is none. */
  readonly file: string | undefined;
  /** Content of the project file, with comments; empty for a file in the old form. */
  readonly document: Document;
  /** Entries of the file, with the sources of scripts. */
  readonly state: State;
  /** Files of scripts by name of the script. */
  readonly files: ReadonlyMap<string, ScriptFile>;
  /** Sections that the file describes; it has nothing to say about others. */
  readonly managed: ReadonlySet<SectionName>;
  /** What was left out, a line each. */
  readonly warnings: readonly string[];
}

/** The file of a script. */
export interface ScriptFile {
  readonly path: string;
  readonly read: ScriptSource | NoSource;
}

/**
 * Reads the project in a folder: `groundwork.yml`, or else a `syncano.yml`.
 *
 * @returns a project without content when there is none
 * @throws ProjectError
 */
export async function readProject(folder: string): Promise<Project> {
  const files = openFiles(folder);
  const file = [projectFile, oldFile].find((name) => files.has(name));
  const text = file === undefined ? '' : (files.readText(file) ?? '');
  const document = parseYaml(text, file ?? projectFile);
  if (file === oldFile) {
    const converted = convertOldFile(document.toJS());
    return openProject({ folder, file, ...converted, document: new Document({}) });
  }
  const managed = new Set(sections.map(({ name }) => name));
  return openProject({ folder, file, managed, warnings: [], content: document.toJS(), document });
}

/** Parses YAML; keys become texts. An integer that loses digits is an error. */
function parseYaml(text: string, file: string): Document {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const problems = document.errors.map(({ message }) => message);
  if (problems.length > 0) throw new ProjectError(file, problems);
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key)) key.value = losesDigits(key) ? key.source : String(key.value);
    },
    Scalar: (_, node) => {
      if (!losesDigits(node)) return;
      const { line } = lines.linePos(node.range?.[0] ?? 0);
      problems.push(
        `line ${line}: the integer ${node.source} would lose digits: write it in quotes`,
      );
    },
  });
  if (problems.length > 0) throw new ProjectError(file, problems);
  return document;
}

function losesDigits({ value, source = '' }: Scalar): boolean {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return false;
  if (/^0[ox]/.test(source)) return !Number.isFinite(value) || BigInt(source) !== BigInt(value);
  return (
    /^[-+]?\d+$/.test(source) && !isGivenBack(source.replace(/^\+/, '').replace(/^(-?)0+/, '$1'))
  );
}

type Opened = Omit<Project, 'state' | 'files'> & { readonly content: unknown };

async function openProject({ content, ...project }: Opened): Promise<Project> {
  const state = parseProject(content, project.file ?? projectFile);
  const entries = [...(state.get('scripts') ?? [])];
  const paths = entries.map(([, { file }]) => String(file));
  const sources = await readSources(project.folder, paths);
  const files = new Map<string, ScriptFile>();
  const scripts = new Map<string, Entry>();
  for (const [at, [name, { file: _file, ...entry }]] of entries.entries()) {
    const [path = '', read = { problem: 'it was not read', isMissing: false }] = [
      paths[at],
      sources[at],
    ];
    files.set(name, { path, read });
    scripts.set(name, { ...entry, source: 'source' in read ? read.source : undefined });
  }
  return { ...project, files, state: new Map(state).set('scripts', scripts) };
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
 * Reads the project in a folder, whose scripts all have a source. Prints what was left out.
 *
 * @throws Error without a project, ProjectError for one that makes no sense
 */
export async function currentProject(folder: string, out: Terminal): Promise<Project> {
  const project = await readProject(folder);
  const { file, files, warnings } = project;
  if (file === undefined) {
    throw new Error(`there is no ${projectFile}: groundwork pull writes one`);
  }
  for (const warning of warnings) out.warn(warning);
  for (const [name, { read }] of files) {
    if ('source' in read && read.warning) out.warn(`scripts.${name}.file: ${read.warning}`);
  }
  const problems = [...files].flatMap(([name, { read }]) =>
    'problem' in read ? [`scripts.${name}.file: ${read.problem}`] : [],
  );
  if (problems.length > 0) throw new ProjectError(file, problems);
  return project;
}
