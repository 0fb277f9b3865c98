import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Request } from '../../../core/http/message.ts';
import { proxySecretHeader } from '../../../ports/proxy-header.ts';
import { brokenParameterOf, decodeStrictly } from '../../../values/text/decode-text.ts';
import type { ReceivedBody } from './bodies/receive-body.ts';

/** A request without its body, and the error if it is invalid. */
export interface Arrival {
  readonly request: Request;
  readonly unfit: 'headers too large' | 'malformed' | undefined;
}

/** Facts of a request that it does not carry itself. */
export interface ArrivalFacts {
  /** Unique for each request. */
  readonly requestId: string;
  /** Proxies that the request verifiably passed, each of which adds to `X-Forwarded-For`. */
  readonly proxies: number;
  readonly ending: NonNullable<Request['ending']>;
}

type Headers = Record<string, string | undefined>;

/** Bytes of request line, header names and values together that the gateway accepts. */
const maxHeaderBytes = 10_240;
const noBody: Request['body'] = { kind: 'bytes', bytes: new Uint8Array() };

/**
 * Reads a request, except its body, as the gateway does: the path is percent-decoded once except `%2f`, header names
 * are in lower case with repeats joined by commas, and the address of the peer is added to `X-Forwarded-For`.
 */
export function toRequest(message: IncomingMessage, facts: ArrivalFacts): Arrival {
  const { requestId, proxies, ending } = facts;
  const { method = 'GET', url = '/', rawHeaders, socket } = message;
  const headers: Headers = {};
  const bytes = readHeaders(rawHeaders, headers) + method.length + url.length + 11; // ' ' and ' HTTP/1.1\r'
  const { path, query, isMalformed } = splitAddress(url);
  const peer = peerOf(socket, proxies);
  delete headers[proxySecretHeader];
  const { cookie } = headers;
  if (cookie !== undefined) delete headers.cookie;
  const forwarded = headers['x-forwarded-for'];
  addTo(headers, 'x-forwarded-for', peer);
  addTo(headers, 'x-forwarded-port', String(socket.localPort ?? ''));
  addTo(headers, 'x-forwarded-proto', 'http');
  if (cookie !== undefined) headers.cookie = cookie.replace(/;\s*/g, '; '); // the last one, as behind the gateway
  const request: Request = {
    id: requestId,
    method,
    path,
    query: new URLSearchParams(query),
    brokenParameter: brokenParameterOf(query),
    headers,
    body: noBody,
    sourceAddress: proxies === 0 ? peer : clientAddress(forwarded, peer, proxies),
    served: {},
    // all properties are here: a copy that gains one survives collections of young objects (test/local/calls.test.ts)
    noteInstance: undefined,
    ending,
    endTurn: undefined,
  };
  if (bytes > maxHeaderBytes) return { request, unfit: 'headers too large' };
  const lacksHost = headers.host === undefined && message.httpVersion === '1.1';
  return { request, unfit: isMalformed || lacksHost ? 'malformed' : undefined };
}

/** Returns a request with the body that was received, if any. */
export function withBody(
  request: Request,
  { bytes, endTurn }: Pick<ReceivedBody, 'bytes' | 'endTurn'>,
): Request {
  return bytes === undefined ? request : { ...request, body: { kind: 'bytes', bytes }, endTurn };
}

/** Returns the address of the peer. A proxy at a Unix socket has none, and is on this machine. */
function peerOf({ remoteAddress }: IncomingMessage['socket'], proxies: number): string {
  const withoutAddress = proxies > 0 ? '127.0.0.1' : '';
  return remoteAddress?.replace(/^::ffff:/, '') ?? withoutAddress;
}

/** Appends this server's value of a forwarding header to the values of earlier hops. */
function addTo(headers: Headers, name: string, value: string): void {
  const said = headers[name];
  headers[name] = said === undefined ? value : `${said}, ${value}`;
}

/**
 * Returns the address where a request began, from the outermost proxy. Entries further left come from the client
 * itself; an entry that is no address is ignored.
 */
function clientAddress(forwarded: string | undefined, peer: string, proxies: number): string {
  const hops = (forwarded ?? '').split(',').map((hop) => hop.trim());
  const address = hops.at(-proxies) ?? '';
  return isIP(address) === 0 ? peer : address;
}

/** Fills `headers` and returns the bytes of all names and values. */
function readHeaders(raw: readonly string[], headers: Headers): number {
  let bytes = 0;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? '';
    const sent = raw[at + 1] ?? '';
    const value = beyondAscii.test(sent) ? (readUtf8(sent) ?? sent) : sent;
    const before = headers[name];
    const separator = name === 'cookie' ? '; ' : ',';
    // `typeof`, because a header may have the name `constructor`.
    headers[name] = typeof before === 'string' ? before + separator + value : value;
    bytes += name.length + sent.length;
  }
  return bytes;
}

const beyondAscii = /[\x80-\xff]/;

/** Reads text as UTF-8 that Node has read as Latin-1; undefined when it is none. */
function readUtf8(text: string): string | undefined {
  return decodeStrictly(Buffer.from(text, 'latin1'));
}

/** Splits the address of a request line; one that cannot be decoded is returned as sent. */
function splitAddress(sentUrl: string) {
  const url = beyondAscii.test(sentUrl) ? readUtf8(sentUrl) : sentUrl;
  if (url === undefined) return { path: sentUrl, query: '', isMalformed: true };
  const address = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = address.indexOf('?');
  const sent = mark < 0 ? address : address.slice(0, mark);
  const query = mark < 0 ? '' : address.slice(mark + 1);
  if (!sent.includes('%')) return { path: sent || '/', query, isMalformed: false };
  try {
    return { path: decodePath(sent), query, isMalformed: false };
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return { path: sent, query, isMalformed: true };
  }
}

/** Decodes a path, except escaped slashes: they are part of a segment, and no name has one. */
function decodePath(sent: string): string {
  if (!/%2f/i.test(sent)) return decodeURIComponent(sent);
  return sent
    .split(/(%2f)/i)
    .map((part, at) => (at % 2 === 0 ? decodeURIComponent(part) : part))
    .join('');
}
