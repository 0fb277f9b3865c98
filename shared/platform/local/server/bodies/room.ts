import { maxRoomWaiters, roomWaitMs } from '../../../../values/bounds.ts';

/** Most bytes in use at a time: in total, by one owner, and by one address. */
export interface RoomSize {
  readonly total: number;
  readonly perOwner: number;
  readonly perAddress: number;
  /** Most claims of one address that wait; absent: as many as wait in all. */
  readonly waitersPerAddress?: number;
}

/** Bytes that are requested for an owner. */
export interface Claim {
  readonly bytes: number;
  /** Account or instance; undefined: not known. */
  readonly owner: string | undefined;
  readonly address: string;
}

/** Returns the bytes; further calls have no effect. */
export type Release = () => void;

/** Memory with fair shares, so that one owner or address cannot take all of it. */
export interface Room {
  /**
   * Takes bytes, at once when they are free, else after a short wait. A claim of more than a whole share counts as the
   * share, or it could never be granted.
   *
   * @returns undefined when there was no room in time
   */
  take(claim: Claim): Release | Promise<Release | undefined>;
}

interface Waiter {
  readonly claim: Claim;
  readonly resolve: (release: Release | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

/** Opens an empty room of this size. */
export function openRoom(size: RoomSize): Room {
  const { total, perOwner, perAddress } = size;
  let taken = 0;
  const byOwner = new Map<string, number>();
  const byAddress = new Map<string, number>();
  const waiters = new Set<Waiter>();

  return {
    take: (sent) => {
      const claim = { ...sent, bytes: Math.min(sent.bytes, total, perOwner, perAddress) };
      if (fits(claim)) return grant(claim);
      if (!mayWait(waiters, claim, size)) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          waiters.delete(waiter);
          resolve(undefined);
        }, roomWaitMs);
        const waiter = { claim, resolve, timer };
        waiters.add(waiter);
      });
    },
  };

  function fits({ bytes, owner, address }: Claim): boolean {
    return (
      taken + bytes <= total &&
      (byAddress.get(address) ?? 0) + bytes <= perAddress &&
      (owner === undefined || (byOwner.get(owner) ?? 0) + bytes <= perOwner)
    );
  }

  function grant(claim: Claim): Release {
    count(claim, claim.bytes);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      count(claim, -claim.bytes);
      if (waiters.size > 0) admitWaiters();
    };
  }

  function count({ owner, address }: Claim, bytes: number): void {
    taken += bytes;
    add(byAddress, address, bytes);
    if (owner !== undefined) add(byOwner, owner, bytes);
  }

  /** Admits waiting claims in order; one that does not fit yet blocks no other, as each wait is short. */
  function admitWaiters(): void {
    for (const waiter of waiters) {
      if (!fits(waiter.claim)) continue;
      waiters.delete(waiter);
      clearTimeout(waiter.timer);
      waiter.resolve(grant(waiter.claim));
    }
  }
}

function mayWait(
  waiters: ReadonlySet<Waiter>,
  { address }: Claim,
  { waitersPerAddress = maxRoomWaiters }: RoomSize,
): boolean {
  if (waiters.size >= maxRoomWaiters) return false;
  if (waiters.size < waitersPerAddress) return true;
  let ofAddress = 0;
  for (const { claim } of waiters) if (claim.address === address) ofAddress += 1;
  return ofAddress < waitersPerAddress;
}

function add(counts: Map<string, number>, name: string, bytes: number): void {
  const sum = (counts.get(name) ?? 0) + bytes;
  if (sum === 0) counts.delete(name);
  else counts.set(name, sum);
}
