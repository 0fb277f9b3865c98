import { readOwners } from '../../shared/accounts/accounts.ts';
import {
  type Context,
  callingAccount,
  type Family,
  type ListOf,
  listRoutes,
  prefixParameters,
  recordAt,
  rowsOf,
  showFields,
} from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import { cut, gather, type ListItem } from '../../shared/core/resource/page.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored } from '../../shared/store/store.ts';
import { putItem, updateItem } from '../../shared/store/writes.ts';
import { deploymentCounter } from '../../shared/table/counters.ts';
import { memberEntity } from '../../shared/table/entities/accounts.ts';
import { instanceEntity, instanceMetadataEntity } from '../../shared/table/entities/instances.ts';
import type { InstanceData } from '../../shared/table/records/records.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import type { ItemRange } from '../../shared/values/paging.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import { adminRoutes } from './admins.ts';
import { configRoute } from './config.ts';
import { createInstance } from './create.ts';
import { instanceFields, instanceRenameFields } from './fields.ts';
import { grants } from './grants.ts';
import { invitationRoutes } from './invitations.ts';
import { jobs } from './jobs.ts';
import { instanceLinks } from './links.ts';
import { removeInstance, renameInstance } from './names.ts';
import { hideFromOutsiders } from './visible.ts';

/** An instance joined with its owner, its metadata and the caller's role in it. */
interface View {
  readonly data: InstanceData;
  readonly metadata: JsonObject;
  readonly owner: JsonObject;
  readonly role: string;
}

const resource: ListOf<InstanceData, View, typeof instanceFields> = {
  name: 'Instance',
  operationNames: {
    delete: {
      id: 'deleteInstance',
      summary: 'Delete an instance',
      description:
        'The header X-Confirm-Name, where it is sent, must be the name of the instance; otherwise the response is 400, and the instance stays.',
    },
  },
  path: '/instances/',
  item: 'instance',
  hide: hideFromOutsiders,
  access: { account: 'LC', owner: 'GUDA', full: 'GU', write: 'G', read: 'G', apiKey: 'LG' },
  fields: instanceFields,
  links: instanceLinks,
  parameters: prefixParameters('name'),
  record: recordAt(instanceEntity, ['instance']),
  counter: () => deploymentCounter('instance'),
  readItems: (context, range) => {
    const prefix = queryValue(context.request.query, 'name__startswith') ?? '';
    const own = context.keyInstance; // an API key sees the one it belongs to
    const isWanted = ({ item }: ListItem<InstanceData>) => item.data.name.startsWith(prefix);
    if (own !== undefined)
      return Promise.resolve(cut([{ pk: own.data.id, item: own }].filter(isWanted), range));
    return gather(range, async (part) => await memberItems(context, part), isWanted);
  },
  view: views,
  show: showFields(instanceFields, ({ platform }, { owner, role, metadata }) => ({
    owner,
    role,
    location: platform.settings.location,
    metadata,
  })),
  segment: ({ data }) => data.name,
  create: async (context, input) => {
    const { data, metadata } = await createInstance(context, input.valid());
    const owners = await readOwners(context.platform.store, [data.owner]);
    return { data, metadata, owner: owners.get(data.owner) ?? {}, role: 'full' };
  },
  update: async (context, { current, input }) => {
    const { metadata, ...changes } = input.valid();
    const updated_at = timestamp(context.platform.clock.micros());
    const data: InstanceData = { ...current.data, ...changes, updated_at };
    const key = instanceMetadataEntity.key(data.id);
    await commit(context, [
      updateItem(current, data),
      ...(metadata === undefined ? [] : [putItem(instanceMetadataEntity, key, { metadata })]),
    ]);
    return viewOf(context, data);
  },
  remove: removeInstance,
  actions: [
    {
      path: 'rename/',
      name: 'Rename',
      operationName: { id: 'renameInstance', summary: 'Rename an instance' },
      fields: instanceRenameFields,
      run: async (context, current, body) =>
        viewOf(context, await renameInstance(context, current, body)),
    },
  ],
};

/** Returns the instances of the calling account; a membership may outlive its instance for a while. */
async function memberItems(
  context: Context,
  range: ItemRange,
): Promise<readonly { readonly pk: number; readonly item: Stored<InstanceData> | undefined }[]> {
  const { store } = context.platform;
  const account = callingAccount(context).data.id;
  const members = await rowsOf(store, memberEntity, [account], range);
  const items = await instanceEntity.readAll(
    store,
    members.map((member) => [member.pk]),
  );
  return members.map((member, at) => ({ pk: member.pk, item: items[at] }));
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
    instanceMetadataEntity.readAll(
      store,
      items.map(({ data }) => [data.id]),
    ),
    account === undefined
      ? []
      : memberEntity.readAll(
          store,
          items.map(({ data }) => [account, data.id]),
        ),
  ]);
  return items.map(({ data }, at) => ({
    data,
    owner: ownerFor(account, owners.get(data.owner)),
    metadata: metadata[at]?.data.metadata ?? {},
    role: account === undefined ? 'api_key' : (members[at]?.data.role ?? 'read'),
  }));
}

/** Returns the owner as the caller sees it: an API key is shown whose instance it is, and nothing of the account. */
function ownerFor(account: number | undefined, owner: JsonObject = {}): JsonObject {
  if (account !== undefined) return owner;
  const { id = null, email = null, first_name = null, last_name = null } = owner;
  return { id, email, first_name, last_name };
}

/** Instances: the tenants of the deployment. */
export const instances: Family = {
  name: 'instances',
  grants,
  jobs,
  places: {
    '/instances/': '/',
    '/instances/{instance}/': '/i/{instance}',
    '/instances/{instance}/rename/': '/i/{instance}/settings',
    '/instances/{instance}/admins/': '/i/{instance}/admins',
    '/instances/{instance}/invitations/': '/i/{instance}/admins',
    '/instances/{instance}/snippets/config/': '/i/{instance}/settings',
  },
  routes: [...listRoutes(resource), ...adminRoutes, ...invitationRoutes, configRoute],
};
