import { lookup, Resolver } from 'node:dns/promises';
import { isIP, isIPv4 } from 'node:net';
import type { Target } from './targets.ts';

const perVersion = 2; // further addresses of a host would only be tried after these

/** Finds the addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * Finds the addresses of a target to connect to, all checked.
 *
 * @param resolve for tests: instead of name servers
 * @throws Error when there is none that it may have
 */
export async function findAddresses(
  { host, isAllowed, mayHave }: Target,
  signal: AbortSignal,
  resolve: Resolve | undefined,
): Promise<readonly string[]> {
  const own = isAllowed ? lookUp : (name: string) => resolvePublicly(name, signal);
  const found = isIP(host) === 0 ? await within(signal, (resolve ?? own)(host)) : [host];
  const checked = found.filter(mayHave);
  if (checked.length === 0) throw new Error('no address that is allowed');
  const ofVersion4 = checked.filter(isIPv4);
  const others = checked.filter((address) => !isIPv4(address));
  return [...ofVersion4.slice(0, perVersion), ...others.slice(0, perVersion)];
}

/** Waits no longer than the request may take: the resolver of a machine cannot be stopped. */
async function within<Found>(signal: AbortSignal, finding: Promise<Found>): Promise<Found> {
  let stop = () => {};
  const ended = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([finding, ended]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Resolves a name as programs of this machine do, with its own files; in one of a few threads. */
async function lookUp(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Resolves a name by name servers only, without a thread, which a slow one would occupy. */
async function resolvePublicly(host: string, signal: AbortSignal): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
