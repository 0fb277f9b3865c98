import {
  allRights,
  type Context,
  endpointRoute,
  type Fields,
  type Route,
} from '../../../shared/core/family.ts';
import { type Link, linkPath, linksOf } from '../../../shared/core/resource/links.ts';
import type { Operation } from '../../../shared/core/routing/route.ts';
import type { PushProvider } from '../../../shared/push/rules/provider.ts';
import type { PushConfigData } from '../../../shared/table/records/push.ts';
import type { JsonObject } from '../../../shared/values/json/json.ts';
import { providerNames, providerPath } from '../paths.ts';
import { configOf } from './config-save.ts';
import { type ConfigContext, configLoads } from './loads.ts';

/** Rights to see and change credentials. */
export const configAccess = { owner: allRights, full: allRights, write: allRights, read: 'LG' };

/** The provider-specific parts of a configuration. */
export interface ConfigForm {
  readonly fields: Fields;
  readonly links: readonly Link<PushConfigData>[];
  readonly show: (config: PushConfigData, context: Context) => JsonObject | Promise<JsonObject>;
  readonly change: (context: ConfigContext, mode: 'replace' | 'patch') => Promise<PushConfigData>;
}

/** Returns a configuration as responses show it. */
export async function showConfig(
  context: Context,
  provider: PushProvider,
  {
    form: { show, links },
    config,
  }: { readonly form: Pick<ConfigForm, 'show' | 'links'>; readonly config: PushConfigData },
) {
  const self = linkPath(context, { 'v1.1': configPath(provider), v1: configPath(provider) });
  return { ...(await show(config, context)), links: linksOf(context, links, self, config) };
}

/** Returns the path of a provider's configuration below the version. */
export function configPath(provider: PushProvider): string {
  return `${providerPath(provider)}config/`;
}

/** Returns the route of a provider's configuration. */
export function pushConfigRoute(provider: PushProvider, form: ConfigForm): Route {
  const update = (mode: 'replace' | 'patch'): Operation<ConfigContext['loaded']> => ({
    right: 'U',
    run: async (context) => {
      const config = await form.change(context, mode);
      return { status: 200, body: await showConfig(context, provider, { form, config }) };
    },
  });
  const { fields, links } = form;
  return endpointRoute({
    name: `${providerNames[provider]} Config`,
    path: configPath(provider),
    access: configAccess,
    loads: configLoads(provider),
    operations: {
      GET: {
        right: 'G',
        run: async (context) => ({
          status: 200,
          body: await showConfig(context, provider, { form, config: configOf(context) }),
        }),
      },
      PUT: update('replace'),
      PATCH: update('patch'),
    },
    forms: { PUT: fields, links },
    response: { fields, links },
  });
}
