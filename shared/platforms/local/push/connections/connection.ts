import { type ClientHttp2Session, connect, type SecureClientSessionOptions } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { PushBounds } from '../bounds.ts';
import {
  type AnnouncedEnd,
  NotProcessed,
  openStream,
  type PushRequest,
  type PushResponse,
  responseOf,
} from './stream.ts';

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
  /** The socket itself: one that the peer does not close would outlive its session. */
  socket: Duplex | undefined;
  used: number;
  /** Streams that ended since the last look at the received bytes. */
  ended: number;
  isEnding: boolean;
  hasResponded: boolean;
  /** When the peer last responded, and the current check of whether it still does. */
  respondedAtMs: number;
  check: Promise<boolean> | undefined;
  announcedEnd: AnnouncedEnd | undefined;
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
    socket: undefined,
    used: 0,
    ended: 0,
    isEnding: false,
    hasResponded: false,
    respondedAtMs: performance.now(),
    check: undefined,
    announcedEnd: undefined,
  };
  session.on('goaway', (code, lastStream) => {
    state.announcedEnd = { code, lastStream };
    retire(state);
  });
  session.on('close', () => retire(state));
  session.on('connect', (_, socket) => {
    state.socket = socket;
  });
  await settled(session, bounds.connectMs).catch((error: unknown) => {
    destroy(state);
    throw error;
  });
  session.on('remoteSettings', onChange);
  watchBytes(state);
  return {
    reserve: () => {
      if (state.isEnding || state.used >= maxStreams(state)) return undefined;
      state.used += 1;
      return (request) => send(state, request);
    },
    isEnding: () => state.isEnding,
    isClosed: () => state.socket?.destroyed === true,
    hasResponded: () => state.hasResponded,
    close: () => destroy(state),
  };
}

function destroy({ session, socket }: State): void {
  session.destroy();
  socket?.destroy();
}

/** Waits for the peer's settings, and until it knows ours. */
function settled(session: ClientHttp2Session, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (code: string) => () => reject(Object.assign(new Error(code), { code }));
    const timer = setTimeout(fail('ETIMEDOUT'), timeoutMs);
    let left = 2;
    const note = () => {
      left -= 1;
      if (left > 0) return;
      clearTimeout(timer);
      resolve();
    };
    session.once('remoteSettings', note);
    session.once('localSettings', note);
    session.on('error', reject); // later errors are those of the streams
    session.once('goaway', fail('GOAWAY'));
    session.once('close', () => {
      clearTimeout(timer);
      fail('ECONNRESET')();
    });
  });
}

/** Lets no new request in; the connection closes when the last response is there. */
function retire(state: State): void {
  if (state.isEnding) return;
  state.isEnding = true;
  destroyUnused(state);
  state.onChange();
}

/** Closes a connection without streams; later, because callbacks of Node may still use it (nodejs/node#64113). */
function destroyUnused(state: State): void {
  if (state.used === 0) setImmediate(() => destroy(state));
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
    if (isFlood) destroy(state);
  }, 1000).unref();
  session.once('close', () => clearInterval(timer));
}

async function send(state: State, request: PushRequest): Promise<PushResponse> {
  try {
    if (!(await isAlive(state))) throw new NotProcessed('no ping');
    const response = await responseOf(openStream(state.session, request), {
      bounds: state.bounds,
      announcedEnd: () => state.announcedEnd,
      onLate: () => retire(state),
    });
    state.hasResponded = true;
    state.respondedAtMs = performance.now();
    return response;
  } finally {
    state.used -= 1;
    state.ended += 1;
    if (state.isEnding) destroyUnused(state);
    state.onChange();
  }
}

/**
 * Checks a connection that was silent for a while: what is sent on one that a firewall has forgotten would have an unknown
 * outcome. One that is dead is retired.
 */
async function isAlive(state: State): Promise<boolean> {
  const { bounds, respondedAtMs } = state;
  if (performance.now() - respondedAtMs < bounds.silentMs) return true;
  state.check ??= ping(state).finally(() => {
    state.check = undefined;
  });
  const isThere = await state.check;
  if (isThere) state.respondedAtMs = performance.now();
  else retire(state);
  return isThere;
}

function ping({ session, bounds }: State): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), bounds.pingMs);
    const end = (error: Error | null) => {
      clearTimeout(timer);
      resolve(error === null);
    };
    if (session.destroyed || !session.ping(end)) {
      clearTimeout(timer);
      resolve(false);
    }
  });
}
