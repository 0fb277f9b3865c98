import {
  isGenuine,
  type KeyClaims,
  type KeyKind,
  keyText,
  maxGeneration,
  parseKey,
} from '../domain/credentials.ts';
import { refused } from '../domain/errors.ts';
import type { InvitationData } from '../store/invitation-records.ts';
import type { AccountData, ApiKeyData, Keyed, UserData } from '../store/records.ts';
import type { Platform, Secrets } from './ports.ts';

/** Computes an account's key again. */
export function accountKey(secrets: Secrets, { id, ...keyed }: AccountData): Promise<string> {
  return textOf(secrets, 'account', { ...keyed, scope: id, record: 0 });
}

/** Computes the key of an API key's record again. */
export function apiKey(secrets: Secrets, instance: number, data: ApiKeyData): Promise<string> {
  return textOf(secrets, 'apiKey', { ...data, scope: instance, record: data.id });
}

/** Computes the key of an invitation again. */
export function invitationKey(
  secrets: Secrets,
  instance: number,
  data: InvitationData,
): Promise<string> {
  return textOf(secrets, 'invitation', { ...data, scope: instance, record: data.id });
}

/** The claims of a genuine key of this kind; undefined for any other text. */
export async function claimsOf(
  secrets: Secrets,
  kind: KeyKind,
  text: string,
): Promise<KeyClaims | undefined> {
  const key = parseKey(text.trim());
  if (key?.claims.kind !== kind) return undefined;
  const version = await secrets.get(key.claims.version);
  return version !== undefined && isGenuine(key, version.secret) ? key.claims : undefined;
}

/** Computes the key of a user's record again. */
export function userKey(secrets: Secrets, instance: number, data: UserData): Promise<string> {
  return textOf(secrets, 'user', { ...data, scope: instance, record: data.id });
}

/**
 * Computes the one-time code with which the first account of a closed deployment is made. It is the same at every
 * start, and worth nothing once there is an account.
 */
export async function setUpCode(secrets: Secrets): Promise<string> {
  const { version } = await secrets.current();
  return textOf(secrets, 'setUp', { secret_version: version, generation: 1, scope: 0, record: 0 });
}

const tokenSeconds = 600; // reference: META, token

/** Makes the key with which a script acts as the owner of its instance, for ten minutes. */
export async function metaToken(
  { secrets, clock }: Pick<Platform, 'secrets' | 'clock'>,
  { instance, depth }: { readonly instance: number; readonly depth: number },
): Promise<string> {
  const { version } = await secrets.current();
  const record = Math.ceil(clock.micros() / 1_000_000) + tokenSeconds;
  return textOf(secrets, 'script', {
    ...{ secret_version: version, generation: depth, scope: instance, record },
  });
}

/** Computes the public link of a script endpoint again; its row stays when it is renamed. */
export function publicLink(
  secrets: Secrets,
  instance: number,
  data: Keyed & { readonly row: number },
): Promise<string> {
  return textOf(secrets, 'publicLink', { ...data, scope: instance, record: data.row });
}

/** Tells whether a key is the one that its record speaks of now. */
export function isCurrent(claims: KeyClaims, data: Keyed | undefined): boolean {
  return claims.generation === data?.generation && claims.version === data.secret_version;
}

/** What the record of a new key holds. */
export async function firstKey(secrets: Secrets): Promise<Keyed> {
  return { secret_version: (await secrets.current()).version, generation: 1 };
}

/**
 * What the record holds after a reset: the next generation, made with the current secret; the key before is dead
 * with the write.
 *
 * @throws ApiError 400 when a key has been reset 65,534 times
 */
export async function nextKey(secrets: Secrets, { generation }: Keyed): Promise<Keyed> {
  if (generation >= maxGeneration) {
    throw refused(400, 'This key cannot be reset any more. Make a new one.', 'state_conflict');
  }
  return { secret_version: (await secrets.current()).version, generation: generation + 1 };
}

async function textOf(
  secrets: Secrets,
  kind: KeyKind,
  { secret_version, generation, scope, record }: Keyed & { scope: number; record: number },
): Promise<string> {
  const secret = await secrets.get(secret_version);
  if (secret === undefined) return ''; // retired by the operator: there is no key until a reset makes one
  return keyText({ kind, version: secret_version, scope, record, generation }, secret.secret);
}
