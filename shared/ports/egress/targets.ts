import { isIP } from 'node:net';
import { isInternalAddress, isLoopbackAddress, isPublicAddress } from './addresses.ts';

const maxUrlLength = 8192; // a token in a query has up to 2048 letters, each encoded as three
const ports: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' };

/** A server that a request may be sent to. */
export interface Target {
  readonly url: URL;
  /** Its name, or its address without brackets. */
  readonly host: string;
  /** The operator allows it. */
  readonly isAllowed: boolean;
  /** Checks whether the request may be sent to an address of the host. */
  mayHave(address: string): boolean;
}

/**
 * Reads an address: of https, at port 443, unless the operator allows its host.
 *
 * @param allowed as in the setting
 * @throws Error for one that is not allowed
 */
export function readTarget(text: string, allowed: readonly string[]): Target {
  if (text.length > maxUrlLength) throw new Error('an address that is too long');
  const url = new URL(text); // 0x7f.1 and 2130706433 become 127.0.0.1
  const { hostname, protocol, username, password } = url;
  const usual = ports[protocol];
  if (usual === undefined) throw new Error('an address that is not of http');
  if (username !== '' || password !== '') throw new Error('an address with a user');
  const port = url.port || usual;
  const isUsual = port === usual && allowed.includes(hostname);
  const isAllowed = isUsual || allowed.includes(`${hostname}:${port}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (!isAllowed) checkPublic(protocol, port, host);
  const mayHave = isAllowed ? allowedRule(host) : isPublicAddress;
  return { url, host, isAllowed, mayHave };
}

function checkPublic(protocol: string, port: string, host: string): void {
  if (protocol !== 'https:') throw new Error('an address without TLS');
  if (port !== '443') throw new Error('a port that is not allowed');
  if (isIP(host) === 0 && !/\.[^.]+$/.test(host)) throw new Error('a name without a domain');
}

/** Returns the check of the addresses of an allowed host: an address that the operator has written is its own. */
function allowedRule(host: string): Target['mayHave'] {
  if (isIP(host) !== 0) return (address) => address === host;
  return host === 'localhost' ? isLoopbackAddress : isInternalAddress;
}
