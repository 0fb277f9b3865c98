import { computed, signal } from '@preact/signals';
import type { keyedAccountFields } from '../../functions/account/fields.ts';
import type { ShownRecord } from '../../shared/core/resource/shown.ts';

/** An account, as the interface shows it. */
export type Account = ShownRecord<typeof keyedAccountFields>;

/** The account that is signed in. */
export interface SignedIn {
  readonly accountKey: string;
  readonly email: string;
}

/** Keys to send in place of the account key: what a user or the holder of an API key may see. */
export interface Lens {
  /** Instance that it is for; elsewhere the account key is sent. */
  readonly instance: string;
  readonly apiKey: string;
  readonly userKey: string | undefined;
  /** Whose view it is, in words: `the user ada`. */
  readonly label: string;
}

const storageName = 'groundwork-console'; // in sessionStorage: it ends with the tab

/** The signed-in account; undefined before. */
export const session = signal<SignedIn | undefined>(readSession());

/** Why the last session of the tab ended: the end of a sentence. Undefined when it was signed out here. */
export const endReason = signal<string | undefined>(undefined);

/** The view that was chosen with "view as"; undefined: that of the account. */
export const lens = signal<Lens | undefined>(undefined);

export const isSignedIn = computed(() => session.value !== undefined);

/** Keeps the key of an account in the tab. */
export function signIn({ account_key: accountKey, email }: Account): void {
  sessionStorage.setItem(storageName, JSON.stringify({ accountKey, email }));
  endReason.value = undefined;
  session.value = { accountKey, email };
}

/** Forgets the key, and what screens have kept in the tab. */
export function signOut(reason?: string): void {
  sessionStorage.clear();
  lens.value = undefined;
  endReason.value = reason;
  session.value = undefined;
}

function readSession(): SignedIn | undefined {
  const text = sessionStorage.getItem(storageName);
  if (text === null) return undefined;
  const stored: unknown = JSON.parse(text); // written by signIn only
  if (typeof stored !== 'object' || stored === null) return undefined;
  if (!('accountKey' in stored && 'email' in stored)) return undefined;
  return { accountKey: String(stored.accountKey), email: String(stored.email) };
}
