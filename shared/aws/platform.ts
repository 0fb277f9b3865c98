import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { openClock } from '../services/clock.ts';
import { openIds } from '../services/ids.ts';
import type { Platform } from '../services/ports.ts';
import type { Environment } from './environment.ts';
import { openLog } from './log.ts';
import { openSecrets } from './secrets.ts';
import { openStore } from './store.ts';
import { createClient } from './store-client.ts';

/** The platform of one function. */
export interface AwsPlatform extends Platform {
  /** Does ahead what the first call would wait for: connects to the table and fetches the secrets. Never fails. */
  warmUp(): Promise<void>;
}

/** Opens what AWS offers: the table, the master secrets, standard output as log. Makes no call by itself. */
export function openPlatform({ table, secret, logLevel, settings }: Environment): AwsPlatform {
  const clock = openClock();
  const nowMs = () => clock.micros() / 1000;
  const store = openStore({ table, client: createClient(), now: nowMs });
  const secrets = openSecrets({ client: new SecretsManagerClient({}), secret, nowMs });
  return {
    store,
    secrets,
    clock,
    ids: openIds(),
    log: openLog(logLevel),
    settings,
    warmUp: async () => {
      // What is wrong is told by the first call that needs an answer.
      await Promise.allSettled([store.connect(), secrets.current()]);
    },
  };
}
