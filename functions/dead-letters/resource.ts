import type { ListOf } from '../../shared/core/resource/lists/list-resource.ts';
import { listRoutes } from '../../shared/core/resource/lists/list-routes.ts';
import { type LoadedOf, recordAt } from '../../shared/core/resource/loads/loads.ts';
import { rowsOf } from '../../shared/core/resource/page.ts';
import { instanceOf } from '../../shared/core/resource/place.ts';
import { type Context, type Family, onlyIn } from '../../shared/core/resource/route.ts';
import { showFields } from '../../shared/core/resource/show.ts';
import { type ReplayTask, replayLetter } from '../../shared/jobs/dead-letters.ts';
import { updateInstanceLetter } from '../../shared/jobs/instance-letters.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { commit } from '../../shared/store/commit.ts';
import {
  classNumbersEntity,
  deadLetterEntity,
  instanceLetterEntity,
} from '../../shared/store/entities.ts';
import type { InstanceLetterData } from '../../shared/store/records/jobs.ts';
import type { Stored } from '../../shared/store/store.ts';
import { deleteIfExists, deleteItem } from '../../shared/store/writes.ts';
import { allRights } from '../../shared/values/access.ts';
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
  record: recordAt(instanceLetterEntity, ['instance', 'id']),
  loads,
  rows: (context, range) =>
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

/** Deletes a letter with what the operator sees of it. */
async function remove(
  context: Context<Loaded>,
  current: Stored<InstanceLetterData>,
): Promise<void> {
  const { store, files } = context.platform;
  const { at, letter } = current.data;
  const whole = await deadLetterEntity.read(store, at, letter);
  await commit(context, [deleteItem(current), deleteIfExists(deadLetterEntity.key(at, letter))]);
  if (whole?.data.file !== undefined) await files.remove([whole.data.file]);
}

/** Has a job process the change again, unless one is about to. */
async function replay(
  context: Context<Loaded>,
  current: Stored<InstanceLetterData>,
): Promise<View> {
  const { data } = current;
  if (data.status === 'replaying') return { data };
  const task: ReplayTask = { instance: instanceOf(context), id: data.id };
  await commit(context, [
    updateInstanceLetter(current, { status: 'replaying' }),
    newJob(context.platform, replayLetter, task),
  ]);
  return { data: { ...data, status: 'replaying' } };
}

/** Changes of an instance that a consumer failed to process (docs/reference/dead-letters.md). */
export const deadLetters: Family = {
  name: 'dead-letters',
  grants,
  routes: onlyIn('v1.1', listRoutes(resource)),
};
