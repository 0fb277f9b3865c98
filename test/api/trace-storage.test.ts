import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ScriptOutcome } from '../../shared/ports/script-runner.ts';
import { createItem } from '../../shared/store/writes.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import type { TraceData, TraceKind } from '../../shared/table/records/scripts.ts';
import { write } from '../store/fixture.ts';
import { expected, openWorld, type World } from '../support/api.ts';
import { api, useApi } from '../support/api-fixture.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { missing, time } from '../support/responses.ts';
import { type MadeEndpoint, makeEndpoint } from '../support/script-endpoint.ts';
import { instanceId } from '../support/stored-records.ts';

/** Files of traces, and their retention. */

const clock = openMovedClock();
let world: World;
let endpoint: MadeEndpoint;
let count = 0;
/** Keys of the existing trace files. */
const files = new Set<string>();

useApi({ clock });
beforeEach(async () => {
  count += 1;
  world = await openWorld(api, `shop-${count}`);
  endpoint = await makeEndpoint(world, 'echo', 'console.log(1)', { public: true });
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
});
afterEach(() => vi.restoreAllMocks());

const large = { text: 'x'.repeat(100_000) };

/** Replaces the outcome of all runs, after a delay. */
function endAll(outcome: ScriptOutcome, afterMs = 0) {
  vi.spyOn(api.platform.scripts, 'run').mockImplementation(async () => {
    if (afterMs > 0) await setTimeout(afterMs);
    return outcome;
  });
}

const success: ScriptOutcome = {
  status: 'success',
  executedAtMs: 0,
  durationMs: 1,
  stdout: 'hi',
  stderr: '',
};

async function stored(kind: TraceKind, parent = 1): Promise<readonly TraceData[]> {
  const parts = [await instanceId(api.platform.store, world.instance), kind, parent] as const;
  const { items } = await traceEntity.list(api.platform.store, parts, { limit: 1000 });
  return items.map(({ data }) => data);
}

const runByLink = (body: unknown = {}) =>
  api.send({ path: endpoint.links['public-link'] ?? '', body });
const runDirectly = (payload: unknown = {}) =>
  world.call(world.owner, 'POST', `snippets/scripts/${endpoint.script}/run/`, { payload });
const traces = (path = '') =>
  world.call(world.owner, 'GET', `endpoints/scripts/echo/traces/${path}`);

describe('a run that is blocked', () => {
  it.each([
    ['at once', 0],
    ['after its trace was begun', 100],
  ])('%s has no stored arguments', async (_, afterMs) => {
    endAll({ status: 'blocked' }, afterMs);

    const { status, body } = await runByLink(large);
    const shown = expected(await traces('1/'), 200);

    expect([status, body.status]).toEqual([200, 'blocked']);
    expect(shown).toMatchObject({ status: 'blocked', args: {}, result: {}, executed_at: time });
    expect([...files]).toEqual([]);
    expect(JSON.stringify(await stored('endpoint')).length).toBeLessThan(2000);
  });

  it('has no small arguments either', async () => {
    endAll({ status: 'blocked' });

    await runByLink({ text: 'small' });

    expect(JSON.stringify(await stored('endpoint'))).not.toContain('small');
  });

  it('deletes the arguments that it had as a pending one', async () => {
    endAll({ status: 'blocked' });

    const { links } = expected(await runDirectly(large), 200);
    await api.platform.idle();
    const shown = expected(await api.send({ as: world.owner, path: links.self }), 200);

    expect(shown).toMatchObject({ status: 'blocked', result: {} });
    expect([...files]).toEqual([]);
    expect(await stored('script', endpoint.script)).toMatchObject([{ args: { value: {} } }]);
  });
});

it('a run that ended otherwise keeps its arguments', async () => {
  endAll({ status: 'queue_timeout' }, 20);

  await runByLink(large);

  expect(expected(await traces('1/'), 200).args.POST).toEqual(large);
  expect(files.size).toBe(1);
});

describe('traces beyond the limit', () => {
  const idsOf = async (kind: TraceKind, parent?: number) =>
    (await stored(kind, parent)).map(({ id }) => id);
  const upTo = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => from + at);

  async function runOften(times: number, body?: unknown) {
    for (let n = 0; n < times; n += 1) expected(await runByLink(body), 200);
  }

  /** Advances the clock, and has the background run due jobs at once. */
  async function passTime(seconds: number) {
    clock.forward(seconds);
    await runDirectly();
    await api.platform.idle();
  }

  /** Has every run schedule the deletion of older ones: only some do so. */
  function haveAllTrim() {
    const { random } = api.platform.ids;
    vi.spyOn(api.platform.ids, 'random').mockImplementation(() => `00${random().slice(2)}`);
  }

  it('are deleted with their files once they cannot be read, and not before', async () => {
    haveAllTrim();
    endAll(success);
    await runOften(3, large);
    await runOften(99);
    await passTime(290);
    const before = [await idsOf('endpoint'), files.size, (await traces('1/')).body.args.POST];

    await passTime(100);
    const gone = await traces('2/');

    expect(before).toEqual([upTo(1, 102), 3, large]);
    expect(await idsOf('endpoint')).toEqual(upTo(3, 102));
    expect(files.size).toBe(1);
    expect([gone.status, gone.body]).toEqual([404, missing]);
    expect((await traces('3/')).body.args.POST).toEqual(large);
  });

  it('are deleted by hundreds, those of this parent only', async () => {
    haveAllTrim();
    endAll(success);
    const other = await makeEndpoint(world, 'other', '');
    await api.send({ path: `${world.base}endpoints/scripts/other/run/`, as: world.owner });
    await runOften(350);

    await passTime(400);

    expect(await idsOf('endpoint')).toEqual(upTo(252, 351));
    expect(other.name).toBe('other');
    expect(await idsOf('endpoint', 2)).toEqual([1]);
  });

  it.each(['pending', 'processing'] as const)(
    'are kept while their runs are %s',
    async (status) => {
      haveAllTrim();
      endAll(success);
      await runOften(1);
      const [first] = await stored('endpoint');
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

      expect(await idsOf('endpoint')).toEqual([0, ...upTo(3, 102)]);
    },
  );

  it('are deleted by one run in about twenty', async () => {
    endAll(success);
    await runOften(300);

    await passTime(400);

    const left = await idsOf('endpoint');
    expect(left.length).toBeGreaterThanOrEqual(100);
    expect(left.length).toBeLessThan(300);
  });
});
