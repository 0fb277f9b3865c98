import { computed, signal } from '@preact/signals';

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

/** The view that was chosen with "view as"; undefined: that of the account. */
export const lens = signal<Lens | undefined>(undefined);

export const isSignedIn = computed(() => session.value !== undefined);

/** Keeps the key of an account in the tab. */
export function signIn(account: SignedIn): void {
  sessionStorage.setItem(storageName, JSON.stringify(account));
  session.value = account;
}

/** Forgets the key, and what screens have kept in the tab. */
export function signOut(): void {
  sessionStorage.clear();
  lens.value = undefined;
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
