import type { KeyObject } from 'node:crypto';
import * as v from 'valibot';
import { PushFailure } from '../../../../push/push-failure.ts';
import type { PushBounds } from '../bounds.ts';
import { readSigningKey, signToken } from './jwt.ts';
import type { HeldToken } from './token-cache.ts';

const scope = 'https://www.googleapis.com/auth/firebase.messaging';
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const statementSeconds = 3600; // the longest that Google takes
const earlySeconds = 300; // a token is replaced before its end
const maxTokenSeconds = 3600;

const accountSchema = v.object({
  project_id: v.pipe(v.string(), v.regex(/^[a-z\d][a-z\d.:-]{0,99}$/i)), // it is a part of a path
  client_email: v.string(),
  private_key: v.string(),
  private_key_id: v.optional(v.string()),
});

/** A service account of Google's. */
export interface ServiceAccount {
  readonly project: string;
  readonly email: string;
  readonly key: KeyObject;
  readonly keyId: string | undefined;
}

/**
 * Reads a service account, except its `token_uri`: the address is a setting of the operator.
 *
 * @throws PushFailure for a text that is none
 */
export function readServiceAccount(text: string): ServiceAccount {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), accountSchema), text);
  if (!parsed.success) throw new PushFailure('badCredential', 'its service account');
  const { project_id: project, client_email: email, private_key, private_key_id } = parsed.output;
  return { project, email, key: readSigningKey(private_key), keyId: private_key_id };
}

/** Address of Google's token service, and the time. */
export interface GoogleTokenOptions {
  readonly tokenUrl: string;
  readonly bounds: PushBounds;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

const tokenSchema = v.object({
  access_token: v.pipe(v.string(), v.regex(/^[!-~]{1,4096}$/)),
  expires_in: v.pipe(v.number(), v.minValue(1)),
});

/**
 * Requests an access token for a service account.
 *
 * @throws PushFailure when Google rejects the account, is busy or cannot be reached: nothing was sent to a device
 */
export async function requestGoogleToken(
  { email: iss, key, keyId: kid }: ServiceAccount,
  { tokenUrl, bounds, nowMs }: GoogleTokenOptions,
): Promise<HeldToken> {
  const iat = Math.floor(nowMs() / 1000);
  const assertion = await signToken(key, {
    header: kid === undefined ? {} : { kid },
    claims: { iss, scope, aud: tokenUrl, iat, exp: iat + statementSeconds },
  });
  const body = new URLSearchParams({ grant_type: grantType, assertion });
  const { status, text } = await post(tokenUrl, body, bounds);
  if (status >= 400 && status < 500 && status !== 429) {
    throw new PushFailure('badCredential', `token status ${status}`);
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), tokenSchema), text);
  if (status !== 200 || !parsed.success) throw new PushFailure('busy', `token status ${status}`);
  const { access_token: token, expires_in } = parsed.output;
  const seconds = Math.min(expires_in, maxTokenSeconds);
  return { token, untilMs: nowMs() + 1000 * Math.max(seconds - earlySeconds, seconds / 2) };
}

async function post(url: string, body: URLSearchParams, bounds: PushBounds) {
  try {
    const signal = AbortSignal.timeout(bounds.connectMs);
    const response = await fetch(url, { method: 'POST', body, redirect: 'error', signal });
    return { status: response.status, text: await readStart(response, bounds.bodyBytes) };
  } catch {
    throw new PushFailure('unreachable', 'token service'); // its error may name what was sent
  }
}

/** Reads a body up to a number of bytes; the rest is never received. */
async function readStart({ body }: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > maxBytes) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
