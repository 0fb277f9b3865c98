import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ErrorCode } from '../domain/error-codes.ts';
import { type ApiError, refused, tooLarge } from '../domain/errors.ts';
import { type Result, toResult } from '../http/answer.ts';
import { type Handler, logRequest } from '../http/edge.ts';
import type { Clock, Ids, Log } from '../services/ports.ts';
import {
  answerBroken,
  arrivedTooSlowly,
  brokenCode,
  headersTooLarge,
  malformedRequest,
  refuseTunnel,
} from './broken-request.ts';
import { isForFiles, serveFiles } from './file-server.ts';
import type { LocalFiles } from './files.ts';
import { type Arrival, addBody, type EventDraft, toEvent } from './http-event.ts';
import { createProxyGate, type Proxies, type ProxyGate } from './proxies.ts';
import { codeOf, StartError } from './start-error.ts';

/** Bytes of a body that the gateway takes; what the function behind it takes is less, and judged by the edge. */
const maxBodyBytes = 10_485_760;
/** A client hears of its mistake only after it has sent all; up to here we listen. */
const maxDrainedBytes = 4 * maxBodyBytes;
const maxParsedHeaderBytes = 16_384; // above the gateway's limit, so that most answers can say more than 431
const keepAliveMs = 65_000; // longer than what pools of clients keep, or they meet a closed connection
const arrivalMs = 60_000;
/** The parser has one limit for all requests: that of a large upload over a slow line. Others are timed by us. */
const uploadMs = 900_000;

/** What the server needs. */
export interface ServerOptions {
  readonly handler: Handler;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Served below `/files/`; absent: there are none. */
  readonly files?: LocalFiles;
  readonly host: string;
  /** Proxies before the server; none when absent. */
  readonly proxies?: Proxies | undefined;
  /** 0: any free one. */
  readonly port: number;
  /** Milliseconds that `stop` waits for requests under way; 5,000 when absent. */
  readonly graceMs?: number;
}

/** A server that listens. */
export interface LocalServer {
  /** With the port that was taken, without a slash at its end. */
  readonly url: string;
  /** Takes no more requests, finishes those under way, and resolves after at most `graceMs`. */
  stop(): Promise<void>;
}

/** Gives an id to bytes that never became a request, and the line in the log that it is looked up by. */
function unreadable({ ids, log }: ServerOptions, code: ErrorCode): string {
  const requestId = ids.random();
  log({ level: 'info', message: 'unreadable request', requestId, code });
  return requestId;
}

interface Running extends ServerOptions {
  readonly gate: ProxyGate;
  readonly active: Set<IncomingMessage>;
  stopping: boolean;
  /** Called when nothing is under way any more. */
  idle: () => void;
}

/**
 * Serves a handler over HTTP as the gateway does on AWS: the same events, the same limits, refusals in the
 * contract's shape.
 *
 * @throws StartError when the address cannot be listened on
 */
export async function startServer(options: ServerOptions): Promise<LocalServer> {
  const running: Running = {
    ...options,
    gate: createProxyGate(options.proxies),
    active: new Set(),
    stopping: false,
    idle: () => undefined,
  };
  const server = createServer({
    maxHeaderSize: maxParsedHeaderBytes,
    keepAliveTimeout: keepAliveMs,
    requestTimeout: uploadMs,
    headersTimeout: arrivalMs,
    requireHostHeader: false, // we refuse it in our own words
  });
  server.on('request', (message, response) => void serve(running, message, response));
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    if (declaredBytes(message) <= maxBodyBytes) response.writeContinue();
    void serve(running, message, response);
  });
  server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) => {
    void serve(running, message, response); // an expectation that nobody knows is no reason to refuse
  });
  server.on('clientError', (error: Error, socket: Socket) => {
    // A request whose body breaks off is answered here; one that has arrived gets an answer of its own.
    const isBusy = [...running.active].some((each) => each.socket === socket && each.complete);
    if (!socket.writable || isBusy || codeOf(error) === 'ECONNRESET') socket.destroy();
    else socket.end(answerBroken(error, unreadable(running, brokenCode(error))));
  });
  server.on('connect', (_: IncomingMessage, socket: Socket) =>
    socket.end(refuseTunnel(unreadable(running, 'method_not_allowed'))),
  );
  await listen(server, running);
  const { address, port, family } = server.address() as AddressInfo; // listens on TCP
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  return { url, stop: () => stop(server, running) };
}

/** Answers one request; never rejects. */
async function serve(running: Running, message: IncomingMessage, response: ServerResponse) {
  const { active, clock, ids, log, gate } = running;
  active.add(message);
  try {
    const facts = {
      requestId: ids.random(),
      nowMs: clock.micros() / 1000,
      proxies: gate.countOf(message),
    };
    const arrival = toEvent(message, facts);
    if (running.files !== undefined && arrival.unfit === undefined && isForFiles(message)) {
      await answerFile(running, running.files, { message, response, event: arrival.event });
      return;
    }
    const result = await answer(running, message, arrival);
    if (result !== undefined) send(running, response, result);
  } catch (error) {
    const why = error instanceof Error ? error.stack : 'thrown';
    log({ level: 'error', message: 'request failed at the server', error: why });
    response.destroy();
  } finally {
    active.delete(message);
    if (active.size === 0) running.idle();
  }
}

interface FileCall {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly event: EventDraft;
}

/** Files are no part of the interface, but their requests have an id and a line in the log like all others. */
async function answerFile(
  { clock, log, stopping }: Running,
  files: LocalFiles,
  { message, response, event }: FileCall,
): Promise<void> {
  const started = clock.micros();
  response.setHeader('x-request-id', event.requestContext.requestId);
  if (stopping) response.setHeader('connection', 'close');
  const outcome = await serveFiles(files, message, response);
  logRequest(log, event, outcome, clock.micros() - started);
}

/** The answer to a request; undefined when its client has gone before it was there. */
async function answer(
  running: Running,
  message: IncomingMessage,
  { event, unfit }: Arrival,
): Promise<Result | undefined> {
  if (unfit === 'headers too large')
    return refuse(running, event, refused(431, headersTooLarge, 'headers_too_large'));
  if (unfit === 'malformed')
    return refuse(running, event, refused(400, malformedRequest, 'malformed_request'));
  if (hasBody(message)) {
    const body = await readBody(message);
    if (body === 'gone') return undefined;
    if (body === 'too slow')
      return refuse(running, event, refused(408, arrivedTooSlowly, 'request_timeout'));
    if (body === 'too large') return refuse(running, event, tooLarge(maxBodyBytes));
    addBody(event, body);
  }
  return running.handler(event);
}

async function refuse({ log }: Running, event: EventDraft, error: ApiError): Promise<Result> {
  logRequest(log, event, error, 0);
  const result = await toResult(event, error);
  // What the client still sends is not worth reading.
  return { ...result, headers: { ...result.headers, connection: 'close' } };
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function declaredBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

function readBody(message: IncomingMessage): Promise<Buffer | 'too large' | 'too slow' | 'gone'> {
  const waits = message.headers.expect !== undefined;
  if (waits && declaredBytes(message) > maxBodyBytes) return Promise.resolve('too large');
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(() => resolve('too slow'), arrivalMs);
    message.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes <= maxBodyBytes) chunks.push(chunk);
      else chunks = [];
      if (bytes > maxDrainedBytes) resolve('too large');
    });
    message.once('end', () => {
      if (bytes > maxBodyBytes) resolve('too large');
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, bytes));
    });
    message.once('error', () => resolve('gone'));
    message.once('close', () => {
      clearTimeout(timer);
      resolve('gone');
    });
  });
}

function send({ stopping }: Running, response: ServerResponse, result: Result): void {
  const { statusCode, headers } = result;
  const body = result.isBase64Encoded ? Buffer.from(result.body ?? '', 'base64') : result.body;
  const bytes = body === undefined ? 0 : Buffer.byteLength(body);
  if (body !== undefined) headers['content-length'] = String(bytes);
  if (stopping) headers.connection = 'close';
  response.writeHead(statusCode, headers);
  // a text of as many bytes as characters is ASCII, which is sent as it is, with half the work
  response.end(body, bytes === body?.length ? 'latin1' : 'utf8');
}

async function listen(server: Server, { host, port, gate }: Running): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toStartError(error, host, port)));
    server.listen(port, host, resolve);
  });
  try {
    await gate.listen((socket) => server.emit('connection', socket)); // served like all others
  } catch (error) {
    server.close();
    throw error;
  }
}

function toStartError(error: Error, host: string, port: number): Error {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new StartError(`port ${port} of ${host} is taken by another program`, {
        cause: error,
      });
    case 'EACCES':
      return new StartError(`port ${port} needs more rights than we have`, { cause: error });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(`${host} is no address of this machine`, { cause: error });
    default:
      return error;
  }
}

async function stop(server: Server, running: Running): Promise<void> {
  running.stopping = true;
  const closed = Promise.all([
    running.gate.close(),
    new Promise<void>((resolve) => server.close(() => resolve())),
  ]);
  const finished = new Promise<void>((resolve) => {
    running.idle = resolve;
    if (running.active.size === 0) resolve();
  });
  let timer: NodeJS.Timeout | undefined;
  const outOfPatience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, running.graceMs ?? 5000);
  });
  await Promise.race([Promise.all([closed, finished]), outOfPatience]);
  clearTimeout(timer);
  server.closeAllConnections();
}
