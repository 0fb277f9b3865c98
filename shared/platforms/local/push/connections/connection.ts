import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type SecureClientSessionOptions,
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

/**
 * Sends the one request of a reserved stream.
 *
 * @throws NotProcessed, ResponseLost
 */
export type SendOnStream = (request: PushRequest) => Promise<PushResponse>;

/** An HTTP/2 connection to a push service. */
export interface PushConnection {
  /** Reserves a stream; undefined when the peer, or our own bound, allows no more now. */
  reserve(): SendOnStream | undefined;
  /** Whether it accepts no new requests: the peer is closing it, it is broken, or it did not respond in time. */
  isEnding(): boolean;
  isClosed(): boolean;
  /** Whether it has brought any response. */
  hasResponded(): boolean;
  close(): void;
}

/** Destination of a connection, and the listener to its changes. */
export interface PushConnectionOptions {
  readonly origin: string;
  /** Certificate of the client, if any; authorities that tests trust. */
  readonly tls: Pick<SecureClientSessionOptions, 'cert' | 'key' | 'ca'>;
  readonly bounds: PushBounds;
  /** Called when the connection has a free stream again, and when it begins to end. */
  readonly onChange: () => void;
}

interface State {
  readonly session: ClientHttp2Session;
  readonly bounds: PushBounds;
  readonly onChange: () => void;
  used: number;
  /** Streams that ended since the last look at the received bytes. */
  ended: number;
  isEnding: boolean;
  hasResponded: boolean;
  /** Error code and last stream that the peer processes, once it has announced its end. */
  goaway: { readonly code: number; readonly lastStream: number } | undefined;
}

/**
 * Connects, and exchanges settings with the peer: until then nothing is sent.
 *
 * @throws Error whose code says why there is no connection
 */
export async function openConnection(options: PushConnectionOptions): Promise<PushConnection> {
  const { origin, tls, bounds, onChange } = options;
  const session = connect(origin, {
    ...tls,
    maxHeaderListPairs: bounds.headerFields,
    maxSessionMemory: 2, // MB
    maxReservedRemoteStreams: 0,
    maxSettings: 16,
    settings: {
      enablePush: false,
      maxHeaderListSize: bounds.headerBytes,
      initialWindowSize: bounds.bodyBytes,
    },
  });
  const state: State = {
    session,
    bounds,
    onChange,
    used: 0,
    ended: 0,
    isEnding: false,
    hasResponded: false,
    goaway: undefined,
  };
  session.on('goaway', (code, lastStream) => {
    state.goaway = { code, lastStream };
    retire(state);
  });
  session.on('close', () => retire(state));
  await settled(session, bounds.connectMs);
  session.on('remoteSettings', onChange);
  watchBytes(state);
  return {
    reserve: () => {
      if (state.isEnding || state.used >= maxStreams(state)) return undefined;
      state.used += 1;
      return (request) => send(state, request);
    },
    isEnding: () => state.isEnding,
    isClosed: () => session.closed || session.destroyed,
    hasResponded: () => state.hasResponded,
    close: () => session.destroy(),
  };
}

/** Waits for the peer's settings, and until it knows ours; a session that fails before is destroyed. */
function settled(session: ClientHttp2Session, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = 2;
    const note = () => {
      left -= 1;
      if (left > 0) return;
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      session.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
    }, timeoutMs);
    session.once('remoteSettings', note);
    session.once('localSettings', note);
    session.on('error', reject); // later errors are those of the streams
    session.once('close', () => {
      clearTimeout(timer);
      reject(Object.assign(new Error('closed before its settings'), { code: 'ECONNRESET' }));
    });
  });
}

/** Lets no new request in; the connection closes when the last response is there. */
function retire(state: State): void {
  if (state.isEnding) return;
  state.isEnding = true;
  if (state.used === 0) state.session.destroy();
  state.onChange();
}

function maxStreams({ session, bounds }: State): number {
  return Math.min(bounds.streams, session.remoteSettings.maxConcurrentStreams ?? bounds.streams);
}

/** Ends a connection whose peer sends much more than the responses to requests. */
function watchBytes(state: State): void {
  const { session, bounds } = state;
  let before = session.socket.bytesRead;
  const timer = setInterval(() => {
    if (session.destroyed) return;
    const { bytesRead } = session.socket;
    const ofStreams = (state.used + state.ended) * (bounds.bodyBytes + bounds.headerBytes);
    const isFlood = bytesRead - before > bounds.idleBytes + ofStreams;
    before = bytesRead;
    state.ended = 0;
    if (isFlood) session.destroy();
  }, 1000).unref();
  session.once('close', () => clearInterval(timer));
}

async function send(state: State, request: PushRequest): Promise<PushResponse> {
  try {
    const response = await responseOf(state, openStream(state, request));
    state.hasResponded = true;
    return response;
  } finally {
    state.used -= 1;
    state.ended += 1;
    if (state.isEnding && state.used === 0) state.session.destroy();
    state.onChange();
  }
}

/** Begins a stream; one that cannot begin sends nothing. */
function openStream({ session }: State, { path, headers, body }: PushRequest): ClientHttp2Stream {
  try {
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
    stream.end(body);
    return stream;
  } catch (error) {
    throw new NotProcessed(codeOf(error) ?? 'no stream');
  }
}

/** Waits for the response to a request. Once its head is there, the outcome is known, even if the rest is lost. */
function responseOf(state: State, stream: ClientHttp2Stream): Promise<PushResponse> {
  const { bounds } = state;
  return new Promise((resolve, reject) => {
    let head: Omit<PushResponse, 'body'> | undefined;
    const parts: Buffer[] = [];
    let bytes = 0;
    const end = () => {
      clearTimeout(timer);
      stream.close(constants.NGHTTP2_CANCEL); // no effect on one that is closed
      if (head === undefined) reject(lostResponse(state, stream));
      else resolve({ ...head, body: Buffer.concat(parts).toString() });
    };
    const timer = setTimeout(() => {
      retire(state);
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
function lostResponse({ goaway }: State, { id, rstCode }: ClientHttp2Stream): Error {
  const refused = constants.NGHTTP2_REFUSED_STREAM;
  const isAfterLast = id === undefined || (goaway !== undefined && id > goaway.lastStream);
  const isRefused = rstCode === refused && goaway?.code !== refused; // streams get the code of the peer's last words
  return isAfterLast || isRefused ? new NotProcessed() : new ResponseLost();
}
