import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { PushFailure, type PushFailureReason } from '../../../push/push-failure.ts';
import type { ProviderPush } from '../../../push/rules/payload.ts';
import type { PushRequest, PushResponse } from './connections/stream.ts';

const attribute = 'AWS.SNS.MOBILE.';

/**
 * Returns the request for a push by APNs.
 *
 * @param topic the app's bundle identifier
 * @param bearer token of a token key; undefined: the connection has a certificate
 * @throws PushFailure for a bundle identifier that no app has
 */
export function apnsRequest(
  {
    topic,
    bearer,
    nowMs,
  }: { readonly topic: string; readonly bearer: string | undefined; readonly nowMs: number },
  token: string,
  { platform, payload, attributes }: ProviderPush,
): PushRequest {
  if (!/^[!-~]+$/.test(topic)) throw new PushFailure('badCredential', 'BadTopic');
  const ttl = Number(attributes[`${attribute}${platform}.TTL`]);
  return {
    path: `/3/device/${encodeURIComponent(token)}`,
    headers: {
      'apns-id': randomUUID(),
      'apns-topic': topic,
      'apns-push-type': attributes[`${attribute}APNS.PUSH_TYPE`] ?? 'alert',
      'apns-priority': attributes[`${attribute}APNS.PRIORITY`] ?? '10',
      'apns-expiration': String(Math.floor(nowMs / 1000) + ttl),
      ...(bearer !== undefined && { authorization: `bearer ${bearer}` }),
    },
    body: payload,
  };
}

const reasonSchema = v.object({ reason: v.string() });

/** Meanings of Apple's reasons; those of a request that is ours to make are `denied`. */
const reasons: Readonly<Record<string, PushFailureReason>> = {
  BadDeviceToken: 'badToken',
  DeviceTokenNotForTopic: 'otherApp',
  BadTopic: 'badCredential',
  MissingTopic: 'badCredential',
  TopicDisallowed: 'badCredential',
  PayloadEmpty: 'badPush',
  PayloadTooLarge: 'badPush',
  BadCertificate: 'badCredential',
  BadCertificateEnvironment: 'badCredential',
  ExpiredProviderToken: 'badCredential',
  Forbidden: 'badCredential',
  InvalidProviderToken: 'badCredential',
  MissingProviderToken: 'badCredential',
  UnrelatedKeyIdInToken: 'badCredential',
  BadEnvironmentKeyIdInToken: 'badCredential',
  ExpiredToken: 'disabled',
  Unregistered: 'disabled',
  TooManyProviderTokenUpdates: 'busy',
  TooManyRequests: 'busy',
  InternalServerError: 'busy',
  ServiceUnavailable: 'busy',
  Shutdown: 'busy',
};

const statuses: Readonly<Record<number, PushFailureReason>> = {
  403: 'badCredential',
  410: 'disabled',
  413: 'badPush',
  429: 'busy',
  500: 'busy',
  503: 'busy',
};

/** Returns the failure that a response of APNs means. */
export function apnsFailure({ status, body }: PushResponse, afterMs: number | undefined) {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), reasonSchema), body);
  const said = parsed.success && Object.hasOwn(reasons, parsed.output.reason);
  const name = said ? parsed.output.reason : `status ${status}`;
  const isDenied = status >= 400 && status < 500;
  const otherwise = statuses[status] ?? (isDenied ? 'denied' : 'unknown'); // a server error may hide that it was sent
  return new PushFailure(reasons[name] ?? otherwise, name, afterMs);
}
