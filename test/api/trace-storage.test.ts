import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, vi } from 'vitest';
import type { ScriptOutcome } from '../../shared/ports/script-runner.ts';
import { createItem } from '../../shared/store/writes.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import type { TraceData, TraceKind } from '../../shared/table/records/scripts.ts';
import { write } from '../store/fixture.ts';
import type { Api } from '../support/api.ts';
import { expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { missing, time } from '../support/responses.ts';
import { type MadeEndpoint, makeEndpoint } from '../support/script-endpoint.ts';
import { instanceId } from '../support/stored-records.ts';

/** Files of traces, and their retention. */

const clock = openMovedClock();

const it = newWorldTest('shop', { clock }).extend('given', { auto: true }, ({ world }) =>
  setUp(world),
);

/** Keys of the existing trace files. */
const files = new Set<string>();
const large = { text: 'x'.repeat(100_000) };
const success: ScriptOutcome = {
  status: 'success',
  executedAtMs: 0,
  durationMs: 1,
  stdout: 'hi',
  stderr: '',
};

afterEach(() => vi.restoreAllMocks());

describe('a run that is blocked', () => {
  it.for([
    ['at once', 0],
    ['after its trace was begun', 100],
  ] as const)(
    '%s has no stored arguments',
    async ([_, afterMs], { api, world, given: { runByLink } }) => {
      endAll(api, { status: 'blocked' }, afterMs);

      const { status, body } = await runByLink(large);
      const shown = expected(await traces(world, '1/'), 200);

      expect([status, body.status]).toEqual([200, 'blocked']);
      expect(shown).toMatchObject({ status: 'blocked', args: {}, result: {}, executed_at: time });
      expect([...files]).toEqual([]);
      expect(JSON.stringify(await stored(world, 'endpoint')).length).toBeLessThan(2000);
    },
  );

  it('has no small arguments either', async ({ api, world, given: { runByLink } }) => {
    endAll(api, { status: 'blocked' });

    await runByLink({ text: 'small' });

    expect(JSON.stringify(await stored(world, 'endpoint'))).not.toContain('small');
  });

  it('deletes the arguments that it had as a pending one', async ({
    api,
    world,
    given: { runDirectly, endpoint },
  }) => {
    endAll(api, { status: 'blocked' });

    const { links } = expected(await runDirectly(large), 200);
    await api.platform.idle();
    const shown = expected(await api.send({ as: world.owner, path: links.self }), 200);

    expect(shown).toMatchObject({ status: 'blocked', result: {} });
    expect([...files]).toEqual([]);
    expect(await stored(world, 'script', endpoint.script)).toMatchObject([{ args: { value: {} } }]);
  });
});

it('a run that ended otherwise keeps its arguments', async ({
  api,
  world,
  given: { runByLink },
}) => {
  endAll(api, { status: 'queue_timeout' }, 20);

  await runByLink(large);

  expect(expected(await traces(world, '1/'), 200).args.POST).toEqual(large);
  expect(files.size).toBe(1);
});

describe('traces beyond the limit', () => {
  const upTo = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => from + at);

  it('are deleted with their files once they cannot be read, and not before', async ({
    api,
    world,
    given: { runOften, passTime },
  }) => {
    haveAllTrim(api);
    endAll(api, success);
    await runOften(3, large);
    await runOften(99);
    await passTime(290);
    const before = [
      await idsOf(world, 'endpoint'),
      files.size,
      (await traces(world, '1/')).body.args.POST,
    ];

    await passTime(100);
    const gone = await traces(world, '2/');

    expect(before).toEqual([upTo(1, 102), 3, large]);
    expect(await idsOf(world, 'endpoint')).toEqual(upTo(3, 102));
    expect(files.size).toBe(1);
    expect([gone.status, gone.body]).toEqual([404, missing]);
    expect((await traces(world, '3/')).body.args.POST).toEqual(large);
  });

  it('are deleted by hundreds, those of this parent only', async ({
    api,
    world,
    given: { runOften, passTime },
  }) => {
    haveAllTrim(api);
    endAll(api, success);
    const other = await makeEndpoint(world, 'other', '');
    await api.send({ path: `${world.base}endpoints/scripts/other/run/`, as: world.owner });
    await runOften(350);

    await passTime(400);

    expect(await idsOf(world, 'endpoint')).toEqual(upTo(252, 351));
    expect(other.name).toBe('other');
    expect(await idsOf(world, 'endpoint', 2)).toEqual([1]);
  });

  it.for(['pending', 'processing'] as const)(
    'are kept while their runs are %s',
    async (status, { api, world, given: { runOften, passTime } }) => {
      haveAllTrim(api);
      endAll(api, success);
      await runOften(1);
      const [first] = await stored(world, 'endpoint');
      const createdMs = clock.micros() / 1000;
      const waiting = { ...(first as TraceData), id: 0, status, createdMs };
      const key = traceEntity.key(
        await instanceId(api.platform.store, world.instance),
        'endpoint',
        1,
        0,
      );
      await write(api.platform.store, createItem(traceEntity, key, waiting));
      await runOften(101);

      await passTime(400);

      expect(await idsOf(world, 'endpoint')).toEqual([0, ...upTo(3, 102)]);
    },
  );

  it('are deleted by one run in about twenty', async ({
    api,
    world,
    given: { runOften, passTime },
  }) => {
    endAll(api, success);
    await runOften(300);

    await passTime(400);

    const left = await idsOf(world, 'endpoint');
    expect(left.length).toBeGreaterThanOrEqual(100);
    expect(left.length).toBeLessThan(300);
  });
});

async function setUp(world: World) {
  const { api } = world;
  const runByLink = (body: unknown = {}) =>
    api.send({ path: endpoint.links['public-link'] ?? '', body });
  const runDirectly = (payload: unknown = {}) =>
    world.own('POST', `snippets/scripts/${endpoint.script}/run/`, { payload });
  async function runOften(times: number, body?: unknown) {
    for (let n = 0; n < times; n += 1) expected(await runByLink(body), 200);
  }
  /** Advances the clock, and has the background run due jobs at once. */
  async function passTime(seconds: number) {
    clock.forward(seconds);
    await runDirectly();
    await api.platform.idle();
  }
  const endpoint: MadeEndpoint = await makeEndpoint(world, 'echo', 'console.log(1)', {
    public: true,
  });
  files.clear();
  const { put, remove } = api.platform.files;
  vi.spyOn(api.platform.files, 'put').mockImplementation(async (owner, key, file) => {
    if (key.startsWith('traces/')) files.add(key);
    return put(owner, key, file);
  });
  vi.spyOn(api.platform.files, 'remove').mockImplementation(async (owner, keys) => {
    for (const key of keys) files.delete(key);
    return remove(owner, keys);
  });
  return { runByLink, runDirectly, endpoint, runOften, passTime };
}

/** Replaces the outcome of all runs, after a delay. */
function endAll(api: Api, outcome: ScriptOutcome, afterMs = 0) {
  vi.spyOn(api.platform.scripts, 'run').mockImplementation(async () => {
    if (afterMs > 0) await setTimeout(afterMs);
    return outcome;
  });
}

async function stored(world: World, kind: TraceKind, parent = 1): Promise<readonly TraceData[]> {
  const parts = [await instanceId(world.api.platform.store, world.instance), kind, parent] as const;
  const { items } = await traceEntity.list(world.api.platform.store, parts, { limit: 1000 });
  return items.map(({ data }) => data);
}

const traces = (world: World, path = '') =>
  world.own('GET', `endpoints/scripts/echo/traces/${path}`);

const idsOf = async (world: World, kind: TraceKind, parent?: number) =>
  (await stored(world, kind, parent)).map(({ id }) => id);

/** Has every run schedule the deletion of older ones: only some do so. */
function haveAllTrim(api: Api) {
  const { random } = api.platform.ids;
  vi.spyOn(api.platform.ids, 'random').mockImplementation(() => `00${random().slice(2)}`);
}
