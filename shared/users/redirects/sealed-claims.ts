import { hkdfSync } from 'node:crypto';
import * as v from 'valibot';
import type { Platform } from '../../ports/ports.ts';
import { sealText, unsealText } from '../../values/text/sealed-text.ts';

/*
 * Claims that a log-in by redirect takes through the browser: `state` on its way to the service and back, the one-time
 * code on its way to the app. They are encrypted: addresses are kept in histories and logs.
 */

/** Seconds in which a user logs in at the service. */
export const stateSeconds = 600;
/** Seconds in which the app exchanges its code. */
export const codeSeconds = 60;

const common = {
  /** Digest of the service as it was when the log-in began: a changed one ends it. */
  service: v.string(),
  /** Challenge of the app, by which it proves that it began the log-in. */
  challenge: v.string(),
  /** Id of the API key with which the app began. */
  key: v.number(),
  /** End, in seconds. */
  until: v.number(),
  /** Makes it usable once. */
  nonce: v.string(),
};

const schemas = {
  state: v.object({
    ...common,
    redirect: v.string(),
    /** Verifier of our own challenge to the service. */
    verifier: v.string(),
    /** State of the app, which it gets back. */
    state: v.optional(v.string()),
  }),
  code: v.object({
    ...common,
    provider: v.string(),
    /** The user at the service, as {@link identityOf} names it. */
    identity: v.string(),
    /** Address that the service has verified. */
    email: v.optional(v.string()),
  }),
};

/** Claims of the `state` of a log-in. */
export type LogInState = v.InferOutput<typeof schemas.state>;
/** Claims of the code that an app exchanges for a key. */
export type LogInCode = v.InferOutput<typeof schemas.code>;
type Kind = keyof typeof schemas;
type Claims<K extends Kind> = v.InferOutput<(typeof schemas)[K]>;

/** The place where claims are valid: nowhere else can they be read. */
export interface ClaimsPlace<K extends Kind> {
  readonly kind: K;
  /** Data id. */
  readonly instance: number;
  /** Name of the service, of a state; a code names it. */
  readonly provider?: string;
}

/** Encrypts claims for their place; the text has letters, digits, dots, hyphens and underscores. */
export async function sealClaims<K extends Kind>(
  { secrets }: Pick<Platform, 'secrets'>,
  place: ClaimsPlace<K>,
  claims: Claims<K>,
): Promise<string> {
  const { version, secret } = await secrets.current();
  const sealed = sealText(keyOf(secret), JSON.stringify(claims), contextOf(place));
  return `${version}.${Buffer.from(sealed, 'base64').toString('base64url')}`;
}

const form = /^(\d{1,3})\.([\w-]{40,6000})$/;

/** Decrypts claims; undefined for a text that is none of their place. It may have ended, or have been used. */
export async function openClaims<K extends Kind>(
  { secrets }: Pick<Platform, 'secrets'>,
  place: ClaimsPlace<K>,
  text: string,
): Promise<Claims<K> | undefined> {
  const [, version = '', sealed] = form.exec(text) ?? [];
  const found = sealed === undefined ? undefined : await secrets.get(Number(version));
  if (sealed === undefined || found === undefined) return undefined;
  const opened = unsealed(keyOf(found.secret), sealed, contextOf(place));
  if (opened === undefined) return undefined;
  return v.parse(schemas[place.kind], JSON.parse(opened)) as Claims<K>; // of this kind
}

function unsealed(key: Uint8Array, sealed: string, context: string): string | undefined {
  try {
    return unsealText(key, sealed, context);
  } catch {
    return undefined; // the library has one error for all that was not sealed like this
  }
}

function keyOf(secret: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'groundwork log-in by redirect', 32));
}

function contextOf({ kind, instance, provider }: ClaimsPlace<Kind>): string {
  return JSON.stringify([kind, instance, provider]);
}
