import { messageOf } from '../../values/caught.ts';
import { openRequestQueue } from '../limits/request-queue.ts';
import type { Log } from '../ports.ts';
import { type Egress, EgressError, type EgressRequest } from './egress.ts';
import { type Exchange, exchange } from './exchange.ts';
import { findAddresses, type Resolve } from './resolve.ts';
import { readTarget } from './targets.ts';

/**
 * Requests at once, and those that wait for a turn. Each has a connection, and may have 1 MB of a response. An owner has
 * a quarter, so that hosts that never respond delay only it.
 */
const limits = {
  capacity: 32,
  perOwner: 8,
  perInstance: 4,
  queue: 256,
  queuePerOwner: 64,
  queuePerInstance: 32,
};
const waitMs = 5000;
const maxReasonLength = 200;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/** Options of an egress. */
export interface EgressOptions {
  readonly log: Log;
  /** Hosts that the operator allows, as in the setting. */
  readonly allowed?: readonly string[] | undefined;
  /** For tests: finds the addresses of a name. */
  readonly resolve?: Resolve;
  /** For tests: the certificate of the authority that servers have. */
  readonly ca?: string;
}

/** A request as it is sent to each server. */
type Wire = Pick<Exchange, 'method' | 'headers' | 'body'>;

/**
 * Opens the egress that `openEgress` loads.
 *
 * @param send for tests: sends one request
 */
export function openBoundedEgress(options: EgressOptions, send = exchange): Egress {
  const queue = openRequestQueue(limits);
  return async (url, request) => {
    const wire = await wireOf(request);
    const release = await queue.enter({ ...request.share, waitMs });
    if (typeof release === 'string') throw new EgressError('busy');
    try {
      return await follow(url, { ...request, ...wire }, options, send);
    } catch (error) {
      const { instance } = request.share;
      const reason = messageOf(error).slice(0, maxReasonLength);
      options.log({ level: 'info', message: 'egress failed', instance, host: hostOf(url), reason });
      throw new EgressError('unreachable'); // without a cause: it would tell what is there
    } finally {
      release();
    }
  };
}

/** Returns method, headers and body as `fetch` sends them. */
async function wireOf({ method = 'GET', headers, body }: EgressRequest): Promise<Wire> {
  const request = new Request('https://localhost/', {
    method,
    ...(headers && { headers }),
    ...(body && { body, duplex: 'half' }),
  });
  return {
    method: request.method,
    headers: { accept: '*/*', 'user-agent': 'groundwork', ...Object.fromEntries(request.headers) },
    body: body ? new Uint8Array(await request.arrayBuffer()) : undefined,
  };
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host.slice(0, maxReasonLength) : undefined;
}

/** Sends a request, and follows redirects of a GET; each target is checked like the first. */
async function follow(
  start: string,
  request: Omit<EgressRequest, keyof Wire> & Wire,
  { allowed = [], resolve, ca }: EgressOptions,
  send: typeof exchange,
): Promise<Response> {
  const { method, body, maxBytes = 1_048_576, timeoutMs = 10_000, maxRedirects = 0 } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
  let target = readTarget(start, allowed);
  let { headers } = request;
  for (let followed = 0; ; followed += 1) {
    const addresses = await findAddresses(target, signal, resolve);
    const response = await send(target.url, {
      method,
      headers,
      body,
      addresses,
      maxBytes,
      signal,
      ca,
    });
    const location = redirects.includes(response.status) && response.headers.get('location');
    if (!location || method !== 'GET' || maxRedirects === 0) return response;
    if (followed === maxRedirects) throw new Error('too many redirects');
    const next = readTarget(new URL(location, target.url).href, allowed);
    if (next.url.origin !== target.url.origin) headers = withoutCredentials(headers);
    target = next;
  }
}

/** Returns the headers that another server may have: none that could contain a credential. */
function withoutCredentials({ accept = '*/*', 'user-agent': agent = '' }: Wire['headers']) {
  return { accept, 'user-agent': agent };
}
