import type { Platform } from '../../ports/ports.ts';
import { readTogether } from '../../store/entity.ts';
import type { Delete, Put } from '../../store/store.ts';
import { createItem, deleteIfExists } from '../../store/writes.ts';
import { guestPlaceEntity } from '../../table/entities/user-accounts.ts';
import type { UserData } from '../../table/records/records.ts';
import { countExceeded } from '../../values/errors/errors.ts';

/** Guests that an instance may have at once (docs/reference/limits.md#users-of-apps). */
export const maxGuests = 1000;
/** A guest stays for thirty days. */
export const guestSeconds = 30 * 24 * 3600;
/** Places that a new guest looks at: a count of all would cost more. With 900 guests one of five requests finds none. */
const looked = 16;

/** A free place. */
export interface GuestPlace {
  readonly number: number;
  /** Returns the write that takes it until a time in seconds. It fails when another guest has taken it since. */
  readonly take: (user: number, until: number) => Put;
}

/**
 * Finds a place for a guest.
 *
 * @throws ApiError 400 when the places that it looks at are taken
 */
export async function findGuestPlace(
  { store, ids }: Pick<Platform, 'store' | 'ids'>,
  instance: number,
): Promise<GuestPlace> {
  const first = Number.parseInt(ids.random().slice(0, 8), 16);
  const numbers = Array.from({ length: looked }, (_, at) => ((first + at) % maxGuests) + 1);
  const { found } = await readTogether(store, {
    found: numbers.map((number) => guestPlaceEntity.at(instance, number)),
  });
  const number = numbers.find((_, at) => found[at] === undefined);
  if (number === undefined) throw countExceeded('Guest', maxGuests);
  const key = guestPlaceEntity.key(instance, number);
  return {
    number,
    take: (user, until) => ({
      ...createItem(guestPlaceEntity, key, { user }),
      expiresAt: until,
    }),
  };
}

/** Returns the writes that free the place of a user who is no guest any more. */
export function guestEnd(instance: number, { guestPlace }: UserData): readonly Delete[] {
  if (guestPlace === undefined) return [];
  return [deleteIfExists(guestPlaceEntity.key(instance, guestPlace))];
}
