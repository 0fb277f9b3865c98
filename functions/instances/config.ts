import {
  allRights,
  type Context,
  defineFields,
  endpointRoute,
  instanceOf,
  type LoadedOf,
  recordAt,
  validInput,
} from '../../shared/core/family.ts';
import { json } from '../../shared/core/resource/field.ts';
import type { Operation } from '../../shared/core/routing/route.ts';
import { commit } from '../../shared/store/commit.ts';
import { putItem } from '../../shared/store/writes.ts';
import { configEntity } from '../../shared/table/entities/instances.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { jsonObject } from '../../shared/values/values.ts';
import { hideFromOutsiders } from './visible.ts';

const limits = { maxKeys: 1024, maxKeyLength: 64, maxBytes: 262_144 };
const fields = defineFields({
  config: json(jsonObject({ name: 'Config', ...limits }), { putDefault: {}, shows: 'object' }),
});

const loads = { config: recordAt(configEntity, ['instance']) };
type Loaded = LoadedOf<typeof loads>;

function configOf({ loaded }: Context<Loaded>): JsonObject {
  return loaded.config?.data.config ?? {};
}

/** Replaces the whole configuration, by PATCH too (docs/reference/instances.md#config). */
function change(mode: 'replace' | 'patch'): Operation<Loaded> {
  return {
    right: 'U',
    run: async (context) => {
      const { config } = validInput(fields, await context.body(), mode);
      if (config === undefined) return { status: 200, body: { config: configOf(context) } };
      await commit(context, [
        putItem(configEntity, configEntity.key(instanceOf(context)), { config }),
      ]);
      return { status: 200, body: { config } };
    },
  };
}

/** The configuration that scripts of an instance read; it may hold secrets (docs/reference/instances.md#config). */
export const configRoute = endpointRoute({
  name: 'Config',
  noun: 'instance config',
  path: '/instances/{instance}/snippets/config/',
  access: { owner: allRights, full: allRights, write: 'G', read: 'G', ignoreAcl: 'G' },
  hide: hideFromOutsiders,
  loads,
  operations: {
    GET: {
      right: 'G',
      run: (context) => Promise.resolve({ status: 200, body: { config: configOf(context) } }),
    },
    PUT: change('replace'),
    PATCH: change('patch'),
  },
  forms: { PUT: fields },
});
