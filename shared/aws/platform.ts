import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { openClock } from '../services/clock.ts';
import { openIds } from '../services/ids.ts';
import { loggingMailer } from '../services/mailers.ts';
import { openMeter } from '../services/meter.ts';
import type { Platform } from '../services/ports.ts';
import { createVerifiers } from '../services/social.ts';
import type { Environment } from './environment.ts';
import { openFiles } from './files.ts';
import { openLog } from './log.ts';
import { openMailer } from './mailer.ts';
import { openSender } from './push.ts';
import { openSecrets } from './secrets.ts';
import { openStore } from './store.ts';
import { createClient } from './store-client.ts';
import { openVault } from './vault.ts';

/** The platform of one function. */
export interface AwsPlatform extends Platform {
  /** Does ahead what the first call would wait for: connects to the table and fetches the secrets. Never fails. */
  warmUp(): Promise<void>;
}

/** Opens what AWS offers: the table, the master secrets, files, mail, standard output as log. Makes no call by itself. */
export function openPlatform(environment: Environment): AwsPlatform {
  const { table, secret, files, push, logLevel, settings, mailFrom, social, apiUrl } = environment;
  const clock = openClock();
  const nowMs = () => clock.micros() / 1000;
  const store = openStore({ table, client: createClient(), now: nowMs });
  const secrets = openSecrets({ client: new SecretsManagerClient({}), secret, nowMs });
  const log = openLog(logLevel);
  const ids = openIds();
  const notYet = () => Promise.reject(new Error('scripts do not run on AWS yet'));
  return {
    store,
    secrets,
    clock,
    ids,
    log,
    meter: openMeter({ store, clock, ids, log }),
    mailer: mailFrom === undefined ? loggingMailer(log) : openMailer({ from: mailFrom }),
    files: openFiles(files),
    push: openSender(push),
    vault: openVault(push),
    social: createVerifiers(social, fetch),
    settings,
    scripts: { run: notYet },
    runs: { start: notYet, wait: notYet },
    apiUrl: () => apiUrl,
    changes: { settled: () => Promise.resolve() },
    warmUp: async () => {
      // What is wrong is told by the first call that needs an answer.
      await Promise.allSettled([store.connect(), secrets.current()]);
    },
  };
}
