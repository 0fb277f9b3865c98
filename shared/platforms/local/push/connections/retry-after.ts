import type { IncomingHttpHeaders } from 'node:http2';

/**
 * Returns the milliseconds of a `Retry-After`: seconds, or a date.
 *
 * @returns undefined when there is none, or it cannot be read
 */
export function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
