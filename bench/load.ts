import { connect } from 'node:net';

/** The requests of a load, their target and their duration. */
export interface BenchLoad {
  /** Port on 127.0.0.1. */
  readonly port: number;
  readonly connections: number;
  /** Seconds after which no more requests are sent; pending ones are awaited. */
  readonly seconds: number;
  /** Maximum number of requests. */
  readonly count: number;
  /** Maximum number of requests per second over all connections; absent: as many as the server can serve. */
  readonly perSecond?: number;
  /** Returns the bytes of request `index`, which counts from 0 over all connections. */
  readonly request: (index: number) => Buffer;
  /** Receives each response; its buffer is valid only until it returns. */
  readonly onAnswer?: (answer: Answer) => void;
}

/** The result of a load. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Durations of the requests, in no order. */
  readonly timesMs: readonly number[];
  /** Bytes of all responses, heads and bodies. */
  readonly responseBytes: number;
}

/** The parts of a response that a load generator reads. */
interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly body: Buffer;
}

const answerMs = 30_000; // far longer than any response takes
const headEnd = Buffer.from('\r\n\r\n');

/**
 * Sends requests over keep-alive connections, one pending on each. Uses minimal CPU itself, because client and server
 * share the machine.
 *
 * @throws Error with status and body at the first response that is not 2xx, and when a connection breaks
 */
export async function runLoad(load: BenchLoad): Promise<LoadResult> {
  const timesMs: number[] = [];
  let sent = 0;
  let bytes = 0;
  const started = performance.now();
  const deadline = started + load.seconds * 1000;
  const next = () => (sent < load.count && performance.now() < deadline ? sent++ : undefined);
  const turn = { next, dueMs: (index: number) => dueMs(load, started, index) };
  const record = (durationMs: number, answer: Answer) => {
    timesMs.push(durationMs);
    bytes += answer.bytes;
    load.onAnswer?.(answer);
  };
  const lanes = Array.from({ length: load.connections }, () => runLane(load, turn, record));
  await Promise.all(lanes);
  const seconds = (performance.now() - started) / 1000;
  return { requests: timesMs.length, seconds, timesMs, responseBytes: bytes };
}

/** Returns the earliest time of a request. */
function dueMs({ perSecond }: BenchLoad, startedMs: number, index: number): number {
  return perSecond === undefined ? startedMs : startedMs + (index / perSecond) * 1000;
}

/** The next request of a connection, and its earliest time. */
interface Turn {
  next(): number | undefined;
  dueMs(index: number): number;
}

/** Runs one connection: sends requests one after the other until `next` returns none. */
function runLane(
  { port, request }: BenchLoad,
  { next, dueMs }: Turn,
  record: (durationMs: number, answer: Answer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let sentAt = 0;
    let chunks: Buffer[] = [];
    const send = () => {
      const index = next();
      if (index === undefined) {
        resolve();
        socket.destroy();
        return;
      }
      const bytes = request(index);
      const write = () => {
        sentAt = performance.now();
        socket.write(bytes);
      };
      const pauseMs = dueMs(index) - performance.now();
      if (pauseMs < 1) write();
      else setTimeout(write, pauseMs);
    };
    socket.setTimeout(answerMs, () => socket.destroy(new Error('no answer in time')));
    socket.on('connect', send);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      try {
        const answer = readAnswer(chunks);
        if (answer === undefined) return;
        chunks = [];
        record(performance.now() - sentAt, answer);
        send();
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error('not readable'));
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
  });
}

/** Reads status and length; undefined while the response is incomplete. */
function readAnswer(chunks: readonly Buffer[]): Answer | undefined {
  const [first] = chunks;
  const received = chunks.length === 1 && first ? first : Buffer.concat(chunks);
  const end = received.indexOf(headEnd);
  if (end < 0) return undefined;
  const head = received.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  const length =
    /\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? (status === 204 ? '0' : undefined);
  if (length === undefined) throw new Error(`an answer without length: ${head}`);
  const bytes = end + headEnd.length + Number(length);
  if (received.length < bytes) return undefined;
  const body = received.subarray(end + headEnd.length, bytes);
  if (status < 200 || status > 299) throw new Error(`answered ${status}: ${body.toString()}`);
  return { status, bytes, body };
}
