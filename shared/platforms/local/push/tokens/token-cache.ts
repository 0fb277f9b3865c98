/** A token, and when it has to be replaced (milliseconds since 1970). */
export interface HeldToken {
  readonly token: string;
  readonly untilMs: number;
}

/** Keeps the token of one credential. */
export interface TokenCache {
  /** Returns the token; requests at the same time make one. */
  get(): Promise<string>;
  /**
   * Drops a token that the service has rejected.
   *
   * @returns false for a new one, which another one would not improve
   */
  drop(token: string): boolean;
}

const failureMs = 5000; // no other try until then

/** Source of tokens. */
export interface TokenSource {
  /** Makes a token; its error counts for all requests of the next five seconds. */
  readonly make: () => Promise<HeldToken>;
  /** Age from which a rejected token is replaced. */
  readonly oldMs: number;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** Opens a cache of one token. */
export function openTokenCache({ make, oldMs, nowMs }: TokenSource): TokenCache {
  let made: Promise<HeldToken> | undefined;
  let held: HeldToken | undefined;
  let madeAtMs = 0;
  let untilMs = 0;
  const begin = () => {
    madeAtMs = nowMs();
    untilMs = Number.POSITIVE_INFINITY;
    const making = make();
    made = making.then(
      (token) => {
        held = token;
        untilMs = token.untilMs;
        return token;
      },
      (error: unknown) => {
        untilMs = nowMs() + failureMs;
        throw error;
      },
    );
    return made;
  };
  return {
    get: async () => (await (made === undefined || nowMs() >= untilMs ? begin() : made)).token,
    drop: (token) => {
      if (held?.token !== token) return true; // there is a newer one
      if (nowMs() - madeAtMs < oldMs) return false;
      untilMs = 0;
      return true;
    },
  };
}
