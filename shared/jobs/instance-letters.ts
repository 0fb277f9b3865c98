import type { Platform } from '../ports/ports.ts';
import type { Put, Stored } from '../store/store.ts';
import { createItem, updateItem } from '../store/writes.ts';
import { instanceCounter } from '../table/counters.ts';
import { instanceLetterEntity } from '../table/entities/jobs.ts';
import type { InstanceLetterData } from '../table/records/jobs.ts';

/* The dead letters of an instance, as its administrators see them: docs/reference/dead-letters.md. */

/** Days for which a dead letter is kept. On AWS also those of life-cycle rules. */
export const deadLetterDays = 30;

const daySeconds = 86_400;

/** Returns when a dead letter expires, in epoch seconds. */
export function letterExpiry(atMs: number): number {
  return Math.ceil(atMs / 1000) + deadLetterDays * daySeconds;
}

/** Returns the write that shows a new dead letter to its instance. */
export async function newInstanceLetter(
  { store }: Pick<Platform, 'store'>,
  instance: number,
  letter: Omit<InstanceLetterData, 'id' | 'status'>,
): Promise<Put & { readonly data: InstanceLetterData }> {
  const id = await store.next(instanceCounter(instance, 'dead-letter'), 1);
  const data: InstanceLetterData = { id, ...letter, status: 'failed' };
  const put = createItem(instanceLetterEntity, instanceLetterEntity.key(instance, id), data);
  return { ...put, data, expiresAt: letterExpiry(letter.at) };
}

/** Returns the update of a dead letter. It still expires with the letter. */
export function updateInstanceLetter(
  current: Stored<InstanceLetterData>,
  changes: Pick<InstanceLetterData, 'status'> & Partial<Pick<InstanceLetterData, 'error'>>,
): Put {
  const data = { ...current.data, ...changes };
  return { ...updateItem(current, data), expiresAt: letterExpiry(data.at) };
}

const maxCharacters = 1000;

/** Paths, keys of the table, and names of resources on AWS: they are the operator's. */
const internals = /(?<![\w.:/-])(?:arn:|(?:INSTANCE|ACCOUNT)#|\/(?=[\w.-]+\/))[^\s'"()]+/g;

/** Returns the text of an error as an instance may see it. */
export function publicError(text: string): string {
  return text.replace(internals, '…').slice(0, maxCharacters);
}
