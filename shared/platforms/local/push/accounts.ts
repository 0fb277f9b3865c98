import { createHash } from 'node:crypto';
import type { Log, Vault } from '../../../ports/ports.ts';
import { findCredential } from '../../../push/push-config.ts';
import { PushFailure } from '../../../push/push-failure.ts';
import type { PushScope } from '../../../push/rules/provider.ts';
import type { PushCredentialData } from '../../../table/records/push.ts';
import { ownerOfData } from '../../../values/keys/data-ids.ts';
import { type AccountOptions, openAccount, type PushAccount, pushOriginOf } from './account.ts';

/** The accounts of all instances that have sent pushes lately. */
export interface Accounts {
  /**
   * Uses the account of a credential, opened when absent.
   *
   * @throws PushFailure `badCredential`; `busy` when all accounts are in use
   */
  use<T>(
    scope: PushScope,
    credential: PushCredentialData,
    run: (account: PushAccount) => Promise<T>,
  ): Promise<T>;
  close(): void;
}

/** What opens credentials. */
export interface AccountsOptions extends AccountOptions {
  readonly vault: Vault;
  readonly log: Log;
}

interface Entry {
  readonly account: PushAccount;
  readonly owner: string;
  /** Digest of credential and destination: equal credentials of an instance share a connection. */
  readonly digest: string;
  /** Sealed texts of the credential. */
  readonly sealed: Set<string>;
  uses: number;
  usedAtMs: number;
}

/** Entries; the least recently used first. */
type Entries = Set<Entry>;

const lookMs = 30_000;
const maxSealed = 8; // that are remembered: one for each environment, and those of changes

/** Opens an empty set of accounts; those that are not used for a while are closed. */
export function openAccounts(options: AccountsOptions): Accounts {
  const { clock, bounds } = options;
  const entries: Entries = new Set();
  const closeIdle = () => {
    for (const each of entries) {
      if (each.uses === 0 && clock.steadyMs() - each.usedAtMs > bounds.idleMs) drop(entries, each);
    }
  };
  const timer = setInterval(closeIdle, Math.min(lookMs, bounds.idleMs)).unref();
  return {
    use: async (scope, credential, run) => {
      const entry = await find(entries, scope, credential, options);
      entries.delete(entry);
      entries.add(entry);
      entry.uses += 1;
      try {
        return await run(entry.account);
      } finally {
        entry.uses -= 1;
        entry.usedAtMs = clock.steadyMs();
      }
    },
    close: () => {
      clearInterval(timer);
      for (const each of entries) drop(entries, each);
    },
  };
}

function drop(entries: Entries, entry: Entry): void {
  entries.delete(entry);
  entry.account.close();
}

async function find(
  entries: Entries,
  scope: PushScope,
  credential: PushCredentialData,
  options: AccountsOptions,
): Promise<Entry> {
  const { sealed } = credential;
  const known = [...entries].find((each) => each.sealed.has(sealed));
  if (known !== undefined) return known;
  const opened = await findCredential(options, scope, credential);
  if (opened === undefined) throw new PushFailure('badCredential', 'its key is gone');
  const owner = String(ownerOfData(scope.instance));
  const place = [owner, pushOriginOf(scope, options.addresses), JSON.stringify(opened)];
  const digest = createHash('sha256').update(JSON.stringify(place)).digest('base64');
  const same = [...entries].find((each) => each.digest === digest);
  if (same !== undefined) {
    if (same.sealed.size >= maxSealed) same.sealed.clear();
    same.sealed.add(sealed);
    return same;
  }
  makeRoom(entries, owner, options);
  const account = openAccount(scope, opened, options);
  const entry = { account, owner, digest, sealed: new Set([sealed]), uses: 0, usedAtMs: 0 };
  entries.add(entry);
  return entry;
}

/** Closes an unused account where there are too many: in total, or of one instance. */
function makeRoom(entries: Entries, owner: string, { bounds }: AccountsOptions): void {
  const own = [...entries].filter((each) => each.owner === owner);
  const full = own.length >= bounds.instanceCredentials ? own : [...entries];
  const isFull = full === own || entries.size >= bounds.credentials;
  if (!isFull) return;
  const unused = full.find(({ uses }) => uses === 0);
  if (unused === undefined) throw new PushFailure('busy', 'too many credentials in use');
  drop(entries, unused);
}
