import type { Platform } from '../ports/ports.ts';
import { writeJson } from '../store/exact-json.ts';
import type { Key, Stored, Write, WriteCause } from '../store/store.ts';
import { createItem } from '../store/writes.ts';
import { contentsOf } from '../table/data-ids.ts';
import { deadLetterEntity } from '../table/entities/jobs.ts';
import { messageOf, originOf } from '../values/caught.ts';
import { deploymentOwner, letterFileKey } from '../values/file-keys.ts';
import { timestamp } from '../values/timestamp.ts';
import { letterExpiry, newInstanceLetter, publicError } from './instance-letters.ts';
import { describeItem } from './letter-item.ts';
import { maintain } from './maintain.ts';

/** A committed change of an item, by a client's write or a consequence of one. */
export interface ItemChange {
  readonly key: Key;
  readonly kind: string;
  /** Absent when the item is new. Where no watch needs the data, both have the size instead: {@link DataSize}. */
  readonly before?: Stored;
  /** Absent when the item was deleted. */
  readonly after?: Stored;
  readonly change: WriteCause;
  /** Text that is greater for the later one of two changes of a partition; across shards it has no meaning. */
  readonly position: string;
  /** Stream and shard: the changes of a partition may be in several shards at once. Absent: unknown, or there are none. */
  readonly shard?: string;
  /** Epoch milliseconds of its commit, a second early at most. Absent: unknown. */
  readonly at?: number;
}

/** Effect of a change on an item. */
export type ChangeAction = 'create' | 'update' | 'delete';

/** Replaces the data of an item where no watch needs them: the bytes of their JSON text in UTF-8. */
export interface DataSize {
  readonly bytes: number;
}

/** Changes that a consumer receives: of items of a kind, of these actions. */
export interface ChangeFilter {
  readonly kind: string;
  readonly actions: readonly ChangeAction[];
  /**
   * False where the event and the sizes of the data are enough: {@link DataSize}. An update that leaves the size
   * unchanged may be omitted.
   */
  readonly needsData?: false;
}

/** Returns the kinds whose data no watch needs. */
export function sizedKinds(watches: readonly ChangeFilter[]): ReadonlySet<string> {
  const needed = watches.filter(({ needsData = true }) => needsData).map(({ kind }) => kind);
  return new Set(watches.map(({ kind }) => kind).filter((kind) => !needed.includes(kind)));
}

/** Returns the effect on the item; a change has a before or an after. */
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

/** The part of a platform that background services use. */
export type Services = Omit<Platform, 'changes'>;

/**
 * Code that follows the change feed. It receives each change at least once, those of an item in order; it must accept
 * repeated changes.
 */
export interface ChangeConsumer {
  /** Appears in the log and in dead letters. */
  readonly name: string;
  /** The changes that it receives. */
  readonly watches: readonly ChangeFilter[];
  /** Readers wait for it (`Changes.settled`), so it takes a short time for any change, and waits for no other one. */
  readonly isAwaited?: true;
  /** Needs the order of several items, so it receives one batch of a shard at a time. Absent: that of each item is enough. */
  readonly needsShardOrder?: true;
  /** Processes changes of one owner, in order; after any error it receives them all again, some of them at a time. */
  consume(changes: readonly ItemChange[], services: Services): Promise<void>;
  /** Returns writes to be committed with the dead letter of a change. */
  readonly whenGivenUp?: (change: ItemChange, services: Services) => readonly Write[];
  /** Processes the change of a dead letter, after later ones. Absent: `consume` may do so. */
  readonly replay?: (change: ItemChange, services: Services) => Promise<void>;
}

const maxDataBytes = 256 * 1024; // of an item of 400 KB

/** A change that a consumer failed to process. */
export interface FailedChange {
  readonly change: ItemChange;
  /** Name of the consumer. */
  readonly consumer: string;
  readonly error: unknown;
}

/**
 * Stores a dead letter with other writes, shows it to its instance, and logs it for the operator. Large data are stored
 * in a file.
 */
export async function storeDeadLetter(
  services: Services,
  failed: FailedChange,
  more: readonly Write[] = [],
): Promise<void> {
  const { before, after, ...change } = failed.change;
  const { consumer, error } = failed;
  const id = services.ids.random();
  const data = {
    ...(before && { before: before.data, beforeVersion: before.version }),
    ...(after && { after: after.data, afterVersion: after.version }),
  };
  const kept = await keepData(services, id, data);
  const nowMs = services.clock.micros() / 1000;
  const cause = messageOf(error);
  const shown = await showToInstance(services, failed, { letter: id, nowMs });
  const letter = {
    id,
    ...change,
    consumer,
    error: cause.slice(0, 10_000),
    ...kept,
    ...(shown && { number: shown.data.id }),
  };
  const put = createItem(deadLetterEntity, deadLetterEntity.key(nowMs, id), letter);
  const writes = [{ ...put, expiresAt: letterExpiry(nowMs) }, ...(shown ? [shown] : []), ...more];
  await maintain(services, writes);
  const message = 'a change could not be taken and is kept as a dead letter';
  const at = { deadLetter: id, consumer, ...change.key };
  services.log({ level: 'error', message, ...at, ...originOf(error), cause });
}

/** Returns data as a letter holds them: large ones are in a file. */
async function keepData<Data extends object>(
  { files }: Pick<Platform, 'files'>,
  id: string,
  data: Data,
): Promise<Data | { readonly file: string }> {
  const text = writeJson(data);
  if (Buffer.byteLength(text) <= maxDataBytes) return data;
  const file = letterFileKey(id);
  await files.put(deploymentOwner, file, {
    bytes: Buffer.from(text),
    contentType: 'application/json',
  });
  return { file };
}

/** Returns the write that shows a letter to the instance of its change; undefined outside instances. */
async function showToInstance(
  services: Services,
  { change, consumer, error }: FailedChange,
  { letter, nowMs }: { readonly letter: string; readonly nowMs: number },
) {
  const instance = contentsOf(change.key);
  if (instance === undefined) return undefined;
  return newInstanceLetter(services, instance, {
    letter,
    at: Math.floor(nowMs),
    created_at: timestamp(Math.round(nowMs * 1000)),
    consumer,
    error: publicError(messageOf(error)),
    ...describeItem(change, actionOf(change)),
  });
}
