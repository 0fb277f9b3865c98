import { type ChildProcess, spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { bytesOf } from './gateway-event.ts';

/** A bundle in a Node process of its own, as Lambda runs it, except that it takes several requests at a time. */
export interface Lambda<Event = object, Response = Result> {
  invoke(event: Event, circumstances?: Circumstances): Promise<Response>;
  /** Ends the process; returns the function's standard output. */
  close(): Promise<string>;
}

/** Options of a request. */
export interface Circumstances {
  /** Epoch milliseconds of the function's clock from now on; real time when absent. */
  readonly nowMs?: number | undefined;
  /** Milliseconds that the steady clock is ahead in the request; 0 when absent. */
  readonly steadyAheadMs?: number;
  /** Time that the function has left; 29 s when absent. */
  readonly leftMs?: number;
}

/** The function's response to the gateway. */
export interface Result {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

const host = `
const realTime = Date.now;
let nowMs = process.env.TEST_NOW_MS && Number(process.env.TEST_NOW_MS); // what it is opened at, where time is fixed
Date.now = () => nowMs || realTime();
const realSteady = performance.now.bind(performance);
let aheadMs = 0;
performance.now = () => realSteady() + aheadMs;
process.stdout.write = (text) => process.send({ output: String(text) });
const { handler } = await import(process.argv[1]);
process.on('message', async ({ id, event, leftMs = 29000, ...more }) => {
  nowMs = more.nowMs;
  aheadMs = more.steadyAheadMs ?? 0;
  const context = { getRemainingTimeInMillis: () => leftMs };
  process.send({ id, result: await handler(event, context) });
});
process.send({ id: 0 });
`;

/** Messages of the host: first ready, as response to request 0, then responses and output in order. */
type Message = { readonly output: string } | { readonly id: number; readonly result?: Result };

/**
 * Starts a bundle and waits until it is initialised.
 *
 * @param node      the program that runs it
 * @param variables the whole environment of the process
 * @param hear      receives the function's standard output, before the response of the same request
 */
export async function startLambda<Event extends object = object, Response = Result>(
  node: string,
  bundle: string,
  variables: Readonly<Record<string, string>>,
  hear: (output: string) => void = () => undefined,
): Promise<Lambda<Event, Response>> {
  const args = ['--input-type=module', '--eval', host, pathToFileURL(bundle).href];
  const child = spawn(node, args, { env: variables, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const calls = openCalls(child);
  let output = '';
  child.on('message', (message: Message) => {
    if (!('output' in message)) return;
    output += message.output;
    hear(message.output);
  });
  await calls.answerTo(0);
  let last = 0;
  return {
    invoke: async (event, circumstances) => {
      last += 1;
      const response = calls.answerTo(last);
      child.send({ id: last, event, ...circumstances });
      return (await response) as Response; // from our own host
    },
    close: async () => {
      child.kill();
      await closed;
      return output;
    },
  };
}

interface Waiting {
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** Stores the waiting requests by id; all are rejected when the process ends. */
function openCalls(child: ChildProcess) {
  const waiting = new Map<number, Waiting>();
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  child.on('message', (message: Message) => {
    if ('output' in message) return;
    waiting.get(message.id)?.resolve(message.result);
    waiting.delete(message.id);
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`the function ended: ${errors}`));
  });
  return {
    answerTo: (id: number) =>
      new Promise<Result | undefined>((resolve, reject) => waiting.set(id, { resolve, reject })),
  };
}

/** Returns the JSON of a response; undefined when it has none. */
// biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every shape
export function bodyOf(result: Result): any {
  const { body, headers } = result;
  if (body === undefined) return undefined;
  const bytes = bytesOf(result);
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  return headers['content-type']?.startsWith('application/json') ? JSON.parse(text) : text;
}
