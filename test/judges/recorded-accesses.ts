import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { recordFolder } from './record-folder.ts';

/*
 * Accesses of the functions of a deployment, for a judge of their policies (.ci/iam/judge.mjs). Nothing is recorded
 * unless a folder is named. Accesses that differ only in numbers and identifiers are stored once.
 */

/** An access, with what its policy may have a condition on. */
export interface RecordedAccess {
  /** Name of the stack: its template is beside the accesses. */
  readonly stack: string;
  /** Family of the function, or the CDN. */
  readonly caller: string;
  readonly action: string;
  /** Begins with the logical id of a resource of the template, or is an ARN with the template's pseudo parameters. */
  readonly resource: string;
  /** Key of a file in a bucket. */
  readonly file?: string;
  /** Partition of an item that is put. */
  readonly partition?: string;
  /** Partitions of items that it names by their keys. */
  readonly partitions?: readonly string[];
  /** Service that gets a role. */
  readonly passedTo?: string;
}

const known = new Set<string>();
let unsaved: string[] = [];

/** Records an access, if a folder is named. */
export function recordAccess(access: RecordedAccess): void {
  if (recordFolder === undefined) return;
  const line = JSON.stringify(access);
  const kind = line.replaceAll(/[0-9a-f]{8,}|\d+/g, '0');
  if (known.has(kind)) return;
  known.add(kind);
  unsaved.push(line);
}

/** Writes what was recorded since the last time. */
export function saveAccesses(): void {
  if (recordFolder === undefined || unsaved.length === 0) return;
  mkdirSync(recordFolder, { recursive: true });
  const file = join(recordFolder, `${process.pid}.accesses.jsonl`); // one writer
  appendFileSync(file, unsaved.map((line) => `${line}\n`).join(''));
  unsaved = [];
}
