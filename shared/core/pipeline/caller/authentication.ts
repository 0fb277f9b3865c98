import type { Clock, Secrets } from '../../../platform/ports.ts';
import { ApiError, noSuchKey, notFound } from '../../../values/errors/errors.ts';
import { isJsonObject } from '../../../values/json/json.ts';
import { queryValue, type Request } from '../../http/message.ts';
import type { Caches } from '../../resource/caches.ts';
import type { Body } from '../../resource/input.ts';
import {
  isGenuine,
  type KeyClaims,
  parseKey,
  type RecordClaims,
  type ScriptClaims,
} from './credentials.ts';

/** Whose keys came with a call. They are genuine; that their records still agree is not known yet. */
export interface Caller {
  readonly account?: RecordClaims;
  readonly apiKey?: RecordClaims;
  readonly user?: RecordClaims;
  /** The public link by which the call came, which takes the place of credentials. */
  readonly link?: RecordClaims;
  /** Of a script's run, which acts on behalf of the owner of its instance. */
  readonly script?: ScriptClaims;
  /** The body was read for a key and could not be parsed: said when credentials are asked for. */
  readonly bodyFault?: ApiError;
}

/**
 * Finds and verifies the credentials of a call, wherever they may stand (docs/reference/requests.md#keys).
 *
 * @param body parses the body, once however often it is called; not called for nothing
 * @throws ApiError 403 for a key that is none of ours, before any look at the store
 */
export async function identify(
  request: Request,
  body: () => Promise<Body>,
  keys: KeyRing,
): Promise<Caller> {
  let key = keyOutsideBody(request);
  if (key === undefined) {
    const inside = await keysInBody(request, body);
    if (inside instanceof ApiError) return { bodyFault: inside };
    key = inside.key;
  }
  if (key === undefined) return {};
  const claims = await verify(key, keys);
  if (claims?.kind === 'account') return { account: claims };
  if (claims?.kind === 'script' && isOpen(claims, keys.clock)) return { script: claims };
  if (claims?.kind !== 'apiKey') throw noSuchKey();
  const userKey = userKeyOutsideBody(request) ?? (await userKeyInBody(request, body));
  const user = userKey === undefined ? undefined : await verify(userKey, keys);
  // a user key that is none is read past, and so is one of another instance
  return user?.kind === 'user' && user.scope === claims.scope
    ? { apiKey: claims, user }
    : { apiKey: claims };
}

/**
 * Verifies a public link, whose calls need no credentials, and whose credentials are not looked at.
 *
 * @throws ApiError 404 for one that is none of ours, before any look at the store
 */
export async function identifyLink(link: string, keys: KeyRing): Promise<Caller> {
  const claims = await verify(link, keys);
  if (claims?.kind !== 'publicLink') throw notFound();
  return { link: claims };
}

/** What stands for the caller in path, query and headers: nothing, a key that is none of ours, or a genuine one. */
export type Credential = 'none' | 'forged' | KeyClaims;

/**
 * Finds the credential outside of the body and verifies its MAC, without a look at the store.
 *
 * @param link the public link in the path, which takes the place of keys
 */
export async function credentialOutsideBody(
  request: Request,
  link: string | undefined,
  keys: KeyRing,
): Promise<Credential> {
  if (link !== undefined) {
    const claims = await verify(link, keys);
    return claims?.kind === 'publicLink' ? claims : 'forged';
  }
  const key = keyOutsideBody(request);
  return key === undefined ? 'none' : ((await genuineKey(key, keys)) ?? 'forged');
}

/** The claims of a genuine key by which calls are made; undefined for any other text. */
export async function genuineKey(text: string, keys: KeyRing): Promise<KeyClaims | undefined> {
  const claims = await verify(text, keys);
  if (claims?.kind === 'script') return isOpen(claims, keys.clock) ? claims : undefined;
  return claims?.kind === 'account' || claims?.kind === 'apiKey' ? claims : undefined;
}

/** A script's key says itself when it ends. */
function isOpen({ endsAt }: ScriptClaims, clock: Clock): boolean {
  return clock.micros() < endsAt * 1_000_000;
}

/** What keys are verified with. */
export interface KeyRing {
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** Keys that were found genuine. */
  readonly known: Caches['keys'];
}

/** What a genuine key says; undefined for any other text, and for a key of a secret that was retired. */
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
    filled(headers['x-api-key']) ??
    filled(queryValue(query, 'api_key')) ??
    filled(queryValue(query, 'apikey')) ??
    keyOfAuthorization(headers.authorization)
  );
}

function userKeyOutsideBody({ headers, query }: Request): string | undefined {
  return (
    filled(headers['x-user-key']) ??
    filled(queryValue(query, 'user_key')) ??
    filled(queryValue(query, 'userkey'))
  );
}

function filled(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The second of exactly two words; the first may be any. Another form counts as absent. */
function keyOfAuthorization(header: string | undefined): string | undefined {
  const words = header?.split(' ') ?? [];
  return words.length === 2 ? filled(words[1]) : undefined;
}

interface BodyKeys {
  readonly key?: string | undefined;
  readonly userKey?: string | undefined;
}

const bodyMethods = ['POST', 'PUT', 'PATCH'];

/** Keys in an object body; why it could not be parsed, if so. The bodies of other methods are ignored. */
async function keysInBody(
  request: Request,
  body: () => Promise<Body>,
): Promise<BodyKeys | ApiError> {
  if (request.body.kind !== 'json' && !bodyMethods.includes(request.method)) return {};
  try {
    const { value } = await body();
    if (!isJsonObject(value)) return {};
    return { key: filled(value._api_key), userKey: filled(value._user_key) };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** A body that does not parse holds no key here: that is said when it is read for what it is. */
async function userKeyInBody(
  request: Request,
  body: () => Promise<Body>,
): Promise<string | undefined> {
  const inside = await keysInBody(request, body);
  return inside instanceof ApiError ? undefined : inside.userKey;
}
