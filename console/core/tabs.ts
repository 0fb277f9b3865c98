import { at } from '../../shared/values/text/request-path.ts';
import { postSecret, serverUrl } from './api.ts';
import {
  type Account,
  endMissedSession,
  isAway,
  otherTab,
  session,
  signIn,
  signOut,
  signOutEverywhere,
} from './session.ts';

/*
 * ONE SESSION FOR THE TABS OF A BROWSER (docs/internals/threats.md#tabs-of-the-console). A new tab asks the others, chooses
 * one that offers, and exchanges the code that it gets for the key. All documents of this origin can hear the channel, so
 * it carries no key: a code is of use only with the verifier, which stays in the new tab. After any failure the new tab asks
 * its user to sign in.
 */

interface Message {
  readonly kind: 'ask' | 'offer' | 'choice' | 'code' | 'signed out';
  /** Another server may have its console at the same origin, below another path. */
  readonly server: string;
  /** Challenge of the tab that asks; digest of the key that was signed out. */
  readonly about: string;
  /** Which tabs may offer; the tab that offers or is chosen; the code, undefined where there is none. */
  readonly value?: string | undefined;
}

const channel = new BroadcastChannel('groundwork-console');
const tab = String(Math.random());
const offerMs = { visible: 100, any: 300 }; // a tab that is not busy needs a few
const codeMs = 5_000;

addEventListener('pageshow', endMissedSession); // back from the cache of the browser

channel.addEventListener('message', async ({ data }: MessageEvent<Message | null>) => {
  endMissedSession();
  const account = session.peek();
  if (account === undefined || data?.server !== serverUrl) return;
  const { kind, about, value } = data;
  if (kind === 'ask' && (value === 'any' || !document.hidden)) say('offer', about, tab);
  if (kind === 'choice' && value === tab) say('code', about, await codeFor(about));
  if (kind === 'signed out' && about === (await digestOf(account.accountKey))) {
    signOut(otherTab);
  }
});

/** The one attempt of a tab that never had a session: after one, its user has chosen to be signed out. */
let attempt: Promise<void> | undefined = isAway() ? Promise.resolve() : undefined;
session.subscribe((account) => {
  if (account !== undefined) attempt = Promise.resolve();
});

/** Signs the tab in with the session of another one, if there is one: preferably that of a visible tab. */
export function receiveSession(): Promise<void> {
  attempt ??= askTabs();
  return attempt;
}

/** Signs out, and all tabs with the same key. */
export async function signOutTabs(): Promise<void> {
  const key = session.peek()?.accountKey;
  signOutEverywhere();
  if (key !== undefined && isSecureContext) say('signed out', await digestOf(key));
}

async function askTabs(): Promise<void> {
  if (!isSecureContext) return; // without digests each tab signs in by itself
  const verifier = crypto.randomUUID() + crypto.randomUUID();
  const challenge = await digestOf(verifier);
  for (const [reach, ms] of Object.entries(offerMs)) {
    const offer = hear('offer', challenge, ms);
    say('ask', challenge, reach);
    const chosen = await offer;
    if (chosen === undefined) continue;
    const made = hear('code', challenge, codeMs);
    say('choice', challenge, chosen);
    const code = await made;
    const body = { code, code_verifier: verifier };
    const account =
      code && (await postSecret<Account>(at`account/auth/exchange/`, body).catch(() => undefined));
    if (account) signIn(account);
    return;
  }
}

function codeFor(code_challenge: string): Promise<string | undefined> {
  const made = postSecret<{ code: string }>(at`account/auth/code/`, { code_challenge });
  return made.then(({ code }) => code).catch(() => undefined);
}

function say(kind: Message['kind'], about: string, value?: string): void {
  const message: Message = { kind, server: serverUrl, about, value };
  channel.postMessage(message);
}

/** Returns the value of the next message of a kind; undefined when none comes in time. */
function hear(kind: Message['kind'], about: string, ms: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(ms);
    signal.addEventListener('abort', () => resolve(undefined));
    const listen = ({ data }: MessageEvent<Message | null>) => {
      if (data?.server !== serverUrl) return;
      if (data.kind === kind && data.about === about) resolve(data.value);
    };
    channel.addEventListener('message', listen, { signal });
  });
}

/** Returns the SHA-256 of a text in base64url. */
async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
