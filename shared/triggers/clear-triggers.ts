import type { ChangeConsumer, ItemChange } from '../jobs/change-feed.ts';
import { afterRequests, type JobType, newJob } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { instanceIn } from '../table/data-ids.ts';
import { classEntity } from '../table/entities/classes.ts';
import { scriptEntity, triggerEntity } from '../table/entities/scripts.ts';
import { livingTriggers } from './living-triggers.ts';
import { planTriggerRemoval } from './remove-trigger.ts';

type ClearTask = { readonly instance: number };

/** Deletes the triggers of deleted classes and scripts, which are no longer visible. */
export const clearTriggers: JobType = {
  name: 'clear-triggers',
  step: afterRequests<ClearTask>(async (context, { instance }) => {
    const all = await triggerEntity.listAll(context.store, [instance]);
    const living = await livingTriggers(context, instance, all);
    for (const trigger of all.filter((each) => !living.includes(each))) {
      await maintain(context, await planTriggerRemoval(context, instance, trigger));
    }
    return 'done';
  }),
};

/** Starts the deletion of triggers when a class or a script was deleted. */
export const followDeletions: ChangeConsumer = {
  name: 'triggers of deleted classes and scripts',
  watches: [classEntity, scriptEntity].map(({ kind }) => ({
    kind,
    actions: ['delete'],
    needsData: false,
  })),
  consume: async (changes, services) => {
    const instances = new Set(changes.map(({ key }: ItemChange) => instanceIn(key)));
    const jobs = [...instances].map((instance) => newJob(services, clearTriggers, { instance }));
    await Promise.all(jobs.map((job) => maintain(services, [job])));
  },
};
