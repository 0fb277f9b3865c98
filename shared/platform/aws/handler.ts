import { createDispatch } from '../../core/pipeline/dispatch.ts';
import type { LazyRoutes } from '../../core/pipeline/lazy-routes.ts';
import type { Route } from '../../core/resource/route.ts';
import { faultOf } from '../../values/caught.ts';
import type { Platform } from '../ports.ts';
import { readEnvironment } from './environment.ts';
import { type Handler, toHandler } from './gateway.ts';
import { openPlatform } from './platform.ts';
import { withSharedPatience } from './sdk/patience.ts';
import { askForNotice } from './shutdown.ts';

/**
 * Creates the handler of a function that serves `routes`, ready for its first request. It is awaited while Lambda
 * initialises the function, when more CPU is available than in requests.
 *
 * @throws Error when a variable that the stack sets is absent from the function's environment
 */
export async function openHandler(routes: readonly Route[] | LazyRoutes): Promise<Handler> {
  return createHandler(routes, await openProcess());
}

/** Creates the handler that serves `routes` on a platform. */
export function createHandler(routes: readonly Route[] | LazyRoutes, platform: Platform): Handler {
  const handler = toHandler({ ...platform, dispatch: createDispatch(routes, platform) });
  return (event, context) => {
    platform.meter.flushOld(); // in parallel with the request, which does not wait for it, and with its own patience
    return withSharedPatience(() => handler(event, context));
  };
}

/**
 * Opens the platform of a function's process, ready for its first request.
 *
 * @throws Error when a variable that the stack sets is absent from the function's environment
 */
export async function openProcess(): Promise<Platform> {
  const environment = readEnvironment();
  const platform = openPlatform(environment);
  await Promise.all([platform.warmUp(), flushAtEnd(platform, environment.runtimeApi)]);
  return platform;
}

/** Writes the usage counts before the process ends, as far as Lambda announces the end. */
async function flushAtEnd({ meter, log }: Platform, runtimeApi: string | undefined): Promise<void> {
  process.once('SIGTERM', () => {
    void meter.flush().finally(() => process.exit(0));
  });
  if (runtimeApi === undefined) return;
  try {
    await askForNotice(runtimeApi);
  } catch (error) {
    // the function serves requests all the same
    log({ level: 'error', message: 'no notice of the end of this process', ...faultOf(error) });
  }
}
