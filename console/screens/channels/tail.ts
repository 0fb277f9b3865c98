import { useEffect, useRef, useState } from 'preact/hooks';
import { longestDelay } from '../../../shared/values/back-off.ts';
import { parseExactJson } from '../../../shared/values/json/exact-number.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { ApiProblem, sendRaw } from '../../core/api.ts';
import { toApiProblem } from '../../core/load.ts';
import type { RoomMessage } from './channel-data.ts';
import { readEvents, type StreamEvent } from './event-stream.ts';

/** What a tail shows. */
export interface Tail {
  readonly state: TailState;
  /** The newest first. */
  readonly messages: readonly RoomMessage[];
  /** Messages were published while the tail was away for too long. */
  readonly hasGap: boolean;
}

export type TailState =
  | { readonly kind: 'connecting' | 'live' | 'stopped' | 'hidden' }
  /** The connection was lost; there will be another one. */
  | { readonly kind: 'lost'; readonly seconds: number }
  /** The server refuses: there will be no other connection. */
  | { readonly kind: 'refused'; readonly problem: ApiProblem };

/** Which messages are followed. */
export interface TailSource {
  readonly instance: string;
  readonly channel: string;
  /** Of a channel with rooms. */
  readonly room: string | undefined;
}

const maxMessages = 200;
const lostPause = { firstMs: 1_000, maxMs: 30_000 };
const empty: Tail = { state: { kind: 'connecting' }, messages: [], hasGap: false };

/** Follows the messages of a room while `isOn` and the tab is visible. After a pause it continues where it was. */
export function useTail(source: TailSource, isOn: boolean): Tail {
  const { instance, channel, room } = source;
  const [tail, setTail] = useState(empty);
  const lastId = useRef<string | undefined>(undefined);
  useEffect(() => {
    const change = (changes: (before: Tail) => Partial<Tail>) =>
      setTail((before) => ({ ...before, ...changes(before) }));
    if (!isOn) {
      change(() => ({ state: { kind: 'stopped' } }));
      return undefined;
    }
    let abort = new AbortController();
    const begin = () => {
      abort.abort();
      abort = new AbortController();
      if (document.hidden) change(() => ({ state: { kind: 'hidden' } }));
      else void follow(source, { lastId, change, signal: abort.signal });
    };
    begin();
    document.addEventListener('visibilitychange', begin);
    return () => {
      document.removeEventListener('visibilitychange', begin);
      abort.abort();
    };
  }, [instance, channel, room, isOn]);
  return tail;
}

interface Following {
  /** Where the next connection continues. */
  readonly lastId: { current: string | undefined };
  readonly change: (changes: (before: Tail) => Partial<Tail>) => void;
  readonly signal: AbortSignal;
}

/** Connects, and again whenever the connection ends, until the signal aborts or the server refuses. */
async function follow(source: TailSource, following: Following): Promise<void> {
  const { change, signal } = following;
  let failures = 0;
  while (!signal.aborted) {
    if (failures === 0) change(() => ({ state: { kind: 'connecting' } }));
    try {
      const pauseMs = await connect(source, following);
      failures = 0;
      await pause(pauseMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      const problem = toProblem(error);
      if (isFinal(problem)) {
        change(() => ({ state: { kind: 'refused', problem } }));
        return;
      }
      const ms = longestDelay(failures, lostPause);
      failures += 1;
      change(() => ({ state: { kind: 'lost', seconds: Math.round(ms / 1_000) } }));
      await pause(ms, signal);
    }
  }
}

/** Returns the error of a request, or of a stream that broke off. */
function toProblem(error: unknown): ApiProblem {
  const isBroken = error instanceof TypeError; // of fetch: the connection was lost
  return isBroken ? new ApiProblem(0, 'The connection was lost.') : toApiProblem(error);
}

function isFinal({ status }: ApiProblem): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

/** Reads one connection to its end. Returns how long to wait before the next one. */
async function connect(
  { instance, channel, room }: TailSource,
  { lastId, change, signal }: Following,
): Promise<number> {
  const path = at`instances/${instance}/channels/${channel}/stream/`;
  const isQuiet = lastId.current !== undefined;
  const query = { room, last_id: lastId.current };
  const response = await sendRaw({ method: 'GET', path, query, signal, isQuiet });
  change(() => ({ state: { kind: 'live' } }));
  let pauseMs = lostPause.firstMs;
  if (response.body === null) return pauseMs;
  for await (const received of readEvents(response.body)) {
    if (received.kind === 'retry') {
      pauseMs = received.ms;
      continue;
    }
    const { event } = received;
    lastId.current = event.id ?? lastId.current;
    change((before) => take(before, event));
  }
  return pauseMs;
}

function take(before: Tail, { type, data }: StreamEvent): Partial<Tail> {
  if (type === 'reset') return { hasGap: true };
  if (type !== '') return {};
  const message = parseExactJson(data) as RoomMessage; // as the interface describes it
  return { messages: [message, ...before.messages].slice(0, maxMessages) };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
