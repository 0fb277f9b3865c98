import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { StartError } from '../server/start-error.ts';

/** Where backups are stored. */
export type BackupTarget = { readonly kind: 'folder'; readonly folder: string } | BucketTarget;

/** A part of a bucket. */
export interface BucketTarget {
  readonly kind: 'bucket';
  readonly bucket: string;
  /** Beginning of the keys of its objects: empty, or with a slash at the end. */
  readonly prefix: string;
}

const scheme = 's3://';
const bucketAddress =
  /^s3:\/\/(?<bucket>[a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/(?<path>[\w./-]{0,800}))?$/;
const nameText = /^groundwork-\d{8}T\d{6}Z-[\da-f]{8}(\.tar(\.age)?)?$/;
const draftText = /^groundwork-\d{8}T\d{6}Z-[\da-f]{8}[\w.]*\.part$/;

/** Checks for an address in a bucket. */
export function isInBucket(text: string): boolean {
  return text.startsWith(scheme);
}

/**
 * Reads a target of backups: `s3://<bucket>/<prefix>`, or the path of a folder.
 *
 * @throws StartError for an invalid bucket or prefix
 */
export function parseTarget(text: string): BackupTarget {
  if (!isInBucket(text)) return { kind: 'folder', folder: text };
  const { bucket, path = '' } = bucketAddress.exec(text)?.groups ?? {};
  const segments = path.split('/').filter((segment) => segment !== '');
  if (bucket === undefined || segments.some((segment) => /^\.+$/.test(segment))) {
    throw new StartError(
      'a bucket is named as s3://<bucket>/<prefix>; the prefix has letters, digits, . _ - and /',
    );
  }
  return { kind: 'bucket', bucket, prefix: segments.map((segment) => `${segment}/`).join('') };
}

/**
 * Reads the address of one backup in a bucket.
 *
 * @throws StartError when it is none
 */
export function parseBackupAddress(text: string): BucketTarget & { readonly name: string } {
  const name = basename(text);
  const target = parseTarget(text.slice(0, -name.length));
  if (target.kind === 'folder' || !isBackupName(name)) {
    throw new StartError('name one backup, as groundwork backup list prints it');
  }
  return { ...target, name };
}

/** Extensions of backups by their form. */
export const extensions = { folder: '', plain: '.tar', encrypted: '.tar.age' } as const;

/**
 * Makes a new name, which sorts by time and is never given twice. Its last part has the milliseconds (3 hexadecimal
 * digits) before the random ones: a storage may know the seconds only.
 */
export function newBackupName(nowMs: number, form: keyof typeof extensions): string {
  const time = new Date(nowMs).toISOString().replace(/[:-]|\.\d+/g, '');
  const milliseconds = (nowMs % 1000).toString(16).padStart(3, '0');
  const random = randomBytes(3).toString('hex').slice(1);
  return `groundwork-${time}-${milliseconds}${random}${extensions[form]}`;
}

/** Checks for a name that {@link newBackupName} makes: others at a target are left alone. */
export function isBackupName(name: string): boolean {
  return nameText.test(name);
}

/** Checks for the name of a backup that is being made in a target folder, or was when its process was killed. */
export function isDraftName(name: string): boolean {
  return draftText.test(name);
}
