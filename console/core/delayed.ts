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
  readonly onDone?: () => void;
}

const waiting = new Set<() => void>();

/** Sends a request after the time for *Undo*, with the current keys; earlier when the screen or the page is left. */
export function sendLater({ text, failure, request, onUndo, onDone }: DelayedRequest): void {
  const keys = authHeaders(request);
  const stop = () => {
    clearTimeout(timer);
    dismiss(notice);
    waiting.delete(run);
  };
  const run = () => {
    stop();
    send(request, keys).then(onDone, (error: unknown) => {
      onUndo();
      const { status, message } = toApiProblem(error);
      notifyProblem(new ApiProblem(status, `${failure}: ${message}`));
    });
  };
  const notice = notify(text, async () => {
    stop();
    onUndo();
  });
  const timer = setTimeout(run, shownMs.undo);
  waiting.add(run);
}

/** Sends the waiting requests immediately. */
export function sendDelayed(): void {
  for (const run of waiting) run();
}

addEventListener('pagehide', sendDelayed);
