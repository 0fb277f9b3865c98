import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { serverHeader } from '../support/http-client.ts';

/** A request, and the response of the server. */
export interface Exchange {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly status: number;
  readonly responseHeaders: IncomingHttpHeaders;
  /** Without compression. */
  readonly responseBody: Buffer;
}

/** A difference between an exchange and the document. */
export interface Violation {
  /** Begins with `request` or `response`. */
  readonly location: readonly string[];
  readonly message: string;
}

/** Where exchanges are recorded. */
export interface Recorder {
  readonly url: string;
  close(): void;
}

/**
 * Starts a proxy that passes requests on to the server that their header names, byte by byte, and hands each exchange
 * to `see` after the response has ended.
 *
 * @param otherwise address of the server of requests without the header
 */
export async function startRecorder(
  see: (exchange: Exchange) => void,
  otherwise?: string,
): Promise<Recorder> {
  const server = createServer((incoming, outgoing) => {
    const { [serverHeader.toLowerCase()]: named, ...headers } = incoming.headers;
    const target = new URL(String(named ?? otherwise));
    const { method = 'GET' } = incoming;
    const raw = incoming.rawHeaders.filter((_, i, all) => {
      const name = all[i - (i % 2)]?.toLowerCase();
      return name !== serverHeader.toLowerCase() && name !== 'host';
    });
    const forwarded = request(
      { hostname: target.hostname, port: target.port, method, path: incoming.url },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 0, response.rawHeaders);
        const received = collect(response, outgoing);
        received.catch(() => outgoing.destroy());
        Promise.all([sent, received]).then(
          ([body, bytes]) =>
            see({
              method,
              path: incoming.url ?? '/',
              headers,
              body,
              status: response.statusCode ?? 0,
              responseHeaders: response.headers,
              responseBody: decoded(response.headers, bytes),
            }),
          () => undefined, // the response came before the end of the request, or one of both has gone away
        );
      },
    );
    for (let i = 0; i < raw.length; i += 2) forwarded.appendHeader(raw[i] ?? '', raw[i + 1] ?? '');
    forwarded.on('error', () => outgoing.headersSent || outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    const sent = collect(incoming, forwarded);
    sent.catch(() => outgoing.headersSent || forwarded.destroy());
  });
  return { url: await listen(server), close: () => end(server) };
}

/** Passes a stream on, and returns all of it. */
async function collect(
  from: IncomingMessage,
  to: ReturnType<typeof request> | ServerResponse,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of from) {
    parts.push(part);
    to.write(part);
  }
  to.end();
  return Buffer.concat(parts);
}

function decoded({ 'content-encoding': encoding }: IncomingHttpHeaders, bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes;
  if (encoding === 'gzip') return gunzipSync(bytes);
  return encoding === 'br' ? brotliDecompressSync(bytes) : bytes;
}

/** What Prism says of an exchange. */
export interface Verdict {
  /** Whether Prism passed the request on; otherwise its response was not judged. */
  readonly isPassedOn: boolean;
  readonly violations: readonly Violation[];
}

/** Compares exchanges with the document. */
export interface Judge {
  judge(exchange: Exchange): Promise<Verdict>;
  close(): void;
}

const idHeader = 'x-exchange';

/**
 * Opens a judge. Prism is a proxy: it gets the request once more, and its upstream here returns the recorded response.
 * The caller of the suite gets the bytes of the server, which Prism would parse and write anew.
 *
 * @param start starts Prism on a port before an upstream; returns what ends it
 */
export async function openJudge(
  start: (upstream: string, port: number) => () => void,
): Promise<Judge> {
  const waiting = new Map<string, Exchange>();
  const upstream = createServer((incoming, outgoing) => {
    const id = String(incoming.headers[idHeader]);
    const exchange = waiting.get(id);
    incoming.resume();
    outgoing.setHeader(idHeader, id);
    for (const [name, value] of Object.entries(exchange?.responseHeaders ?? {})) {
      if (value !== undefined && !ofTransport.includes(name)) outgoing.setHeader(name, value);
    }
    outgoing.writeHead(exchange?.status ?? 500).end(exchange?.responseBody);
  });
  const address = await listen(upstream);
  let prism = await startPrism(start, address);
  let restarting: Promise<void> | undefined;
  let isClosed = false;
  const restart = async (ended: Prism) => {
    if (prism !== ended || isClosed) return;
    ended.stop();
    prism = await startPrism(start, address);
  };
  // Prism has ended, or never responds to some request: the next ones get another one
  const ask = async (exchange: Exchange, id: string) => {
    await restarting;
    const asked = prism;
    const reply = await replay(asked.port, exchange, id);
    if (reply === undefined)
      restarting = (restarting ?? Promise.resolve()).then(() => restart(asked));
    return reply;
  };
  let last = 0;
  const judge = async (exchange: Exchange) => {
    const id = String(++last);
    waiting.set(id, exchange);
    const reply = (await ask(exchange, id)) ?? (await ask(exchange, id)); // ended by an earlier one
    waiting.delete(id);
    const isPassedOn = reply?.headers[idHeader] === id;
    const violations = isPassedOn ? violationsOf(reply.headers['sl-violations']) : [refusal(reply)];
    return { isPassedOn, violations };
  };
  const turns = Array.from({ length: 4 }, (): Promise<unknown> => Promise.resolve());
  return {
    judge: (exchange) => {
      // Prism does not get more requests at once than it can judge in time
      const judged = (turns.shift() ?? Promise.resolve()).then(() => judge(exchange));
      turns.push(judged);
      return judged;
    },
    close: () => {
      isClosed = true;
      prism.stop();
      end(upstream);
    },
  };
}

interface Prism {
  readonly port: number;
  readonly stop: () => void;
}

async function startPrism(start: Parameters<typeof openJudge>[0], address: string): Promise<Prism> {
  const port = await freePort();
  const stop = start(address, port);
  await accepts(port);
  return { port, stop };
}

/** Headers of the connection and the coding of a body, which are not those of the replayed one. */
const ofTransport = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-encoding',
  'content-length',
];

function refusal(reply: Reply | undefined): Violation {
  const text = reply ? `${reply.status} ${reply.body.slice(0, 500)}` : 'no response';
  return { location: ['request'], message: `Prism does not pass it on: ${text}` };
}

function violationsOf(header: string | string[] | undefined): readonly Violation[] {
  if (header === undefined) return [];
  const text = String(header);
  try {
    return JSON.parse(text) as readonly Violation[]; // of Prism, of this form
  } catch {
    return [{ location: ['response'], message: text }]; // Prism cuts a long list
  }
}

const longestMs = 10_000; // Prism never responds to bodies that it cannot parse

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Returns Prism's response; undefined: there is none. */
function replay(
  port: number,
  { method, path, headers, body }: Exchange,
  id: string,
): Promise<Reply | undefined> {
  const own = Object.entries(headers).filter(([name]) => !ofTransport.includes(name));
  // Prism refuses a GET with a body, which the server ignores
  const sentBody = method === 'GET' ? Buffer.alloc(0) : body;
  // Node frames the body of a DELETE only by this header
  const length = sentBody.length > 0 ? [['content-length', String(sentBody.length)]] : [];
  const sentHeaders = Object.fromEntries([...own, ...length, [idHeader, id]]);
  const options = { port, method, path, headers: sentHeaders, maxHeaderSize: 65_536 };
  const sent = request({ host: '127.0.0.1', ...options });
  sent.setTimeout(longestMs, () => sent.destroy(new Error('no response')));
  sent.end(sentBody.length > 0 ? sentBody : undefined);
  return new Promise((resolve) => {
    sent.on('error', () => resolve(undefined));
    sent.on('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('close', () => {
        resolve({ status, headers, body: Buffer.concat(parts).toString() });
      });
    });
  });
}

async function listen(server: Server): Promise<string> {
  server.keepAliveTimeout = 0; // a request fails if its connection is closed for being idle at that moment
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

function end(server: Server): void {
  server.closeAllConnections();
  server.close();
}

async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listen(server));
  server.close();
  return Number(port);
}

/** Waits until a port accepts connections. */
async function accepts(port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await setTimeout(100);
  }
  throw new Error('Prism does not listen');
}
