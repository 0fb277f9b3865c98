import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Log, Mailer } from '../../../ports/ports.ts';
import { type Timing, timeAfter } from '../../../schedules/rules/schedule-times.ts';
import { longestDelay } from '../../../values/back-off.ts';
import { faultOf } from '../../../values/caught.ts';
import { neverRejects } from '../../../values/promises/in-background.ts';
import { StartError } from '../server/start-error.ts';
import { checkBackupSettings } from './back-up-to.ts';
import type { BackupOutcome } from './backup-process.ts';
import { backupTiming } from './backup-times.ts';
import type { BackupSettings } from './storage.ts';
import { readLastBackups, writeLastBackups } from './work-folder.ts';

const firstMs = 10_000; // after the start, for one that is overdue
const retry = { firstMs: 900_000, maxMs: 21_600_000 };
const lookMs = 60_000; // the clock may be set, and the machine may sleep
const maxBackupMs = 86_400_000;
const mailMs = 86_400_000; // interval of mails while backups fail

/** Receives the end of each scheduled backup. */
export type OnBackup = (outcome: BackupOutcome['kind'], detail: string) => void;

/** Options of backups by schedule. */
export interface ScheduledBackupsOptions {
  /** The data folder. */
  readonly folder: string;
  readonly settings: BackupSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly mailer: Mailer;
  /** Address that gets a mail about a failure; none when absent. */
  readonly operatorMail: string | undefined;
  /** Makes one backup; it never rejects. */
  readonly run: (to: string, signal: AbortSignal) => Promise<BackupOutcome>;
  readonly onResult?: OnBackup;
  /** For tests: waits. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Backups by schedule. */
export interface ScheduledBackups {
  /** Ends a backup that is being made, and makes no more. */
  close(): Promise<void>;
}

interface State extends ScheduledBackupsOptions {
  readonly to: string;
  readonly timing: Timing;
  readonly signal: AbortSignal;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Failures since the last success. */
  failures: number;
  mailedMs: number | undefined;
}

/**
 * Makes backups by the schedule of the settings, one at a time; one that was missed while the server did not run is made
 * after its start. A failed one is tried again after a while.
 *
 * @returns undefined when no target is set
 * @throws StartError for settings that do not suffice
 */
export async function startBackups(
  options: ScheduledBackupsOptions,
): Promise<ScheduledBackups | undefined> {
  const { target: to, schedule } = options.settings;
  if (to === undefined) return undefined;
  await checkBackupSettings(options.folder, to, options.settings);
  const timing = backupTiming(schedule);
  if (timing === undefined || (await timeAfter(timing, 0, 0)) === undefined) {
    throw new StartError('GROUNDWORK_BACKUP_SCHEDULE matches no time');
  }
  const controller = new AbortController();
  const { signal } = controller;
  const wait = options.wait ?? pause;
  const state: State = { ...options, to, timing, signal, wait, failures: 0, mailedMs: undefined };
  const ended = repeat(state);
  neverRejects(ended); // it logs errors
  return {
    close: async () => {
      controller.abort();
      await ended;
    },
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined); // ended by the signal
}

/** Makes backups until the signal. A full disk, or a folder that cannot be read, delays them only. */
async function repeat(state: State): Promise<void> {
  const { wait, signal, log } = state;
  while (!signal.aborted) {
    try {
      await waitUntil(await dueTime(state), state);
      if (!signal.aborted) await makeOne(state);
    } catch (error) {
      log({ level: 'error', message: 'the schedule of backups has failed', ...faultOf(error) });
      await wait(retry.firstMs, signal);
    }
  }
}

async function waitUntil(due: number, { clock, wait, signal }: State): Promise<void> {
  while (!signal.aborted) {
    const left = due - clock.micros() / 1000;
    if (left <= 0) return;
    await wait(Math.min(left, lookMs), signal);
  }
}

/** Returns when the next backup is due, in epoch milliseconds. */
async function dueTime({ folder, timing, clock, failures }: State): Promise<number> {
  const now = clock.micros() / 1000;
  const { success } = await readLastBackups(folder);
  const last = success === undefined ? undefined : Math.min(Date.parse(success.at), now);
  if (failures > 0) {
    const regular = await timeAfter(timing, now, last ?? now);
    return Math.min(now + longestDelay(failures - 1, retry), regular ?? Number.POSITIVE_INFINITY);
  }
  const next = last === undefined ? 0 : await timeAfter(timing, last, last);
  return Math.max(next ?? 0, now + firstMs);
}

/** Makes one backup, and reports its end. */
async function makeOne(state: State): Promise<void> {
  const { clock, log, run, signal, to, onResult } = state;
  const started = clock.micros();
  const ends = AbortSignal.any([signal, AbortSignal.timeout(maxBackupMs)]);
  const outcome = await run(to, ends);
  if (signal.aborted) return; // the server ends
  const durationMs = Math.round((clock.micros() - started) / 1000);
  switch (outcome.kind) {
    case 'ok':
      state.failures = 0;
      log({ level: 'info', message: 'backup made', name: outcome.name, durationMs });
      onResult?.('ok', outcome.name);
      return;
    case 'failed':
      state.failures += 1;
      log({ level: 'error', message: 'a backup has failed', reason: outcome.reason, durationMs });
      onResult?.('failed', outcome.reason);
      await notify(state, outcome.reason);
      await remember(state, outcome.reason);
  }
}

async function remember({ folder, clock }: State, reason: string): Promise<void> {
  const { success } = await readLastBackups(folder);
  const failure = { at: new Date(clock.micros() / 1000).toISOString(), reason };
  await writeLastBackups(folder, success === undefined ? { failure } : { success, failure });
}

/** Mails the operator, at most once a day while backups fail. */
async function notify(state: State, reason: string): Promise<void> {
  const { operatorMail: address, mailer, clock, log, folder, to } = state;
  const now = clock.micros() / 1000;
  const isMailed = state.mailedMs !== undefined && now - state.mailedMs < mailMs;
  if (address === undefined || isMailed) return;
  state.mailedMs = now;
  const { success } = await readLastBackups(folder);
  const last = success === undefined ? 'There is none.' : `${success.name}, of ${success.at}`;
  const text = [
    `A backup to ${to} has failed: ${reason}.`,
    '',
    `The last one that succeeded: ${last}`,
    'The server tries again. While backups fail, you get one mail a day.',
    '',
  ].join('\n');
  try {
    await mailer.send({ to: address, subject: 'A backup of Groundwork has failed', text });
  } catch (error) {
    log({ level: 'error', message: 'a mail could not be sent', ...faultOf(error) });
  }
}
