import { PushFailure } from '../../../push/push-failure.ts';
import type { PushBounds } from './bounds.ts';

/** Counts the pushes that have no result yet. */
export interface Admission {
  /**
   * Admits a push of an instance; returns the function that ends it.
   *
   * @throws PushFailure `busy` when there are too many, in total or of the instance
   */
  enter(owner: number): () => void;
}

/** Opens an empty count. */
export function openAdmission(bounds: Pick<PushBounds, 'pushes' | 'instancePushes'>): Admission {
  const counts = new Map<number, number>();
  let total = 0;
  return {
    enter: (owner) => {
      const own = counts.get(owner) ?? 0;
      if (total >= bounds.pushes || own >= bounds.instancePushes) {
        throw new PushFailure('busy', 'too many pushes');
      }
      total += 1;
      counts.set(owner, own + 1);
      return () => {
        total -= 1;
        const left = (counts.get(owner) ?? 1) - 1;
        if (left === 0) counts.delete(owner);
        else counts.set(owner, left);
      };
    },
  };
}
