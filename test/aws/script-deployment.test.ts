import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  type FunctionConfiguration,
  GetFunctionCommand,
  LambdaClient,
  ListFunctionsCommand,
  PreconditionFailedException,
  ResourceConflictException,
  ResourceNotFoundException,
  ServiceException,
  TooManyRequestsException,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { unzipSync } from 'fflate';
import { afterAll, describe, expect, vi } from 'vitest';
import type { ItemChange, Services } from '../../shared/jobs/change-feed.ts';
import type { JobContext, StepResult } from '../../shared/jobs/jobs.ts';
import { createDeployScript } from '../../shared/platforms/aws/scripts/deploy-script.ts';
import { followScripts } from '../../shared/platforms/aws/scripts/follow-scripts.ts';
import { openFunctionControl } from '../../shared/platforms/aws/scripts/function-control.ts';
import { describeFunction, functionName } from '../../shared/platforms/aws/scripts/script-names.ts';
import { packFunction, releaseOf } from '../../shared/platforms/aws/scripts/script-package.ts';
import { createSweepFunctions } from '../../shared/platforms/aws/scripts/sweep-functions.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { Store, Stored } from '../../shared/store/store.ts';
import { putItem } from '../../shared/store/writes.ts';
import { scriptFunctionEntity } from '../../shared/table/entities/deployment.ts';
import { jobEntity, jobShards } from '../../shared/table/entities/jobs.ts';
import { scriptEntity, scriptSourceEntity } from '../../shared/table/entities/scripts.ts';
import type { ScriptFunctionData } from '../../shared/table/records/functions.ts';
import type { ScriptData } from '../../shared/table/records/scripts.ts';
import { del, write } from '../store/fixture.ts';
import { storedScript } from '../support/aws-platform.ts';
import { storeTest } from '../support/store-test.ts';

const lambda = mockClient(LambdaClient);
afterAll(() => lambda.restore()); // files after this one share the process
const deployment = { prefix: 'groundwork-prod', deployment: 'one' };
const id = { instance: 3, script: 12 };
const name = functionName(deployment, id);
const files = { node: { 'index.mjs': 'supervisor' }, python: { 'index.py': 'supervisor' } };
const role = 'arn:aws:iam::1:role/nothing';
const made = { files, role, memoryMegabytes: 1024 };
const source = 'console.log(1)';
const wanted = (version = 1, runtime: 'node' | 'python' = 'node', text = source) =>
  packFunction(made, { id, version, runtime, source: text });

const it = storeTest.extend('given', ({ store }) => setUp(store));

describe('a script', () => {
  it('gets a function of its own, without permissions and environment', async ({ given }) => {
    await storeScript(given);
    shows(null);

    const result = await given.step();

    const [input] = inputs(CreateFunctionCommand);
    expect(result).toEqual(later);
    expect(input).toEqual({
      FunctionName: name,
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Role: role,
      MemorySize: 1024,
      Timeout: 305,
      Description: 'Groundwork: script 12 of instance 3',
      Architectures: ['arm64'],
      EphemeralStorage: { Size: 512 },
      Code: { ZipFile: wanted().code },
    });
    const zip = unzipSync(input?.Code?.ZipFile ?? new Uint8Array());
    const texts = Object.entries(zip).map(([file, bytes]) => [file, String(Buffer.from(bytes))]);
    expect(Object.fromEntries(texts)).toEqual({
      'index.mjs': 'supervisor',
      'main.js': source,
      'version.json': '{"version":1}',
    });
    expect(names()).toEqual(['CreateFunctionCommand']);
  });

  it('in Python gets one of Python', async ({ given }) => {
    await storeScript(given, { runtime_name: 'python3' });
    shows(null);

    await given.step();

    const [input] = inputs(CreateFunctionCommand);
    expect(input?.Runtime).toBe('python3.14');
    expect(Object.keys(unzipSync(input?.Code?.ZipFile ?? new Uint8Array()))).toEqual([
      'index.py',
      'main.py',
      'version.json',
    ]);
  });

  it('with a large source is packed whole', async ({ given }) => {
    const large = `//${'x'.repeat(3_000_000)}`;
    given.stored.set(`scripts/3/12/${'a'.repeat(40)}`, Buffer.from(large));
    await storeScript(given, {}, large.slice(0, 10), `scripts/3/12/${'a'.repeat(40)}`);
    shows(null);

    await given.step();

    expect(inputs(CreateFunctionCommand)[0]?.Code?.ZipFile).toEqual(wanted(1, 'node', large).code);
  });

  it('that has its function is done, and recorded', async ({ given }) => {
    await storeScript(given);
    shows({});

    const result = await given.step();

    expect([result, names()]).toEqual(['done', []]);
    expect(await known(given)).toEqual({
      ...id,
      version: 1,
      release: releaseOf(made, 'node'),
      state: 'ready',
    });
  });

  it('has a function with the memory of the setting, also after it was changed', async ({
    given,
  }) => {
    await storeScript(given);
    shows({ MemorySize: 256 });

    const result = await given.step();

    expect([result, names()]).toEqual([later, ['UpdateFunctionConfigurationCommand']]);
    expect(inputs(UpdateFunctionConfigurationCommand)[0]?.MemorySize).toBe(1024);
    expect(releaseOf({ ...made, memoryMegabytes: 512 }, 'node')).not.toBe(releaseOf(made, 'node'));
  });

  it('that was changed gets new code', async ({ given }) => {
    await storeScript(given, { version: 2 });
    shows({});

    const result = await given.step();

    expect(result).toEqual(later);
    expect(names()).toEqual(['UpdateFunctionCodeCommand']);
    expect(inputs(UpdateFunctionCodeCommand)).toEqual([
      {
        FunctionName: name,
        RevisionId: 'r1',
        ZipFile: wanted(2).code,
        Architectures: ['arm64'],
      },
    ]);
  });

  it('that was changed to another runtime gets code, then, when that is active, settings', async ({
    given,
  }) => {
    await storeScript(given, { version: 2, runtime_name: 'python3' });
    const changed = { CodeSha256: wanted(2, 'python').hash, RevisionId: 'r2' };
    shows({}, { ...changed, LastUpdateStatus: 'InProgress' }, changed);

    const result = await given.step();

    expect(result).toEqual(later);
    expect(names()).toEqual(['UpdateFunctionCodeCommand', 'UpdateFunctionConfigurationCommand']);
    expect(inputs(UpdateFunctionConfigurationCommand)).toEqual([
      { FunctionName: name, RevisionId: 'r2', ...wanted(2, 'python').settings },
    ]);
    expect(given.slept).toHaveLength(2);
  });

  it('whose function is being changed waits some seconds, then yields to other jobs', async ({
    given,
  }) => {
    await storeScript(given, { version: 2 });
    shows({ State: 'Pending' });

    const result = await given.step({ ...id, tries: 3 });

    expect(result).toEqual({ task: { ...id, tries: 4 }, afterMs: expect.any(Number) });
    expect([names(), given.slept.length]).toEqual([[], 3]);
  });

  it('whose function has failed loses it, and gets another', async ({ given }) => {
    await storeScript(given);
    shows({ State: 'Failed', StateReasonCode: 'InvalidRuntime' }, null);

    const first = await given.step();
    const why = await known(given);
    const second = await given.step();

    expect([first, second]).toEqual([later, later]);
    expect(names()).toEqual(['DeleteFunctionCommand', 'CreateFunctionCommand']);
    expect(why).toMatchObject({ state: 'failed', error: 'InvalidRuntime', version: 0 });
  });

  it('whose function did not apply a change gets it again', async ({ given }) => {
    await storeScript(given);
    shows({ LastUpdateStatus: 'Failed', LastUpdateStatusReasonCode: 'InternalError' }, {});

    const results = [await given.step(), await given.step()];

    expect(results).toEqual([later, 'done']);
    expect(names()).toEqual(['UpdateFunctionCodeCommand']);
    expect(await known(given)).toMatchObject({ state: 'ready', version: 1 });
  });

  it('that is deleted loses its function, including its record', async ({ given }) => {
    await storeScript(given);
    shows({}, {}, null);
    await given.step();
    await write(given.store, del(scriptEntity.key(3, 12)));

    const results = [await given.step(), await given.step()];

    expect(results).toEqual(['done', 'done']);
    expect(inputs(DeleteFunctionCommand)).toEqual([{ FunctionName: name }]);
    expect(await known(given)).toBeUndefined();
  });
});

describe('a request that Lambda rejects', () => {
  const kinds = [TooManyRequestsException, ResourceConflictException, PreconditionFailedException];

  it.for(kinds.map((kind) => [kind.name, kind] as const))(
    'is repeated after %s',
    async ([_name, kind], { given }) => {
      await storeScript(given);
      shows(null);
      lambda.on(CreateFunctionCommand).rejects(new kind({ message: 'no', $metadata: {} }));

      const results = [
        await given.step(),
        await given.step({ ...id, tries: 1 }),
        await given.step({ ...id, tries: 30 }),
      ];

      const pauses = results.map((result) => (result === 'done' ? 0 : (result.afterMs ?? 0)));
      expect(pauses[0]).toBeLessThanOrEqual(1000);
      expect(pauses[1]).toBeLessThanOrEqual(2000);
      expect(pauses[2]).toBeGreaterThanOrEqual(150_000);
      expect(pauses[2]).toBeLessThanOrEqual(300_000);
      expect(await known(given)).toBeUndefined();
    },
  );

  it('for another reason is reported to the operator, and recorded', async ({ given }) => {
    await storeScript(given);
    shows(null);
    const error = Object.assign(new ServiceException({ message: 'no', $metadata: {} }), {
      name: 'CodeStorageExceededException',
    });
    lambda.on(CreateFunctionCommand).rejects(error);

    await expect(given.step()).rejects.toThrow(error);

    expect(await known(given)).toMatchObject({
      state: 'failed',
      error: 'CodeStorageExceededException',
    });
  });
});

it('no more than some changes are sent at once, then a few per second', async ({ given }) => {
  await storeScript(given);
  shows(null);
  const time = vi.spyOn(performance, 'now').mockReturnValue(performance.now());

  for (let at = 0; at < 8; at += 1) await given.step();
  time.mockRestore();

  expect(names()).toHaveLength(8);
  expect(given.slept.length).toBeGreaterThanOrEqual(2);
  for (const ms of given.slept) expect(ms).toBeLessThanOrEqual(8 * 200);
});

describe('changes of scripts', () => {
  const item = (data: Partial<ScriptData> = {}): Stored => ({
    key: scriptEntity.key(3, 12),
    kind: 'script',
    version: 'w',
    data: { ...storedScript, ...data },
  });
  const change = (part: Pick<ItemChange, 'before' | 'after'>): ItemChange => ({
    key: scriptEntity.key(3, 12),
    kind: 'script',
    position: '1',
    ...part,
    change: { actor: {}, cause: 'client', depth: 0 },
  });
  const wantedWork = { kind: 'deploy-script', task: id };
  const sweepWork = { kind: 'sweep-functions', task: {} };
  const consume = ({ context }: Given, ...changes: readonly ItemChange[]) =>
    followScripts.consume(changes, context as Services);

  it.for<[string, Pick<ItemChange, 'before' | 'after'>, number]>([
    ['a new one', { after: item() }, 1],
    ['a changed one', { before: item(), after: item({ version: 2 }) }, 1],
    ['a deleted one', { before: item() }, 1],
    ['one with another label', { before: item(), after: item({ label: 'x' }) }, 0],
  ])('%s', async ([_name, part, count], { given }) => {
    await consume(given, change(part), change(part));

    const work = await workLeft(given);
    expect(work.filter(({ kind }: { kind?: string }) => kind === 'deploy-script')).toEqual(
      Array.from({ length: count }, () => wantedWork),
    );
  });

  it('start the daily comparison, once', async ({ given }) => {
    await consume(given, change({ after: item() }));
    await consume(given, change({ before: item() }));

    const work = await workLeft(given);
    expect(work).toHaveLength(3);
    expect(work).toEqual(expect.arrayContaining([wantedWork, sweepWork]));
  });
});

describe('the daily comparison', () => {
  const dayLater = { task: {}, afterMs: 86_400_000 };
  const listed = (...functions: readonly object[]) => ({ Functions: functions as never });
  const own = { FunctionName: name, Description: describeFunction(id) };

  /** All events of one, from its start to the next one. */
  async function compare({ sweep, context }: Given): Promise<number> {
    let task: object = {};
    for (let steps = 1; ; steps += 1) {
      const result = await sweep.step(context, task as never);
      if (result === 'done') throw new Error('it never is');
      if (result.afterMs !== undefined) {
        expect(result).toEqual(dayLater);
        return steps;
      }
      task = result.task;
    }
  }

  it.beforeEach(async ({ given }) => {
    await storeScript(given);
    shows({});
    await given.step();
    lambda.on(ListFunctionsCommand).resolves(listed(own));
  });

  it('finds no differences in a consistent state', async ({ given }) => {
    await compare(given);

    expect([await workLeft(given), names()]).toEqual([[], ['ListFunctionsCommand']]);
  });

  it.for<[string, (given: Given) => Promise<unknown>, number]>([
    ['has lost its script', ({ store }) => write(store, del(scriptEntity.key(3, 12))), 2], // listed, and recorded
    ['is of an earlier version', (given) => storeScript(given, { version: 2 }), 1],
    ['is gone', async () => shows(null), 1],
    ['has failed', async () => shows({ State: 'Failed' }), 1],
    [
      'is of an earlier release',
      async ({ store }) => {
        const data = { ...id, version: 1, release: 'old', state: 'ready' } as const;
        await write(store, putItem(scriptFunctionEntity, scriptFunctionEntity.key(3, 12), data));
      },
      1,
    ],
  ])('a function that %s gets a job', async ([_name, disturb, count], { given }) => {
    await disturb(given);

    await compare(given);

    const wantedWork = { kind: 'deploy-script', task: id };
    expect(await workLeft(given)).toEqual(Array.from({ length: count }, () => wantedWork));
  });

  it('reads all pages, and deletes functions of an earlier deployment', async ({ given }) => {
    const old = functionName({ ...deployment, deployment: 'another' }, id);
    const others = ['groundwork-prod-script-runs', `groundwork-prod-scr-x-scr-${'a'.repeat(24)}`];
    lambda
      .on(ListFunctionsCommand)
      .resolves(listed(own))
      .on(ListFunctionsCommand, { MaxItems: 50 }, true)
      .resolves({
        ...listed(...[old, ...others, 'mine'].map((each) => ({ ...own, FunctionName: each }))),
        NextMarker: 'more',
      });

    await compare(given);

    expect(inputs(ListFunctionsCommand)).toEqual([
      { MaxItems: 50 },
      { MaxItems: 50, Marker: 'more' },
    ]);
    expect(inputs(DeleteFunctionCommand)).toEqual([{ FunctionName: old }]);
  });

  it('starts again when its list position is no longer valid', async ({ given }) => {
    const error = new ServiceException({ message: 'no', $metadata: {} });
    lambda
      .on(ListFunctionsCommand)
      .rejects(Object.assign(error, { name: 'InvalidParameterValueException' }));

    expect(await given.sweep.step(given.context, { marker: 'old' })).toEqual({
      task: { last: '' },
    });
  });

  it('waits while Lambda accepts no requests', async ({ given }) => {
    lambda
      .on(ListFunctionsCommand)
      .rejects(new TooManyRequestsException({ message: 'no', $metadata: {} }));

    expect(await given.sweep.step(given.context, { marker: 'm' })).toEqual({
      task: { marker: 'm' },
      afterMs: 5000,
    });
  });
});

type Given = ReturnType<typeof setUp>;

/** The jobs of functions, the files that they read, and their pauses, which take no time. */
function setUp(store: Store) {
  lambda.reset();
  const slept: number[] = [];
  const stored = new Map<string, Uint8Array>();
  const get = async (_owner: unknown, key: string) => {
    const bytes = stored.get(key);
    return bytes && { bytes, contentType: 'text/plain' };
  };
  const context = {
    store,
    clock: openClock(),
    ids: openIds(),
    files: { get },
    log: () => undefined,
  } as unknown as JobContext; // the part of a platform that the tests need
  const sleep = async (ms: number) => {
    slept.push(ms);
  };
  const control = openFunctionControl({ client: new LambdaClient({ region: 'eu-west-1' }), sleep });
  const options = { ...made, readDeployment: async () => deployment, control, sleep };
  const deploy = createDeployScript(options);
  for (const command of [
    CreateFunctionCommand,
    UpdateFunctionCodeCommand,
    UpdateFunctionConfigurationCommand,
    DeleteFunctionCommand,
  ]) {
    lambda.on(command as typeof CreateFunctionCommand).resolves({});
  }
  const step = async (task: object = id): Promise<StepResult> =>
    deploy.step(context, task as never);
  return { store, context, slept, stored, step, sweep: createSweepFunctions(options) };
}

async function storeScript(
  { store }: Given,
  data: Partial<ScriptData> = {},
  text = source,
  file?: string,
) {
  const { version } = { ...storedScript, ...data };
  await write(
    store,
    putItem(scriptEntity, scriptEntity.key(3, 12), { ...storedScript, ...data }),
    putItem(scriptSourceEntity, scriptSourceEntity.key(3, 12), {
      version,
      text,
      ...(file !== undefined && { file }),
    }),
  );
}

const missing = new ResourceNotFoundException({
  message: 'no',
  $metadata: { httpStatusCode: 404 },
});

/** Simulates states of the function at Lambda, in order; null: it does not exist. */
function shows(...states: readonly (FunctionConfiguration | null)[]): void {
  const [last] = states.slice(-1);
  const stub = lambda.on(GetFunctionCommand);
  const show = (state: FunctionConfiguration | null | undefined) => ({
    Configuration: { ...active, ...state },
  });
  if (last === null) stub.rejects(missing);
  else stub.resolves(show(last));
  for (const state of states.slice(0, -1)) {
    if (state === null) stub.rejectsOnce(missing);
    else stub.resolvesOnce(show(state));
  }
}

const active = {
  ...wanted().settings,
  CodeSha256: wanted().hash,
  RevisionId: 'r1',
  State: 'Active',
  LastUpdateStatus: 'Successful',
} as const;

const later = { task: { ...id, tries: 1 }, afterMs: expect.any(Number) };

/** Names of the requests to Lambda that are not reads of the function. */
function names(): readonly string[] {
  return lambda
    .calls()
    .map(({ args }) => args[0].constructor.name)
    .filter((each) => each !== 'GetFunctionCommand');
}

function inputs(command: unknown) {
  return lambda
    .commandCalls(command as typeof CreateFunctionCommand)
    .map(({ args }) => args[0].input);
}

async function known({ store }: Given): Promise<ScriptFunctionData | undefined> {
  return (await scriptFunctionEntity.read(store, 3, 12))?.data;
}

async function workLeft({ store }: Given): Promise<readonly object[]> {
  const found = await Promise.all(
    jobShards.map((shard) => jobEntity.list(store, [shard], { limit: 10 })),
  );
  return found.flatMap(({ items }) => items.map(({ data: { kind, task } }) => ({ kind, task })));
}
