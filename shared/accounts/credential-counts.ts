import { secretVersionOf } from '../ports/derived-vault.ts';
import type { Stored } from '../store/store.ts';
import { accountEntity } from '../table/entities/accounts.ts';
import { scriptEndpointEntity } from '../table/entities/endpoints.ts';
import { apiKeyEntity, invitationEntity } from '../table/entities/instances.ts';
import { pushConfigEntity } from '../table/entities/push.ts';
import { sessionEntity, userSettingsEntity } from '../table/entities/user-accounts.ts';
import { userEntity } from '../table/entities/users.ts';
import type { Keyed } from '../table/records/records.ts';

const keyed: ReadonlyMap<string, CredentialKind> = new Map([
  [accountEntity.kind, 'account keys'],
  [apiKeyEntity.kind, 'API keys'],
  [userEntity.kind, 'user keys'],
  [sessionEntity.kind, 'sessions'],
  [scriptEndpointEntity.kind, 'public links'],
  [invitationEntity.kind, 'invitations'],
]);

/**
 * Records that depend on a version of the master secret; push credentials, and with them the secrets of services for
 * log-ins, only where no key of KMS encrypts them.
 */
export const credentialKinds = [
  'account keys',
  'API keys',
  'user keys',
  'sessions',
  'public links',
  'invitations',
  'push credentials',
] as const;
/** One of these kinds. */
export type CredentialKind = (typeof credentialKinds)[number];

/** Kinds of items that {@link countCredentials} counts. */
export const countedKinds: readonly string[] = [
  ...keyed.keys(),
  pushConfigEntity.kind,
  userSettingsEntity.kind,
];

/** Number of credentials of each kind, by version of the master secret. */
export type CredentialCounts = ReadonlyMap<number, Readonly<Record<CredentialKind, number>>>;

/** Opens a count of the credentials in items, one by one. */
export function openCredentialCounts() {
  const counts = new Map<number, Record<CredentialKind, number>>();
  const count = (version: number, kind: CredentialKind) => {
    const known = counts.get(version) ?? noCredentials();
    known[kind] += 1;
    counts.set(version, known);
  };
  return {
    counts: counts as CredentialCounts,
    take: (item: Stored) => {
      const kind = keyed.get(item.kind);
      if (kind !== undefined) count((item.data as Keyed).secret_version, kind); // as all of these kinds
      for (const sealed of sealedIn(item)) {
        const version = secretVersionOf(sealed);
        if (version !== undefined) count(version, 'push credentials');
      }
    },
  };
}

/** Returns the texts in an item that the vault has sealed. */
function sealedIn(item: Stored): readonly string[] {
  if (userSettingsEntity.matches(item)) {
    return item.data.providers.flatMap(({ secret }) => secret ?? []);
  }
  if (!pushConfigEntity.matches(item)) return [];
  return Object.values(item.data).flatMap(({ credential }) => credential?.sealed ?? []);
}

/** Returns counts of zero. */
export function noCredentials(): Record<CredentialKind, number> {
  return {
    'account keys': 0,
    'API keys': 0,
    'user keys': 0,
    sessions: 0,
    'public links': 0,
    invitations: 0,
    'push credentials': 0,
  };
}
