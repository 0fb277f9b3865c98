import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { PasswordJob } from '../../accounts/rules/passwords.ts';
import {
  openRequestQueue,
  type QueueLimits,
  type QueueState,
} from '../../ports/limits/request-queue.ts';
import type { PasswordHasher } from '../../ports/ports.ts';
import { serverBusy } from '../../values/errors/errors.ts';

const program = fileURLToPath(new URL('./scrypt-thread.cjs', import.meta.url));

const limits: QueueLimits = {
  capacity: 2, // threads; each hash takes 16 MB at the default cost
  queue: 256,
  queuePerOwner: 128, // of all instances
  queuePerInstance: 64, // of an instance or an address
};
const waitMs = 10_000;
const retrySeconds = 2;

/** Threads that hash passwords. */
export interface PasswordThreads extends PasswordHasher {
  readonly queue: QueueState;
  /** Ends the threads; requests that still wait get 503. */
  close(): Promise<void>;
}

/**
 * Creates at most two threads for password hashing, each when it is first needed. Commits of the store, file access and
 * DNS lookups have the thread pool of Node.js for themselves.
 */
export function openPasswordThreads(): PasswordThreads {
  const requestQueue = openRequestQueue(limits);
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  let isClosed = false;

  function start(): Worker {
    // the options of Node.js are meant for the server's own heap and modules
    const worker = new Worker(program, { execArgv: [], env: {} });
    all.add(worker);
    worker.once('exit', () => {
      all.delete(worker);
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
    });
    return worker;
  }

  async function hash(job: PasswordJob): Promise<Uint8Array> {
    if (isClosed) throw busy();
    const worker = idle.pop() ?? start();
    worker.ref();
    try {
      const key = await resultOf(worker, job);
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
    queue: requestQueue,
    run: async (job, share) => {
      const entry = await requestQueue.enter({ ...share, waitMs });
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

/** Sends a job and waits for its result; a thread that fails has ended. */
function resultOf(worker: Worker, job: PasswordJob): Promise<Uint8Array> {
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
