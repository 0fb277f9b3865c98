import type { ServerResponse } from 'node:http';

/** Responses that wait for something, and end when they are of no use any more. */
export interface Endings {
  /** Returns a signal that aborts when a response is closed, or the server ends. */
  signalOf(response: ServerResponse): AbortSignal;
  /** Ends all of them, and those that follow. */
  endAll(): void;
}

/** With a reason of its own, a signal needs no stack trace. */
const reason = 'nobody waits for the response';

export function openEndings(): Endings {
  const open = new Set<AbortController>();
  let isEnding = false;
  return {
    signalOf: (response) => {
      const controller = new AbortController();
      if (isEnding || response.destroyed) {
        controller.abort(reason);
        return controller.signal;
      }
      open.add(controller);
      response.once('close', () => {
        open.delete(controller);
        controller.abort(reason);
      });
      return controller.signal;
    },
    endAll: () => {
      isEnding = true;
      for (const controller of open) controller.abort(reason);
    },
  };
}
