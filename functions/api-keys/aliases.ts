import { maxAliases } from '../../shared/accounts/rules/max-aliases.ts';
import {
  allRights,
  type Context,
  computed,
  endpointRoute,
  instanceOf,
  type LoadedOf,
  notFound,
  recordAt,
  validInput,
} from '../../shared/core/family.ts';
import { findAlias } from '../../shared/core/pipeline/caller/aliases.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored } from '../../shared/store/store.ts';
import { checkUnchanged, updateItem } from '../../shared/store/writes.ts';
import { apiKeyEntity, instanceNameEntity } from '../../shared/table/entities/instances.ts';
import type {
  AliasData,
  ApiKeyData,
  InstanceNameData,
} from '../../shared/table/records/records.ts';
import {
  type ApiError,
  countExceeded,
  invalid,
  parentNotFound,
} from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { aliasMac, isCurrent } from '../../shared/values/keys/credentials.ts';
import { ownerOfData } from '../../shared/values/keys/data-ids.ts';
import { aliasFields } from './fields.ts';

const loads = { key: recordAt(apiKeyEntity, ['instance', '{id}']) };
type AliasContext = Context<LoadedOf<typeof loads>>;

/** The aliases of an API key: keys of another service that stand for it (docs/reference/keys.md#aliases). */
export const aliasRoute = endpointRoute({
  name: 'Api Key Aliases',
  description: 'Manage old keys that stand for an API key.',
  operationNames: {
    GET: { id: 'listApiKeyAliases', summary: 'List the aliases of an API key' },
    POST: { id: 'addApiKeyAlias', summary: 'Add an alias to an API key' },
    DELETE: { id: 'deleteApiKeyAliases', summary: 'Delete all aliases of an API key' },
  },
  path: '/instances/{instance}/api_keys/{id}/aliases/',
  v1Path: null,
  access: { owner: allRights, full: allRights },
  isUntemplated: true,
  loads,
  forms: { POST: aliasFields },
  response: {
    fields: { aliases: computed('list', { child: computed('string') }) },
    name: 'Api Key Aliases',
  },
  operations: {
    GET: {
      right: 'G',
      run: async (context) =>
        aliasesResponse(aliasesOf(keyOf(context), context.instanceName?.data.aliases)),
    },
    POST: { right: 'C', run: add },
    DELETE: {
      right: 'D',
      run: async (context) => {
        const { id } = keyOf(context);
        await change(context, (aliases) => ({
          aliases: aliases.filter(({ key }) => key !== id),
        }));
        return { status: 204 };
      },
    },
  },
});

/** Returns the API key of the path. */
function keyOf({ loaded }: AliasContext): ApiKeyData {
  if (loaded.key === undefined) throw notFound();
  return loaded.key.data;
}

function aliasesResponse(aliases: readonly AliasData[]) {
  return { status: 200, body: { aliases: aliases.map(({ last_four }) => last_four) } };
}

function aliasesOf(key: ApiKeyData, aliases: readonly AliasData[] = []): readonly AliasData[] {
  return aliases.filter((alias) => isOf(key, alias));
}

/** Checks whether an alias is of an API key as it is: not reset since. */
function isOf(key: ApiKeyData, { key: record, generation, secret_version }: AliasData): boolean {
  const claims = { kind: 'apiKey', version: secret_version, scope: 0, record, generation } as const;
  return key.id === record && isCurrent(claims, key);
}

async function add(context: AliasContext) {
  const { secrets, store } = context.platform;
  const body = await context.body();
  const { id } = keyOf(context);
  const { alias: text } = validInput(aliasFields, body, 'create');
  const instance = ownerOfData(instanceOf(context));
  const changed = await change(context, async (aliases) => {
    const ids = [...new Set([id, ...aliases.map((each) => each.key)])];
    const keys = await apiKeyEntity.readAll(
      store,
      ids.map((each) => [instance, each] as const),
    );
    const [key] = keys;
    if (key === undefined) throw notFound(); // deleted since
    const { secret_version, generation } = key.data;
    const version = await secrets.get(secret_version);
    if (version === undefined) {
      throw aliasError('The secret of the API key was retired: reset the key.');
    }
    const living = aliases.filter((alias) => keys.some((each) => each && isOf(each.data, alias)));
    if (await findAlias(text, { instance, aliases: living }, secrets))
      throw aliasError(messages.unique);
    if (living.length >= maxAliases) throw countExceeded('Alias', maxAliases);
    const mac = aliasMac(text, instance, version.secret);
    const last_four = text.slice(-4).toLowerCase();
    return { aliases: [...living, { mac, key: id, last_four, secret_version, generation }], key };
  });
  return aliasesResponse(aliasesOf(changed.key.data, changed.aliases));
}

function aliasError(message: string): ApiError {
  return invalid({ alias: [message] });
}

interface Changed {
  readonly aliases: readonly AliasData[];
  /** An API key that must not have been reset or deleted in the meantime. */
  readonly key?: Stored<ApiKeyData>;
}

/** Changes the aliases of an instance; retries after a write conflict. */
function change<To extends Changed>(
  context: AliasContext,
  to: (aliases: readonly AliasData[]) => To | Promise<To>,
): Promise<To> {
  return retryOnConflict(async (isFirst) => {
    const name = isFirst ? context.instanceName : await readName(context);
    if (name === undefined) throw parentNotFound('Instance'); // deleted or renamed since
    const { aliases: before = [], ...others } = name.data;
    const changed = await to(before);
    const { aliases, key } = changed;
    const data = aliases.length === 0 ? others : { ...others, aliases };
    const update = updateItem<InstanceNameData>(name, data);
    await commit(context, key === undefined ? [update] : [update, checkUnchanged(key)]);
    return changed;
  });
}

function readName({
  platform,
  params,
}: AliasContext): Promise<Stored<InstanceNameData> | undefined> {
  return instanceNameEntity.read(platform.store, params.instance ?? '');
}
