import { maintain } from '../../../jobs/maintain.ts';
import type { Platform, PollSlot } from '../../../ports/ports.ts';
import { ConditionFailed, StoreBusy } from '../../../store/store.ts';
import { createItem, deleteItem } from '../../../store/writes.ts';
import { pollSlotEntity } from '../../../table/entities/deployment.ts';
import { faultOf } from '../../../values/caught.ts';
import { OutcomeUnknown } from '../store/write.ts';

type SlotServices = Pick<Platform, 'store' | 'clock' | 'ids' | 'log'>;

/** A slot of a dead process is free again this long after its poll must have ended. */
const deadMs = 10_000;

/**
 * Takes a slot for a poll of at most `longestMs`.
 *
 * @returns the function that releases it; undefined: it is taken, or the table is too busy
 */
export async function takeSlot(
  services: SlotServices,
  number: number,
  longestMs: number,
): Promise<PollSlot['release'] | undefined> {
  const key = pollSlotEntity.key(number);
  const expiresAt = Math.ceil((services.clock.micros() / 1000 + longestMs + deadMs) / 1000);
  try {
    const version = await maintain(services, [
      { ...createItem(pollSlotEntity, key, {}), expiresAt },
    ]);
    return () => releaseSlot(services, { key, version });
  } catch (error) {
    if (isTaken(error)) return undefined;
    throw error;
  }
}

/** Returns whether another process has the slot, or the table is too busy to tell. */
function isTaken(error: unknown): boolean {
  return [ConditionFailed, OutcomeUnknown, StoreBusy].some((kind) => error instanceof kind);
}

/** Releases a slot, which expires anyway. Never rejects. */
async function releaseSlot(
  services: SlotServices,
  taken: Parameters<typeof deleteItem>[0],
): Promise<void> {
  try {
    await maintain(services, [deleteItem(taken)]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) logTrouble(services, error);
  }
}

function logTrouble({ log }: SlotServices, error: unknown): void {
  log({ level: 'error', message: 'a slot for a poll failed', ...faultOf(error) });
}
