import type { Key, Store, Transaction, Write, WriteCondition } from '../../shared/store/store.ts';

/**
 * Changes a store so that items have versions as equal as they can be: the number of writes of an item, or the highest
 * one in its transaction. Nearly all items then have the same few versions, as items of one transaction do, but no item
 * has the same one twice, not even after it was deleted. So write conflicts and repetitions are found as before.
 *
 * The store itself is changed, not wrapped, because the jobs of its platform have it already.
 */
export function equalizeVersions(store: Store): Store {
  const { write, writeAll } = store;
  const writesOf = new Map<string, number>();
  const stored = new Map<string, string>(); // versions, by the ids of transactions that writers know

  function nextVersion({ writes }: Transaction): string {
    const names = writes.filter(({ action }) => action !== 'check').map(({ key }) => nameOf(key));
    const next = 1 + Math.max(0, ...names.map((name) => writesOf.get(name) ?? 0));
    for (const name of names) writesOf.set(name, next);
    return `${next}`;
  }

  function equalized(transaction: Transaction): Transaction {
    const id = stored.get(transaction.id) ?? nextVersion(transaction); // a repetition has the same one
    stored.set(transaction.id, id);
    const conditionOf = (condition: WriteCondition): WriteCondition =>
      condition.kind === 'version'
        ? { kind: 'version', version: stored.get(condition.version) ?? condition.version }
        : condition;
    const writes = transaction.writes.map(
      (each): Write => ({ ...each, condition: conditionOf(each.condition) }),
    );
    return { ...transaction, id, writes };
  }

  return Object.assign(store, {
    write: (transaction: Transaction) => write(equalized(transaction)),
    ...(writeAll && {
      writeAll: (transactions: readonly Transaction[]) => writeAll(transactions.map(equalized)),
    }),
  });
}

function nameOf({ pk, sk }: Key): string {
  return `${pk}\u0000${sk}`;
}
