import type { PushEnvironment, PushProvider, PushScope } from '../../../push/rules/provider.ts';

/** Returns the name of the application of a place; that of an endpoint has a slash and the token in addition. */
export function applicationName({ instance, provider, environment }: PushScope): string {
  return `${instance}/${provider}/${environment}`;
}

/** Splits the name of an application or endpoint of one machine; a token has no slash. */
export function readPushName(name: string): { readonly scope: PushScope; readonly token: string } {
  const [instance = '', provider = '', environment = '', token = ''] = name.split('/');
  const scope = {
    instance: Number(instance),
    provider: provider as PushProvider, // made by `applicationName`
    environment: environment as PushEnvironment,
  };
  return { scope, token };
}
