import {
  allRights,
  type Context,
  type Family,
  idsFrom,
  instanceOf,
  type ListOf,
  type LoadedOf,
  listRoutes,
  recordAt,
  showFields,
} from '../../shared/core/family.ts';
import { lookup } from '../../shared/core/resource/loads/loads.ts';
import { cut } from '../../shared/core/resource/page.ts';
import { onlyIn } from '../../shared/core/routing/route.ts';
import { type Version, versions } from '../../shared/core/routing/versions.ts';
import { scriptLink, scriptWord, withScript } from '../../shared/scripts/script-reference.ts';
import { traceRoutes } from '../../shared/scripts/trace-routes.ts';
import { scheduleEntity, scriptEntity } from '../../shared/table/entities/scripts.ts';
import type { ScheduleData } from '../../shared/table/records/schedules.ts';
import { parentNotFound } from '../../shared/values/errors/errors.ts';
import { type ScheduleFields, scheduleFields } from './fields.ts';
import { grants } from './grants.ts';
import { jobs } from './jobs.ts';
import { createSchedule, deleteSchedule, updateSchedule } from './write.ts';

const path = '/instances/{instance}/schedules/';

interface View {
  readonly data: ScheduleData;
}

const scheduleOfPath = recordAt(scheduleEntity, ['instance', '{id}']);

/** Returns the resource of schedules in the words of a version. */
function resourceIn(version: Version): ListOf<ScheduleData, View, ScheduleFields> {
  const fields = scheduleFields[version];
  const word = scriptWord[version];
  return {
    name: 'Schedule',
    path,
    item: 'id',
    access: { owner: allRights, full: allRights, write: allRights, read: 'LG' },
    fields,
    links: [
      { name: 'self', type: 'detail', to: '' },
      { name: 'traces', type: 'list', to: 'traces/' },
      scriptLink(version),
    ],
    record: scheduleOfPath,
    counter: idsFrom('schedule'),
    readItems: async (context, range) => {
      const all = await scheduleEntity.listAll(context.platform.store, [instanceOf(context)]);
      const living = await withScript(context, all);
      return cut(
        living.map((item) => ({ pk: item.data.id, item })),
        range,
      );
    },
    view: withScript,
    show: showFields(fields, ({ route }, { data }) => ({
      [word]: data.script,
      missed: route.kind === 'detail' ? data.missed : undefined, // docs/reference/schedules.md#missed-times
    })),
    segment: ({ data }) => String(data.id),
    create: async (context, input) => ({ data: await createSchedule(context, input) }),
    update: async (context, update) => ({ data: await updateSchedule(context, update) }),
    remove: deleteSchedule,
  };
}

const schedule = lookup(scheduleOfPath, ({ script }) => script);
const traceLoads = { schedule, script: recordAt(scriptEntity, ['instance', schedule]) };

/** Returns the schedule in the path; it is deleted with its script. */
function parentOf({ loaded }: Context<LoadedOf<typeof traceLoads>>): number {
  if (loaded.schedule === undefined || loaded.script === undefined) {
    throw parentNotFound('Schedule');
  }
  return loaded.schedule.data.id;
}

/** Schedules, which run scripts, and the traces of these runs. */
export const schedules: Family = {
  name: 'schedules',
  grants,
  jobs,
  places: {
    '/instances/{instance}/schedules/': '/i/{instance}/schedules',
    '/instances/{instance}/schedules/{id}/': '/i/{instance}/schedules/{id}',
  },
  routes: [
    ...versions.flatMap((version) => onlyIn(version, listRoutes(resourceIn(version)))),
    ...traceRoutes({
      name: 'Schedule',
      noun: 'a schedule',
      paths: { 'v1.1': `${path}{id}/traces/`, v1: `${path}{id}/traces/` },
      item: 'member',
      kind: 'schedule',
      loads: traceLoads,
      parent: parentOf,
      showsCall: false,
    }),
  ],
};
