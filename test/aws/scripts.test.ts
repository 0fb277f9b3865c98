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
import { afterAll, afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { functionName } from '../../shared/platforms/aws/scripts/script-names.ts';
import { openScripts } from '../../shared/platforms/aws/scripts/scripts.ts';
import { type LocalStore, openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import type { EndedRun, ScriptOutcome, ScriptRun } from '../../shared/ports/script-runner.ts';
import { maxOutputBytes, tooMuchOutput } from '../../shared/scripts/rules/script-result.ts';
import { createItem } from '../../shared/store/writes.ts';
import { scriptFunctionEntity } from '../../shared/table/entities/deployment.ts';
import { jobEntity, jobShards } from '../../shared/table/entities/jobs.ts';
import { runSlotEntity, runWaiterEntity } from '../../shared/table/entities/runs.ts';
import type { ScriptFunctionData } from '../../shared/table/records/functions.ts';
import { parseExactJson } from '../../shared/values/json/exact-number.ts';
import type { Json } from '../../shared/values/json/json.ts';
import { write } from '../store/fixture.ts';

const lambda = mockClient(LambdaClient);
afterAll(() => lambda.restore()); // files after this one share the process
const ownDeployment = { prefix: 'groundwork-prod', deployment: 'one' };
const name = functionName(ownDeployment, { instance: 3, script: 12 });
const given: ScriptRun = {
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

let store: LocalStore;
let nowMs: number;
let pauses: number[];
let logged: LogEntry[];

beforeEach(async () => {
  lambda.reset();
  store = await openTemporaryStore({ now: Date.now });
  nowMs = 0;
  pauses = [];
  logged = [];
});
afterEach(() => store.close());

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
      now: () => nowMs,
      sleep: async (ms: number) => {
        pauses.push(ms);
        nowMs += ms;
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
  return scripts.run({ ...given, ...more }).finally(() => scripts.settled());
}

const bytes = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)) as never;
const answer = (value: unknown) => ({ StatusCode: 200, Payload: bytes(value) });
const failure = (errorType: string, errorMessage: string) => ({
  ...answer({ errorType, errorMessage }),
  FunctionError: 'Unhandled',
});
const awsError = (kind: typeof ServiceException, httpStatusCode: number, more: object = {}) =>
  new kind({ message: 'no', $metadata: { httpStatusCode }, ...more } as never);
const absent = awsError(ResourceNotFoundException as never, 404);
const conflict = awsError(ResourceConflictException as never, 409);
const busy = awsError(TooManyRequestsException as never, 429);
const invocations = () => lambda.commandCalls(InvokeCommand).map(({ args }) => args[0].input);

async function deploymentsAsked(): Promise<readonly unknown[]> {
  const found = await Promise.all(
    jobShards.map((shard) => jobEntity.list(store, [shard], { limit: 10 })),
  );
  return found.flatMap(({ items }) => items.map(({ data: { kind, task } }) => ({ kind, task })));
}
const deployment = { kind: 'deploy-script', task: { instance: 3, script: 12 } };

test('a run reports when it is queued, and when its function is invoked', async () => {
  const progress: string[] = [];
  const onProgress = (step: string) => {
    progress.push(`${step} after ${invocations().length}`);
  };
  lambda.on(InvokeCommand).resolves(answer(right));

  await run({ onProgress });

  expect(progress).toEqual(['queued after 0', 'started after 0']);
});

test('a runner that cannot start fails the run, and its reason is logged for the operator alone', async () => {
  const reason = `The runner of scripts does not start: ${'y'.repeat(5000)}`;
  lambda.on(InvokeCommand).resolves(failure('RunnerNotStarted', reason));

  const outcome = await run();

  expect(outcome).toMatchObject({
    status: 'failure',
    stdout: '',
    stderr: 'The function of the script has failed: RunnerNotStarted.',
  });
  expect(logged).toEqual([
    {
      level: 'error',
      message: 'the function of a script cannot start its runner',
      reason: reason.slice(0, 2500),
      function: name,
    },
  ]);
});

test('what the kernel refuses to scripts is logged once', async () => {
  lambda.on(InvokeCommand).resolves(answer({ ...right, refused: ['filters', 'privileges'] }));
  const scripts = openScripts(options());

  const outcomes = [await scripts.run(given), await scripts.run(given)];
  await scripts.settled();

  expect(outcomes).toEqual([1, 2].map(() => expect.objectContaining({ status: 'success' })));
  expect(logged).toEqual([
    {
      level: 'info',
      message: 'the kernel refuses protections of Python scripts',
      refused: ['filters', 'privileges'],
      function: name,
    },
  ]);
});

test('a run is one invocation of its script’s own function, and waits for the response', async () => {
  lambda.on(InvokeCommand).resolves(answer(right));

  const outcome = await run();

  const event = { version: 5, args: { a: 1 }, config: { b: 2 }, meta: { c: 3 }, timeoutMs: 30_000 };
  expect(invocations()).toEqual([{ FunctionName: name, Payload: JSON.stringify(event) }]);
  expect(name).toMatch(/^groundwork-prod-scr-[0-9a-f]{24}$/);
  expect(outcome).toMatchObject({ status: 'success', stdout: 'hello', stderr: '' });
});

test('the event of a run has the digits of large numbers', async () => {
  lambda.on(InvokeCommand).resolves(answer(right));
  const args = parseExactJson('{"id":9007199254740993}') as Json;

  await run({ args });

  const [{ Payload } = {}] = invocations();
  expect(String(Payload)).toContain('"args":{"id":9007199254740993}');
});

test('names differ by script, instance and deployment', () => {
  const others = [
    functionName(ownDeployment, { instance: 31, script: 2 }),
    functionName(ownDeployment, { instance: 3, script: 122 }),
    functionName({ ...ownDeployment, deployment: 'another' }, { instance: 3, script: 12 }),
  ];

  expect(new Set([name, ...others]).size).toBe(4);
});

describe('the outcome of a run', () => {
  test.each([
    ['output of a success', answer(right), { status: 'success', stdout: 'hello' }],
    ['an exit code', answer({ ...right, exitCode: 3 }), { status: 'failure', stdout: 'hello' }],
    ['a signal', answer({ ...right, exitCode: null }), { status: 'failure', stdout: 'hello' }],
    ['a time-out', answer({ ...right, exitCode: null, isTimedOut: true }), { status: 'timeout' }],
    [
      'a response',
      answer({
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
      answer({
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
      answer({ ...right, stdout: 'x'.repeat(maxOutputBytes + 1) }),
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
        ...answer({ errorMessage: '2026 1 Task timed out after 305.00 seconds' }),
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
      { ...answer('<html>'), FunctionError: 'Unhandled' },
      { status: 'failure', stderr: expect.stringMatching('an unknown error') },
    ],
    [
      'no JSON',
      answer('nonsense'),
      { status: 'failure', stderr: expect.stringMatching('an invalid response') },
    ],
    [
      'nothing',
      { StatusCode: 200 },
      { status: 'failure', stderr: expect.stringMatching('an invalid response') },
    ],
    [
      'another shape',
      answer({ ...right, stdout: 7 }),
      { status: 'failure', stderr: expect.stringMatching('an invalid response') },
    ],
  ])('%s', async (_name, result, expected) => {
    lambda.on(InvokeCommand).resolves(result as never);

    const outcome = await run();

    expect(outcome).toMatchObject(expected);
    expect(invocations()).toHaveLength(1);
  });

  test('times are within those of the invocation, whatever the response', async () => {
    const sentMs = Date.now();
    lambda
      .on(InvokeCommand)
      .resolvesOnce(answer({ ...right, executedAtMs: 0, durationMs: 1e9 }))
      .resolves(answer({ ...right, executedAtMs: 1e300, durationMs: -5 }));

    const outcomes = [await run(), await run()];

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
  const taken = async () => (await store.query({ pk, limit: 1000 })).positions;
  const occupy = (places: number, waiters: number) =>
    Promise.all([
      ...Array.from({ length: places }, (_, n) =>
        write(store, createItem(runSlotEntity, runSlotEntity.key(3, n), {})),
      ),
      ...Array.from({ length: waiters }, (_, n) => {
        const key = runWaiterEntity.key(3, { isAwaited: true, sinceMs: n, id: 'w' });
        return write(store, createItem(runWaiterEntity, key, {}));
      }),
    ]);

  test.each([
    ['ends', answer(right)],
    ['fails', failure('Runtime.ExitError', 'RequestId: 1 Error')],
  ])('a run has one until it %s', async (_name, result) => {
    const during: (readonly string[])[] = [];
    lambda.on(InvokeCommand).callsFake(async () => {
      during.push(await taken());
      return result;
    });

    await run();

    expect(during).toEqual([[expect.stringMatching(/^PLACE#[0-7]$/)]]);
    expect(await taken()).toEqual([]);
  });

  test('a run whose invocation is rejected releases it', async () => {
    lambda
      .on(InvokeCommand)
      .rejects(Object.assign(awsError(ServiceException, 403), { name: 'No' }));

    await expect(run()).rejects.toThrow();

    expect(await taken()).toEqual([]);
  });

  test('a run that waits for its function acquires one for each try, and none in between', async () => {
    const between: (readonly string[])[] = [];
    lambda.on(InvokeCommand).rejectsOnce(absent).rejectsOnce(absent).resolves(answer(right));

    await run({}, async () => between.push(await taken()));

    expect(between).toEqual([[], []]);
  });

  test('a run that gets none in its time is not invoked', async () => {
    await occupy(8, 0);

    const outcome = await run({ waitMs: 2000 });

    expect(outcome).toEqual({ status: 'queue_timeout' });
    expect(nowMs).toBeGreaterThan(1800);
    expect(nowMs).toBeLessThanOrEqual(2000);
    expect(invocations()).toEqual([]);
    expect(await taken()).toHaveLength(8);
  });

  test('a run is blocked where too many wait', async () => {
    await occupy(8, 16);

    expect(await run()).toEqual({ status: 'blocked' });
    expect([invocations(), nowMs]).toEqual([[], 0]);
  });
});

describe('a run that may have started is not invoked again:', () => {
  test.each([
    ['a connection that was lost', Object.assign(new Error('reset'), { code: 'ECONNRESET' })],
    ['an answer that did not come in time', Object.assign(new Error(), { name: 'TimeoutError' })],
    ['a fault of Lambda', awsError(ServiceException, 500)],
  ])('%s', async (_name, error) => {
    lambda.on(InvokeCommand).rejects(error);

    const outcome = await run();

    expect(outcome).toMatchObject({
      status: 'failure',
      stdout: '',
      stderr: expect.stringMatching('may or may not have run to its end'),
    });
    expect(invocations()).toHaveLength(1);
  });
});

test('arguments that are too large are not run', async () => {
  lambda.on(InvokeCommand).rejects(awsError(RequestTooLargeException as never, 413));

  const outcome = await run();

  expect(outcome).toMatchObject({ status: 'failure', stderr: expect.stringMatching('too large') });
});

test('a rejection by Lambda for an internal reason is a server error', async () => {
  const denied = Object.assign(awsError(ServiceException, 403), { name: 'AccessDeniedException' });
  lambda.on(InvokeCommand).rejects(denied);

  await expect(run()).rejects.toThrow(denied);
});

describe('a run waits', () => {
  test.each([
    ['for a place', busy],
    ['for a connection', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
    ['for its function', absent],
    ['for a function that is being made, or returns', conflict],
    ['for a function that is not ready', awsError(ResourceNotReadyException as never, 502)],
  ])('%s', async (_name, error) => {
    lambda.on(InvokeCommand).rejectsOnce(error).rejectsOnce(error).resolves(answer(right));

    const outcome = await run();

    expect(outcome).toMatchObject({ status: 'success' });
    expect(invocations()).toHaveLength(3);
    expect(await deploymentsAsked()).toEqual([]);
  });

  test.each([
    ['for its version', answer({ stale: true, version: 4 })],
    [
      'for the runtime of its version',
      failure('Runtime.ImportModuleError', "Error: Cannot find module 'index'"),
    ],
  ])('%s', async (_name, first) => {
    lambda
      .on(InvokeCommand)
      .resolvesOnce(first as never)
      .resolves(answer(right));

    const outcome = await run();

    expect([outcome.status, pauses.length]).toEqual(['success', 1]);
  });

  it('in increasing pauses, and as long as Lambda specifies', async () => {
    lambda.on(InvokeCommand).rejects(busy);
    await run();
    const longest = [100, 200, 400, 800, 1600, 2000, 2000];
    expect(pauses.length).toBeGreaterThan(6);
    for (const [at, ms] of longest.entries()) {
      expect(pauses[at]).toBeGreaterThanOrEqual(ms / 2);
      expect(pauses[at]).toBeLessThanOrEqual(ms);
    }

    pauses = [];
    lambda.reset();
    const asking = awsError(TooManyRequestsException as never, 429, { retryAfterSeconds: '4' });
    lambda.on(InvokeCommand).rejectsOnce(asking).resolves(answer(right));
    await run();
    expect(pauses).toEqual([4000]);
  });

  it('and starts no more once its instance is suspended', async () => {
    let isSuspended = false;
    lambda.on(InvokeCommand).callsFake(() => {
      if (!isSuspended) throw absent;
      return answer(right);
    });

    const outcome = await run({ mayStart: async () => !isSuspended }, async () => {
      isSuspended = nowMs >= 500;
    });

    expect(outcome).toEqual({ status: 'blocked' });
  });

  it('no longer than its time limit', async () => {
    lambda.on(InvokeCommand).rejects(busy);

    const outcome = await run({ waitMs: 5000 });

    expect(outcome).toEqual({ status: 'queue_timeout' });
    expect(nowMs).toBeLessThanOrEqual(5000);
    expect(await deploymentsAsked()).toEqual([]);
  });

  it('not at all for a version that is older than the function: that one runs', async () => {
    lambda
      .on(InvokeCommand)
      .resolvesOnce(answer({ stale: true, version: 6 }))
      .resolves(answer(right));

    const outcome = await run();

    const versions = invocations().map(({ Payload }) => JSON.parse(String(Payload)).version);
    expect([outcome.status, versions]).toEqual(['success', [5, 6]]);
  });
});

describe('a missing function', () => {
  it('is requested once, and the run reports that it was missing', async () => {
    lambda.on(InvokeCommand).rejects(absent);

    const outcomes = await Promise.all([run(), run(), run({ waitMs: 0 })]);

    expect(await deploymentsAsked()).toEqual([deployment]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'failure',
        durationMs: 0,
        stdout: '',
        stderr: 'The script has not run: its function is not ready yet.',
      });
    }
  });

  it.each([
    ['could not be made', { state: 'failed', error: 'CodeStorageExceededException' }, 1],
    ['was asked for lately', { askedAt: Date.now() - 5000 }, 0],
    ['was asked for long ago', { askedAt: Date.now() - 60_000 }, 1],
  ])('as it %s', async (why, more, asked) => {
    const key = scriptFunctionEntity.key(3, 12);
    const known = { instance: 3, script: 12, version: 4, release: 'r', state: 'ready', ...more };
    await write(store, createItem(scriptFunctionEntity, key, known as ScriptFunctionData));
    lambda.on(InvokeCommand).resolves(answer({ stale: true, version: 4 }));

    const outcome = await run();

    expect(await deploymentsAsked()).toHaveLength(asked);
    expect(outcome).toMatchObject({
      stderr: why.startsWith('could')
        ? 'The script has not run: its function could not be made (CodeStorageExceededException).'
        : 'The script has not run: its function is not ready yet.',
    });
  });
});
