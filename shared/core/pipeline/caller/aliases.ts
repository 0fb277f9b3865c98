import { timingSafeEqual } from 'node:crypto';
import type { Platform } from '../../../ports/ports.ts';
import type { Stored } from '../../../store/store.ts';
import { instanceNameEntity } from '../../../table/entities/instances.ts';
import type { AliasData, InstanceNameData } from '../../../table/records/records.ts';
import { aliasMac, type RecordClaims } from '../../../values/keys/credentials.ts';

/*
 * ALIASES: keys of 40 digits from another service that stand for an API key (docs/reference/keys.md#aliases). The record
 * of an instance's name holds them, which requests read anyway, so they cost no other instance a read.
 */

const aliasForm = /^[0-9a-f]{40}$/i;

/** Checks whether a text has the form of an alias; no key of ours has it. */
export function isAliasForm(text: string): boolean {
  return aliasForm.test(text);
}

/**
 * Returns the claims of an alias of an API key: the key's own, as they were when the alias was registered.
 *
 * @param name name of the instance in the path; an alias is unknown of every other instance
 * @returns undefined for any other text; texts of another form are not looked up
 */
export async function claimsOfAlias(
  text: string,
  name: string | undefined,
  { store, secrets }: Pick<Platform, 'store' | 'secrets'>,
): Promise<RecordClaims | undefined> {
  if (name === undefined || !isAliasForm(text)) return undefined;
  const found = await instanceNameEntity.read(store, name);
  if (found === undefined) return undefined;
  const alias = await findAlias(text, found.data, secrets);
  if (alias === undefined) return undefined;
  const { key, generation, secret_version, mac } = alias;
  const scope = found.data.instance;
  return { kind: 'apiKey', version: secret_version, scope, record: key, generation, alias: mac };
}

/** Finds an alias of an instance by its text. Compares it with all of them. */
export async function findAlias(
  text: string,
  { instance, aliases = [] }: InstanceNameData,
  secrets: Platform['secrets'],
): Promise<AliasData | undefined> {
  let found: AliasData | undefined;
  for (const alias of aliases) {
    const version = await secrets.get(alias.secret_version);
    if (version === undefined) continue; // retired: the API key has ended as well
    const mac = aliasMac(text, alias.origin ?? instance, version.secret);
    if (timingSafeEqual(Buffer.from(mac), Buffer.from(alias.mac))) found = alias;
  }
  return found;
}

/** Checks whether an instance still has the alias by which a request names its API key, if by one. */
export function isRegistered(
  { alias, record }: RecordClaims,
  name: Stored<InstanceNameData> | undefined,
): boolean {
  if (alias === undefined) return true;
  return name?.data.aliases?.some(({ mac, key }) => mac === alias && key === record) === true;
}
