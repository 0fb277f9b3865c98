import type { ServerResponse } from 'node:http';
import { clientGone } from '../../../core/http/message.ts';

/** Responses that wait for something, and end when they are of no use any more. */
export interface Endings {
  /** Returns a signal that aborts when a response is closed, or the server ends. */
  signalOf(response: ServerResponse): AbortSignal;
  /** Ends all of them, and those that follow. */
  endAll(): void;
}

/** With a reason of its own, a signal needs no stack trace. */
const serverEnds = 'the server ends';

export function openEndings(): Endings {
  const open = new Set<AbortController>();
  let isEnding = false;
  return {
    signalOf: (response) => {
      const controller = new AbortController();
      if (isEnding || response.destroyed) {
        controller.abort(response.destroyed ? clientGone : serverEnds);
        return controller.signal;
      }
      open.add(controller);
      response.once('close', () => {
        open.delete(controller);
        controller.abort(clientGone);
      });
      return controller.signal;
    },
    endAll: () => {
      isEnding = true;
      for (const controller of open) controller.abort(serverEnds);
    },
  };
}
