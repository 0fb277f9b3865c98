import { OperatorUsageError } from './operator/terminal.ts';

/**
 * Reads the address of a server, which may be below a path of its host: `https://example.com/groundwork`.
 *
 * @returns the address in one spelling, without a slash at the end
 * @throws UsageError for another scheme, and for a user, a password, a query or a fragment, without repeating them
 */
export function parseServerAddress(text: string): string {
  const { address, problem } = readAddress(text);
  if (problem === undefined) return address;
  throw new OperatorUsageError(problem);
}

/** Checks whether a text is an address of a server, in any spelling. */
export function isServerAddress(text: string, address: string): boolean {
  const read = readAddress(text);
  return read.problem === undefined && read.address === address;
}

const thisMachine = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Checks whether a valid address is that of a server on this machine, without TLS. */
export function isThisMachine(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && thisMachine.has(hostname);
}

function readAddress(text: string): { readonly address: string; readonly problem?: string } {
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) {
    return { address: text, problem: `${text} is not the address of a server` };
  }
  const { origin, pathname, username, password } = new URL(text);
  const address = origin + pathname.replace(/\/+$/, '');
  const extra = [
    [username !== '' || password !== '', 'a user or a password'],
    [text.includes('#'), 'a fragment'],
    [text.includes('?'), 'a query'],
  ].find(([isThere]) => isThere)?.[1];
  if (extra === undefined) return { address };
  return { address, problem: `the address ${address} has ${extra}: give it without` };
}
