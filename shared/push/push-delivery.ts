import type { JobContext } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { readTogether } from '../store/entity.ts';
import type { Stored } from '../store/store.ts';
import { putItem } from '../store/writes.ts';
import { pushDeviceEntity, pushEndpointEntity } from '../table/entities/push.ts';
import type { PushDeviceData, PushEndpointData } from '../table/records/push.ts';
import { failureReason, PushFailure } from './push-failure.ts';
import { tokenCode } from './rules/device-ids.ts';
import type { DeliveryState, PushError } from './rules/outcome.ts';
import type { ProviderPush } from './rules/payload.ts';
import type { PushCredential, PushScope } from './rules/provider.ts';

/** Properties that the deliveries of a message share. */
export interface PushDelivery {
  readonly context: JobContext;
  readonly scope: PushScope;
  readonly push: ProviderPush;
  /** Returns the application; pass one that no longer exists to create it again, which happens at most once. */
  readonly application: (gone?: string) => Promise<string>;
  readonly credential: PushCredential['kind'];
}

/** Result of a push to one device. */
export interface Delivered {
  /** `waiting`: nothing was sent, and a retry is possible. */
  readonly state: DeliveryState;
  /** Milliseconds until a retry is sensible, where the push service says so. */
  readonly afterMs?: number | undefined;
  /** Reason why the whole message fails. */
  readonly failure?: string;
  /** Whether the device no longer accepts pushes. */
  readonly isGone?: true;
  /** An error that the operator has to know. */
  readonly fault?: unknown;
}

const isKey = /^[\x21-\x7e]{1,512}$/; // any other text is not a token of any provider

/** Sends one push, at most once: an attempt with an unknown result is not repeated. */
export async function deliverPush(delivery: PushDelivery, token: string): Promise<Delivered> {
  if (!isKey.test(token)) return failureResult('InvalidRegistration');
  let isSending = false;
  const publish = async (endpoint: string) => {
    isSending = true;
    const id = await delivery.context.push.publish(endpoint, delivery.push);
    return { state: { id } };
  };
  try {
    const known = await knownEndpoint(delivery, token);
    if (known === 'disabled') return { ...failureResult('NotRegistered'), isGone: true };
    if (known !== undefined) {
      const sent = await publish(known).catch(unlessMissing);
      if (sent !== undefined) return sent;
      isSending = false; // the endpoint was deleted elsewhere: nothing was sent
    }
    return await publish(await makeEndpoint(delivery, token));
  } catch (error) {
    if (error instanceof PushFailure) return afterFailure(delivery, error, isSending);
    return { ...afterUnknown(isSending), fault: error };
  }
}

function unlessMissing(error: unknown): undefined {
  if (failureReason(error) !== 'missing') throw error;
}

function failureResult(error: PushError): Delivered {
  return { state: { error } };
}

function afterFailure(
  { credential }: PushDelivery,
  failure: PushFailure,
  isSending: boolean,
): Delivered {
  switch (failure.reason) {
    case 'badToken':
      return { ...failureResult('InvalidRegistration'), isGone: true };
    case 'disabled':
      return { ...failureResult('NotRegistered'), isGone: true };
    case 'otherApp': // the credential may be the wrong one: the device stays active
      return failureResult('InvalidRegistration');
    case 'badCredential':
      return { ...failureResult('Refused'), failure: credentialFailure(credential) };
    case 'badPush':
      return { ...failureResult('Refused'), failure: 'The push service refused the message.' };
    case 'missing':
    case 'busy':
      return { state: 'waiting', afterMs: failure.afterMs };
    case 'unreachable':
    case 'denied':
      return { state: 'waiting', fault: failure };
    case 'unknown':
      return { ...afterUnknown(isSending), fault: failure };
  }
}

function afterUnknown(isSending: boolean): Delivered {
  return isSending ? failureResult('Unknown') : { state: 'waiting' };
}

/** Returns a message's result for a credential that the provider rejects (docs/reference/push.md#result). */
export function credentialFailure(kind: PushCredential['kind']): string {
  return kind === 'certificate' || kind === 'token'
    ? 'Invalid certificate.'
    : 'There was an error authenticating the sender account.';
}

/** Returns the endpoint of a device, ready for a push; undefined: the device has none yet. */
async function knownEndpoint(
  { context, scope, application }: PushDelivery,
  token: string,
): Promise<string | 'disabled' | undefined> {
  const { device, endpoint } = await readDeviceToken(context, scope, token);
  if (endpoint === undefined || endpoint.data.application !== (await application())) {
    return undefined;
  }
  // a device that was never active receives pushes as long as the push service accepts it
  // (docs/reference/push.md#messages)
  if (!endpoint.data.isEnabled && device?.data.is_active !== true) return 'disabled';
  if (!endpoint.data.isEnabled) {
    const found = await context.push
      .setEndpoint(endpoint.data.endpoint, token, true)
      .then(() => true)
      .catch(unlessMissing);
    if (found === undefined) return undefined;
    await rememberEndpoint(context, scope, token, { ...endpoint.data, isEnabled: true });
  }
  return endpoint.data.endpoint;
}

/** Creates an endpoint of the device at the push service; an application missing there is created first. */
async function makeEndpoint(delivery: PushDelivery, token: string): Promise<string> {
  const { context, scope } = delivery;
  const { device } = await readDeviceToken(context, scope, token);
  const about = { token, note: `${scope.instance}/${device?.data.row ?? '-'}` };
  const make = async (application: string) => {
    const endpoint = await context.push.createEndpoint(application, about);
    await rememberEndpoint(context, scope, token, { application, endpoint, isEnabled: true });
    return endpoint;
  };
  const application = await delivery.application();
  const made = await make(application).catch(unlessMissing);
  return made ?? make(await delivery.application(application));
}

/** Reads the records of a token: our device, and the service's endpoint. */
export async function readDeviceToken(
  { store }: Pick<JobContext, 'store'>,
  scope: PushScope,
  token: string,
): Promise<{
  readonly device: Stored<PushDeviceData> | undefined;
  readonly endpoint: Stored<PushEndpointData> | undefined;
}> {
  const { instance, provider, environment } = scope;
  const code = tokenCode(provider, token);
  return readTogether(store, {
    device: pushDeviceEntity.at(instance, provider, code),
    endpoint: pushEndpointEntity.at(instance, provider, environment, code),
  });
}

/** Stores the endpoint of a device at the push service. */
export async function rememberEndpoint(
  context: JobContext,
  scope: PushScope,
  token: string,
  data: PushEndpointData,
): Promise<void> {
  const { instance, provider, environment } = scope;
  const code = tokenCode(provider, token);
  const key = pushEndpointEntity.key(instance, provider, environment, code);
  await maintain(context, [putItem(pushEndpointEntity, key, data)]);
}
