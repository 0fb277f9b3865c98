import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { api } from '../../functions/api.ts';
import { downloadPaths } from '../../lib/files/file-downloads.ts';
import { consolePaths } from '../../lib/gateway/console-paths.ts';
import { type GatewayPath, gatewayPaths } from '../../lib/gateway/gateway-paths.ts';
import { fallbackFamily, wholeMap } from '../../lib/grants.ts';
import type { Handler } from '../../shared/platforms/aws/gateway.ts';
import { downloadPath } from '../../shared/platforms/aws/requests/download-path.ts';
import { openSecrets } from '../../shared/platforms/aws/secrets.ts';
import { stackVariables, toVariables } from '../../shared/platforms/aws/settings.ts';
import { createClient } from '../../shared/platforms/aws/store/client.ts';
import { openStore } from '../../shared/platforms/aws/store/store.ts';
import { openVault } from '../../shared/platforms/aws/vault.ts';
import type { LocalPlatform } from '../../shared/platforms/local/platform.ts';
import type { FileStore } from '../../shared/ports/file-store.ts';
import type { LogEntry, Platform, Settings } from '../../shared/ports/ports.ts';
import type { Store } from '../../shared/store/store.ts';
import { recordAccess, saveAccesses } from '../judges/recorded-accesses.ts';
import { hasCdn } from '../support/medium.ts';
import { openDeployedFiles } from './deployed-files.ts';
import { type Access, startFakeAws } from './fake-aws.ts';
import { cdnCaller, startFakeCdn } from './fake-cdn.ts';
import { createFakeLambda } from './fake-lambda.ts';
import { createFakeLogs, type FakeLogs } from './fake-logs.ts';
import { candidates, readings } from './gateway.ts';
import { type Lambda, startLambda } from './lambda.ts';
import { openPassedWrites } from './passed-writes.ts';
import { isGranted } from './policies.ts';
import type { BuiltFunction, BuiltStack } from './roles-setup.ts';
import { openServedOperations } from './served-operations.ts';
import { openStream } from './stream.ts';

/** A deployment in which every family has its own function, process and role, and all share one table. */
export interface Deployment {
  /** Passes a request to the function that the gateway would invoke. */
  readonly handler: Handler;
  /** The table, the files, the secrets and the vault, for tests that bypass the interface, and a tick of the background function. */
  readonly ports: Pick<LocalPlatform, 'store' | 'secrets' | 'vault' | 'idle'> & {
    readonly files: FileStore;
  };
  /** @throws Error that names the requests of functions since the last call that their roles do not allow */
  check(): void;
  /** Stops all processes. */
  close(): Promise<void>;
}

/** Options of a deployment. */
export interface DeploymentOptions
  extends Pick<Platform, 'settings' | 'log' | 'mailer' | 'clock' | 'apiUrl'> {
  /** Whether the functions use the clock too, and not real time. */
  readonly isFixed: boolean;
  /** Wraps the table: it receives every write of requests, though not their reads. */
  readonly wrap: ((store: Store) => Store) | undefined;
}

/** Returns the time limit of a function that is not invoked by a request. */
const leftMs = (family: string) => (family === 'background' ? 300_000 : 330_000);
const tester = 'tester'; // the caller with all permissions
const behindCalls = ['background', 'script-runs'];
const callMs = 61_000; // the background waits until all requests before it have ended
const place = { region: 'eu-west-1' };

/** Deploys the functions that roles-setup.ts has built; each starts with its first request. */
export async function deploy(options: DeploymentOptions): Promise<Deployment> {
  const { functions: found, cdn: builtCdn, cors } = readStack();
  const built = new Map(Object.entries(found));
  const names = new Map([...built].map(([family, { name }]) => [name, family]));
  const nowMs = () => options.clock.micros() / 1000;
  const lambda = createFakeLambda((name, event) => {
    const family = names.get(name);
    return family === undefined ? undefined : runInOwn(family, event as object);
  });
  const stream = openStream(async (records) => {
    const background = await functionOf('background');
    await background.invoke(
      { Records: records },
      { nowMs: shownMs(), leftMs: leftMs('background') },
    );
  });
  const statementsOf = (caller: string) =>
    (caller === cdnCaller ? builtCdn : built.get(caller))?.statements ?? [];
  const logs = createFakeLogs();
  const aws = await startFakeAws({
    secret: randomBytes(32).toString('hex'),
    allows: (access) => access.caller === tester || isGranted(statementsOf(access.caller), access),
    hear: (access) => {
      if (access.caller !== tester) recordAccess({ stack: stackName, ...access });
    },
    takeMail: async ({ Destination, Content: { Simple } }) => {
      const [to] = Destination.ToAddresses;
      const [subject, text] = [Simple.Subject.Data, Simple.Body.Text.Data];
      await options.mailer.send({ to, subject, text });
    },
    write: async ({ caller, parts, apply }) => {
      // it has passed the wrapper, or does not belong to a request
      if (caller === tester || behindCalls.includes(caller)) apply();
      else await writes.pass(parts, apply);
    },
    changeFiles: async (pending) => {
      if (pending.caller === tester) pending.apply();
      else await files.change(pending);
    },
    searchLogs: logs.filter,
    cors,
    nowMs,
    lambda,
    stream: stream.hear,
  });
  const table = openTable(aws.url, built, nowMs);
  const writes = openPassedWrites(table.store, options.wrap);
  const { store } = writes;
  const bucket = built.get(wholeMap)?.variables.GROUNDWORK_FILES ?? '';
  const cdn = builtCdn && (await startFakeCdn(builtCdn, aws, bucket));
  const filesUrl = () => cdn?.url ?? options.apiUrl() + downloadPath;
  const files = openDeployedFiles({ client: openBucket(aws.url), bucket, address: filesUrl });
  const functions = new Map<string, Promise<Lambda>>();
  const served = openServedOperations();
  const paths = builtCdn === undefined ? [...apiPaths, ...downloadPaths] : apiPaths;
  const runInOwn = async (family: string, event: object) => {
    const own = await functionOf(family);
    return own.invoke(event, { nowMs: shownMs(), leftMs: leftMs(family) });
  };
  const settle = async () => {
    while ((await stream.idle()) || (await lambda.idle())); // each may start the other
  };
  const shownMs = () => (options.isFixed ? nowMs() : undefined);
  let tickMs = 0; // each tick is sent at a time when the requests before the last one have ended
  let ticks = Promise.resolve();
  const tick = async () => {
    await settle(); // or the tick would treat an active run as one of a dead process
    const background = await functionOf('background');
    tickMs = Math.max(tickMs, nowMs()) + callMs;
    await background.invoke({}, { nowMs: tickMs, leftMs: leftMs('background') });
    await settle();
  };
  const functionOf = (family: string): Promise<Lambda> => {
    const found =
      functions.get(family) ?? start(built, family, { ...options, url: aws.url, filesUrl, logs });
    functions.set(family, found);
    return found;
  };
  return {
    ports: {
      store,
      files: files.port,
      secrets: table.secrets,
      vault: openVault({ key: undefined, secrets: table.secrets }), // the stack has no key of KMS
      idle: () => {
        ticks = ticks.then(tick, tick); // at the same time a second one would not see the jobs of the first
        return ticks;
      },
    },
    handler: async (event) => {
      const lambda = await functionOf(familyOf(paths, event.rawPath));
      const result = await lambda.invoke(event, { nowMs: shownMs() });
      served.add(event.requestContext.http.method, event.rawPath, result.statusCode);
      return result;
    },
    close: async () => {
      await settle();
      for (const each of functions.values()) await (await each).close();
      await lambda.close();
      await table.store.close();
      await cdn?.close();
      await aws.close();
      served.save();
      saveAccesses();
    },
    check: createCheck(aws.refused),
  };
}

function readStack(): BuiltStack {
  const list = process.env.TEST_FUNCTIONS;
  if (list === undefined)
    throw new Error('the functions are not built: see vitest.roles.config.ts');
  const stacks = JSON.parse(readFileSync(list, 'utf8'));
  return stacks[stackName];
}

/** Name of the stack among those of roles-setup.ts. */
const stackName = hasCdn ? 'usual' : 'withoutCdn';

const apiPaths = [...gatewayPaths(api), ...consolePaths];

/** The reading with the most requests that match no path, so that the function of `$default` forwards them. */
const [, , reading] = readings;

function familyOf(paths: readonly GatewayPath[], path: string): string {
  const [found] = candidates(paths, path, reading);
  return found?.family ?? fallbackFamily;
}

interface StartOptions extends DeploymentOptions {
  readonly url: string;
  readonly filesUrl: () => string;
  readonly logs: FakeLogs;
}

function start(
  built: ReadonlyMap<string, BuiltFunction>,
  family: string,
  { url, filesUrl, logs, settings, log, apiUrl, clock, isFixed }: StartOptions,
): Promise<Lambda> {
  const found = built.get(family);
  if (found === undefined) throw new Error(`no function of ${family}`);
  const variables = {
    ...found.variables,
    ...settingVariables(settings),
    ...(isFixed && { TEST_NOW_MS: String(clock.micros() / 1000) }),
    GROUNDWORK_API_URL: apiUrl(),
    ...(found.variables.GROUNDWORK_FILES_URL && { GROUNDWORK_FILES_URL: filesUrl() }),
    ...queueUrl(url, found.variables[stackVariables.wakeUps.variable]),
    AWS_REGION: place.region,
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: family, // the fake identifies the role by it
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
  return startLambda(process.execPath, found.bundle, variables, (output) => {
    const lines = output.trimEnd().split('\n');
    logs.add(found.logGroup, lines);
    for (const line of lines) log(toEntry(line));
  });
}

function settingVariables(settings: Settings): Record<string, string> {
  return {
    GROUNDWORK_REGISTRATION: settings.registration,
    GROUNDWORK_MAX_INSTANCES: String(settings.maxInstances),
    GROUNDWORK_MAX_CLASSES: String(settings.maxClasses),
    GROUNDWORK_LOCATION: settings.location,
    GROUNDWORK_PASSWORD_COST: String(settings.passwordCost),
    ...(settings.userMail && { GROUNDWORK_USER_MAIL: settings.userMail }),
    ...(settings.passwordMin && { GROUNDWORK_PASSWORD_MIN: String(settings.passwordMin) }),
    ...(settings.instanceRate && { GROUNDWORK_INSTANCE_RATE: String(settings.instanceRate) }),
    ...(settings.pollMs && {
      GROUNDWORK_POLL_SECONDS: String(Math.ceil(settings.pollMs / 1000)),
    }),
    ...bytesVariable('GROUNDWORK_MAX_OBJECT_BYTES', settings.maxObjectBytes),
    ...bytesVariable('GROUNDWORK_MAX_FILE_BYTES', settings.maxFileBytes),
    ...bytesVariable('GROUNDWORK_MAX_TRACE_BYTES', settings.maxTraceBytes),
    ...bytesVariable('GROUNDWORK_MAX_BACKUP_BYTES', settings.maxBackupBytes),
  };
}

/** Returns the URL of a queue, of which the template has only the name. */
function queueUrl(url: string, name: string | undefined): Record<string, string> {
  return name === undefined ? {} : toVariables({ wakeUps: `${url}/${name}` });
}

function bytesVariable(name: string, bytes: number | undefined): Record<string, string> {
  return bytes === undefined ? {} : { [name]: String(bytes) };
}

function toEntry(line: string): LogEntry {
  const { timestamp, level, ...entry } = JSON.parse(line);
  return { level: String(level).toLowerCase(), ...entry };
}

function openBucket(endpoint: string): S3Client {
  return new S3Client({
    ...place,
    endpoint,
    credentials: { accessKeyId: tester, secretAccessKey: 'secret' },
  });
}

function openTable(
  endpoint: string,
  built: ReadonlyMap<string, BuiltFunction>,
  nowMs: () => number,
) {
  const { GROUNDWORK_TABLE: table = '', GROUNDWORK_SECRET: secret = '' } =
    built.get(wholeMap)?.variables ?? {};
  const credentials = { accessKeyId: tester, secretAccessKey: 'secret' };
  const client = createClient({ ...place, endpoint, credentials });
  const secretsClient = new SecretsManagerClient({ ...place, endpoint, credentials });
  return {
    store: openStore({ table, client, now: nowMs }),
    secrets: openSecrets({ client: secretsClient, secret, nowMs }),
  };
}

function createCheck(refused: readonly Access[]): () => void {
  let told = 0;
  return () => {
    const news = refused.slice(told);
    told = refused.length;
    const [first] = news.map(
      ({ caller, action, resource }) =>
        `the role of ${caller} does not grant ${action} on ${resource}`,
    );
    if (first !== undefined) throw new Error(first);
  };
}
