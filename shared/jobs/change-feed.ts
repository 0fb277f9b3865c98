import type { Platform } from '../platform/ports.ts';
import { deadLetterEntity } from '../store/entities.ts';
import type { Change, Key, Stored } from '../store/store.ts';
import { insert } from '../store/writes.ts';
import { messageOf } from '../values/caught.ts';
import { maintain } from './maintain.ts';

/** An item that was committed otherwise than it was before: by a client, or by what followed from a client's write. */
export interface ItemChange {
  readonly key: Key;
  readonly kind: string;
  /** Absent when the item is new. Of changes whose watches need no data, both have their size: {@link DataSize}. */
  readonly before?: Stored;
  /** Absent when the item is gone. */
  readonly after?: Stored;
  readonly change: Change;
  /** Text that is greater for the later one of two changes of a partition. */
  readonly position: string;
}

/** What became of an item. */
export type ChangeAction = 'create' | 'update' | 'delete';

/** What the data of an item are replaced by where no watch needs them: the bytes of their JSON text in UTF-8. */
export interface DataSize {
  readonly bytes: number;
}

/** Changes that somebody wants to hear of: of items of a kind, of these actions. */
export interface Watch {
  readonly kind: string;
  readonly actions: readonly ChangeAction[];
  /**
   * False where it is enough to know that it happened, and the sizes of the data: {@link DataSize}. An update that
   * leaves the size as it was may be left out.
   */
  readonly needsData?: false;
}

/** Returns the kinds of which no watch needs the data. */
export function sizedKinds(watches: readonly Watch[]): ReadonlySet<string> {
  const needed = watches.filter(({ needsData = true }) => needsData).map(({ kind }) => kind);
  return new Set(watches.map(({ kind }) => kind).filter((kind) => !needed.includes(kind)));
}

/** What became of the item; a change has a before or an after. */
export function actionOf({
  before,
  after,
}: {
  readonly before?: unknown;
  readonly after?: unknown;
}): ChangeAction {
  if (before === undefined) return 'create';
  return after === undefined ? 'delete' : 'update';
}

/** What background services need of a platform. */
export type Services = Omit<Platform, 'changes'>;

/**
 * Something that follows from changes. Each change reaches it at least once, those of an item in their order; it
 * must not mind seeing one again.
 */
export interface ChangeConsumer {
  /** Stands in the log and in dead letters. */
  readonly name: string;
  /** The changes that it takes. */
  readonly watches: readonly Watch[];
  /** Takes changes, in their order; whatever it throws, it gets them all again, some of them at a time. */
  consume(changes: readonly ItemChange[], services: Services): Promise<void>;
}

/** Attempts for one change, and how long to wait between them. */
const maxAttempts = 6;
const firstDelayMs = 100; // 3 s in all

/** How changes are brought to a consumer. */
export interface Delivery {
  readonly consumer: ChangeConsumer;
  readonly services: Services;
  /** Waits between attempts; what it throws ends the delivery without an outcome. */
  readonly sleep: (ms: number) => Promise<void>;
}

/**
 * Brings changes to a consumer. When it fails, halves are tried, so that in the end one change stands alone: that
 * is tried again with growing pauses, then kept as a dead letter and told to the operator, and the rest goes on.
 *
 * @throws Error when a dead letter cannot be kept: then nothing is lost by bringing all of them again
 */
export async function deliver(delivery: Delivery, changes: readonly ItemChange[]): Promise<void> {
  const { consumer, services } = delivery;
  const wanted = changes.filter((change) =>
    consumer.watches.some(
      ({ kind, actions }) => kind === change.kind && actions.includes(actionOf(change)),
    ),
  );
  if (wanted.length > 0) await deliverWanted(delivery, services, wanted);
}

async function deliverWanted(
  delivery: Delivery,
  services: Services,
  changes: readonly ItemChange[],
): Promise<void> {
  const [first, ...rest] = changes;
  if (first === undefined) return;
  if (rest.length === 0) return deliverOne(delivery, first);
  try {
    await delivery.consumer.consume(changes, services);
  } catch {
    // The change that is at fault will be found alone, and its error told then.
    const middle = Math.ceil(changes.length / 2);
    await deliverWanted(delivery, services, changes.slice(0, middle));
    await deliverWanted(delivery, services, changes.slice(middle));
  }
}

async function deliverOne(delivery: Delivery, change: ItemChange): Promise<void> {
  const { consumer, services, sleep } = delivery;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await consumer.consume([change], services);
    } catch (error) {
      if (attempt === maxAttempts) return giveUp(delivery, change, error);
    }
    await sleep(firstDelayMs * 2 ** (attempt - 1));
  }
}

async function giveUp(
  { consumer, services }: Delivery,
  { key, kind, change, position, before, after }: ItemChange,
  error: unknown,
): Promise<void> {
  const id = services.ids.random();
  const cause = messageOf(error);
  const at = services.clock.micros() / 1000;
  const letter = {
    id,
    consumer: consumer.name,
    position,
    key,
    kind,
    change,
    error: cause,
    ...(before && { before: before.data }),
    ...(after && { after: after.data }),
  };
  await maintain(services, [insert(deadLetterEntity, deadLetterEntity.key(at, id), letter)]);
  const message = 'a change could not be taken and is kept as a dead letter';
  services.log({ level: 'error', message, deadLetter: id, consumer: consumer.name, ...key, cause });
}
