import { anonymousBodyBytes } from '../../../values/bounds.ts';
import { type ApiError, tooLarge } from '../../../values/errors/errors.ts';
import type { KeyClaims } from '../../../values/keys/credentials.ts';
import { mediaType } from '../../../values/text/media-type.ts';
import type { Request } from '../../http/message.ts';
import type { Match } from '../../routing/router.ts';
import {
  type Credential,
  credentialOutsideBody,
  genuineKey,
  type KeyRing,
} from './authentication.ts';

/** A request whose body has arrived but is not parsed yet. */
export interface ArrivedRequest {
  readonly request: Request;
  /** Size as sent; 0 inside another request. */
  readonly bodyBytes: number;
  readonly match: Match;
  readonly keys: KeyRing;
}

/**
 * Checks the size of a body. Limits are that of its route, and that without a genuine credential. Parses nothing of it
 * except, in multipart, its start.
 *
 * @returns 413 when it is too large; undefined for a forged key, which gets its own error response
 */
export async function sizeError(arrived: ArrivedRequest): Promise<ApiError | undefined> {
  const { request, bodyBytes, match, keys } = arrived;
  const { maxBodyBytes = bodyBytes } = match.route;
  if (bodyBytes > maxBodyBytes) return tooLarge(maxBodyBytes);
  if (bodyBytes <= anonymousBodyBytes || request.body.kind !== 'bytes') return undefined;
  const credential = await credentialOutsideBody(request, match.params, keys);
  if (!isAnonymous(match, credential)) return undefined;
  const start = request.body.bytes.subarray(0, anonymousBodyBytes);
  const claims = await keyAtStart(request, start, { keys, instance: match.params.instance });
  return claims === undefined ? tooLarge(anonymousBodyBytes) : undefined;
}

/** Checks whether the body has to be parsed: not for a request that is rejected without it. */
export async function isParsed(arrived: ArrivedRequest): Promise<boolean> {
  const { request, match, keys } = arrived;
  const credential = await credentialOutsideBody(request, match.params, keys);
  if (credential === 'forged' && !isAnonymous(match, credential)) return false;
  return (await sizeError(arrived)) === undefined;
}

/** Checks whether a request has no credential outside its body. A forged key counts as none where keys are ignored. */
export function isAnonymous({ route, params }: Match, credential: Credential): boolean {
  if (credential === 'none') return true;
  return credential === 'forged' && route.ignoresCredentials && params.link === undefined;
}

/** Returns the claims of a genuine key in the start of a multipart body. Undefined unless a whole part holds one. */
export async function keyAtStart(
  { headers }: Request,
  start: Uint8Array,
  { keys, instance }: { readonly keys: KeyRing; readonly instance: string | undefined },
): Promise<KeyClaims | undefined> {
  const contentType = headers['content-type'] ?? '';
  if (mediaType(contentType) !== 'multipart/form-data') return undefined;
  const { fieldAtStart } = await import('../../http/body/multipart.ts'); // a tenth of a handler, which most requests never need
  const text = await fieldAtStart(contentType, start, '_api_key');
  return text === undefined ? undefined : genuineKey(text, instance, keys);
}

/** Checks whether the body of a request may override the method (docs/reference/requests.md#method-override). */
export function mayOverride({ method, headers }: Request): boolean {
  const contentType = headers['content-type'];
  return method === 'POST' && contentType !== undefined && mediaType(contentType) === 'text/plain';
}
