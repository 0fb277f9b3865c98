import { openProjectFiles, type ProjectFiles } from '../../project-files.ts';
import type { ProjectEntry } from '../model/members.ts';
import type { Entries, ProjectState } from '../model/state.ts';
import { withSecretNames } from '../model/user-members.ts';
import { mergeState } from './merge.ts';
import { type Project, projectFile, type ScriptFile } from './project.ts';
import { fileOf, isTypeScript } from './script-source.ts';

/** What a pull has done. */
export interface PullReport {
  /** Paths of files that were written. */
  readonly written: readonly string[];
  /** Paths of files that do not make the source of the instance, and cannot be made from it. */
  readonly differing: readonly string[];
  /** Paths of files that no script has any more. */
  readonly unused: readonly string[];
}

/** Makes the files of a project what an instance has. Files that are right already are not touched. */
export function pullProject(project: Project, found: ProjectState): PullReport {
  const instance = withSecretNames(found, project.state);
  const scripts: Entries = instance.get('scripts') ?? new Map();
  const { folder, document } = project;
  const own = openProjectFiles(folder);
  const files = filesOf(project, own, scripts);
  const before = project.file === projectFile ? inDocument(project.state, files) : new Map();
  const written: string[] = [];
  if (mergeState(document, before, inDocument(instance, files))) {
    own.write(projectFile, document.toString({ lineWidth: 0 }));
    written.push(projectFile);
  }
  const wrong = [...scripts].flatMap(([name, { source }]) => {
    const file = files.get(name);
    return file === undefined || hasSource(file, source) ? [] : [{ ...file, source }];
  });
  for (const { path, source } of wrong.filter(isCopy)) {
    own.write(path, fileOf(String(source)));
    written.push(path);
  }
  const differing = wrong.filter((file) => !isCopy(file)).map(({ path }) => path);
  const unused = [...project.files].filter(([name]) => !scripts.has(name));
  return { written, differing, unused: unused.map(([, { path }]) => path) };
}

function hasSource({ read }: ScriptFile, source: unknown): boolean {
  return 'source' in read && read.source === source;
}

/** Checks whether the file of a script is its source, not something that it is made from. */
function isCopy({ path, read }: ScriptFile): boolean {
  const isBundle = 'source' in read ? read.isBundle : !read.isMissing;
  return !isBundle && !isTypeScript(path);
}

/** Returns the files of all scripts of the instance; those that are new get one in `scripts/`. */
function filesOf(
  { files }: Project,
  own: ProjectFiles,
  scripts: Entries,
): ReadonlyMap<string, ScriptFile> {
  const all = new Map(files);
  const taken = new Set([...files.values()].map(({ path }) => path.toLowerCase()));
  for (const [name, { runtime_name: runtime, source }] of scripts) {
    if (all.has(name)) continue;
    const isFree = (path: string) => !taken.has(path.toLowerCase()) && holds(own, path, source);
    const path = newPath(name, String(runtime), isFree);
    taken.add(path.toLowerCase());
    all.set(name, { path, read: { problem: 'it is new', isMissing: true } });
  }
  return all;
}

/** Checks whether a file has no other content than a source. */
function holds(own: ProjectFiles, path: string, source: unknown): boolean {
  const content = own.read(path);
  return content === undefined || content.equals(Buffer.from(fileOf(String(source))));
}

function newPath(name: string, runtime: string, isFree: (path: string) => boolean): string {
  const extension = runtime.startsWith('python') ? '.py' : '.js';
  const plain = name.replace(/\.(js|py)$/, '').replace(/[^\p{L}\p{N}._-]+/gu, '_');
  const stem = `scripts/${plain.replace(/^\.+/, '_')}`;
  let path = stem + extension;
  for (let count = 2; !isFree(path); count++) path = `${stem}-${count}${extension}`;
  return path;
}

/** Returns a state as the project file has it: scripts have a file in place of their source. */
function inDocument(state: ProjectState, files: ReadonlyMap<string, ScriptFile>): ProjectState {
  const scripts = [...(state.get('scripts') ?? [])].map(([name, entry]): [string, ProjectEntry] => {
    const { source: _source, ...others } = entry;
    return [name, { file: files.get(name)?.path, ...others }];
  });
  return new Map(state).set('scripts', new Map(scripts));
}
