import { contentsOf } from '../table/data-ids.ts';
import { longestDelay } from '../values/back-off.ts';
import { isTransient } from '../values/errors/transient.ts';
import { allSettled } from '../values/promises/all-settled.ts';
import {
  actionOf,
  type ChangeConsumer,
  type FailedChange,
  type ItemChange,
  type Services,
  storeDeadLetter,
} from './change-feed.ts';

/** Attempts for one change that fails for a reason of its own, and the delay between them. */
const maxAttempts = 6;
const attemptDelay = { firstMs: 100, maxMs: 1600 }; // 3 s in total

/** The delivery of changes to consumers. */
export interface ChangeDelivery {
  readonly consumers: readonly ChangeConsumer[];
  readonly services: Services;
  /** Waits between attempts; an error that it throws ends the delivery. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Changes of an owner that are given up in one delivery, each after 3 s: the rest waits. Absent: any number. */
  readonly maxFailed?: number;
  /** Runs the delivery to one owner, under limits of its own. Absent: without limits. */
  readonly limited?: <Result>(run: () => Promise<Result>) => Promise<Result>;
  /** Whether an earlier change of the owner waits for the consumer, so that these must wait behind it. */
  readonly mustWait?: (lane: Lane) => boolean;
  /** Stores changes that wait, each part in order. Returns those that it could not store. */
  readonly park?: (waiting: readonly Waiting[]) => Promise<readonly Waiting[]>;
}

/** Changes in order: of an owner (an instance, or a partition outside of instances) for a consumer. */
export interface Lane {
  readonly consumer: string;
  readonly owner: string;
}

/** Changes of a lane that cannot be consumed now: from the first one that could not be, in order. */
export interface Waiting extends Lane {
  readonly changes: readonly ItemChange[];
  /** The transient error; absent where they wait behind earlier ones, or this delivery has given up enough. */
  readonly error?: unknown;
}

/** Where a delivery ended before the end of its changes. */
export interface Interruption {
  /** The first change that is to be delivered again, with all that follow it. */
  readonly from: ItemChange;
  /** Absent where nothing stops the next delivery. */
  readonly error?: unknown;
}

/**
 * Delivers changes to consumers, those of each owner independently of the others, so that an owner whose items are
 * throttled does not delay them.
 *
 * After a transient error the rest of the owner's changes waits: it is parked, or delivered again later. After any other
 * error it retries with halves, so that in the end one change is alone: that is retried with growing delays, then stored
 * as a dead letter and logged for the operator, and the rest continues. A change that is to be delivered again has no
 * dead letter yet, so it never has two.
 *
 * @returns where the delivery must continue; undefined when nothing is left
 */
export async function deliverChanges(
  delivery: ChangeDelivery,
  changes: readonly ItemChange[],
): Promise<Interruption | undefined> {
  const { park = async (waiting) => waiting } = delivery;
  const owners = [...byOwner(changes)];
  const outcomes = await allSettled(owners.map((owner) => deliverToAll(delivery, owner)));
  const waiting = outcomes.flatMap((outcome) => outcome.waiting);
  const left = waiting.length === 0 ? [] : await park(waiting);
  const positions = new Map(changes.map((change, at) => [change, at]));
  const positionOf = (change: ItemChange | undefined) =>
    (change && positions.get(change)) ?? changes.length;
  const inOrder = <Part>(
    parts: readonly Part[],
    changeOf: (part: Part) => ItemChange | undefined,
  ) => parts.toSorted((a, b) => positionOf(changeOf(a)) - positionOf(changeOf(b)));
  const [first] = inOrder(left, (part) => part.changes[0]);
  const end = positionOf(first?.changes[0]);
  const failed = outcomes.flatMap((outcome) => outcome.failed);
  for (const each of inOrder(failed, ({ change }) => change)) {
    if (positionOf(each.change) >= end) break;
    try {
      await giveUp(delivery, each);
    } catch (error) {
      return { from: each.change, error }; // nothing is lost by delivering it again
    }
  }
  const from = changes[end];
  return from && { from, ...(first?.error !== undefined && { error: first.error }) };
}

/** Returns the owner of a change, as a part of the name of a lane. */
function ownerOf({ key }: ItemChange): string {
  return String(contentsOf(key) ?? key.pk);
}

function byOwner(changes: readonly ItemChange[]): ReadonlyMap<string, readonly ItemChange[]> {
  const found = new Map<string, ItemChange[]>();
  for (const change of changes) {
    const owner = ownerOf(change);
    const known = found.get(owner);
    if (known === undefined) found.set(owner, [change]);
    else known.push(change);
  }
  return found;
}

interface Failed extends Omit<FailedChange, 'consumer'> {
  readonly consumer: ChangeConsumer;
}

interface Outcome {
  readonly waiting: Waiting[];
  readonly failed: Failed[];
}

/** Delivers the changes of an owner to one consumer after the other. */
async function deliverToAll(
  delivery: ChangeDelivery,
  [owner, changes]: readonly [string, readonly ItemChange[]],
): Promise<Outcome> {
  const { consumers, mustWait = () => false, limited = (run) => run() } = delivery;
  const outcome: Outcome = { waiting: [], failed: [] };
  await limited(async () => {
    for (const consumer of consumers) {
      const wanted = changes.filter((change) => isWanted(consumer, change));
      if (wanted.length === 0) continue;
      const lane = { consumer: consumer.name, owner };
      const rest = mustWait(lane)
        ? { changes: wanted }
        : await deliverTo(delivery, { consumer, failed: outcome.failed }, wanted);
      if (rest.changes.length > 0) outcome.waiting.push({ ...lane, ...rest });
    }
  });
  return outcome;
}

function isWanted({ watches }: ChangeConsumer, change: ItemChange): boolean {
  const action = actionOf(change);
  return watches.some(({ kind, actions }) => kind === change.kind && actions.includes(action));
}

interface Target {
  readonly consumer: ChangeConsumer;
  /** Changes that are given up. */
  readonly failed: Failed[];
}

type Rest = Pick<Waiting, 'changes' | 'error'>;

const nothing: Rest = { changes: [] };

/** Returns the changes that wait: from the first one that a transient error has stopped. */
async function deliverTo(
  delivery: ChangeDelivery,
  target: Target,
  changes: readonly ItemChange[],
): Promise<Rest> {
  const [first, ...more] = changes;
  if (first === undefined) return nothing;
  if (more.length === 0) return deliverOne(delivery, target, first);
  try {
    await target.consumer.consume(changes, delivery.services);
    return nothing;
  } catch (error) {
    if (isTransient(error)) return { changes, error };
    // The failing change will be alone in the end, and its error is logged then.
    const middle = Math.ceil(changes.length / 2);
    const rest = await deliverTo(delivery, target, changes.slice(0, middle));
    const later = changes.slice(middle);
    if (rest.changes.length === 0) return deliverTo(delivery, target, later);
    return { ...rest, changes: [...rest.changes, ...later] };
  }
}

async function deliverOne(
  { services, sleep, maxFailed = Number.POSITIVE_INFINITY }: ChangeDelivery,
  { consumer, failed }: Target,
  change: ItemChange,
): Promise<Rest> {
  const isLast = failed.filter((each) => each.consumer === consumer).length >= maxFailed;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await consumer.consume([change], services);
      return nothing;
    } catch (error) {
      if (isTransient(error)) return { changes: [change], error };
      if (isLast) return { changes: [change] };
      if (attempt === maxAttempts) {
        failed.push({ change, consumer, error });
        return nothing;
      }
    }
    await sleep(longestDelay(attempt - 1, attemptDelay));
  }
}

function giveUp({ services }: ChangeDelivery, { change, consumer, error }: Failed): Promise<void> {
  const more = consumer.whenGivenUp?.(change, services);
  return storeDeadLetter(services, { change, consumer: consumer.name, error }, more);
}
