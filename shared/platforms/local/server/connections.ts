import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { QueueState } from '../../../ports/limits/request-queue.ts';
import {
  lastChanceMs,
  maxPipelined,
  maxPipelinedInAll,
  maxWaitingBytes,
} from '../../../values/bounds.ts';
import { connectionGroup, createReplacement, type Replacement } from './replacement.ts';

/** A request, its response and its connection. */
export interface HttpExchange {
  readonly connection: Connection;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether the client waits for `100 Continue` before it sends its body. */
  readonly isWaiting: boolean;
}

/** A connection; requests on it are served one after the other. */
export interface Connection {
  readonly socket: Socket;
  /** Group of its client's address. */
  readonly address: string;
  waitingSinceMs: number;
  /** The request that is served. */
  current: HttpExchange | undefined;
  /** Whether the request has arrived and its response is being created: the end of the server does not cut it off. */
  isRunning: boolean;
  readonly waiting: HttpExchange[];
  /** Called when a response was sent, or the connection is closed: one function for all of its requests. */
  readonly onSent: () => void;
  /** Number of further requests: parsed, and never served. */
  ignored: number;
  /** Bytes of the response that is being sent. */
  waitingBytes: number;
  /** Bytes that the client had taken at the last check. */
  takenBytes: number;
  stalledMs: number;
}

export interface ConnectionsOptions {
  readonly server: Server;
  /** Most connections at a time. */
  readonly max: number;
  /** For a client that reads nothing of a response. */
  readonly stalledSendMs: number;
  /** Serves a request; the next one of its connection follows when the response was sent. */
  readonly serve: (exchange: HttpExchange) => void;
  /** Called when a connection was closed because its client reads nothing. */
  readonly onStalled: () => void;
}

/** What a server is busy with. */
export interface ServerLoad {
  readonly connections: number;
  /** Requests that are served. */
  readonly running: number;
  /** Requests that wait for earlier ones on their connections. */
  readonly waiting: number;
  /** States of the memory for bodies. */
  readonly bodies: readonly QueueState[];
}

/** All connections of a server. */
export interface Connections {
  /** Number of connections. */
  readonly size: number;
  /** Number of requests that wait for earlier ones on their connections. */
  readonly waiting: number;
  /** Serves a request when all earlier ones on its connection are served. */
  enqueue(request: Omit<HttpExchange, 'connection'>): void;
  find(socket: Socket): Connection | undefined;
  /** Records what a connection waits for: the body of its request, without or with a genuine credential, or nothing. */
  awaits(connection: Connection, what: 'body' | 'genuine body' | 'nothing'): void;
  /** Counts the bytes of a response until it was sent. */
  count(connection: Connection, bytes: number): void;
  /** Gives connections a last chance, then closes all except those whose responses are being created. */
  end(): void;
}

const sweeps = 30; // before a client that reads nothing is disconnected

interface State extends ConnectionsOptions {
  readonly all: Map<Socket, Connection>;
  readonly replacement: Replacement<Connection>;
  readonly sweepMs: number;
  waitingRequests: number;
  waitingBytes: number;
  isEnding: boolean;
}

/**
 * Limits the cost of connections: waiting requests, responses that no client reads, and their number. A new connection
 * takes the place of one that waits for its client: for a request, a body without credential, or to read a response;
 * if there is none, of one of several whose bodies are arriving.
 */
export function watchConnections(options: ConnectionsOptions): Connections {
  const { server, max, stalledSendMs } = options;
  const counts = { waitingRequests: 0, waitingBytes: 0, isEnding: false };
  const sweepMs = stalledSendMs / sweeps;
  const replacement = createReplacement<Connection>();
  const state: State = { ...options, ...counts, all: new Map(), replacement, sweepMs };
  server.maxConnections = 2 * max; // idle connections make room before the system accepts so many
  server.on('connection', (socket) => accept(state, socket));
  const sweeping = setInterval(() => sweep(state), sweepMs).unref();
  server.once('close', () => clearInterval(sweeping));
  return {
    get size() {
      return state.all.size;
    },
    get waiting() {
      return state.waitingRequests;
    },
    enqueue: ({ message, response, isWaiting }) => {
      const connection = state.all.get(message.socket);
      if (connection === undefined) return;
      const exchange = { connection, message, response, isWaiting };
      if (connection.current === undefined) begin(state, exchange);
      else wait(state, exchange);
    },
    find: (socket) => state.all.get(socket),
    awaits: (connection, what) => {
      if (!state.all.has(connection.socket)) return;
      if (what === 'body') replacement.waits(connection);
      else if (what === 'genuine body') replacement.receives(connection);
      else replacement.works(connection);
    },
    count: (connection, bytes) => {
      if (!state.all.has(connection.socket)) return;
      connection.waitingBytes += bytes;
      state.waitingBytes += bytes;
      while (state.waitingBytes > maxWaitingBytes && closeSlowest(state));
    },
    end: () => {
      state.isEnding = true;
      setTimeout(() => {
        for (const { isRunning, socket } of state.all.values()) if (!isRunning) socket.destroy();
      }, lastChanceMs).unref();
    },
  };
}

function accept(state: State, socket: Socket): void {
  const { all, replacement, max } = state;
  if (all.size >= max) {
    const replaced = replacement.choose();
    if (replaced === undefined) {
      socket.destroy();
      return;
    }
    close(state, replaced);
  }
  const connection = newConnection(state, socket);
  all.set(socket, connection);
  replacement.accept(connection);
  replacement.waits(connection);
  socket.once('close', () => forget(state, connection));
}

function newConnection(state: State, socket: Socket): Connection {
  const connection: Connection = {
    socket,
    address: connectionGroup(socket),
    waitingSinceMs: 0,
    current: undefined,
    isRunning: false,
    waiting: [],
    onSent: () => proceed(state, connection),
    ignored: 0,
    waitingBytes: 0,
    takenBytes: 0,
    stalledMs: 0,
  };
  return connection;
}

function begin(state: State, exchange: HttpExchange): void {
  const { connection } = exchange;
  connection.current = exchange;
  state.replacement.works(connection);
  exchange.response.on('close', connection.onSent);
  state.serve(exchange);
}

/** Continues with the next request after a response was sent, unless the connection is closed. */
function proceed(state: State, connection: Connection): void {
  settle(state, connection);
  connection.current = undefined;
  if (!state.all.has(connection.socket) || state.isEnding) return;
  const next = connection.waiting.shift();
  if (next === undefined) {
    state.replacement.waits(connection);
    return;
  }
  state.waitingRequests -= 1;
  begin(state, next);
}

/** Queues a request. Over its own limit a connection closes after the queued ones, over the total limit at once. */
function wait(state: State, exchange: HttpExchange): void {
  const { connection } = exchange;
  const { waiting } = connection;
  state.waitingRequests += 1;
  if (connection.ignored === 0 && waiting.length < maxPipelined) {
    waiting.push(exchange);
  } else {
    if (connection.ignored === 0) waiting.at(-1)?.response.setHeader('connection', 'close');
    connection.ignored += 1;
  }
  if (state.waitingRequests > maxPipelinedInAll) close(state, connection);
}

function settle(state: State, connection: Connection): void {
  state.waitingBytes -= connection.waitingBytes;
  connection.waitingBytes = 0;
}

function forget(state: State, connection: Connection): void {
  if (!state.all.delete(connection.socket)) return;
  state.replacement.forget(connection);
  settle(state, connection);
  state.waitingRequests -= connection.waiting.length + connection.ignored;
  connection.waiting.length = 0;
  connection.ignored = 0;
}

/** Closes a connection and forgets it at once: its slot is free. */
function close(state: State, connection: Connection): void {
  forget(state, connection);
  connection.socket.destroy();
}

function closeSlowest(state: State): boolean {
  let slowest: Connection | undefined;
  for (const each of state.all.values()) {
    if (each.waitingBytes > 0 && (slowest === undefined || isSlower(each, slowest))) slowest = each;
  }
  if (slowest === undefined) return false;
  close(state, slowest);
  state.onStalled();
  return true;
}

function isSlower(a: Connection, b: Connection): boolean {
  if (a.stalledMs !== b.stalledMs) return a.stalledMs > b.stalledMs;
  return a.waitingBytes > b.waitingBytes;
}

/**
 * Closes connections whose client reads nothing of a waiting response; connections without one have nothing to read.
 */
function sweep(state: State): void {
  for (const connection of state.all.values()) {
    const { socket } = connection;
    const taken = socket.bytesWritten - socket.writableLength;
    const isStalled = socket.writableLength > 0 && taken === connection.takenBytes;
    connection.takenBytes = taken;
    if (isStalled && connection.stalledMs === 0) state.replacement.waits(connection);
    else if (!isStalled && connection.stalledMs > 0) readsAgain(state, connection);
    connection.stalledMs = isStalled ? connection.stalledMs + state.sweepMs : 0;
    if (connection.stalledMs < state.stalledSendMs) continue;
    close(state, connection);
    state.onStalled();
  }
}

/** Records that a response is read again; one that was sent meanwhile leaves its connection idle. */
function readsAgain({ replacement }: State, connection: Connection): void {
  if (connection.current !== undefined) replacement.works(connection);
}
