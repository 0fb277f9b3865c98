import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import { createDispatch } from '../../core/pipeline/dispatch.ts';
import type { LazyRoutes } from '../../core/routing/lazy-routes.ts';
import type { Route } from '../../core/routing/route.ts';
import type { Platform } from '../../ports/ports.ts';
import { responseTemplates } from '../../templates/response-templates.ts';
import { faultOf } from '../../values/caught.ts';
import { neverRejects } from '../../values/promises/in-background.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { type Handler, toHandler } from './gateway.ts';
import { registerExtension } from './lifetime/extension.ts';
import { openInvocations } from './lifetime/late-work.ts';
import { type AwsPlatform, openPlatform } from './platform.ts';
import { type DataGuard, openDataGuard } from './requests/data-guard.ts';
import { openFrontDoor, type ReadForwarded } from './requests/front-door.ts';
import { showingFunction } from './requests/served-by.ts';
import { withSharedPatience } from './sdk/patience.ts';

/**
 * A response waits this long for a write of counts that began with its request. Lambda suspends the process after the
 * response: a write that is under way then loses its connection, and its counts may be written twice.
 */
const countsWaitMs = 1000;

/** A request has this long, whatever the time limit of its function. */
const requestMs = 29_000;

/**
 * Creates the handler of a function that serves `routes`, ready for its first request. It is awaited while Lambda
 * initialises the function, when more CPU is available than in requests.
 *
 * @throws Error when a variable that the stack sets is absent from the function's environment
 */
export async function openHandler(routes: readonly Route[] | LazyRoutes): Promise<Handler> {
  const environment = readEnvironment();
  const platform = openPlatform(environment);
  const invocations = openInvocations(platform.late);
  await begin(platform, environment, environment.keepsRuns ? invocations.rest : undefined);
  const own = createHandler(routes, platform, openFrontDoor(environment.proxySecret));
  const handler = showingFunction(environment.metrics.family, own);
  return (event, context) =>
    handler(event, context && withinRequest(context)).finally(invocations.end);
}

/** Creates the handler that serves `routes` on a platform. */
export function createHandler(
  routes: readonly Route[] | LazyRoutes,
  platform: Platform & { readonly data?: DataGuard },
  frontDoor?: ReadForwarded,
): Handler {
  const { data = openDataGuard(platform) } = platform;
  const dispatch = data.guard(createDispatch(routes, platform, { renderer: responseTemplates }));
  const handler = toHandler({ ...platform, dispatch, frontDoor });
  return async (event, context) => {
    const flushed = platform.meter.flushOld(); // in parallel with the request, and with its own patience
    try {
      return await withSharedPatience(() => handler(event, context));
    } finally {
      if (flushed !== undefined) await endOf(flushed);
    }
  };
}

/**
 * Opens the platform of a function's process, ready for its first request.
 *
 * @throws Error when a variable that the stack sets is absent from the function's environment
 */
export async function openProcess(): Promise<AwsPlatform> {
  const environment = readEnvironment();
  const platform = openPlatform(environment);
  await begin(platform, environment);
  return platform;
}

async function begin(
  platform: AwsPlatform,
  { runtimeApi }: Environment,
  rest?: () => Promise<void>,
): Promise<void> {
  await Promise.all([platform.warmUp(), register(platform, runtimeApi, rest)]);
}

/** Writes the usage counts before the process ends, as far as Lambda announces the end. */
async function register(
  { meter, log }: Platform,
  runtimeApi: string | undefined,
  rest: (() => Promise<void>) | undefined,
): Promise<void> {
  process.once('SIGTERM', () => {
    neverRejects(meter.flush().finally(() => process.exit(0)));
  });
  if (runtimeApi === undefined) return;
  try {
    await registerExtension(runtimeApi, rest);
  } catch (error) {
    // the function serves requests all the same
    log({ level: 'error', message: 'no notice of the end of this process', ...faultOf(error) });
  }
}

/** Waits for the end of a write, but not longer than a response may be delayed by it. */
async function endOf(flushed: Promise<void>): Promise<void> {
  const limit = new AbortController();
  const late = sleep(countsWaitMs, undefined, { signal: limit.signal }).catch(() => undefined);
  await Promise.race([flushed, late]);
  limit.abort();
}

/** Limits the time of an invocation to that of a request. */
export function withinRequest(context: Context): Context {
  const startedMs = performance.now();
  const leftMs = () => requestMs - (performance.now() - startedMs);
  const getRemainingTimeInMillis = () => Math.min(leftMs(), context.getRemainingTimeInMillis());
  return { ...context, getRemainingTimeInMillis };
}
