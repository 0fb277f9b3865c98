import { createDispatch } from '../../core/pipeline/dispatch.ts';
import type { LazyRoutes } from '../../core/pipeline/lazy-routes.ts';
import type { Route } from '../../core/resource/route.ts';
import { causeOf } from '../../values/caught.ts';
import type { Platform } from '../ports.ts';
import { readEnvironment } from './environment.ts';
import { type Handler, toHandler } from './gateway.ts';
import { openPlatform } from './platform.ts';
import { openFrontDoor } from './requests/front-door.ts';
import { askForNotice } from './shutdown.ts';

/**
 * Creates the handler of a function that serves `routes`, ready for its first request. It is awaited while Lambda
 * initialises the function, when more CPU is available than in requests.
 *
 * @throws Error when a variable that the stack sets is absent from the function's environment
 */
export async function openHandler(routes: readonly Route[] | LazyRoutes): Promise<Handler> {
  const platform = await openProcess();
  const frontDoor = openFrontDoor(readEnvironment().proxySecret);
  const dispatch = createDispatch(routes, platform);
  const handler = toHandler({ ...platform, dispatch, frontDoor });
  return (event, context) => {
    platform.meter.flushOld(); // in parallel with the request, which does not wait for it
    return handler(event, context);
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
    const cause = causeOf(error);
    log({ level: 'error', message: 'no notice of the end of this process', cause });
  }
}
