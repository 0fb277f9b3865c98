import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ScryptJob } from '../../accounts/rules/passwords.ts';
import { serverBusy } from '../../values/errors/errors.ts';
import { type GateLimits, openGate } from '../limits/gate.ts';
import type { PasswordHasher } from '../ports.ts';

const program = fileURLToPath(new URL('./scrypt-thread.cjs', import.meta.url));

const limits: GateLimits = {
  capacity: 2, // threads; each hash takes 16 MB at the default cost
  queue: 256,
  queuePerOwner: 128, // with all instances
  queuePerInstance: 64, // or of an address
};
const waitMs = 10_000;
const retrySeconds = 2;

/** Threads that hash passwords. */
export interface PasswordThreads extends PasswordHasher {
  /** Ends the threads; whoever still waits is refused. */
  close(): Promise<void>;
}

/**
 * Makes the threads on which passwords are hashed, two at most; each is started when it is first needed. Commits of
 * the store, files and names of hosts have the threads of Node.js for themselves.
 */
export function openPasswordThreads(): PasswordThreads {
  const gate = openGate(limits);
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  let isClosed = false;

  function start(): Worker {
    // what Node.js was started with is for the server's own heap and modules
    const worker = new Worker(program, { execArgv: [], env: {} });
    all.add(worker);
    worker.once('exit', () => {
      all.delete(worker);
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
    });
    return worker;
  }

  async function hash(job: ScryptJob): Promise<Uint8Array> {
    if (isClosed) throw busy();
    const worker = idle.pop() ?? start();
    worker.ref();
    try {
      const key = await answerOf(worker, job);
      idle.push(worker);
      return key;
    } catch (error) {
      if (isClosed) throw busy();
      throw error;
    } finally {
      worker.unref();
    }
  }

  return {
    run: async (job, share) => {
      const entry = await gate.enter({ ...share, waitMs });
      if (typeof entry === 'string') throw busy();
      try {
        return await hash(job);
      } finally {
        entry();
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

/** Sends a job and waits for what comes of it; a thread that fails has ended. */
function answerOf(worker: Worker, job: ScryptJob): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const ended = () => fail(new Error('the thread has ended'));
    const done = () => {
      worker.off('message', succeed);
      worker.off('error', fail);
      worker.off('exit', ended);
    };
    const succeed = (key: Uint8Array) => {
      done();
      resolve(key);
    };
    const fail = (error: unknown) => {
      done();
      reject(error);
    };
    worker.once('message', succeed);
    worker.once('error', fail);
    worker.once('exit', ended);
    worker.postMessage(job);
  });
}

function busy() {
  return serverBusy(retrySeconds, 'passwords are being checked');
}
