import type { Clock } from '../../../ports/ports.ts';
import { PushFailure } from '../../../push/push-failure.ts';
import type { ProviderPush } from '../../../push/rules/payload.ts';
import type { PushCredential, PushScope } from '../../../push/rules/provider.ts';
import { apnsFailure, apnsRequest } from './apns.ts';
import type { PushBounds } from './bounds.ts';
import { createPushClient, type PushClient } from './connections/client.ts';
import { retryAfterMs } from './connections/retry-after.ts';
import type { PushRequest, PushResponse } from './connections/stream.ts';
import { fcmFailure, fcmId, fcmRequest } from './fcm.ts';
import { readServiceAccount, requestGoogleToken } from './tokens/google-token.ts';
import { readSigningKey, signToken } from './tokens/jwt.ts';
import { openTokenCache, type TokenCache } from './tokens/token-cache.ts';

/** Addresses of the push services, without a slash at the end. */
export interface PushAddresses {
  readonly fcm: string;
  readonly googleToken: string;
  readonly apns: string;
  readonly apnsSandbox: string;
}

/** What the accounts of a sender share. */
export interface AccountOptions {
  readonly addresses: PushAddresses;
  readonly clock: Clock;
  readonly bounds: PushBounds;
  /** Certificate authority to trust, in tests. */
  readonly ca?: string | undefined;
}

/** A credential of an instance at a push service: its connection, and its token. */
export interface PushAccount {
  /**
   * Sends one push, at most once.
   *
   * @param topic the app's bundle identifier, for Apple
   * @returns the service's id of it
   * @throws PushFailure
   */
  send(token: string, push: ProviderPush, topic: string): Promise<string>;
  close(): void;
}

/** What differs between push services. */
interface Service {
  readonly client: PushClient;
  /** Undefined: the connection has a certificate. */
  readonly tokens: TokenCache | undefined;
  /** Status of a response to a token that is too old. */
  readonly staleStatus: number;
  request(bearer: string | undefined, push: Sent): PushRequest;
  idOf(response: PushResponse, request: PushRequest): string;
  failureOf(response: PushResponse, afterMs: number | undefined): PushFailure;
}

interface Sent {
  readonly token: string;
  readonly push: ProviderPush;
  readonly topic: string;
}

const googleOldMs = 60_000;
const appleOldMs = 1_200_000; // Apple rejects tokens that change more often than every 20 minutes
const appleTokenMs = 2_400_000; // and those that are older than an hour

/**
 * Opens the account of a credential; it connects with its first push.
 *
 * @throws PushFailure for a credential that no push service accepts
 */
export function openAccount(
  { environment }: PushScope,
  credential: PushCredential,
  options: AccountOptions,
): PushAccount {
  const service = serviceOf(environment === 'production', credential, options);
  const nowMs = () => options.clock.micros() / 1000;
  return {
    send: (token, push, topic) => sendPush(service, { token, push, topic }, nowMs),
    close: () => service.client.close(),
  };
}

/** Returns the origin that pushes of a credential go to. */
export function pushOriginOf(
  { provider, environment }: PushScope,
  { fcm, apns, apnsSandbox }: PushAddresses,
): string {
  if (provider === 'gcm') return fcm;
  return environment === 'production' ? apns : apnsSandbox;
}

function serviceOf(
  isProduction: boolean,
  credential: PushCredential,
  options: AccountOptions,
): Service {
  switch (credential.kind) {
    case 'legacyKey':
      throw new PushFailure('badCredential', 'a legacy server key');
    case 'serviceAccount':
      return fcmService(credential, options);
    case 'certificate':
    case 'token':
      return apnsService(isProduction, credential, options);
  }
}

function fcmService({ text }: { readonly text: string }, options: AccountOptions): Service {
  const { addresses, clock, bounds, ca } = options;
  const account = readServiceAccount(text);
  const nowMs = () => clock.micros() / 1000;
  const tokenOptions = { tokenUrl: addresses.googleToken, bounds, nowMs };
  return {
    client: createPushClient({ origin: addresses.fcm, tls: { ca }, bounds, nowMs: clock.steadyMs }),
    tokens: openTokenCache({
      nowMs,
      oldMs: googleOldMs,
      make: () => requestGoogleToken(account, tokenOptions),
    }),
    staleStatus: 401,
    request: (accessToken = '', { token, push }) =>
      fcmRequest({ project: account.project, accessToken }, token, push),
    idOf: (response) => fcmId(response, 'fcm'),
    failureOf: fcmFailure,
  };
}

type AppleCredential = Extract<PushCredential, { readonly kind: 'certificate' | 'token' }>;

function apnsService(
  isProduction: boolean,
  credential: AppleCredential,
  { addresses, clock, bounds, ca }: AccountOptions,
): Service {
  const nowMs = () => clock.micros() / 1000;
  const isToken = credential.kind === 'token';
  if (!isToken) readSigningKey(credential.key); // TLS signs with it in this thread
  const tls = isToken ? { ca } : { ca, cert: credential.certificate, key: credential.key };
  const origin = isProduction ? addresses.apns : addresses.apnsSandbox;
  return {
    client: createPushClient({ origin, tls, bounds, nowMs: clock.steadyMs }),
    tokens: isToken ? appleTokens(credential, nowMs) : undefined,
    staleStatus: 403,
    request: (bearer, { token, push, topic }) =>
      apnsRequest({ topic, bearer, nowMs: nowMs() }, token, push),
    idOf: (_, { headers }) => headers['apns-id'] ?? 'apns',
    failureOf: apnsFailure,
  };
}

function appleTokens(
  { key, keyId: kid, teamId: iss }: Extract<PushCredential, { readonly kind: 'token' }>,
  nowMs: () => number,
): TokenCache {
  const signingKey = readSigningKey(key);
  const make = async () => {
    const iat = Math.floor(nowMs() / 1000);
    const token = await signToken(signingKey, { header: { kid }, claims: { iss, iat } });
    return { token, untilMs: nowMs() + appleTokenMs };
  };
  return openTokenCache({ nowMs, oldMs: appleOldMs, make });
}

/** Sends a push, once more when the token of its request was too old. */
async function sendPush(service: Service, sent: Sent, nowMs: () => number): Promise<string> {
  const { client, tokens, staleStatus } = service;
  for (let isSecond = false; ; isSecond = true) {
    const bearer = await tokens?.get();
    const request = service.request(bearer, sent);
    const response = await client.send(request);
    const { status, headers } = response;
    if (status === 200) return service.idOf(response, request);
    const isStale = status === staleStatus && bearer !== undefined && tokens?.drop(bearer);
    if (!isStale || isSecond) throw service.failureOf(response, retryAfterMs(headers, nowMs()));
  }
}
