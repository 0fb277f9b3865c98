import type { QueueState } from '../../../../ports/limits/request-queue.ts';
import { maxRoomWaiters, roomWaitMs } from '../../../../values/bounds.ts';
import { type Claim, openShares, type RoomSize } from './shares.ts';

/** Returns the bytes; further calls have no effect. */
export type ReturnBytes = () => void;

/** Memory with fair shares, so that one owner or address cannot take all of it. */
export interface MemoryBudget extends QueueState {
  /**
   * Takes bytes, at once when they are free, else after a short wait. A claim of more than a whole share counts as the
   * share, or it could never be granted. When all is taken, a claim with a holder ends the slowest one of an owner or an
   * address that has more than its own would have.
   *
   * @returns undefined when there was no room in time
   */
  take(claim: Claim): ReturnBytes | Promise<ReturnBytes | undefined>;
}

interface Waiter {
  readonly claim: Claim;
  readonly resolve: (release: ReturnBytes | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

/** Opens an empty room of this size. */
export function openMemoryBudget(size: RoomSize): MemoryBudget {
  const { total, perOwner, perAddress } = size;
  const shares = openShares(size);
  const waiters = new Set<Waiter>();
  const held = new Map<Claim, () => boolean>(); // by granted claim, what returns its bytes
  const rejected = { full: 0, late: 0 };

  return {
    get waiting() {
      return waiters.size;
    },
    get inside() {
      return held.size;
    },
    rejected,
    take: (sent) => {
      const claim = { ...sent, bytes: Math.min(sent.bytes, total, perOwner, perAddress) };
      const granted = shares.fits(claim) ? grant(claim) : displace(claim);
      if (granted !== undefined) return granted;
      if (!mayWait(waiters, claim, size)) {
        rejected.full += 1;
        return Promise.resolve(undefined);
      }
      return wait(waiters, claim, () => {
        rejected.late += 1;
      });
    },
  };

  function grant(claim: Claim): ReturnBytes {
    shares.count(claim, 1);
    const drop = () => {
      if (!held.delete(claim)) return false;
      shares.count(claim, -1);
      return true;
    };
    held.set(claim, drop);
    return () => {
      if (drop() && waiters.size > 0) admitWaiters();
    };
  }

  /** Grants a claim in the place of the slowest holder that has to make room; undefined: none has. */
  function displace(claim: Claim): ReturnBytes | undefined {
    if (claim.holder === undefined || !shares.fitsOwn(claim)) return undefined;
    const slowest = slowestOf([...held.keys()].filter((each) => shares.hasMore(each, claim)));
    if (slowest === undefined) return undefined;
    held.get(slowest)?.(); // no waiter is admitted: the bytes are this claim's
    const release = grant(claim);
    slowest.holder?.giveUp();
    return release;
  }

  /** Admits waiting claims in order; one that does not fit yet blocks no other, as each wait is short. */
  function admitWaiters(): void {
    for (const waiter of waiters) {
      if (!shares.fits(waiter.claim)) continue;
      waiters.delete(waiter);
      clearTimeout(waiter.timer);
      waiter.resolve(grant(waiter.claim));
    }
  }
}

/** Waits for room; resolves to undefined after a call of `whenLate` when there was none in time. */
function wait(
  waiters: Set<Waiter>,
  claim: Claim,
  whenLate: () => void,
): Promise<ReturnBytes | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      waiters.delete(waiter);
      whenLate();
      resolve(undefined);
    }, roomWaitMs);
    const waiter = { claim, resolve, timer };
    waiters.add(waiter);
  });
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

function slowestOf(claims: readonly Claim[]): Claim | undefined {
  const rateOf = ({ holder }: Claim) => holder?.rate() ?? Number.POSITIVE_INFINITY;
  return claims
    .map((claim) => ({ claim, rate: rateOf(claim) }))
    .filter(({ rate }) => rate < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rate - b.rate)[0]?.claim;
}
