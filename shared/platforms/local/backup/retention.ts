/** A number of backups, or of days such as `30d`. */
export const keepPattern = /^([1-9]\d{0,3}d?)?$/;

/** A stored backup. */
export interface StoredBackup {
  readonly name: string;
  /** When it was stored, by the clock of its storage; in milliseconds. */
  readonly storedMs: number;
  /** Whether it is complete, as far as can be seen without reading it. */
  readonly isGood: boolean;
}

const dayMs = 86_400_000;

/**
 * Chooses the backups that retention deletes. The newest good one is always kept, and what is not complete neither
 * counts nor is deleted. Backups are ordered by when they were stored, which a client with the right to put cannot choose.
 *
 * @param keep as {@link keepPattern}: the number of good backups, or the days for which they are kept
 */
export function expiredBackups(
  backups: readonly StoredBackup[],
  keep: string,
  nowMs: number,
): readonly StoredBackup[] {
  const newestFirst = backups
    .filter(({ isGood }) => isGood)
    .sort((one, other) => other.storedMs - one.storedMs || (one.name < other.name ? 1 : -1));
  const count = Number.parseInt(keep, 10);
  if (!keep.endsWith('d')) return newestFirst.slice(count);
  return newestFirst.slice(1).filter(({ storedMs }) => storedMs < nowMs - count * dayMs);
}
