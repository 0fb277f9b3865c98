import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { descendantsOf } from '../support/processes.ts';
import { type KeptConnections, openKeptConnections } from './kept-connections.ts';
import type { Circumstances, Lambda, Result } from './lambda.ts';
import { openRuntimeApi, type RuntimeApi } from './runtime-api.ts';

/*
 * A bundle in a process as Lambda has it: AWS's own runtime client calls the handler, one request at a time, and the
 * process is suspended whenever runtime and extensions wait for their next event. What Lambda would not forgive is a
 * fault, with which `close` rejects.
 */

const installed = fileURLToPath(new URL('../../.ci/runtime-client', import.meta.url));
const client = join(installed, 'node_modules/aws-lambda-ric/index.mjs');
const nativeClient = fileURLToPath(new URL('./native-client.cjs', import.meta.url));

/** Share of a function's memory that its processes may use: the rest is for requests larger than those of tests. */
export const maxMemoryShare = 0.75;

/** Time in which a process ends after SIGTERM, on a busy machine; on Lambda it has half a second. */
const endLimitMs = 2000;

/** Time for the initialisation, on a busy machine; on Lambda it has ten seconds. */
const startLimitMs = 30_000;

/** Each invocation with this number is preceded by a suspension that is longer than timers of clients. */
const longRests = { every: 12, durationMs: 3500 };

/** A suspended process is watched this long for requests that it has sent just before. */
const watchMs = 5;

/** Properties of a function, as the template has them. */
export interface FunctionProperties {
  readonly FunctionName: string;
  readonly Handler: string;
  readonly MemorySize: number;
  /** Seconds. */
  readonly Timeout: number;
}

/** What a function has needed. */
export interface Measured {
  readonly startMs: number;
  readonly endMs: number;
  /** Peak of the resident memory of its processes, in bytes. */
  readonly peakBytes: number;
}

/** A function on AWS's runtime client. */
export interface ClientLambda<Event, Response> extends Lambda<Event, Response> {
  /** Ends the process. @throws Error that lists what Lambda would not forgive */
  close(): Promise<string>;
  /** Returns what the function has needed; complete after `close`. */
  measured(): Measured;
}

/** The Node of functions: that of GROUNDWORK_TEST_NODE. */
export const functionNode = process.env.GROUNDWORK_TEST_NODE ?? process.execPath;

/** Checks whether the client can be started; prints one line with instructions otherwise. */
export function hasRuntimeClient(): boolean {
  const { stdout } = spawnSync(functionNode, ['--version'], { encoding: 'utf8' });
  if (existsSync(client) && /^v24\./.test(stdout ?? '')) return true;
  process.stderr.write(
    "Skipped: tests on AWS's runtime client. They need npm ci --ignore-scripts --prefix .ci/runtime-client, and the " +
      "functions' version of Node, 24, in GROUNDWORK_TEST_NODE.\n",
  );
  return false;
}

/**
 * Starts a bundle and waits until it is initialised.
 *
 * @param variables  the environment of the function, with the URL of AWS's services in AWS_ENDPOINT_URL
 * @param properties of the function in the template
 * @throws Error of the runtime client, when it takes no such handler
 */
export async function startOnRuntimeClient<Event extends object = object, Response = Result>(
  bundle: string,
  variables: Readonly<Record<string, string>>,
  properties: FunctionProperties,
): Promise<ClientLambda<Event, Response>> {
  const services = await openKeptConnections(variables.AWS_ENDPOINT_URL ?? '');
  const name = properties.FunctionName;
  const api = await openRuntimeApi(`arn:aws:lambda:us-east-1:123456789012:function:${name}`);
  const environment = {
    ...variables,
    ...lambdaVariables(name, bundle, properties),
    AWS_LAMBDA_RUNTIME_API: api.address,
    AWS_ENDPOINT_URL: services.url,
  };
  const startedMs = performance.now();
  const child = spawn(functionNode, argumentsOf(properties), {
    cwd: dirname(bundle),
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group, so that its children are suspended too
  });
  const box = openProcess(child, { api, services });
  const late = setTimeout(() => box.kill(new Error('Sandbox.Timedout: init')), startLimitMs);
  try {
    await api.idle();
  } catch (error) {
    await box.discard();
    throw error;
  } finally {
    clearTimeout(late);
  }
  const startMs = performance.now() - startedMs;
  return openClientLambda({ box, api, services, properties, name, startMs });
}

/** Returns the arguments of Node in Lambda's own start script, and ours. */
function argumentsOf({ MemorySize }: FunctionProperties): readonly string[] {
  return [
    '--expose-gc',
    `--max-semi-space-size=${Math.floor(MemorySize * 0.05)}`,
    `--max-old-space-size=${Math.floor(MemorySize * 0.9)}`,
    '--require',
    nativeClient,
    client,
  ];
}

function lambdaVariables(name: string, bundle: string, properties: FunctionProperties) {
  const [file = '', ...rest] = properties.Handler.split('.');
  if (basename(bundle) !== `${file}.mjs`) throw new Error(`${properties.Handler}: not ${bundle}`);
  return {
    _HANDLER: [file, ...rest].join('.'),
    LAMBDA_TASK_ROOT: dirname(bundle),
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(properties.MemorySize),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: '2026/01/01/[$LATEST]0',
    AWS_LAMBDA_LOG_FORMAT: 'JSON',
    AWS_LAMBDA_LOG_LEVEL: 'DEBUG',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    PATH: '/usr/bin:/bin',
  };
}

/** A process group that can be suspended. */
interface Box {
  suspend(): void;
  resume(): void;
  /** Peak of its memory so far, in bytes. */
  peakBytes(): number;
  /** Has it end; returns how long that took and whether it ended by itself. */
  end(isAnnounced: boolean): Promise<{ readonly endMs: number; readonly status: string }>;
  /** Ends it at once, and what waits for it with an error. */
  kill(error: Error): void;
  /** Ends it at once, and its services. */
  discard(): Promise<void>;
  output(): string;
}

function openProcess(
  child: ChildProcess,
  { api, services }: { readonly api: RuntimeApi; readonly services: KeptConnections },
): Box {
  const exited = once(child, 'exit');
  let [output, errors, peak, isOver] = ['', '', 0, false];
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  child.once('exit', (code, signal) => {
    isOver = true;
    api.fail(new Error(`Runtime.ExitError: ${signal ?? code}: ${errors || output.slice(-2000)}`));
  });
  const { pid } = child;
  const signal = (name: NodeJS.Signals) => {
    if (!isOver && pid !== undefined) process.kill(-pid, name);
  };
  const measure = () => {
    if (isOver || pid === undefined) return peak;
    const all = [pid, ...descendantsOf(pid).map((each) => each.pid)];
    peak = Math.max(
      peak,
      all.map(peakOf).reduce((sum, each) => sum + each, 0),
    );
    return peak;
  };
  const kill = (error?: Error) => {
    if (error !== undefined) api.fail(error);
    signal('SIGKILL');
  };
  const discard = async () => {
    kill();
    await exited;
    await Promise.all([api.close(), services.close()]);
  };
  return {
    suspend: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    peakBytes: measure,
    end: async (isAnnounced) => {
      measure();
      const fromMs = performance.now();
      signal('SIGCONT');
      if (isAnnounced && pid !== undefined && !isOver) process.kill(pid, 'SIGTERM');
      const late = setTimeout(kill, isAnnounced ? endLimitMs : 0);
      const [code, by] = await exited;
      clearTimeout(late);
      return { endMs: performance.now() - fromMs, status: String(by ?? code) };
    },
    kill,
    discard,
    output: () => output + errors,
  };
}

/** Reads the peak of the resident memory of a process, in bytes; 0 when it has ended. */
function peakOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

interface Parts {
  readonly box: Box;
  readonly api: RuntimeApi;
  readonly services: KeptConnections;
  readonly properties: FunctionProperties;
  readonly name: string;
  readonly startMs: number;
}

function openClientLambda<Event extends object, Response>(
  parts: Parts,
): ClientLambda<Event, Response> {
  const { box, api, services, properties, name, startMs } = parts;
  const faults: string[] = [];
  let [count, endMs] = [0, 0];
  const suspend = async () => {
    box.suspend();
    const before = services.underWay();
    await sleep(watchMs);
    const underWay = new Set([...before, ...services.underWay()]);
    if (underWay.size > 0) faults.push(`suspended during ${[...underWay].join(', ')}`);
    box.peakBytes();
  };
  let suspended = suspend();
  const turn = async (event: Event, circumstances: Circumstances): Promise<Response> => {
    await suspended;
    count += 1;
    if (count % longRests.every === 0) await sleep(longRests.durationMs);
    services.closeAll();
    box.resume();
    const { response, ended } = invoke(parts, event, circumstances);
    suspended = ended.then(suspend);
    suspended.catch(() => undefined); // thrown by the next one
    return JSON.parse(await response) as Response;
  };
  let last: Promise<unknown> = Promise.resolve();
  const close = async () => {
    await last;
    await suspended.catch((error) => faults.push(String(error)));
    const isAnnounced = api.extensions() > 0;
    const { status, ...ended } = await box.end(isAnnounced);
    endMs = ended.endMs;
    if (isAnnounced && status !== '0') faults.push(`ended with ${status} after ${endMs} ms`);
    await Promise.all([api.close(), services.close()]);
    const share = box.peakBytes() / 2 ** 20 / properties.MemorySize;
    if (share > maxMemoryShare) {
      faults.push(`has used ${Math.ceil(share * 100)} % of ${properties.MemorySize} MB`);
    }
    process.stderr.write(
      `${name}: peak ${Math.ceil(box.peakBytes() / 2 ** 20)} of ${properties.MemorySize} MB, ` +
        `started in ${Math.ceil(startMs)} ms, ended in ${Math.ceil(endMs)} ms, ${count} requests\n`,
    );
    if (faults.length > 0) throw new Error(`${name}: ${faults.join('; ')}`);
    return box.output();
  };
  return {
    invoke: (event, circumstances = {}) => {
      const response = last.then(() => turn(event, circumstances));
      last = response.catch(() => undefined);
      return response;
    },
    close,
    measured: () => ({ startMs, endMs, peakBytes: box.peakBytes() }),
  };
}

/** Starts an invocation, which ends when the process rests. */
function invoke(
  { api, box, properties }: Parts,
  event: object,
  { leftMs = Number.POSITIVE_INFINITY, nowMs, steadyAheadMs }: Circumstances,
) {
  if (nowMs !== undefined || steadyAheadMs !== undefined) throw new Error('has the real time only');
  const limitMs = Math.min(leftMs, properties.Timeout * 1000);
  const late = setTimeout(
    () => box.kill(new Error(`Sandbox.Timedout: Task timed out after ${limitMs} ms`)),
    limitMs,
  );
  const response = api.invoke(JSON.stringify(event), Date.now() + limitMs);
  const ended = response
    .catch(() => undefined)
    .then(() => api.idle())
    .finally(() => clearTimeout(late));
  return { response, ended };
}
