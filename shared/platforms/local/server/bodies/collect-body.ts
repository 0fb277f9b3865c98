import type { IncomingMessage } from 'node:http';
import { minGainedBytes } from '../../../../values/bounds.ts';
import type { ServerTimeouts } from '../patience.ts';
import type { ArrivalClaim } from './arrival-claim.ts';
import { type GainWatch, watchLarge, watchSmall } from './watch-gain.ts';

/** The part of a body that has arrived. */
export interface Collected {
  readonly chunks: Buffer[];
  bytes: number;
}

/** End of collecting: whole body, more than the maximum, too slow, no room for what arrives, or client gone. */
export type Collecting = 'whole' | 'more' | 'too slow' | 'no room' | 'gone';

/** How much of a body is collected, and how long that may take. */
export interface CollectLimits {
  readonly maxBytes: number;
  readonly patience: ServerTimeouts;
  /** Opens the claim for the bytes that arrive; absent: they have room. */
  readonly openClaim?: (onNoRoom: () => void) => ArrivalClaim;
}

/**
 * Collects a body as it arrives, until it ends or exceeds `maxBytes`. Then it is paused, and collecting may be resumed.
 * A body that arrives too slowly is abandoned.
 */
export function collectBody(
  message: IncomingMessage,
  body: Collected,
  { maxBytes, patience, openClaim }: CollectLimits,
): Promise<Collecting> {
  if (message.destroyed && !message.complete) return Promise.resolve('gone');
  return new Promise((resolve) => {
    let isOver = false;
    const claim = openClaim?.(() => finish('no room'));
    const watch = watchGain(message, body, patience, () => finish('too slow'));
    const onData = (chunk: Buffer) => {
      body.chunks.push(chunk);
      body.bytes += chunk.byteLength;
      watch.gained();
      claim?.reach(body.bytes);
      if (body.bytes > maxBytes) finish('more');
    };
    const onEnd = () => finish('whole');
    const onClose = () => finish('gone');
    const finish = (how: Collecting) => {
      if (isOver) return;
      isOver = true;
      watch.stop();
      message.pause();
      message.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
      message.on('error', () => undefined); // its connection may break at any later time
      resolve(how);
    };
    message.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
    message.resume();
  });
}

/** Runs `act` when a body gains too few bytes in a window of time. */
function watchGain(
  message: IncomingMessage,
  body: Collected,
  { gainWindowMs, smallBodyMs }: ServerTimeouts,
  act: () => void,
): GainWatch {
  const length = Number(message.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return length < minGainedBytes
    ? watchSmall(body, { pauseMs: gainWindowMs, wholeMs: smallBodyMs }, act)
    : watchLarge(body, { windowMs: gainWindowMs, minBytes: minGainedBytes }, act);
}
