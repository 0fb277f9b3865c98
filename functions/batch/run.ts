import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../shared/core/family.ts';
import type { InnerRequest, Request, Response } from '../../shared/core/http/message.ts';
import type { OpenedGroup, Session } from '../../shared/core/routing/route.ts';
import { openTurns } from '../../shared/ports/limits/time-slices.ts';
import { isCreate, isOrderShown } from './order.ts';
import type { BatchRequest } from './requests.ts';
import type { Results } from './results.ts';
import { planSteps, type RoutedItem } from './steps.ts';

/** The function that has all families loads objects with the first request that needs them. */
const loadObjects = () => import('../../shared/objects/create-object-group.ts');

/** A gateway waits 30 s and a function runs for 29: results up to then must be on their way. */
const maxMs = 27_000;

const noEndpoint = errorResponse(404, 'Invalid endpoint specified.');
const unbatchable = errorResponse(405, 'Batching not allowed.');
const outOfTime = errorResponse(503, 'Request timeout.');

/**
 * Runs the items of a batch in order and independently: no item undoes another (docs/reference/batch.md#execution).
 * Items that are unfinished when time runs out are reported so; they may have begun. The turn of the batch ends before
 * items that do not write objects: they may take as long as a script.
 *
 * @param results receives the results
 */
export async function runRequests(
  context: Context,
  requests: readonly BatchRequest[],
  results: Results,
): Promise<void> {
  const session = context.openSession();
  const clock = startClock(maxMs - session.elapsedMs());
  const run: Run = {
    outer: context.request,
    headers: headersToPass(context.request),
    session,
    clock,
  };
  try {
    const matches = await session.find(requests.map(({ path }) => path));
    for (const step of planSteps(requests, matches)) {
      const [first] = step;
      if (first?.kind !== 'objects') context.request.endTurn?.();
      if (first !== undefined && first.position > 0) await setImmediate(); // yields to other requests
      const turns = openTurns(); // eight reads may have megabytes each
      for (const response of await runStep(run, step)) {
        results.add(response);
        if (turns.isDue()) await turns.pause();
      }
    }
  } finally {
    clock.stop();
  }
}

interface Run {
  readonly outer: Request;
  readonly headers: Request['headers'];
  readonly session: Session;
  readonly clock: Clock;
}

function runStep(run: Run, step: readonly RoutedItem[]): Promise<readonly Response[]> {
  const isWriting = step.length > 1 && step[0]?.kind === 'objects';
  return isWriting
    ? runWrites(run, step)
    : run.clock.gather(step.map((item) => runItem(run, item)));
}

async function runItem(run: Run, item: RoutedItem): Promise<Response> {
  const { match } = item;
  if (match === undefined) return noEndpoint;
  if (match.route.isUnbatchable) return unbatchable;
  if (run.clock.isOver()) return outOfTime;
  const { opened } = await run.session.open([toRequest(run, item)]);
  return opened[0] === undefined ? outOfTime : opened[0].run();
}

/** Writes objects of one class: all at once, or one by one where their order is visible. */
async function runWrites(run: Run, step: readonly RoutedItem[]): Promise<readonly Response[]> {
  const { clock } = run;
  const groups = clock.isOver() ? undefined : await clock.wait(openWrites(run, step));
  if (groups === undefined) return step.map(() => outOfTime);
  const opened = groups.flatMap((group) => group.opened);
  const runnable = step.filter((_, at) => opened[at]?.context !== undefined);
  const context = opened.find((each) => each.context !== undefined)?.context;
  if (context === undefined || !isOrderShown(context, runnable)) {
    const together = step.every(isCreate) ? (await loadObjects()).createObjectGroup : undefined;
    return clock.gather(groups.flatMap((group) => group.runAll(together)));
  }
  const responses: Response[] = [];
  for (const each of opened) {
    responses.push(...(clock.isOver() ? [outOfTime] : await clock.gather([each.run()])));
  }
  return responses;
}

function openWrites(run: Run, step: readonly RoutedItem[]): Promise<readonly OpenedGroup[]> {
  const requests = step.map((item) => toRequest(run, item));
  const groups = areAlike(requests) ? [requests] : requests.map((request) => [request]);
  return Promise.all(groups.map((group) => run.session.open(group)));
}

/** Returns whether requests have no query and differ only in their bodies. */
function areAlike([first, ...others]: readonly InnerRequest[]): boolean {
  return (
    first?.query.size === 0 &&
    others.every(
      ({ method, path, query }) =>
        method === first.method && path === first.path && query.size === 0,
    )
  );
}

/** Headers that identify the client and its address, and set how strictly a request is read and confirmed. */
const passedHeaders = new Set([
  'user-agent',
  'cookie',
  'x-forwarded-for',
  'x-real-ip',
  'x-strict',
  'x-confirm-name',
]);

/** Returns the headers that items take from the outer request (docs/reference/batch.md#execution). */
function headersToPass({ headers }: Request): Request['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => passedHeaders.has(name)));
}

const noBytes = new Uint8Array();

/** Returns an item as a request. */
function toRequest({ outer, headers }: Run, { position, request }: RoutedItem): InnerRequest {
  const { id, sourceAddress, noteInstance } = outer;
  const { method, path, query, body, hasBody } = request;
  return {
    id: `${id}.${position + 1}`,
    method,
    path,
    query,
    sourceAddress,
    headers,
    body: { kind: 'json', value: body, ...(!hasBody && { bytes: noBytes }) },
    noteInstance,
  };
}

interface Clock {
  isOver(): boolean;
  /** Waits for a value, until time is over at the latest; returns undefined then. */
  wait<Value>(value: Promise<Value>): Promise<Value | undefined>;
  /** Collects responses; requests that do not end in time are reported so, and may still take effect. */
  gather(calls: readonly Promise<Response>[]): Promise<readonly Response[]>;
  stop(): void;
}

function startClock(durationMs: number): Clock {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      isOver = true;
      resolve(undefined);
    }, durationMs);
  });
  const wait = <Value>(value: Promise<Value>) => Promise.race([value, end]);
  return {
    isOver: () => isOver,
    wait,
    gather: async (calls) => {
      const responses = calls.map(() => outOfTime);
      const ended = calls.map((call, at) =>
        call.then((response) => {
          responses[at] = response;
        }),
      );
      await wait(Promise.all(ended));
      return [...responses]; // later responses are ignored
    },
    stop: () => clearTimeout(timer),
  };
}

function errorResponse(status: number, detail: string): Response {
  return { status, body: { detail } };
}
