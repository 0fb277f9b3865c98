import { setFlagsFromString } from 'node:v8';
import { routes } from '../functions/api.ts';
import * as background from '../functions/jobs.ts';
import { dataFormat } from '../functions/migrations.ts';
import { referenceFiles } from '../functions/schema/reference/files.ts';
import { setUpCode } from '../shared/accounts/keys.ts';
import { createVerifiers } from '../shared/accounts/social.ts';
import { createConsole, isForConsole } from '../shared/console/console.ts';
import { consoleSteps } from '../shared/console/console-steps.ts';
import type { PackedFiles } from '../shared/console/packed-file.ts';
import { createServe } from '../shared/core/http/edge.ts';
import type { Dispatch } from '../shared/core/http/message.ts';
import { createHeadCheck } from '../shared/core/pipeline/admission.ts';
import { createDispatch } from '../shared/core/pipeline/dispatch.ts';
import { environmentVariables, readEnvironment } from '../shared/platforms/local/environment.ts';
import { type Launcher, openLauncher } from '../shared/platforms/local/launcher/launcher.ts';
import { openLog } from '../shared/platforms/local/log/log.ts';
import { type LocalPlatform, openPlatform } from '../shared/platforms/local/platform.ts';
import { checkProxySocket, readProxies } from '../shared/platforms/local/server/proxies.ts';
import {
  defaultRegistration,
  parseServeOptions,
  serverUsage,
  UsageError,
  weakSandboxOf,
} from '../shared/platforms/local/server/serve-options.ts';
import { type LocalServer, startServer } from '../shared/platforms/local/server/server.ts';
import { StartError } from '../shared/platforms/local/server/start-error.ts';
import { processVariables } from '../shared/ports/setting-variables.ts';
import { unknownSetting, unknownVariables } from '../shared/ports/unknown-variables.ts';
import { firstAccountEntity } from '../shared/table/entities/deployment.ts';
import { responseTemplates } from '../shared/templates/response-templates.ts';
import { messageOf } from '../shared/values/caught.ts';
import { inBackground } from '../shared/values/promises/in-background.ts';
import { apiKeyVariable, variables as commandVariables } from './groundwork/settings.ts';

const brotliQuality = 5; // compresses the page of all operations in milliseconds
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

type Options = Exclude<ReturnType<typeof parseServeOptions>, 'help'>;

async function run(
  { folder, host, port, scriptNetwork, sandbox, ...options }: Options,
  launcher: Launcher,
  readConsole: () => PackedFiles,
): Promise<void> {
  const environment = readEnvironment();
  const { logging, social: configured, url: publicUrl, proxies: count, ...others } = environment;
  const { proxySecret, cacheBytes, childBytes, heapGrowingPercent, packages, ...limits } = others;
  setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`);
  const proxies = readProxies({ socket: options.proxySocket, count, secret: proxySecret });
  const registration = options.registration ?? defaultRegistration(host, proxies !== undefined);
  const { log, flush } = openLog(logging);
  const settings = { ...limits, registration };
  const social = createVerifiers(configured, fetch);
  const weakSandbox = weakSandboxOf({ host, ...options }, proxies !== undefined);
  const isolation = { network: scriptNetwork, level: sandbox, weakSandbox, packages };
  const scripts = { isolation, launcher, childBytes };
  let server: LocalServer | undefined;
  const url = () => publicUrl ?? reachableUrl(server?.url ?? '');
  let sayReady = (_isReady: boolean) => {};
  const ready = new Promise<boolean>((resolve) => {
    sayReady = resolve;
  });
  const platform = await openPlatform({
    folder,
    log,
    settings,
    background: { ...background, dataFormat },
    url,
    social,
    cacheBytes,
    scripts,
    ready,
  });
  let described: string;
  try {
    described = await platform.scripts.describe();
    await checkProxySocket(proxies, platform.scripts.canOpenSocket);
    const serve = withConsole(platform, readConsole);
    const gate = createHeadCheck(routes, platform);
    server = await startServer({ ...platform, serve, gate, host, port, proxies });
    sayReady(true);
  } catch (error) {
    sayReady(false);
    await platform.close();
    throw error;
  }
  const { stop, url: address } = server;
  const close = async () => {
    await stop();
    await platform.close();
    flush();
  };
  onSignal(close);
  endWithLauncher(platform, close);
  process.stdout.write(await greet(platform, { url: address, browserUrl: url(), described }));
  process.stdout.write(`${await platform.scripts.selfTest()}\n`);
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

/** Returns the text that an operator sees at the start. */
async function greet(
  platform: LocalPlatform,
  { url, browserUrl, described }: Readonly<Record<'url' | 'browserUrl' | 'described', string>>,
): Promise<string> {
  const { folder, settings, push } = platform;
  const code = await openSetUpCode(platform);
  const reachable = reachableUrl(url);
  const account = {
    email: 'you@example.com',
    password: 'choose one',
    ...(settings.registration === 'closed' && { invitation_key: code ?? '<your invitation>' }),
  };
  const lines = [
    `Groundwork listens on ${url}`,
    `In a browser: ${browserUrl}/console/`,
    folder === undefined ? 'Data: in memory, gone when the server ends' : `Data: ${folder}`,
    `Pushes are written to ${push.outbox}, not sent`,
    `Registration: ${settings.registration === 'local' ? 'open to this machine' : settings.registration}`,
    described,
    ...unmaintained(process.versions.node),
    ...rootWarning(),
    ...(code === undefined ? [] : [`Set-up code, for the first account only: ${code}`]),
    '',
    'Make an account, then list your instances with the account_key of the response:',
    `  curl ${reachable}/v1.1/account/register/ -H 'Content-Type: application/json' -d '${JSON.stringify(account)}'`,
    `  curl ${reachable}/v1.1/instances/ -H 'X-API-KEY: <account_key>'`,
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns a line about a version of Node that has no maintainers any more. */
function unmaintained(version: string): readonly string[] {
  const major = version.split('.')[0];
  return major === '20' ? ['Node 20 gets no security fixes any more: use Node 24'] : [];
}

/** Returns a line about a server that runs as root. */
function rootWarning(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  return ['Warning: the server runs as root. Give it a user of its own: docs/guides/vps.md'];
}

/** Returns an address that this machine can reach, where the server listens on all of its addresses. */
function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** Returns the one-time code for the first account; undefined when none is needed or an account exists. */
async function openSetUpCode(platform: LocalPlatform): Promise<string | undefined> {
  const { settings, store, secrets } = platform;
  if (settings.registration !== 'closed') return undefined;
  const [first] = await store.get([firstAccountEntity.key()]);
  return first === undefined ? setUpCode(secrets) : undefined;
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
