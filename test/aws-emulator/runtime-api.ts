import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen } from './loopback.ts';

/** The Runtime API and the Extensions API of one execution environment, on a port of this machine. */
export interface RuntimeApi {
  /** Host and port. */
  readonly address: string;
  /** Number of registered extensions. */
  extensions(): number;
  /** Gives an invocation to the runtime and to extensions that asked for them; to be called while it is idle. */
  invoke(event: string, deadlineMs: number): Promise<string>;
  /** Resolves when the runtime and all extensions wait for their next event: Lambda suspends the process then. */
  idle(): Promise<void>;
  /** Rejects what is pending, and all that follows. */
  fail(error: Error): void;
  close(): Promise<void>;
}

/** Largest response of an invocation: 6 MB, and 100 bytes. */
const maxResponseBytes = 6 * 1024 * 1024 + 100;

interface Extension {
  readonly events: readonly string[];
  /** Its open request for the next event. */
  waiting?: ServerResponse | undefined;
}

interface Invocation {
  readonly id: string;
  readonly resolve: (response: string) => void;
  readonly reject: (error: Error) => void;
}

/** State of the environment. */
interface State {
  readonly extensions: Map<string, Extension>;
  /** The runtime's open request for the next invocation. */
  runtime?: ServerResponse | undefined;
  isInitialised: boolean;
  invocation?: Invocation | undefined;
  failure?: Error | undefined;
  /** Called after each change. */
  readonly watchers: Set<() => void>;
}

/** Opens the APIs of a process that is to be started. */
export async function openRuntimeApi(arn: string): Promise<RuntimeApi> {
  const state: State = { extensions: new Map(), isInitialised: false, watchers: new Set() };
  const server = createServer((request, response) => {
    respond(state, request, response).catch((error) => fail(state, error));
  });
  server.keepAliveTimeout = 0; // no limit: the process may be suspended for any time
  server.requestTimeout = 0;
  const address = await listen(server);
  return {
    address,
    extensions: () => state.extensions.size,
    idle: () => waitUntilIdle(state),
    invoke: (event, deadlineMs) =>
      new Promise((resolve, reject) => {
        const { runtime, failure } = state;
        if (failure !== undefined || runtime === undefined) {
          reject(failure ?? new Error('the runtime is not idle'));
          return;
        }
        const id = randomUUID();
        state.invocation = { id, resolve, reject };
        state.runtime = undefined;
        const headers = {
          'Lambda-Runtime-Aws-Request-Id': id,
          'Lambda-Runtime-Deadline-Ms': String(deadlineMs),
          'Lambda-Runtime-Invoked-Function-Arn': arn,
        };
        tellExtensions(state, { eventType: 'INVOKE', requestId: id, deadlineMs });
        json(runtime, 200, event, headers);
      }),
    fail: (error) => fail(state, error),
    close: () => close(server),
  };
}

function fail(state: State, error: Error): void {
  state.failure ??= error;
  state.invocation?.reject(error);
  state.invocation = undefined;
  notify(state);
}

function notify({ watchers }: State): void {
  for (const watcher of [...watchers]) watcher();
}

function waitUntilIdle(state: State): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const isIdle = [
        state.runtime,
        ...[...state.extensions.values()].map((each) => each.waiting),
      ].every((each) => each !== undefined);
      if (state.failure === undefined && !isIdle) return;
      state.watchers.delete(look);
      if (state.failure === undefined) resolve();
      else reject(state.failure);
    };
    state.watchers.add(look);
    look();
  });
}

function tellExtensions({ extensions }: State, event: Readonly<Record<string, unknown>>): void {
  for (const extension of extensions.values()) {
    if (extension.waiting === undefined || !extension.events.includes(String(event.eventType)))
      continue;
    json(extension.waiting, 200, JSON.stringify(event));
    extension.waiting = undefined;
  }
}

async function respond(
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const call = `${request.method} ${request.url}`;
  const body = await text(request);
  if (call.startsWith('POST /2020-01-01/extension/register')) {
    register(state, { request, response, body });
  } else if (call === 'GET /2020-01-01/extension/event/next') {
    const id = request.headers['lambda-extension-identifier'];
    const extension = state.extensions.get(String(id));
    if (extension === undefined) refuse(response, 403, 'Extension.UnknownExtensionIdentifier');
    else extension.waiting = response;
  } else if (call === 'GET /2018-06-01/runtime/invocation/next') {
    state.runtime = response;
    state.isInitialised = true;
  } else if (call === 'POST /2018-06-01/runtime/init/error') {
    json(response, 202, '{"status":"OK"}');
    fail(state, errorOf(body));
  } else {
    takeResult(state, { call, response, body });
  }
  notify(state);
}

interface Exchange {
  readonly response: ServerResponse;
  readonly body: string;
}

/** Registers an internal extension, which is a part of the process: only while it is initialised, for invocations only. */
function register(
  state: State,
  { request, response, body }: Exchange & { readonly request: IncomingMessage },
): void {
  const { events } = JSON.parse(body) as { readonly events: readonly string[] };
  const name = request.headers['lambda-extension-name'];
  if (state.isInitialised) refuse(response, 403, 'Extension.RegistrationClosed');
  else if (name === undefined) refuse(response, 400, 'Extension.InvalidExtensionName');
  else if (events.some((event) => event !== 'INVOKE')) {
    refuse(response, 400, 'ShutdownEventNotSupportedForInternalExtension');
  } else {
    const id = randomUUID();
    state.extensions.set(id, { events });
    json(response, 200, '{}', { 'Lambda-Extension-Identifier': id });
  }
}

/** Takes the response or the error of the invocation. */
function takeResult(
  state: State,
  { call, response, body }: Exchange & { readonly call: string },
): void {
  const { invocation } = state;
  const path = `POST /2018-06-01/runtime/invocation/${invocation?.id}`;
  if (invocation === undefined || (call !== `${path}/response` && call !== `${path}/error`)) {
    refuse(response, 400, 'InvalidRequestID');
    return;
  }
  const isTooLarge = Buffer.byteLength(body) > maxResponseBytes;
  if (isTooLarge) refuse(response, 413, 'RequestEntityTooLarge');
  else json(response, 202, '{"status":"OK"}');
  state.invocation = undefined;
  if (isTooLarge) invocation.reject(new Error('Function.ResponseSizeTooLarge'));
  else if (call.endsWith('/error')) invocation.reject(errorOf(body));
  else invocation.resolve(body);
}

function errorOf(body: string): Error {
  const { errorType, errorMessage } = JSON.parse(body) as Readonly<Record<string, unknown>>;
  return new Error(`${errorType}: ${errorMessage}`);
}

function refuse(response: ServerResponse, status: number, errorType: string): void {
  json(response, status, JSON.stringify({ errorType, errorMessage: errorType }));
}

function json(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
}
