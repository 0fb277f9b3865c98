import { Socket } from 'node:net';
import { readJsonLines } from './json-lines.ts';

const control = 3;
const maxJobBytes = 256 * 2 ** 20; // the server limits requests separately

/** Processes the jobs of the supervisor, one after the other, until the supervisor has gone; see job-worker.ts. */
export function doJobs<Job>(run: (job: Job) => unknown): void {
  const channel = new Socket({ fd: control, readable: true, writable: true });
  const say = (message: unknown) => channel.write(`${JSON.stringify(message)}\n`);
  readJsonLines(channel, maxJobBytes, {
    onMessage: async (job) => say(await run(job as Job)), // the server writes only jobs
    onFlood: () => process.exit(1),
  });
  channel.once('close', () => process.exit());
  say({ ready: true });
}
