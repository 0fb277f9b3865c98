import { type Context, type LoadedOf, recordAt } from '../../../shared/core/family.ts';
import type { PushProvider } from '../../../shared/push/rules/provider.ts';
import { pushConfigEntity } from '../../../shared/table/entities/push.ts';

/** Returns loads of the configuration of a provider. */
export function configLoads(provider: PushProvider) {
  const config = recordAt(pushConfigEntity, ['instance'], (instance) =>
    pushConfigEntity.key(instance, provider),
  );
  return { config };
}

/** A request with the configuration of the provider. */
export type ConfigContext = Context<LoadedOf<ReturnType<typeof configLoads>>>;
