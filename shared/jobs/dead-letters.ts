import type { Platform } from '../ports/ports.ts';
import type { Key, Store, Stored, Write } from '../store/store.ts';
import { deleteIfExists } from '../store/writes.ts';
import { instanceIn } from '../table/data-ids.ts';
import { deadLetterEntity, instanceLetterEntity } from '../table/entities/jobs.ts';
import { dueOf } from '../table/key-parts.ts';
import type { DeadLetterData } from '../table/records/jobs.ts';
import { messageOf } from '../values/caught.ts';
import { deploymentOwner, storedKeyOf } from '../values/file-keys.ts';
import type { ChangeConsumer, ItemChange, Services } from './change-feed.ts';
import { publicError, updateInstanceLetter } from './instance-letters.ts';
import type { JobType } from './jobs.ts';
import { maintain } from './maintain.ts';

/** A dead letter, as an operator sees it. */
export interface DeadLetter {
  readonly id: string;
  /**
   * A change that a consumer failed to process. On AWS also messages that a function failed to process, on one machine
   * mails.
   */
  readonly kind: 'change' | 'batch' | 'wake-up' | 'invocation' | 'mail';
  /** Consumer of a change, or function of a message. */
  readonly consumer: string;
  /** Timestamp in ISO 8601. */
  readonly at: string;
  readonly error: string;
  /** Key of the changed item, or another description of the content. */
  readonly item: string;
}

/** The dead letters of a deployment or a server. */
export interface DeadLetters {
  /** Lists them, the oldest of each kind first. */
  list(): Promise<readonly DeadLetter[]>;
  /**
   * Processes a letter again, and deletes it.
   *
   * @throws Error when that fails: then the letter is kept
   */
  replay(letter: DeadLetter): Promise<void>;
  /** Deletes a letter. */
  drop(letter: DeadLetter): Promise<void>;
  close(): Promise<void>;
}

const pageSize = 100; // their data may be large

/** Lists the dead letters of the table, oldest first. */
export async function listChanges(store: Pick<Store, 'query'>): Promise<readonly DeadLetter[]> {
  const found: DeadLetter[] = [];
  let after: string | undefined;
  do {
    const { items, last } = await deadLetterEntity.list(store, [], { limit: pageSize, after });
    for (const { key, data } of items) {
      const { id, consumer, error, key: item } = data;
      const at = new Date(dueOf(key)).toISOString();
      found.push({ id, kind: 'change', consumer, at, error, item: `${item.pk} ${item.sk}` });
    }
    after = last;
  } while (after !== undefined);
  return found;
}

/** Action on a dead letter of the table, for the process that has the consumers. */
export interface DeadLetterRequest {
  readonly action: 'replay' | 'drop';
  readonly id: string;
  /** Its timestamp in ISO 8601. */
  readonly at: string;
}

/** Returns the request for a letter. */
export function requestFor(
  action: DeadLetterRequest['action'],
  { id, at }: DeadLetter,
): DeadLetterRequest {
  return { action, id, at };
}

/**
 * Delivers the change of a dead letter to its consumer again if requested, then deletes the letter.
 *
 * @throws Error when the letter does not exist, or the consumer fails: then it is kept
 */
export async function handleDeadLetter(
  services: Services,
  consumers: readonly ChangeConsumer[],
  { action, id, at }: DeadLetterRequest,
): Promise<void> {
  const letter = await deadLetterEntity.read(services.store, Date.parse(at), id);
  if (letter === undefined) throw new Error(`there is no dead letter ${id}`);
  await handleLetter(services, consumers, { action, letter });
}

interface LetterAction {
  readonly action: DeadLetterRequest['action'];
  readonly letter: Stored<DeadLetterData>;
}

async function handleLetter(
  services: Services,
  consumers: readonly ChangeConsumer[],
  { action, letter }: LetterAction,
): Promise<void> {
  if (action === 'replay') await replay(services, consumers, letter);
  await maintain(services, deletionOf(letter));
  if (letter.data.file === undefined) return;
  await services.files.remove(deploymentOwner, [fileOf(letter.data.file)]);
}

function deletionOf({ key, data }: Stored<DeadLetterData>): readonly Write[] {
  if (data.number === undefined) return [deleteIfExists(key)];
  const shown = instanceLetterEntity.key(instanceIn(data.key), data.number);
  return [deleteIfExists(key), deleteIfExists(shown)];
}

/** The task of a job that an administrator of an instance requests for a letter. */
export type LetterTask = {
  readonly action: DeadLetterRequest['action'];
  /** Of the item that shows the letter to the instance. */
  readonly instance: number;
  readonly number: number;
  /** Of the letter. */
  readonly letter: string;
  readonly at: number;
};

/** Name of the type of that job. */
export const letterJobName: Pick<JobType, 'name'> = { name: 'dead-letter' };

/**
 * Returns the type of that job, for the process that has the consumers. A letter that is dropped is hidden from its
 * instance already; one whose replay fails is kept.
 */
export function letterJob(consumers: readonly ChangeConsumer[]): JobType {
  return {
    ...letterJobName,
    step: async (context, stored) => {
      const { action, instance, number, letter: id, at } = stored as LetterTask;
      const letter = await deadLetterEntity.read(context.store, at, id);
      if (letter === undefined) {
        // done before, or the operator has dropped it with a release that knows only the letter
        await maintain(context, [deleteIfExists(instanceLetterEntity.key(instance, number))]);
        return 'done';
      }
      try {
        await handleLetter(context, consumers, { action, letter });
      } catch (error) {
        if (action === 'drop') throw error; // tried again
        const shown = await instanceLetterEntity.read(context.store, instance, number);
        if (shown === undefined) return 'done'; // deleted since
        const failed = { status: 'failed', error: publicError(messageOf(error)) } as const;
        await maintain(context, [updateInstanceLetter(shown, failed)]);
      }
      return 'done';
    },
  };
}

async function replay(
  services: Services,
  consumers: readonly ChangeConsumer[],
  { data }: Stored<DeadLetterData>,
): Promise<void> {
  const consumer = consumers.find(({ name }) => name === data.consumer);
  if (consumer === undefined) throw new Error(`there is no consumer ${data.consumer} any more`);
  const change = await changeOf(services, data);
  if (consumer.replay !== undefined) await consumer.replay(change, services);
  else await consumer.consume([change], services);
}

async function changeOf(
  { files }: Pick<Platform, 'files'>,
  { key, kind, change, position, ...letter }: DeadLetterData,
): Promise<ItemChange> {
  const { before, after, beforeVersion, afterVersion } =
    letter.file === undefined ? letter : await readData(files, letter.file);
  return {
    key,
    kind,
    change,
    position,
    ...(before && { before: storedItem({ key, kind }, before, beforeVersion) }),
    ...(after && { after: storedItem({ key, kind }, after, afterVersion) }),
  };
}

const fileOf = (file: string) => storedKeyOf(deploymentOwner, 'dead-letters', file);

type LetterData = Pick<DeadLetterData, 'before' | 'after' | 'beforeVersion' | 'afterVersion'>;

async function readData(files: Platform['files'], file: string): Promise<LetterData> {
  const found = await files.get(deploymentOwner, fileOf(file));
  if (found === undefined) throw new Error(`its data in ${file} are gone`);
  return JSON.parse(Buffer.from(found.bytes).toString()) as LetterData; // storeDeadLetter wrote it
}

function storedItem(
  item: { readonly key: Key; readonly kind: string },
  data: object,
  version: string | undefined,
): Stored {
  if (version === undefined)
    throw new Error('an older program kept it, without the version of the item');
  return { ...item, version, data };
}
