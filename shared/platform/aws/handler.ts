import { type Handler, toHandler } from '../../core/http/edge.ts';
import { createDispatch } from '../../core/pipeline/dispatch.ts';
import type { Route } from '../../core/resource/route.ts';
import { causeOf } from '../../values/caught.ts';
import type { Platform } from '../ports.ts';
import { readEnvironment } from './environment.ts';
import { openPlatform } from './platform.ts';
import { askForNotice } from './shutdown.ts';

/**
 * Makes the handler of a function that serves `routes`, ready for its first call. It is awaited while Lambda
 * initialises the function, when there is more CPU than in calls.
 *
 * @throws Error when the function's environment lacks what the stack should have given
 */
export async function openHandler(routes: readonly Route[]): Promise<Handler> {
  const platform = await openProcess();
  const handler = toHandler({ ...platform, dispatch: createDispatch(routes, platform) });
  return (event, context) => {
    platform.meter.flushOld(); // beside the call, which does not wait for it
    return handler(event, context);
  };
}

/**
 * Opens the platform of a function's process, ready for its first call.
 *
 * @throws Error when the function's environment lacks what the stack should have given
 */
export async function openProcess(): Promise<Platform> {
  const environment = readEnvironment();
  const platform = openPlatform(environment);
  await Promise.all([platform.warmUp(), flushAtEnd(platform, environment.runtimeApi)]);
  return platform;
}

/** What was counted is written before the process ends, as far as Lambda says when that is. */
async function flushAtEnd({ meter, log }: Platform, runtimeApi: string | undefined): Promise<void> {
  process.once('SIGTERM', () => {
    void meter.flush().finally(() => process.exit(0));
  });
  if (runtimeApi === undefined) return;
  try {
    await askForNotice(runtimeApi);
  } catch (error) {
    // the function serves all the same
    const cause = causeOf(error);
    log({ level: 'error', message: 'no notice of the end of this process', cause });
  }
}
