import type { Clock } from '../../ports/ports.ts';
import { throttled } from '../../values/errors/errors.ts';

/**
 * Counts a request of an instance.
 *
 * @throws ApiError 429 when the instance has used up its requests of this second
 */
export type Throttle = (instance: number) => void;

/**
 * Creates the throttle of a process, which is independent of other processes. Time is divided into seconds; a rejected
 * request counts as well (docs/reference/limits.md#throttling). Setting back a machine's time blocks no request.
 *
 * @param limit requests of one instance per second; undefined: unlimited
 */
export function createThrottle(
  limit: number | undefined,
  clock: Pick<Clock, 'steadyMs'>,
): Throttle {
  if (limit === undefined) return () => undefined;
  const calls = new Map<number, number>();
  let current = 0;
  return (instance) => {
    const second = Math.floor(clock.steadyMs() / 1000);
    if (second !== current) {
      calls.clear();
      current = second;
    }
    const count = (calls.get(instance) ?? 0) + 1;
    calls.set(instance, count);
    if (count > limit) throw throttled(1);
  };
}
