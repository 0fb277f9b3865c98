import type { Store, Transaction } from '../../shared/store/store.ts';

/** What goes wrong with a write: it never arrives, or its answer is lost. */
export type Fault = 'not applied' | 'answer lost';

/** The error that a fault looks like to the caller. */
export class StoreFault extends Error {
  constructor(fault: Fault) {
    super(`the write failed: ${fault}`);
    this.name = 'StoreFault';
  }
}

/** A store whose writes can be made to fail, or to lose a race. */
export interface FaultyStore extends Store {
  /** Lets the next writes fail, one for each fault, in this order. */
  failNext(...faults: readonly Fault[]): void;
  /** Runs `hook` before the next write is applied, for example to write something that competes with it. */
  beforeNextWrite(hook: (transaction: Transaction) => Promise<void>): void;
}

/** Wraps a store so that faults can be put in. Without any it does what the store does. */
export function makeFaulty(store: Store): FaultyStore {
  const faults: Fault[] = [];
  const hooks: ((transaction: Transaction) => Promise<void>)[] = [];

  return {
    get: (keys) => store.get(keys),
    query: (query) => store.query(query),
    next: (counter, count) => store.next(counter, count),
    close: () => store.close(),
    write: async (transaction) => {
      const fault = faults.shift();
      const hook = hooks.shift();
      if (hook !== undefined) await hook(transaction);
      if (fault !== 'not applied') await store.write(transaction);
      if (fault !== undefined) throw new StoreFault(fault);
    },
    failNext: (...next) => {
      faults.push(...next);
    },
    beforeNextWrite: (hook) => {
      hooks.push(hook);
    },
  };
}
