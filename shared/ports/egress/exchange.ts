import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { isIPv4, type LookupFunction, type TcpNetConnectOpts } from 'node:net';

const maxHeaderBytes = 16_384;
const maxHeaders = 100;
const attemptMs = 1000; // of a connection to one of several addresses

type Families = Pick<TcpNetConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'>;

/** One request to one server. */
export interface Exchange {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  /** Addresses to connect to: nothing is resolved again. */
  readonly addresses: readonly string[];
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly ca?: string | undefined;
}

/**
 * Sends one request over a connection of its own, and receives the whole response. No proxy is used, no redirect
 * followed, no body decompressed.
 *
 * @throws Error for anything but a complete response within the limits
 */
export async function exchange(url: URL, given: Exchange): Promise<Response> {
  const { addresses, signal, method, headers, body, maxBytes, ca } = given;
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const options: RequestOptions & Families = {
    method,
    headers: { ...headers, 'accept-encoding': 'identity' },
    agent: false, // the shared one may use the proxy of the environment
    lookup: lookupIn(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptMs,
    maxHeaderSize: maxHeaderBytes,
    rejectUnauthorized: true, // also where the environment switches checks off
    ...(ca !== undefined && { ca }),
    signal,
  };
  const request = send(url, options);
  request.maxHeadersCount = maxHeaders;
  request.end(body);
  const incoming = await responseTo(request);
  try {
    return await receive(incoming, maxBytes);
  } finally {
    request.destroy();
  }
}

/** Returns a resolver that knows these addresses only. */
function lookupIn(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
  return (_host, { all }, callback) => {
    const [first] = found;
    if (all === true) callback(null, found);
    else callback(null, first?.address ?? '', first?.family);
  };
}

function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject); // also later ones, of which the body's reader is told
    request.on('close', () => reject(new Error('closed without a response'))); // after 101
  });
}

async function receive(incoming: IncomingMessage, maxBytes: number): Promise<Response> {
  const { statusCode: status = 0, headersDistinct } = incoming;
  const { 'content-encoding': encoding = ['identity'] } = headersDistinct;
  if (encoding.join() !== 'identity') throw new Error('an encoded body');
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    // no encoding is set
    bytes += part.length;
    if (bytes > maxBytes) throw new Error('a body that is too large');
    parts.push(part);
  }
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new Response(bytes === 0 ? null : Buffer.concat(parts), { status, headers });
}
