import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, test as base, expect } from 'vitest';
import { portOf, send as sendTo } from '../support/plain-calls.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary.ts';

/* Schedules of a real server whose clock libfaketime shifts and speeds up. */

const library = ['', ...readdirSync('/usr/lib')]
  .map((folder) => join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1'))
  .find((file) => existsSync(file));
if (library === undefined) {
  process.stdout.write('skipped: schedules under a shifted clock (apt-get install faketime)\n');
}

const test = base.extend('folder', temporaryFolder('groundwork-shifted-clock-'));
afterEach(endProcesses);

const startAt = (folder: string, time: string) =>
  startProcess(folder, {
    variables: { LD_PRELOAD: library ?? '', FAKETIME: time, TZ: 'UTC' },
  });

test.skipIf(library === undefined)(
  'schedules run across a change of the clocks, and once after days without a server',
  async ({ folder }) => {
    const first = await startAt(folder, '@2026-03-29 00:40:00 x60');
    const person = { email: 'owner@example.com', password: 'a password' };
    const { account_key: key } = (await sendTo(portOf(first), '/v1.1/account/register/', person))
      .body;
    const send = async (server: ServerProcess, path: string, body?: object) =>
      (await sendTo(portOf(server), `/v1.1/instances/${path}`, body, { 'X-API-KEY': key })).body;
    await send(first, '', { name: 'shop-1' });
    const source = 'console.log(new Date().toISOString())';
    const script = { runtime_name: 'nodejs', source, config: { timeout: 300 } };
    const { id } = await send(first, 'shop-1/snippets/scripts/', script);
    const make = async (timing: object) =>
      (await send(first, 'shop-1/schedules/', { script: id, ...timing })).id;
    const daily = await make({ crontab: '30 2 * * *', timezone: 'Europe/Warsaw' });
    const often = await make({ interval_sec: 120 });
    const times = async (server: ServerProcess, schedule: number): Promise<readonly string[]> => {
      const { objects } = await send(server, `shop-1/schedules/${schedule}/traces/`);
      return objects
        .filter(({ status }: { status: string }) => status === 'success')
        .map((trace: { executed_at: string }) => trace.executed_at);
    };
    const waitFor = async (server: ServerProcess, schedule: number, runs: number) => {
      while ((await times(server, schedule)).length < runs) await setTimeout(50);
    };

    await waitFor(first, daily, 1);
    await waitFor(first, often, 3);
    const [onTime] = await times(first, daily);
    await first.end('SIGKILL');
    const second = await startAt(folder, '@2026-04-02 12:00:00');
    await waitFor(second, daily, 1); // the first trace has expired

    const [late, ...others] = await times(second, daily);
    expect(others).toEqual([]);
    expect(onTime).toMatch(/^2026-03-29T01:0\d/); // 2:30 does not exist in this night
    expect(late).toMatch(/^2026-04-02T12:0/);
    expect(await send(second, `shop-1/schedules/${daily}/`)).toMatchObject({
      scheduled_next: '2026-04-03T00:30:00.000000Z',
      missed: 3,
    });
    await second.end('SIGTERM');
  },
);
