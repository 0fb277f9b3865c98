import { createHmac, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import type { Platform } from '../../ports/ports.ts';
import type { Put } from '../../store/store.ts';
import { createItem } from '../../store/writes.ts';
import { usedTokenEntity } from '../../table/entities/user-accounts.ts';

/*
 * Tokens of users, in links of mails and in addresses of log-ins: `<claims in base64url>.<MAC in base64url>`. Each is used
 * once: the transaction that it allows also creates the mark that it was used.
 */

const claimsSchema = v.object({
  purpose: v.picklist(['register', 'confirm', 'reset', 'redirect', 'exchange']),
  /** Data id of the instance. */
  instance: v.number(),
  /** Id of the API key of the request that made it; its flags are read again when the token is used. */
  key: v.number(),
  /** Id of the user; 0: it is not known yet. */
  user: v.number(),
  /** Generation of the user's key: a change of the password makes the token invalid. 0 without user. */
  generation: v.number(),
  /** Address that the reader of the mail proves. */
  email: v.optional(v.string()),
  /** When it was made, in microseconds. */
  at: v.number(),
  /** End, in seconds. */
  until: v.number(),
  nonce: v.string(),
});

/** What a token allows. */
export type UserTokenClaims = v.InferOutput<typeof claimsSchema>;

type Sources = Pick<Platform, 'secrets' | 'clock' | 'ids'>;

/** Makes a token that is valid for some seconds. */
export async function userTokenText(
  { secrets, clock, ids }: Sources,
  claims: Omit<UserTokenClaims, 'nonce' | 'until' | 'at'>,
  seconds: number,
): Promise<string> {
  const { version, secret } = await secrets.current();
  const at = clock.micros();
  const until = Math.floor(at / 1_000_000) + seconds;
  const whole: UserTokenClaims = { ...claims, at, until, nonce: ids.random() };
  const body = `${version}.${Buffer.from(JSON.stringify(whole)).toString('base64url')}`;
  return `${body}.${macOf(secret, body).toString('base64url')}`;
}

const form = /^((\d{1,3})\.([\w-]{1,2000}))\.([\w-]{43})$/;

/**
 * Reads a token; undefined for one that is not genuine, was made for another purpose or instance, or has ended. Whether it
 * was used shows the commit of {@link planTokenUse}; whether user and API key still agree, their records.
 */
export async function readUserToken(
  { secrets, clock }: Pick<Sources, 'secrets' | 'clock'>,
  text: string,
  { purpose, instance }: Pick<UserTokenClaims, 'purpose' | 'instance'>,
): Promise<UserTokenClaims | undefined> {
  const [, body = '', version = '', encoded = '', mac = ''] = form.exec(text) ?? [];
  const found = body === '' ? undefined : await secrets.get(Number(version));
  if (found === undefined) return undefined;
  if (!timingSafeEqual(macOf(found.secret, body), Buffer.from(mac, 'base64url'))) return undefined;
  const claims = v.parse(claimsSchema, JSON.parse(Buffer.from(encoded, 'base64url').toString()));
  const isMeant = claims.purpose === purpose && claims.instance === instance;
  return isMeant && claims.until > clock.micros() / 1_000_000 ? claims : undefined;
}

/** Returns the write that uses a token up: it fails for one that was used. */
export function planTokenUse(
  { clock }: Pick<Platform, 'clock'>,
  { instance, nonce, until }: Pick<UserTokenClaims, 'instance' | 'nonce' | 'until'>,
): Put {
  const at = Math.floor(clock.micros() / 1_000_000);
  const write = createItem(usedTokenEntity, usedTokenEntity.key(instance, nonce), { at });
  return { ...write, expiresAt: until + 3600 };
}

function macOf(secret: Uint8Array, body: string): Buffer {
  return createHmac('sha256', secret).update(`user token ${body}`).digest();
}
