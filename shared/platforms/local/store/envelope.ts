import { writeJson } from '../../../store/exact-json.ts';
import type { IndexKeys, Key, Put, Stored, WriteCause } from '../../../store/store.ts';
import { TextItem } from '../../../store/text-item.ts';
import { CachedItem } from './cache/item-cache.ts';

/*
 * An item is stored as six lines of text: kind, version, time of expiry, index keys, change, data. JSON text has no
 * line breaks, so fields that a reader does not need are skipped, not parsed.
 */

/** A stored item with the parts of its text that readers get. */
export interface ItemText {
  readonly text: string;
  readonly kind: string;
  readonly version: string;
  /** JSON of its data. */
  readonly data: string;
}

/** A stored item, its data not yet parsed. */
export interface Envelope extends ItemText {
  /** Epoch seconds; Infinity when it does not expire. */
  readonly expiresAt: number;
  /** JSON of its index keys; empty when it is in no index. */
  readonly indexes: string;
}

/** Formats an item for storage. */
export function writeEnvelope(put: Put, version: string, change: WriteCause): ItemText {
  const { kind } = put;
  const indexes = put.indexes === undefined ? '' : JSON.stringify(put.indexes);
  const data = put.text ?? writeJson(put.data);
  const head = `${kind}\n${version}\n${put.expiresAt ?? ''}\n${indexes}`;
  return { kind, version, data, text: `${head}\n${formatCause(change)}\n${data}` };
}

let lastChange: WriteCause | undefined;
let lastText = '';

/** Formats the cause of a write; the transactions of a group share it. */
export function formatCause(change: WriteCause): string {
  if (change !== lastChange) lastText = JSON.stringify(change);
  lastChange = change;
  return lastText;
}

/** Returns a stored item without index keys and change, its data replaced by their size; empty for no item. */
export function withSize(item: ItemText | undefined): string {
  if (item === undefined) return '';
  return `${item.kind}\n${item.version}\n\n\n\n{"bytes":${sizeOf(item)}}`;
}

/** Checks whether two stored items have data of the same size. */
export function isSameSize(before: ItemText | undefined, after: ItemText | undefined): boolean {
  return before !== undefined && after !== undefined && sizeOf(before) === sizeOf(after);
}

function sizeOf({ data }: ItemText): number {
  return Buffer.byteLength(data);
}

/** Parses the text of `writeEnvelope` for a write. */
export function readEnvelope(text: string): Envelope {
  const { kindEnd, versionEnd, expiryEnd, indexesEnd, changeEnd } = lineEnds(text);
  return {
    text,
    kind: text.slice(0, kindEnd),
    version: text.slice(kindEnd + 1, versionEnd),
    expiresAt: readExpiry(text, versionEnd + 1, expiryEnd),
    indexes: text.slice(expiryEnd + 1, indexesEnd),
    data: text.slice(changeEnd + 1),
  };
}

/** Parses the text of `writeEnvelope` for readers. */
export function parseItem(key: Key, text: string): CachedItem {
  const { kindEnd, versionEnd, expiryEnd, changeEnd } = lineEnds(text);
  const kind = text.slice(0, kindEnd);
  const version = text.slice(kindEnd + 1, versionEnd);
  const stored = new TextItem({ key, kind, version }, text, changeEnd + 1);
  return new CachedItem(stored, readExpiry(text, versionEnd + 1, expiryEnd), text.length);
}

function lineEnds(text: string) {
  const kindEnd = text.indexOf('\n');
  const versionEnd = text.indexOf('\n', kindEnd + 1);
  const expiryEnd = text.indexOf('\n', versionEnd + 1);
  const indexesEnd = text.indexOf('\n', expiryEnd + 1);
  const changeEnd = text.indexOf('\n', indexesEnd + 1);
  return { kindEnd, versionEnd, expiryEnd, indexesEnd, changeEnd };
}

function readExpiry(text: string, start: number, end: number): number {
  return start === end ? Infinity : Number(text.slice(start, end));
}

/** Returns the index keys of a stored item. */
export function indexesOf(envelope: Envelope): IndexKeys {
  return envelope.indexes === '' ? {} : (JSON.parse(envelope.indexes) as IndexKeys); // this program wrote it
}

/** Returns the item of a write as readers see it. */
export function storedItem(key: Key, { kind, version, data }: Envelope): Stored {
  return new TextItem({ key, kind, version }, data);
}

/** Checks whether an item that expires at `expiresAt` is expired at `now`, both in epoch seconds. */
export function isExpired(expiresAt: number, now: () => number): boolean {
  return expiresAt !== Infinity && now() > expiresAt;
}
