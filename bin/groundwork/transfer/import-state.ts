import { profileClass } from '../../../shared/classes/rules/permissions.ts';
import { messages } from '../../../shared/values/errors/messages.ts';
import { below } from '../../../shared/values/text/request-path.ts';
import { itemsOf } from '../../client.ts';
import type { InstanceConnection } from '../settings.ts';
import type { Ids } from './folder.ts';
import type { PartRecords, TransferRecord } from './record-ids.ts';
import type { BadRecords } from './send-page.ts';

/** How far an import is: a file in the folder of the export. */
export interface ImportState {
  readonly created: number;
  readonly unchanged: number;
  /** What is added to ids; absent: they stay. */
  readonly shift?: Ids;
  /** Ids of users and groups whose names existed, by those of the export: these are not imported. */
  readonly merged?: Merged;
  /** The next part, and the position in its file; absent: all records are imported. */
  readonly position?: { readonly part: string; readonly start: number } | undefined;
  /** Whether the project of the export was pushed. */
  readonly isPushed?: boolean;
}

type Merged = Readonly<Partial<Record<keyof Ids, Readonly<Record<string, number>>>>>;

/** Returns the id that a record of the export has in the instance. */
export function idThere({ shift, merged }: ImportState, kind: keyof Ids, id: number): number {
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
  for await (const item of itemsOf<TransferRecord>(send, path)) {
    if (item.username === name || item.name === name) return Number(item.id);
  }
  throw new Error(`the name ${name} is taken, and not in the list of ${part}`);
}
