import type { ServerResponse } from 'node:http';
import { type Ending, type OpenEnding, openEnding } from '../../../values/ending.ts';

/** Responses that wait for something, and end when they are of no use any more. */
export interface Endings {
  /** Returns the end of a request: its response is closed, or the server ends. */
  of(response: ServerResponse): Ending;
  /** Ends all of them, and those that follow. */
  endAll(): void;
}

export function openEndings(): Endings {
  const open = new Set<OpenEnding>();
  let isEnding = false;
  return {
    of: (response) => {
      const ending = openEnding();
      if (response.destroyed) ending.end('client gone');
      else if (isEnding) ending.end('server ends');
      else {
        open.add(ending);
        response.once('close', () => {
          open.delete(ending);
          ending.end('client gone');
        });
      }
      return ending;
    },
    endAll: () => {
      isEnding = true;
      for (const ending of open) ending.end('server ends');
    },
  };
}
