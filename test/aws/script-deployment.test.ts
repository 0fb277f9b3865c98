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
import { afterAll, afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import type { ItemChange, Services } from '../../shared/jobs/change-feed.ts';
import type { JobContext, JobType, StepResult } from '../../shared/jobs/jobs.ts';
import { createDeployScript } from '../../shared/platforms/aws/scripts/deploy-script.ts';
import { followScripts } from '../../shared/platforms/aws/scripts/follow-scripts.ts';
import { openFunctionControl } from '../../shared/platforms/aws/scripts/function-control.ts';
import { describeFunction, functionName } from '../../shared/platforms/aws/scripts/script-names.ts';
import { packFunction, releaseOf } from '../../shared/platforms/aws/scripts/script-package.ts';
import { createSweepFunctions } from '../../shared/platforms/aws/scripts/sweep-functions.ts';
import { type LocalStore, openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { Stored } from '../../shared/store/store.ts';
import { putItem } from '../../shared/store/writes.ts';
import { scriptFunctionEntity } from '../../shared/table/entities/deployment.ts';
import { jobEntity, jobShards } from '../../shared/table/entities/jobs.ts';
import { scriptEntity, scriptSourceEntity } from '../../shared/table/entities/scripts.ts';
import type { ScriptFunctionData } from '../../shared/table/records/functions.ts';
import type { ScriptData } from '../../shared/table/records/scripts.ts';
import { del, write } from '../store/fixture.ts';

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

let store: LocalStore;
let context: JobContext;
let stored: Map<string, Uint8Array>;
let slept: number[];
let deploy: JobType;
let sweep: JobType;

beforeEach(async () => {
  lambda.reset();
  slept = [];
  stored = new Map();
  store = await openTemporaryStore({ now: Date.now });
  const clock = openClock();
  const get = async (_owner: unknown, key: string) => {
    const bytes = stored.get(key);
    return bytes && { bytes, contentType: 'text/plain' };
  };
  context = {
    store,
    clock,
    ids: openIds(),
    files: { get },
    log: () => undefined,
  } as unknown as JobContext; // the part of a platform that the tests need
  const sleep = async (ms: number) => {
    slept.push(ms);
  };
  const control = openFunctionControl({ client: new LambdaClient({ region: 'eu-west-1' }), sleep });
  const options = { ...made, readDeployment: async () => deployment, control, sleep };
  deploy = createDeployScript(options);
  sweep = createSweepFunctions(options);
  for (const command of [
    CreateFunctionCommand,
    UpdateFunctionCodeCommand,
    UpdateFunctionConfigurationCommand,
    DeleteFunctionCommand,
  ]) {
    lambda.on(command as typeof CreateFunctionCommand).resolves({});
  }
});
afterEach(() => store.close());

const script: ScriptData = {
  id: 12,
  runtime_name: 'nodejs_v6',
  label: '',
  description: '',
  config: {},
  created_at: '',
  updated_at: '',
  version: 1,
};

async function storeScript(data: Partial<ScriptData> = {}, text = source, file?: string) {
  const { version } = { ...script, ...data };
  await write(
    store,
    putItem(scriptEntity, scriptEntity.key(3, 12), { ...script, ...data }),
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

async function step(task: object = id): Promise<StepResult> {
  return deploy.step(context, task as never);
}

const later = { task: { ...id, tries: 1 }, afterMs: expect.any(Number) };
const names = () =>
  lambda
    .calls()
    .map(({ args }) => args[0].constructor.name)
    .filter((each) => each !== 'GetFunctionCommand');
const inputs = (command: unknown) =>
  lambda.commandCalls(command as typeof CreateFunctionCommand).map(({ args }) => args[0].input);

async function known(): Promise<ScriptFunctionData | undefined> {
  return (await scriptFunctionEntity.read(store, 3, 12))?.data;
}

async function workLeft(): Promise<readonly object[]> {
  const found = await Promise.all(
    jobShards.map((shard) => jobEntity.list(store, [shard], { limit: 10 })),
  );
  return found.flatMap(({ items }) => items.map(({ data: { kind, task } }) => ({ kind, task })));
}

describe('a script', () => {
  it('gets a function of its own, without permissions and environment', async () => {
    await storeScript();
    shows(null);

    const result = await step();

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

  it('in Python gets one of Python', async () => {
    await storeScript({ runtime_name: 'python3' });
    shows(null);

    await step();

    const [input] = inputs(CreateFunctionCommand);
    expect(input?.Runtime).toBe('python3.14');
    expect(Object.keys(unzipSync(input?.Code?.ZipFile ?? new Uint8Array()))).toEqual([
      'index.py',
      'main.py',
      'version.json',
    ]);
  });

  it('with a large source is packed whole', async () => {
    const large = `//${'x'.repeat(3_000_000)}`;
    stored.set(`scripts/3/12/${'a'.repeat(40)}`, Buffer.from(large));
    await storeScript({}, large.slice(0, 10), `scripts/3/12/${'a'.repeat(40)}`);
    shows(null);

    await step();

    expect(inputs(CreateFunctionCommand)[0]?.Code?.ZipFile).toEqual(wanted(1, 'node', large).code);
  });

  it('that has its function is done, and recorded', async () => {
    await storeScript();
    shows({});

    const result = await step();

    expect([result, names()]).toEqual(['done', []]);
    expect(await known()).toEqual({
      ...id,
      version: 1,
      release: releaseOf(made, 'node'),
      state: 'ready',
    });
  });

  it('has a function with the memory of the setting, also after it was changed', async () => {
    await storeScript();
    shows({ MemorySize: 256 });

    const result = await step();

    expect([result, names()]).toEqual([later, ['UpdateFunctionConfigurationCommand']]);
    expect(inputs(UpdateFunctionConfigurationCommand)[0]?.MemorySize).toBe(1024);
    expect(releaseOf({ ...made, memoryMegabytes: 512 }, 'node')).not.toBe(releaseOf(made, 'node'));
  });

  it('that was changed gets new code', async () => {
    await storeScript({ version: 2 });
    shows({});

    const result = await step();

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

  it('that was changed to another runtime gets code, then, when that is active, settings', async () => {
    await storeScript({ version: 2, runtime_name: 'python3' });
    const changed = { CodeSha256: wanted(2, 'python').hash, RevisionId: 'r2' };
    shows({}, { ...changed, LastUpdateStatus: 'InProgress' }, changed);

    const result = await step();

    expect(result).toEqual(later);
    expect(names()).toEqual(['UpdateFunctionCodeCommand', 'UpdateFunctionConfigurationCommand']);
    expect(inputs(UpdateFunctionConfigurationCommand)).toEqual([
      { FunctionName: name, RevisionId: 'r2', ...wanted(2, 'python').settings },
    ]);
    expect(slept).toHaveLength(2);
  });

  it('whose function is being changed waits some seconds, then yields to other jobs', async () => {
    await storeScript({ version: 2 });
    shows({ State: 'Pending' });

    const result = await step({ ...id, tries: 3 });

    expect(result).toEqual({ task: { ...id, tries: 4 }, afterMs: expect.any(Number) });
    expect([names(), slept.length]).toEqual([[], 3]);
  });

  it('whose function has failed loses it, and gets another', async () => {
    await storeScript();
    shows({ State: 'Failed', StateReasonCode: 'InvalidRuntime' }, null);

    const first = await step();
    const why = await known();
    const second = await step();

    expect([first, second]).toEqual([later, later]);
    expect(names()).toEqual(['DeleteFunctionCommand', 'CreateFunctionCommand']);
    expect(why).toMatchObject({ state: 'failed', error: 'InvalidRuntime', version: 0 });
  });

  it('whose function did not apply a change gets it again', async () => {
    await storeScript();
    shows({ LastUpdateStatus: 'Failed', LastUpdateStatusReasonCode: 'InternalError' }, {});

    const results = [await step(), await step()];

    expect(results).toEqual([later, 'done']);
    expect(names()).toEqual(['UpdateFunctionCodeCommand']);
    expect(await known()).toMatchObject({ state: 'ready', version: 1 });
  });

  it('that is deleted loses its function, including its record', async () => {
    await storeScript();
    shows({}, {}, null);
    await step();
    await write(store, del(scriptEntity.key(3, 12)));

    const results = [await step(), await step()];

    expect(results).toEqual(['done', 'done']);
    expect(inputs(DeleteFunctionCommand)).toEqual([{ FunctionName: name }]);
    expect(await known()).toBeUndefined();
  });
});

describe('a request that Lambda rejects', () => {
  const kinds = [TooManyRequestsException, ResourceConflictException, PreconditionFailedException];

  it.each(kinds.map((kind) => [kind.name, kind] as const))(
    'is repeated after %s',
    async (_name, kind) => {
      await storeScript();
      shows(null);
      lambda.on(CreateFunctionCommand).rejects(new kind({ message: 'no', $metadata: {} }));

      const results = [
        await step(),
        await step({ ...id, tries: 1 }),
        await step({ ...id, tries: 30 }),
      ];

      const pauses = results.map((result) => (result === 'done' ? 0 : (result.afterMs ?? 0)));
      expect(pauses[0]).toBeLessThanOrEqual(1000);
      expect(pauses[1]).toBeLessThanOrEqual(2000);
      expect(pauses[2]).toBeGreaterThanOrEqual(150_000);
      expect(pauses[2]).toBeLessThanOrEqual(300_000);
      expect(await known()).toBeUndefined();
    },
  );

  it('for another reason is reported to the operator, and recorded', async () => {
    await storeScript();
    shows(null);
    const error = Object.assign(new ServiceException({ message: 'no', $metadata: {} }), {
      name: 'CodeStorageExceededException',
    });
    lambda.on(CreateFunctionCommand).rejects(error);

    await expect(step()).rejects.toThrow(error);

    expect(await known()).toMatchObject({ state: 'failed', error: 'CodeStorageExceededException' });
  });
});

test('no more than some changes are sent at once, then a few per second', async () => {
  await storeScript();
  shows(null);
  const time = vi.spyOn(performance, 'now').mockReturnValue(performance.now());

  for (let at = 0; at < 8; at += 1) await step();
  time.mockRestore();

  expect(names()).toHaveLength(8);
  expect(slept.length).toBeGreaterThanOrEqual(2);
  for (const ms of slept) expect(ms).toBeLessThanOrEqual(8 * 200);
});

describe('changes of scripts', () => {
  const item = (data: Partial<ScriptData> = {}): Stored => ({
    key: scriptEntity.key(3, 12),
    kind: 'script',
    version: 'w',
    data: { ...script, ...data },
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
  const consume = (...changes: readonly ItemChange[]) =>
    followScripts.consume(changes, context as Services);

  it.each([
    ['a new one', { after: item() }, 1],
    ['a changed one', { before: item(), after: item({ version: 2 }) }, 1],
    ['a deleted one', { before: item() }, 1],
    ['one with another label', { before: item(), after: item({ label: 'x' }) }, 0],
  ])('%s', async (_name, part, count) => {
    await consume(change(part), change(part));

    const work = await workLeft();
    expect(work.filter(({ kind }: { kind?: string }) => kind === 'deploy-script')).toEqual(
      Array.from({ length: count }, () => wantedWork),
    );
  });

  it('start the daily comparison, once', async () => {
    await consume(change({ after: item() }));
    await consume(change({ before: item() }));

    const work = await workLeft();
    expect(work).toHaveLength(3);
    expect(work).toEqual(expect.arrayContaining([wantedWork, sweepWork]));
  });
});

describe('the daily comparison', () => {
  const dayLater = { task: {}, afterMs: 86_400_000 };
  const listed = (...functions: readonly object[]) => ({ Functions: functions as never });
  const own = { FunctionName: name, Description: describeFunction(id) };

  /** All events of one, from its start to the next one. */
  async function compare(): Promise<number> {
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

  beforeEach(async () => {
    await storeScript();
    shows({});
    await step();
    lambda.on(ListFunctionsCommand).resolves(listed(own));
  });

  it('finds no differences in a consistent state', async () => {
    await compare();

    expect([await workLeft(), names()]).toEqual([[], ['ListFunctionsCommand']]);
  });

  it.each([
    ['has lost its script', () => write(store, del(scriptEntity.key(3, 12))), 2], // listed, and recorded
    ['is of an earlier version', () => storeScript({ version: 2 }), 1],
    ['is gone', async () => shows(null), 1],
    ['has failed', async () => shows({ State: 'Failed' }), 1],
    [
      'is of an earlier release',
      async () => {
        const data = { ...id, version: 1, release: 'old', state: 'ready' } as const;
        await write(store, putItem(scriptFunctionEntity, scriptFunctionEntity.key(3, 12), data));
      },
      1,
    ],
  ])('a function that %s gets a job', async (_name, disturb, count) => {
    await disturb();

    await compare();

    const wantedWork = { kind: 'deploy-script', task: id };
    expect(await workLeft()).toEqual(Array.from({ length: count }, () => wantedWork));
  });

  it('reads all pages, and deletes functions of an earlier deployment', async () => {
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

    await compare();

    expect(inputs(ListFunctionsCommand)).toEqual([
      { MaxItems: 50 },
      { MaxItems: 50, Marker: 'more' },
    ]);
    expect(inputs(DeleteFunctionCommand)).toEqual([{ FunctionName: old }]);
  });

  it('starts again when its list position is no longer valid', async () => {
    const error = new ServiceException({ message: 'no', $metadata: {} });
    lambda
      .on(ListFunctionsCommand)
      .rejects(Object.assign(error, { name: 'InvalidParameterValueException' }));

    expect(await sweep.step(context, { marker: 'old' })).toEqual({ task: { last: '' } });
  });

  it('waits while Lambda accepts no requests', async () => {
    lambda
      .on(ListFunctionsCommand)
      .rejects(new TooManyRequestsException({ message: 'no', $metadata: {} }));

    expect(await sweep.step(context, { marker: 'm' })).toEqual({
      task: { marker: 'm' },
      afterMs: 5000,
    });
  });
});
