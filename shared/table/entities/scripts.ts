import type { Key, Stored } from '../../store/store.ts';
import { idIn, idKey, ofInstance } from '../key-parts.ts';
import { actionNamed, entity } from '../kind.ts';
import type { LetterItem } from '../records/jobs.ts';
import type { RecordIdsData } from '../records/records.ts';
import type { ScheduleData } from '../records/schedules.ts';
import type { RunQueueData, ScriptData, ScriptSourceData } from '../records/scripts.ts';
import type { TriggerData, TriggerEventData, TriggerRateData } from '../records/triggers.ts';
import { tracesOf } from './runs.ts';

/** A script, without its source. */
export const scriptEntity = entity<ScriptData>('script').keyed(ofInstance, 'SCRIPT#', idKey, {
  belongsTo: 'contents',
  counter: 'script',
  shownAs: 'script',
  below: tracesOf('script'),
  inLetters: ({ key }) => ({ item: 'script', itemId: idIn(key) }),
});

/** The source of a script. */
export const scriptSourceEntity = entity<ScriptSourceData>('script-source').keyed(
  ofInstance,
  'SCRIPTSOURCE#',
  idKey,
  { belongsTo: 'contents', namedFile: (_sk, { file }) => file },
);

/** A schedule. One whose script was deleted is treated as absent. */
export const scheduleEntity = entity<ScheduleData>('schedule').keyed(
  ofInstance,
  'SCHEDULE#',
  idKey,
  { belongsTo: 'contents', counter: 'schedule', shownAs: 'schedule', below: tracesOf('schedule') },
);

/** The ids of all schedules of an instance. */
export const scheduleIdsEntity = entity<RecordIdsData>('schedule-ids').keyed(
  ofInstance,
  'SCHEDULES',
  { belongsTo: 'contents' },
);

/** A trigger. */
export const triggerEntity = entity<TriggerData>('trigger').keyed(ofInstance, 'TRIGGER#', idKey, {
  belongsTo: 'contents',
  counter: 'trigger',
  shownAs: 'trigger',
  below: tracesOf('trigger'),
});

/** Ids of the triggers of an instance. */
export const triggerIdsEntity = entity<RecordIdsData>('trigger-ids').keyed(ofInstance, 'TRIGGERS', {
  belongsTo: 'contents',
});

/** Number of recent runs of triggers. */
export const triggerRateEntity = entity<TriggerRateData>('trigger-rate').keyed(
  ofInstance,
  'TRIGGERRATE',
  { belongsTo: 'derived' },
);

/** A run in a queue; it expires with its trace. */
export const runQueueEntity = entity<RunQueueData>('run-queue').keyed(
  (instance: number) => `INSTANCE#${instance}#RUNQUEUES`,
  (_instance: number, queue: string) => `${queue}#`,
  (position: string) => position,
  { belongsTo: 'derived' },
);

/** A change of an object that triggers wait for; those of an object are in the order of their commits. */
export const triggerEventEntity = entity<TriggerEventData>('trigger-event').keyed(
  (instance: number) => `INSTANCE#${instance}#TRIGGEREVENTS`,
  (_instance: number, object: number) => `${idKey(object)}#`,
  (order: string) => order,
  {
    belongsTo: 'derived',
    inLetters: ({ key, after }) => ({
      item: 'object',
      itemId: eventOfKey(key).object,
      ...changeOf(after),
    }),
  },
);

/** Returns what the data of a trigger event hold, where the consumer got them. */
function changeOf(event: Stored | undefined): Partial<LetterItem> {
  if (event === undefined || !triggerEventEntity.matches(event)) return {};
  const { class: className, action } = event.data as Partial<typeof event.data>; // or only a size
  return { ...(className && { className }), ...(action && { action: actionNamed(action) }) };
}

/** Returns the object of an event, and its order among the events of the object. */
export function eventOfKey({ sk }: Key): { readonly object: number; readonly order: string } {
  const [object = ''] = sk.split('#', 1);
  return { object: Number(object), order: sk.slice(object.length + 1) };
}

/** The kinds of scripts, schedules and triggers. */
export const scriptKinds = [
  scriptEntity,
  scriptSourceEntity,
  scheduleEntity,
  scheduleIdsEntity,
  triggerEntity,
  triggerIdsEntity,
  triggerRateEntity,
  runQueueEntity,
  triggerEventEntity,
] as const;
