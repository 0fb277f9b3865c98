import { apiKey, firstKey, nextKey } from '../../shared/accounts/keys.ts';
import { computed, description, flag } from '../../shared/core/resource/field.ts';
import { validInput } from '../../shared/core/resource/input.ts';
import type { ListResource } from '../../shared/core/resource/lists/list-resource.ts';
import { listRoutes } from '../../shared/core/resource/lists/list-routes.ts';
import { cut, rowsOf } from '../../shared/core/resource/page.ts';
import { idsFrom, instanceOf, reservedId } from '../../shared/core/resource/place.ts';
import type { Context, Family } from '../../shared/core/resource/route.ts';
import { commit } from '../../shared/store/commit.ts';
import { apiKeyEntity, apiKeyPrefix } from '../../shared/store/entities.ts';
import type { ApiKeyData } from '../../shared/store/records/records.ts';
import type { Stored } from '../../shared/store/store.ts';
import { insert, remove, replace } from '../../shared/store/writes.ts';
import { allRights } from '../../shared/values/access.ts';
import { notFound } from '../../shared/values/errors/errors.ts';
import { timestamp } from '../../shared/values/timestamp.ts';

/** An API key's record with its text, which is computed for each response. */
interface View {
  readonly data: ApiKeyData;
  readonly text: string;
}

const resource: ListResource<ApiKeyData, View> = {
  name: 'Api Key',
  noun: 'API key',
  description: 'Manage API keys available for given instance.',
  path: '/instances/{instance}/api_keys/',
  item: 'id',
  access: { owner: allRights, full: allRights, apiKey: 'LG' },
  fields: {
    id: computed('integer'),
    description: description(),
    api_key: computed('field', { shows: 'string' }),
    ignore_acl: flag(),
    allow_user_create: flag(),
    allow_group_create: flag(),
    allow_anonymous_read: flag(),
    created_at: computed('datetime'),
  },
  links: [
    { name: 'self', type: 'detail', to: '' },
    { name: 'reset_key', type: 'key', to: 'reset_key/' },
  ],
  key: ({ instance, params }) => {
    if (instance === undefined || params.id === undefined) return undefined;
    return apiKeyEntity.key(instance, params.id);
  },
  counter: idsFrom('key'),
  authorizeItem: ({ actor }, { data }) => {
    if (actor.kind === 'apiKey' && actor.key !== data.id) throw notFound();
  },
  rows: async (context, range) => {
    const own = context.apiKey; // an API key sees itself and no other
    if (own !== undefined) return cut([{ pk: own.data.id, item: own }], range);
    const { store } = context.platform;
    const { pk } = apiKeyEntity.key(instanceOf(context), 0);
    return rowsOf<ApiKeyData>(store, pk, apiKeyPrefix, range);
  },
  view: (context, items) => Promise.all(items.map((item) => viewOf(context, item.data))),
  show: (_, { data, text }) => ({
    id: data.id,
    description: data.description,
    api_key: text,
    ignore_acl: data.ignore_acl,
    allow_user_create: data.allow_user_create,
    allow_group_create: data.allow_group_create,
    allow_anonymous_read: data.allow_anonymous_read,
    created_at: data.created_at,
  }),
  segment: ({ data }) => String(data.id),
  create: async (context, body) => {
    const input = validInput(resource.fields, body, 'create') as Writable; // validated
    const id = reservedId(context);
    const { platform } = context;
    const created_at = timestamp(platform.clock.micros());
    const data: ApiKeyData = { id, ...input, created_at, ...(await firstKey(platform)) };
    await commit(context, [insert(apiKeyEntity, apiKeyEntity.key(instanceOf(context), id), data)]);
    return viewOf(context, data);
  },
  update: (context, { current, body, mode }) =>
    change(context, current, validInput(resource.fields, body, mode)),
  remove: async (context, current) => {
    await commit(context, [remove(current)]);
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

type Writable = Omit<ApiKeyData, 'id' | 'created_at' | 'secret_version' | 'generation'>;

async function change(
  context: Context,
  current: Stored<ApiKeyData>,
  changes: Partial<ApiKeyData>,
): Promise<View> {
  const data: ApiKeyData = { ...current.data, ...changes };
  await commit(context, [replace(current, data)]);
  return viewOf(context, data);
}

async function viewOf(context: Context, data: ApiKeyData): Promise<View> {
  return { data, text: await apiKey(context.platform.secrets, instanceOf(context), data) };
}

/** The API keys of an instance. */
export const apiKeys: Family = { name: 'api-keys', routes: listRoutes(resource) };
