import { readChange } from '../../shared/platforms/aws/store/item.ts';
import { tableAttributes } from '../../shared/platforms/aws/store/table.ts';
import {
  ConditionFailed,
  type Store,
  type Transaction,
  type Write,
  type WriteCause,
} from '../../shared/store/store.ts';
import { type Part, TableError } from './fake-table.ts';

/** The table with a test's wrapper, which receives the writes of functions too. */
export interface PassedWrites {
  readonly store: Store;
  /** Passes a function's write through the wrapper; inside it, it is executed unchanged. @throws TableError */
  pass(parts: readonly Part[], apply: () => void): Promise<void>;
}

/** Puts a wrapper around a table. */
export function openPassedWrites(
  table: Store,
  wrap: (store: Store) => Store = (store) => store,
): PassedWrites {
  const underWay = new Map<Transaction, () => void>();
  const store = wrap({
    ...table,
    write: async (transaction) => {
      const apply = underWay.get(transaction);
      if (apply === undefined) await table.write(transaction);
      else apply();
    },
  });
  return {
    store,
    pass: async (parts, apply) => {
      const transaction = toTransaction(parts);
      underWay.set(transaction, apply);
      try {
        await store.write(transaction);
      } catch (error) {
        throw error instanceof ConditionFailed ? toTableError(error, parts) : error;
      } finally {
        underWay.delete(transaction);
      }
    },
  };
}

/** Returns the response of the table for a condition that a wrapper has failed. */
function toTableError({ index }: ConditionFailed, parts: readonly Part[]): TableError {
  if (parts.length === 1) return new TableError('ConditionalCheckFailedException', {});
  const CancellationReasons = parts.map((_, at) => ({
    Code: at === index ? 'ConditionalCheckFailed' : 'None',
  }));
  return new TableError('TransactionCanceledException', { CancellationReasons });
}

/** Reads the writes of a transaction from its request: their targets and items, and why they are made. */
function toTransaction(parts: readonly Part[]): Transaction {
  const writes = parts.map(([name, { Item, Key }]): Write => {
    const { pk, sk } = Item ?? Key;
    const common = { key: { pk: pk.S, sk: sk.S }, condition: { kind: 'none' } } as const;
    if (name === 'Put') {
      return { action: 'put', ...common, kind: Item.t.S, data: JSON.parse(Item.d.S) };
    }
    return { action: name === 'Delete' ? 'delete' : 'check', ...common };
  });
  const [put] = parts.flatMap(([, { Item }]) => Item ?? []);
  const text = put?.[tableAttributes.change]?.S;
  const byClient: WriteCause = { actor: {}, cause: 'client', depth: 0 };
  return { id: '', change: text === undefined ? byClient : readChange(text), writes };
}
