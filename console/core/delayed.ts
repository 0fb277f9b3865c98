import { ApiProblem, authHeaders, send } from './api.ts';
import { toApiProblem } from './load.ts';
import { dismiss, notify, notifyProblem, shownMs } from './notices.ts';
import type { ApiRequest } from './request.ts';

/** A request for a change that the screen shows immediately; it can be undone until it is sent. */
interface DelayedRequest {
  /** What was done, for example `Object 14 deleted`. */
  readonly text: string;
  /** The same for when the request fails: `Object 14 was not deleted`. */
  readonly failure: string;
  readonly request: ApiRequest;
  /** Shows again what it was before, on *Undo* and after a failure. */
  readonly onUndo: () => void;
}

/** What sends each request that is waiting, by its path. */
const waiting = new Map<string, () => Promise<void>>();

/** Sends a request after the time for *Undo*, with the current keys; earlier when the screen or the page is left. */
export function sendLater({ text, failure, request, onUndo }: DelayedRequest): void {
  const keys = authHeaders(request);
  const stop = () => {
    clearTimeout(timer);
    dismiss(notice);
    waiting.delete(request.path);
  };
  const run = async () => {
    stop();
    try {
      await send(request, keys);
    } catch (error) {
      onUndo();
      const { status, message } = toApiProblem(error);
      notifyProblem(new ApiProblem(status, `${failure}: ${message}`));
    }
  };
  const notice = notify(text, async () => {
    stop();
    onUndo();
  });
  const timer = setTimeout(run, shownMs.undo);
  waiting.set(request.path, run);
}

/** Sends the waiting requests immediately. */
export function sendDelayed(): void {
  for (const run of waiting.values()) void run();
}

/** Sends the waiting request of a path immediately, and waits for its response. */
export async function finishDelayed(path: string): Promise<void> {
  await waiting.get(path)?.();
}

addEventListener('pagehide', sendDelayed);
