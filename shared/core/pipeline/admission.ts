import type { Share } from '../../ports/limits/fair-queue.ts';
import type { Platform } from '../../ports/ports.ts';
import type { KeyClaims } from '../../values/keys/credentials.ts';
import { ownerOfData } from '../../values/keys/data-ids.ts';
import { maxEventBytes } from '../http/event-size.ts';
import type { Request } from '../http/message.ts';
import { byCredential, createCache } from '../routing/caches.ts';
import { existingMatch } from '../routing/existing-match.ts';
import type { Route } from '../routing/route.ts';
import { createRouter, type Match } from '../routing/router.ts';
import { credentialOutsideBody, type KeyRing } from './caller/authentication.ts';
import { isAnonymous, keyAtStart, mayOverride } from './caller/body-size.ts';

/** Body that a request may send, judged by its head. */
export type AdmittedBody =
  /** The response does not depend on the body. */
  | { readonly kind: 'unread' }
  /** No genuine credential outside the body. */
  | { readonly kind: 'anonymous' }
  | Genuine;

/** A genuine credential: the owner that a body is counted for, and the limit of its route. */
export interface Genuine {
  readonly kind: 'genuine';
  /** Account or instance of the key. */
  readonly owner: string;
  /** The limit of the route, or of the platform. */
  readonly maxBytes: number;
  /** Owner that its turn counts for; absent: its route takes none. */
  readonly turn?: Share;
}

/** Checks requests before their bodies are read. */
export interface HeadCheck {
  /** Checks a request by its head alone. */
  readonly admit: (head: Request) => Promise<AdmittedBody>;
  /**
   * Checks an anonymous request by the first 64 KB of its body: a multipart body may hold a key there
   * (docs/reference/requests.md#keys).
   *
   * @returns undefined when there is no genuine key
   * @throws ApiError 400 for multipart without boundary
   */
  readonly admitByStart: (head: Request, start: Uint8Array) => Promise<Genuine | undefined>;
}

/** Creates the check before `routes`, for servers that see a request before its body. */
export function createHeadCheck(
  routes: readonly Route[],
  { secrets, clock, store }: Pick<Platform, 'secrets' | 'clock' | 'store'>,
): HeadCheck {
  const router = createRouter(routes);
  const keys: KeyRing = { secrets, clock, store, known: createCache(byCredential) };
  return {
    admit: async (head) => {
      if (!bodyMethods.includes(head.method)) return unread;
      const match = await existingMatch({ store }, router(head.path));
      if (match === undefined) return unread;
      const credential = await credentialOutsideBody(head, match.params, keys);
      if (isAnonymous(match, credential)) return anonymous;
      if (typeof credential === 'string') return tooLargeFor(match.route, head) ?? unread;
      const isServed = Object.hasOwn(match.route.operations, head.method) || mayOverride(head);
      return isServed ? genuine(credential, match) : unread;
    },
    admitByStart: async (head, start) => {
      const match = router(head.path);
      const instance = match?.params.instance;
      const claims = await keyAtStart(head, start, { keys, instance });
      return claims && genuine(claims, match);
    },
  };
}

/** Returns the limit of a route for a body that exceeds it: the response is 413, whatever the key is. */
function tooLargeFor(
  { maxBodyBytes = Infinity }: Route,
  { headers }: Request,
): Genuine | undefined {
  if (Number(headers['content-length'] ?? 0) <= maxBodyBytes) return undefined;
  return { kind: 'genuine', owner: 'none', maxBytes: maxBodyBytes };
}

/** Bodies of other methods are ignored. */
const bodyMethods = ['POST', 'PUT', 'PATCH'];
const unread: AdmittedBody = { kind: 'unread' };
const anonymous: AdmittedBody = { kind: 'anonymous' };

function genuine({ kind, scope }: KeyClaims, match: Match | undefined): Genuine {
  // a script's token names contents, of which a restore makes others: the owner is the same instance
  const owner = `${kind === 'account' ? 'account' : 'instance'} ${ownerOfData(scope)}`;
  const { maxBodyBytes = maxEventBytes, isBatch } = match?.route ?? {};
  const turn = isBatch && { owner, instance: match?.params.instance ?? '' };
  return { kind: 'genuine', owner, maxBytes: maxBodyBytes, ...(turn && { turn }) };
}
