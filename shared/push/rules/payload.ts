import { writeExactJson } from '../../values/json/exact-number.ts';
import { isJsonObject, type Json, type JsonObject } from '../../values/json/json.ts';
import { readJson } from '../../values/json/json-values.ts';
import { type PushEnvironment, type PushProvider, platformName } from './provider.ts';

/** Push as it is sent: the provider's own payload, and its delivery options. */
export interface ProviderPush {
  /** Name of the platform, the key of the payload. */
  readonly platform: string;
  /** JSON text in the provider's format. */
  readonly payload: string;
  /** Message attributes of SNS by name. */
  readonly attributes: Readonly<Record<string, string>>;
}

const maxPayloadBytes = 4096; // of both providers
const apnsSeconds = 2_592_000; // docs/reference/push.md#mapping. 30 days

/** Message about a push that no provider would accept. */
export const payloadTooLarge = `Notification body cannot exceed ${maxPayloadBytes} bytes.`;

/**
 * Converts a message's content to the provider's payload (docs/reference/push.md#mapping).
 *
 * @param content without its recipients
 * @returns undefined when it is larger than any provider accepts
 */
export function providerPush(
  provider: PushProvider,
  environment: PushEnvironment,
  content: JsonObject,
): ProviderPush | undefined {
  const push = provider === 'gcm' ? toFcm(content) : toApns(environment, content);
  const said =
    provider === 'gcm' ? JSON.stringify([content.data, content.notification]) : push.payload;
  return Buffer.byteLength(said) > maxPayloadBytes ? undefined : push;
}

function toApns(environment: PushEnvironment, content: JsonObject): ProviderPush {
  const { environment: _, ...payload } = content;
  const platform = platformName('apns', environment);
  return {
    platform,
    payload: JSON.stringify(payload),
    attributes: {
      'AWS.SNS.MOBILE.APNS.PUSH_TYPE': 'alert', // an alert is required
      'AWS.SNS.MOBILE.APNS.PRIORITY': '10',
      [`AWS.SNS.MOBILE.${platform}.TTL`]: String(apnsSeconds),
    },
  };
}

function toFcm(content: JsonObject): ProviderPush {
  const { time_to_live: ttl, dry_run: isDry, data, content_available: isAvailable } = content;
  const { notification, shown } = notificationOf(content.notification);
  const android = {
    ...memberUnlessAbsent('priority', content.priority),
    ...(ttl !== undefined && { ttl: `${ttl}s` }),
    ...memberUnlessAbsent('collapse_key', content.collapse_key),
    ...memberUnlessAbsent('restricted_package_name', content.restricted_package_name),
    ...memberUnlessEmpty('notification', shown),
  };
  const message = {
    ...memberUnlessEmpty('data', textValues(data)),
    ...memberUnlessEmpty('notification', notification),
    ...memberUnlessEmpty('android', android),
    ...(isAvailable === true && { apns: { payload: { aps: { 'content-available': 1 } } } }),
  };
  return {
    platform: 'GCM',
    payload: JSON.stringify({ fcmV1Message: { validate_only: isDry === true, message } }),
    attributes: ttl === undefined ? {} : { 'AWS.SNS.MOBILE.FCM.TTL': String(ttl) },
  };
}

const generalKeys = ['title', 'body', 'image'];
const androidKeys = [
  'icon',
  'sound',
  'tag',
  'color',
  'click_action',
  'title_loc_key',
  'body_loc_key',
];
const argumentKeys = ['title_loc_args', 'body_loc_args'];

/** Splits a notification into keys for all devices and keys for Android only; FCM rejects any other key. */
function notificationOf(value: Json | undefined): {
  readonly notification: JsonObject;
  readonly shown: JsonObject;
} {
  if (!isJsonObject(value)) return { notification: {}, shown: {} };
  const texts = textValues(value);
  const pick = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(texts).filter(([name]) => names.includes(name)));
  const args = argumentKeys.flatMap((name) => {
    const list = argumentList(value[name]);
    return list === undefined ? [] : [[name, list] as const];
  });
  const shown = { ...pick(androidKeys), ...Object.fromEntries(args) };
  return { notification: pick(generalKeys), shown };
}

/** Converts arguments, which are JSON text of a list, to the list that FCM v1 accepts. */
function argumentList(value: Json | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const reading = readJson(value);
  const list = reading.ok ? reading.value : undefined; // text that is not JSON is a single argument
  return Array.isArray(list) ? list.map(textOf) : [textOf(value)];
}

/** Converts values to text, the only type that FCM v1 accepts. */
function textValues(value: Json | undefined): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, textOf(each)]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : writeExactJson(value);
}

function memberUnlessAbsent(name: string, value: Json | undefined): JsonObject {
  return value === undefined ? {} : { [name]: value };
}

function memberUnlessEmpty(name: string, value: JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [name]: value };
}
