import { Socket } from 'node:net';
import { codeOf } from '../values/caught.ts';
import { readJsonLines } from './json-lines.ts';

const control = 3;
const maxJobBytes = 256 * 2 ** 20; // the server limits requests separately

/** Runs the jobs of the supervisor one after the other until the supervisor disconnects; see job-worker.ts. */
export function runJobs<Job>(run: (job: Job) => unknown): void {
  leaveRoot();
  const channel = new Socket({ fd: control, readable: true, writable: true });
  const send = (message: unknown) => channel.write(`${JSON.stringify(message)}\n`);
  readJsonLines(channel, maxJobBytes, {
    onMessage: async (job) => send(await run(job as Job)), // the server writes only jobs
    onFlood: () => process.exit(1),
  });
  channel.once('close', () => process.exit());
  send({ ready: true });
}

const nobody = 65534;

/** Makes this process, if it was started as root, one of another user: it reads no more files. */
function leaveRoot(): void {
  const { getuid, setgroups, setgid, setuid } = process;
  if (getuid?.() !== 0 || !setgroups || !setgid || !setuid) return;
  try {
    setgroups([]);
    setgid(nobody);
    setuid(nobody);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error; // without these capabilities, root may do no more than others
  }
}
