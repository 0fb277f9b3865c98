import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { BackupOutcome } from '../../../shared/platforms/local/backup/backup-process.ts';
import { startBackups } from '../../../shared/platforms/local/backup/scheduled-backups.ts';
import {
  readLastBackups,
  writeLastBackups,
} from '../../../shared/platforms/local/backup/work-folder.ts';
import { readBackupSettings } from '../../../shared/platforms/local/environment.ts';
import type { LogEntry, Mail } from '../../../shared/ports/ports.ts';

const variables = { GROUNDWORK_BACKUP_TO: '/backups', GROUNDWORK_BACKUP_SCHEDULE: '0 3 * * *' };
const ok: BackupOutcome = { kind: 'ok', name: 'groundwork-1' };
const failed: BackupOutcome = { kind: 'failed', reason: 'the bucket is gone' };

interface Story {
  readonly now: string;
  /** When the last success was; absent: never. */
  readonly last?: string;
  readonly outcomes: readonly (BackupOutcome | { readonly kind: 'broken' })[];
  readonly schedule?: string;
}

/** Runs a schedule with a clock that waiting moves, until there are no outcomes left. Returns what has happened when. */
async function tell({ now, last, outcomes, schedule = '0 3 * * *' }: Story) {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-schedule-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (last !== undefined) await writeLastBackups(folder, { success: { at: last, name: 'old' } });
  let ms = Date.parse(now);
  const [runs, results, logged, mails]: [string[], unknown[], LogEntry[], Mail[]] = [
    [],
    [],
    [],
    [],
  ];
  const left = [...outcomes];
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const at = () => new Date(ms).toISOString();
  const backups = await startBackups({
    folder,
    settings: readBackupSettings({}, { ...variables, GROUNDWORK_BACKUP_SCHEDULE: schedule }),
    clock: { micros: () => ms * 1000, steadyMs: () => ms },
    log: (entry) => logged.push(entry),
    mailer: { delivery: 'direct', send: async (mail) => void mails.push(mail) },
    operatorMail: 'ops@example.com',
    run: async () => {
      runs.push(at());
      const outcome = left.shift() ?? ok;
      if (outcome.kind === 'broken') throw new Error('no space left');
      if (outcome.kind === 'ok') {
        await writeLastBackups(folder, { success: { at: at(), name: outcome.name } });
      }
      return outcome;
    },
    onResult: (...result) => results.push(result),
    wait: async (waited) => {
      ms += waited;
      if (left.length === 0) end();
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
  await ended;
  await backups?.close();
  return { runs, results, logged, mails, remembered: await readLastBackups(folder) };
}

test.each<[string, Story, readonly string[]]>([
  [
    'the next one is at its time',
    { now: '2026-01-31T12:00:00Z', last: '2026-01-31T03:00:05Z', outcomes: [ok, ok] },
    ['2026-02-01T03:00:00.000Z', '2026-02-02T03:00:00.000Z'],
  ],
  [
    'a missed one is made after the start',
    { now: '2026-01-31T12:00:00Z', last: '2026-01-29T03:00:05Z', outcomes: [ok, ok] },
    ['2026-01-31T12:00:10.000Z', '2026-02-01T03:00:00.000Z'],
  ],
  [
    'the first one is made after the start',
    { now: '2026-01-31T12:00:00Z', outcomes: [ok, ok] },
    ['2026-01-31T12:00:10.000Z', '2026-02-01T03:00:00.000Z'],
  ],
  [
    'an interval counts from the last success',
    {
      now: '2026-01-31T12:00:00Z',
      last: '2026-01-31T11:30:00Z',
      outcomes: [ok, ok],
      schedule: '6h',
    },
    ['2026-01-31T17:30:00.000Z', '2026-01-31T23:30:00.000Z'],
  ],
  [
    'a clock that was set back delays nothing for long',
    { now: '2026-01-31T12:00:00Z', last: '2027-01-31T03:00:05Z', outcomes: [ok] },
    ['2026-02-01T03:00:00.000Z'],
  ],
  [
    'a failed one is tried again, at doubling intervals, or at the next time',
    {
      now: '2026-01-31T12:00:00Z',
      outcomes: [failed, failed, failed, failed, failed, failed, ok, ok],
    },
    [
      '2026-01-31T12:00:10.000Z',
      '2026-01-31T12:15:10.000Z',
      '2026-01-31T12:45:10.000Z',
      '2026-01-31T13:45:10.000Z',
      '2026-01-31T15:45:10.000Z',
      '2026-01-31T19:45:10.000Z',
      '2026-02-01T01:45:10.000Z',
      '2026-02-01T03:00:00.000Z',
    ],
  ],
])('%s', async (_, story, expected) => {
  const { runs } = await tell(story);

  expect(runs).toEqual(expected);
});

test('a failure is logged, mailed once a day and remembered, until a success', async () => {
  const last = '2026-01-31T03:00:05Z';
  const story = { now: '2026-01-31T12:00:00Z', last };

  const bad = await tell({ ...story, outcomes: [failed, failed] });
  const good = await tell({ ...story, outcomes: [failed, failed, ok] });

  const line = {
    level: 'error',
    message: 'a backup has failed',
    reason: failed.reason,
    durationMs: 0,
  };
  expect(bad.logged).toEqual([line, line]);
  expect(bad.results).toEqual([
    ['failed', failed.reason],
    ['failed', failed.reason],
  ]);
  expect(bad.mails).toEqual([
    {
      to: 'ops@example.com',
      subject: 'A backup of Groundwork has failed',
      text: expect.stringMatching(/to \/backups has failed: the bucket is gone\..*old, of 2026/s),
    },
  ]);
  expect(bad.remembered).toEqual({
    success: { at: last, name: 'old' },
    failure: { at: '2026-02-01T03:15:00.000Z', reason: failed.reason },
  });
  expect(good.results.at(-1)).toEqual(['ok', 'groundwork-1']);
  expect(good.remembered).toEqual({
    success: { at: '2026-02-01T03:45:00.000Z', name: 'groundwork-1' },
  });
});

test('an error of the schedule itself is logged, and delays it only', async () => {
  const broken = { kind: 'broken' } as const;

  const { runs, logged } = await tell({ now: '2026-01-31T12:00:00Z', outcomes: [broken, ok] });

  expect(logged[0]).toMatchObject({
    level: 'error',
    message: 'the schedule of backups has failed',
    cause: expect.stringContaining('no space left'),
  });
  expect(runs).toEqual(['2026-01-31T12:00:10.000Z', '2026-01-31T12:15:20.000Z']);
});

test.each([
  [{ GROUNDWORK_BACKUP_SCHEDULE: '0 3 30 2 *' }, 'matches no time'],
  [{ GROUNDWORK_BACKUP_SCHEDULE: '4m' }, 'takes a crontab of 5 parts, or an interval'],
  [{ GROUNDWORK_BACKUP_SCHEDULE: '32d' }, 'takes a crontab of 5 parts, or an interval'],
  [{ GROUNDWORK_BACKUP_TO: 'backups' }, 'GROUNDWORK_BACKUP_TO takes s3://'],
  [{ GROUNDWORK_BACKUP_TO: 's3://backups' }, 'a bucket gets encrypted backups'],
  [{ GROUNDWORK_BACKUP_TO: 's3://Not_one', GROUNDWORK_BACKUP_RECIPIENT: 'plain' }, 's3://<bucket>'],
  [
    { GROUNDWORK_BACKUP_TO: 's3://b-1/../a', GROUNDWORK_BACKUP_RECIPIENT: 'plain' },
    's3://<bucket>',
  ],
  [
    { GROUNDWORK_BACKUP_TO: 's3://backups', GROUNDWORK_BACKUP_RECIPIENT: 'plain' },
    'needs AWS_ACCESS_KEY_ID',
  ],
  [{ GROUNDWORK_BACKUP_RECIPIENT: `age1${'q'.repeat(58)}` }, 'not a valid public key'],
  [{ GROUNDWORK_BACKUP_RECIPIENT: 'AGE-SECRET-KEY-1' }, 'takes a public key'],
  [{ GROUNDWORK_BACKUP_ENDPOINT: 'http://minio.example.com' }, 'takes an https address'],
  [{ GROUNDWORK_BACKUP_ENDPOINT: 'https://me:pass@example.com' }, 'takes an https address'],
  [{ GROUNDWORK_BACKUP_KEEP: '0' }, 'takes a number of backups'],
  [{ AWS_SECRET_ACCESS_KEY: 'a b' }, 'AWS_SECRET_ACCESS_KEY takes up to 4096'],
  [
    {
      GROUNDWORK_BACKUP_TO: 's3://backups',
      GROUNDWORK_BACKUP_RECIPIENT: 'plain',
      GROUNDWORK_BACKUP_KEEP: '3',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    },
    'GROUNDWORK_BACKUP_KEEP is for folders',
  ],
])('a start with %j fails: %s', async (given, message) => {
  const start = async () => {
    const settings = readBackupSettings({}, { ...variables, ...given });
    await startBackups({
      folder: '/nowhere',
      settings,
      clock: { micros: () => 0, steadyMs: () => 0 },
      log: () => {},
      mailer: { delivery: 'direct', send: async () => {} },
      operatorMail: undefined,
      run: async () => ok,
    });
  };

  await expect(start()).rejects.toThrow(message);
});
