import { readOwners } from '../../shared/accounts/accounts.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import { validInput } from '../../shared/core/resource/input.ts';
import type { ListResource } from '../../shared/core/resource/lists/list-resource.ts';
import { listRoutes } from '../../shared/core/resource/lists/list-routes.ts';
import { cut, gather, type Row, rowsOf } from '../../shared/core/resource/page.ts';
import { callingAccount } from '../../shared/core/resource/place.ts';
import { prefixParameters } from '../../shared/core/resource/query-parameters.ts';
import type { Context, Family } from '../../shared/core/resource/route.ts';
import { commit } from '../../shared/store/commit.ts';
import {
  as,
  deploymentCounter,
  instanceEntity,
  instanceMetadataEntity,
  memberEntity,
  memberPrefix,
} from '../../shared/store/entities.ts';
import type { InstanceData, MemberData } from '../../shared/store/records/records.ts';
import type { Stored } from '../../shared/store/store.ts';
import { store as put, replace } from '../../shared/store/writes.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import type { RowRange } from '../../shared/values/paging.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import { adminRoutes } from './admins.ts';
import { configRoute } from './config.ts';
import { createInstance } from './create.ts';
import { instanceFields, renameFields } from './fields.ts';
import { invitationRoutes } from './invitations.ts';
import { instanceLinks } from './links.ts';
import { removeInstance, renameInstance } from './names.ts';

/** An instance joined with its owner, its metadata and the caller's role in it. */
interface View {
  readonly data: InstanceData;
  readonly metadata: JsonObject;
  readonly owner: JsonObject;
  readonly role: string;
}

const resource: ListResource<InstanceData, View> = {
  name: 'Instance',
  path: '/instances/',
  item: 'instance',
  access: { account: 'LC', owner: 'GUDA', full: 'GU', write: 'G', read: 'G', apiKey: 'LG' },
  fields: instanceFields,
  links: instanceLinks,
  parameters: prefixParameters('name'),
  key: ({ instance }) => (instance === undefined ? undefined : instanceEntity.key(instance)),
  counter: () => deploymentCounter('instance'),
  rows: (context, range) => {
    const prefix = queryValue(context.request.query, 'name__startswith') ?? '';
    const own = as(instanceEntity, context.records.instanceOfKey); // an API key sees the one it belongs to
    const isWanted = ({ item }: Row<InstanceData>) => item.data.name.startsWith(prefix);
    if (own !== undefined)
      return Promise.resolve(cut([{ pk: own.data.id, item: own }].filter(isWanted), range));
    return gather(range, async (part) => await memberRows(context, part), isWanted);
  },
  view: views,
  show: (context, { data, owner, role, metadata }) => ({
    name: data.name,
    description: data.description,
    owner,
    created_at: data.created_at,
    updated_at: data.updated_at,
    role,
    location: context.platform.settings.location,
    metadata,
  }),
  segment: ({ data }) => data.name,
  create: async (context, body) => {
    const { data, metadata } = await createInstance(context, body);
    const owners = await readOwners(context.platform.store, [data.owner]);
    return { data, metadata, owner: owners.get(data.owner) ?? {}, role: 'full' };
  },
  update: async (context, { current, body, mode }) => {
    const { metadata, ...changes } = validInput(instanceFields, body, mode);
    const updated_at = timestamp(context.platform.clock.micros());
    const data: InstanceData = { ...current.data, ...changes, updated_at };
    const key = instanceMetadataEntity.key(data.id);
    await commit(context, [
      replace(current, data),
      ...(metadata === undefined
        ? []
        : [put(instanceMetadataEntity, key, { metadata: metadata as JsonObject })]), // validated
    ]);
    return viewOf(context, data);
  },
  remove: removeInstance,
  actions: [
    {
      path: 'rename/',
      name: 'Rename',
      operationName: { id: 'renameInstance', summary: 'Rename an instance' },
      fields: renameFields,
      run: async (context, current, body) =>
        viewOf(context, await renameInstance(context, current, body)),
    },
  ],
};

/** Returns the instances of the calling account; a membership may outlive its instance for a while. */
async function memberRows(
  context: Context,
  range: RowRange,
): Promise<readonly { readonly pk: number; readonly item: Stored<InstanceData> | undefined }[]> {
  const { store } = context.platform;
  const { pk } = memberEntity.key(callingAccount(context).data.id, 0);
  const members = await rowsOf<MemberData>(store, pk, memberPrefix, range);
  const items = await store.get(members.map((member) => instanceEntity.key(member.pk)));
  return members.map((member, at) => ({ pk: member.pk, item: as(instanceEntity, items[at]) }));
}

async function viewOf(context: Context, data: InstanceData): Promise<View> {
  const [view] = await views(context, [{ data }]);
  if (view === undefined) throw new Error('an instance has no view');
  return view;
}

/** Joins all instances in one step. */
async function views(
  context: Context,
  items: readonly Pick<Stored<InstanceData>, 'data'>[],
): Promise<readonly View[]> {
  const { store } = context.platform;
  const account = context.account?.data.id;
  const [owners, metadata, members] = await Promise.all([
    readOwners(
      store,
      items.map(({ data }) => data.owner),
    ),
    store.get(items.map(({ data }) => instanceMetadataEntity.key(data.id))),
    account === undefined
      ? []
      : store.get(items.map(({ data }) => memberEntity.key(account, data.id))),
  ]);
  return items.map(({ data }, at) => ({
    data,
    owner: owners.get(data.owner) ?? {},
    metadata: as(instanceMetadataEntity, metadata[at])?.data.metadata ?? {},
    role: account === undefined ? 'api_key' : (as(memberEntity, members[at])?.data.role ?? 'read'),
  }));
}

/** Instances: the tenants of the deployment. */
export const instances: Family = {
  name: 'instances',
  routes: [...listRoutes(resource), ...adminRoutes, ...invitationRoutes, configRoute],
};
