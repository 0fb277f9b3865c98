/** Reason of an error response of a push service. */
export type PushFailureReason =
  /** The credential is not accepted. */
  | 'badCredential'
  | 'badToken'
  /** The device no longer accepts pushes. */
  | 'disabled'
  /** The endpoint or application does not exist, or no longer exists. */
  | 'missing'
  /** The service cannot deliver a push such as this one. */
  | 'badPush'
  /** The service was too busy and has done nothing. */
  | 'busy'
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

  /** @param name of the service's own error */
  constructor(reason: PushFailureReason, name: string) {
    super(`the push service said no: ${name} (${reason})`);
    this.name = 'PushFailure';
    this.reason = reason;
  }
}

/** Returns the reason of a push service's error; rethrows anything else. */
export function failureReason(error: unknown): PushFailureReason {
  if (error instanceof PushFailure) return error.reason;
  throw error;
}
