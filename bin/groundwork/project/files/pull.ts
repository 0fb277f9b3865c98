import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Entry } from '../model/members.ts';
import type { Entries, State } from '../model/state.ts';
import { mergeState } from './merge.ts';
import { type Project, projectFile, type ScriptFile } from './project.ts';

/** What a pull has done. */
export interface PullReport {
  /** Paths of files that were written. */
  readonly written: readonly string[];
  /** Scripts whose file in TypeScript, or with imports, does not make the source of the instance. */
  readonly differing: readonly string[];
}

/** Makes the files of a project what an instance has. Files that are right already are not touched. */
export function pullProject(project: Project, instance: State): PullReport {
  const files = filesOf(project, instance.get('scripts') ?? new Map());
  const { folder, document } = project;
  const before = project.file === projectFile ? inDocument(project.state, files) : new Map();
  const written: string[] = [];
  if (mergeState(document, before, inDocument(instance, files))) {
    writeFileSync(join(folder, projectFile), document.toString({ lineWidth: 0 }));
    written.push(projectFile);
  }
  const differing: string[] = [];
  for (const [name, { source }] of instance.get('scripts') ?? []) {
    const file = files.get(name);
    if (file === undefined || hasSource(file, source)) continue;
    if ('isBundle' in file.read && file.read.isBundle) {
      differing.push(name);
      continue;
    }
    const path = join(folder, file.path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, String(source));
    written.push(file.path);
  }
  return { written, differing };
}

function hasSource({ read }: ScriptFile, source: unknown): boolean {
  return 'source' in read && read.source === source;
}

/** Returns the files of all scripts of the instance; those that are new get one in `scripts/`. */
function filesOf({ files }: Project, scripts: Entries): ReadonlyMap<string, ScriptFile> {
  const all = new Map(files);
  const taken = new Set([...files.values()].map(({ path }) => path.toLowerCase()));
  for (const [name, { runtime_name: runtime }] of scripts) {
    if (all.has(name)) continue;
    const path = newPath(name, String(runtime), taken);
    taken.add(path.toLowerCase());
    all.set(name, { path, read: { problem: 'it is new' } });
  }
  return all;
}

function newPath(name: string, runtime: string, taken: ReadonlySet<string>): string {
  const extension = runtime.startsWith('python') ? '.py' : '.js';
  const plain = name.replace(/\.(js|py)$/, '').replace(/[^\p{L}\p{N}._-]+/gu, '_');
  const stem = `scripts/${plain.replace(/^\.+/, '_')}`;
  let path = stem + extension;
  for (let count = 2; taken.has(path.toLowerCase()); count++) path = `${stem}-${count}${extension}`;
  return path;
}

/** Returns a state as the project file has it: scripts have a file in place of their source. */
function inDocument(state: State, files: ReadonlyMap<string, ScriptFile>): State {
  const scripts = [...(state.get('scripts') ?? [])].map(([name, entry]): [string, Entry] => {
    const { source: _source, ...others } = entry;
    return [name, { file: files.get(name)?.path, ...others }];
  });
  return new Map(state).set('scripts', new Map(scripts));
}
