import { fileURLToPath } from 'node:url';
import { routes } from '../functions/api.ts';
import * as background from '../functions/jobs.ts';
import { dataFormat } from '../functions/migrations.ts';
import { referenceFiles } from '../functions/schema/reference/files.ts';
import { createConsole, isForConsole } from '../shared/console/console.ts';
import { consoleSteps } from '../shared/console/console-steps.ts';
import type { PackedFiles } from '../shared/console/packed-file.ts';
import { createServe } from '../shared/core/http/edge.ts';
import type { Dispatch } from '../shared/core/http/message.ts';
import { createHeadCheck } from '../shared/core/pipeline/admission.ts';
import { createDispatch } from '../shared/core/pipeline/dispatch.ts';
import { runBackupProcess } from '../shared/platforms/local/backup/backup-process.ts';
import {
  type ScheduledBackups,
  startBackups,
} from '../shared/platforms/local/backup/scheduled-backups.ts';
import { readLastBackups } from '../shared/platforms/local/backup/work-folder.ts';
import {
  environmentVariables,
  readScheduledBackups,
} from '../shared/platforms/local/environment.ts';
import { type Launcher, openLauncher } from '../shared/platforms/local/launcher/launcher.ts';
import type { Monitoring } from '../shared/platforms/local/metrics/monitoring.ts';
import { type LocalPlatform, openPlatform } from '../shared/platforms/local/platform.ts';
import { checkProxySocket } from '../shared/platforms/local/server/proxies.ts';
import {
  parseServeOptions,
  serverUsage,
  UsageError,
} from '../shared/platforms/local/server/serve-options.ts';
import {
  type LocalServer,
  type ServerOptions,
  startServer,
} from '../shared/platforms/local/server/server.ts';
import { StartError } from '../shared/platforms/local/server/start-error.ts';
import { processVariables } from '../shared/ports/setting-variables.ts';
import { unknownSetting, unknownVariables } from '../shared/ports/unknown-variables.ts';
import { responseTemplates } from '../shared/templates/response-templates.ts';
import { messageOf } from '../shared/values/caught.ts';
import { inBackground } from '../shared/values/promises/in-background.ts';
import { apiKeyVariable, variables as commandVariables } from './groundwork/settings.ts';
import { greet, reachableUrl } from './server/greeting.ts';
import { planStart, type StartOptions } from './server/plan-start.ts';

const brotliQuality = 5; // compresses the page of all operations in milliseconds
const commandProgram = fileURLToPath(new URL('groundwork.mjs', import.meta.url));
const echoMs = 500; // npm passes on a signal that the terminal has sent to this process as well

/**
 * Runs the server with the options of the command line.
 *
 * @param launcherProcess the launcher of child processes, started before anything else was opened
 * @param readConsole returns the files of the console
 */
export async function main(
  launcherProcess: Parameters<typeof openLauncher>[0],
  readConsole: () => PackedFiles,
): Promise<void> {
  try {
    const options = parseServeOptions(process.argv.slice(2));
    process.stdout.write(options === 'help' ? serverUsage : describeUnknown());
    if (options !== 'help') await run(options, openLauncher(launcherProcess), readConsole);
  } catch (error) {
    if (error instanceof UsageError) fail(`${error.message} (see --help)`, 2);
    else if (error instanceof StartError) fail(error.message, 1);
    else fail(messageOf(error), 1);
  }
}

const lostLauncher = 'the launcher of child processes has ended: so does the server';

async function run(
  options: StartOptions,
  launcher: Launcher,
  readConsole: () => PackedFiles,
): Promise<void> {
  const {
    listening,
    platform: planned,
    monitoring,
    publicUrl,
    operatorMail,
    mails,
    flush,
  } = planStart(options);
  let server: LocalServer | undefined;
  const url = () => publicUrl ?? reachableUrl(server?.url ?? '');
  let sayReady = (_isReady: boolean) => {};
  const ready = new Promise<boolean>((resolve) => {
    sayReady = resolve;
  });
  const platform = await openPlatform({
    ...planned,
    scripts: { ...planned.scripts, launcher },
    background: { ...background, dataFormat },
    url,
    ready,
  });
  let opened: Opened;
  try {
    opened = await open(platform, { monitoring, readConsole, operatorMail, ...listening });
    server = opened.server;
    sayReady(true);
  } catch (error) {
    sayReady(false);
    await platform.close();
    throw error;
  }
  const { described, backups } = opened;
  const { stop, url: address } = server;
  const close = async () => {
    await Promise.all([stop(), backups?.close()]);
    await platform.close();
    flush();
  };
  onSignal(close);
  endWithLauncher(platform, close);
  process.stdout.write(
    await greet(platform, {
      url: address,
      browserUrl: url(),
      described,
      mails,
    }),
  );
  process.stdout.write(`${await platform.scripts.selfTest()}\n`);
}

interface Served extends Pick<ServerOptions, 'host' | 'port' | 'proxies'> {
  readonly monitoring: Monitoring;
  readonly readConsole: () => PackedFiles;
}

interface Opened {
  /** What isolates scripts, in words. */
  readonly described: string;
  readonly backups: ScheduledBackups | undefined;
  readonly server: LocalServer;
}

/** Opens what uses the platform, after a check of the sandbox of scripts. */
async function open(
  platform: LocalPlatform,
  { operatorMail, ...served }: Served & { readonly operatorMail: string | undefined },
): Promise<Opened> {
  const described = await platform.scripts.describe();
  await checkProxySocket(served.proxies, platform.scripts.canOpenSocket);
  const backups = await openBackups(platform, operatorMail);
  try {
    return { described, backups, server: await openServer(platform, served) };
  } catch (error) {
    await backups?.close();
    throw error;
  }
}

/** Serves the interface, the console and metrics. */
async function openServer(
  platform: LocalPlatform,
  { monitoring, readConsole, ...place }: Served,
): Promise<LocalServer> {
  let server: LocalServer | undefined;
  const meter = monitoring.counting(platform.meter);
  const metrics = await monitoring.open({ platform, load: () => server?.load() });
  const serve = metrics.serving(withConsole({ ...platform, meter }, readConsole));
  const headCheck = createHeadCheck(routes, platform);
  const {
    url,
    load,
    stop: stopServer,
  } = await startServer({ ...platform, serve, headCheck, ...place });
  const stop = async () => {
    await metrics.close();
    await stopServer();
  };
  server = { url, load, stop };
  try {
    await metrics.listen();
  } catch (error) {
    await stop();
    throw error;
  }
  return server;
}

/** Starts the backups by schedule, if a target is set. */
async function openBackups(
  platform: LocalPlatform,
  operatorMail: string | undefined,
): Promise<ScheduledBackups | undefined> {
  const { folder } = platform;
  const settings = readScheduledBackups();
  if (settings === undefined) return undefined;
  if (folder === undefined) throw new StartError('GROUNDWORK_BACKUP_TO needs a data folder');
  const { metrics } = platform;
  const { success } = await readLastBackups(folder);
  if (success !== undefined) metrics.backedUp(Date.parse(success.at));
  const onResult = (result: 'ok' | 'failed') => {
    metrics.countBackup(result === 'ok' ? 'done' : 'failed');
    if (result === 'ok') metrics.backedUp(platform.clock.micros() / 1000);
  };
  const run = (to: string, signal: AbortSignal) =>
    runBackupProcess(commandProgram, { folder, to, signal });
  return startBackups({ ...platform, folder, settings, operatorMail, onResult, run });
}

/** Ends this process when the launcher has ended: no script can run without it. */
function endWithLauncher({ lost, log }: LocalPlatform, close: () => Promise<void>): void {
  const end = async () => {
    log({ level: 'error', message: lostLauncher });
    await close();
    process.exit(1);
  };
  inBackground(lost.then(end), (error) => fail(messageOf(error), 1));
}

/** Returns a line for each variable of the environment that looks like a setting and is none. */
function describeUnknown(): string {
  const settings = environmentVariables.map(({ variable }) => variable);
  const known = [...settings, ...Object.values(commandVariables), apiKeyVariable];
  const unknown = unknownVariables(processVariables(), known);
  return unknown.map((name) => `Ignored: ${unknownSetting(name, settings)}\n`).join('');
}

/** Connects the whole map to this platform. */
function connect(platform: LocalPlatform): Dispatch {
  return platform.track(createDispatch(routes, platform, { renderer: responseTemplates }));
}

/** Returns the function that serves the interface, and the console with the page of all operations at their paths. */
function withConsole(platform: LocalPlatform, readConsole: () => PackedFiles): Dispatch {
  const serve = createServe({ ...platform, dispatch: connect(platform) });
  const steps = consoleSteps(platform, () => [new URL(platform.apiUrl()).origin]);
  const reference = () => referenceFiles(routes, brotliQuality);
  const dispatch = createConsole({ console: readConsole, reference });
  const serveConsole = createServe({ ...platform, dispatch }, steps);
  return (request) => (isForConsole(request.path) ? serveConsole : serve)(request);
}

/** Closes the process cleanly at the first signal, and ends it at once at the second. */
function onSignal(close: () => Promise<void>): void {
  let firstAt: number | undefined;
  const end = () => {
    if (firstAt !== undefined) {
      if (performance.now() - firstAt > echoMs) process.exit(1);
      return;
    }
    firstAt = performance.now();
    inBackground(
      close().then(() => process.exit(0)),
      (error) => fail(messageOf(error), 1),
    );
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}

function fail(reason: string, code: 1 | 2): never {
  process.stderr.write(`groundwork: ${reason}\n`);
  process.exit(code);
}
