import { setTimeout } from 'node:timers/promises';
import type { PathSend } from '../../shared/clients/client.ts';
import type { RequestPath } from '../../shared/values/text/request-path.ts';

const pauseMs = 200;

/** Waits until the indexes of a class are built. */
export async function untilReady(send: PathSend, path: RequestPath): Promise<void> {
  while ((await send({ path })).body.status === 'migrating') await setTimeout(pauseMs);
}
