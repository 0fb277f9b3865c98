import type { Key, Stored, Write } from '../store/store.ts';
import { createOrUpdate } from '../store/writes.ts';
import { knownAddressesEntity } from '../table/entities/deployment.ts';
import type { KnownAddress, KnownAddressesData } from '../table/records/address-limits.ts';

const maxAddresses = 16; // of one name; a new one replaces the one with the oldest log-in
const daySeconds = 86_400;
/** Thirty days from the last log-in, which may be up to a day later than the stored one. */
const keptSeconds = 31 * daySeconds;

/** State of an address from which a name may have logged in. */
export type Acquaintance = 'new' | 'known' | 'heard of today';

/**
 * Checks whether a name has logged in from an address within thirty days.
 *
 * @param now epoch seconds
 */
export function acquaintance(
  item: Stored<KnownAddressesData> | undefined,
  address: string,
  now: number,
): Acquaintance {
  const found = addressesOf(item, now).find((each) => each.address === address);
  if (found === undefined) return 'new';
  return found.at > now - daySeconds ? 'heard of today' : 'known';
}

/** Returns the conditional write that stores the address of a log-in. */
export function rememberAddress(
  item: Stored<KnownAddressesData> | undefined,
  key: Key,
  address: string,
  now: number,
): Write {
  const others = addressesOf(item, now).filter((each) => each.address !== address);
  const at = Math.floor(now);
  const data: KnownAddressesData = {
    addresses: [{ address, at }, ...others].slice(0, maxAddresses),
  };
  const put = createOrUpdate(knownAddressesEntity, { key, current: item }, data);
  return { ...put, expiresAt: at + keptSeconds };
}

function addressesOf(
  item: Stored<KnownAddressesData> | undefined,
  now: number,
): readonly KnownAddress[] {
  const { addresses = [] } = item?.data ?? {};
  return addresses.filter(({ at }) => at > now - keptSeconds);
}
