import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ChangeConsumer } from '../../shared/jobs/change-feed.ts';
import type { DeadLetter } from '../../shared/jobs/dead-letters.ts';
import { type LocalPlatform, openPlatform } from '../../shared/platforms/local/platform.ts';
import { deadLetterEntity } from '../../shared/table/entities/jobs.ts';
import { bundleProgram } from '../support/bundled-program.ts';
import { openMovedClock } from '../support/moved-clock.ts';

/** The command that shows and replays dead letters of a server on this machine. */

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'groundwork-letters-'));
let folders = 0;
afterAll(() => rmSync(root, { recursive: true }));

const bundle = bundleProgram('dead-letters', root);

let folder: string;
let isBroken: boolean;
let taken: unknown[];
let writes = 0;
let platform: LocalPlatform;
const clock = openMovedClock();

const consumer: ChangeConsumer = {
  name: 'picky',
  watches: [{ kind: 'thing', actions: ['create', 'update'] }],
  consume: async (changes) => {
    if (isBroken) throw new Error('not now\nand not later');
    taken.push(...changes);
  },
};

const open = () =>
  openPlatform({
    folder,
    clock,
    background: { consumers: [consumer], jobTypes: [] },
    settings: {
      registration: 'open',
      maxInstances: 1,
      maxClasses: 1,
      location: 'here',
      passwordCost: 10,
    },
    log: () => undefined,
    url: () => 'http://a',
  });

beforeEach(async () => {
  folder = join(root, String(folders++));
  isBroken = true;
  taken = [];
  platform = await open();
});
afterEach(() => platform.close());

async function letters(...args: readonly string[]) {
  const command = [bundle, ...args, '--data', folder];
  try {
    return { code: 0, ...(await run(process.execPath, command, { cwd: project })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

async function list(): Promise<readonly DeadLetter[]> {
  return JSON.parse((await letters('list', '--json')).stdout);
}

/** Writes an item whose change becomes a dead letter. */
async function write(sk: string, data: object): Promise<void> {
  clock.forward(1);
  await platform.store.write({
    id: `write-${++writes}`,
    change: { actor: { admin: 7 }, cause: 'client', depth: 0 },
    writes: [
      {
        action: 'put',
        key: { pk: 'THINGS', sk },
        kind: 'thing',
        data,
        condition: { kind: 'none' },
      },
    ],
  });
  await platform.idle();
}

describe('a change that a consumer cannot process', () => {
  test('is listed, also while no server runs', async () => {
    await write('a', { n: 1 });
    const running = await letters('list');
    await platform.close();
    const stopped = await letters('list');
    platform = await open();

    const [header, row, end] = running.stdout.split('\n');
    expect(header).toMatch(/^id +kind +consumer +at +item +error$/);
    expect(row).toMatch(/^[0-9a-f]{20,} {2}change {2}picky +\d{4}-\S+Z {2}THINGS a {2}not now$/);
    expect(end).toBe('');
    expect(stopped).toEqual(running);
  }, 60_000);

  test('is processed again, with the whole change, and then it is gone', async () => {
    await write('a', { n: 1 });
    await write('a', { n: 2 });
    const before = await list();
    isBroken = false;

    const done = await letters('replay', before[1]?.id ?? '');

    expect(done).toEqual({ code: 0, stderr: '', stdout: `${before[1]?.id}: replayed\n` });
    const item = { key: { pk: 'THINGS', sk: 'a' }, kind: 'thing' };
    expect(taken).toEqual([
      {
        ...item,
        before: { ...item, version: `write-${writes - 1}`, data: { n: 1 } },
        after: { ...item, version: `write-${writes}`, data: { n: 2 } },
        change: { actor: { admin: 7 }, cause: 'client', depth: 0 },
        position: expect.any(String),
      },
    ]);
    expect(await list()).toEqual([before[0]]);
  }, 60_000);

  test('is kept when it fails again, with the error', async () => {
    await write('a', { n: 1 });
    const before = await list();

    const done = await letters('replay', '--all');

    expect(done).toMatchObject({ code: 1, stdout: '' });
    expect(done.stderr).toBe(`${before[0]?.id}: not now\nand not later\n`);
    expect(await list()).toEqual(before);
  }, 60_000);

  test('is dropped without being processed', async () => {
    await write('a', { n: 1 });
    await write('b', { n: 2 });
    isBroken = false;

    const done = await letters('drop', '--all');

    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/dropped\n.*dropped\n$/) });
    expect(await list()).toEqual([]);
    expect(taken).toEqual([]);
  }, 60_000);

  test('is kept whole when it is larger than an item can be, and the rest continues', async () => {
    const large = (letter: string) => ({ text: letter.repeat(390_000) });
    await write('a', large('x'));
    await write('a', large('y'));
    const before = await list();
    const files = () => readdirSync(join(folder, 'files', 'content', 'dead-letters'));
    const kept = files();
    isBroken = false;
    await write('b', { n: 1 });

    const done = await letters('replay', '--all');

    expect(before.map(({ item }) => item)).toEqual(['THINGS a', 'THINGS a']);
    expect(kept.sort()).toEqual(before.map(({ id }) => id).sort());
    expect(done.code).toBe(0);
    expect(taken).toMatchObject([
      { key: { sk: 'b' } },
      { after: { data: large('x') } },
      { before: { data: large('x') }, after: { data: large('y') } },
    ]);
    expect([await list(), files()]).toEqual([[], []]);
  }, 60_000);

  test('is deleted after 30 days, with its file', async () => {
    await write('a', { text: 'x'.repeat(390_000) });
    const first = await deadLetterEntity.list(platform.store, [], { limit: 10 });

    clock.forward(31 * 86_400);
    await platform.close();
    platform = await open();

    const later = await deadLetterEntity.list(platform.store, [], { limit: 10 });
    expect([first.items.length, later.items.length]).toEqual([1, 0]);
    expect(readdirSync(join(folder, 'files', 'content', 'dead-letters'))).toEqual([]);
  }, 60_000);
});

test('without a server, nothing is replayed', async () => {
  await write('a', { n: 1 });
  await platform.close();
  isBroken = false;

  const done = await letters('replay', '--all');

  platform = await open();
  expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('start it') });
  expect(await list()).toHaveLength(1);
}, 60_000);

test.each([
  ['nothing to do', [], 'say what to do: list, replay or drop'],
  ['something else to do', ['remove'], 'say what to do'],
  ['no id', ['replay'], 'replay takes ids, or --all'],
  ['an id and all', ['drop', 'a', '--all'], 'drop takes ids, or --all'],
  ['an id to list', ['list', 'a'], 'list takes no ids'],
  ['two places', ['list', '--stage', 'a'], '--data and --stage exclude each other'],
])(
  'a command line with %s is rejected',
  async (_, args, reason) => {
    const result = await letters(...args);

    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(reason);
  },
  60_000,
);

test('an unknown id is an error', async () => {
  expect(await letters('drop', 'nothing')).toMatchObject({
    code: 1,
    stderr: 'dead-letters: there is no dead letter nothing\n',
  });
}, 60_000);
