/** Reason of an error response of a push service. */
export type PushFailureReason =
  /** The credential is not accepted. */
  | 'badCredential'
  | 'badToken'
  /** The token belongs to an app that this credential does not send for. */
  | 'otherApp'
  /** The device no longer accepts pushes. */
  | 'disabled'
  /** The endpoint or application does not exist, or no longer exists. */
  | 'missing'
  /** The service cannot deliver a push such as this one. */
  | 'badPush'
  /** The service was too busy and has done nothing. */
  | 'busy'
  /** The service cannot be reached: nothing was sent. */
  | 'unreachable'
  /** The deployment may not do this, or asks for it in a wrong way: nothing was done. */
  | 'denied'
  /** Any other error; the service may have executed the request. */
  | 'unknown';

/**
 * Error response of a push service. It contains neither the request nor the response: both may hold tokens and secrets,
 * and errors are logged.
 */
export class PushFailure extends Error {
  readonly reason: PushFailureReason;
  /** Milliseconds that a busy service asks to wait; undefined: it does not say. */
  readonly afterMs: number | undefined;

  /** @param name of the service's own error */
  constructor(reason: PushFailureReason, name: string, afterMs?: number) {
    super(
      reason === 'unreachable'
        ? `the push service cannot be reached: ${name}`
        : `the push service rejected a request: ${name} (${reason})`,
    );
    this.name = 'PushFailure';
    this.reason = reason;
    this.afterMs = afterMs;
  }
}

/** Returns the reason of a push service's error; rethrows anything else. */
export function failureReason(error: unknown): PushFailureReason {
  if (error instanceof PushFailure) return error.reason;
  throw error;
}
