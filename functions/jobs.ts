import type { ChangeConsumer, ChangeFilter } from '../shared/jobs/change-feed.ts';
import type { JobType } from '../shared/jobs/jobs.ts';
import { api } from './api.ts';
import { joinJobs } from './background/join-jobs.ts';

const all = joinJobs(api.map(({ jobs }) => jobs).filter((jobs) => jobs !== undefined));

/** Every job type of the map, on both platforms. */
export const jobTypes: readonly JobType[] = all.types;

/** Consumers of a change feed that delivers changes in the order in which they were made. */
export const consumers: readonly ChangeConsumer[] = all.consumers;

/** Consumers of a feed that keeps only the order of each item's changes. */
export const unorderedConsumers: readonly ChangeConsumer[] = all.unorderedConsumers;

/** The changes that the consumers read. */
export const watches: readonly ChangeFilter[] = consumers.flatMap((consumer) => consumer.watches);
