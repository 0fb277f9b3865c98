import { valueBody } from '../../http/body/body.ts';
import type { InnerRequest, Request, Response } from '../../http/message.ts';
import type { Opened, OpenedGroup, Session } from '../../routing/route.ts';
import { rememberPaths } from '../../routing/router.ts';
import { bodyReader, limitRate } from '../checks.ts';
import { errorForm, errorResponse } from '../errors.ts';
import {
  type Allowed,
  type Arrived,
  beginExchange,
  type LoadedExchange,
  type Service,
  type Settled,
} from '../exchange.ts';
import { recordsToShare } from '../load.ts';
import { type GroupedRequest, respond, respondAll } from '../respond.ts';
import { runSteps, type Steps, type StepsResult } from '../steps.ts';
import { openSession, type SessionCall, toGroup } from './session.ts';

/** The checks of a batch's items. */
export interface GroupChecks {
  /** Those that items share which differ only in their bodies. */
  readonly shared: Steps<Arrived, Settled>;
  /** Those that follow on the limit of the rate, which counts each item. */
  readonly last: Steps<Settled, Allowed>;
  readonly renewed: Arrived['renewed'];
}

/** Creates the function that opens sessions. In one a batch makes its requests with its own caller and records. */
export function sessionsWith(checks: GroupChecks): Arrived['sessionOf'] {
  return function sessionOf(exchange: LoadedExchange): Session {
    const { caller, loading, loaded, platform, startedMs } = exchange;
    const service = { ...exchange, router: rememberPaths(exchange.router) };
    return openSession({
      caller,
      remembered: recordsToShare(loading, loaded.found),
      platform,
      router: service.router,
      startedMs,
      open: (requests, first, session) => openGroup(checks, service, { requests, first, session }),
    });
  };
}

interface Group {
  /** Requests that differ only in their bodies. */
  readonly requests: readonly InnerRequest[];
  readonly first: InnerRequest;
  readonly session: SessionCall;
}

/** Runs the shared checks once, and counts each request. Never rejects. */
async function openGroup(
  { shared, last: lastChecks, renewed }: GroupChecks,
  service: Service & Pick<Arrived, 'startedMs' | 'sessionOf'>,
  { requests, first, session }: Group,
): Promise<OpenedGroup> {
  const { platform } = session;
  const { startedMs, sessionOf } = service;
  const form = errorForm(first);
  const arrived = { request: first, bodyBytes: 0, startedMs, form, sessionOf, renewed };
  const begun = beginExchange({ ...service, platform }, arrived);
  const outcome = await runSteps(shared, { ...begun, session, count: requests.length });
  if (!outcome.isDone) {
    const response = errorResponse(outcome.error, { request: first, platform });
    return toGroup(requests.map(() => openResponse(response)));
  }
  const { exchange } = outcome;
  const last = await runSteps(lastChecks, { ...exchange });
  const opened = requests.map((request, at) => openOne({ exchange, last }, request, at));
  const one = toGroup(opened);
  if (!last.isDone || opened.some(({ context }) => context === undefined)) return one;
  const { exchange: allowed } = last;
  return {
    opened,
    runAll: (together) =>
      (together && respondAll(allowed, grouped(exchange, requests), together)) ?? one.runAll(),
  };
}

interface Shared {
  readonly exchange: Settled;
  readonly last: StepsResult<Settled, Allowed>;
}

/** Opens one request of a group; its own exchange is made when it is run by itself. */
function openOne({ exchange, last }: Shared, request: Request, at: number): Opened {
  try {
    limitRate(exchange);
    if (!last.isDone) throw last.error;
  } catch (error) {
    return openResponse(errorResponse(error, { ...exchange, request }));
  }
  const { exchange: allowed } = last;
  const run = async () => {
    const body = bodyReader(request, allowed.allowed);
    const reserved = reservedAt(exchange, at);
    const context = { ...allowed.context, request, reserved, body };
    return (await respond({ ...allowed, request, body, context })).response;
  };
  return { context: allowed.context, run };
}

/** Returns the number that is reserved for a request of a group. */
function reservedAt({ loaded: { reserved } }: Settled, at: number): number | undefined {
  return reserved === undefined ? undefined : reserved + at;
}

/** Returns the requests of a group as they are run together. */
function grouped(exchange: Settled, requests: readonly InnerRequest[]): readonly GroupedRequest[] {
  return requests.map((request, at) => ({
    request,
    body: valueBody(request.body),
    reserved: reservedAt(exchange, at),
  }));
}

function openResponse(response: Response): Opened {
  return { context: undefined, run: () => Promise.resolve(response) };
}
