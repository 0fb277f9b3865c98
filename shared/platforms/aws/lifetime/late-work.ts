/** Work of requests that continues after their responses. */
export interface LateWork {
  /** Has the process continue until the end of some work, successful or not. */
  keep(work: Promise<unknown>): void;
  /** Resolves when all of it has ended. Never rejects. */
  ended(): Promise<void>;
}

/** Opens the late work of a process. */
export function openLateWork(): LateWork {
  const active = new Set<Promise<unknown>>();
  return {
    keep: (work) => {
      const kept: Promise<unknown> = Promise.allSettled([work]).finally(() => active.delete(kept));
      active.add(kept);
    },
    ended: async () => {
      while (active.size > 0) await Promise.all(active);
    },
  };
}

/** The invocations of a process, which has one at a time. */
export interface Invocations {
  /** Reports the end of an invocation. */
  end(): void;
  /** Resolves when one more invocation has ended, and all that continues after its response. */
  rest(): Promise<void>;
}

/** Opens the invocations of a process. */
export function openInvocations(late: LateWork): Invocations {
  let [ended, rested] = [0, 0];
  let wake = () => {};
  return {
    end: () => {
      ended += 1;
      wake();
    },
    rest: async () => {
      rested += 1;
      while (ended < rested) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      await late.ended();
    },
  };
}
