/* Promises without an owner: nobody awaits them, so a rejection would end the process. */

/**
 * Lets a promise run in the background.
 *
 * @param report receives the error of a promise that rejects; it must not throw
 */
export function inBackground(
  promise: PromiseLike<unknown>,
  report: (error: unknown) => void,
): void {
  promise.then(undefined, report);
}

/**
 * Lets a promise run in the background that cannot reject; a comment beside the call says why. If it does, the process
 * prints a warning.
 */
export function neverRejects(promise: PromiseLike<unknown>): void {
  promise.then(undefined, warn);
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
