import { PushFailure } from '../../../../push/push-failure.ts';
import { longestDelay } from '../../../../values/back-off.ts';
import { codeOf } from '../../../../values/caught.ts';
import { neverRejects } from '../../../../values/promises/in-background.ts';
import type { PushBounds } from '../bounds.ts';
import {
  openConnection,
  type PushConnection,
  type PushConnectionOptions,
  type SendOnStream,
} from './connection.ts';
import { NotProcessed, type PushRequest, type PushResponse, ResponseLost } from './stream.ts';

/** Sends requests of one credential over one connection, which is replaced when it ends. */
export interface PushClient {
  /**
   * Sends a request when the connection has room, at most once: what the peer has certainly not processed is sent again.
   *
   * @throws PushFailure `unknown` for a lost response; another one when nothing was sent
   */
  send(request: PushRequest): Promise<PushResponse>;
  close(): void;
}

/** Origin and certificate of a client. */
export interface PushClientOptions extends Pick<PushConnectionOptions, 'origin' | 'tls'> {
  readonly bounds: PushBounds;
  /** Milliseconds since an arbitrary moment. */
  readonly nowMs: () => number;
}

const maxTries = 4; // of a request that is not processed

interface Waiting {
  readonly resolve: (sendRequest: SendOnStream) => void;
  readonly reject: (failure: PushFailure) => void;
}

interface State extends PushClientOptions {
  connection: PushConnection | undefined;
  /** Connections that finish their last streams. */
  ending: readonly PushConnection[];
  isOpening: boolean;
  isClosed: boolean;
  /** Connections in a row that brought no response, and the end of the pause after the last one. */
  failures: number;
  pausedUntilMs: number;
  /** Requests that wait for a stream; bounded by the pushes of an instance. */
  readonly waiting: Set<Waiting>;
}

/** Creates a client; it connects with its first request. */
export function createPushClient(options: PushClientOptions): PushClient {
  const state: State = {
    ...options,
    connection: undefined,
    ending: [],
    isOpening: false,
    isClosed: false,
    failures: 0,
    pausedUntilMs: 0,
    waiting: new Set(),
  };
  return {
    send: (request) => send(state, request),
    close: () => {
      state.isClosed = true;
      refuseAll(state, new PushFailure('busy', 'closed'));
      for (const each of [...state.ending, state.connection]) each?.close();
    },
  };
}

async function send(state: State, request: PushRequest): Promise<PushResponse> {
  const untilMs = state.nowMs() + state.bounds.repeatMs;
  for (let tries = 1; ; tries += 1) {
    const sendRequest = await freeStream(state);
    try {
      const response = await sendRequest(request);
      state.failures = 0;
      return response;
    } catch (error) {
      const isLast = tries === maxTries || state.nowMs() > untilMs;
      if (isLast || !(error instanceof NotProcessed)) throw requestFailure(error);
    }
  }
}

function requestFailure(error: unknown): unknown {
  if (error instanceof ResponseLost) return new PushFailure('unknown', 'no response');
  return error instanceof NotProcessed ? new PushFailure('busy', 'refused') : error;
}

/** Waits for a free stream, which has to be used at once. */
function freeStream(state: State): Promise<SendOnStream> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      state.waiting.delete(waiting);
      reject(new PushFailure('busy', 'no free stream'));
    }, state.bounds.queueMs);
    const waiting: Waiting = {
      resolve: (sendRequest) => {
        clearTimeout(timer);
        resolve(sendRequest);
      },
      reject: (failure) => {
        clearTimeout(timer);
        reject(failure);
      },
    };
    state.waiting.add(waiting);
    serve(state);
  });
}

/** Gives free streams to requests that wait, and connects when there is no connection. */
function serve(state: State): void {
  const { connection, waiting } = state;
  if (waiting.size === 0) return;
  if (connection === undefined) {
    open(state);
    return;
  }
  for (const each of waiting) {
    const sendRequest = connection.reserve();
    if (sendRequest === undefined) return;
    waiting.delete(each);
    each.resolve(sendRequest);
  }
}

function refuseAll({ waiting }: State, failure: PushFailure): void {
  for (const each of waiting) each.reject(failure);
  waiting.clear();
}

/** Opens a connection, unless one is being opened, the last ones failed, or too many have not ended yet. */
function open(state: State): void {
  const { bounds, nowMs, origin, tls } = state;
  if (state.isOpening) return;
  state.ending = state.ending.filter((each) => !each.isClosed());
  const pauseMs = Math.max(0, state.pausedUntilMs - nowMs());
  if (pauseMs > 0 || state.isClosed || state.ending.length >= bounds.endingConnections) {
    refuseAll(state, new PushFailure('busy', 'no connection', pauseMs));
    return;
  }
  state.isOpening = true;
  const onChange = () => follow(state);
  const opening = openConnection({ origin, tls, bounds, onChange }).then(
    (opened) => {
      state.isOpening = false;
      if (state.isClosed) opened.close();
      else state.connection = opened;
      follow(state);
    },
    (error: unknown) => {
      state.isOpening = false;
      pause(state);
      refuseAll(state, connectFailure(error));
    },
  );
  neverRejects(opening); // both outcomes are handled
}

/** Replaces a connection that is about to end, and serves requests that wait. */
function follow(state: State): void {
  const { connection } = state;
  if (connection?.isEnding()) {
    state.connection = undefined;
    state.ending = [...state.ending, connection];
    if (!connection.hasResponded()) pause(state);
  }
  serve(state);
}

function pause(state: State): void {
  state.pausedUntilMs = state.nowMs() + longestDelay(state.failures, state.bounds.pause);
  state.failures += 1;
}

const certificateErrors = /^ERR_OSSL_|^ERR_SSL_.*_ALERT_.*(CERTIFICATE|UNKNOWN_CA)/;

/** Returns why there is no connection: the peer rejects our certificate, or it cannot be reached or trusted. */
function connectFailure(error: unknown): PushFailure {
  const code = codeOf(error) ?? 'no connection';
  return new PushFailure(certificateErrors.test(code) ? 'badCredential' : 'unreachable', code);
}
