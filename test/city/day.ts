import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { exportInstance, importInstance } from '../support/move-instance.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';
import type { Tenant } from './citizen.ts';
import { openPushes } from './citizens/postman.ts';
import { openMails } from './citizens/secretary.ts';
import { citizens } from './citizens.ts';
import { type Gate, Interrupted } from './client.ts';
import { type MemoryGroup, openMemoryGroup } from './memory-group.ts';
import type { Options } from './options.ts';
import { createRandom } from './random.ts';
import { Broken, createReport, type Excess, type Report } from './report.ts';
import { foundTenant, type Settled, settleTown, type TownOptions, timeFirstRun } from './town.ts';
import { endWatches, megabytes, type Peaks, type Watch, waitUntilGone, watch } from './watch.ts';

/** The result of a day. */
export interface Result {
  /** The reason why the day ended early; undefined for a complete day. */
  readonly broken: string | undefined;
  readonly excesses: readonly Excess[];
  readonly table: string;
}

type Say = (line: string) => void;

interface Day {
  readonly town: TownOptions;
  readonly report: Report;
  readonly requestQueue: Gate;
  readonly folder: string;
  /** Undefined where none can be created. */
  readonly group: MemoryGroup | undefined;
  readonly say: Say;
  /** Milliseconds of traffic before the server is killed. */
  readonly partMs: number;
}

/** Bounds in milliseconds, for two loaded cores. */
const boundsMs = { start: 5_000, stop: 5_000, gone: 2_000, firstRun: 1_000 };
const pauseMs = 100;
/** Memory of the server with all its processes. */
const memoryMegabytes = 512;
/** Time in which the write of a disconnected client may still be applied. */
const lateWritesMs = 2_000;

/**
 * Runs one day: traffic with `kill -9` at its end, the same again, a clean stop, and, for a tenth of the time, the
 * residents of instances that were imported on another server.
 */
export async function runDay(options: Options, say: Say): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'groundwork-city-'));
  const report = createReport();
  const requestQueue: Gate = { url: '', isOpen: false };
  const [pushes, mails] = await Promise.all([openPushes(), openMails()]);
  const town = {
    pushes,
    mails,
    requestQueue,
    report,
    random: createRandom(options.seed),
    runtimes: options.runtimes,
    citizens: citizens.filter(({ name }) => options.citizens.includes(name)),
  };
  await mkdir(join(folder, 'tmp'));
  const group = options.hasGroup ? openGroup() : undefined;
  say(
    group === undefined
      ? `memory: no control group; all processes together are limited by GROUNDWORK_MEMORY_MB`
      : `memory: a control group of ${memoryMegabytes} MB`,
  );
  let broken: string | undefined;
  try {
    await live({ town, report, requestQueue, folder, group, say, partMs: options.seconds * 430 });
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    broken = error.message;
  } finally {
    requestQueue.isOpen = false;
    endWatches();
    endProcesses();
    await pushes.close();
    await mails.close();
    await group?.remove();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
  return { broken, excesses: report.excesses(), table: report.table() };
}

function openGroup(): MemoryGroup | undefined {
  return openMemoryGroup(`groundwork-city-${process.pid}`, memoryMegabytes * 2 ** 20);
}

async function live(day: Day): Promise<void> {
  const { requestQueue, report, folder, group, say, partMs } = day;
  let server = await open(day, 'the first start');
  let watched = watch({ server, mark: folder, group });
  const settled = await race(watched, settleTown(day.town));
  say(`settled: ${settled.length} residents, ${report.requests()} requests`);

  const morning = spend(requestQueue, settled, Number.POSITIVE_INFINITY);
  await race(watched, Promise.race([morning, setTimeout(partMs)]));
  const first = watched.end();
  requestQueue.isOpen = false;
  await server.end('SIGKILL');
  await morning;
  report.time('processes after kill -9', await waitUntilGone(folder), boundsMs.gone);
  say(`killed in the middle: ${report.requests()} requests, ${show(first)}`);

  server = await open(day, 'the start after kill -9');
  watched = watch({ server, mark: folder, group });
  await race(watched, verify(settled));
  say('verified: all acknowledged writes are there');

  await race(watched, spend(requestQueue, settled, performance.now() + partMs));
  await race(watched, setTimeout(lateWritesMs));
  await race(watched, verify(settled));
  say(`spent and verified again: ${report.requests()} requests`);

  for (const runtime of day.town.runtimes) {
    const ms = await race(watched, timeFirstRun(day.town, runtime));
    report.time(`the first ${runtime} run of a new account`, ms, boundsMs.firstRun);
    say(`first ${runtime} run of a new account: ${Math.round(ms)} ms`);
  }
  const moved = await race(watched, exportHomes(day, settled));
  const second = watched.end();
  if (second.processes > first.processes * 2 + 16)
    throw new Broken(`processes grow: ${first.processes} at most before, then ${second.processes}`);
  await close(day, server);
  say(`ended: ${show(second)}`);
  await spendEvening(day, settled, moved);
}

/** Folders of exports, by tenant. */
type Moved = ReadonlyMap<Tenant, string>;

function mayMove({ resident }: Settled): boolean {
  return resident.arrive !== undefined;
}

/** Exports the instances whose residents continue elsewhere. */
async function exportHomes(
  { requestQueue, folder }: Day,
  settled: readonly Settled[],
): Promise<Moved> {
  const homes = [...new Set(settled.filter(mayMove).map(({ home }) => home))];
  const exported = homes.map(async (home) => {
    const place = join(folder, home.name);
    await mkdir(place);
    await exportInstance(placeOf(requestQueue, home), place);
    return [home, place] as const;
  });
  return new Map(await Promise.all(exported));
}

function placeOf({ url }: Gate, { name, accountKey }: Tenant) {
  return { url, instance: name, key: accountKey };
}

/** Imports the instances on another server, where their residents find everything, and continue. */
async function spendEvening(day: Day, settled: readonly Settled[], moved: Moved): Promise<void> {
  const { requestQueue, town, report, partMs, say } = day;
  const startedMs = performance.now();
  const server = await open(day, 'the start of another server', 'other-data');
  const watched = watch({ server, mark: day.folder, group: day.group });
  const moving = settled.filter(mayMove);
  const imports = [...moved].map(async ([home, folder]) => {
    Object.assign(home, await foundTenant(town, home.size, home.size));
    await importInstance(folder, placeOf(requestQueue, home));
  });
  await race(watched, Promise.all(imports));
  await race(watched, Promise.all(moving.map(({ resident }) => resident.arrive?.())));
  say(`moved: ${moving.length} residents, ${Math.round(performance.now() - startedMs)} ms`);
  await race(watched, spend(requestQueue, moving, performance.now() + partMs / 4.5));
  await race(watched, verify(moving));
  const peaks = watched.end();
  await close(day, server);
  say(`spent the evening: ${report.requests()} requests, ${show(peaks)}`);
}

async function open(
  { folder, requestQueue, group, report, town }: Day,
  what: string,
  data = 'data',
): Promise<ServerProcess> {
  const startedMs = performance.now();
  const setting = { GROUNDWORK_MEMORY_MB: String(memoryMegabytes) };
  const server = await startProcess(join(folder, data), {
    variables: {
      TMPDIR: join(folder, 'tmp'),
      ...(group === undefined && setting),
      ...town.pushes.variables,
      GROUNDWORK_SMTP_URL: `smtp://127.0.0.1:${town.mails.port}`,
      GROUNDWORK_MAIL_FROM: 'no-reply@example.com',
    },
    node: ['--max-semi-space-size=32'], // as npm start does
    group: group?.processes,
  });
  report.time(what, performance.now() - startedMs, boundsMs.start);
  requestQueue.url = server.url;
  requestQueue.isOpen = true;
  return server;
}

async function close({ requestQueue, report, folder }: Day, server: ServerProcess): Promise<void> {
  requestQueue.isOpen = false;
  const startedMs = performance.now();
  const code = await server.end('SIGTERM');
  report.time('the end after SIGTERM', performance.now() - startedMs, boundsMs.stop);
  if (code !== 0) throw new Broken(`the server ended with ${code} after SIGTERM`);
  report.time('processes after SIGTERM', await waitUntilGone(folder), boundsMs.gone);
  const left = await readdir(join(folder, 'tmp'));
  if (left.length > 0)
    throw new Broken(`the server left ${left.slice(0, 5)} in the temporary folder`);
}

/** Lets all residents act until the time is over or the server is killed. */
async function spend(
  requestQueue: Gate,
  settled: readonly Settled[],
  endMs: number,
): Promise<void> {
  const each = async ({ citizen, resident, random }: Settled) => {
    const pauses = random.fork('pauses');
    const longestMs = 2 * (citizen.pauseMs ?? pauseMs);
    while (requestQueue.isOpen && performance.now() < endMs) {
      try {
        await resident.act();
      } catch (error) {
        if (error instanceof Interrupted) return;
        throw error;
      }
      await setTimeout(pauses.integer(0, longestMs));
    }
  };
  await Promise.all(settled.map(each));
}

async function verify(settled: readonly Settled[]): Promise<void> {
  await Promise.all(settled.map(({ resident }) => resident.verify?.()));
}

/** Waits for a result, unless the watch finds an error first. */
function race<T>(watched: Watch, happening: Promise<T>): Promise<T> {
  return Promise.race([happening, watched.broken]);
}

function show({ processes, serverBytes, allBytes }: Peaks): string {
  const memory = `${megabytes(serverBytes)} in the server, ${megabytes(allBytes)} in all`;
  return `at most ${processes} processes, ${memory}`;
}
