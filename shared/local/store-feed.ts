import { actionOf, type ChangeAction, type ItemChange, type Watch } from '../services/changes.ts';
import { dueOf, workPrefix } from '../store/entities.ts';
import type { Change } from '../store/store.ts';
import { readEnvelope, storedItem, withoutData } from './store-envelope.ts';
import { parseItemKey } from './store-keys.ts';
import type { Operation, Tables } from './store-tables.ts';

/** Digits of a position, so that text order is number order. */
const positionDigits = 16;

/** After every position. */
const afterDigits = ':';

/** Where the counters keep the position up to which all consumers are done; no item has this key. */
const doneKey = 'FEED';

/** Parts the fields of an entry; none of them but the last holds it. */
const separator = '\u0000';

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
  /** The oldest changes that are there, at most `limit`. */
  read(limit: number): readonly ItemChange[];
  /** Forgets changes that were read. */
  drop(changes: readonly ItemChange[]): Promise<void>;
  /** Calls `listener` after each commit that brought changes or work; there is one listener. */
  listen(listener: (news: CommitNews) => void): void;
}

/** The writing half: takes part in commits. */
export interface FeedWriter {
  /** What to store of a change of an item, given as it is stored, that was or is of `kind`. */
  entries(change: FeedChange): readonly Operation[];
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
): FeedWriter & { reader(commit: (operations: readonly Operation[]) => Promise<void>): Feed } {
  const { changes, counters } = tables;
  const [stored] = changes.getKeys({ start: afterDigits, end: '0', reverse: true, limit: 1 });
  let newest = stored ?? counters.get(doneKey) ?? '';
  let last = Number(newest);
  const wanted = wantedBy(watches);
  let listener: (news: CommitNews) => void = () => undefined;

  return {
    entries: ({ key, kind, before, after, change }) => {
      if (change.cause === 'maintenance') return [];
      const needsData = wanted.get(kind)?.get(actionOf({ before, after }));
      if (needsData === undefined) return [];
      last += 1;
      const position = String(last).padStart(positionDigits, '0');
      const kept = [before, after].map((text = '') => (needsData ? text : withoutData(text)));
      const fields = [JSON.stringify(change), ...kept, key];
      return [{ table: 'changes', key: position, value: fields.join(separator) }];
    },
    committed: (operations) => {
      const puts = operations.filter(({ value }) => value !== undefined);
      const latest = puts.findLast(({ table }) => table === 'changes');
      newest = latest?.key ?? newest;
      const hasChanges = latest !== undefined;
      const workDue = earliestWork(puts);
      if (hasChanges || workDue !== undefined) listener({ hasChanges, workDue });
    },
    reader: (commit) => ({
      newest: () => newest,
      read: (limit) =>
        [...changes.getRange({ start: '0', end: afterDigits, limit })].map(({ key, value }) =>
          parse(key, value),
        ),
      drop: (taken) => {
        const done = taken.map(({ position }): Operation => ({ table: 'changes', key: position }));
        const at = taken.at(-1)?.position ?? '';
        return commit([...done, { table: 'counters', key: doneKey, value: at }]);
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

function earliestWork(puts: readonly Operation[]): number | undefined {
  const dues = puts
    .filter(({ table, key }) => table === 'items' && key.startsWith(workPrefix))
    .map(({ key }) => dueOf(parseItemKey(key)));
  return dues.length === 0 ? undefined : Math.min(...dues);
}

function parse(position: string, value: string): ItemChange {
  const [change = '', before = '', after = '', ...rest] = value.split(separator);
  const key = parseItemKey(rest.join(separator)); // it parts partition and sort key by the same
  const [old, now] = [before, after].map((text) =>
    text === '' ? undefined : storedItem(key, readEnvelope(text)),
  );
  return {
    ...{ key, position, kind: (now ?? old)?.kind ?? '' },
    change: JSON.parse(change) as Change, // we wrote it
    ...(old && { before: old }),
    ...(now && { after: now }),
  };
}
