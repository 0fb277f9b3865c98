import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import { codeOf } from '../../../../values/caught.ts';
import type { PushBounds } from '../bounds.ts';

/** A request to a push service; a POST. */
export interface PushRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Response of a push service. */
export interface PushResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As far as it came, within the bounds. */
  readonly body: string;
}

/** Error of a request that the push service has certainly not processed: it may be sent again. */
export class NotProcessed extends Error {
  override readonly name = 'NotProcessed';
}

/** Error of a request whose response was lost: the push service may have processed it. */
export class ResponseLost extends Error {
  override readonly name = 'ResponseLost';
}

/** The announced end of a connection: an error code, and the last stream that the peer processes. */
export interface AnnouncedEnd {
  readonly code: number;
  readonly lastStream: number;
}

/** What the response to a request depends on, in addition to its stream. */
export interface ResponseOptions {
  readonly bounds: PushBounds;
  readonly announcedEnd: () => AnnouncedEnd | undefined;
  /** Called when the response does not come in time. */
  readonly onLate: () => void;
}

/**
 * Begins a stream; one that cannot begin sends nothing.
 *
 * @throws NotProcessed
 */
export function openStream(
  session: ClientHttp2Session,
  { path, headers, body }: PushRequest,
): ClientHttp2Stream {
  try {
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
    stream.end(body);
    return stream;
  } catch (error) {
    throw new NotProcessed(codeOf(error) ?? 'no stream');
  }
}

/**
 * Waits for the response to a request. Once its head is there, the outcome is known, even if the rest is lost.
 *
 * @throws NotProcessed, ResponseLost
 */
export function responseOf(
  stream: ClientHttp2Stream,
  { bounds, announcedEnd, onLate }: ResponseOptions,
): Promise<PushResponse> {
  return new Promise((resolve, reject) => {
    let head: Omit<PushResponse, 'body'> | undefined;
    const parts: Buffer[] = [];
    let bytes = 0;
    const end = () => {
      clearTimeout(timer);
      stream.close(constants.NGHTTP2_CANCEL); // no effect on one that is closed
      if (head === undefined) reject(lostResponse(stream, announcedEnd()));
      else resolve({ ...head, body: Buffer.concat(parts).toString() });
    };
    const timer = setTimeout(() => {
      onLate();
      end();
    }, bounds.responseMs);
    stream.on('response', (headers) => {
      head = { status: headers[':status'] ?? 0, headers };
    });
    stream.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > bounds.bodyBytes) return end();
      parts.push(part);
    });
    stream.on('error', () => {}); // 'close' follows
    stream.on('close', end);
  });
}

/**
 * Returns the error of a stream without response: the peer has not processed it where it never began, was refused, or
 * is after the last one that the peer announced.
 */
function lostResponse({ id, rstCode }: ClientHttp2Stream, end: AnnouncedEnd | undefined): Error {
  const refused = constants.NGHTTP2_REFUSED_STREAM;
  const isAfterLast = id === undefined || (end !== undefined && id > end.lastStream);
  const isRefused = rstCode === refused && end?.code !== refused; // streams get the code of the peer's last words
  return isAfterLast || isRefused ? new NotProcessed() : new ResponseLost();
}
