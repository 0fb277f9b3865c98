import { byInstance, type CacheKey } from '../core/routing/caches.ts';

/** A class, and a text about its lists. */
export interface ClassUse {
  /** Data id of the instance. */
  readonly instance: number;
  /** Number of the class; no later class of the instance gets it. */
  readonly classNumber: number;
  readonly text: string;
}

/** Returns the key of what a process has observed of a class, in all its versions. */
export function byClass({ instance, classNumber, text }: ClassUse): CacheKey {
  return byInstance(instance, classNumber, text);
}
