import type { Share } from '../limits/fair-queue.ts';

/** Redirects of one request at most. */
export const maxEgressRedirects = 3;

/** A request that data of a tenant may direct to any address. */
export interface EgressRequest extends Pick<RequestInit, 'body' | 'headers' | 'method' | 'signal'> {
  /** Owner and instance that its turn counts for. */
  readonly share: Share;
  /** Bytes of the body of a response; 1 MB when absent. */
  readonly maxBytes?: number;
  /** Time of the request with its redirects and the whole response, without its wait for a turn; 10 s when absent. */
  readonly timeoutMs?: number;
  /** Redirects of a GET to follow; 0, which returns the response with the redirect, when absent. */
  readonly maxRedirects?: 0 | 1 | 2 | typeof maxEgressRedirects;
}

/**
 * Sends a request whose address comes from a tenant: like `fetch`, and suitable as `customFetch` of `openid-client` and
 * `jose` with a share. Everything that it may cost or reach is limited (docs/internals/threats.md#requests-to-other-servers).
 *
 * @returns the response, received completely
 * @throws EgressError
 */
export type Egress = (url: string, request: EgressRequest) => Promise<Response>;

/**
 * Error of a request whose message is safe for clients: it is the same for an address that is not allowed, has no
 * server, or responds too slowly or with too much. `busy`: there was no turn; later there may be one.
 */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly reason: 'busy' | 'unreachable';

  constructor(reason: EgressError['reason']) {
    super(
      reason === 'busy' ? 'Too many requests to other servers.' : 'The address cannot be reached.',
    );
    this.reason = reason;
  }
}
