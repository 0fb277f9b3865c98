import type { ChangeConsumer } from '../jobs/change-feed.ts';
import { cascade } from '../jobs/maintain.ts';
import { instanceIn } from '../table/data-ids.ts';
import { scheduleEntity, scriptEntity } from '../table/entities/scripts.ts';
import { idIn } from '../table/key-parts.ts';
import { removeSchedule } from './schedule-record.ts';

/** Deletes the schedules of deleted scripts, which are no longer visible. */
export const clearSchedules: ChangeConsumer = {
  name: 'clear-schedules',
  watches: [{ kind: scriptEntity.kind, actions: ['delete'], needsData: false }],
  consume: async (changes, services) => {
    for (const { key } of changes) {
      const [instance, script] = [instanceIn(key), idIn(key)];
      for (const schedule of await scheduleEntity.listAll(services.store, [instance])) {
        if (schedule.data.script !== script) continue;
        await cascade(services, await removeSchedule(services, instance, schedule));
      }
    }
  },
};
