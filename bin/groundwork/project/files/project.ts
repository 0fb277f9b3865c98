import { Document, isScalar, LineCounter, parseDocument, type Scalar, visit } from 'yaml';
import { isGivenBack } from '../../../../shared/values/json/exact-number.ts';
import { isJsonObject } from '../../../../shared/values/json/json.ts';
import { OperatorUsageError } from '../../../operator/terminal.ts';
import { openProjectFiles } from '../../project-files.ts';
import type { Terminal } from '../../terminal.ts';
import type { ProjectEntry } from '../model/members.ts';
import { ProjectError, parseProject } from '../model/parse.ts';
import type { SectionName } from '../model/section.ts';
import { sections } from '../model/sections.ts';
import type { ProjectState } from '../model/state.ts';
import { typesPathIn } from '../model/types-path.ts';
import { convertOldFile, oldFile } from './old-file.ts';
import { python2Warning } from './python2-warning.ts';
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
  readonly state: ProjectState;
  /** Files of scripts by name of the script. */
  readonly files: ReadonlyMap<string, ScriptFile>;
  /** Path of the file with the types of the instance, if the project wants one. */
  readonly types?: string | undefined;
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
  const files = openProjectFiles(folder);
  const file = [projectFile, oldFile].find((name) => files.has(name));
  const text = file === undefined ? '' : (files.readText(file) ?? '');
  const document = parseYaml(text, file ?? projectFile);
  if (file === oldFile) {
    const converted = convertOldFile(document.toJS());
    return openProject({ folder, file, ...converted, document: new Document({}) });
  }
  const managed = new Set(sections.map(({ name }) => name));
  const content = document.toJS();
  const types = typesOf(content);
  return openProject({ folder, file, types, managed, warnings: [], content, document });
}

/**
 * Returns the path of the file with the types that the project in a folder wants.
 *
 * @throws ProjectError
 */
export function readTypesPath(folder: string): string | undefined {
  const text = openProjectFiles(folder).readText(projectFile);
  if (text === undefined) return undefined;
  const content = parseYaml(text, projectFile).toJS();
  parseProject(content, projectFile);
  return typesOf(content);
}

function typesOf(content: unknown): string | undefined {
  return isJsonObject(content) ? typesPathIn(content) : undefined;
}

/** Parses YAML; keys become texts. A number that loses digits, or that JSON does not have, is an error. */
function parseYaml(text: string, file: string): Document {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const problems = document.errors.map(({ message }) => message);
  if (problems.length > 0) throw new ProjectError(file, problems);
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key)) key.value = isNumber(key) ? key.source : String(key.value);
    },
    Scalar: (_, node) => {
      if (node.value === 0) node.value = 0; // JSON has no -0, and the instance gives 0 back
      const problem = problemOf(node);
      if (problem === undefined) return;
      const { line } = lines.linePos(node.range?.[0] ?? 0);
      problems.push(`line ${line}: ${problem}: write it in quotes`);
    },
  });
  if (problems.length > 0) throw new ProjectError(file, problems);
  return document;
}

function isNumber({ value, source }: Scalar): boolean {
  return typeof value === 'number' && source !== undefined;
}

/** Returns why a scalar cannot be what is written; undefined when it is. */
function problemOf({ value, source = '' }: Scalar): string | undefined {
  if (typeof value !== 'number') return undefined;
  if (/\.(inf|nan)$/i.test(source)) return `JSON has no number ${source}`;
  const kind = /^[-+]?\d+$|^0[ox]/.test(source) ? 'integer' : 'number';
  return losesDigits(value, source) ? `the ${kind} ${source} would lose digits` : undefined;
}

function losesDigits(value: number, source: string): boolean {
  if (/^0[ox]/.test(source)) return !Number.isFinite(value) || BigInt(source) !== BigInt(value);
  const isSmall = Number.isSafeInteger(value) && /^[-+]?\d+$/.test(source);
  return !isSmall && !isGivenBack(asJson(source));
}

/** Writes a decimal number of YAML as JSON does: without a plus and outer zeros, with a digit before the point. */
function asJson(source: string): string {
  const [, sign = '', digits = ''] = /^[+]?(-?)0*(.*)$/.exec(source) ?? [];
  const isWhole = /^\d/.test(digits);
  return sign + (isWhole ? digits : `0${digits}`);
}

type Opened = Omit<Project, 'state' | 'files'> & { readonly content: unknown };

async function openProject({ content, ...project }: Opened): Promise<Project> {
  const state = parseProject(content, project.file ?? projectFile);
  const entries = [...(state.get('scripts') ?? [])];
  const paths = entries.map(([, { file }]) => String(file));
  const sources = await readSources(project.folder, paths);
  const files = new Map<string, ScriptFile>();
  const scripts = new Map<string, ProjectEntry>();
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
    throw new OperatorUsageError(`${unknown} is none of the sections ${all.join(', ')}`);
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
  warnOfPython2(project, out);
  const problems = problemsOf(project);
  if (problems.length > 0) throw new ProjectError(file, problems);
  return project;
}

/** Returns the problems of scripts, each once: requirements are those of all scripts in their folder. */
function problemsOf({ files }: Project): readonly string[] {
  const names = new Map<string, string[]>();
  for (const [name, { read }] of files) {
    if (!('problem' in read)) continue;
    const known = names.get(read.problem) ?? [];
    names.set(read.problem, [...known, `scripts.${name}.file`]);
  }
  return [...names].map(([problem, scripts]) => `${scripts.join(', ')}: ${problem}`);
}

/** Warns of scripts that are Python 2. They are pushed like others. */
function warnOfPython2({ files, state }: Project, out: Terminal): void {
  for (const [name, { path, read }] of files) {
    const runtime = String(state.get('scripts')?.get(name)?.runtime_name);
    if (!('source' in read) || !runtime.startsWith('python')) continue;
    const warning = python2Warning(path, read.source);
    if (warning !== undefined) out.warn(`scripts.${name}.file: ${warning}`);
  }
}
