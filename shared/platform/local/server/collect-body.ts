import type { IncomingMessage } from 'node:http';
import { gainWindowMs, minGainedBytes, smallBodyMs } from '../../../values/bounds.ts';

/** Bytes of a body that have arrived. */
export interface Collected {
  readonly chunks: Buffer[];
  bytes: number;
}

/** How collecting ended: with the whole body, with more than was wanted, too slowly, or without a client. */
export type Collecting = 'whole' | 'more' | 'too slow' | 'gone';

/**
 * Collects a body as it arrives, until it ends or has more than `maxBytes`; then it is paused, and may be collected on.
 * What arrives too slowly is given up.
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
  /** Something has arrived. */
  gained(): void;
  stop(): void;
}

/** Calls back when a body gains too little in a window of time. */
function watchGain(message: IncomingMessage, body: Collected, act: () => void): Watch {
  const length = Number(message.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return length < minGainedBytes ? watchSmall(body, act) : watchLarge(body, act);
}

/** A small body may trickle for a while, but not pause for a window. */
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

const looks = 5; // in a window

/** Looks at a window of time that moves on with each look. */
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

/** What has arrived while the process was busy is read before a timer's verdict. */
function afterReading(act: () => void): void {
  setImmediate(act);
}
