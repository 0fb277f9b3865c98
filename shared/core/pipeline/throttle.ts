import type { Clock } from '../../platform/ports.ts';
import { throttled } from '../../values/errors/errors.ts';

/**
 * Counts a call of an instance.
 *
 * @throws ApiError 429 when the instance has had its calls of this second
 */
export type Throttle = (instance: number) => void;

/**
 * Makes the throttle of a process: it knows of no other. Time is cut into seconds; a call that is refused counts as
 * well (docs/reference/limits.md#throttling). A machine whose time is set back stops nobody.
 *
 * @param limit calls of one instance in a second; undefined: as many as come
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
