import { type ClassContext, inClass } from '../../shared/classes/class-record.ts';
import {
  computed,
  defineFields,
  endpointRoute,
  instanceOf,
  type Route,
} from '../../shared/core/family.ts';
import { readTogether } from '../../shared/store/entity.ts';
import { classCountEntity, classMigrationEntity } from '../../shared/table/entities/classes.ts';
import { classFields } from './fields.ts';

const fields = defineFields({
  status: classFields.status,
  objects_count: classFields.objects_count,
  objects_done: computed('integer'),
});

async function readMigration(context: ClassContext) {
  const { store, changes } = context.platform;
  const { status, number, epoch } = context.loaded.class.data;
  const instance = instanceOf(context);
  await changes.settled();
  const { count, migration } = await readTogether(store, {
    count: classCountEntity.at(instance, number),
    migration: classMigrationEntity.at(instance, number),
  });
  const objects = count?.data.count ?? 0;
  const done = migration?.data.epoch === epoch ? migration.data.done : 0;
  return {
    status,
    objects_count: objects,
    objects_done: status === 'ready' ? objects : Math.min(done, objects), // some may be deleted since
  };
}

/** How far the indexes of a class are built (docs/reference/classes.md#progress). */
export const migrationRoute: Route = endpointRoute({
  name: 'Migration',
  noun: 'migration',
  operationNames: { GET: { id: 'getMigration', summary: 'Get the progress of a migration' } },
  description: 'Progress of the pass over the objects of a class after a change of its indexes.',
  path: '/instances/{instance}/classes/{class}/migration/',
  v1Path: null,
  access: { owner: 'G', full: 'G', write: 'G', read: 'G' },
  loads: inClass,
  response: { fields },
  operations: {
    GET: {
      right: 'G',
      run: async (context) => ({ status: 200, body: await readMigration(context) }),
    },
  },
});
