import { instanceEntity } from '../table/entities/instances.ts';
import { suspendedJobMs } from '../values/bounds.ts';
import type { JobType } from './jobs.ts';

/**
 * Makes the jobs of a type wait while their instance is suspended: each looks at it again after `suspendedJobMs`, for
 * one read, and no step begins. Their tasks have an `instance`.
 */
export function waitWhileSuspended({ name, slowMs, step }: JobType): JobType {
  return {
    name,
    slowMs,
    step: async (context, task) => {
      const { instance } = task as { readonly instance: number }; // as stored
      const instanceRecord = await instanceEntity.read(context.store, instance);
      if (instanceRecord?.data.isSuspended === true) return { task, afterMs: suspendedJobMs };
      return step(context, task);
    },
  };
}
