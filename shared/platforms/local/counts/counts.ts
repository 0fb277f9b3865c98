import type { MailResult } from '../../../ports/ports.ts';
import type { ScriptOutcome, ScriptRun, ScriptRunner } from '../../../ports/script-runner.ts';
import { countDurations, type Durations } from './durations.ts';
import { openTally, type Tally } from './tally.ts';

/** A service that sends pushes. */
type PushService = 'fcm' | 'apns';
/** What became of a push; `unknown`: the response of the service was lost. */
type PushResult = 'sent' | 'failed' | 'unknown' | 'unregistered';
/** What became of a backup. */
type BackupResult = 'done' | 'failed';

/** Counts what the parts of a server report, since its start. */
export interface MetricCounts {
  countMail(result: MailResult): void;
  countPush(service: PushService, result: PushResult): void;
  /** Counts a backup of the server's data. */
  countBackup(result: BackupResult): void;
  /** Reports when the last backup was done, in epoch milliseconds: also that of an earlier process. */
  backedUp(atMs: number): void;
  countRun(run: Pick<ScriptRun, 'runtime' | 'meta'>, outcome: ScriptOutcome): void;
  read(): CountedSoFar;
}

/** All counts; the values of the labels are in the order of the functions that count. */
export interface CountedSoFar {
  readonly mails: Tally;
  readonly pushes: Tally;
  readonly backups: Tally;
  /** Epoch milliseconds; 0: none is known. */
  readonly lastBackupMs: number;
  /** By runtime, origin and result. */
  readonly runs: Tally;
  readonly runDurations: readonly (readonly [runtime: string, durations: Durations])[];
}

const mailResults: readonly MailResult[] = ['sent', 'retried', 'unconfirmed', 'failed'];
const pushServices: readonly PushService[] = ['fcm', 'apns'];
const pushResults: readonly PushResult[] = ['sent', 'failed', 'unknown', 'unregistered'];
const backupResults: readonly BackupResult[] = ['done', 'failed'];
const runBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Names of the origins of runs, by the value of `executed_by` in META. */
const origins: ReadonlyMap<unknown, string> = new Map([
  ['codebox', 'script'],
  ['webhook', 'endpoint'],
  ['trigger', 'trigger'],
  ['schedule', 'schedule'],
]);

/** Opens counts that are zero. */
export function openCounts(): MetricCounts {
  const one = (values: readonly string[]) => openTally(values.map((value) => [value]));
  const mails = one(mailResults);
  const backups = one(backupResults);
  const pushes = openTally(
    pushServices.flatMap((service) => pushResults.map((result) => [service, result])),
  );
  const runs = openTally();
  const durations = { node: countDurations(runBounds), python: countDurations(runBounds) };
  let lastBackupMs = 0;
  return {
    countMail: mails.add,
    countPush: pushes.add,
    countBackup: backups.add,
    backedUp: (atMs) => {
      lastBackupMs = atMs;
    },
    countRun: ({ runtime, meta }, outcome) => {
      runs.add(runtime, origins.get(meta.executed_by) ?? 'other', outcome.status);
      if ('durationMs' in outcome) durations[runtime].add(outcome.durationMs / 1000);
    },
    read: () => {
      const runDurations = Object.entries(durations);
      return { mails, pushes, backups, lastBackupMs, runs, runDurations };
    },
  };
}

/** Returns a runner whose runs are counted. */
export function countRuns<Runner extends ScriptRunner>(
  runner: Runner,
  counts: Pick<MetricCounts, 'countRun'>,
): Runner {
  const run: ScriptRunner['run'] = async (request) => {
    const outcome = await runner.run(request);
    counts.countRun(request, outcome);
    return outcome;
  };
  return Object.assign({}, runner, { run });
}
