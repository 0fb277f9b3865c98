import {
  actionOf,
  type ChangeAction,
  type ChangeFilter,
  type ItemChange,
} from '../../../jobs/change-feed.ts';
import type { Key, Stored, WriteCause } from '../../../store/store.ts';
import { jobPrefix } from '../../../table/entities/jobs.ts';
import { dueOf } from '../../../table/key-parts.ts';
import { rememberLast } from '../../../values/remember-last.ts';
import { formatCause, type ItemText, isSameSize, parseItem, withSize } from './envelope.ts';
import { parseItemKey } from './keys.ts';
import type { TableOperation, Tables } from './tables.ts';

/** Digits of a position, so that text order is number order. */
const positionDigits = 16;

/** A text that sorts after every position. */
const afterDigits = ':';

/** Counter for the position up to which all consumers are done; no item has this key. */
const doneKey = 'FEED';

/** Separates the fields of a change; only the last one, a key, may contain it. */
const separator = '\u0000';

/** Separates the changes of an entry: no field is empty, except the item before or after, and never both. */
const between = separator.repeat(3);

/** Characters of an entry after which another one begins. */
const maxEntryLength = 65_536;

/** Results of a commit that others wait for. */
export interface CommitNews {
  /** Whether there are new changes in the feed. */
  readonly hasChanges: boolean;
  /** Time when the first new job is due, in epoch milliseconds; undefined: no new job. */
  readonly jobsDue: number | undefined;
}

/** Changes of items of some kinds, in commit order, until all consumers have taken them. */
export interface Feed {
  /** Returns the position of the newest committed change; empty when there never was one. */
  newest(): string;
  /** Returns the position up to which all consumers are done; empty when there never was one. */
  dropped(): string;
  /**
   * Reads the oldest changes in the feed: `limit` of them, and those that were written together with these.
   *
   * @param after only those after this position
   */
  read(limit: number, after?: string): readonly ItemChange[];
  /** Deletes the changes up to a position. It is durable with the next commit: a crash before it brings them back. */
  drop(upTo: string): void;
  /** Sets the listener that is called after each commit with changes or jobs; there is one listener. */
  listen(listener: (news: CommitNews) => void): void;
}

/** The writing half of the feed, which takes part in commits. */
export interface FeedWriter {
  /** Formats a change of an item; undefined: not in the feed. */
  text(change: FeedChange): string | undefined;
  /** Appends changes, given as texts, as the newest ones: together, as they are read together. */
  append(texts: readonly string[]): readonly TableOperation[];
  /** Reports that operations were committed. */
  committed(operations: readonly TableOperation[]): void;
}

/** A change as a transaction makes it. */
export interface FeedChange {
  readonly key: string;
  readonly before: ItemText | undefined;
  readonly after: ItemText | undefined;
  readonly change: WriteCause;
}

/** Opens the feed of a store; it continues at its last position. */
export function openFeed(
  tables: Tables,
  watches: readonly ChangeFilter[],
): FeedWriter & { reader(carry: (operations: readonly TableOperation[]) => void): Feed } {
  const { changes, counters } = tables;
  const [stored] = changes.getKeys({ start: afterDigits, end: '0', reverse: true, limit: 1 });
  let done = counters.get(doneKey) ?? '';
  let newest = stored ?? done;
  let last = Number(newest);
  const wanted = wantedBy(watches);
  let listener: (news: CommitNews) => void = () => undefined;

  return {
    text: (feedChange) => {
      const { before, after, change } = feedChange;
      if (change.cause === 'maintenance') return undefined;
      const needsData = wanted.get((after ?? before)?.kind ?? '')?.get(actionOf({ before, after }));
      if (needsData === undefined || (!needsData && isSameSize(before, after))) return undefined;
      return textOf(feedChange, needsData ? wholeText : withSize);
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
      if (hasChanges || news.jobsDue !== undefined) listener({ hasChanges, jobsDue: news.jobsDue });
    },
    reader: (carry) => ({
      newest: () => newest,
      dropped: () => done,
      read: (limit, after = '') => {
        const found: ItemChange[] = [];
        const start = (after > done ? after : done) || '0';
        const range = { start, exclusiveStart: true, end: afterDigits };
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
          ...keys.map((key): TableOperation => ({ table: 'changes', key })),
          { table: 'counters', key: doneKey, value: upTo },
        ]);
      },
      listen: (next) => {
        listener = next;
      },
    }),
  };
}

function textOf(
  { key, before, after, change }: FeedChange,
  write: (item: ItemText | undefined) => string,
): string {
  return [formatCause(change), write(before), write(after), key].join(separator);
}

function wholeText(item: ItemText | undefined): string {
  return item?.text ?? '';
}

/** Returns whether the data of items is needed, by their kind and the action. */
function wantedBy(
  watches: readonly ChangeFilter[],
): ReadonlyMap<string, Map<ChangeAction, boolean>> {
  const wanted = new Map<string, Map<ChangeAction, boolean>>();
  for (const { kind, actions, needsData = true } of watches) {
    const ofKind = wanted.get(kind) ?? new Map<ChangeAction, boolean>();
    wanted.set(kind, ofKind);
    for (const action of actions) ofKind.set(action, needsData || ofKind.get(action) === true);
  }
  return wanted;
}

/** Returns the newest change's position among operations, and when their first job is due; undefined: none. */
function newsOf(operations: readonly TableOperation[]) {
  let newest: string | undefined;
  let jobsDue: number | undefined;
  for (const { table, key, value } of operations) {
    if (value === undefined) continue;
    if (table === 'changes') newest = key;
    if (table === 'items' && key.startsWith(jobPrefix)) {
      jobsDue = Math.min(dueOf(parseItemKey(key)), jobsDue ?? Number.POSITIVE_INFINITY);
    }
  }
  return { newest, jobsDue };
}

function positionAt(number: number): string {
  return String(number).padStart(positionDigits, '0');
}

/** Distributes changes over entries of limited length. */
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

/** Parses the changes of an entry; its own position is that of the last one. */
function parseEntry(position: string, value: string): readonly ItemChange[] {
  const texts = value.split(between);
  const first = Number(position) - texts.length + 1;
  const readChange = rememberLast((text: string) => JSON.parse(text) as WriteCause); // this program wrote it
  return texts.map((text, at) => parseChange(positionAt(first + at), text, readChange));
}

function parseChange(
  position: string,
  value: string,
  readChange: (text: string) => WriteCause,
): ItemChange {
  const changeEnd = value.indexOf(separator);
  const beforeEnd = value.indexOf(separator, changeEnd + 1);
  const afterEnd = value.indexOf(separator, beforeEnd + 1);
  const key = parseItemKey(value.slice(afterEnd + 1)); // the separator of partition and sort key is the same
  const before = parseState(key, value.slice(changeEnd + 1, beforeEnd));
  const after = parseState(key, value.slice(beforeEnd + 1, afterEnd));
  return {
    key,
    position,
    kind: (after ?? before)?.kind ?? '',
    change: readChange(value.slice(0, changeEnd)),
    ...(before && { before }),
    ...(after && { after }),
  };
}

function parseState(key: Key, text: string): Stored | undefined {
  return text === '' ? undefined : parseItem(key, text).stored;
}
