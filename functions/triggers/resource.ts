import {
  type Context,
  type Family,
  idsFrom,
  instanceOf,
  type ListOf,
  listRoutes,
  prefixParameters,
  rowsOf,
  showFields,
} from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import type { Link } from '../../shared/core/resource/links.ts';
import { gather } from '../../shared/core/resource/page.ts';
import { onlyIn } from '../../shared/core/routing/route.ts';
import { type Version, versions } from '../../shared/core/routing/versions.ts';
import { scriptLink, scriptWord } from '../../shared/scripts/script-reference.ts';
import { traceRoutes } from '../../shared/scripts/trace-routes.ts';
import type { Stored } from '../../shared/store/store.ts';
import { triggerEntity } from '../../shared/table/entities/scripts.ts';
import type { TriggerData } from '../../shared/table/records/triggers.ts';
import { livingTriggers } from '../../shared/triggers/living-triggers.ts';
import type { ItemRange } from '../../shared/values/paging.ts';
import { triggerAccess } from './access.ts';
import { type TriggerFields, triggerFields } from './fields.ts';
import { grants } from './grants.ts';
import { jobs } from './jobs.ts';
import { livingTrigger, triggerLoads, triggerOfPath } from './loads.ts';
import { createTrigger, removeTrigger, type TriggerView, updateTrigger } from './write.ts';

const path = '/instances/{instance}/triggers/';

/** Returns the resource of triggers in the words of a version. */
function resourceIn(version: Version): ListOf<TriggerData, TriggerView, TriggerFields> {
  const fields = triggerFields[version];
  return {
    name: 'Trigger',
    path,
    item: 'id',
    access: triggerAccess,
    fields,
    links: linksIn(version),
    parameters: prefixParameters('label'),
    record: triggerOfPath,
    counter: idsFrom('trigger'),
    readItems: (context, range) => {
      const prefix = queryValue(context.request.query, 'label__startswith') ?? '';
      return gather<TriggerData>(
        range,
        (part) => readLiving(context, part),
        ({ item: { data } }) => data.label.startsWith(prefix),
      );
    },
    view: (context, items) => livingTriggers(context.platform, instanceOf(context), items),
    show: showFields(fields, (_, { data }) => ({ [scriptWord[version]]: data.script })),
    segment: ({ data }) => String(data.id),
    create: createTrigger,
    update: updateTrigger,
    remove: removeTrigger,
  };
}

function linksIn(version: Version): readonly Link<TriggerView>[] {
  return [
    { name: 'self', type: 'detail', to: '' },
    scriptLink(version),
    {
      name: 'class',
      type: 'detail',
      to: ({ data }, base) => `${base}/classes/${data.class}/`,
    },
    { name: 'traces', type: 'list', to: 'traces/' },
  ];
}

async function readLiving(context: Context, range: ItemRange) {
  const { platform } = context;
  const instance = instanceOf(context);
  const listItems = await rowsOf(platform.store, triggerEntity, [instance], range);
  const items: readonly Stored<TriggerData>[] = listItems.map(({ item }) => item);
  const living = new Set(await livingTriggers(platform, instance, items));
  return listItems.map(({ pk, item }) => ({ pk, item: living.has(item) ? item : undefined }));
}

/** Triggers: scripts that run after changes of data objects, and the traces of these runs. */
export const triggers: Family = {
  name: 'triggers',
  grants,
  jobs,
  places: {
    '/instances/{instance}/triggers/': '/i/{instance}/triggers',
    '/instances/{instance}/triggers/{id}/': '/i/{instance}/triggers/{id}',
  },
  routes: [
    ...versions.flatMap((version) => onlyIn(version, listRoutes(resourceIn(version)))),
    ...traceRoutes({
      name: 'Trigger',
      noun: 'a trigger',
      paths: { 'v1.1': `${path}{id}/traces/`, v1: `${path}{id}/traces/` },
      item: 'member',
      kind: 'trigger',
      loads: triggerLoads,
      parent: (context) => livingTrigger(context).id,
      showsCall: false,
    }),
  ],
};
