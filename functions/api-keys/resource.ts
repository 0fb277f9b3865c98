import { apiKey, firstKey, nextKey } from '../../shared/accounts/keys.ts';
import {
  allRights,
  type Context,
  type Family,
  idsFrom,
  instanceOf,
  type ListOf,
  listRoutes,
  notFound,
  recordAt,
  reservedId,
  rowsOf,
  showFields,
} from '../../shared/core/family.ts';
import { cut } from '../../shared/core/resource/page.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored } from '../../shared/store/store.ts';
import { createItem, deleteItem, updateItem } from '../../shared/store/writes.ts';
import { apiKeyEntity } from '../../shared/table/entities/instances.ts';
import type { ApiKeyData } from '../../shared/table/records/records.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import { aliasRoute } from './aliases.ts';
import { apiKeyFields } from './fields.ts';
import { grants } from './grants.ts';

/** An API key's record with its text, which is computed for each response. */
interface View {
  readonly data: ApiKeyData;
  readonly text: string;
}

const resource: ListOf<ApiKeyData, View, typeof apiKeyFields> = {
  name: 'Api Key',
  noun: 'API key',
  description: 'Manage API keys available for given instance.',
  path: '/instances/{instance}/api_keys/',
  item: 'id',
  access: { owner: allRights, full: allRights, apiKey: 'LG' },
  fields: apiKeyFields,
  links: [
    { name: 'self', type: 'detail', to: '' },
    { name: 'reset_key', type: 'key', to: 'reset_key/' },
  ],
  record: recordAt(apiKeyEntity, ['instance', '{id}']),
  counter: idsFrom('key'),
  authorizeItem: ({ actor }, { data }) => {
    if (actor.kind === 'apiKey' && actor.key !== data.id) throw notFound();
  },
  readItems: async (context, range) => {
    const own = context.apiKey; // an API key sees itself and no other
    if (own !== undefined) return cut([{ pk: own.data.id, item: own }], range);
    return rowsOf(context.platform.store, apiKeyEntity, [instanceOf(context)], range);
  },
  view: (context, items) => Promise.all(items.map((item) => viewOf(context, item.data))),
  show: showFields(apiKeyFields, (_, { text }) => ({ api_key: text })),
  segment: ({ data }) => String(data.id),
  create: async (context, input) => {
    const draft = input.valid();
    const id = reservedId(context);
    const { platform } = context;
    const created_at = timestamp(platform.clock.micros());
    const data: ApiKeyData = { id, ...draft, created_at, ...(await firstKey(platform)) };
    await commit(context, [
      createItem(apiKeyEntity, apiKeyEntity.key(instanceOf(context), id), data),
    ]);
    return viewOf(context, data);
  },
  update: (context, { current, input }) => change(context, current, input.valid()),
  remove: async (context, current) => {
    await commit(context, [deleteItem(current)]);
  },
  actions: [
    {
      path: 'reset_key/',
      name: 'Reset Key',
      operationName: { id: 'resetApiKey', summary: 'Reset an API key' },
      fields: {},
      run: async (context, current) =>
        change(context, current, await nextKey(context.platform.secrets, current.data)),
    },
  ],
};

async function change(
  context: Context,
  current: Stored<ApiKeyData>,
  changes: Partial<ApiKeyData>,
): Promise<View> {
  const data: ApiKeyData = { ...current.data, ...changes };
  await commit(context, [updateItem(current, data)]);
  return viewOf(context, data);
}

async function viewOf(context: Context, data: ApiKeyData): Promise<View> {
  return { data, text: await apiKey(context.platform.secrets, instanceOf(context), data) };
}

/** The API keys of an instance. */
export const apiKeys: Family = {
  name: 'api-keys',
  grants,
  places: { '/instances/{instance}/api_keys/': '/i/{instance}/keys' },
  routes: [...listRoutes(resource), aliasRoute],
};
