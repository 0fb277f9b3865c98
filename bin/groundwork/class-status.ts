import { setTimeout } from 'node:timers/promises';
import type { Send } from '../client.ts';

const pauseMs = 200;

/** Waits until the indexes of a class are built. */
export async function untilReady(send: Send, path: string): Promise<void> {
  while ((await send({ path })).body.status === 'migrating') await setTimeout(pauseMs);
}
