/** Checks that a body keeps arriving. */
export interface GainWatch {
  /** Records that bytes have arrived. */
  gained(): void;
  stop(): void;
}

/** The number of bytes that have arrived so far. */
interface Counted {
  readonly bytes: number;
}

/** Most milliseconds of a small body. */
export interface SmallBodyTimes {
  /** Of a pause in it. */
  readonly pauseMs: number;
  readonly wholeMs: number;
}

/** Watches a small body: it may trickle for a while, but not pause for a window. */
export function watchSmall(
  body: Counted,
  { pauseMs, wholeMs }: SmallBodyTimes,
  act: () => void,
): GainWatch {
  const pause = setTimeout(() => {
    const before = body.bytes;
    afterReading(() => {
      if (body.bytes === before) act();
    });
  }, pauseMs);
  const whole = setTimeout(() => afterReading(act), wholeMs);
  return {
    gained: () => pause.refresh(),
    stop: () => {
      clearTimeout(pause);
      clearTimeout(whole);
    },
  };
}

/** Bytes that a large body must gain in each window of time. */
export interface LeastGain {
  readonly windowMs: number;
  readonly minBytes: number;
  /** Returns whether bytes wait for this server: then the client cannot send. */
  readonly isBusy?: () => boolean;
}

const looks = 5; // per window

/** Watches a large body in a window of time that moves on with each check. */
export function watchLarge(
  body: Counted,
  { windowMs, minBytes, isBusy }: LeastGain,
  act: () => void,
): GainWatch {
  let earlier = [body.bytes];
  let isOver = false;
  const look = () => {
    if (isOver) return;
    if (isBusy?.()) earlier = [];
    const before = earlier.length < looks ? undefined : earlier.shift();
    if (before !== undefined && body.bytes - before < minBytes) return act();
    earlier.push(body.bytes);
    timer.refresh();
  };
  const timer = setTimeout(() => afterReading(look), windowMs / looks);
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
