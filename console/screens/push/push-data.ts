import type { DeviceFields } from '../../../functions/push/devices/device-fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import type { RecordType } from '../../core/record-type.ts';

/** A push service: Firebase or Apple. */
export type PushService = 'gcm' | 'apns';

/** Push services as people call them. */
export const serviceNames: Readonly<Record<PushService, string>> = {
  gcm: 'Android (Firebase)',
  apns: 'iOS (Apple)',
};

/** Returns the service of a path; that of Android when it names none. */
export function toService(name: string | undefined): PushService {
  return name === 'apns' ? 'apns' : 'gcm';
}

/** Returns the path of a service of an instance, below which its lists are. */
export function servicePath(instance: string, service: PushService): RequestPath {
  return at`instances/${instance}/push_notifications/${service}/`;
}

/** What a message is sent with. */
export type ShownPushEnvironment = 'development' | 'production';

/** Environments with their labels. */
export const environments = [
  ['development', 'Development'],
  ['production', 'Production'],
] as const satisfies readonly (readonly [ShownPushEnvironment, string])[];

/** Credentials of a service as the interface shows them: never themselves. */
export type Config = Readonly<Record<string, string | boolean | null>>;

/** A device, as the interface shows it. */
export type Device = ShownRecord<DeviceFields>;

/** Returns the devices of a service. */
export function devicesOf(service: PushService): RecordType<Device> {
  return {
    noun: 'device',
    title: serviceNames[service],
    path: (instance) => below(servicePath(instance, service))`devices/`,
    place: (instance) => at`/i/${instance}/push/${service}`,
    keyOf: (device) => device.registration_id,
    nameOf: nameOfDevice,
  };
}

/** Returns what a device is called. */
export function nameOfDevice({ label, registration_id: token }: Device): string {
  if (label.trim() !== '') return label;
  return token.length > shownCharacters ? `${token.slice(0, shownCharacters)}…` : token;
}

const shownCharacters = 24; // of a token

/** A message, as the interface shows it. */
export interface PushMessage {
  readonly id: number;
  readonly status: 'scheduled' | 'delivered' | 'partially_delivered' | 'error';
  readonly content: { readonly registration_ids?: readonly string[] };
  /** Ids by token, and tokens that failed by error; or a sentence about all. */
  readonly result:
    | string
    | {
        readonly success?: Readonly<Record<string, string>>;
        readonly errors?: Readonly<Record<string, readonly string[]>>;
      };
  readonly created_at: string;
}

const statusTexts: Readonly<Record<PushMessage['status'], string>> = {
  scheduled: 'sending',
  delivered: 'delivered',
  partially_delivered: 'partly delivered',
  error: 'failed',
};

/** Returns the status of a message in words. */
export function messageStatus(message: Pick<PushMessage, 'status' | 'result'>): string {
  return isInOutbox(message) ? 'not sent' : statusTexts[message.status];
}

/** Checks whether the server has only written a message into its outbox. */
export function isInOutbox({ result }: Pick<PushMessage, 'result'>): boolean {
  const { success = {} } = typeof result === 'string' ? {} : result;
  return Object.values(success).some((id) => id.startsWith('outbox:'));
}

/** What is typed for a message. */
export interface MessageText {
  readonly environment: ShownPushEnvironment;
  readonly title: string;
  readonly body: string;
}

/** Returns the content of a message to a device or to several. */
export function contentOf(
  service: PushService,
  tokens: readonly string[],
  { environment, title, body }: MessageText,
): object {
  const to = { environment, registration_ids: tokens };
  return service === 'gcm'
    ? { ...to, notification: { title, body } }
    : { ...to, aps: { alert: { title, body } } };
}

const looks = 20; // whether a message has been sent
const lookEveryMs = 500;

/** Returns a message when it has been sent, or as it is after ten seconds. */
export async function sentMessage(path: RequestPath): Promise<PushMessage> {
  for (let look = 1; ; look += 1) {
    const message = await send<PushMessage>({ method: 'GET', path, isQuiet: true });
    if (message.status !== 'scheduled' || look === looks) return message;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}
