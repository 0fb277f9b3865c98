/** Why a push service said no. */
export type PushFailureReason =
  /** It does not accept the credential. */
  | 'badCredential'
  | 'badToken'
  /** The device takes no pushes any more. */
  | 'disabled'
  /** What was named is not there, or not any more. */
  | 'missing'
  /** It cannot deliver a push such as this one. */
  | 'badPush'
  /** It was too busy and has done nothing. */
  | 'busy'
  /** Anything else; it may have done what it was asked for. */
  | 'unknown';

/**
 * A push service said no. It carries neither what was sent nor what came back: both may hold tokens and secrets, and
 * errors reach the log.
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

/** The reason of a push service's no; anything else that was thrown is thrown on. */
export function failureReason(error: unknown): PushFailureReason {
  if (error instanceof PushFailure) return error.reason;
  throw error;
}
