import type { JobContext, StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { waitWhileSuspended } from '../jobs/while-suspended.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import { readTogether } from '../store/entity.ts';
import type { Stored } from '../store/store.ts';
import { updateItem } from '../store/writes.ts';
import { pushConfigEntity, pushMessageEntity, pushPartEntity } from '../table/entities/push.ts';
import type { PushMessageData, PushPartData, PushSideData } from '../table/records/push.ts';
import { longestDelay } from '../values/back-off.ts';
import { faultOf } from '../values/caught.ts';
import type { JsonObject } from '../values/json/json.ts';
import { timestamp } from '../values/timestamp.ts';
import { findCredential, missingConfig } from './push-config.ts';
import { type Delivered, deliverPush, readDeviceToken, rememberEndpoint } from './push-delivery.ts';
import { PushFailure } from './push-failure.ts';
import { countOutcomes, type DeliveryState, finalStatus } from './rules/outcome.ts';
import { type ProviderPush, payloadTooLarge, providerPush } from './rules/payload.ts';
import type { PushProvider, PushScope } from './rules/provider.ts';

/** Part of a message's devices. */
export type PushTask = {
  readonly instance: number;
  readonly provider: PushProvider;
  readonly message: number;
  readonly part: number;
};

/** Devices of one part: parts are sent in parallel. */
export const partSize = 100;

const atOnce = 20; // of one part
const maxBusyRounds = 17; // some ten minutes
const busyPause = { firstMs: 250, maxMs: 60_000 };
const maxAskedMs = 300_000;
const overtakenMs = 100;
const patienceMs = 3_600_000; // afterwards nothing is retried

/**
 * Sends a part of a message. Each push is marked before it is sent: a push with a mark and without a result, because
 * its process died, may have been sent, and is never sent again.
 */
export const sendPush = waitWhileSuspended({
  name: 'send-push',
  slowMs: 250, // then it waits for the push service, which must not delay jobs of others
  step: async (context, task) => {
    const { instance, provider, message, part } = task as PushTask; // as stored
    const state = await readTogether(context.store, {
      message: pushMessageEntity.at(instance, provider, message),
      part: pushPartEntity.at(instance, provider, message, part),
      config: pushConfigEntity.at(instance, provider),
    });
    // deleted with its instance, or a repeated step
    if (state.message === undefined || state.part === undefined || state.part.data.isDone) {
      return 'done';
    }
    const { environment } = state.message.data;
    const side = state.config?.data[environment];
    const job: Job = {
      context,
      task,
      side,
      message: state.message,
      part: state.part,
      scope: { instance, provider, environment },
    };
    return sendSome(job);
  },
});

interface Job {
  readonly context: JobContext;
  readonly task: JsonObject;
  readonly scope: PushScope;
  readonly side: PushSideData | undefined;
  readonly message: Stored<PushMessageData>;
  readonly part: Stored<PushPartData>;
}

async function sendSome(job: Job): Promise<StepResult> {
  const { context, scope, side, message, part } = job;
  const states = part.data.states.map(
    (state): DeliveryState => (state === 'sending' ? { error: 'Unknown' } : state),
  );
  const waiting = states.flatMap((state, at) => (state === 'waiting' ? [at] : []));
  if (waiting.length === 0) return finish(job, states, part.data.failure);
  const endAll = (failure?: string) =>
    finish(
      job,
      withStates(states, waiting, { error: failure ? 'Refused' : 'Unavailable' }),
      failure,
    );
  const isLate = context.clock.micros() / 1000 > Date.parse(message.data.created_at) + patienceMs;
  if (isLate || part.data.busyRounds >= maxBusyRounds) return endAll();
  const lacking = missingConfig(scope.provider, scope.environment, side);
  if (lacking !== undefined) return endAll(lacking);
  const push = providerPush(scope.provider, scope.environment, message.data.content);
  if (push === undefined) return endAll(payloadTooLarge);
  return sendGroup(job, { push, states, group: waiting.slice(0, atOnce) });
}

function withStates(
  states: readonly DeliveryState[],
  positions: readonly number[],
  state: DeliveryState,
): readonly DeliveryState[] {
  return states.map((each, at) => (positions.includes(at) ? state : each));
}

interface Group {
  readonly push: ProviderPush;
  readonly states: readonly DeliveryState[];
  /** Positions of the devices that are sent to now. */
  readonly group: readonly number[];
}

async function sendGroup(job: Job, { push, states, group }: Group): Promise<StepResult> {
  const { context, scope, part, side, task } = job;
  const credential = side?.credential?.kind ?? 'legacyKey';
  const marked = { ...part.data, states: withStates(states, group, 'sending') };
  const version = await maintain(context, [updateItem(part, marked)]);
  const application = rememberedApplication(job);
  const delivery = { context, scope, push, application, credential };
  const sent = await Promise.all(
    group.map(async (at) => {
      const token = part.data.tokens[at] ?? '';
      return { at, token, ...(await deliverPush(delivery, token)) };
    }),
  );
  logFault(job, sent);
  const data = afterSending(marked, sent);
  await maintain(context, [updateItem({ ...part, version, data: marked }, data)]);
  await Promise.all(sent.filter(({ isGone }) => isGone).map((each) => deactivate(job, each.token)));
  return data.busyRounds > 0 ? { task, afterMs: pauseAfter(part.data.busyRounds, sent) } : { task };
}

/** Returns the pause after a busy round: as long as the push service asks for, within bounds. */
function pauseAfter(rounds: number, sent: readonly Sent[]): number {
  const asked = Math.max(0, ...sent.map(({ afterMs = 0 }) => afterMs));
  return Math.max(longestDelay(rounds, busyPause), Math.min(asked, maxAskedMs));
}

type Sent = Delivered & { readonly at: number };

/** Logs the first of the errors that concern the operator: those of one group mostly have the same reason. */
function logFault({ context, scope, message }: Job, sent: readonly Sent[]): void {
  const fault = sent.find((each) => each.fault !== undefined)?.fault;
  if (fault === undefined) return;
  const { instance, provider } = scope;
  const push = { instance, provider, push: message.data.id };
  context.log({ level: 'error', message: 'a push could not be sent', ...push, ...faultOf(fault) });
}

/** Returns a part with the results of its pushes; a failure of the whole message ends all others, too. */
function afterSending(marked: PushPartData, sent: readonly Sent[]): PushPartData {
  const results = new Map(sent.map(({ at, state }) => [at, state]));
  const failure = sent.map((each) => each.failure).find((text) => text !== undefined);
  const states = marked.states.map((state, at) => results.get(at) ?? state);
  if (failure !== undefined) {
    return { ...marked, failure, states: states.map(failWaiting), busyRounds: 0 };
  }
  const isBusy = sent.some(({ state }) => state === 'waiting');
  return { ...marked, states, busyRounds: isBusy ? marked.busyRounds + 1 : 0 };
}

function failWaiting(state: DeliveryState): DeliveryState {
  return state === 'waiting' ? { error: 'Refused' } : state;
}

/** Returns the application of an environment; it is created again once when a delivery finds that it no longer exists. */
function rememberedApplication({ context, scope, side }: Job) {
  const { application, credential } = side ?? {};
  let current = Promise.resolve(application ?? '');
  let isFresh = false;
  return (gone?: string): Promise<string> => {
    if ((gone !== undefined || !application) && !isFresh && credential) {
      isFresh = true;
      current = findCredential(context, scope, credential).then((opened) => {
        if (opened === undefined) throw new PushFailure('badCredential', 'its key is gone');
        return context.push.openApplication(scope, opened);
      });
    }
    return current;
  };
}

/** Deactivates a device that no longer accepts pushes; it is not deleted (docs/reference/push.md#messages). */
async function deactivate({ context, scope }: Job, token: string): Promise<void> {
  await retryOnConflict(async () => {
    const { device, endpoint } = await readDeviceToken(context, scope, token);
    if (endpoint?.data.isEnabled) {
      await rememberEndpoint(context, scope, token, { ...endpoint.data, isEnabled: false });
    }
    if (!device?.data.is_active) return;
    const updated_at = timestamp(context.clock.micros());
    await maintain(context, [updateItem(device, { ...device.data, is_active: false, updated_at })]);
  });
}

/** Ends a part; the last one ends the message. */
async function finish(
  { context, scope, message: read, part, task }: Job,
  states: readonly DeliveryState[],
  failure?: string,
): Promise<StepResult> {
  const done: PushPartData = { ...part.data, states, isDone: true };
  return retryOnConflict(async (isFirst) => {
    const { message, own } = isFirst
      ? { message: read, own: part }
      : await readTogether(context.store, {
          message: { key: read.key, entity: pushMessageEntity },
          own: { key: part.key, entity: pushPartEntity },
        });
    if (message === undefined) return 'done'; // deleted with its instance
    if (own?.version !== part.version) return { task, afterMs: overtakenMs };
    const now = timestamp(context.clock.micros());
    const next = countPart(scope.provider, message.data, { states, now });
    const withFailure = failure === undefined ? next : { ...next, failure };
    await maintain(context, [updateItem(part, done), updateItem(message, withFailure)]);
    return 'done';
  });
}

/** Returns a message with one more finished part. */
function countPart(
  provider: PushProvider,
  data: PushMessageData,
  { states, now }: { readonly states: readonly DeliveryState[]; readonly now: string },
): PushMessageData {
  const count = countOutcomes(states);
  const delivered = data.delivered + count.delivered;
  const failed = data.failed + count.failed;
  const next = { ...data, delivered, failed, partsDone: data.partsDone + 1 };
  if (next.partsDone < data.parts) return next;
  return { ...next, status: finalStatus(provider, next), updated_at: now };
}
