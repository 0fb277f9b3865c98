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
  /** Absent: what it holds is never taken away. */
  readonly holder?: Holder;
}

/** Holder of bytes, which can be ended. */
export interface Holder {
  /** Bytes per millisecond that it gains. */
  rate(): number;
  /** Ends it: its bytes are another claim's. */
  giveUp(): void;
}

/** Counts granted claims in total, by owner and by address. */
export interface Shares {
  /** Adds the bytes of a claim, or subtracts them with `sign` -1. */
  count(claim: Claim, sign: 1 | -1): void;
  fits(claim: Claim): boolean;
  /** Whether a claim fits into the shares of its owner and address. */
  fitsOwn(claim: Claim): boolean;
  /** Whether the owner or the address of a granted claim would still have more than those of another one that is granted. */
  hasMore(granted: Claim, other: Claim): boolean;
}

/** Opens counters at zero. */
export function openShares({ total, perOwner, perAddress }: RoomSize): Shares {
  let taken = 0;
  const byOwner = new Map<string, number>();
  const byAddress = new Map<string, number>();
  const ofAddress = ({ address }: Claim) => byAddress.get(address) ?? 0;
  const ofOwner = ({ owner }: Claim) => (owner === undefined ? 0 : (byOwner.get(owner) ?? 0));
  const fitsOwn = (claim: Claim) =>
    ofAddress(claim) + claim.bytes <= perAddress &&
    (claim.owner === undefined || ofOwner(claim) + claim.bytes <= perOwner);
  return {
    count: ({ bytes, owner, address }, sign) => {
      taken += sign * bytes;
      add(byAddress, address, sign * bytes);
      if (owner !== undefined) add(byOwner, owner, sign * bytes);
    },
    fits: (claim) => taken + claim.bytes <= total && fitsOwn(claim),
    fitsOwn,
    hasMore: (granted, other) =>
      ofAddress(granted) > ofAddress(other) + other.bytes ||
      ofOwner(granted) > ofOwner(other) + other.bytes,
  };
}

function add(counts: Map<string, number>, name: string, bytes: number): void {
  const sum = (counts.get(name) ?? 0) + bytes;
  if (sum === 0) counts.delete(name);
  else counts.set(name, sum);
}
