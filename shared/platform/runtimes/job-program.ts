import { Socket } from 'node:net';
import { readJsonLines } from './json-lines.ts';

const control = 3;
const maxJobBytes = 256 * 2 ** 20; // the server limits requests separately

/** Runs the jobs of the supervisor one after the other until the supervisor disconnects; see job-worker.ts. */
export function runJobs<Job>(run: (job: Job) => unknown): void {
  const channel = new Socket({ fd: control, readable: true, writable: true });
  const send = (message: unknown) => channel.write(`${JSON.stringify(message)}\n`);
  readJsonLines(channel, maxJobBytes, {
    onMessage: async (job) => send(await run(job as Job)), // the server writes only jobs
    onFlood: () => process.exit(1),
  });
  channel.once('close', () => process.exit());
  send({ ready: true });
}
