import { statfsSync } from 'node:fs';
import type { Log } from '../../../ports/ports.ts';
import { ApiError, detailError } from '../../../values/errors/errors.ts';

/* A full disk and a damaged store are no bugs of the program: clients get 503, and the operator gets a log line. */

/** Error codes of LMDB after which its file must not be written any more, with their names. */
const damageCodes: ReadonlyMap<unknown, string> = new Map([
  [-30797, 'MDB_PAGE_NOTFOUND'],
  [-30796, 'MDB_CORRUPTED'],
  [-30795, 'MDB_PANIC'],
  [-30782, 'MDB_BAD_TXN'],
]);
/** `MDB_MAP_FULL`, ENOSPC and EDQUOT, as LMDB and as Node report them. */
const fullCodes: readonly unknown[] = [-30792, 28, 122, 'ENOSPC', 'EDQUOT'];
/** EIO: also LMDB's code for a partial write to the disk. */
const partCodes: readonly unknown[] = [5, 'EIO'];
const marginBytes = 1_048_576; // bytes of a commit in addition to its items, mostly tree pages
const quietMs = 60_000; // shortest time between log lines about a full disk

/** Distinguishes problems of the disk and the store from other errors. */
export interface StorageTrouble {
  /**
   * Checks that the store may be written.
   *
   * @throws ApiError 503 once damage was found
   */
  checkWritable(): void;
  /**
   * Checks that the disk has space for a commit, which the next write may need.
   *
   * @param reservedBytes that writes before it will take
   * @throws ApiError 503 when it is full
   */
  checkSpace(reservedBytes: number): void;
  /**
   * Returns the error to throw instead: 503 if the disk is full or the store damaged, else the error itself.
   *
   * @param bytes how much was to be written, approximately
   */
  translate(error: unknown, bytes?: number): unknown;
}

/**
 * Watches a folder of data for full disks and damage.
 *
 * @param log gets one line when damage is found, and one per minute while the disk is full
 */
export function watchStorage(folder: string, log: Log): StorageTrouble {
  let isDamaged = false;
  let loggedAt = Number.NEGATIVE_INFINITY;

  function reportDamage(cause: string): void {
    if (isDamaged) return;
    isDamaged = true;
    const message = 'the store is damaged: no writes are taken any more';
    log({ level: 'error', message, cause, advice: 'stop the server and restore a backup' });
  }

  function reportFull(): void {
    const now = performance.now();
    if (now - loggedAt < quietMs) return;
    loggedAt = now;
    log({ level: 'error', message: 'the disk is full: writes are refused', folder });
  }

  return {
    checkWritable: () => {
      if (isDamaged) throw damagedError();
    },
    checkSpace: (reservedBytes) => {
      if (freeBytes(folder) >= marginBytes + reservedBytes) return;
      reportFull();
      throw full();
    },
    translate: (error, bytes = 0) => {
      const codes = codesOf(error);
      const damage = codes.map((code) => damageCodes.get(code)).find((name) => name !== undefined);
      if (damage !== undefined) {
        reportDamage(damage);
        return damagedError();
      }
      const isPart = codes.some((code) => partCodes.includes(code));
      const isFull =
        codes.some((code) => fullCodes.includes(code)) ||
        (isPart && freeBytes(folder) < bytes + marginBytes);
      if (!isFull) return error;
      reportFull();
      return full();
    },
  };
}

function damagedError(): ApiError {
  const detail = 'The data of this server is damaged. Nothing can be stored until it is restored.';
  return detailError(503, detail, 'storage_damaged');
}

function full(): ApiError {
  const detail = 'The disk of this server is full. Nothing was stored.';
  return new ApiError(503, { detail }, 'storage_full', { 'Retry-After': '60' });
}

/** Returns the codes of an error and of its causes. */
function codesOf(error: unknown): readonly unknown[] {
  const codes: unknown[] = [];
  for (let at = error; at instanceof Error; at = at.cause) if ('code' in at) codes.push(at.code);
  return codes;
}

/** Returns the bytes of the disk of a folder that its user may still take. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
