import type { Clock, Platform } from '../../../ports/ports.ts';
import { ApiError, noSuchKey, notFound } from '../../../values/errors/errors.ts';
import { isJsonObject } from '../../../values/json/json.ts';
import {
  isGenuine,
  type KeyClaims,
  parseKey,
  type RecordClaims,
  type ScriptClaims,
} from '../../../values/keys/credentials.ts';
import type { Body } from '../../http/body/body.ts';
import { queryValue, type Request } from '../../http/message.ts';
import type { Caches } from '../../routing/caches.ts';
import { claimsOfAlias } from './aliases.ts';

/** Claims of a request's keys. They are genuine; whether their records still agree is not known yet. */
export interface Caller {
  readonly account?: RecordClaims;
  readonly apiKey?: RecordClaims;
  /** Key of a user or of a session of a user. */
  readonly user?: RecordClaims;
  /** The public link in the path, which replaces credentials. */
  readonly link?: RecordClaims;
  /** Claims of a script's run, which acts on behalf of the owner of its instance. */
  readonly script?: ScriptClaims;
  /** Error of a body that was read for a key and could not be parsed; thrown when credentials are required. */
  readonly bodyFault?: ApiError;
}

/**
 * Finds and verifies the credentials of a request, in all places that may hold them (docs/reference/requests.md#keys).
 *
 * @param body     parses the body, once for any number of uses; not used without need
 * @param instance name of the instance in the path
 * @throws ApiError 403 for a key that is not genuine, before the store is read for any text but that of an alias
 */
export async function identify(
  request: Request,
  body: () => Promise<Body>,
  { keys, instance }: { readonly keys: KeyRing; readonly instance: string | undefined },
): Promise<Caller> {
  let key = keyOutsideBody(request);
  if (key === undefined) {
    const inside = await keysInBody(request, body);
    if (inside instanceof ApiError) return { bodyFault: inside };
    key = inside.key;
  }
  if (key === undefined) return {};
  const claims = await genuineKey(key, instance, keys);
  if (claims === undefined) throw noSuchKey();
  if (claims.kind === 'script') return { script: claims };
  if (claims.kind === 'account') return { account: claims };
  const userKey = userKeyOutsideBody(request) ?? (await userKeyInBody(request, body));
  const user = userKey === undefined ? undefined : await verify(userKey, keys);
  // an invalid user key is ignored, and so is one of another instance
  const isOfUser = user?.kind === 'user' || user?.kind === 'session';
  return isOfUser && user.scope === claims.scope ? { apiKey: claims, user } : { apiKey: claims };
}

/**
 * Verifies a public link. Its requests need no credentials, and their credentials are ignored.
 *
 * @throws ApiError 404 for one that is not genuine, before the store is read
 */
export async function identifyLink(link: string, keys: KeyRing): Promise<Caller> {
  const claims = await verify(link, keys);
  if (claims?.kind !== 'publicLink') throw notFound();
  return { link: claims };
}

/** The credential in path, query and headers: none, a key that is not genuine, or claims of a genuine one. */
export type Credential = 'none' | 'forged' | KeyClaims;

/**
 * Finds the credential outside the body and verifies its MAC, without reading the store except for an alias.
 *
 * @param params of the path: the public link, which replaces keys, and the instance, which knows aliases
 */
export async function credentialOutsideBody(
  request: Request,
  { link, instance }: { readonly link?: string; readonly instance?: string },
  keys: KeyRing,
): Promise<Credential> {
  if (link !== undefined) {
    const claims = await verify(link, keys);
    return claims?.kind === 'publicLink' ? claims : 'forged';
  }
  const key = keyOutsideBody(request);
  return key === undefined ? 'none' : ((await genuineKey(key, instance, keys)) ?? 'forged');
}

/** Returns the claims of a genuine key, or alias in the instance, for requests; undefined for any other text. */
export async function genuineKey(
  text: string,
  instance: string | undefined,
  keys: KeyRing,
): Promise<KeyClaims | undefined> {
  const claims = (await verify(text, keys)) ?? (await claimsOfAlias(text, instance, keys));
  if (claims?.kind === 'script') return isOpen(claims, keys.clock) ? claims : undefined;
  return claims?.kind === 'account' || claims?.kind === 'apiKey' ? claims : undefined;
}

/** Checks whether a script's key is still valid; it contains its end. */
function isOpen({ endsAt }: ScriptClaims, clock: Clock): boolean {
  return clock.micros() < endsAt * 1_000_000;
}

/** Ports and cache that verify keys. */
export interface KeyRing extends Pick<Platform, 'clock' | 'secrets' | 'store'> {
  /** Keys that were verified. */
  readonly known: Caches['keys'];
}

/** Returns what a process verifies keys with. */
export function keyRing(
  { clock, secrets, store }: Platform,
  { keys }: Pick<Caches, 'keys'>,
): KeyRing {
  return { clock, secrets, store, known: keys };
}

/** Returns the claims of a genuine key; undefined for any other text, and for a key of a retired secret. */
async function verify(text: string, { secrets, known }: KeyRing): Promise<KeyClaims | undefined> {
  const before = known.get(text);
  const key = before === undefined ? parseKey(text) : undefined;
  const claims = before ?? key?.claims;
  if (claims === undefined) return undefined;
  const version = await secrets.get(claims.version);
  if (version === undefined) return undefined;
  if (key === undefined) return claims;
  if (!isGenuine(key, version.secret)) return undefined;
  known.set(text, claims);
  return claims;
}

function keyOutsideBody({ headers, query }: Request): string | undefined {
  return (
    textUnlessEmpty(headers['x-api-key']) ??
    textUnlessEmpty(queryValue(query, 'api_key')) ??
    textUnlessEmpty(queryValue(query, 'apikey')) ??
    keyOfAuthorization(headers.authorization)
  );
}

function userKeyOutsideBody({ headers, query }: Request): string | undefined {
  return (
    textUnlessEmpty(headers['x-user-key']) ??
    textUnlessEmpty(queryValue(query, 'user_key')) ??
    textUnlessEmpty(queryValue(query, 'userkey'))
  );
}

function textUnlessEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the second of exactly two words; the first may be any. Another form counts as absent. */
function keyOfAuthorization(header: string | undefined): string | undefined {
  const words = header?.split(' ') ?? [];
  return words.length === 2 ? textUnlessEmpty(words[1]) : undefined;
}

interface BodyKeys {
  readonly key?: string | undefined;
  readonly userKey?: string | undefined;
}

const bodyMethods = ['POST', 'PUT', 'PATCH'];

/** Returns the keys in an object body, or its parse error. Bodies of other methods are ignored. */
async function keysInBody(
  request: Request,
  body: () => Promise<Body>,
): Promise<BodyKeys | ApiError> {
  if (request.body.kind !== 'json' && !bodyMethods.includes(request.method)) return {};
  try {
    const { value } = await body();
    if (!isJsonObject(value)) return {};
    return { key: textUnlessEmpty(value._api_key), userKey: textUnlessEmpty(value._user_key) };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Returns the user key in the body. A body that does not parse has none here: its error is thrown when it is read. */
async function userKeyInBody(
  request: Request,
  body: () => Promise<Body>,
): Promise<string | undefined> {
  const inside = await keysInBody(request, body);
  return inside instanceof ApiError ? undefined : inside.userKey;
}
