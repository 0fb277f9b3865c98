const loopback = 'loopback';
const unknown = 'unknown';
const mappedPrefix = '0:0:0:0:0:ffff';

/**
 * Returns the group of an address for limiting attempts: all addresses of this machine are one, an IPv4 address, also
 * in its IPv6 form, is its own, and an IPv6 address has its /64, which is what one customer of a provider has.
 *
 * @returns one spelling for each group; `unknown` for any text that is no address
 */
export function addressGroup(address: string): string {
  const ipv4 = readIpv4(address);
  if (ipv4 !== undefined) return ipv4Group(ipv4);
  const words = readIpv6(address);
  if (words === undefined) return unknown;
  if (words.slice(0, 6).join(':') === mappedPrefix) return ipv4Group(toBytes(words.slice(6)));
  if (words.join(':') === '0:0:0:0:0:0:0:1') return loopback;
  return `${words.slice(0, 4).join(':')}::/64`;
}

/**
 * Checks whether a host is this machine by its name alone, which no name server can redirect. These are `localhost`,
 * 127.0.0.0/8 and ::1, the last with or without brackets. Names below `localhost` are not: some resolvers query them.
 */
export function isLoopbackName(host: string): boolean {
  if (/^localhost\.?$/i.test(host)) return true;
  const inBrackets = /^\[(.*:.*)\]$/.exec(host)?.[1];
  return addressGroup(inBrackets ?? host) === loopback;
}

function ipv4Group(bytes: readonly number[]): string {
  return bytes[0] === 127 ? loopback : bytes.join('.');
}

function readIpv4(text: string): readonly number[] | undefined {
  if (!/^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

/** Returns the eight words of an address in lower case without leading zeros; undefined for other text. */
function readIpv6(text: string): readonly string[] | undefined {
  const address = text.replace(/%.*$/, ''); // the zone
  if (!/^[\da-f:.]*:[\da-f:.]*$/i.test(address)) return undefined;
  const url = `http://[${address}]`;
  if (!URL.canParse(url)) return undefined;
  const [head = '', tail = ''] = new URL(url).hostname.slice(1, -1).split('::');
  const [before, after] = [wordsOf(head), wordsOf(tail)];
  return [...before, ...Array(8 - before.length - after.length).fill('0'), ...after];
}

function wordsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(':');
}

function toBytes(words: readonly string[]): readonly number[] {
  return words.flatMap((word) => {
    const value = Number.parseInt(word, 16);
    return [value >> 8, value & 255];
  });
}
