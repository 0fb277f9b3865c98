import { createHash, type Hash } from 'node:crypto';
import { join } from 'node:path';
import { below } from '../../../shared/values/text/request-path.ts';
import { OperatorUsageError } from '../../operator/terminal.ts';
import type { ProjectFiles } from '../project-files.ts';
import type { InstanceConnection } from '../settings.ts';
import { type ExportedIds, readJsonFile } from './folder.ts';

/*
 * An import continues only what it has begun: with the data that it has read so far, in the instance and the class in
 * which it has written them, and while these are there (docs/guides/moving-data.md#run-again).
 */

/** Number of records that a command has written, and of those that an earlier one has. */
export interface ImportedCount {
  readonly created: number;
  readonly unchanged: number;
}

/** Ids of records that an import has written: the first and the last one of a kind, or of a class. */
export interface Written {
  readonly kind: keyof ExportedIds;
  /** The class of objects; empty for others. */
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

/** Where the state of an import is, and whether the user wants to forget it. */
export interface StateFile {
  readonly files: ProjectFiles;
  readonly path: string;
  readonly isAgain: boolean;
}

/** Returns when an instance was created. Another one of the same name has another time. */
export async function createdAt({ send, base }: InstanceConnection): Promise<string> {
  return (await send({ path: base })).body.created_at;
}

/** Reads the state of an earlier run; undefined without one, and where the user wants to start again. */
export function readState<State>({ files, path, isAgain }: StateFile): State | undefined {
  return isAgain ? undefined : readJsonFile<State>(files, path);
}

/** Returns the error of an import that cannot continue. */
export function cannotContinue({ files, path }: StateFile, reason: string): OperatorUsageError {
  const state = join(files.folder, path);
  return new OperatorUsageError(
    `${reason}; to import all of it again, delete what was imported, and give --again (or remove ${state})`,
  );
}

/** Returns the error of an import that an earlier run has completed. */
export function alreadyImported(imported: string, at: string, isOne: boolean): OperatorUsageError {
  const one = isOne ? 'it' : 'them';
  return new OperatorUsageError(`${imported} on ${at}; --again imports ${one} a second time`);
}

/** Checks whether the first and the last record that were written are still there. */
export async function isStillThere(
  to: InstanceConnection,
  { kind, name, first, last }: Written,
): Promise<boolean> {
  for (const id of new Set([first, last])) {
    const list = kind === 'objects' ? below(to.base)`classes/${name}/objects/` : undefined;
    const path = list ? below(list)`${id}/` : below(to.base)`${kind}/${id}/`;
    const { status } = await to.send({ path, expect: [200, 404] });
    if (status === 404) return false;
  }
  return true;
}

/** Starts a digest of records in their order. */
export function startDigest(): Hash {
  return createHash('sha256');
}

/** Adds a record to a digest. */
export function addToDigest(digest: Hash, text: string): void {
  digest.update(text).update('\n');
}

/** Returns the digest so far; more can be added afterwards. */
export function digestSoFar(digest: Hash): string {
  return digest.copy().digest('hex');
}

/** Returns a sentence's end about records that an earlier run has written. */
export function alreadyThere(unchanged: number): string {
  if (unchanged === 0) return '.';
  return `; ${unchanged} ${unchanged === 1 ? 'was' : 'were'} there already.`;
}
