import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { below, type RequestPath, withQuery } from '../../../shared/values/text/request-path.ts';
import { openProjectFiles, type ProjectFiles } from '../project-files.ts';
import type { InstanceConnection } from '../settings.ts';

/*
 * The folder of an export:
 *
 *   export.json            what was exported, and how far a running export is
 *   schema.jsonl           classes and channels
 *   groups.jsonl, users.jsonl, objects/<class>.jsonl    records, as the interface exports them
 *   files/                 files of objects; their records name them as `files/<name>`
 *   import-<…>.json        how far an import into an instance is
 */

/** Ids, by the kind of their records. */
export interface ExportedIds {
  readonly objects: number;
  readonly users: number;
  readonly groups: number;
}

/** Name of the file that describes an export. */
export const manifestFile = 'export.json';

/** The file `export.json`. */
export interface ExportManifest {
  readonly format: 1;
  readonly url: string;
  readonly instance: string;
  /** Classes whose objects are exported, in their order. */
  readonly classes: readonly string[];
  /** Records by part. */
  readonly counts: Readonly<Record<string, number>>;
  /** The highest ids that occur. */
  readonly highest: ExportedIds;
  /** Where a running export continues; absent: it is complete. */
  readonly position?: ExportPosition | undefined;
}

/** A position in a running export. */
export interface ExportPosition {
  /** Name of the part, as in {@link partFile}. */
  readonly part: string;
  /** Path of the next page. */
  readonly next: string;
  /** Bytes of the part's file up to it. */
  readonly bytes: number;
}

/** Returns the parts of an instance in the order in which they are exported and imported. */
export function partsOf(classes: readonly string[]): readonly string[] {
  return ['groups', 'users', ...classes.map((name) => `objects/${name}`)];
}

/** Returns the kind of the records of a part, and their class. */
export function kindOfPart(part: string): {
  readonly kind: keyof ExportedIds;
  readonly name: string;
} {
  const [kind = '', name = ''] = part.split('/');
  return { kind: kind as keyof ExportedIds, name }; // parts are those of partsOf
}

/** Returns the path at which the interface exports the records of a part. */
export function recordsPath(base: RequestPath, part: string, pageSize?: number): RequestPath {
  const { kind, name } = kindOfPart(part);
  const list = below(base)`export/`;
  return withQuery(list, { kind, class: name || undefined, page_size: pageSize });
}

/** Returns the path of the file of a part, from the folder. */
export function partFile(part: string): string {
  return `${part}.jsonl`;
}

/** Opens the folder of an export, and creates it. Only its owner may read it: hashes of passwords are in it. */
export function openExport(folder: string): ProjectFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files = openProjectFiles(folder);
  files.makeFolder('objects', 0o700);
  files.makeFolder('files', 0o700);
  return files;
}

/** Reads a JSON file; undefined when it does not exist. */
export function readJsonFile<Data>(files: ProjectFiles, path: string): Data | undefined {
  const text = files.readText(path);
  return text === undefined ? undefined : (JSON.parse(text) as Data); // as saved
}

/** Replaces a JSON file atomically: the command may be killed at any time. */
export function saveJsonFile(files: ProjectFiles, path: string, data: object): void {
  const draft = `${path}.new`;
  files.write(draft, `${JSON.stringify(data, undefined, 2)}\n`, { mode: 0o600 });
  files.rename(draft, path);
}

/** Returns the name of the file with the state of an import into an instance, or into one class of it. */
export function importStateName({ url, instance }: InstanceConnection, name?: string): string {
  const target = name === undefined ? `${url} ${instance}` : `${url} ${instance} ${name}`;
  const digest = createHash('sha256').update(target).digest('hex').slice(0, 8);
  return `import-${instance}-${digest}.json`;
}
