import {
  type PushEnvironment,
  type PushProvider,
  pushProviders,
} from '../../push/rules/provider.ts';
import { idKey, ofInstance } from '../key-parts.ts';
import { entity } from '../kind.ts';
import type {
  PushConfigData,
  PushDeviceData,
  PushDevicePositionData,
  PushEndpointData,
  PushMessageData,
  PushPartData,
} from '../records/push.ts';

/** The endpoint of a device at the push service; the device may be known only from a message. */
export const pushEndpointEntity = entity<PushEndpointData>('push-endpoint').keyed(
  (instance: number, provider: PushProvider) => `INSTANCE#${instance}#PUSHENDPOINTS#${provider}`,
  (_instance: number, _provider: PushProvider, environment: PushEnvironment) => `${environment}#`,
  (code: string) => code,
  { belongsTo: 'derived', clearedWith: 'provider' },
);

/** Credentials of a push provider, and the applications that were created with them. */
export const pushConfigEntity = entity<PushConfigData>('push-config').keyed(
  ofInstance,
  'PUSHCONFIG#',
  (provider: PushProvider) => provider,
  { belongsTo: 'contents' },
);

/** A device; `code` is its token in the form that identifies it. */
export const pushDeviceEntity = entity<PushDeviceData>('push-device').keyed(
  (instance: number, provider: PushProvider) => `INSTANCE#${instance}#DEVICES#${provider}`,
  '',
  (code: string) => code,
  {
    belongsTo: 'contents',
    clearedWith: 'provider',
    counter: pushProviders.map((provider) => `${provider}-device` as const),
    shownAs: 'device',
  },
);

/** Devices in order of creation: all of them, and those of a user. */
export const pushDevicePositionEntity = entity<PushDevicePositionData>('push-device-row').keyed(
  (instance: number, provider: PushProvider) => `INSTANCE#${instance}#DEVICEROWS#${provider}`,
  (_instance: number, _provider: PushProvider, user: number | undefined) =>
    user === undefined ? 'ALL#' : `USER#${idKey(user)}#`,
  idKey,
  { belongsTo: 'contents', clearedWith: 'provider' },
);

/** A push message, without its recipients. */
export const pushMessageEntity = entity<PushMessageData>('push-message').keyed(
  (instance: number, provider: PushProvider) => `INSTANCE#${instance}#PUSHES#${provider}`,
  '',
  idKey,
  {
    belongsTo: 'derived',
    clearedWith: 'provider',
    counter: pushProviders.map((provider) => `${provider}-message` as const),
  },
);

/** Some of the devices of a message, and the state of delivery to each of them. */
export const pushPartEntity = entity<PushPartData>('push-part').keyed(
  (instance: number, provider: PushProvider) => `INSTANCE#${instance}#PUSHPARTS#${provider}`,
  '',
  (message: number, part: number) => `${idKey(message)}#${idKey(part)}`,
  { belongsTo: 'derived', clearedWith: 'provider' },
);

/** The kinds of push. */
export const pushKinds = [
  pushEndpointEntity,
  pushConfigEntity,
  pushDeviceEntity,
  pushDevicePositionEntity,
  pushMessageEntity,
  pushPartEntity,
] as const;
