import type { FamilyJobs } from '../../shared/core/family.ts';

/** Returns the jobs and consumers of all families, in their order. */
export function joinJobs(families: readonly FamilyJobs[]): Required<FamilyJobs> {
  return {
    types: families.flatMap(({ types }) => types),
    consumers: families.flatMap(({ consumers = [] }) => consumers),
    unorderedConsumers: families.flatMap(({ unorderedConsumers = [] }) => unorderedConsumers),
  };
}
