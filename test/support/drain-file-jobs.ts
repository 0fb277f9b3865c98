import { setTimeout } from 'node:timers/promises';
import { jobTypes } from '../../functions/jobs.ts';
import type { LocalPlatform } from '../../shared/platforms/local/platform.ts';
import { jobEntity, jobShards } from '../../shared/table/entities/jobs.ts';

/**
 * Whether a job that is not due yet has a step at the end of a test: `step`, because it may delete files, or why it has
 * none. A new job type needs a line, which a test of the recorder checks.
 */
export const drainedJobs: Readonly<Record<string, 'step' | 'no files' | 'runs a script'>> = {
  'clear-instance': 'step',
  'build-indexes': 'no files',
  'pair-fields': 'no files',
  'recount-class': 'no files',
  'clear-class': 'step',
  'remove-files': 'step',
  'clear-files': 'step',
  'move-files': 'step',
  'clear-user': 'step',
  'remove-guest': 'step',
  'clear-group': 'step',
  'clear-channel': 'no files',
  'trim-room': 'no files',
  'send-mail': 'no files',
  'send-user-mail': 'no files',
  'send-push': 'no files',
  'sync-push-endpoints': 'no files',
  'close-push-application': 'no files',
  'watch-run': 'runs a script',
  'clear-script': 'step',
  'clear-traces': 'step',
  'trim-traces': 'step',
  'run-schedule': 'runs a script',
  'start-triggers': 'runs a script',
  'clear-triggers': 'no files',
  'clear-trigger-runs': 'step',
  'make-backup': 'step',
  'remove-backup': 'step',
  'restore-backup': 'step',
  'clear-data': 'step',
};

const idleMs = 2000; // a test may leave a script that never ends

/** Runs the jobs that a test has caused: those that are due, and a step of those that will be and may delete files. */
export async function drainFileJobs(platform: LocalPlatform): Promise<void> {
  const outOfPatience = new AbortController();
  const idle = platform.idle().catch(() => undefined); // of a store that the test has broken
  const patience = setTimeout(idleMs, undefined, { signal: outOfPatience.signal });
  await Promise.race([idle, patience.catch(() => undefined)]);
  outOfPatience.abort();
  if (platform.folder === undefined) await stepLater(platform); // a folder may be opened again
}

async function stepLater(platform: LocalPlatform): Promise<void> {
  const context = {
    ...platform,
    settled: () => Promise.resolve(),
    endedBefore: () => Promise.resolve(true),
    log: () => undefined,
  };
  const shards = await Promise.all(
    jobShards.map((shard) => jobEntity.list(platform.store, [shard], { limit: 1000 })),
  ).catch(() => []); // of a store that the test has broken
  for (const { data } of shards.flatMap(({ items }) => items)) {
    const type = jobTypes.find(({ name }) => name === data.kind);
    if (type === undefined || drainedJobs[data.kind] !== 'step') continue;
    await type.step(context, data.task).catch(() => undefined); // logged and tried again by a server
  }
}
