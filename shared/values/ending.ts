/** The end of a request that waits for something. */
export interface Ending {
  /** Returns why the request has ended; undefined while it has not. */
  reason(): 'client gone' | 'server ends' | undefined;
  /** Calls a listener when the request ends, at once when it has ended. Returns a function that removes the listener. */
  onEnd(listener: () => void): () => void;
}

/** The end of a request, for the server that causes it. */
export interface OpenEnding extends Ending {
  /** Calls the listeners, the first time. */
  end(reason: NonNullable<ReturnType<Ending['reason']>>): void;
}

/**
 * Creates the end of a request that has not ended. Thousands of requests may wait, and an AbortSignal with a listener
 * needs several times the memory.
 */
export function openEnding(): OpenEnding {
  const listeners = new Set<() => void>();
  let reason: ReturnType<Ending['reason']>;
  return {
    reason: () => reason,
    onEnd: (listener) => {
      if (reason === undefined) listeners.add(listener);
      else listener();
      return () => listeners.delete(listener);
    },
    end: (why) => {
      if (reason !== undefined) return;
      reason = why;
      for (const listener of listeners) listener();
      listeners.clear();
    },
  };
}
