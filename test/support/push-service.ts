import { once } from 'node:events';
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import {
  constants,
  createSecureServer,
  createServer,
  type Http2Server,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';

/*
 * A server that behaves as Google's and Apple's documents say: FCM HTTP v1, APNs, and Google's access tokens. What it
 * does with a push is a function of the test.
 */

/** A push as it arrived. */
export interface ArrivedPush {
  readonly service: 'fcm' | 'apns';
  /** Of the device. */
  readonly token: string;
  /** Pushes of this token that arrived before. */
  readonly earlier: number;
  /** Number of the connection, from 0. */
  readonly connection: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Subject of the client's certificate, if any. */
  readonly certificate: string | undefined;
}

/** What the service does with a push. */
export type Reaction =
  | 'accept'
  /** RST_STREAM with REFUSED_STREAM: it was not processed. */
  | 'refuse'
  /** RST_STREAM without a response: the push may have been processed. */
  | 'lose'
  /** Never responds. */
  | 'hang'
  /** GOAWAY, as before a restart; the push itself, the last one of the connection, is accepted. */
  | 'goaway'
  /** The connection breaks. */
  | 'break'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  /** Anything else. */
  | ((stream: ServerHttp2Stream, session: ServerHttp2Session) => void);

/** A running push service. */
export interface PushService {
  readonly url: string;
  /** Address of its access tokens. */
  readonly tokenUrl: string;
  /** Addresses as settings of the sender have them. */
  readonly addresses: Readonly<Record<'fcm' | 'googleToken' | 'apns' | 'apnsSandbox', string>>;
  /** The same as variables of a server. */
  readonly variables: Readonly<Record<string, string>>;
  readonly arrived: readonly ArrivedPush[];
  /** Returns how often a push of a token arrived. */
  readonly count: (token: string) => number;
  /** Statements that were exchanged for access tokens. */
  readonly statements: readonly string[];
  /** Connections so far. */
  readonly connections: () => number;
  /** Connections that are open now. */
  readonly openConnections: () => number;
  /** Largest number of streams that were open at a time on one connection. */
  readonly mostStreams: () => number;
  close(): Promise<void>;
}

/** A response of the address of access tokens. */
interface Grant {
  readonly status: number;
  readonly body: unknown;
}

export interface PushServiceOptions {
  readonly react?: (push: ArrivedPush) => Reaction | Promise<Reaction>;
  /** What the address of access tokens responds; a token for an hour when absent. */
  readonly grant?: (statement: string) => Grant | Promise<Grant>;
  readonly settings?: { readonly maxConcurrentStreams?: number };
  readonly tls?: SecureServerOptions;
  /** Called with each connection. */
  readonly onSession?: (session: ServerHttp2Session) => void;
  /** Time of a response. */
  readonly delayMs?: number;
}

/** The error of FCM with a code. */
export const fcmError = (status: number, errorCode: string, headers = {}): Reaction => ({
  status,
  headers,
  body: {
    error: {
      code: status,
      message: 'told by FCM',
      status: 'ANY',
      details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }],
    },
  },
});

/** The error of APNs with a reason. */
export const apnsError = (status: number, reason: string): Reaction => ({
  status,
  body: { reason },
});

/** Starts a push service. */
export async function startPushService(options: PushServiceOptions = {}): Promise<PushService> {
  const { tls, settings = { maxConcurrentStreams: 100 }, onSession } = options;
  const arrived: ArrivedPush[] = [];
  const counts = new Map<string, number>();
  const sessions = new Set<ServerHttp2Session>();
  const tokens = await startTokens(options);
  let connections = 0;
  let most = 0;
  const server: Http2Server = tls
    ? createSecureServer({ ...tls, settings })
    : createServer({ settings });
  server.on('session', (session) => {
    const connection = connections;
    connections += 1;
    const place: Place = {
      connection,
      arrived,
      counts,
      tokens: tokens.granted,
      last: 0,
      isEnding: false,
    };
    let streams = 0;
    sessions.add(session);
    session.on('error', () => {});
    session.on('close', () => sessions.delete(session));
    session.on('stream', (stream, headers) => {
      streams += 1;
      most = Math.max(most, streams);
      stream.on('error', () => {});
      stream.on('close', () => {
        streams -= 1;
      });
      serve({ stream, session, headers, place }, options).catch(() => stream.close());
    });
    onSession?.(session);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  const addresses = { fcm: url, googleToken: tokens.url, apns: url, apnsSandbox: url };
  return {
    url,
    tokenUrl: tokens.url,
    addresses,
    variables: {
      GROUNDWORK_PUSH_MODE: 'send',
      GROUNDWORK_FCM_URL: url,
      GROUNDWORK_GOOGLE_TOKEN_URL: tokens.url,
      GROUNDWORK_APNS_URL: url,
      GROUNDWORK_APNS_SANDBOX_URL: url,
    },
    arrived,
    count: (token) => counts.get(token) ?? 0,
    statements: tokens.statements,
    connections: () => connections,
    openConnections: () => sessions.size,
    mostStreams: () => most,
    close: async () => {
      for (const session of sessions) session.destroy();
      await Promise.all([close(server), tokens.close()]);
    },
  };
}

/** A connection, and what all of them share. */
interface Place {
  readonly connection: number;
  readonly arrived: ArrivedPush[];
  /** Pushes that arrived, by their token. */
  readonly counts: Map<string, number>;
  readonly tokens: ReadonlySet<string>;
  /** The last stream that was processed; after a GOAWAY no later one is. */
  last: number;
  isEnding: boolean;
}

interface Arriving {
  readonly stream: ServerHttp2Stream;
  readonly session: ServerHttp2Session;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly place: Place;
}

/** Reads a push, records and processes it; one without a granted token gets an error. */
async function serve(
  { stream, session, headers, place }: Arriving,
  { react = () => 'accept', delayMs = 0 }: PushServiceOptions,
): Promise<void> {
  let text = '';
  for await (const part of stream) text += part;
  const id = stream.id ?? 0;
  if (place.isEnding && id > place.last) return;
  place.last = Math.max(place.last, id);
  const push = pushOf(stream, headers, { ...place, text });
  if (push === undefined) {
    stream.respond({ ':status': 401 });
    stream.end();
    return;
  }
  place.arrived.push(push);
  place.counts.set(push.token, push.earlier + 1);
  const reaction = await react(push);
  if (reaction === 'goaway' && !place.isEnding) {
    place.isEnding = true;
    session.goaway(constants.NGHTTP2_NO_ERROR, place.last);
  }
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  if (!stream.destroyed) respond(reaction, push, stream, session);
}

/** Returns a push as it arrived; undefined when its access token was not granted. */
function pushOf(
  stream: ServerHttp2Stream,
  headers: Readonly<Record<string, unknown>>,
  { counts, connection, tokens, text }: Place & { readonly text: string },
): ArrivedPush | undefined {
  const path = String(headers[':path']);
  const body = JSON.parse(text);
  const service = path.startsWith('/3/device/') ? 'apns' : 'fcm';
  const bearer = String(headers.authorization).replace(/^Bearer /, '');
  if (service === 'fcm' && !tokens.has(bearer)) return undefined;
  const token = service === 'apns' ? path.slice('/3/device/'.length) : body.message.token;
  const earlier = counts.get(token) ?? 0;
  const socket = stream.session?.socket as TLSSocket | undefined; // or a plain one
  const subject = socket?.encrypted ? socket.getPeerCertificate().subject : undefined;
  const certificate = subject && String(subject.CN);
  return { service, token, earlier, connection, path, headers, body, certificate };
}

function respond(
  reaction: Reaction,
  push: ArrivedPush,
  stream: ServerHttp2Stream,
  session: ServerHttp2Session,
): void {
  if (typeof reaction === 'function') reaction(stream, session);
  else if (typeof reaction === 'object') {
    stream.respond({ ':status': reaction.status, ...reaction.headers });
    stream.end(reaction.body === undefined ? '' : JSON.stringify(reaction.body));
  } else if (reaction === 'accept' || reaction === 'goaway') accept(push, stream);
  else if (reaction === 'refuse')
    setImmediate(() => stream.close(constants.NGHTTP2_REFUSED_STREAM));
  else if (reaction === 'lose') setImmediate(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  // not at once: Node would use what it has freed (nodejs/node#64113)
  else if (reaction === 'break') setImmediate(() => session.destroy());
}

function accept({ service, path, headers, token }: ArrivedPush, stream: ServerHttp2Stream): void {
  if (service === 'apns') {
    stream.respond({ ':status': 200, 'apns-id': String(headers['apns-id']) });
    stream.end();
    return;
  }
  const project = path.split('/')[3];
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  stream.end(JSON.stringify({ name: `projects/${project}/messages/${token}` }));
}

/** Starts the server of access tokens. */
async function startTokens({ grant }: PushServiceOptions) {
  const statements: string[] = [];
  const granted = new Set<string>();
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const statement = new URLSearchParams(await readBody(request)).get('assertion') ?? '';
    statements.push(statement);
    const token = `token-${statements.length}`;
    const { status, body } = (await grant?.(statement)) ?? {
      status: 200,
      body: { access_token: token, expires_in: 3599, token_type: 'Bearer' },
    };
    if (status === 200) granted.add(token);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const server = createPlainServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    return close(server);
  };
  return { url: `http://127.0.0.1:${port}/token`, statements, granted, close: stop };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += part;
  return text;
}

function close(server: { close(done: () => void): unknown }): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
