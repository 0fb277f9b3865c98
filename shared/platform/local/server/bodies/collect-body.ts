import type { IncomingMessage } from 'node:http';
import { gainWindowMs, minGainedBytes, smallBodyMs } from '../../../../values/bounds.ts';

/** The part of a body that has arrived. */
export interface Collected {
  readonly chunks: Buffer[];
  bytes: number;
}

/** End of collecting: whole body, more than the maximum, too slow, or client gone. */
export type Collecting = 'whole' | 'more' | 'too slow' | 'gone';

/**
 * Collects a body as it arrives, until it ends or exceeds `maxBytes`. Then it is paused, and collecting may be resumed.
 * A body that arrives too slowly is abandoned.
 */
export function collectBody(
  message: IncomingMessage,
  body: Collected,
  maxBytes: number,
): Promise<Collecting> {
  if (message.destroyed && !message.complete) return Promise.resolve('gone');
  return new Promise((resolve) => {
    let isOver = false;
    const watch = watchGain(message, body, () => finish('too slow'));
    const onData = (chunk: Buffer) => {
      body.chunks.push(chunk);
      body.bytes += chunk.byteLength;
      watch.gained();
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

interface Watch {
  /** Records that bytes have arrived. */
  gained(): void;
  stop(): void;
}

/** Runs `act` when a body gains too few bytes in a window of time. */
function watchGain(message: IncomingMessage, body: Collected, act: () => void): Watch {
  const length = Number(message.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return length < minGainedBytes ? watchSmall(body, act) : watchLarge(body, act);
}

/** Watches a small body: it may trickle for a while, but not pause for a window. */
function watchSmall(body: Collected, act: () => void): Watch {
  const pause = setTimeout(() => {
    const before = body.bytes;
    afterReading(() => {
      if (body.bytes === before) act();
    });
  }, gainWindowMs);
  const whole = setTimeout(() => afterReading(act), smallBodyMs);
  return {
    gained: () => pause.refresh(),
    stop: () => {
      clearTimeout(pause);
      clearTimeout(whole);
    },
  };
}

const looks = 5; // per window

/** Watches a large body in a window of time that moves on with each check. */
function watchLarge(body: Collected, act: () => void): Watch {
  const earlier = [body.bytes];
  let isOver = false;
  const look = () => {
    if (isOver) return;
    const before = earlier.length < looks ? undefined : earlier.shift();
    if (before !== undefined && body.bytes - before < minGainedBytes) return act();
    earlier.push(body.bytes);
    timer.refresh();
  };
  const timer = setTimeout(() => afterReading(look), gainWindowMs / looks);
  return {
    gained: () => undefined,
    stop: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** Runs `act` after reading bytes that arrived while the process was busy. */
function afterReading(act: () => void): void {
  setImmediate(act);
}
