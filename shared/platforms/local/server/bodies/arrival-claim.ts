import { anonymousBodyBytes, uncountedBodyBytes } from '../../../../values/bounds.ts';
import { neverRejects } from '../../../../values/promises/in-background.ts';
import type { MemoryBudget, ReturnBytes } from './memory-budget.ts';

/** Room that a body without valid credential takes as it arrives, so that a client reserves none with a header alone. */
export interface ArrivalClaim {
  /** Takes room once this many bytes of the body have arrived in all. */
  reach(bytes: number): void;
  /** Returns the room, and takes no more. */
  release(): void;
}

/**
 * Opens the claim of a body of which nothing has arrived: the first 2 KB take no room, the others up to twice as much as
 * has arrived.
 *
 * @param onNoRoom called, also later, when there was no room in time
 */
export function openArrivalClaim(
  room: MemoryBudget,
  address: string,
  onNoRoom: () => void,
): ArrivalClaim {
  const releases: ReturnBytes[] = [];
  let claimed = uncountedBodyBytes;
  let isReleased = false;
  const keep = (release: ReturnBytes | undefined) => {
    if (isReleased)
      release?.(); // it was granted too late
    else if (release === undefined) onNoRoom();
    else releases.push(release);
  };
  return {
    reach: (bytes) => {
      if (bytes <= claimed || isReleased) return;
      const next = Math.max(bytes, Math.min(2 * bytes, anonymousBodyBytes));
      const taken = room.take({ bytes: next - claimed, owner: undefined, address });
      claimed = next;
      if (taken instanceof Promise)
        neverRejects(taken.then(keep)); // a room only waits
      else keep(taken);
    },
    release: () => {
      isReleased = true;
      for (const each of releases.splice(0)) each();
    },
  };
}
