import type { JsonObject } from '../../values/json/json.ts';
import type { PushProvider } from './provider.ts';

/** Error of a push to one device, as named in results. */
export type PushError =
  /** The app was removed from the device, or the device was deactivated. */
  | 'NotRegistered'
  | 'InvalidRegistration'
  /** Nothing was sent: the provider was too busy for too long, or unreachable. */
  | 'Unavailable'
  /** It is not known whether it was sent, and it is not sent again. */
  | 'Unknown'
  /** All ids of the message fail alike, for the reason in the message's result. */
  | 'Refused';

/** Outcome of a push to one device. */
export type PushOutcome = { readonly id: string } | { readonly error: PushError };

/** State of one device of a message: nothing sent yet, being sent, or its outcome. */
export type DeliveryState = 'waiting' | 'sending' | PushOutcome;

/** Status of a message (docs/reference/push.md#messages). */
export type PushStatus = 'scheduled' | 'error' | 'partially_delivered' | 'delivered';

/** Number of devices that a message reached or failed to reach. */
export interface PushCount {
  readonly delivered: number;
  readonly failed: number;
}

/** Returns the status of a finished message; Apple's have no partial delivery (docs/reference/push.md#messages). */
export function finalStatus(
  provider: PushProvider,
  { delivered, failed }: PushCount,
): Exclude<PushStatus, 'scheduled'> {
  if (failed === 0) return 'delivered';
  return delivered > 0 && provider === 'gcm' ? 'partially_delivered' : 'error';
}

/** Counts the outcomes of a part. */
export function countOutcomes(states: readonly DeliveryState[]): PushCount {
  const delivered = states.filter((state) => typeof state === 'object' && 'id' in state).length;
  return { delivered, failed: states.length - delivered };
}

/** Devices in their order, each with the state of its push. */
export type Deliveries = readonly (readonly [token: string, state: DeliveryState])[];

/**
 * Returns the result of a finished message (docs/reference/push.md#result).
 *
 * @param failure reason why nothing could be sent; it is the result when nothing was sent
 */
export function resultOf(
  provider: PushProvider,
  deliveries: Deliveries,
  failure: string | undefined,
): JsonObject | string {
  const sent = deliveries.flatMap(([token, state]) =>
    typeof state === 'object' && 'id' in state ? [[token, state.id] as const] : [],
  );
  if (sent.length === 0 && failure !== undefined) return failure;
  const success = Object.fromEntries(sent); // a token may be any word
  const failed = deliveries.flatMap(([token, state], at) => {
    if (typeof state === 'object' && 'id' in state) return [];
    return [{ at, token, error: typeof state === 'object' ? state.error : 'Unknown' }];
  });
  const result = {
    ...(sent.length > 0 && { success }),
    ...(failed.length > 0 && { errors: tokensByError(failed) }),
  };
  const [first] = failed;
  if (provider === 'gcm') return result;
  return first === undefined ? {} : { ...apnsError(first), ...result };
}

interface Failed {
  /** Position among the devices of the message. */
  readonly at: number;
  readonly token: string;
  readonly error: PushError;
}

function tokensByError(failed: readonly Failed[]): JsonObject {
  const errors = [...new Set(failed.map(({ error }) => error))];
  return Object.fromEntries(
    errors.map((each) => [
      each,
      failed.filter(({ error }) => error === each).map(({ token }) => token),
    ]),
  );
}

/** Returns Apple's message for the first device that failed. */
function apnsError({ at: identifier, error }: Failed): JsonObject {
  return error === 'NotRegistered' || error === 'InvalidRegistration'
    ? { status: 8, identifier, description: 'Invalid token' }
    : { status: 255, identifier, description: 'None (unknown)' };
}
