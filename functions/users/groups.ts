import {
  allRights,
  type Context,
  idsFrom,
  instanceOf,
  type ListOf,
  listRoutes,
  prefixParameters,
  recordAt,
  reservedId,
  rowsOf,
} from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import type { Input, InputMode, Values } from '../../shared/core/resource/input.ts';
import { gather } from '../../shared/core/resource/page.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { commit, commitUnique } from '../../shared/store/commit.ts';
import type { Stored, Write } from '../../shared/store/store.ts';
import {
  createItem,
  createOrUpdate,
  deleteIfExists,
  deleteItem,
  updateItem,
} from '../../shared/store/writes.ts';
import {
  deletedGroupsEntity,
  groupEntity,
  groupNameEntity,
} from '../../shared/table/entities/users.ts';
import type { GroupData } from '../../shared/table/records/records.ts';
import { clearGroup } from '../../shared/users/clear-group.ts';
import { groupFields } from '../../shared/users/fields.ts';
import { groupLinks } from '../../shared/users/show-user.ts';
import { invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';

/** A group, without joined records. */
type View = Pick<Stored<GroupData>, 'data'>;

const resource: ListOf<GroupData, View, typeof groupFields> = {
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
  record: recordAt(groupEntity, ['instance', '{id}']),
  counter: idsFrom('group'),
  readItems: (context, range) => {
    const prefix = queryValue(context.request.query, 'label__startswith') ?? '';
    const instance = instanceOf(context);
    return gather<GroupData>(
      range,
      (part) => rowsOf(context.platform.store, groupEntity, [instance], part),
      ({ item }) => item.data.label.startsWith(prefix),
    );
  },
  view: (_, items) => Promise.resolve(items),
  segment: ({ data }) => String(data.id),
  create: async (context, input) => {
    const draft = await readGroup(context, input);
    const data: GroupData = { id: reservedId(context), ...draft };
    const put = createItem(groupEntity, groupEntity.key(instanceOf(context), data.id), data);
    const names = nameWrites(context, undefined, data);
    await commitUnique(context, [...names, put], (write) =>
      write === put ? undefined : nameTaken(),
    );
    return { data };
  },
  update: async (context, { current, input }) => {
    const draft = await readGroup(context, input, current.data);
    const data: GroupData = { ...current.data, ...draft };
    const names = nameWrites(context, current.data, data);
    await commitUnique(context, [...names, updateItem(current, data)], nameTaken);
    return { data };
  },
  remove: async (context, current) => {
    const { store } = context.platform;
    const instance = instanceOf(context);
    const key = deletedGroupsEntity.key(instance);
    const deleted = await deletedGroupsEntity.read(store, instance);
    const groups = [...(deleted?.data.groups ?? []), current.data.id];
    // users, objects and classes may still name it: the clean-up deletes it from them, and then from this list
    await commit(context, [
      ...nameWrites(context, current.data, undefined),
      deleteItem(current),
      createOrUpdate(deletedGroupsEntity, { key, current: deleted }, { groups }),
      newJob(context.platform, clearGroup, {
        instance: instanceOf(context),
        group: current.data.id,
      }),
    ]);
  },
};

function nameTaken() {
  return invalid({ name: [messages.unique] });
}

/** Reads a body; a name that is taken is reported together with all other errors. */
async function readGroup<Mode extends InputMode>(
  context: Context,
  input: Input<typeof groupFields, Mode>,
  current?: GroupData,
): Promise<Values<typeof groupFields, Mode>> {
  const { values, errors } = input.read();
  if (errors === undefined) return values;
  const { name = null }: { readonly name?: string | null } = values;
  if (name === null || name === current?.name) throw invalid(errors);
  const other = await groupNameEntity.read(context.platform.store, instanceOf(context), name);
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
          createItem(groupNameEntity, groupNameEntity.key(instance, name), {
            group: after?.id ?? 0,
          }),
        ]),
    ...(old === null ? [] : [deleteIfExists(groupNameEntity.key(instance, old))]),
  ];
}

export const groupRoutes = listRoutes(resource);
