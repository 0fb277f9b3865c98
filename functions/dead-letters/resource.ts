import {
  allRights,
  type Context,
  type Family,
  instanceOf,
  type ListOf,
  type LoadedOf,
  listRoutes,
  recordAt,
  rowsOf,
  showFields,
} from '../../shared/core/family.ts';
import { onlyIn } from '../../shared/core/routing/route.ts';
import { type LetterTask, letterJobName } from '../../shared/jobs/dead-letters.ts';
import { updateInstanceLetter } from '../../shared/jobs/instance-letters.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Put, Stored } from '../../shared/store/store.ts';
import { deleteItem } from '../../shared/store/writes.ts';
import { classNumbersEntity } from '../../shared/table/entities/instances.ts';
import { instanceLetterEntity } from '../../shared/table/entities/jobs.ts';
import type { InstanceLetterData } from '../../shared/table/records/jobs.ts';
import { deadLetterFields } from './fields.ts';
import { grants } from './grants.ts';

const loads = { classNumbers: recordAt(classNumbersEntity, ['instanceName']) };
type Loaded = LoadedOf<typeof loads>;

interface View {
  readonly data: InstanceLetterData;
}

const resource: ListOf<InstanceLetterData, View, typeof deadLetterFields, Loaded> = {
  name: 'Dead Letter',
  noun: 'dead letter',
  description: 'Changes whose effects failed.',
  path: '/instances/{instance}/dead_letters/',
  item: 'id',
  access: { owner: allRights, full: allRights },
  fields: deadLetterFields,
  links: [
    { name: 'self', type: 'detail', to: '' },
    { name: 'replay', type: 'replay', to: 'replay/' },
  ],
  record: recordAt(instanceLetterEntity, ['instance', '{id}']),
  loads,
  readItems: (context, range) =>
    rowsOf(context.platform.store, instanceLetterEntity, [instanceOf(context)], range),
  view: (_, items) => Promise.resolve(items),
  show: showFields(deadLetterFields, ({ loaded }, { data }) => ({
    class: data.className ?? classOf(loaded, data) ?? null,
    item_id: data.itemId ?? null,
  })),
  segment: ({ data }) => String(data.id),
  remove,
  actions: [
    {
      path: 'replay/',
      name: 'Replay',
      operationName: { id: 'replayDeadLetter', summary: 'Replay a dead letter' },
      fields: {},
      run: replay,
    },
  ],
};

/** Returns the present name of a class; undefined when it was deleted. */
function classOf({ classNumbers }: Loaded, { classNumber }: InstanceLetterData) {
  const numbers = Object.entries(classNumbers?.data.numbers ?? {});
  return numbers.find(([, number]) => number === classNumber)?.[0];
}

/** Deletes a letter; a job deletes what the operator sees of it. */
async function remove(
  context: Context<Loaded>,
  current: Stored<InstanceLetterData>,
): Promise<void> {
  await commit(context, [deleteItem(current), jobOf(context, current, 'drop')]);
}

/** Has a job process the change again, unless one is about to. */
async function replay(
  context: Context<Loaded>,
  current: Stored<InstanceLetterData>,
): Promise<View> {
  const { data } = current;
  if (data.status === 'replaying') return { data };
  const update = updateInstanceLetter(current, { status: 'replaying' });
  await commit(context, [update, jobOf(context, current, 'replay')]);
  return { data: { ...data, status: 'replaying' } };
}

function jobOf(
  context: Context<Loaded>,
  { data: { id: number, letter, at } }: Stored<InstanceLetterData>,
  action: LetterTask['action'],
): Put {
  const task: LetterTask = { action, instance: instanceOf(context), number, letter, at };
  return newJob(context.platform, letterJobName, task);
}

/** Changes of an instance that a consumer failed to process (docs/reference/dead-letters.md). */
export const deadLetters: Family = {
  name: 'dead-letters',
  grants,
  places: { '/instances/{instance}/dead_letters/': '/i/{instance}/health' },
  routes: onlyIn('v1.1', listRoutes(resource)),
};
