import {
  actionOf,
  type ChangeAction,
  type ItemChange,
  type Watch,
} from '../../../jobs/change-feed.ts';
import { dueOf, workPrefix } from '../../../store/entities.ts';
import type { Change } from '../../../store/store.ts';
import { isSameSize, readEnvelope, storedItem, withSize } from './envelope.ts';
import { parseItemKey } from './keys.ts';
import type { Operation, Tables } from './tables.ts';

/** Digits of a position, so that text order is number order. */
const positionDigits = 16;

/** After every position. */
const afterDigits = ':';

/** Where the counters keep the position up to which all consumers are done; no item has this key. */
const doneKey = 'FEED';

/** Parts the fields of a change; none of them but the last, a key, holds it. */
const separator = '\u0000';

/** Parts the changes of an entry: fields are not empty, but for what was or what is, and never both. */
const between = separator.repeat(3);

/** Characters of an entry, after which another one is begun. */
const maxEntryLength = 65_536;

/** What a commit did that others wait for. */
export interface CommitNews {
  /** There are new changes in the feed. */
  readonly hasChanges: boolean;
  /** When the first of new work is due, in epoch milliseconds; undefined: there is none. */
  readonly workDue: number | undefined;
}

/** The changes of items of some kinds, in the order of their commits, until everybody has taken them. */
export interface Feed {
  /** Position of the newest committed change; empty when there never was one. */
  newest(): string;
  /** The oldest changes that are there: `limit` of them, and those that were written together with these. */
  read(limit: number): readonly ItemChange[];
  /** Forgets the changes up to a position. It is durable with the next commit: a crash before it brings them back. */
  drop(upTo: string): void;
  /** Calls `listener` after each commit that brought changes or work; there is one listener. */
  listen(listener: (news: CommitNews) => void): void;
}

/** The writing half: takes part in commits. */
export interface FeedWriter {
  /** What is kept of a change of an item, given as it is stored, that was or is of `kind`; undefined: nothing. */
  text(change: FeedChange): string | undefined;
  /** Stores changes, given by their texts, as the newest ones: together, for all are read together. */
  append(texts: readonly string[]): readonly Operation[];
  /** Says that operations were committed. */
  committed(operations: readonly Operation[]): void;
}

/** A change as a transaction makes it. */
export interface FeedChange {
  readonly key: string;
  readonly kind: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly change: Change;
}

/** Opens the feed of a store; it goes on where it was. */
export function openFeed(
  tables: Tables,
  watches: readonly Watch[],
): FeedWriter & { reader(carry: (operations: readonly Operation[]) => void): Feed } {
  const { changes, counters } = tables;
  const [stored] = changes.getKeys({ start: afterDigits, end: '0', reverse: true, limit: 1 });
  let done = counters.get(doneKey) ?? '';
  let newest = stored ?? done;
  let last = Number(newest);
  const wanted = wantedBy(watches);
  let listener: (news: CommitNews) => void = () => undefined;

  return {
    text: ({ key, kind, before, after, change }) => {
      if (change.cause === 'maintenance') return undefined;
      const needsData = wanted.get(kind)?.get(actionOf({ before, after }));
      if (needsData === undefined) return undefined;
      const [old, now] = needsData ? [before, after] : [withSize(before), withSize(after)];
      if (!needsData && isSameSize(old, now)) return undefined;
      return (
        JSON.stringify(change) + separator + (old ?? '') + separator + (now ?? '') + separator + key
      );
    },
    append: (texts) =>
      entriesOf(texts).map((entry) => {
        last += entry.length;
        return { table: 'changes', key: positionAt(last), value: entry.join(between) };
      }),
    committed: (operations) => {
      const news = newsOf(operations);
      newest = news.newest ?? newest;
      const hasChanges = news.newest !== undefined;
      if (hasChanges || news.workDue !== undefined) listener({ hasChanges, workDue: news.workDue });
    },
    reader: (carry) => ({
      newest: () => newest,
      read: (limit) => {
        const found: ItemChange[] = [];
        const range = { start: done || '0', exclusiveStart: true, end: afterDigits };
        for (const { key, value } of changes.getRange(range)) {
          found.push(...parseEntry(key, value));
          if (found.length >= limit) break;
        }
        return found;
      },
      drop: (upTo) => {
        const range = { start: '0', end: upTo, inclusiveEnd: true };
        const keys = [...changes.getKeys(range)];
        done = upTo;
        carry([
          ...keys.map((key): Operation => ({ table: 'changes', key })),
          { table: 'counters', key: doneKey, value: upTo },
        ]);
      },
      listen: (next) => {
        listener = next;
      },
    }),
  };
}

/** Whether the data of items is needed, by their kind and what becomes of them. */
function wantedBy(watches: readonly Watch[]): ReadonlyMap<string, Map<ChangeAction, boolean>> {
  const wanted = new Map<string, Map<ChangeAction, boolean>>();
  for (const { kind, actions, needsData = true } of watches) {
    const ofKind = wanted.get(kind) ?? new Map<ChangeAction, boolean>();
    wanted.set(kind, ofKind);
    for (const action of actions) ofKind.set(action, needsData || ofKind.get(action) === true);
  }
  return wanted;
}

/** Position of the newest change among operations, and when their first work is due; undefined: there is none. */
function newsOf(operations: readonly Operation[]) {
  let newest: string | undefined;
  let workDue: number | undefined;
  for (const { table, key, value } of operations) {
    if (value === undefined) continue;
    if (table === 'changes') newest = key;
    if (table === 'items' && key.startsWith(workPrefix)) {
      workDue = Math.min(dueOf(parseItemKey(key)), workDue ?? Number.POSITIVE_INFINITY);
    }
  }
  return { newest, workDue };
}

function positionAt(number: number): string {
  return String(number).padStart(positionDigits, '0');
}

/** Spreads changes over entries that are not too long. */
function entriesOf(texts: readonly string[]): readonly (readonly string[])[] {
  const entries: string[][] = [];
  let length = maxEntryLength;
  for (const text of texts) {
    if (length + text.length > maxEntryLength) {
      entries.push([]);
      length = 0;
    }
    entries.at(-1)?.push(text);
    length += text.length;
  }
  return entries;
}

/** The changes of an entry; its own position is that of the last one. */
function parseEntry(position: string, value: string): readonly ItemChange[] {
  const texts = value.split(between);
  const first = Number(position) - texts.length + 1;
  const readChange = rememberLast((text) => JSON.parse(text) as Change); // we wrote it
  return texts.map((text, at) => parseChange(positionAt(first + at), text, readChange));
}

/** What stands together was mostly done by one caller. */
function rememberLast<Value>(parse: (text: string) => Value): (text: string) => Value {
  let last: { readonly text: string; readonly value: Value } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, value: parse(text) };
    return last.value;
  };
}

function parseChange(
  position: string,
  value: string,
  readChange: (text: string) => Change,
): ItemChange {
  const [change = '', before = '', after = '', ...rest] = value.split(separator);
  const key = parseItemKey(rest.join(separator)); // it parts partition and sort key by the same
  const [old, now] = [before, after].map((text) =>
    text === '' ? undefined : storedItem(key, readEnvelope(text)),
  );
  return {
    key,
    position,
    kind: (now ?? old)?.kind ?? '',
    change: readChange(change),
    ...(old && { before: old }),
    ...(now && { after: now }),
  };
}
