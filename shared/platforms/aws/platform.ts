import { loggingMailer } from '../../accounts/mail/logging-mailer.ts';
import { hashAside } from '../../accounts/rules/hash-aside.ts';
import type { SocialConfiguration } from '../../accounts/social.ts';
import { openClock } from '../../ports/clock.ts';
import type { Egress } from '../../ports/egress/egress.ts';
import { openEgress } from '../../ports/egress/open-egress.ts';
import { openIds } from '../../ports/ids.ts';
import { openFreeScans } from '../../ports/limits/scans.ts';
import type { Clock, Platform } from '../../ports/ports.ts';
import type { RequestLog } from '../../ports/request-log.ts';
import type { ScriptRun } from '../../ports/script-runner.ts';
import type { SocialBackend, SocialVerifier } from '../../ports/social-verifier.ts';
import { endedMs } from '../../scripts/runs/run-times.ts';
import { openMeter } from '../../usage/meter.ts';
import { openQuotas } from '../../usage/quotas.ts';
import type { Environment } from './environment.ts';
import { openFiles } from './files.ts';
import { type LateWork, openLateWork } from './lifetime/late-work.ts';
import { openLog } from './log/log.ts';
import { openMailer } from './mailer.ts';
import { openMessages } from './messages/messages.ts';
import { once } from './once.ts';
import type { SenderOptions } from './push.ts';
import { type DataGuard, openDataGuard } from './requests/data-guard.ts';
import type { RunsOptions } from './scripts/runs.ts';
import type { AwsScripts } from './scripts/scripts.ts';
import { clientOf, openSecrets } from './secrets.ts';
import type { SlotServices } from './slots/items.ts';
import { countRequests, createClient } from './store/client.ts';
import { openStore } from './store/store.ts';
import { openVault } from './vault.ts';

const maxWaitMs = 27_000; // a function has 29 s for its response

/** The platform of one function. */
export interface AwsPlatform extends Platform {
  readonly data: DataGuard;
  loadScripts(): Promise<AwsScripts>;
  /** Work that continues after responses. */
  readonly late: LateWork;
  /** Prepares the first request: reads the data version, which opens a connection, and the secrets. Never fails. */
  warmUp(): Promise<void>;
}

/** Opens AWS services: table, master secrets, files, mail, standard output as log. Sends no request by itself. */
export function openPlatform(environment: Environment): AwsPlatform {
  const { table, secret, push, logLevel, metrics, mailFrom, apiUrl, settings, publicSettings } =
    environment;
  const [clock, ids, client] = [openClock(), openIds(), createClient()];
  const nowMs = () => clock.micros() / 1000;
  const store = openStore({ table, client, now: nowMs });
  const log = openLog({ level: logLevel, metrics, tableRequests: countRequests(client) });
  const secrets = openSecrets({ client: clientOf(secret), secret, nowMs, log });
  const scripts = openLateScripts(environment, { store, clock, ids, log });
  const late = openLateWork();
  const meter = openMeter({ store, clock, ids, log });
  const changes = { settled: () => Promise.resolve() };
  const services = {
    store,
    secrets,
    clock,
    ids,
    log,
    apiUrl: () => apiUrl,
    meter,
    quotas: openQuotas({ store, clock, meter, settings, ...changes }),
    files: openFiles(environment.files),
    scripts: {
      run: async (run: ScriptRun) => (await scripts()).run(run),
      settled: async () => (await scripts()).settled(),
    },
  };
  const data = openDataGuard(services);
  const egress = openEgress({ log, allowed: settings.egressAllow });
  return {
    ...services,
    data,
    loadScripts: scripts,
    scriptIsolation: () => Promise.resolve('lambda'),
    late,
    messages: openMessages(services, environment),
    mailer: mailFrom === undefined ? loggingMailer(log) : openMailer({ from: mailFrom }),
    push: openLateSender(push),
    vault: openVault({ key: push.key, secrets }),
    egress,
    social: openLateVerifiers(environment.social, egress),
    settings,
    publicSettings,
    scans: openFreeScans(),
    passwords: { run: (job) => hashAside(job) }, // a function serves one request at a time
    runs: openLateRuns({ services, late }, scripts),
    templates: openLateTemplates(),
    certificates: readCertificate,
    requestLog: openLateRequestLog(environment, clock),
    changes,
    warmUp: async () => {
      // Errors are reported by the first request that needs a response.
      await Promise.allSettled([data.check(), secrets.current()]);
    },
  };
}

/** Opens the verifiers of the configured services at the first log-in: most functions never see one. */
function openLateVerifiers(social: SocialConfiguration, egress: Egress): Platform['social'] {
  const verifier =
    (backend: SocialBackend): SocialVerifier =>
    async (...args) => {
      const { createVerifiers } = await import('../../accounts/social.ts');
      return createVerifiers(social, egress)[backend]?.(...args);
    };
  return {
    ...(social.facebook && { facebook: verifier('facebook') }),
    ...(social.google && { 'google-oauth2': verifier('google-oauth2') }),
    ...(social.github && { github: verifier('github') }),
  };
}

/** Opens the sender of push messages at the first of them: most functions never send one. */
function openLateSender(options: SenderOptions): Platform['push'] {
  const sender = once(async () => (await import('./push.ts')).openSender(options));
  return {
    mode: 'send',
    openApplication: async (...args) => (await sender()).openApplication(...args),
    closeApplication: async (...args) => (await sender()).closeApplication(...args),
    createEndpoint: async (...args) => (await sender()).createEndpoint(...args),
    setEndpoint: async (...args) => (await sender()).setEndpoint(...args),
    removeEndpoint: async (...args) => (await sender()).removeEndpoint(...args),
    publish: async (...args) => (await sender()).publish(...args),
  };
}

/** Opens scripts at the first run: most functions never run one. */
function openLateScripts(
  { scripts: { prefix }, table, waitingRuns: mostWaiting }: Environment,
  services: SlotServices,
): () => Promise<AwsScripts> {
  return once(async () => {
    const [{ openScripts }, { openStartRun }, { openScriptDeployment }] = await Promise.all([
      import('./scripts/scripts.ts'),
      import('./scripts/invoke-later.ts'),
      import('./deployment-id.ts'),
    ]);
    const readDeployment = openScriptDeployment({ prefix, table, services });
    return openScripts({
      ...services,
      readDeployment,
      mostWaiting,
      startRun: openStartRun(prefix),
    });
  });
}

/** Opens background runs at the first of them. */
function openLateRuns(
  options: Pick<RunsOptions, 'services' | 'late'>,
  scripts: () => Promise<AwsScripts>,
): Platform['runs'] {
  const { clock } = options.services;
  const runs = once(async () => {
    const { openRuns } = await import('./scripts/runs.ts');
    const { waitingRuns } = await scripts();
    return openRuns({ ...options, waitingRuns });
  });
  return {
    maxWaitMs,
    isOver: (sinceMs) => clock.micros() / 1000 - sinceMs >= endedMs, // it may have waited before
    start: async (run) => (await runs()).start(run),
    wait: async (request, ms) => (await runs()).wait(request, ms),
  };
}

/** Opens the request log at the first read of it: one function reads. */
function openLateRequestLog(
  { requestLog, logLevel, logGroups: groups }: Environment,
  clock: Clock,
): RequestLog {
  const read = once(async () => {
    const { openRequestReader } = await import('./log/request-log.ts');
    return openRequestReader({ groups, clock });
  });
  const off = requestLog === 'off' || logLevel === 'error';
  return {
    offReason: off ? 'The request log of this deployment is switched off.' : undefined,
    read: async (...args) => (await read())(...args),
  };
}

/** Opens the template engine, which is loaded at its first use. */
function openLateTemplates(): Platform['templates'] {
  const templates = once(async () => (await import('./templates.ts')).openTemplates());
  return {
    check: async (source, tenant) => (await templates()).check(source, tenant),
    render: async (source, variables, tenant) =>
      (await templates()).render(source, variables, tenant),
  };
}

/** Reads a certificate in the function itself, which serves one request at a time. */
const readCertificate: Platform['certificates'] = async (bytes) => {
  const { openPkcs12 } = await import('../../push/rules/pkcs12.ts'); // hardly any request needs it
  return openPkcs12(bytes);
};
