/** Delays that double from try to try, in milliseconds. */
export interface BackOff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Returns the longest delay after `tries` tries that failed, counted from 0. */
export function longestDelay(tries: number, { firstMs, maxMs }: BackOff): number {
  return Math.min(maxMs, firstMs * 2 ** tries);
}

/** Returns a random part of a delay, for attempts that compete with each other. */
export function anyPartOf(ms: number, random: () => number = Math.random): number {
  return random() * ms;
}

/** Returns a delay or a little less, down to half of it, so that attempts do not coincide. */
export function mostOf(ms: number): number {
  return (0.5 + Math.random() / 2) * ms;
}
