import { describe, expect, vi } from 'vitest';
import { openLateWork } from '../../shared/platforms/aws/lifetime/late-work.ts';
import { createRuns, openRuns } from '../../shared/platforms/aws/scripts/runs.ts';
import type { HeldSlot } from '../../shared/platforms/aws/slots/items.ts';
import type { LocalStore } from '../../shared/platforms/local/store/store.ts';
import { openClock } from '../../shared/ports/clock.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import type { RunReference, RunRequest } from '../../shared/ports/run-request.ts';
import type { ScriptOutcome, ScriptRun } from '../../shared/ports/script-runner.ts';
import type { RunServices } from '../../shared/scripts/script-runs.ts';
import { createItem, putItem } from '../../shared/store/writes.ts';
import { instanceEntity } from '../../shared/table/entities/instances.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import { scriptEntity } from '../../shared/table/entities/scripts.ts';
import type { TraceData } from '../../shared/table/records/scripts.ts';
import { openMeter } from '../../shared/usage/meter.ts';
import { openQuotas } from '../../shared/usage/quotas.ts';
import { write } from '../store/fixture.ts';
import { storedScript } from '../support/aws-platform.ts';
import { noFiles } from '../support/no-files.ts';
import { storeTest } from '../support/store-test.ts';

const reference: RunReference = { instance: 3, kind: 'endpoint', parent: 12, trace: 1 };
const requestOf = (timeout: number): RunRequest => ({
  ...reference,
  instanceName: 'blog',
  owner: 2,
  script: { ...storedScript, config: { timeout } },
  config: {},
  args: {},
  meta: {},
  depth: 1,
  isAwaited: true,
});
const ended: ScriptOutcome = {
  status: 'success',
  executedAtMs: 0,
  durationMs: 1,
  stdout: 'here',
  stderr: '',
};

const it = storeTest.extend('given', ({ store }) => setUp(store));

describe('a run that ends before the request must', () => {
  it('is executed in the process of the request, and waits for its start as long as there is time', async ({
    given,
  }) => {
    const result = await given.open().wait(requestOf(5), 27_000);

    expect(result).toMatchObject({ status: 'success', result: { stdout: 'here', stderr: '' } });
    expect(given.runs).toMatchObject([{ timeoutMs: 5000, waitMs: 26_000 }]);
    expect(given.settled).toBe(1);
    expect(await trace(given)).toMatchObject({ status: 'success' });
  });

  it('stores its trace once when it ends at once, without a watch', async ({ given }) => {
    const writes = vi.spyOn(given.store, 'write');

    await given.open().wait(requestOf(5), 27_000);

    const puts = writes.mock.calls.flatMap(([transaction]) => transaction.writes);
    expect(writes).toHaveBeenCalledTimes(1);
    expect(puts.filter(({ key }) => !key.sk.includes('#trim-traces#'))).toMatchObject([
      { action: 'put', kind: 'trace', data: { status: 'success' } },
    ]);
  });

  it('has no trace while it is queued briefly, and one when it has started since', async ({
    given,
  }) => {
    let end = (_: ScriptOutcome) => {};
    given.outcome = () => {
      given.runs[0]?.onProgress?.('queued');
      return new Promise((resolve) => {
        end = resolve;
      });
    };

    const result = given.open().wait(requestOf(5), 27_000);
    await vi.waitUntil(() => given.runs.length > 0, { timeout: 60_000 });
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    given.runs[0]?.onProgress?.('queued');
    vi.advanceTimersByTime(90);
    vi.useRealTimers();
    await new Promise((resolve) => setTimeout(resolve, 100)); // a write would have happened by now
    const queued = await trace(given);
    given.runs[0]?.onProgress?.('started');
    await vi.waitUntil(async () => (await trace(given)) !== undefined, { timeout: 60_000 });
    end(ended);

    expect(queued).toBeUndefined();
    expect(await result).toMatchObject({ status: 'success' });
  });

  it('has a trace before its end when it takes longer', async ({ given }) => {
    let end = (_: ScriptOutcome) => {};
    given.outcome = () =>
      new Promise((resolve) => {
        end = resolve;
      });

    const result = given.open().wait(requestOf(5), 27_000);
    await vi.waitUntil(async () => (await trace(given)) !== undefined, { timeout: 60_000 });
    const during = await trace(given);
    end(ended);

    expect(during).toMatchObject({ status: 'processing', duration: null });
    expect(await result).toMatchObject({ status: 'success' });
    expect(await trace(given)).toMatchObject({ status: 'success' });
  });

  it('is aborted when it does not', async ({ given }) => {
    given.outcome = () => new Promise(() => undefined);

    expect(await given.open().wait(requestOf(0.001), 1100)).toBeUndefined();
  });

  it('is reported when it fails after that', async ({ given }) => {
    const logged: LogEntry[] = [];
    let end = (_: ScriptOutcome) => {};
    given.outcome = () =>
      new Promise((resolve) => {
        end = resolve;
      });
    const scripts = {
      ...given.services.scripts,
      settled: () => Promise.reject(new Error('broken')),
    };
    given.services = { ...given.services, scripts, log: (entry) => logged.push(entry) };

    expect(await given.open().wait(requestOf(0.001), 1100)).toBeUndefined();
    expect(logged).toEqual([]);
    end(ended);

    await vi.waitUntil(() => logged.length > 0, { timeout: 60_000 });
    expect(logged).toMatchObject([{ level: 'error', cause: expect.stringContaining('broken') }]);
  });
});

describe('a run that may take longer than the request', () => {
  it('is executed in the process of the request too, which continues until its end', async ({
    given,
  }) => {
    const late = openLateWork();
    let end = (_: ScriptOutcome) => {};
    given.outcome = () =>
      new Promise((resolve) => {
        end = resolve;
      });

    const result = await given.open(late).wait(requestOf(300), 20);
    const during = await trace(given);
    let isOver = false;
    const over = late.ended().then(() => {
      isOver = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const before = isOver;
    end(ended);
    await over;

    expect([result, during?.status ?? 'processing', before]).toEqual([
      undefined,
      'processing',
      false,
    ]);
    expect(await trace(given)).toMatchObject({ status: 'success' });
  });
});

describe('the function that runs scripts', () => {
  const context = { getRemainingTimeInMillis: () => 330_000 };

  it('executes the run of a pending trace once, however often it is invoked, and releases each slot', async ({
    given,
  }) => {
    const direct: RunReference = { ...reference, kind: 'script' };
    const none = { value: {} };
    const pending: TraceData = {
      id: 1,
      status: 'pending',
      createdMs: Date.now(),
      executed_at: null,
      duration: null,
      result: none,
      args: none,
      depth: 1,
    };
    const place = { id: 3, name: 'blog', owner: 2 } as never; // runs read no more of it
    await write(
      given.store,
      createItem(traceEntity, traceEntity.key(3, 'script', 12, 1), pending),
      putItem(scriptEntity, scriptEntity.key(3, 12), { ...storedScript, config: { timeout: 300 } }),
      putItem(instanceEntity, instanceEntity.key(3), place),
    );
    const released: unknown[] = [];
    const loadScripts = async () => ({
      inSlot: (instance: number, { number }: HeldSlot) => ({
        ...given.services.scripts,
        release: () => void released.push([instance, number]),
      }),
    });
    const handler = createRuns({ ...given.services, loadScripts });

    const results = await Promise.all(
      [1, 2, 3].map((number) =>
        handler({ start: direct, slot: { number, version: 'v' } }, context),
      ),
    );

    expect(given.runs).toMatchObject([
      { instance: 3, owner: 2, timeoutMs: 300_000, waitMs: 19_000 },
    ]);
    expect(released.toSorted()).toEqual([1, 2, 3].map((number) => [3, number]));
    expect(results.filter((each) => each !== undefined)).toHaveLength(1);
  });
});

type Given = ReturnType<typeof setUp>;

/** The services of runs, with a runner that keeps the runs and gives each the same outcome. */
function setUp(store: LocalStore) {
  const own = { store, clock: openClock(), ids: openIds(), log: () => undefined };
  const meter = openMeter(own);
  const quotas = openQuotas({ ...own, meter, settings: {}, settled: () => Promise.resolve() });
  const services: RunServices = {
    ...own,
    files: noFiles,
    meter,
    quotas,
    apiUrl: () => 'https://api.example.com',
    secrets: { current: () => Promise.reject(new Error('none')), get: async () => undefined },
    scripts: {
      run: (run) => {
        given.runs.push(run);
        return given.outcome();
      },
      settled: async () => {
        given.settled += 1;
      },
    },
  };
  const given = {
    store,
    services,
    runs: [] as ScriptRun[],
    outcome: async (): Promise<ScriptOutcome> => ended,
    settled: 0, // waits for the release of slots
    open: (late = openLateWork()) => {
      const waitingRuns = {
        enter: async () => 'waiting' as const,
        startNext: async () => undefined,
      };
      return openRuns({ services: given.services, waitingRuns, late });
    },
  };
  return given;
}

async function trace({ store }: Given): Promise<TraceData | undefined> {
  return (await traceEntity.read(store, 3, 'endpoint', 12, 1))?.data;
}
