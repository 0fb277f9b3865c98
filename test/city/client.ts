import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { Broken, type Kind, type Report } from './report.ts';

/** The state of the server for its clients. */
export interface Gate {
  url: string;
  /** False from just before the server is killed until it listens again. */
  isOpen: boolean;
}

/** Thrown by requests that the end of the server interrupts. */
export class Interrupted extends Error {}

/** A request. */
export interface Call {
  /** GET without a body, otherwise POST. */
  readonly method?: string;
  readonly path: string;
  readonly key?: string;
  readonly userKey?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly raw?: { readonly type: string; readonly bytes: Uint8Array };
  readonly headers?: Readonly<Record<string, string>>;
  /** Depends on the method by default. */
  readonly kind?: Kind;
  /** Milliseconds after which the client disconnects. */
  readonly leaveAfterMs?: number;
}

/** A response; the status is 0 if the client did not wait for it. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Parsed if it is JSON, otherwise text. */
  // biome-ignore lint/suspicious/noExplicitAny: citizens reach into responses of every shape
  readonly body: any;
}

/** Sends the requests of one resident, and checks the rules for every response. */
export interface Client {
  /** @throws Interrupted when the server was killed, Broken when the response breaks an invariant */
  ask(call: Call): Promise<Answer>;
  /** Like `ask`, and throws Broken for any other status. */
  expect(call: Call, ...statuses: readonly number[]): Promise<Answer>;
  /** Records a request that was made by other means and checks its response. */
  note(call: Call, response: Answer, ms: number): void;
  /** Ends the city because of a response. */
  fail(call: Call, response: Answer, why: string): never;
  /** Ends the city for another reason. */
  broken(why: string): never;
  readonly requestQueue: Gate;
}

/** Parts of a client. */
export interface ClientOptions {
  readonly requestQueue: Gate;
  readonly report: Report;
  readonly citizen: string;
  readonly isHostile: boolean;
  /** Marks that responses may contain: those of the resident's own tenants. */
  readonly marks: ReadonlySet<string>;
}

/** Time limits above which a request counts as hanging. Runs may wait 30 s in a queue and last 20 s. */
const hangMs: Readonly<Record<Kind, number>> = {
  read: 60_000,
  write: 60_000,
  bulk: 60_000,
  run: 90_000,
  render: 90_000,
  odd: 120_000,
};

/** The mark in each tenant's data, which must not be visible to other tenants. */
export const markPattern = /~m[0-9a-z]{8}~/g;

/** Creates the client of one resident. */
export function createClient(options: ClientOptions): Client {
  const { requestQueue } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const broken = (why: string): never => {
    throw new Broken(`${options.citizen}: ${why}`);
  };
  const fail = (call: Call, response: Answer, why: string): never =>
    broken(`${describe(call)} ${response.status}: ${why}`);
  const note = (call: Call, response: Answer, ms: number) => {
    const { citizen, isHostile } = options;
    options.report.record({ citizen, isHostile, kind: kindOf(call), status: response.status, ms });
    check(options, call, response, fail);
  };
  const ask = async (call: Call): Promise<Answer> => {
    const startedMs = performance.now();
    try {
      const response = await send(requestQueue.url, agent, call);
      note(call, response, performance.now() - startedMs);
      return response;
    } catch (error) {
      if (error instanceof Broken) throw error;
      if (!requestQueue.isOpen) throw new Interrupted('the server was killed', { cause: error });
      return broken(`${describe(call)}: ${error instanceof Error ? error.message : 'no reason'}`);
    }
  };
  return {
    requestQueue,
    ask,
    note,
    fail,
    broken,
    expect: async (call, ...statuses) => {
      const response = await ask(call);
      if (!statuses.includes(response.status))
        fail(call, response, `expected ${statuses.join(' or ')}: ${excerpt(response)}`);
      return response;
    },
  };
}

/** Describes a request without secrets: queries, links and file addresses may contain keys. */
export function describe(call: Call): string {
  const [path = ''] = call.path.split('?');
  return `${methodOf(call)} ${path.replace(/[^/]{33,}/g, '<secret>')}`;
}

/** Returns the start of a response, for messages; strings that look like keys are omitted. */
export function excerpt(response: Answer): string {
  return response.bytes
    .toString()
    .slice(0, 300)
    .replace(/[0-9a-f]{33,}/g, '<secret>');
}

function methodOf({ method, body, raw }: Call): string {
  return method ?? (body === undefined && raw === undefined ? 'GET' : 'POST');
}

function kindOf(call: Call): Kind {
  return call.kind ?? (methodOf(call) === 'GET' ? 'read' : 'write');
}

function check(
  { marks, isHostile }: ClientOptions,
  call: Call,
  response: Answer,
  fail: (call: Call, response: Answer, why: string) => never,
): void {
  const { status, headers } = response;
  const isDocumented = status === 503 && headers['retry-after'] !== undefined;
  if (status >= 500 && !isDocumented) fail(call, response, excerpt(response));
  if (status === 408 && !isHostile) fail(call, response, excerpt(response));
  const foreign = response.bytes
    .toString('latin1')
    .match(markPattern)
    ?.find((mark) => !marks.has(mark));
  if (foreign !== undefined) fail(call, response, `it shows data of another tenant (${foreign})`);
}

function send(url: string, agent: Agent, call: Call): Promise<Answer> {
  const { key, userKey, body, raw, leaveAfterMs } = call;
  const bytes = raw?.bytes ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
  const headers = {
    ...(bytes && {
      'Content-Type': raw?.type ?? 'application/json',
      'Content-Length': bytes.length,
    }),
    ...(key && { 'X-API-KEY': key }),
    ...(userKey && { 'X-USER-KEY': userKey }),
    ...call.headers,
  };
  const target = call.path.startsWith('http') ? call.path : url + call.path;
  return new Promise((resolve, reject) => {
    const message = request(target, { agent, headers, method: methodOf(call) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        clearTimeout(timer);
        resolve(toAnswer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks)));
      });
    });
    const limitMs = leaveAfterMs ?? hangMs[kindOf(call)];
    const timer = setTimeout(() => {
      if (leaveAfterMs !== undefined) resolve(toAnswer(0, {}, Buffer.alloc(0)));
      message.destroy(new Error(`no response after ${limitMs / 1000} s`));
    }, limitMs);
    message.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    message.end(bytes);
  });
}

/** Reads a response from its parts. */
export function toAnswer(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Answer {
  const isJson = headers['content-type']?.startsWith('application/json') ?? false;
  return { status, headers, bytes, body: isJson ? JSON.parse(bytes.toString()) : bytes.toString() };
}
