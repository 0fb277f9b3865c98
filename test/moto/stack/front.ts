import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { readLambda } from '../../aws-emulator/fake-lambda.ts';
import { type Functions, NoFunction, Throttled } from './functions.ts';

/** A port in front of moto. */
export interface Front {
  /** Without a slash at the end. */
  readonly url: string;
  /** Resolves when no asynchronous invocation is active. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

const functionsPath = '/2015-03-31/functions';
const settingsPath = '/2016-08-19/account-settings';
const retryMs = 200;

/**
 * Starts a port in front of moto, which passes all requests but two that moto cannot serve: invocations run, and the
 * settings of the account have its limit of executions. Requests to the table are isolated, as they are on AWS.
 *
 * @param functions returns those of the account, which may be deployed later
 */
export async function startFront(
  moto: string,
  executions: number,
  functions: () => Functions,
): Promise<Front> {
  const later = new Set<Promise<void>>();
  const errors: unknown[] = [];
  const inTurn = openTable();
  const serve = async (asked: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(asked);
    const { method = '', url = '' } = asked;
    if (method === 'GET' && url.startsWith(settingsPath)) {
      respond(response, 200, accountSettings(executions));
    } else if (method === 'POST' && url.endsWith('/invocations')) {
      await invoke(asked, body, response);
    } else {
      const passed = await inTurn(asked, () => pass(moto, asked, body));
      if (passed.status < 300 && method !== 'GET' && url.startsWith(functionsPath))
        await follow(functions(), asked, body);
      response.writeHead(passed.status, passed.headers).end(passed.body);
    }
  };
  const invoke = async (asked: IncomingMessage, body: Buffer, response: ServerResponse) => {
    const { name, invocation, input } = readLambda(asked, asked.headers, body);
    if (invocation === 'Event') {
      const started = untilStarted(() => functions().invoke(name, input))
        .catch((error) => errors.push(error))
        .then(() => void later.delete(started));
      later.add(started);
      response.writeHead(202).end();
      return;
    }
    const { answer, error } = await functions().invoke(name, input);
    if (error !== undefined) response.setHeader('x-amz-function-error', 'Unhandled');
    respond(response, 200, error ?? answer ?? null);
  };
  const server = createServer((asked, response) => {
    serve(asked, response).catch((error) => {
      const [status, type] = errorOf(error);
      if (status === 500) errors.push(error);
      respond(response.setHeader('x-amzn-errortype', type), status, { message: String(error) });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const idle = async () => {
    while (later.size > 0) await Promise.all(later);
    const [first] = errors;
    if (first !== undefined) throw first;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens
    idle,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns Lambda's status and type of an error. */
function errorOf(error: unknown): readonly [number, string] {
  if (error instanceof Throttled) return [429, 'TooManyRequestsException'];
  if (error instanceof NoFunction) return [404, 'ResourceNotFoundException'];
  return [500, 'ServiceException'];
}

/** AWS's response to GetAccountSettings, as far as the project reads it. */
function accountSettings(executions: number): object {
  return {
    AccountLimit: {
      ConcurrentExecutions: executions,
      UnreservedConcurrentExecutions: executions,
      CodeSizeUnzipped: 262_144_000,
      CodeSizeZipped: 52_428_800,
      TotalCodeSize: 80_530_636_800,
    },
    AccountUsage: { FunctionCount: 0, TotalCodeSize: 0 },
  };
}

/** Retries an asynchronous invocation, or one of an event source, as Lambda does while an account is throttled. */
export async function untilStarted<Result>(start: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof Throttled)) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

/** Has functions of scripts run that moto has created. */
async function follow(functions: Functions, asked: IncomingMessage, body: Buffer): Promise<void> {
  const { operation, name, input } = readLambda(asked, asked.headers, body);
  if (operation === 'CreateFunction')
    await functions.put(name, { zip: input.Code.ZipFile, runtime: input.Runtime });
  if (operation === 'UpdateFunctionCode') await functions.put(name, { zip: input.ZipFile });
  if (operation === 'UpdateFunctionConfiguration')
    await functions.put(name, { ...(input.Runtime && { runtime: input.Runtime }) });
  if (operation === 'DeleteFunction') await functions.delete(name);
}

/**
 * Returns a function that sends requests to the table one after another: when a transaction fails, moto restores a copy
 * of the table, without what others have written meanwhile.
 */
function openTable() {
  let last: Promise<unknown> = Promise.resolve();
  return (asked: IncomingMessage, send: () => Promise<Passed>): Promise<Passed> => {
    if (!String(asked.headers['x-amz-target']).startsWith('DynamoDB')) return send();
    const turn = last.then(send);
    last = turn.catch(() => undefined);
    return turn;
  };
}

interface Passed {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

function pass(moto: string, { method, url, headers }: IncomingMessage, body: Buffer) {
  return new Promise<Passed>((resolve, reject) => {
    const { 'transfer-encoding': _, ...others } = headers;
    const sent = { ...others, 'content-length': String(body.byteLength) };
    request(moto + url, { method, headers: sent }, async (found) => {
      const { 'transfer-encoding': __, ...received } = found.headers;
      const status = found.statusCode ?? 0;
      resolve({ status, headers: received, body: await buffer(found) });
    })
      .once('error', reject)
      .end(body);
  });
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
