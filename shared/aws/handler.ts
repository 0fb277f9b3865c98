import { createDispatch } from '../http/dispatch.ts';
import { type Handler, toHandler } from '../http/edge.ts';
import type { Route } from '../resource/route.ts';
import { readEnvironment } from './environment.ts';
import { openPlatform } from './platform.ts';

/**
 * Makes the handler of a function that serves `routes`, ready for its first call. It is awaited while Lambda
 * initialises the function, when there is more CPU than in calls.
 *
 * @throws Error when the function's environment lacks what the stack should have given
 */
export async function openHandler(routes: readonly Route[]): Promise<Handler> {
  const platform = openPlatform(readEnvironment());
  const handler = toHandler({ ...platform, dispatch: createDispatch(routes, platform) });
  await platform.warmUp();
  return handler;
}
