import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test as base, describe, expect } from 'vitest';
import type { ChangeConsumer } from '../../shared/jobs/change-feed.ts';
import type { DeadLetter } from '../../shared/jobs/dead-letters.ts';
import { openPlatform } from '../../shared/platforms/local/platform.ts';
import { deadLetterEntity } from '../../shared/table/entities/jobs.ts';
import { put } from '../store/fixture.ts';
import { bundleProgram } from '../support/bundled-program.ts';
import { localSettings } from '../support/local-settings.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** The command that shows and replays dead letters of a server on this machine. */

const test = base
  .extend('root', { scope: 'file' }, temporaryFolder('groundwork-letters-'))
  .extend('bundle', { scope: 'file' }, ({ root }) => bundleProgram('dead-letters', root))
  .extend('given', async ({ root, bundle }, { onCleanup }) => {
    const given = await setUp(mkdtempSync(join(root, 'data-')), bundle);
    onCleanup(() => given.platform.close());
    return given;
  });

describe('a change that a consumer cannot process', { timeout: 60_000 }, () => {
  test('is listed, also while no server runs', async ({ given }) => {
    await given.write('a', { n: 1 });
    const running = await given.letters('list');
    await given.platform.close();
    const stopped = await given.letters('list');
    given.platform = await given.open();

    const [header, row, end] = running.stdout.split('\n');
    expect(header).toMatch(/^id +kind +consumer +at +item +error$/);
    expect(row).toMatch(/^[0-9a-f]{20,} {2}change {2}picky +\d{4}-\S+Z {2}THINGS a {2}not now$/);
    expect(end).toBe('');
    expect(stopped).toEqual(running);
  });

  test('is processed again, with the whole change, and then it is gone', async ({ given }) => {
    await given.write('a', { n: 1 });
    await given.write('a', { n: 2 });
    const before = await given.list();
    given.isBroken = false;

    const done = await given.letters('replay', before[1]?.id ?? '');

    expect(done).toEqual({ code: 0, stderr: '', stdout: `${before[1]?.id}: replayed\n` });
    const item = { key: { pk: 'THINGS', sk: 'a' }, kind: 'thing' };
    expect(given.taken).toEqual([
      {
        ...item,
        before: { ...item, version: `write-${given.writes - 1}`, data: { n: 1 } },
        after: { ...item, version: `write-${given.writes}`, data: { n: 2 } },
        change: { actor: { admin: 7 }, cause: 'client', depth: 0 },
        position: expect.any(String),
      },
    ]);
    expect(await given.list()).toEqual([before[0]]);
  });

  test('is kept when it fails again, with the error', async ({ given }) => {
    await given.write('a', { n: 1 });
    const before = await given.list();

    const done = await given.letters('replay', '--all');

    expect(done).toMatchObject({ code: 1, stdout: '' });
    expect(done.stderr).toBe(`${before[0]?.id}: not now\nand not later\n`);
    expect(await given.list()).toEqual(before);
  });

  test('is dropped without being processed', async ({ given }) => {
    await given.write('a', { n: 1 });
    await given.write('b', { n: 2 });
    given.isBroken = false;

    const done = await given.letters('drop', '--all');

    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/dropped\n.*dropped\n$/) });
    expect(await given.list()).toEqual([]);
    expect(given.taken).toEqual([]);
  });

  test('is kept whole when it is larger than an item can be, and the rest continues', async ({
    given,
  }) => {
    const large = (letter: string) => ({ text: letter.repeat(390_000) });
    await given.write('a', large('x'));
    await given.write('a', large('y'));
    const before = await given.list();
    const files = () => readdirSync(join(given.folder, 'files', 'content', 'dead-letters'));
    const kept = files();
    given.isBroken = false;
    await given.write('b', { n: 1 });

    const done = await given.letters('replay', '--all');

    expect(before.map(({ item }) => item)).toEqual(['THINGS a', 'THINGS a']);
    expect(kept.sort()).toEqual(before.map(({ id }) => id).sort());
    expect(done.code).toBe(0);
    expect(given.taken).toMatchObject([
      { key: { sk: 'b' } },
      { after: { data: large('x') } },
      { before: { data: large('x') }, after: { data: large('y') } },
    ]);
    expect([await given.list(), files()]).toEqual([[], []]);
  });

  test('is deleted after 30 days, with its file', async ({ given }) => {
    await given.write('a', { text: 'x'.repeat(390_000) });
    const first = await deadLetterEntity.list(given.platform.store, [], { limit: 10 });

    given.clock.forward(31 * 86_400);
    await given.platform.close();
    given.platform = await given.open();

    const later = await deadLetterEntity.list(given.platform.store, [], { limit: 10 });
    expect([first.items.length, later.items.length]).toEqual([1, 0]);
    expect(readdirSync(join(given.folder, 'files', 'content', 'dead-letters'))).toEqual([]);
  });
});

test('without a server, nothing is replayed', { timeout: 60_000 }, async ({ given }) => {
  await given.write('a', { n: 1 });
  await given.platform.close();
  given.isBroken = false;

  const done = await given.letters('replay', '--all');

  given.platform = await given.open();
  expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('start it') });
  expect(await given.list()).toHaveLength(1);
});

test.for<[string, string[], string]>([
  ['nothing to do', [], 'say what to do: list, replay or drop'],
  ['something else to do', ['remove'], 'say what to do'],
  ['no id', ['replay'], 'replay takes ids, or --all'],
  ['an id and all', ['drop', 'a', '--all'], 'drop takes ids, or --all'],
  ['an id to list', ['list', 'a'], 'list takes no ids'],
  ['two places', ['list', '--stage', 'a'], '--data and --stage exclude each other'],
])(
  'a command line with %s is rejected',
  { timeout: 60_000 },
  async ([, args, reason], { given }) => {
    const result = await given.letters(...args);

    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(reason);
  },
);

test('an unknown id is an error', { timeout: 60_000 }, async ({ given }) => {
  expect(await given.letters('drop', 'nothing')).toMatchObject({
    code: 1,
    stderr: 'dead-letters: there is no dead letter nothing\n',
  });
});

/** Opens a platform with a consumer that fails as long as `isBroken`. */
async function setUp(folder: string, bundle: string) {
  const clock = openMovedClock();
  const consumer: ChangeConsumer = {
    name: 'picky',
    watches: [{ kind: 'thing', actions: ['create', 'update'] }],
    consume: async (changes) => {
      if (given.isBroken) throw new Error('not now\nand not later');
      given.taken.push(...changes);
    },
  };
  const open = () =>
    openPlatform({
      folder,
      clock,
      background: { consumers: [consumer], jobTypes: [] },
      settings: localSettings,
      log: () => undefined,
      url: () => 'http://a',
    });
  const letters = (...args: readonly string[]) => run(bundle, [...args, '--data', folder]);
  const list = async (): Promise<readonly DeadLetter[]> =>
    JSON.parse((await letters('list', '--json')).stdout);
  /** Writes an item whose change becomes a dead letter. */
  const write = async (sk: string, data: object) => {
    clock.forward(1);
    given.writes += 1;
    await given.platform.store.write({
      id: `write-${given.writes}`,
      change: { actor: { admin: 7 }, cause: 'client', depth: 0 },
      writes: [put({ pk: 'THINGS', sk }, { kind: 'thing', data })],
    });
    await given.platform.idle();
  };
  const given = {
    folder,
    clock,
    isBroken: true,
    taken: [] as unknown[],
    writes: 0,
    platform: await open(),
    open,
    letters,
    list,
    write,
  };
  return given;
}

const project = fileURLToPath(new URL('../..', import.meta.url));

async function run(program: string, args: readonly string[]) {
  try {
    const ended = await promisify(execFile)(process.execPath, [program, ...args], { cwd: project });
    return { code: 0, ...ended };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}
