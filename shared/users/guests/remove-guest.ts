import { profileClass } from '../../classes/rules/permissions.ts';
import { createCaches } from '../../core/routing/caches.ts';
import type { JobContext, JobType, StepResult } from '../../jobs/jobs.ts';
import { cascade } from '../../jobs/maintain.ts';
import { saveCallIn } from '../../objects/save-call.ts';
import { classEntity } from '../../table/entities/classes.ts';
import { userEntity } from '../../table/entities/users.ts';
import type { DeletedUser } from '../clear-user.ts';
import { planRemoveUser } from '../remove-user.ts';

/** Deletes a guest at its end, unless it has become a user (docs/reference/user-accounts.md#guests). */
export const removeGuest: JobType = {
  name: 'remove-guest',
  step: async (context: JobContext, task): Promise<StepResult> => {
    const { instance, user: id } = task as DeletedUser; // stored in this form
    const { store, clock, files } = context;
    const user = await userEntity.read(store, instance, id);
    if (user?.data.guestUntil === undefined) return 'done';
    const leftMs = user.data.guestUntil * 1000 - clock.micros() / 1000;
    if (leftMs > 0) return { task, afterMs: leftMs };
    const profiles = await classEntity.read(store, instance, profileClass);
    if (profiles === undefined) return 'done'; // the instance was deleted
    const settled = () => Promise.resolve();
    const by = {
      platform: { ...context, changes: { settled } },
      caches: createCaches(files),
      actor: { kind: 'anonymous' } as const,
    };
    const writes = await planRemoveUser(saveCallIn(by, instance, profiles), user);
    await cascade(context, writes);
    return 'done';
  },
};
