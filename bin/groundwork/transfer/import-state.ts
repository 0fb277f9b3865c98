import { createHash, type Hash } from 'node:crypto';
import { profileClass } from '../../../shared/classes/rules/permissions.ts';
import { listItems } from '../../../shared/clients/client.ts';
import { messages } from '../../../shared/values/errors/messages.ts';
import { below } from '../../../shared/values/text/request-path.ts';
import type { ProjectFiles } from '../project-files.ts';
import type { InstanceConnection } from '../settings.ts';
import {
  addToDigest,
  cannotContinue,
  createdAt,
  digestSoFar,
  isStillThere,
  type StateFile,
  startDigest,
  type Written,
} from './continue.ts';
import { type ExportedIds, type ExportManifest, kindOfPart, partFile } from './folder.ts';
import { linesOf } from './lines.ts';
import type { PartRecords, TransferRecord } from './record-ids.ts';
import type { BadRecords } from './send-page.ts';

/** How far an import is: a file in the folder of the export. */
export interface ImportState {
  readonly created: number;
  readonly unchanged: number;
  /** What is added to ids; absent: they stay. */
  readonly shift?: ExportedIds;
  /** Ids of users and groups whose names existed, by those of the export: these are not imported. */
  readonly merged?: Merged;
  /** The next part, and the position in its file; absent: all records are imported. */
  readonly position?: { readonly part: string; readonly start: number } | undefined;
  /** Whether the project of the export was pushed. */
  readonly isPushed?: boolean;
  /** Time at which the instance was created, and the digest of `export.json`; absent in files of earlier versions. */
  readonly origin?: Origin;
  /** What is written of each part. */
  readonly parts?: Readonly<Record<string, WrittenPart>>;
}

/** The instance and the export of an import. */
interface Origin {
  readonly instance: string;
  readonly manifest: string;
}

/** Records of a part that are written. */
export interface WrittenPart {
  readonly digest: string;
  /** Position after them in the file of the part. */
  readonly end: number;
  /** Ids of the first and the last one in the instance; absent: they existed. */
  readonly ids?: Pick<Written, 'first' | 'last'> | undefined;
}

type Merged = Readonly<Partial<Record<keyof ExportedIds, Readonly<Record<string, number>>>>>;

/** Returns the instance and the export of an import. */
export async function findOrigin(
  to: InstanceConnection,
  manifest: ExportManifest,
): Promise<Origin> {
  const digest = createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
  return { instance: await createdAt(to), manifest: digest };
}

/** Checks whether an import was into another instance of the same name. */
export function isOfAnother({ origin }: ImportState, { instance }: Origin): boolean {
  return origin !== undefined && origin.instance !== instance;
}

/**
 * Checks that an import that has written something can continue: the export is the same as far as it is written, and
 * its records are there.
 *
 * @throws UsageError otherwise
 */
export async function checkState(
  to: InstanceConnection,
  { origin, parts = {} }: ImportState,
  { stateFile, manifest }: { readonly stateFile: StateFile; readonly manifest: string },
): Promise<void> {
  if (origin === undefined) {
    throw cannotContinue(stateFile, 'an earlier version of groundwork began to import this export');
  }
  const changed = () =>
    cannotContinue(stateFile, 'the export is not the one that was imported so far');
  if (origin.manifest !== manifest) throw changed();
  for (const [part, { digest, end, ids }] of Object.entries(parts)) {
    if (digestSoFar(await digestUpTo(stateFile.files, part, end)) !== digest) throw changed();
    if (ids === undefined || (await isStillThere(to, { ...kindOfPart(part), ...ids }))) continue;
    throw cannotContinue(
      stateFile,
      `records of ${partFile(part)} that were imported are not there any more`,
    );
  }
}

/** Returns the digest of the lines of a part up to a position. */
export async function digestUpTo(files: ProjectFiles, part: string, end: number): Promise<Hash> {
  const digest = startDigest();
  if (end === 0) return digest;
  for await (const line of linesOf(files.open(partFile(part)))) {
    if (line.end > end) break;
    addToDigest(digest, line.text ?? ''); // a line that is no text has not been imported
  }
  return digest;
}

/** Returns what is written of a part after some more of its records. */
export function writtenPart(
  state: ImportState,
  { part, records }: Pick<PartRecords, 'part' | 'records'>,
  { digest, end }: { readonly digest: Hash; readonly end: number },
): WrittenPart {
  const { kind } = kindOfPart(part);
  const kept = records.filter((record) => !isMerged(state, part, record));
  const all = kept.map(({ id }) => idThere(state, kind, Number(id)));
  const known = state.parts?.[part]?.ids;
  const [first, last] = [known?.first ?? all[0], all.at(-1) ?? known?.last];
  const ids = first === undefined || last === undefined ? undefined : { first, last };
  return { digest: digestSoFar(digest), end, ids };
}

/** Returns the id that a record of the export has in the instance. */
export function idThere(
  { shift, merged }: ImportState,
  kind: keyof ExportedIds,
  id: number,
): number {
  return merged?.[kind]?.[id] ?? id + (shift?.[kind] ?? 0);
}

/** Checks whether a record is left out: a user or a group that exists, or the profile of such a user. */
export function isMerged({ merged }: ImportState, part: string, record: TransferRecord): boolean {
  const isIn = (kind: 'users' | 'groups', id: unknown) =>
    merged?.[kind]?.[String(id)] !== undefined;
  if (part === 'users' || part === 'groups') return isIn(part, record.id);
  return part === `objects/${profileClass}` && isIn('users', record.owner);
}

/**
 * Finds the users or groups whose names made records bad.
 *
 * @param bad their positions among `records`, which are those of the export
 * @returns the state in which they are merged; undefined when a record is bad for another reason
 */
export async function mergeNamed(
  to: InstanceConnection,
  state: ImportState,
  { bad, part, records }: Pick<PartRecords, 'part' | 'records'> & { readonly bad: BadRecords },
): Promise<ImportState | undefined> {
  if (state.shift === undefined || bad.size === 0) return undefined;
  if (part !== 'users' && part !== 'groups') return undefined;
  const field = part === 'users' ? 'username' : 'name';
  const known: Record<string, number> = { ...state.merged?.[part] };
  for (const [at, errors] of bad) {
    const record = records[at];
    const isTaken = String(errors[field]) === messages.unique && Object.keys(errors).length === 1;
    if (record === undefined || !isTaken) return undefined;
    known[String(record.id)] = await findNamed(to, part, String(record[field]));
  }
  return { ...state, merged: { ...state.merged, [part]: known } };
}

async function findNamed(
  { send, base }: InstanceConnection,
  part: 'users' | 'groups',
  name: string,
): Promise<number> {
  const list = below(base)`${part}/`;
  const path = part === 'users' ? below(list)`?username__startswith=${name}` : list;
  for await (const item of listItems<TransferRecord>(send, path)) {
    if (item.username === name || item.name === name) return Number(item.id);
  }
  throw new Error(`the name ${name} is taken, and not in the list of ${part}`);
}
