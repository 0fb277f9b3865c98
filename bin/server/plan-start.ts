import { setFlagsFromString } from 'node:v8';
import { api } from '../../functions/api.ts';
import { createVerifiers } from '../../shared/accounts/social.ts';
import { consoleName } from '../../shared/console/console.ts';
import { readEnvironment } from '../../shared/platforms/local/environment.ts';
import { openLog } from '../../shared/platforms/local/log/log.ts';
import { describeMails, planMailer } from '../../shared/platforms/local/mail/mailer.ts';
import { readMetricsAccess } from '../../shared/platforms/local/metrics/access.ts';
import { openMonitoring } from '../../shared/platforms/local/metrics/monitoring.ts';
import { readProxies } from '../../shared/platforms/local/server/proxies.ts';
import {
  defaultRegistration,
  type parseServeOptions,
  weakSandboxOf,
} from '../../shared/platforms/local/server/serve-options.ts';
import { openEgress } from '../../shared/ports/egress/open-egress.ts';
import { processVariables } from '../../shared/ports/setting-variables.ts';

/** Options of the command line, unless they ask for help. */
export type StartOptions = Exclude<ReturnType<typeof parseServeOptions>, 'help'>;

const families = [...api.map(({ name }) => name), consoleName];

/**
 * Reads the settings of a server from its command line and its environment, and opens its log.
 *
 * @throws StartError that names a variable and its valid values
 */
export function planStart({
  folder,
  host,
  port,
  scriptNetwork,
  sandbox,
  ...options
}: StartOptions) {
  const {
    logging,
    metrics,
    social: configured,
    url: publicUrl,
    ...environment
  } = readEnvironment();
  const { proxies: count, proxySecret, childBytes, logsRequests, ...more } = environment;
  const { heapGrowingPercent, ...others } = more;
  const { cacheBytes, packages, smtp, mailFrom, operatorMail, pushing, ...limits } = others;
  setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`);
  const proxies = readProxies({ socket: options.proxySocket, count, secret: proxySecret });
  const registration = options.registration ?? defaultRegistration(host, proxies !== undefined);
  const { log: write, flush } = openLog(logging);
  const egress = openEgress({ log: write, allowed: limits.egressAllow });
  const monitoring = openMonitoring(readMetricsAccess(metrics), write, families);
  const weakSandbox = weakSandboxOf({ host, ...options }, proxies !== undefined);
  const isolation = { network: scriptNetwork, level: sandbox, weakSandbox, packages };
  return {
    listening: { host, port, proxies },
    platform: {
      folder,
      log: monitoring.log,
      settings: { ...limits, registration },
      variables: processVariables(),
      egress,
      social: createVerifiers(configured, egress),
      openMailer: planMailer({ smtp, mailFrom, url: publicUrl, host }),
      cacheBytes,
      logsRequests,
      pushing,
      scripts: { isolation, childBytes },
    },
    monitoring,
    publicUrl,
    operatorMail,
    /** The line of the start about mails. */
    mails: describeMails({ smtp, mailFrom }),
    /** Writes the lines of the log that are still buffered. */
    flush,
  };
}
