import { setImmediate } from 'node:timers/promises';
import type { Request, Response } from '../../shared/http/message.ts';
import type { Context, Session } from '../../shared/resource/route.ts';
import { type Gate, openGate } from './gate.ts';
import type { BatchRequest } from './requests.ts';
import type { Results } from './results.ts';
import { type Item, planSteps } from './steps.ts';

/** A gateway waits 30 s and a function runs for 29: what is done by then must be on its way. */
const maxMs = 27_000;

const noEndpoint = refusal(404, 'Invalid endpoint specified.');
const unbatchable = refusal(405, 'Batching not allowed.');
const outOfTime = refusal(503, 'Request timeout.');

/**
 * Runs the items of a batch in their order, each by itself: what one does or fails to do undoes nothing of another
 * (reference: batch, execution). What is not done when time runs out is told so; it may have begun.
 */
export async function runRequests(
  context: Context,
  requests: readonly BatchRequest[],
  results: Results,
): Promise<void> {
  const session = context.openSession();
  const clock = startClock(maxMs - session.elapsedMs());
  try {
    for (const step of planSteps(requests, session.find)) {
      if (step[0] !== undefined && step[0].position > 0) await setImmediate(); // others have their turn
      const gate = step.length > 1 && step[0]?.kind === 'objects' ? openGate(step) : undefined;
      const run: Run = { context, session, gate, clock };
      const answers = await Promise.all(step.map((item) => answer(run, item)));
      for (const response of answers) results.add(response);
    }
  } finally {
    clock.stop();
  }
}

interface Run {
  readonly context: Context;
  readonly session: Session;
  readonly gate: Gate | undefined;
  readonly clock: Clock;
}

function answer(run: Run, item: Item): Promise<Response> {
  const { match } = item;
  if (match === undefined) return Promise.resolve(noEndpoint);
  if (match.route.isUnbatchable) return Promise.resolve(unbatchable);
  if (run.clock.isOver()) return Promise.resolve(outOfTime);
  return Promise.race([serve(run, item), run.clock.end]);
}

async function serve({ context, session, gate, clock }: Run, item: Item): Promise<Response> {
  const request = toRequest(context.request, item);
  if (gate === undefined) return session.answer(request);
  const response = await session.answer(request, (inner) => gate.pass(item, inner));
  if (!clock.isOver()) gate.leave(item); // else the next one would begin after it was given up
  return response;
}

/** What is by whom a call was made, and from where. */
const passedHeaders = new Set(['user-agent', 'cookie', 'x-forwarded-for', 'x-real-ip']);

/** An item as a call. Of the outer one it has who made it, from where and by what (reference: batch, execution). */
function toRequest({ id, headers, sourceAddress }: Request, { position, request }: Item): Request {
  const passed = Object.entries(headers).filter(([name]) => passedHeaders.has(name));
  const { method, path, query, body } = request;
  return {
    id: `${id}.${position + 1}`,
    method,
    path,
    query,
    sourceAddress,
    headers: Object.fromEntries(passed),
    body: { kind: 'json', value: body },
  };
}

interface Clock {
  /** Resolves when time is over. */
  readonly end: Promise<Response>;
  isOver(): boolean;
  stop(): void;
}

function startClock(durationMs: number): Clock {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<Response>((resolve) => {
    timer = setTimeout(() => {
      isOver = true;
      resolve(outOfTime);
    }, durationMs);
  });
  return { end, isOver: () => isOver, stop: () => clearTimeout(timer) };
}

function refusal(status: number, detail: string): Response {
  return { status, body: { detail } };
}
