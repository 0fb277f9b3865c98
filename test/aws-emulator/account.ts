import { setImmediate } from 'node:timers/promises';
import {
  InvokeCommand,
  type LambdaClient,
  type LambdaClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-lambda';
import type { DynamoDBRecord } from 'aws-lambda';
import type { AwsStub } from 'aws-sdk-client-mock';
import { vi } from 'vitest';
import { jobTypes } from '../../functions/jobs.ts';
import type { Services } from '../../shared/jobs/change-feed.ts';
import { createBackground } from '../../shared/platforms/aws/jobs/background.ts';
import { openLateWork } from '../../shared/platforms/aws/lifetime/late-work.ts';
import { openInvokeLater, openStartRun } from '../../shared/platforms/aws/scripts/invoke-later.ts';
import { createRuns, openRuns } from '../../shared/platforms/aws/scripts/runs.ts';
import { openScripts } from '../../shared/platforms/aws/scripts/scripts.ts';
import { createWaitingRunsCheck } from '../../shared/platforms/aws/slots/waiting-runs.ts';
import { writeItem } from '../../shared/platforms/aws/store/item.ts';
import { openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import type { FinishedTrace, RunReference, RunRequest } from '../../shared/ports/run-request.ts';
import { planRun } from '../../shared/scripts/pending-runs.ts';
import { endedMs } from '../../shared/scripts/runs/run-times.ts';
import type { RunServices } from '../../shared/scripts/script-runs.ts';
import type { Put, Store } from '../../shared/store/store.ts';
import { jobEntity } from '../../shared/table/entities/jobs.ts';
import { openMeter } from '../../shared/usage/meter.ts';
import { openQuotas } from '../../shared/usage/quotas.ts';
import { noFiles } from '../support/no-files.ts';

/*
 * The concurrency of an AWS account: every invocation of a function, of the deployment or of a script, is one execution
 * in an environment of its own, from its start to its end. In simulated time, so `setTimeout`, `clearTimeout` and
 * `Date` are faked before the account is opened; each request to the table takes some milliseconds of it.
 */

const tableMs = 5;
const asynchronousMs = 20; // until an asynchronous invocation starts
const windowMs = 1000; // of the stream
const tickMs = 60_000;
const place = { prefix: 'groundwork-prod', deployment: 't' };

/** A running account. */
export interface Account {
  readonly store: Store;
  /** Number of executions, of all functions together. */
  executions(): number;
  /** Largest number of executions at a time. */
  mostExecutions(): number;
  /** Calls an endpoint, whose function waits for the run. */
  callEndpoint(request: RunRequest): Promise<FinishedTrace | undefined>;
  /** Requests a direct run. */
  startDirect(run: RunReference): Promise<void>;
  /** Lets time pass until something has happened. @throws Error when it takes longer than `ms` */
  until(hasHappened: () => boolean | Promise<boolean>, ms: number): Promise<void>;
  /** Lets `ms` pass. */
  pass(ms: number): Promise<void>;
  readonly logged: readonly LogEntry[];
  close(): Promise<void>;
}

/** Options of an account. */
export interface AccountOptions {
  readonly lambda: AwsStub<ServiceInputTypes, ServiceOutputTypes, LambdaClientResolvedConfig>;
  readonly client: LambdaClient;
  /** Milliseconds that a script runs. */
  readonly scriptMs: number;
  /** Checks whether an asynchronous invocation is lost, such as with its process. */
  readonly isLost?: () => boolean;
}

/** Opens an account without executions. */
export async function openAccount(options: AccountOptions): Promise<Account> {
  const { client, scriptMs, isLost = () => false } = options;
  const table = await openSlowTable();
  const logged: LogEntry[] = [];
  const own = {
    store: table.store,
    clock: openClock({ wallMs: Date.now, steadyMs: Date.now }),
    ids: openIds(),
    log: (entry: LogEntry) => logged.push(entry),
  };
  let [running, most] = [0, 0];
  const execute = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    running += 1;
    most = Math.max(most, running);
    return work().finally(() => {
      running -= 1;
    });
  };

  /** Opens what a function's process opens. */
  const openEnvironment = () => {
    const scripts = openScripts({
      ...own,
      readDeployment: async () => place,
      client,
      mostWaiting: 16,
      startRun: openStartRun(place.prefix, client),
      timer: { now: Date.now, sleep },
    });
    const meter = openMeter(own);
    const settled = () => Promise.resolve();
    const services = {
      ...own,
      scripts,
      meter,
      quotas: openQuotas({ ...own, meter, settings: {}, settled }),
      files: noFiles,
      apiUrl: () => 'https://api.example.com',
      secrets: { current: () => Promise.reject(new Error('none')), get: async () => undefined },
      loadScripts: async () => scripts,
    } satisfies RunServices & { readonly loadScripts: unknown };
    const late = openLateWork();
    const runs = openRuns({ services, waitingRuns: scripts.waitingRuns, late });
    return { services, runs, late };
  };

  const isOver = (sinceMs: number) => Date.now() - sinceMs >= endedMs;
  const background = (event: object, leftMs = 300_000) => {
    const { services, runs } = openEnvironment();
    const endsMs = Date.now() + leftMs;
    const handle = createBackground({
      services: { ...services, runs: { ...runs, isOver } } as unknown as Services, // the part that the jobs of runs need
      consumers: [],
      kinds: [...jobTypes, createWaitingRunsCheck(openStartRun(place.prefix, client))],
      wakeUps: () => Promise.resolve(),
      invokeLater: openInvokeLater(`${place.prefix}-background`, client),
    });
    return execute(() => handle(event, { getRemainingTimeInMillis: () => endsMs - Date.now() }));
  };
  const runDirect = (event: Parameters<ReturnType<typeof createRuns>>[0]) =>
    execute(async () => {
      const endsMs = Date.now() + 330_000;
      const handle = createRuns(openEnvironment().services);
      await handle(event, { getRemainingTimeInMillis: () => endsMs - Date.now() });
    });
  const invokeLater = async (name: string, event: never) => {
    if (isLost()) return;
    await sleep(asynchronousMs);
    await (name.endsWith('-script-runs') ? runDirect(event) : background(event));
  };
  options.lambda.on(InvokeCommand).callsFake(async (input) => {
    const event = JSON.parse(String(input.Payload)) as never;
    if (input.InvocationType === 'Event') {
      void invokeLater(input.FunctionName, event);
      return { StatusCode: 202 };
    }
    await execute(() => sleep(scriptMs));
    const output = { exitCode: 0, isTimedOut: false, isCut: false, stdout: '', stderr: '' };
    const times = { executedAtMs: Date.now(), durationMs: scriptMs };
    return { StatusCode: 200, Payload: Buffer.from(JSON.stringify({ ...output, ...times })) };
  });

  let newJobs: Put[] = [];
  let reading = Promise.resolve();
  const stream = setInterval(() => {
    const records = newJobs.map(toRecord);
    newJobs = [];
    if (records.length > 0)
      reading = reading.then(async () => void (await background({ Records: records })));
  }, windowMs);
  const ticks = setInterval(() => void background({}), tickMs);

  const step = async () => {
    await table.settle();
    vi.advanceTimersToNextTimer();
  };
  return {
    store: table.store,
    logged,
    executions: () => running,
    mostExecutions: () => most,
    callEndpoint: (request) => {
      const { runs, late } = openEnvironment();
      return new Promise((resolve, reject) => {
        void execute(async () => {
          const response = runs.wait(request, 27_000);
          response.then(resolve, reject);
          await response.catch(() => undefined);
          await late.ended();
        });
      });
    },
    startDirect: (run) =>
      execute(async () => {
        const { writes } = planRun(own, run, { args: { value: {} }, depth: 1 });
        const change = { actor: {}, cause: 'client', depth: 0 } as const;
        await table.store.write({ id: own.ids.random(), change, writes });
        newJobs.push(...writes.filter(({ kind }) => kind === jobEntity.kind));
      }),
    until: async (hasHappened, ms) => {
      const endMs = Date.now() + ms;
      while (!(await hasHappened())) {
        if (Date.now() > endMs) throw new Error(`it has not happened after ${ms} ms`);
        await step();
      }
    },
    pass: async (ms) => {
      let isOver = false;
      setTimeout(() => {
        isOver = true;
      }, ms);
      while (!isOver) await step();
    },
    close: async () => {
      clearInterval(stream);
      clearInterval(ticks);
      await table.close();
    },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function toRecord(put: Put, at: number): DynamoDBRecord {
  const image = writeItem(put, 'w1', { actor: {}, cause: 'client', depth: 0 });
  return {
    eventName: 'INSERT',
    dynamodb: { SequenceNumber: String(at + 1), NewImage: image as never },
  };
}

/** Opens a table whose requests take simulated time; `settle` waits until all are answered or wait for it to pass. */
async function openSlowTable() {
  const inner = await openTemporaryStore({ now: Date.now });
  let underWay = 0;
  const slow =
    <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await sleep(tableMs);
      underWay += 1;
      return call(...args).finally(() => {
        underWay -= 1;
      });
    };
  const store: Store = {
    ...inner,
    get: slow((keys) => inner.get(keys)),
    query: slow((query) => inner.query(query)),
    write: slow((transaction) => inner.write(transaction)),
    next: slow((counter, count) => inner.next(counter, count)),
  };
  return {
    store,
    settle: async () => {
      do await setImmediate();
      while (underWay > 0);
    },
    close: () => inner.close(),
  };
}
