import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { proxySecretHeader } from './proxies.ts';

/** An event while it is being built. */
export type EventDraft = {
  -readonly [K in keyof APIGatewayProxyEventV2]: APIGatewayProxyEventV2[K];
};

/** An event without its body, and the error if the request is invalid. */
export interface Arrival {
  readonly event: EventDraft;
  readonly unfit: 'headers too large' | 'malformed' | undefined;
}

/** Facts of an event that are not part of the request itself. */
export interface ArrivalFacts {
  /** Unique for each request. */
  readonly requestId: string;
  /** Epoch milliseconds of its arrival. */
  readonly nowMs: number;
  /** Proxies that the request verifiably passed, each of which adds to `X-Forwarded-For`. */
  readonly proxies: number;
}

type Headers = Record<string, string | undefined>;

/** Bytes of request line, header names and values together that the gateway accepts. */
const maxHeaderBytes = 10_240;
/** Types whose bodies the gateway passes on as text; all others are passed on in base64. */
const textType = /^\s*(text\/|application\/(json|javascript|xml)\b|$)/i;

/**
 * Builds the same event as an HTTP API (payload 2.0), except the body. The path is percent-decoded once except `%2f`,
 * the query is as sent, header names are in lower case with repeats joined by commas, and cookies are separate.
 */
export function toEvent(
  message: IncomingMessage,
  { requestId, nowMs, proxies }: ArrivalFacts,
): Arrival {
  const { method = 'GET', url = '/', rawHeaders, socket } = message;
  const headers: Headers = {};
  const bytes = readHeaders(rawHeaders, headers) + method.length + url.length + 11; // ' ' and ' HTTP/1.1\r'
  const { path, query, isMalformed } = splitAddress(url);
  const peer = peerOf(socket, proxies);
  delete headers[proxySecretHeader];
  const cookie = headers.cookie;
  if (cookie !== undefined) delete headers.cookie;
  const forwarded = headers['x-forwarded-for'];
  addTo(headers, 'x-forwarded-for', peer);
  addTo(headers, 'x-forwarded-port', String(socket.localPort ?? ''));
  addTo(headers, 'x-forwarded-proto', 'http');
  const event: EventDraft = {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers,
    requestContext: {
      accountId: 'anonymous',
      apiId: 'local',
      domainName: headers.host ?? '',
      domainPrefix: 'local',
      http: {
        method,
        path,
        protocol: `HTTP/${message.httpVersion}`,
        sourceIp: proxies === 0 ? peer : clientAddress(forwarded, peer, proxies),
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey: '$default',
      stage: '$default',
      time: commonLogTime(nowMs),
      timeEpoch: Math.floor(nowMs),
    },
    isBase64Encoded: false,
  };
  if (cookie !== undefined) event.cookies = cookie.split(/;\s*/);
  if (query !== '') event.queryStringParameters = joinParameters(query);
  if (bytes > maxHeaderBytes) return { event, unfit: 'headers too large' };
  const lacksHost = headers.host === undefined && message.httpVersion === '1.1';
  return { event, unfit: isMalformed || lacksHost ? 'malformed' : undefined };
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

/** Adds a body to an event: as text if the gateway would and it is UTF-8, else in base64. */
export function addBody(event: EventDraft, body: Buffer): void {
  if (body.byteLength === 0) return;
  const { 'content-type': contentType = '', 'content-encoding': encoding } = event.headers;
  if (encoding === undefined && textType.test(contentType) && isUtf8(body)) {
    event.body = body.toString();
    return;
  }
  event.body = body.toString('base64');
  event.isBase64Encoded = true;
}

/** Fills `headers` and returns the bytes of all names and values. */
function readHeaders(raw: readonly string[], headers: Headers): number {
  let bytes = 0;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? '';
    const value = raw[at + 1] ?? '';
    const before = headers[name];
    const separator = name === 'cookie' ? '; ' : ',';
    // `typeof`, because a header may have the name `constructor`.
    headers[name] = typeof before === 'string' ? before + separator + value : value;
    bytes += name.length + value.length;
  }
  return bytes;
}

/** Splits the address of a request line; one that cannot be decoded is returned as sent. */
function splitAddress(url: string) {
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

function joinParameters(query: string): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(joined);
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
let lastSecond = 0;
let lastTime = '';

/** Formats a time such as `12/Mar/2020:19:03:58 +0000`; caches the text of the current second. */
function commonLogTime(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== lastSecond) {
    const [date = '', time = ''] = new Date(second * 1000).toISOString().split('T');
    const [year, month, day] = date.split('-');
    lastSecond = second;
    lastTime = `${day}/${months[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
  }
  return lastTime;
}
