import { queryValue } from '../../shared/core/http/message.ts';
import { type Body, type InputMode, readInput } from '../../shared/core/resource/input.ts';
import type { ListResource } from '../../shared/core/resource/lists/list-resource.ts';
import { listRoutes } from '../../shared/core/resource/lists/list-routes.ts';
import { gather, rowsOf } from '../../shared/core/resource/page.ts';
import { idsFrom, instanceOf, reservedId } from '../../shared/core/resource/place.ts';
import { prefixParameters } from '../../shared/core/resource/query-parameters.ts';
import type { Context } from '../../shared/core/resource/route.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { commit, commitUnique } from '../../shared/store/commit.ts';
import {
  as,
  deletedGroupsEntity,
  groupEntity,
  groupNameEntity,
  groupPrefix,
} from '../../shared/store/entities.ts';
import type { GroupData } from '../../shared/store/records/records.ts';
import type { Stored, Write } from '../../shared/store/store.ts';
import { erase, insert, remove, replace } from '../../shared/store/writes.ts';
import { clearGroup } from '../../shared/users/clear-group.ts';
import { groupLinks, groupValues } from '../../shared/users/show-user.ts';
import { allRights } from '../../shared/values/access.ts';
import { invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { groupFields } from './fields.ts';

/** A group, without joined records. */
type View = Pick<Stored<GroupData>, 'data'>;

const resource: ListResource<GroupData, View> = {
  name: 'Group',
  path: '/instances/{instance}/groups/',
  item: 'id',
  access: {
    owner: allRights,
    full: allRights,
    write: allRights,
    read: 'LG',
    apiKey: 'LG',
    allowGroupCreate: 'C',
  },
  fields: groupFields,
  links: groupLinks,
  parameters: prefixParameters('label'),
  key: ({ instance, params }) =>
    instance === undefined || params.id === undefined
      ? undefined
      : groupEntity.key(instance, params.id),
  counter: idsFrom('group'),
  rows: (context, range) => {
    const prefix = queryValue(context.request.query, 'label__startswith') ?? '';
    const { pk } = groupEntity.key(instanceOf(context), 0);
    return gather<GroupData>(
      range,
      (part) => rowsOf(context.platform.store, pk, groupPrefix, part),
      ({ item }) => item.data.label.startsWith(prefix),
    );
  },
  view: (_, items) => Promise.resolve(items),
  show: (_, { data }) => groupValues(data),
  segment: ({ data }) => String(data.id),
  create: async (context, body) => {
    const input = await checked(context, body, 'create');
    const data = { id: reservedId(context), ...input } as GroupData; // validated
    const put = insert(groupEntity, groupEntity.key(instanceOf(context), data.id), data);
    const names = nameWrites(context, undefined, data);
    await commitUnique(context, [...names, put], (write) => (write === put ? undefined : taken()));
    return { data };
  },
  update: async (context, { current, body, mode }) => {
    const input = await checked(context, body, mode, current.data);
    const data: GroupData = { ...current.data, ...input };
    const names = nameWrites(context, current.data, data);
    await commitUnique(context, [...names, replace(current, data)], taken);
    return { data };
  },
  remove: async (context, current) => {
    const { store } = context.platform;
    const key = deletedGroupsEntity.key(instanceOf(context));
    const deleted = as(deletedGroupsEntity, (await store.get([key]))[0]);
    const groups = [...(deleted?.data.groups ?? []), current.data.id];
    // users, objects and classes may still name it: the clean-up deletes it from them, and then from this list
    await commit(context, [
      ...nameWrites(context, current.data, undefined),
      remove(current),
      deleted === undefined
        ? insert(deletedGroupsEntity, key, { groups })
        : replace(deleted, { groups }),
      newJob(context.platform, clearGroup, {
        instance: instanceOf(context),
        group: current.data.id,
      }),
    ]);
  },
};

function taken() {
  return invalid({ name: [messages.unique] });
}

/** Reads a body; a name that is taken is reported together with all other errors. */
async function checked(
  context: Context,
  body: Body,
  mode: InputMode,
  current?: GroupData,
): Promise<Partial<GroupData>> {
  const { values, errors } = readInput(groupFields, body, mode);
  const input = values as Partial<GroupData>; // validated
  if (errors === undefined) return input;
  const { name = null } = input;
  if (name === null || name === current?.name) throw invalid(errors);
  const [other] = await context.platform.store.get([
    groupNameEntity.key(instanceOf(context), name),
  ]);
  throw invalid(other === undefined ? errors : { ...errors, name: [messages.unique] });
}

/** Returns writes that take the new name and free the old one, where they differ. */
function nameWrites(
  context: Context,
  before: GroupData | undefined,
  after: GroupData | undefined,
): readonly Write[] {
  const [old = null, name = null] = [before?.name, after?.name];
  if (old === name) return [];
  const instance = instanceOf(context);
  return [
    ...(name === null
      ? []
      : [
          insert(groupNameEntity, groupNameEntity.key(instance, name), {
            group: after?.id ?? 0,
          }),
        ]),
    ...(old === null ? [] : [erase(groupNameEntity.key(instance, old))]),
  ];
}

export const groupRoutes = listRoutes(resource);
