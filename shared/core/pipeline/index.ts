import { valueBody } from '../http/body/body.ts';
import type { InnerRequest, Request, Response } from '../http/message.ts';
import type { Context, Opened, OpenedGroup, Session } from '../routing/route.ts';
import { rememberPaths } from '../routing/router.ts';
import {
  authenticate,
  authorize,
  bodyReader,
  checkBodyOfKey,
  hideInstance,
  limitRate,
  limitSize,
  loadRecords,
  matchPath,
  negotiate,
  requireActive,
  requireInstance,
  requireMethod,
  requireRight,
  requireText,
  settleCaller,
} from './checks.ts';
import { errorResponse, formOf } from './errors.ts';
import {
  type Allowed,
  type Arrived,
  beginExchange,
  type Formed,
  type Read,
  type Responded,
  type Service,
  type Settled,
} from './exchange.ts';
import { isUnchanged, recordsToShare } from './load.ts';
import { type GroupedRequest, respond, respondAll } from './respond.ts';
import { openSession, type SessionCall, toGroup } from './session/session.ts';
import { type Outcome, runSteps, startWith } from './steps.ts';

/*
 * THE PIPELINE: every check of a request, in the order of docs/reference/requests.md#order-of-checks. The first that
 * throws determines the response.
 */

/** The checks that are shared by items of a batch that differ only in their bodies. */
const sharedChecks = startWith<Arrived>()
  .add(matchPath)
  .add(limitSize)
  .add(authenticate)
  .add(loadRecords)
  .add(requireInstance)
  .add(negotiate)
  .add(checkBodyOfKey)
  .add(settleCaller)
  .add(hideInstance)
  .add(requireActive)
  .add(requireRight);

/** The checks of a batch's items that follow on the limit of the rate, which counts each of them. */
const lastChecks = startWith<Settled>().add(requireMethod).add(authorize).add(requireText);

/** The checks of a single request. */
const allChecks = sharedChecks
  .add(limitRate)
  .add(requireMethod)
  .add(authorize)
  .add(requireText)
  .add(respond);

/** The checks of a request whose response takes long, once more. */
const repeatedChecks = startWith<Formed>()
  .add(loadRecords)
  .add(requireInstance)
  .add(settleCaller)
  .add(hideInstance)
  .add(requireActive)
  .add(requireRight)
  .add(requireMethod)
  .add(authorize);

async function renewed(exchange: Formed & Partial<Settled>): Promise<Context> {
  const { loading, loaded, context } = exchange;
  // the checks depend on the records alone
  if (context !== undefined && (await isUnchanged(loading, loaded))) return context;
  const outcome = await runSteps(repeatedChecks, { ...exchange });
  if (!outcome.isDone) throw outcome.error;
  return outcome.exchange.context;
}

/** Serves a single request; the outcome has everything known about it, also for error responses. */
export function serve(
  service: Service,
  arrived: Pick<Arrived, 'request' | 'bodyBytes' | 'startedMs'>,
): Promise<Outcome<Arrived, Responded>> {
  const { request, bodyBytes, startedMs } = arrived;
  const form = formOf(request);
  const first = { request, bodyBytes, startedMs, form, sessionOf, renewed };
  return runSteps(allChecks, beginExchange(service, first));
}

/** Opens a session. In it a batch makes its requests with its own caller and records. */
function sessionOf(exchange: Read): Session {
  const { caller, loading, loaded, platform, startedMs } = exchange;
  const service = { ...exchange, router: rememberPaths(exchange.router) };
  return openSession({
    caller,
    remembered: recordsToShare(loading, loaded.found),
    platform,
    router: service.router,
    startedMs,
    open: (requests, first, session) => open(service, { requests, first, session }),
  });
}

interface Group {
  /** Requests that differ only in their bodies. */
  readonly requests: readonly InnerRequest[];
  readonly first: InnerRequest;
  readonly session: SessionCall;
}

/** Runs the shared checks once, and counts each request. Never rejects. */
async function open(service: Service & Arrived, group: Group): Promise<OpenedGroup> {
  const { requests, first, session } = group;
  const { platform } = session;
  const arrived = {
    request: first,
    bodyBytes: 0,
    startedMs: service.startedMs,
    form: formOf(first),
    sessionOf,
    renewed,
  };
  const begun = beginExchange({ ...service, platform }, arrived);
  const outcome = await runSteps(sharedChecks, { ...begun, session, count: requests.length });
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
  return { opened, runAll: () => respondAll(allowed, grouped(exchange, requests)) ?? one.runAll() };
}

interface Shared {
  readonly exchange: Settled;
  readonly last: Outcome<Settled, Allowed>;
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
