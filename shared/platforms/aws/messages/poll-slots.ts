import type { PollSlot } from '../../../ports/ports.ts';
import { StoreBusy } from '../../../store/store.ts';
import { createItem, deleteItem } from '../../../store/writes.ts';
import { pollSlotEntity } from '../../../table/entities/deployment.ts';
import { createSlot, deleteEarly, type SlotServices } from '../slots/items.ts';

/** A slot of a dead process is free again this long after its poll must have ended. */
const deadMs = 10_000;

/**
 * Takes a slot for a poll of at most `longestMs`.
 *
 * @returns the function that releases it; undefined: it is taken, or the table is too busy to tell
 */
export async function takePollSlot(
  services: SlotServices,
  number: number,
  longestMs: number,
): Promise<PollSlot['release'] | undefined> {
  const key = pollSlotEntity.key(number);
  try {
    const create = createItem(pollSlotEntity, key, {});
    const version = await createSlot(services, create, longestMs + deadMs);
    if (version === undefined) return undefined;
    return () => deleteEarly(services, deleteItem({ key, version }));
  } catch (error) {
    if (error instanceof StoreBusy) return undefined;
    throw error;
  }
}
