import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { complete, type EdgeStep, edgeSteps } from '../../../core/http/edge.ts';
import type { Dispatch, Request, Response } from '../../../core/http/message.ts';
import { logFault, logRequest } from '../../../core/http/request-log.ts';
import type { HeadCheck } from '../../../core/pipeline/admission.ts';
import { nextRound } from '../../../ports/limits/event-loop-rounds.ts';
import type { Clock, Ids, Log } from '../../../ports/ports.ts';
import { sendPieceBytes, uncountedBodyBytes } from '../../../values/bounds.ts';
import { codeOf } from '../../../values/caught.ts';
import { ApiError, detailError, serverError } from '../../../values/errors/errors.ts';
import { neverRejects } from '../../../values/promises/in-background.ts';
import { isForFiles, serveFiles } from '../files/file-server.ts';
import type { LocalFiles } from '../files/files.ts';
import type { Thumbs } from '../pictures/thumbs.ts';
import { type Arriving, declaredBytes, hasBody } from './bodies/arriving.ts';
import { openReceiver, type ReceivedBody, type Receiver } from './bodies/receive-body.ts';
import {
  brokenRequestResponse,
  headersTooLarge,
  malformedRequest,
  rejectTunnel,
} from './broken-request.ts';
import { createBursts } from './bursts.ts';
import {
  type Connections,
  type HttpExchange,
  type ServerLoad,
  watchConnections,
} from './connections.ts';
import { connectionLimit } from './descriptors.ts';
import { openEndings } from './endings.ts';
import { type Arrival, toRequest, withBody } from './http-request.ts';
import { listen, type Serving, stop } from './listen.ts';
import { type ServerTimeouts, patience as usualPatience } from './patience.ts';
import { createProxyCheck, type Proxies, type ProxyCheck } from './proxies.ts';
import {
  closeUnread,
  nodeHeaders,
  sendBody,
  sendEarly,
  sendLast,
  sendStream,
  toSentBody,
} from './send-response.ts';

const maxParsedHeaderBytes = 16_384; // above the gateway's limit, so that most error responses can say more than 431
const keepAliveMs = 65_000; // longer than clients keep pooled connections, or they meet a closed connection
/**
 * Time limit of the parser for all requests: that of a large upload over a slow line. Others are timed by this server.
 */
const uploadMs = 900_000;

export interface ServerOptions {
  /** Serves a request through the steps of the edge: a complete response. */
  readonly serve: Dispatch;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Checks requests before their bodies are read; absent: each is read up to the limit of the gateway. */
  readonly headCheck?: HeadCheck;
  /** Files served below `/files/`; none when absent. */
  readonly files?: LocalFiles;
  /** Smaller pictures of the files; none when absent. */
  readonly thumbs?: Thumbs;
  readonly host: string;
  /** Proxies in front of the server; none when absent. */
  readonly proxies?: Proxies | undefined;
  /** 0: any free one. */
  readonly port: number;
  /** Milliseconds that `stop` waits for running requests; 4,000 when absent. */
  readonly graceMs?: number;
  /** Most connections at a time; as many as the descriptors of this process allow when absent. */
  readonly maxConnections?: number;
  /** Longest waits for clients; shorter ones in tests. */
  readonly patience?: ServerTimeouts;
}

/** A server that listens. */
export interface LocalServer {
  /** Returns its load at this moment. */
  load(): ServerLoad;
  /** Address with the port in use, without a slash at its end. */
  readonly url: string;
  /** Accepts no more requests, finishes running ones, and resolves after at most `graceMs`. */
  stop(): Promise<void>;
}

interface Running extends ServerOptions, Serving {
  readonly patience: ServerTimeouts;
  readonly proxyGate: ProxyCheck;
  readonly connections: Connections;
  readonly receiver: Receiver;
  /** Waits for the time to send a short response. */
  readonly burst: () => Promise<void>;
  /** For responses to requests that are not served. */
  readonly steps: readonly EdgeStep[];
}

/**
 * Serves requests over HTTP as the gateway does on AWS: requests, limits and the form of error responses are the same.
 *
 * @throws StartError when the address cannot be listened on
 */
export async function startServer(options: ServerOptions): Promise<LocalServer> {
  const { patience = usualPatience, maxConnections = connectionLimit() } = options;
  const server = createServer({
    maxHeaderSize: maxParsedHeaderBytes,
    keepAliveTimeout: keepAliveMs,
    requestTimeout: uploadMs,
    headersTimeout: patience.headMs,
    connectionsCheckingInterval: patience.headCheckMs,
    requireHostHeader: false, // this server has its own error response
  });
  const connections = watchConnections({
    server,
    max: maxConnections,
    stalledSendMs: patience.stalledSendMs,
    serve: (exchange) => neverRejects(serve(running, exchange)), // it logs errors
    onStalled: () =>
      options.log({ level: 'info', message: 'connection closed: its response is not read' }),
  });
  const running: Running = {
    ...options,
    patience,
    proxyGate: createProxyCheck(options.proxies),
    connections,
    receiver: openReceiver({ headCheck: options.headCheck, patience, maxConnections }),
    endings: openEndings(),
    burst: createBursts(),
    steps: edgeSteps(options),
    active: 0,
    stopping: false,
    idle: () => undefined,
  };
  const last = (socket: Socket, text: string) => sendLast(socket, text, patience.drainMs);
  server.on('request', (message, response) => {
    connections.enqueue({ message, response, isWaiting: false });
  });
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    connections.enqueue({ message, response, isWaiting: true });
  });
  server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) => {
    connections.enqueue({ message, response, isWaiting: false }); // an unknown expectation is no reason for an error
  });
  server.on('clientError', (error: Error, socket: Socket) => {
    // A request whose body breaks off gets its response here; one that has arrived gets its own.
    const isBusy = connections.find(socket)?.current?.message.complete === true;
    if (!socket.writable || isBusy || codeOf(error) === 'ECONNRESET') socket.destroy();
    else last(socket, brokenRequestResponse(error, running));
  });
  server.on('connect', (_: IncomingMessage, socket: Socket) => last(socket, rejectTunnel(running)));
  await listen(server, running);
  const { address, port, family } = server.address() as AddressInfo; // listens on TCP
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  return { url, load: () => loadOf(running), stop: () => stop(server, running) };
}

function loadOf({ connections, active, receiver }: Running): ServerLoad {
  const { size, waiting } = connections;
  return { connections: size, running: active, waiting, bodies: receiver.budgets };
}

/** Serves one request; never rejects. */
async function serve(running: Running, exchange: HttpExchange): Promise<void> {
  const { ids, log, proxyGate } = running;
  const { message, response } = exchange;
  running.active += 1;
  try {
    const ending = () => running.endings.of(response);
    const facts = { requestId: ids.random(), proxies: proxyGate.countOf(message), ending };
    const arrival = toRequest(message, facts);
    if (running.files !== undefined && arrival.unfit === undefined && isForFiles(message)) {
      await serveFile(running, running.files, exchange, arrival.request);
      return;
    }
    if (arrival.unfit === undefined && !hasBody(message)) {
      await run(running, exchange, arrival.request);
    } else {
      await serveRequest(running, exchange, arrival);
    }
  } catch (error) {
    const why = error instanceof Error ? error.stack : 'thrown';
    log({ level: 'error', message: 'request failed', error: why });
    response.destroy();
  } finally {
    exchange.connection.isRunning = false;
    running.active -= 1;
    if (running.active === 0) running.idle();
  }
}

/** Serves a file. Files are no part of the interface, but their requests have an id and a log line like all others. */
async function serveFile(
  running: Running,
  files: LocalFiles,
  exchange: HttpExchange,
  request: Request,
): Promise<void> {
  const { clock, log, stopping, receiver, connections, patience } = running;
  const { connection, message, response } = exchange;
  const { drainMs } = patience;
  const started = clock.micros();
  response.setHeader('x-request-id', request.id);
  if (stopping) response.setHeader('connection', 'close');
  const mayBePartial = hasBody(message);
  if (mayBePartial) connections.awaits(connection, 'body');
  message.once('end', () => {
    if (connection.current === exchange) connections.awaits(connection, 'nothing');
  });
  const outcome = await serveFiles(files, {
    head: message,
    response,
    thumbs: running.thumbs,
    receiveForm: (read) => receiver.receiveForm(arriving(running, exchange, request), read),
    sendEarly: (content) =>
      sendEarly({ message, response, drainMs }, { content, bytes: Buffer.byteLength(content) }),
  });
  if (mayBePartial && !message.complete) {
    connections.awaits(connection, 'body');
    closeUnread({ message, drainMs });
  }
  logRequest(log, request, outcome, clock.micros() - started);
}

/** Returns what the receiver needs of a request. */
function arriving({ connections }: Running, exchange: HttpExchange, head: Request): Arriving {
  const { connection, message, response, isWaiting } = exchange;
  return {
    message,
    head,
    goOn: () => isWaiting && response.writeContinue(),
    onGenuine: () => connections.awaits(connection, 'genuine body'),
  };
}

/** Responds to an invalid request or one with a body, unless its client disconnects first. */
async function serveRequest(
  running: Running,
  exchange: HttpExchange,
  { request, unfit }: Arrival,
): Promise<void> {
  const { connection, message } = exchange;
  if (unfit !== undefined) {
    const error =
      unfit === 'malformed'
        ? detailError(400, malformedRequest, 'malformed_request')
        : detailError(431, headersTooLarge, 'headers_too_large');
    return refuse(running, exchange, { request, error });
  }
  await undefined; // what came with the head has arrived now
  const bytes = declaredBytes(message);
  if (bytes !== undefined && bytes <= uncountedBodyBytes && message.readableLength === bytes) {
    if (exchange.isWaiting) exchange.response.writeContinue();
    const body: Buffer | null = message.read();
    return run(running, exchange, body === null ? request : withBody(request, { bytes: body }));
  }
  running.connections.awaits(connection, 'body');
  const received = await running.receiver
    .receive(arriving(running, exchange, request))
    .catch((error: unknown) => logFailure(running, request, error)); // of the store, which the check reads
  if (received === 'gone') return;
  if (received instanceof ApiError) return refuse(running, exchange, { request, error: received });
  running.connections.awaits(connection, 'nothing');
  await run(running, exchange, withBody(request, received), received);
}

function logFailure({ log }: Running, request: Request, error: unknown): ApiError {
  logFault(log, request, error);
  return serverError();
}

/**
 * Serves a request that has arrived, or whose rest does not matter.
 *
 * @param received its body, if it was awaited; released when the request was served, though its response may not have
 *   been read
 */
async function run(
  running: Running,
  exchange: HttpExchange,
  request: Request,
  received?: ReceivedBody,
): Promise<void> {
  const { connection, response } = exchange;
  connection.isRunning = true;
  const serving = running.serve(request);
  const served = await (received === undefined ? serving : serving.finally(received.release));
  connection.isRunning = false;
  if (served.stream !== undefined) {
    const count = (bytes: number) => running.connections.count(connection, bytes);
    return sendStream(response, served, { pieces: served.stream.pieces, count });
  }
  await sendContent(running, exchange, served, received);
}

/** Sends the response to a request that was served. */
async function sendContent(
  running: Running,
  { connection, message, response }: HttpExchange,
  served: Response,
  received: ReceivedBody | undefined,
): Promise<void> {
  const { drainMs } = running.patience;
  const { status, content } = served;
  const length = content?.bytes.length ?? 0;
  running.connections.count(connection, length);
  await (length > sendPieceBytes ? nextRound() : running.burst());
  const sent = toSentBody(content);
  const headers = nodeHeaders(served, sent);
  const isEarly = received !== undefined && received.bytes === undefined && !message.complete;
  if (running.stopping || (isEarly && status >= 400)) headers.connection = 'close';
  response.writeHead(status, headers);
  if (isEarly) running.connections.awaits(connection, 'body');
  if (isEarly && status >= 400) return sendEarly({ message, response, drainMs }, sent);
  const sending = sendBody(response, sent);
  if (sending !== undefined) await sending;
  if (isEarly) closeUnread({ message, drainMs });
}

/** Sends an error response to a request whose body is not worth reading. */
async function refuse(
  { steps, clock, connections, patience }: Running,
  { connection, message, response, isWaiting }: HttpExchange,
  { request, error }: { readonly request: Request; readonly error: ApiError },
): Promise<void> {
  const { drainMs } = patience;
  connections.awaits(connection, 'body');
  const arrived = { request, startedMicros: clock.micros() };
  const { status, headers, content } = await complete(steps, arrived, { response: error });
  const sent = toSentBody(content);
  const length = sent && { 'content-length': String(sent.bytes) };
  response.writeHead(status, { ...headers, connection: 'close', ...length });
  const isSilent = isWaiting || error.status === 408; // nothing is on its way
  await (isSilent ? sendBody(response, sent) : sendEarly({ message, response, drainMs }, sent));
}
