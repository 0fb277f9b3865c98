import type { Platform, Secrets } from '../ports/ports.ts';
import { accountEntity } from '../table/entities/accounts.ts';
import { instanceEntity } from '../table/entities/instances.ts';
import type { InvitationData } from '../table/records/instances/invitations.ts';
import type { AccountData, ApiKeyData, Keyed, UserData } from '../table/records/records.ts';
import type { ScriptData } from '../table/records/scripts.ts';
import type { SessionData } from '../table/records/user-accounts.ts';
import {
  isGenuine,
  keyText,
  maxGeneration,
  parseKey,
  type RecordClaims,
} from '../values/keys/credentials.ts';
import { ownerOfData } from '../values/keys/data-ids.ts';

/** Computes an account's key from its record. */
export function accountKey(secrets: Secrets, { id, ...keyed }: AccountData): Promise<string> {
  return textOf(secrets, 'account', { ...keyed, scope: id, record: 0 });
}

/** Computes an API key from its record. */
export function apiKey(secrets: Secrets, instance: number, data: ApiKeyData): Promise<string> {
  return textOf(secrets, 'apiKey', { ...data, scope: instance, record: data.id });
}

/** Computes the key of an invitation from its record. */
export function invitationKey(
  secrets: Secrets,
  instance: number,
  data: InvitationData,
): Promise<string> {
  return textOf(secrets, 'invitation', { ...data, scope: instance, record: data.id });
}

/** Returns the claims of a genuine key of this kind; undefined for any other text. */
export async function claimsOf(
  secrets: Secrets,
  kind: RecordClaims['kind'],
  text: string,
): Promise<RecordClaims | undefined> {
  const key = parseKey(text.trim());
  const claims = key?.claims;
  if (key === undefined || claims === undefined || claims.kind === 'script') return undefined;
  if (claims.kind !== kind) return undefined;
  const version = await secrets.get(claims.version);
  return version !== undefined && isGenuine(key, version.secret) ? claims : undefined;
}

/** Computes the key of a user from its record. */
export function userKey(secrets: Secrets, instance: number, data: UserData): Promise<string> {
  return textOf(secrets, 'user', { ...data, scope: instance, record: data.id });
}

/** Computes the key of a session of a user from its record. */
export function sessionKey(
  secrets: Secrets,
  { instance, user }: { readonly instance: number; readonly user: number },
  session: SessionData,
): Promise<string> {
  const { number } = session;
  return textOf(secrets, 'session', { ...session, scope: instance, record: user, session: number });
}

/**
 * Computes the one-time code that creates the first account of a closed deployment. It is the same at every start, and
 * useless once there is an account.
 */
export async function setUpCode(secrets: Secrets): Promise<string> {
  const { version } = await secrets.current();
  return textOf(secrets, 'setUp', { secret_version: version, generation: 1, scope: 0, record: 0 });
}

const tokenSeconds = 600; // docs/reference/scripts.md#full-access

/** Run of a token. */
interface TokenRun {
  /** Data id. */
  readonly instance: number;
  readonly script: Pick<ScriptData, 'id' | 'version'>;
  readonly depth: number;
}

/**
 * Creates a script's token, to act in its instance on behalf of the owner, with role `full`. It expires after ten
 * minutes, and with a new version of the script, a restore of the instance, or a reset of the owner's key.
 *
 * @returns undefined when the instance was deleted
 */
export async function metaToken(
  { secrets, clock, store }: Pick<Platform, 'secrets' | 'clock' | 'store'>,
  { instance, script, depth }: TokenRun,
): Promise<string | undefined> {
  const instanceRecord = await instanceEntity.read(store, instance);
  const owner = instanceRecord?.data.owner;
  if (owner === undefined) return undefined;
  const account = await accountEntity.read(store, owner);
  const ownerGeneration = account?.data.generation;
  if (ownerGeneration === undefined) return undefined;
  const { version, secret } = await secrets.current();
  const endsAt = Math.ceil(clock.micros() / 1_000_000) + tokenSeconds;
  return keyText(
    {
      kind: 'script',
      version,
      scope: instance,
      endsAt,
      depth,
      script: script.id,
      scriptVersion: script.version,
      owner,
      ownerGeneration,
    },
    secret,
  );
}

/** Computes the public link of a script endpoint; its list position stays the same when it is renamed. */
export function publicLink(
  secrets: Secrets,
  instance: number,
  data: Keyed & { readonly row: number },
): Promise<string> {
  return textOf(secrets, 'publicLink', { ...data, scope: instance, record: data.row });
}

/**
 * Returns the key properties of a new record. Generations start at random: if a restore causes ids to be used again,
 * the keys of new records differ from those issued, or revoked, before.
 */
export async function firstKey({
  secrets,
  ids,
}: Pick<Platform, 'secrets' | 'ids'>): Promise<Keyed> {
  return {
    secret_version: (await secrets.current()).version,
    generation: firstGeneration(ids),
  };
}

/** Returns the generation of the key of a new record. */
export function firstGeneration(ids: Platform['ids']): number {
  const drawn = Number.parseInt(ids.random().slice(0, 8), 16);
  return (drawn % maxGeneration) + 1;
}

/**
 * Returns the key properties after a reset: the next generation (the first one after the last), with the current
 * secret; the write invalidates the previous key.
 */
export async function nextKey(secrets: Secrets, { generation }: Keyed): Promise<Keyed> {
  return {
    secret_version: (await secrets.current()).version,
    generation: (generation % maxGeneration) + 1,
  };
}

type KeyedRecord = Keyed & { scope: number; record: number; session?: number };

async function textOf(
  secrets: Secrets,
  kind: RecordClaims['kind'],
  { secret_version, generation, scope, record, session }: KeyedRecord,
): Promise<string> {
  const secret = await secrets.get(secret_version);
  if (secret === undefined) return ''; // retired by the operator: a reset creates a new key
  const claims = { kind, version: secret_version, scope: ownerOfData(scope), record, generation };
  return keyText(session === undefined ? claims : { ...claims, session }, secret.secret);
}
