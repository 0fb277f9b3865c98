import type { Stored } from '../store/store.ts';
import { classEntity } from '../table/entities/classes.ts';
import { factsOf } from '../table/kinds.ts';
import type { BackupDetails } from '../table/records/backups.ts';

const maxNames = 15;

/** Adds items to the details of a backup. */
export function addDetails(details: BackupDetails, items: readonly Stored[]): BackupDetails {
  const sum: Record<string, BackupDetails[string]> = { ...details };
  for (const item of items) {
    const kind = factsOf(item.kind)?.shownAs;
    if (kind === undefined) continue;
    const { count, list = [] } = sum[kind] ?? { count: 0 };
    const isNamed = classEntity.matches(item);
    sum[kind] = isNamed
      ? { count: count + 1, list: [...list, item.data.name].slice(0, maxNames) }
      : { count: count + 1 };
  }
  return sum;
}

/** Returns details as clients see them: names of classes only, whatever version stored them. */
export function shownDetails(details: BackupDetails): BackupDetails {
  const kinds = Object.entries(details).map(([kind, { count, list }]) => [
    kind,
    kind === classEntity.facts.shownAs ? { count, list } : { count },
  ]);
  return Object.fromEntries(kinds) as BackupDetails; // of the same kinds
}
