import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses at which clouds give credentials to a machine, in ranges that are otherwise ordinary. */
const metadata = ['168.63.129.16/32', 'fd00:ec2::/32', 'fd20:ce::254/128'].map((range) =>
  ipaddr.parseCIDR(range),
);
const internalRanges: readonly string[] = ['private', 'uniqueLocal'];
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/** Checks whether an address is global unicast: it belongs to no special range of either version. */
export function isPublicAddress(address: string): boolean {
  return rangeOf(address) === 'unicast';
}

/**
 * Checks whether an allowed name may have an address: a public one, or one of a private network. A name that someone
 * else controls leads neither to this machine nor to the metadata of a cloud.
 */
export function isInternalAddress(address: string): boolean {
  const range = rangeOf(address);
  return range !== undefined && (range === 'unicast' || internalRanges.includes(range));
}

export function isLoopbackAddress(address: string): boolean {
  return rangeOf(address) === 'loopback';
}

/** Returns the name of an address's range; undefined where there is never a server. */
function rangeOf(address: string): string | undefined {
  if (isIP(address) === 0 || address.includes('%')) return undefined; // not one with a zone
  const parsed = ipaddr.parse(address);
  const isMetadata = metadata.some(
    ([start, bits]) => start.kind() === parsed.kind() && parsed.match(start, bits),
  );
  if (isMetadata) return undefined;
  const range = parsed.range();
  const isReserved =
    range === 'unicast' && parsed.kind() === 'ipv6' && !parsed.match(globalUnicast);
  return isReserved ? undefined : range;
}
