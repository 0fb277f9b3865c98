import { computed, signal } from '@preact/signals';
import type { keyedAccountFields } from '../../functions/account/fields.ts';
import type { ShownRecord } from '../../shared/core/resource/shown.ts';

/** An account, as the interface shows it. */
export type Account = ShownRecord<typeof keyedAccountFields>;

/** The account that is signed in. */
export interface SignedIn {
  readonly accountKey: string;
  readonly email: string;
  readonly id: number;
  /** When the tab was signed in, in epoch milliseconds. */
  readonly since: number;
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
/** In the local storage: when each account was signed out, by its id. It ends the sessions of tabs that were away. */
const signOutsName = 'groundwork-console-sign-outs';
/** In sessionStorage: the user of this tab has signed out, and it asks no other tab. */
const awayName = 'groundwork-console-away';
const maxSignOuts = 20;

/** The signed-in account; undefined before. */
export const session = signal<SignedIn | undefined>(readSession());

/** Why the last session of the tab ended: the end of a sentence. Undefined when it was signed out here. */
export const endReason = signal<string | undefined>(undefined);

/** The view that was chosen with "view as"; undefined: that of the account. */
export const lens = signal<Lens | undefined>(undefined);

export const isSignedIn = computed(() => session.value !== undefined);

/** Keeps the key of an account in the tab. */
export function signIn({ account_key: accountKey, email, id }: Account): void {
  const account = { accountKey, email, id, since: Date.now() };
  sessionStorage.removeItem(awayName);
  sessionStorage.setItem(storageName, JSON.stringify(account));
  endReason.value = undefined;
  session.value = account;
}

/** Notes that the account of this tab is signed out everywhere, and signs out. */
export function signOutEverywhere(): void {
  const { id } = session.peek() ?? {};
  if (id !== undefined) {
    const all = Object.entries({ ...signOuts(), [id]: Date.now() });
    localStorage.setItem(signOutsName, JSON.stringify(Object.fromEntries(all.slice(-maxSignOuts))));
  }
  signOut();
}

/** Whether the user of this tab has signed out. */
export function isAway(): boolean {
  return sessionStorage.getItem(awayName) !== null;
}

/** Signs out if the account was signed out in another tab while this one was away. */
export function endMissedSession(): void {
  const account = session.peek();
  if (account !== undefined && isSignedOut(account)) signOut(otherTab);
}

/** Why a session has ended that was signed out elsewhere. */
export const otherTab = 'you signed out in another tab';

function isSignedOut({ id, since }: SignedIn): boolean {
  return (signOuts()[id] ?? 0) >= since;
}

function signOuts(): Readonly<Record<string, number>> {
  return JSON.parse(localStorage.getItem(signOutsName) ?? '{}'); // written here only
}

/** Forgets the key, and what screens have kept in the tab. */
export function signOut(reason?: string): void {
  sessionStorage.clear();
  sessionStorage.setItem(awayName, 'yes');
  lens.value = undefined;
  endReason.value = reason;
  session.value = undefined;
}

function readSession(): SignedIn | undefined {
  const text = sessionStorage.getItem(storageName);
  if (text === null) return undefined;
  const account: SignedIn = JSON.parse(text); // written by signIn only
  if (!isSignedOut(account)) return account;
  sessionStorage.clear();
  return undefined;
}
