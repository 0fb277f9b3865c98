import {
  InvokeCommand,
  LambdaClient,
  RequestTooLargeException,
  ResourceConflictException,
  ResourceNotFoundException,
  ResourceNotReadyException,
  ServiceException,
  TooManyRequestsException,
} from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, describe, expect } from 'vitest';
import { functionName } from '../../shared/platforms/aws/scripts/script-names.ts';
import { openScripts } from '../../shared/platforms/aws/scripts/scripts.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import type { EndedRun, ScriptOutcome, ScriptRun } from '../../shared/ports/script-runner.ts';
import { maxOutputBytes, tooMuchOutput } from '../../shared/scripts/rules/script-result.ts';
import type { Store } from '../../shared/store/store.ts';
import { createItem } from '../../shared/store/writes.ts';
import { scriptFunctionEntity } from '../../shared/table/entities/deployment.ts';
import { jobEntity, jobShards } from '../../shared/table/entities/jobs.ts';
import { runSlotEntity, runWaiterEntity } from '../../shared/table/entities/runs.ts';
import type { ScriptFunctionData } from '../../shared/table/records/functions.ts';
import { parseExactJson } from '../../shared/values/json/exact-number.ts';
import type { Json } from '../../shared/values/json/json.ts';
import { write } from '../store/fixture.ts';
import { storeTest } from '../support/store-test.ts';

const lambda = mockClient(LambdaClient);
afterAll(() => lambda.restore()); // files after this one share the process
const ownDeployment = { prefix: 'groundwork-prod', deployment: 'one' };
const name = functionName(ownDeployment, { instance: 3, script: 12 });
const wanted: ScriptRun = {
  instance: 3,
  owner: 2,
  script: 12,
  version: 5,
  runtime: 'node',
  source: async () => '',
  args: { a: 1 },
  config: { b: 2 },
  meta: { c: 3 },
  timeoutMs: 30_000,
  waitMs: 10_000,
  isAwaited: true,
};
const right = {
  exitCode: 0,
  isTimedOut: false,
  isCut: false,
  stdout: 'hello\n',
  stderr: '',
  executedAtMs: 0,
  durationMs: 12,
};

const it = storeTest.extend('given', ({ store }) => setUp(store));

const bytes = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)) as never;
const response = (value: unknown) => ({ StatusCode: 200, Payload: bytes(value) });
const failure = (errorType: string, errorMessage: string) => ({
  ...response({ errorType, errorMessage }),
  FunctionError: 'Unhandled',
});
const awsError = (kind: typeof ServiceException, httpStatusCode: number, more: object = {}) =>
  new kind({ message: 'no', $metadata: { httpStatusCode }, ...more } as never);
const absent = awsError(ResourceNotFoundException as never, 404);
const conflict = awsError(ResourceConflictException as never, 409);
const busy = awsError(TooManyRequestsException as never, 429);
it('a run reports when it is queued, and when its function is invoked', async ({ given }) => {
  const progress: string[] = [];
  const onProgress = (step: string) => {
    progress.push(`${step} after ${invocations().length}`);
  };
  lambda.on(InvokeCommand).resolves(response(right));

  await given.run({ onProgress });

  expect(progress).toEqual(['queued after 0', 'started after 0']);
});

it('a runner that cannot start fails the run, and its reason is logged for the operator alone', async ({
  given,
}) => {
  const reason = `The runner of scripts does not start: ${'y'.repeat(5000)}`;
  lambda.on(InvokeCommand).resolves(failure('RunnerNotStarted', reason));

  const outcome = await given.run();

  expect(outcome).toMatchObject({
    status: 'failure',
    stdout: '',
    stderr: 'The function of the script has failed: RunnerNotStarted.',
  });
  expect(given.logged).toEqual([
    {
      level: 'error',
      message: 'the function of a script cannot start its runner',
      reason: reason.slice(0, 2500),
      function: name,
    },
  ]);
});

it('what the kernel refuses to scripts is logged once', async ({ given }) => {
  lambda.on(InvokeCommand).resolves(response({ ...right, refused: ['filters', 'privileges'] }));
  const scripts = openScripts(given.options());

  const outcomes = [await scripts.run(wanted), await scripts.run(wanted)];
  await scripts.settled();

  expect(outcomes).toEqual([1, 2].map(() => expect.objectContaining({ status: 'success' })));
  expect(given.logged).toEqual([
    {
      level: 'info',
      message: 'the kernel refuses protections of Python scripts',
      refused: ['filters', 'privileges'],
      function: name,
    },
  ]);
});

it('a run is one invocation of its script’s own function, and waits for the response', async ({
  given,
}) => {
  lambda.on(InvokeCommand).resolves(response(right));

  const outcome = await given.run();

  const event = { version: 5, args: { a: 1 }, config: { b: 2 }, meta: { c: 3 }, timeoutMs: 30_000 };
  expect(invocations()).toEqual([{ FunctionName: name, Payload: JSON.stringify(event) }]);
  expect(name).toMatch(/^groundwork-prod-scr-[0-9a-f]{24}$/);
  expect(outcome).toMatchObject({ status: 'success', stdout: 'hello', stderr: '' });
});

it('the event of a run has the digits of large numbers', async ({ given }) => {
  lambda.on(InvokeCommand).resolves(response(right));
  const args = parseExactJson('{"id":9007199254740993}') as Json;

  await given.run({ args });

  const [{ Payload } = {}] = invocations();
  expect(String(Payload)).toContain('"args":{"id":9007199254740993}');
});

it('names differ by script, instance and deployment', () => {
  const others = [
    functionName(ownDeployment, { instance: 31, script: 2 }),
    functionName(ownDeployment, { instance: 3, script: 122 }),
    functionName({ ...ownDeployment, deployment: 'another' }, { instance: 3, script: 12 }),
  ];

  expect(new Set([name, ...others]).size).toBe(4);
});

describe('the outcome of a run', () => {
  it.for<[string, unknown, object]>([
    ['output of a success', response(right), { status: 'success', stdout: 'hello' }],
    ['an exit code', response({ ...right, exitCode: 3 }), { status: 'failure', stdout: 'hello' }],
    ['a signal', response({ ...right, exitCode: null }), { status: 'failure', stdout: 'hello' }],
    ['a time-out', response({ ...right, exitCode: null, isTimedOut: true }), { status: 'timeout' }],
    [
      'a response',
      response({
        ...right,
        response: JSON.stringify({
          status_code: 201,
          content: 'x',
          content_type: 'text/plain',
          headers: {},
        }),
      }),
      { status: 'success', response: expect.objectContaining({ status: 201, content: 'x' }) },
    ],
    [
      'a response with a header that a proxy acts on',
      response({
        ...right,
        response: JSON.stringify({
          status_code: 200,
          content: '',
          content_type: 'text/plain',
          headers: { 'X-Accel-Redirect': '/private', 'X-Own': 'a' },
        }),
      }),
      {
        status: 'success',
        stderr: expect.stringMatching(/^Headers left out of the response: X-Accel-Redirect$/m),
        response: expect.objectContaining({ headers: { 'X-Own': 'a' } }),
      },
    ],
    [
      'more output than allowed',
      response({ ...right, stdout: 'x'.repeat(maxOutputBytes + 1) }),
      { status: 'failure', stderr: tooMuchOutput },
    ],
    [
      'the time limit of the function',
      failure('Sandbox.Timedout', 'RequestId: 1 Error: Task timed out after 305.00 seconds'),
      { status: 'timeout', stderr: expect.stringMatching('timed out') },
    ],
    [
      'the same without a type',
      {
        ...response({ errorMessage: '2026 1 Task timed out after 305.00 seconds' }),
        FunctionError: 'Unhandled',
      },
      { status: 'timeout' },
    ],
    [
      'memory that was exceeded',
      failure('Runtime.ExitError', 'RequestId: 1 Error: Runtime exited with error: signal: killed'),
      { status: 'failure', stderr: expect.stringMatching('more memory') },
    ],
    [
      'memory that was exceeded, as Lambda says it elsewhere',
      failure('Runtime.OutOfMemory', 'RequestId: 1 Error: Runtime exited'),
      { status: 'failure', stderr: expect.stringMatching('more memory') },
    ],
    [
      'the end of the supervisor',
      failure('Runtime.ExitError', 'RequestId: 1 Error: Runtime exited with error: exit status 1'),
      { status: 'failure', stderr: 'The function of the script has failed: Runtime.ExitError.' },
    ],
    [
      'an answer that could not be written',
      failure('Runtime.MarshalError', 'Unable to marshal response'),
      { status: 'failure', stderr: 'The function of the script has failed: Runtime.MarshalError.' },
    ],
    [
      'an answer of more than six megabytes',
      failure('Function.ResponseSizeTooLarge', 'Response payload size exceeded'),
      { status: 'failure', stderr: tooMuchOutput },
    ],
    [
      'a failure of another shape',
      { ...response('<html>'), FunctionError: 'Unhandled' },
      { status: 'failure', stderr: expect.stringMatching('an unknown error') },
    ],
    [
      'no JSON',
      response('nonsense'),
      { status: 'failure', stderr: expect.stringMatching('an invalid response') },
    ],
    [
      'nothing',
      { StatusCode: 200 },
      { status: 'failure', stderr: expect.stringMatching('an invalid response') },
    ],
    [
      'another shape',
      response({ ...right, stdout: 7 }),
      { status: 'failure', stderr: expect.stringMatching('an invalid response') },
    ],
  ])('%s', async ([_name, result, expected], { given }) => {
    lambda.on(InvokeCommand).resolves(result as never);

    const outcome = await given.run();

    expect(outcome).toMatchObject(expected);
    expect(invocations()).toHaveLength(1);
  });

  it('times are within those of the invocation, whatever the response', async ({ given }) => {
    const sentMs = Date.now();
    lambda
      .on(InvokeCommand)
      .resolvesOnce(response({ ...right, executedAtMs: 0, durationMs: 1e9 }))
      .resolves(response({ ...right, executedAtMs: 1e300, durationMs: -5 }));

    const outcomes = [await given.run(), await given.run()];

    for (const outcome of outcomes) {
      expect(outcome).toEqual({
        status: 'success',
        stdout: 'hello',
        stderr: '',
        executedAtMs: expect.any(Number),
        durationMs: expect.any(Number),
      });
      const { executedAtMs, durationMs } = outcome as EndedRun;
      expect(executedAtMs).toBeGreaterThanOrEqual(sentMs);
      expect(executedAtMs + durationMs).toBeLessThanOrEqual(Date.now());
      expect(durationMs).toBeGreaterThanOrEqual(0);
    }
  });
});

describe('slots', () => {
  const pk = runSlotEntity.partition(3);
  const taken = async (store: Store) => (await store.query({ pk, limit: 1000 })).positions;
  const occupy = (store: Store, places: number, waiters: number) =>
    Promise.all([
      ...Array.from({ length: places }, (_, n) =>
        write(store, createItem(runSlotEntity, runSlotEntity.key(3, n), {})),
      ),
      ...Array.from({ length: waiters }, (_, n) => {
        const key = runWaiterEntity.key(3, { isAwaited: true, sinceMs: n, id: 'w' });
        return write(store, createItem(runWaiterEntity, key, {}));
      }),
    ]);

  it.for([
    ['ends', response(right)],
    ['fails', failure('Runtime.ExitError', 'RequestId: 1 Error')],
  ])('a run has one until it %s', async ([_name, result], { store, given }) => {
    const during: (readonly string[])[] = [];
    lambda.on(InvokeCommand).callsFake(async () => {
      during.push(await taken(store));
      return result;
    });

    await given.run();

    expect(during).toEqual([[expect.stringMatching(/^PLACE#[0-7]$/)]]);
    expect(await taken(store)).toEqual([]);
  });

  it('a run whose invocation is rejected releases it', async ({ store, given }) => {
    lambda
      .on(InvokeCommand)
      .rejects(Object.assign(awsError(ServiceException, 403), { name: 'No' }));

    await expect(given.run()).rejects.toThrow();

    expect(await taken(store)).toEqual([]);
  });

  it('a run that waits for its function acquires one for each try, and none in between', async ({
    store,
    given,
  }) => {
    const between: (readonly string[])[] = [];
    lambda.on(InvokeCommand).rejectsOnce(absent).rejectsOnce(absent).resolves(response(right));

    await given.run({}, async () => between.push(await taken(store)));

    expect(between).toEqual([[], []]);
  });

  it('a run that gets none in its time is not invoked', async ({ store, given }) => {
    await occupy(store, 8, 0);

    const outcome = await given.run({ waitMs: 2000 });

    expect(outcome).toEqual({ status: 'queue_timeout' });
    expect(given.nowMs).toBeGreaterThan(1800);
    expect(given.nowMs).toBeLessThanOrEqual(2000);
    expect(invocations()).toEqual([]);
    expect(await taken(store)).toHaveLength(8);
  });

  it('a run is blocked where too many wait', async ({ store, given }) => {
    await occupy(store, 8, 16);

    expect(await given.run()).toEqual({ status: 'blocked' });
    expect([invocations(), given.nowMs]).toEqual([[], 0]);
  });
});

describe('a run that may have started is not invoked again:', () => {
  it.for([
    ['a connection that was lost', Object.assign(new Error('reset'), { code: 'ECONNRESET' })],
    ['an answer that did not come in time', Object.assign(new Error(), { name: 'TimeoutError' })],
    ['a fault of Lambda', awsError(ServiceException, 500)],
  ])('%s', async ([_name, error], { given }) => {
    lambda.on(InvokeCommand).rejects(error);

    const outcome = await given.run();

    expect(outcome).toMatchObject({
      status: 'failure',
      stdout: '',
      stderr: expect.stringMatching('may or may not have run to its end'),
    });
    expect(invocations()).toHaveLength(1);
  });
});

it('arguments that are too large are not run', async ({ given }) => {
  lambda.on(InvokeCommand).rejects(awsError(RequestTooLargeException as never, 413));

  const outcome = await given.run();

  expect(outcome).toMatchObject({ status: 'failure', stderr: expect.stringMatching('too large') });
});

it('a rejection by Lambda for an internal reason is a server error', async ({ given }) => {
  const denied = Object.assign(awsError(ServiceException, 403), { name: 'AccessDeniedException' });
  lambda.on(InvokeCommand).rejects(denied);

  await expect(given.run()).rejects.toThrow(denied);
});

describe('a run waits', () => {
  it.for([
    ['for a place', busy],
    ['for a connection', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
    ['for its function', absent],
    ['for a function that is being made, or returns', conflict],
    ['for a function that is not ready', awsError(ResourceNotReadyException as never, 502)],
  ])('%s', async ([_name, error], { store, given }) => {
    lambda.on(InvokeCommand).rejectsOnce(error).rejectsOnce(error).resolves(response(right));

    const outcome = await given.run();

    expect(outcome).toMatchObject({ status: 'success' });
    expect(invocations()).toHaveLength(3);
    expect(await deploymentsAsked(store)).toEqual([]);
  });

  it.for([
    ['for its version', response({ stale: true, version: 4 })],
    [
      'for the runtime of its version',
      failure('Runtime.ImportModuleError', "Error: Cannot find module 'index'"),
    ],
  ])('%s', async ([_name, first], { given }) => {
    lambda
      .on(InvokeCommand)
      .resolvesOnce(first as never)
      .resolves(response(right));

    const outcome = await given.run();

    expect([outcome.status, given.pauses.length]).toEqual(['success', 1]);
  });

  it('in increasing pauses, and as long as Lambda specifies', async ({ given }) => {
    lambda.on(InvokeCommand).rejects(busy);
    await given.run();
    const longest = [100, 200, 400, 800, 1600, 2000, 2000];
    expect(given.pauses.length).toBeGreaterThan(6);
    for (const [at, ms] of longest.entries()) {
      expect(given.pauses[at]).toBeGreaterThanOrEqual(ms / 2);
      expect(given.pauses[at]).toBeLessThanOrEqual(ms);
    }

    given.pauses = [];
    lambda.reset();
    const asking = awsError(TooManyRequestsException as never, 429, { retryAfterSeconds: '4' });
    lambda.on(InvokeCommand).rejectsOnce(asking).resolves(response(right));
    await given.run();
    expect(given.pauses).toEqual([4000]);
  });

  it('and starts no more once its instance is suspended', async ({ given }) => {
    let isSuspended = false;
    lambda.on(InvokeCommand).callsFake(() => {
      if (!isSuspended) throw absent;
      return response(right);
    });

    const outcome = await given.run({ mayStart: async () => !isSuspended }, async () => {
      isSuspended = given.nowMs >= 500;
    });

    expect(outcome).toEqual({ status: 'blocked' });
  });

  it('no longer than its time limit', async ({ store, given }) => {
    lambda.on(InvokeCommand).rejects(busy);

    const outcome = await given.run({ waitMs: 5000 });

    expect(outcome).toEqual({ status: 'queue_timeout' });
    expect(given.nowMs).toBeLessThanOrEqual(5000);
    expect(await deploymentsAsked(store)).toEqual([]);
  });

  it('not at all for a version that is older than the function: that one runs', async ({
    given,
  }) => {
    lambda
      .on(InvokeCommand)
      .resolvesOnce(response({ stale: true, version: 6 }))
      .resolves(response(right));

    const outcome = await given.run();

    const versions = invocations().map(({ Payload }) => JSON.parse(String(Payload)).version);
    expect([outcome.status, versions]).toEqual(['success', [5, 6]]);
  });
});

describe('a missing function', () => {
  it('is requested once, and the run reports that it was missing', async ({ store, given }) => {
    lambda.on(InvokeCommand).rejects(absent);

    const outcomes = await Promise.all([given.run(), given.run(), given.run({ waitMs: 0 })]);

    expect(await deploymentsAsked(store)).toEqual([
      { kind: 'deploy-script', task: { instance: 3, script: 12 } },
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'failure',
        durationMs: 0,
        stdout: '',
        stderr: 'The script has not run: its function is not ready yet.',
      });
    }
  });

  it.for<[string, object, number]>([
    ['could not be made', { state: 'failed', error: 'CodeStorageExceededException' }, 1],
    ['was asked for lately', { askedAt: Date.now() - 5000 }, 0],
    ['was asked for long ago', { askedAt: Date.now() - 60_000 }, 1],
  ])('as it %s', async ([why, more, asked], { store, given }) => {
    const key = scriptFunctionEntity.key(3, 12);
    const known = { instance: 3, script: 12, version: 4, release: 'r', state: 'ready', ...more };
    await write(store, createItem(scriptFunctionEntity, key, known as ScriptFunctionData));
    lambda.on(InvokeCommand).resolves(response({ stale: true, version: 4 }));

    const outcome = await given.run();

    expect(await deploymentsAsked(store)).toHaveLength(asked);
    expect(outcome).toMatchObject({
      stderr: why.startsWith('could')
        ? 'The script has not run: its function could not be made (CodeStorageExceededException).'
        : 'The script has not run: its function is not ready yet.',
    });
  });
});

/** The runner of scripts, what it has logged, and its pauses, which take no time. */
function setUp(store: Store) {
  lambda.reset();
  const logged: LogEntry[] = [];
  const given = { logged, nowMs: 0, pauses: [] as number[], options, run };
  return given;

  function options() {
    return {
      readDeployment: async () => ownDeployment,
      store,
      clock: openClock(),
      ids: openIds(),
      log: (entry: LogEntry) => logged.push(entry),
      client: new LambdaClient({ region: 'eu-west-1' }),
      mostWaiting: 16,
      startRun: () => Promise.reject(new Error('no run waits without a process')),
      timer: {
        now: () => given.nowMs,
        sleep: async (ms: number) => {
          given.pauses.push(ms);
          given.nowMs += ms;
        },
      },
    };
  }

  /** Executes a run; `paused` is called in each pause. */
  async function run(
    more: Partial<ScriptRun> = {},
    paused: () => Promise<unknown> = async () => undefined,
  ): Promise<ScriptOutcome> {
    const { timer, ...rest } = options();
    const sleep = async (ms: number) => {
      await timer.sleep(ms);
      await scripts.settled();
      await paused();
    };
    const scripts = openScripts({ ...rest, timer: { ...timer, sleep } });
    return scripts.run({ ...wanted, ...more }).finally(() => scripts.settled());
  }
}

function invocations() {
  return lambda.commandCalls(InvokeCommand).map(({ args }) => args[0].input);
}

async function deploymentsAsked(store: Store): Promise<readonly unknown[]> {
  const found = await Promise.all(
    jobShards.map((shard) => jobEntity.list(store, [shard], { limit: 10 })),
  );
  return found.flatMap(({ items }) => items.map(({ data: { kind, task } }) => ({ kind, task })));
}
