import { read, reject, type ValueResult } from '../../values/scalars.ts';

/** Maximum addresses of an instance that links and log-ins may lead to, and characters of each. */
export const maxRedirects = 50;
const maxLength = 512;

/** What may stand after the scheme: no space, quote, bracket, backslash, fragment or user. */
const rest = '[A-Za-z0-9\\-._~!$&*+,;=:%/?[\\]]*';
const webAddress = new RegExp(`^https?://${rest}$`);
/** Schemes of native apps are domain names in reverse, so that no scheme of a browser is one (RFC 8252, 7.1). */
const appAddress = new RegExp(`^[a-z][a-z0-9+-]*(\\.[a-z0-9+-]+)+:/${rest}$`);
const localHosts = ['localhost', '127.0.0.1', '[::1]'];

/** Reads the addresses that links and log-ins may lead to; they are compared with those of requests as they are. */
export function readRedirects(input: unknown): ValueResult<readonly string[]> {
  if (!Array.isArray(input)) return reject('A list of addresses is needed.');
  if (input.length > maxRedirects) return reject(`There may be ${maxRedirects} addresses.`);
  const addresses: string[] = [];
  for (const [at, each] of input.entries()) {
    const problem = typeof each === 'string' ? problemOf(each) : 'It is no text.';
    if (problem !== undefined) return reject(`Address ${at + 1}: ${problem}`);
    if (!addresses.includes(each)) addresses.push(each);
  }
  return read(addresses);
}

/** Returns what is wrong with an address; undefined: nothing. */
function problemOf(address: string): string | undefined {
  if (address.length > maxLength) return `It has more than ${maxLength} characters.`;
  if (appAddress.test(address)) return URL.canParse(address) ? undefined : 'It is no address.';
  if (!webAddress.test(address)) {
    return 'It must begin with https:// or the scheme of an app, as com.example.app:/, without user and fragment, and with other characters encoded.';
  }
  const url = URL.parse(address);
  if (url === null || url.username !== '') return 'It is no address.';
  if (url.protocol === 'http:' && !localHosts.includes(url.hostname)) {
    return 'Only localhost may be without https.';
  }
  // what the address is compared with has gone through no parser: one that reads it otherwise must find nothing else
  return url.href === address ? undefined : `Write it as ${url.href}`;
}
