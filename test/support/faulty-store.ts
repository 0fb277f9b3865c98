import type { Store, Transaction } from '../../shared/store/store.ts';

/** Failure of a write: it never arrives, or its response is lost. */
export type Fault = 'not applied' | 'answer lost';

/** The error of such a failure for the caller. */
export class StoreFault extends Error {
  constructor(fault: Fault) {
    super(`the write failed: ${fault}`);
    this.name = 'StoreFault';
  }
}

/** A store whose writes can be made to fail, or to have a write conflict. */
export interface FaultyStore extends Store {
  /** Fails the next writes, one for each given failure, in this order. */
  failNext(...faults: readonly Fault[]): void;
  /** Runs `hook` before the next write is applied, for example to make a competing write. */
  beforeNextWrite(hook: (transaction: Transaction) => Promise<void>): void;
}

/** Wraps a store so that failures can be injected. Without any it does not change the store. */
export function makeFaulty(store: Store): FaultyStore {
  const faults: Fault[] = [];
  const hooks: ((transaction: Transaction) => Promise<void>)[] = [];

  return {
    get: (keys) => store.get(keys),
    query: (query) => store.query(query),
    next: (counter, count, most) => store.next(counter, count, most),
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
